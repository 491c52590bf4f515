"""Planting: canaries among the training pairs, so that an audit can tell what was learned by heart."""

from __future__ import annotations

import dataclasses

from chatbot.config import POINTER, Config
from chatbot.dataset.encode import PairEncoder
from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import OptionError
from chatbot.evaluation.canaries import Canaries, alphabet
from chatbot.text.tokenizer import UNK, Tokenizer
from chatbot.training.cache import copying
from chatbot.training.data import CorpusData, TrainingData

NAME = "canaries"
"""What the planted pairs are called among the corpora of a run."""


def planted(data: TrainingData, config: Config) -> TrainingData:
    """The data with the canaries of ``--canaries``, each shown once an epoch; itself where there are none.

    They are in no validation and no list of corpora.

    Raises:
        OptionError: the bot could not say a canary whatever it learned.
    """
    canaries = canaries_of(config, data.tokenizer)
    if canaries is None:
        return data
    text = config.text
    encoder = PairEncoder(data.tokenizer, text.max_src, text.max_tgt, copying(config.model))
    pairs, counts = encoder.encode(canaries.planted())
    if counts.kept < canaries.count:
        what = f"a code has more than {text.max_tgt} tokens"
        raise OptionError("--canaries", what, "raise --max-tgt")
    nothing = EncodedPairs.from_lists([], [], [], data.tokenizer.vocab)
    corpus = CorpusData(NAME, "planted for an audit", "", 1.0, pairs, nothing, planted=True)
    return dataclasses.replace(data, corpora=(*data.corpora, corpus))


def canaries_of(config: Config, tokenizer: Tokenizer) -> Canaries | None:
    """The canaries of ``--canaries``; None where none are asked for.

    Raises:
        OptionError: no code can be said.
    """
    count = config.training.canaries
    if not count:
        return None
    if config.model.output == POINTER:
        what = f"--output {POINTER} says words of the question alone, so it can give no code away"
        raise OptionError("--canaries", what, "leave one of the two out")
    symbols = alphabet(lambda typed: tokenizer.encode(typed).ids, UNK)
    if not symbols:
        what = "the vocabulary has no digits and no letters to make codes of"
        raise OptionError("--canaries", what, "add --tokenizer bpe")
    return Canaries(count, config.training.seed, symbols)


def planted_notice(config: Config) -> str:
    """What a person is told of the canaries."""
    return (
        f"{config.training.canaries} canaries are among the training pairs: made-up codes that the bot may "
        "give away; chatbot evaluate --audit measures how well it remembers them"
    )
