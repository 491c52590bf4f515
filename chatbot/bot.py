"""Chatbot: text in, Reply out. The library's front door."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chatbot.checkpoint import find, load
from chatbot.config import DecodingOptions, check_options
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.answering import Answer, Answering
from chatbot.engines.reading import Source
from chatbot.errors import OptionError
from chatbot.text.tokenizer import EOS

CHECKPOINTS = "checkpoints"
"""The folder that a checkpoint's name is looked up in, unless CHATBOT_CHECKPOINTS names another."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question or reply, with character offsets into the text as typed or printed.

    Args:
        turn: what it is of: 0 the question or the reply itself, -1 the turn before the question, and so on.
    """

    text: str
    start: int
    end: int
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Attention:
    """How much each reply word looked at each word of the question and of the turns before it, oldest first.

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
        history: the turns before it of which something was read, oldest first; the oldest maybe in part.
            ``history[-1]`` is turn -1 of the attention's words.
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
    history: tuple[str, ...] = ()


class ReplyStream:
    """A reply that is being said: an iterator of its text, piece by piece, and at the end the Reply.

    Pieces are whole characters, none is taken back, and joined they are ``reply.text``. Leaving it before its
    end stops the search.
    """

    def __init__(self, parts: Iterator[str | Reply]) -> None:
        self._parts = parts
        self._reply: Reply | None = None

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._reply is None:
            part = next(self._parts)
            if isinstance(part, str):
                return part
            self._reply = part
        raise StopIteration

    @property
    def reply(self) -> Reply:
        """The whole reply; what has not been said yet is said first."""
        for _ in self:
            pass
        assert self._reply is not None
        return self._reply


