"""Chatbot: text in, Reply out. The library's front door."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chatbot.checkpoint import load
from chatbot.config import DecodingOptions
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.answering import Answer, Answering
from chatbot.errors import CheckpointError, OptionError
from chatbot.text.tokenizer import EOS
from chatbot.text.words import assign, merge_weights, read_words, word_spans


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question or reply, with character offsets into the text as typed or printed."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Attention:
    """How much each reply word looked at each question word.

    Pieces of words are merged: weights are summed over the pieces of a source word and averaged over
    the pieces of a reply word, so that a row still sums to 1 (or less, where the attention does).

    Shapes: weights [len(reply), len(source)]; end [len(source)] is what the end of the reply looked
    at (empty when the reply was cut at its maximum length).
    """

    source: tuple[Word, ...]
    reply: tuple[Word, ...]
    weights: tuple[tuple[float, ...], ...]
    end: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several replies the search considered, best first."""

    reply: str
    score: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot answers.

    Args:
        question: as asked.
        text: the reply; "" for a blank question.
        score: the length-normalised log-probability it was chosen by.
        fallback: the reply is the fallback text, not the model's.
        truncated: the question was longer than the model reads; only its end was read.
        candidates: the n best, the chosen one first.
        attention: None where the model has none (``--attention none``) or the question is blank.
    """

    question: str
    text: str
    score: float = 0.0
    fallback: bool = False
    truncated: bool = False
    candidates: tuple[Candidate, ...] = ()
    attention: Attention | None = None


class Chatbot:
    """A trained bot.

    Args:
        name: of its checkpoint.
        answering: the checkpoint's tokenizer and engine.
        options: how replies are searched for unless a call says otherwise.
        attends: whether the weights of the engine mean anything.
    """

    reads_history = False
    """Pairs are trained on as single questions, so earlier turns are not read."""

    def __init__(
        self, name: str, answering: Answering, options: DecodingOptions, attends: bool = True
    ) -> None:
        self.name = name
        self.options = options
        self._answering = answering
        self._attends = attends
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | Path, device: str = "auto", reverse: str | Path | None = None) -> Chatbot:
        """A bot from a checkpoint folder.

        Args:
            device: auto, cpu, cuda or mps.
            reverse: folder of a checkpoint of ``train --reverse``, which has the last word in the order of
                replies.

        Raises:
            CheckpointError: a folder is no complete, undamaged checkpoint, or one of the other kind.
            OptionError: the device is not there.
        """
        from chatbot.engines.loading import load_engine, load_reversed

        checkpoint = load(Path(path))
        config, tokenizer = checkpoint.config, checkpoint.tokenizer()
        if config.training.reverse:
            what = "guesses questions from replies, and nobody can talk with it"
            raise CheckpointError(str(path), what, "name another, and give this one as --reverse-model")
        answering = Answering.of(
            config,
            tokenizer,
            load_engine(checkpoint, tokenizer.vocab, device),
            functools.cache(lambda: checkpoint.reply_model(tokenizer.vocab)),
            None if reverse is None else load_reversed(Path(reverse), device),
        )
        return cls(checkpoint.name, answering, config.decoding, config.model.attention != "none")

    def check(self, options: DecodingOptions) -> None:
        """Refuse a way to search that this bot cannot.

        Raises:
            OptionError: it cannot; what to change.
        """
        own = self.options
        if options.anti_lm and (options.anti_lm, options.anti_lm_tokens) != (own.anti_lm, own.anti_lm_tokens):
            self._answering.check_anti_lm()
        with self._lock:
            self._answering.check(options)

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        """Answer one question.

        Args:
            text: the question; a blank one gets a blank reply.
            history: the turns before it, oldest first; a bot trained on single questions reads none.
            options: how to search; the checkpoint's way when None.
            candidates: how many of the best replies to name, at most the beam.

        Raises:
            OptionError: no candidates asked for, or more than the beam holds.
        """
        return self.replies([text], options, candidates)[0]

    def replies(
        self, texts: Sequence[str], options: DecodingOptions | None = None, candidates: int = 1
    ) -> list[Reply]:
        """Answer many questions, each as ``reply`` would, in batches."""
        if candidates < 1:
            raise OptionError("candidates", f"is {candidates}", "it must be at least 1")
        with self._lock:
            answers = self._answering.answers(texts, options or self.options, candidates)
        return [self._reply(text, answer) for text, answer in zip(texts, answers, strict=True)]

    def _reply(self, question: str, answer: Answer) -> Reply:
        if not answer.ranked:
            return Reply(question, "")
        text, best = answer.ranked[0]
        named = tuple(Candidate(said, hypothesis.score) for said, hypothesis in answer.ranked)
        attention = self._attention(question, answer, best) if self._attends else None
        return Reply(question, text, best.score, False, answer.truncated, named, attention)

    def _attention(self, question: str, answer: Answer, hypothesis: Hypothesis) -> Attention:
        """Weights between words; only words of which the model read something are columns."""
        ended = hypothesis.tokens[-1:] == (EOS,)
        said = hypothesis.tokens[:-1] if ended else hypothesis.tokens
        decoded = self._answering.tokenizer.decode_with_offsets(said, answer.words)
        text = decoded.text.strip()
        shift = len(decoded.text) - len(decoded.text.lstrip())
        pieces = [(max(0, start - shift), max(0, end - shift)) for start, end in decoded.offsets]
        source, reply = read_words(answer.offsets, word_spans(question)), read_words(pieces, word_spans(text))
        owners = assign(answer.offsets, source)
        weights = hypothesis.weights
        rows = merge_weights(weights[: len(said)], assign(pieces, reply), owners, len(reply), len(source))
        end = merge_weights(weights[len(said) :], [0] * ended, owners, int(ended), len(source))
        return Attention(
            _words(question, source),
            _words(text, reply),
            tuple(tuple(row) for row in rows.tolist()),
            tuple(end[0].tolist()) if ended else (),
        )


def _words(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Word, ...]:
    return tuple(Word(text[start:end], start, end) for start, end in spans)
