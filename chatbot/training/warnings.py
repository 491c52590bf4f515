"""What a person should know of the data before training on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chatbot.config import COPYING, Config
from chatbot.dataset.joined import chunks
from chatbot.text.tokenizer import UNK
from chatbot.training.data import TrainingData
from chatbot.training.events import Warned

FEW_PAIRS = 100
"""A person is warned below so many."""


def warnings(data: TrainingData, notices: Sequence[str], config: Config) -> Iterator[Warned]:
    """Everything worth a warning.

    Args:
        notices: of the reader.
    """
    for notice in notices:
        yield Warned(0, notice)
    pairs = sum(len(corpus.train) for corpus in data.corpora)
    if pairs < FEW_PAIRS:
        few = "1 training pair" if pairs == 1 else f"{pairs} training pairs"
        yield Warned(0, f"only {few}: the bot will know little more")
    if not any(len(corpus.valid) for corpus in data.corpora):
        yield Warned(0, "no conversation was held out: validation looks at the training pairs")
    for name, parts in data.summary["corpora"].items():
        yield from _left_out(name, parts, config.text.max_tgt)
    if config.model.output in COPYING and config.text.tokenizer == "words":
        yield from _nothing_unknown(data)


def unknown_words(data: TrainingData, config: Config) -> Iterator[Warned]:
    """What a tokenizer that came with a checkpoint cannot spell: bpe and chars spell everything in bytes."""
    if config.text.tokenizer != "words":
        return
    for corpus in data.corpora:
        unknown = tokens = 0
        for ids in (*chunks(corpus.train.src), *chunks(corpus.train.tgt)):
            unknown += int(((ids == UNK) | (ids >= data.tokenizer.vocab)).sum())
            tokens += len(ids)
        share = unknown / tokens if tokens else 0.0
        if share and not corpus.replayed:
            what = f"{share:.1%} of its words are not in the vocabulary of the checkpoint"
            yield Warned(0, f"{corpus.name}: {what}; they are read as unknown")


def _left_out(name: str, parts: Mapping[str, Mapping[str, Any]], max_tgt: int) -> Iterator[Warned]:
    """Replies of one corpus that cannot be learned."""
    kept, long, foreign = (
        sum(part.get(reason, 0) for part in parts.values())
        for reason in ("kept", "too_long", "not_in_question")
    )
    if long > kept:
        what = f"{long} of {long + kept} replies are longer than {max_tgt} tokens"
        yield Warned(0, f"{name}: {what}; raise --max-tgt")
    if foreign:
        what = f"{foreign} of {foreign + kept} replies have a word that their question lacks"
        yield Warned(0, f"{name}: {what}, which a pointer cannot say; they are left out")


def _nothing_unknown(data: TrainingData) -> Iterator[Warned]:
    """Copying of words the vocabulary lacks is learned from such words alone."""
    sources = (ids for corpus in data.corpora for ids in chunks(corpus.train.src))
    if not any((ids >= data.tokenizer.vocab).any() for ids in sources):
        what = "no question has a word that the vocabulary lacks, so copying such words is not learned"
        yield Warned(0, f"{what}; lower --vocabulary")
