"""Chatbot: text in, Reply out. The library's front door."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.checkpoint import load
from chatbot.config import DecodingOptions
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.answering import Answer, Answering
from chatbot.errors import OptionError
from chatbot.text.tokenizer import EOS
from chatbot.text.words import assign, merge_weights, read_words, word_spans

if TYPE_CHECKING:
    from chatbot.engines.gaze import Gaze


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
        fingerprint: of the checkpoint, see ``Checkpoint.fingerprint``.
    """

    reads_history = False
    """Pairs are trained on as single questions, so earlier turns are not read."""

    def __init__(
        self,
        name: str,
        answering: Answering,
        options: DecodingOptions,
        attends: bool = True,
        fingerprint: str = "",
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.options = options
        self._answering = answering
        self._attends = attends
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | Path, device: str = "auto", *, layer: int = 0, head: int = 0) -> Chatbot:
        """A bot from a checkpoint folder.

        Args:
            device: auto, cpu, cuda or mps.
            layer, head: which of several attentions ``Reply.attention`` shows, counted from 1; 0 is the last
                layer, and the mean over the heads.

        Raises:
            CheckpointError: the folder is no complete, undamaged checkpoint.
            OptionError: the device, the layer or the head is not there.
        """
        from chatbot.engines.loading import load_engine

        checkpoint = load(Path(path))
        config, tokenizer = checkpoint.config, checkpoint.tokenizer()
        attends = config.model.attention != "none"
        gaze = _gaze(checkpoint.name, attends, layer, head)
        answering = Answering.of(config, tokenizer, load_engine(checkpoint, tokenizer.vocab, device, gaze))
        return cls(checkpoint.name, answering, config.decoding, attends, checkpoint.fingerprint)

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

    def given(self, text: str, reply: str) -> Reply:
        """A reply somebody else gives, with what the model would have looked at while saying it.

        Its score is its log-probability, the end included, in nats.

        Raises:
            OptionError: there is nothing in the question or in the reply.
        """
        with self._lock:
            answer = self._answering.given(text, reply)
        if not answer.ranked:
            raise OptionError("reply", "a given reply and its question must have words", "give both")
        _, hypothesis = answer.ranked[0]
        pieces = [*self._answering.tokenizer.encode(reply).offsets]
        attention = self._between(text, answer, reply, pieces, hypothesis) if self._attends else None
        return Reply(text, reply, hypothesis.score, False, answer.truncated, (), attention)

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
        return self._between(question, answer, text, pieces, hypothesis)

    def _between(
        self, question: str, answer: Answer, text: str, pieces: list[tuple[int, int]], hypothesis: Hypothesis
    ) -> Attention:
        """Args: pieces: character ranges in ``text`` of the hypothesis' tokens, without its end."""
        ended = len(hypothesis.tokens) > len(pieces)
        source, reply = read_words(answer.offsets, word_spans(question)), read_words(pieces, word_spans(text))
        owners = assign(answer.offsets, source)
        weights = hypothesis.weights
        rows = merge_weights(weights[: len(pieces)], assign(pieces, reply), owners, len(reply), len(source))
        end = merge_weights(weights[len(pieces) :], [0] * ended, owners, int(ended), len(source))
        return Attention(
            _words(question, source),
            _words(text, reply),
            tuple(tuple(row) for row in rows.tolist()),
            tuple(end[0].tolist()) if ended else (),
        )


def _gaze(name: str, attends: bool, layer: int, head: int) -> Gaze | None:
    """The attention to show, or None for the usual one, which any engine can tell."""
    if not (layer or head):
        return None
    if not attends:
        raise OptionError(name, "has no attention, so no layer or head of it", "choose another checkpoint")
    from chatbot.engines.gaze import Gaze

    return Gaze(layer, head)


def _words(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Word, ...]:
    return tuple(Word(text[start:end], start, end) for start, end in spans)
