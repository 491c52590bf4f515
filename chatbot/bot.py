"""Chatbot: text in, Reply out. The library's front door."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from chatbot.checkpoint import load
from chatbot.config import DecodingOptions
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.answering import Answer, Answering
from chatbot.errors import OptionError
from chatbot.text.tokenizer import EOS
from chatbot.text.words import assign, merge_weights, read_words, word_spans
from chatbot.trust.fallback import fallback_text
from chatbot.trust.stored import Trust
from chatbot.trust.why import Why


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
        fallback: the reply is the fallback text, not the model's: its own was not sure enough, or the
            question has no word that the bot ever met. ``candidates`` still are the model's; in the second
            case, in which it was not asked, there are none.
        truncated: the question was longer than the model reads; only its end was read.
        candidates: the n best, the chosen one first.
        attention: None where the model has none (``--attention none``) or said nothing that is given.
        confidence: the probability that the model's reply is a good one; None where the checkpoint cannot
            tell, or the model was not asked.
        why: where the reply comes from, where that was asked for.
    """

    question: str
    text: str
    score: float = 0.0
    fallback: bool = False
    truncated: bool = False
    candidates: tuple[Candidate, ...] = ()
    attention: Attention | None = None
    confidence: float | None = None
    why: Why | None = None


class Chatbot:
    """A trained bot.

    Args:
        name: of its checkpoint.
        answering: the checkpoint's tokenizer and engine.
        options: how replies are searched for unless a call says otherwise.
        attends: whether the weights of the engine mean anything.
        trust: what its checkpoint knows of words, confidence and training pairs.
    """

    reads_history = False
    """Pairs are trained on as single questions, so earlier turns are not read."""

    def __init__(
        self,
        name: str,
        answering: Answering,
        options: DecodingOptions,
        attends: bool = True,
        trust: Trust | None = None,
    ) -> None:
        self.name = name
        self.options = options
        self._answering = answering
        self._attends = attends
        self._trust = trust or Trust()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | Path, device: str = "auto") -> Chatbot:
        """A bot from a checkpoint folder.

        Args:
            device: auto, cpu, cuda or mps.

        Raises:
            CheckpointError: the folder is no complete, undamaged checkpoint.
            OptionError: the device is not there.
        """
        from chatbot.engines.loading import load_engine

        checkpoint = load(Path(path))
        config, tokenizer = checkpoint.config, checkpoint.tokenizer()
        trust = Trust.of(checkpoint)
        answering = Answering.of(config, tokenizer, load_engine(checkpoint, tokenizer.vocab, device))
        return cls(checkpoint.name, answering, config.decoding, config.model.attention != "none", trust)

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
        why: int | None = None,
    ) -> Reply:
        """Answer one question.

        Args:
            text: the question; a blank one gets a blank reply.
            history: the turns before it, oldest first; a bot trained on single questions reads none.
            options: how to search; the checkpoint's way when None.
            candidates: how many of the best replies to name, at most the beam.
            why: how many of the nearest training pairs to name; None: nothing of where it comes from.

        Raises:
            OptionError: no candidates asked for, or more than the beam holds; see also ``check``.
        """
        found = self.replies([text], options, candidates)[0]
        return found if why is None else self.explained(found, why)

    def replies(
        self, texts: Sequence[str], options: DecodingOptions | None = None, candidates: int = 1
    ) -> list[Reply]:
        """Answer many questions, each as ``reply`` would, in batches."""
        if candidates < 1:
            raise OptionError("candidates", f"is {candidates}", "it must be at least 1")
        chosen = options or self.options
        self.check(chosen)
        strange = [self._is_strange(text, chosen) for text in texts]
        asked = [text for text, unmet in zip(texts, strange, strict=True) if not unmet]
        with self._lock:
            answers = iter(self._answering.answers(asked, chosen, candidates))
        return [
            Reply(text, self._fallback(chosen), fallback=True)
            if unmet
            else self._sure(self._reply(text, next(answers)), chosen)
            for text, unmet in zip(texts, strange, strict=True)
        ]

    def explained(self, reply: Reply, pairs: int) -> Reply:
        """The reply with where it comes from, see ``Why``.

        Args:
            pairs: how many of the nearest training pairs to name; there are none in a checkpoint that was
                trained with ``--why 0``.
        """
        index, seen, found = self._trust.index, self._trust.seen, []
        if index is not None and pairs and reply.question.strip():
            with self._lock:
                vector = self._answering.vectors([reply.question])
            found = index.nearest(vector[0], pairs) if vector.size else []
        met = seen.is_reply(reply.text) if seen is not None else None
        verbatim = False if reply.fallback or not reply.text else met
        return replace(reply, why=Why(tuple(found), verbatim))

    def check(self, options: DecodingOptions) -> None:
        """Whether this bot can answer in a way.

        Raises:
            OptionError: a threshold or a fallback is wanted that its checkpoint has nothing for.
        """
        if options.threshold and self._trust.confidence is None:
            what = f"the checkpoint {self.name} does not know how sure its replies are"
            remedy = "leave it out, or train with more held-out pairs (--validation)"
            raise OptionError("--threshold", what, remedy)
        if options.fallback and self._trust.seen is None and self._trust.confidence is None:
            what = f"nothing in the checkpoint {self.name} leads to it"
            raise OptionError("--fallback", what, "leave it out, or train again")

    def _is_strange(self, question: str, options: DecodingOptions) -> bool:
        return not options.guess and self._trust.is_strange(question)

    def _fallback(self, options: DecodingOptions) -> str:
        return options.fallback or self._neutral

    @cached_property
    def _neutral(self) -> str:
        return fallback_text(self._answering.tokenizer)

    def _sure(self, reply: Reply, options: DecodingOptions) -> Reply:
        """The reply, or the fallback where it is not sure enough."""
        if reply.confidence is None or reply.confidence >= options.threshold:
            return reply
        return replace(reply, text=self._fallback(options), fallback=True, attention=None)

    def _confidence(self, question: str, answer: Answer) -> float | None:
        confidence, seen = self._trust.confidence, self._trust.seen
        if confidence is None:
            return None
        return confidence.of(answer.found, seen.known(question) if seen is not None else 1.0)

    def _reply(self, question: str, answer: Answer) -> Reply:
        if not answer.ranked:
            return Reply(question, "")
        text, best = answer.ranked[0]
        named = tuple(Candidate(said, hypothesis.score) for said, hypothesis in answer.ranked)
        attention = self._attention(question, answer, best) if self._attends else None
        sure = self._confidence(question, answer)
        return Reply(question, text, best.score, False, answer.truncated, named, attention, sure)

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