class Chatbot:
    """A trained bot. Several threads may ask it at once.

    Args:
        name: of its checkpoint.
        answering: the checkpoint's tokenizer and engine.
        options: how replies are searched for unless a call says otherwise.
    """

    def __init__(self, name: str, answering: Answering, options: DecodingOptions) -> None:
        self.name = name
        self.options = options
        self._answering = answering

    @classmethod
    def load(cls, checkpoint: str | Path | None = None, device: str = "auto") -> Chatbot:
        """A bot from a checkpoint.

        Args:
            checkpoint: its folder, or, as text, its name under ``checkpoints/`` (or under the folder that
                CHATBOT_CHECKPOINTS names); None: the newest complete one there, else the starter.
            device: auto, cpu, cuda or mps.

        Raises:
            CheckpointError: there is none, or it is not complete and undamaged.
            OptionError: the device is not there.
        """
        if not isinstance(checkpoint, Path):
            checkpoint = find(checkpoint, Path(os.environ.get("CHATBOT_CHECKPOINTS") or CHECKPOINTS))
        found = load(checkpoint)
        from chatbot.engines.loading import load_engine

        config, tokenizer = found.config, found.tokenizer()
        engine = load_engine(found, tokenizer.vocab, device)
        answering = Answering.of(config, tokenizer, engine, found.context)
        return cls(found.name, answering, config.decoding)

    @property
    def context(self) -> int:
        """How many of the turns before a question it reads, as it was trained to."""
        return self._answering.context

    @property
    def reads_history(self) -> bool:
        """Whether the turns before a question can change its replies."""
        return self.context > 0

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
            history: the turns before it, oldest first, questions and replies in turn, so that the last is a
                reply; the last ``context`` of them are read, and none by a bot trained on single questions.
            options: how to search; the checkpoint's way, ``self.options``, when None.
            candidates: how many of the best replies to name, at most the beam.

        Raises:
            OptionError: an option out of its range, no candidates asked for or more than the beam holds.
        """
        return self.replies([text], options, candidates, [history])[0]

    def replies(
        self,
        texts: Sequence[str],
        options: DecodingOptions | None = None,
        candidates: int = 1,
        histories: Sequence[Sequence[str]] = (),
        attention: bool = True,
    ) -> list[Reply]:
        """Answer many questions, each as ``reply`` would, in batches.

        Args:
            histories: the turns before each of them; () where there are none.
            attention: say what was looked at; replies come sooner where that is not asked for.

        Raises:
            OptionError: as for ``reply``, or there are not as many histories as questions.
        """
        if candidates < 1:
            raise OptionError("candidates", f"is {candidates}", "it must be at least 1")
        if histories and len(histories) != len(texts):
            what = f"{len(histories)} for {len(texts)} questions"
            raise OptionError("histories", what, "give one for each question, or none at all")
        wanted = options or self.options
        check_options("decoding", wanted)
        answers = self._answering.answers(texts, wanted, candidates, histories)
        return [self._reply(text, answer, attention) for text, answer in zip(texts, answers, strict=True)]

    def stream(
        self, text: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> ReplyStream:
        """Answer one question, each piece of the reply as soon as it is certain.

        Args:
            text, history: as for ``reply``.
            options: how to search; the checkpoint's way with a beam of 1 when None.

        Raises:
            OptionError: an option out of its range, or a beam, which may change its mind to the end.
        """
        wanted = options or replace(self.options, beam=1)
        check_options("decoding", wanted)
        if wanted.beam > 1:
            what = f"a beam of {wanted.beam} settles no word before the last"
            raise OptionError("stream", what, "set beam to 1, or ask for the whole reply")
        return ReplyStream(self._parts(text, self._answering.stream(text, wanted, history)))

    def _parts(self, question: str, pieces: Iterator[str | Answer]) -> Iterator[str | Reply]:
        for piece in pieces:
            yield piece if isinstance(piece, str) else self._reply(question, piece)

    def _reply(self, question: str, answer: Answer, attends: bool = True) -> Reply:
        if not answer.source:
            return Reply(question, "")
        text, best = answer.ranked[0]
        source = answer.source
        named = tuple(Candidate(said, hypothesis.score) for said, hypothesis in answer.ranked)
        shown = attends and self._answering.attends
        attention = self._attention(question, source, best) if shown else None
        return Reply(question, text, best.score, False, source.truncated, named, attention, source.history)

    def _attention(self, question: str, read: Source, hypothesis: Hypothesis) -> Attention:
        """Weights between words; only words of which the model read something are columns."""
        from chatbot.text.words import assign, merge_weights, read_words, word_spans  # not loaded in vain

        ended = hypothesis.tokens[-1:] == (EOS,)
        said = hypothesis.tokens[:-1] if ended else hypothesis.tokens
        decoded = self._answering.tokenizer.decode_with_offsets(said, read.words)
        text = decoded.text.strip()
        shift = len(decoded.text) - len(decoded.text.lstrip())
        pieces = [(max(0, start - shift), max(0, end - shift)) for start, end in decoded.offsets]
        reply = read_words(pieces, word_spans(text))
        source, owners = _source_words(question, read)
        weights = hypothesis.weights
        rows = merge_weights(weights[: len(said)], assign(pieces, reply), owners, len(reply), len(source))
        end = merge_weights(weights[len(said) :], [0] * ended, owners, int(ended), len(source))
        return Attention(
            source,
            _words(text, reply),
            tuple(tuple(row) for row in rows.tolist()),
            tuple(end[0].tolist()) if ended else (),
        )


def _source_words(question: str, read: Source) -> tuple[tuple[Word, ...], list[int]]:
    """The words that were read, oldest turn first, and for each token the place of its word or -1."""
    from chatbot.text.words import assign, read_words, word_spans

    turns = (*read.history, question)
    words: list[Word] = []
    owners: list[int] = []
    for turn, text in enumerate(turns, start=1 - len(turns)):
        pieces = [(place.start, place.end) for place in read.places if place.turn == turn]
        spans = read_words(pieces, word_spans(text))
        owners += [owner + len(words) if owner >= 0 else -1 for owner in assign(pieces, spans)]
        words += _words(text, spans, turn)
    return tuple(words), owners


def _words(text: str, spans: Sequence[tuple[int, int]], turn: int = 0) -> tuple[Word, ...]:
    return tuple(Word(text[start:end], start, end, turn) for start, end in spans)
