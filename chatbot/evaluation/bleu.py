"""BLEU and chrF of replies against references, as published: sacrebleu behind two functions.

The figures are of the whole corpus, one reference a reply, and come with the signature that makes
them comparable with other people's. sacrebleu is imported when a figure is asked for, and nothing is
downloaded: its tokenizers 13a, zh and char are rules alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import regex

from chatbot.evaluation.resampling import Floats, Sums

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_HAN = regex.compile(r"\p{Han}")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much replies have in common with their references.

    Args:
        score: 0 (nothing) to 100 (the same text).
        signature: sacrebleu's, to print with the score: tokenizer, smoothing, version.
    """

    score: float
    signature: str


def bleu(replies: Sequence[str], references: Sequence[str], tokenizer: str = "") -> Overlap:
    """BLEU of a corpus.

        BLEU = min(1, e^(1 - r/c)) · (p₁ p₂ p₃ p₄)^¼

    p_n is the share of the replies' n-grams that their references hold too, each at most as often as
    there; c and r are the tokens of all replies and of all references.

    Source: Papineni et al. 2002, section 2.3; Post 2018 (sacrebleu). Where there is no match of some
    order, but one of a lower, it is smoothed as Chen and Cherry 2014, method 3. Replies without a single
    run of four tokens score 0, whatever they say.

    Args:
        tokenizer: a name of sacrebleu's; "" chooses by ``tokenizer_for``.

    Raises:
        ValueError: there are no replies, or not one reference a reply.
    """
    _check(replies, references)
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenizer or tokenizer_for(references), force=True)  # no word on final " ."
    score = metric.corpus_score(replies, [references]).score
    return Overlap(float(score), str(metric.get_signature()))


def chrf(replies: Sequence[str], references: Sequence[str]) -> Overlap:
    """chrF2 of a corpus: the F-score of n-grams of 1 to 6 characters, recall weighing double.

    Source: Popović 2015, 2016; Post 2018 (sacrebleu).

    Raises:
        ValueError: there are no replies, or not one reference a reply.
    """
    _check(replies, references)
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    return Overlap(float(metric.corpus_score(replies, [references]).score), str(metric.get_signature()))


def bleu_sums(replies: Sequence[str], references: Sequence[str], tokenizer: str = "") -> Sums:
    """``bleu`` as sums over replies, so that it can be made again from any choice of them.

    Raises:
        ValueError: there are no replies, or not one reference a reply.
    """
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenizer or tokenizer_for(references), force=True)
    return _sums(metric, replies, references)


def chrf_sums(replies: Sequence[str], references: Sequence[str]) -> Sums:
    """``chrf`` as sums over replies.

    Raises:
        ValueError: there are no replies, or not one reference a reply.
    """
    from sacrebleu.metrics.chrf import CHRF

    return _sums(CHRF(), replies, references)


def _sums(metric: Metric, replies: Sequence[str], references: Sequence[str]) -> Sums:
    """sacrebleu's counts of each reply; its own bootstrap and paired tests work on the same two methods."""
    _check(replies, references)
    parts = np.array(metric._extract_corpus_statistics(replies, [references]), dtype=np.float64)

    def score(sums: Floats) -> Floats:
        return np.array([metric._compute_score_from_stats(row.tolist()).score for row in sums])

    return Sums(parts, score)


def tokenizer_for(references: Sequence[str]) -> str:
    """The tokenizer that finds words, or what comes nearest, in the script of the references.

    zh (a token a Chinese character, 13a for the rest) where more than half of the characters are Han,
    char where only with kana or other scripts written without spaces they are, else 13a. White space
    does not count.
    """
    characters = sum(len(part) for part in chain.from_iterable(map(str.split, references)))
    if 2 * _count(_HAN, references) > characters:
        return "zh"
    return "char" if 2 * _count(_UNSPACED, references) > characters else "13a"


def _count(pattern: regex.Pattern[str], texts: Sequence[str]) -> int:
    return sum(len(pattern.findall(text)) for text in texts)


def _check(replies: Sequence[str], references: Sequence[str]) -> None:
    if not replies:
        raise ValueError("There are no replies to compare.")
    if len(replies) != len(references):
        raise ValueError(f"There are {len(replies)} replies and {len(references)} references.")
