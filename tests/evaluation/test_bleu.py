"""BLEU and chrF: against formulas worked out with loops, and the right tokenizer for the script."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import pytest

from chatbot.evaluation.bleu import Overlap, bleu, chrf, tokenizer_for

FRENCH = ["Un chat dort sur le canapé.", "Deux enfants jouent dans la rue."]
CHINESE = ["我们明天去北京吃烤鸭。", "今天天气很好!"]


def ngrams(tokens: list[str], n: int) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for start in range(len(tokens) - n + 1):
        counts[tuple(tokens[start : start + n])] += 1
    return counts


def naive_bleu(replies: list[str], references: list[str]) -> float:
    """Papineni et al. 2002, section 2.3, of texts whose tokens stand apart; no order without a match."""
    said, wanted = ([text.split() for text in texts] for texts in (replies, references))
    product = 1.0
    for n in (1, 2, 3, 4):
        matches = total = 0
        for reply, reference in zip(said, wanted, strict=True):
            allowed = ngrams(reference, n)
            for gram, count in ngrams(reply, n).items():
                matches += min(count, allowed[gram])
                total += count
        product *= matches / total
    c, r = (sum(map(len, texts)) for texts in (said, wanted))
    return 100 * min(1.0, math.exp(1 - r / c)) * product**0.25


def naive_chrf(reply: str, reference: str) -> float:
    """Popović 2015 with β = 2, of one pair of at least six characters each, white space left out."""
    said, wanted = (list(text.replace(" ", "")) for text in (reply, reference))
    precisions, recalls = [], []
    for n in range(1, 7):
        matches = sum((ngrams(said, n) & ngrams(wanted, n)).values())
        precisions.append(matches / (len(said) - n + 1))
        recalls.append(matches / (len(wanted) - n + 1))
    p, r = sum(precisions) / 6, sum(recalls) / 6
    return 100 * (1 + 4) * p * r / (4 * p + r)


@pytest.mark.parametrize("measure", [bleu, chrf])
@pytest.mark.parametrize("texts", [FRENCH, CHINESE])
def test_identical_texts_score_100(measure: Callable[..., Overlap], texts: list[str]) -> None:
    assert measure(texts, texts).score == pytest.approx(100)


@pytest.mark.parametrize("measure", [bleu, chrf])
def test_texts_without_anything_in_common_score_0(measure: Callable[..., Overlap]) -> None:
    assert measure(["aa bb cc dd ee", "ff gg"], ["vv ww xx yy zz", "uu"]).score == 0


def test_bleu_of_short_replies_worked_out() -> None:
    """11 tokens for 14: a brevity penalty; "the" said three times counts as often as it is wanted."""
    replies = ["the cat sat on the the mat", "he reads a book"]
    references = ["the cat sat on the mat today", "he reads a book of old tales"]
    expected = 100 * math.exp(1 - 14 / 11) * (10 / 11 * 8 / 9 * 5 / 7 * 3 / 5) ** 0.25
    assert naive_bleu(replies, references) == pytest.approx(expected)
    assert bleu(replies, references).score == pytest.approx(expected)


def test_bleu_of_long_replies_has_no_brevity_penalty() -> None:
    replies, references = ["we go home now my dear friend"], ["we go home now"]
    expected = 100 * (4 / 7 * 3 / 6 * 2 / 5 * 1 / 4) ** 0.25
    assert naive_bleu(replies, references) == pytest.approx(expected)
    assert bleu(replies, references).score == pytest.approx(expected)


def test_bleu_is_of_the_whole_corpus_and_no_mean_over_replies() -> None:
    replies = ["a b c d e f g h", "a b c d x"]
    references = ["a b c d e f g h", "a b c d e"]
    each = [bleu([reply], [reference]).score for reply, reference in zip(replies, references, strict=True)]
    whole = bleu(replies, references).score
    assert whole == pytest.approx(naive_bleu(replies, references))
    assert whole != pytest.approx(sum(each) / 2, abs=0.1)


def test_chrf_of_a_pair_worked_out() -> None:
    assert chrf(["the cat sat"], ["the cats sit"]).score == pytest.approx(
        naive_chrf("the cat sat", "the cats sit")
    )


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (FRENCH, "13a"),
        (CHINESE, "zh"),
        (["今日はとても寒いですね。", "カレーを食べたい"], "char"),
        (["สวัสดีครับ"], "char"),
        (["오늘은 날씨가 좋네요"], "13a"),
        (["I say 你好 to all of them"], "13a"),
        (["", "   "], "13a"),
    ],
)
def test_tokenizer_follows_the_script_of_most_characters(references: list[str], expected: str) -> None:
    assert tokenizer_for(references) == expected
    assert f"|tok:{expected}|" in bleu(references, references).signature


def test_tokenizer_can_be_named_and_changes_the_score() -> None:
    """As characters, the first four of six agree; as words nothing does."""
    named = bleu(["abcdef"], ["abcdxy"], "char")
    assert "|tok:char|" in named.signature
    assert named.score == pytest.approx(100 * (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert bleu(["abcdef"], ["abcdxy"]).score == 0


def test_punctuation_is_a_token_of_its_own_in_13a_and_case_counts() -> None:
    assert bleu(["It is late, go home."], ["It is late , go home ."]).score == pytest.approx(100)
    assert bleu(["it is late, go home."], ["It is late, go home."]).score < 100


@pytest.mark.parametrize("measure", [bleu, chrf])
def test_nothing_to_compare_is_refused(measure: Callable[..., Overlap]) -> None:
    with pytest.raises(ValueError, match="no replies"):
        measure([], [])
    with pytest.raises(ValueError, match="1 replies and 2 references"):
        measure(["a"], ["a", "b"])


def test_sacrebleu_is_imported_only_when_asked() -> None:
    program = "import sys, chatbot.evaluation.bleu; print('sacrebleu' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
