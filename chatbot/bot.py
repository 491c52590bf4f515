"""Chatbot: text in, Reply out. The library's front door."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.checkpoint import find, load
from chatbot.config import DecodingOptions, check_options
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.answering import Answer, Answering
from chatbot.engines.reading import Source
from chatbot.errors import CheckpointError, OptionError
from chatbot.reply import Attention, Candidate, Reply, ReplyStream, attention_between, attention_of
from chatbot.trust.fallback import fallback_text
from chatbot.trust.stored import Trust
from chatbot.trust.why import Why

CHECKPOINTS = "checkpoints"
"""The folder that a checkpoint's name is looked up in, unless CHATBOT_CHECKPOINTS names another."""

if TYPE_CHECKING:
    from chatbot.engines.gaze import Gaze


class Chatbot:
    """A trained bot. Several threads may ask it at once.

    Args:
        name: of its checkpoint.
        answering: the checkpoint's tokenizer and engine.
        options: how replies are searched for unless a call says otherwise.
        trust: what its checkpoint knows of words, confidence and training pairs.
        fingerprint: of the checkpoint, see ``Checkpoint.fingerprint``.
    """

    def __init__(
        self,
        name: str,
        answering: Answering,
        options: DecodingOptions,
        trust: Trust | None = None,
        fingerprint: str = "",
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.options = options
        self._answering = answering
        self._trust = trust or Trust()

    @classmethod
    def load(
        cls,
        checkpoint: str | Path | None = None,
        device: str = "auto",
        reverse: Path | None = None,
        *,
        layer: int = 0,
        head: int = 0,
    ) -> Chatbot:
        """A bot from a checkpoint.

        Args:
            checkpoint: its folder, or, as text, its name under ``checkpoints/`` (or under the folder that
                CHATBOT_CHECKPOINTS names); None: the newest complete one there, else the starter.
            device: auto, cpu, cuda or mps.
            reverse: folder of a checkpoint of ``train --reverse``, which has the last word in the order of
                replies.
            layer, head: which of several attentions ``Reply.attention`` shows, counted from 1; 0 is the last
                layer, and the mean over the heads.

        Raises:
            CheckpointError: there is none, it is not complete and undamaged, or one is of the other kind.
            OptionError: the device, the layer or the head is not there.
        """
        if not isinstance(checkpoint, Path):
            checkpoint = find(checkpoint, Path(os.environ.get("CHATBOT_CHECKPOINTS") or CHECKPOINTS))
        found = load(checkpoint)
        from chatbot.engines.loading import load_engine, load_reversed

        config, tokenizer = found.config, found.tokenizer()
        if config.training.reverse:
            what = "guesses questions from replies, and nobody can talk with it"
            raise CheckpointError(str(checkpoint), what, "name another, and give this one as --reverse-model")
        gaze = _gaze(found.name, config.model.attention != "none", layer, head)
        engine = load_engine(found, tokenizer.vocab, device, gaze)
        answering = Answering.of(
            config,
            tokenizer,
            engine,
            found.context,
            functools.cache(lambda: found.reply_model(tokenizer.vocab)),
            None if reverse is None else load_reversed(reverse, device),
        )
        return cls(found.name, answering, config.decoding, Trust.of(found), found.fingerprint)

    @property
    def context(self) -> int:
        """How many of the turns before a question it reads, as it was trained to."""
        return self._answering.context

    @property
    def reads_history(self) -> bool:
        """Whether the turns before a question can change its replies."""
        return self.context > 0

    def check(self, options: DecodingOptions) -> None:
        """Refuse a way to answer that this bot cannot.

        Raises:
            OptionError: it cannot search so, or a threshold or a fallback is wanted that its checkpoint has
                nothing for.
        """
        own = self.options
        if options.anti_lm and (options.anti_lm, options.anti_lm_tokens) != (own.anti_lm, own.anti_lm_tokens):
            self._answering.check_anti_lm()
        self._answering.check(options)
        if options.threshold and self._trust.confidence is None:
            what = f"the checkpoint {self.name} does not know how sure its replies are"
            remedy = "leave it out, or train with more held-out pairs (--validation)"
            raise OptionError("--threshold", what, remedy)
        if options.fallback and self._trust.seen is None and self._trust.confidence is None:
            what = f"nothing in the checkpoint {self.name} leads to it"
            raise OptionError("--fallback", what, "leave it out, or train again")

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
            history: the turns before it, oldest first, questions and replies in turn, so that the last is a
                reply; the last ``context`` of them are read, and none by a bot trained on single questions.
            options: how to search; the checkpoint's way, ``self.options``, when None.
            candidates: how many of the best replies to name, at most the beam.
            why: how many of the nearest training pairs to name; None: nothing of where it comes from.

        Raises:
            OptionError: an option out of its range, no candidates asked for or more than the beam holds; see
                also ``check``.
        """
        found = self.replies([text], options, candidates, [history])[0]
        return found if why is None else self.explained(found, why)

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
        self.check(wanted)
        strange = [self._is_strange(text, wanted) for text in texts]
        turns = histories or [()] * len(texts)
        asked = [
            (text, before) for text, before, unmet in zip(texts, turns, strange, strict=True) if not unmet
        ]
        answers = iter(
            self._answering.answers(
                [text for text, _ in asked], wanted, candidates, [before for _, before in asked]
            )
        )
        return [
            self._beyond(text, wanted)
            if unmet
            else self._sure(self._reply(text, next(answers), attention), wanted)
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
            vector = self._answering.vectors([reply.question], [reply.history])
            found = index.nearest(vector[0], pairs) if vector.size else []
        met = seen.is_reply(reply.text) if seen is not None else None
        verbatim = False if reply.fallback or not reply.text else met
        return replace(reply, why=Why(tuple(found), verbatim))

    def _is_strange(self, question: str, options: DecodingOptions) -> bool:
        return not options.guess and self._trust.is_strange(question)

    def _beyond(self, question: str, options: DecodingOptions) -> Reply:
        """What is said to a question of words never met."""
        return Reply(question, self._fallback(options), fallback=True)

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

    def stream(
        self, text: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> ReplyStream:
        """Answer one question, each piece of the reply as soon as it is certain.

        Args:
            text, history: as for ``reply``.
            options: how to search; the checkpoint's way, greedily where that is a beam, when None.

        Raises:
            OptionError: an option out of its range, or a beam, which may change its mind to the end.
        """
        wanted = options or stepwise(self.options)
        check_options("decoding", wanted)
        if not wanted.settles:
            what = "no word is certain before the last by a beam, or with a threshold"
            raise OptionError(
                "stream", what, "set beam to 1 or sample, threshold to 0, or ask for the whole reply"
            )
        if self._is_strange(text, wanted):
            return ReplyStream(self._unmet(text, wanted))
        self.check(wanted)
        return ReplyStream(self._parts(text, self._answering.stream(text, wanted, history)))

    def _unmet(self, question: str, options: DecodingOptions) -> Iterator[str | Reply]:
        reply = self._beyond(question, options)
        yield reply.text
        yield reply

    def _parts(self, question: str, pieces: Iterator[str | Answer]) -> Iterator[str | Reply]:
        for piece in pieces:
            yield piece if isinstance(piece, str) else self._reply(question, piece)

    def given(
        self, text: str, reply: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Reply:
        """A reply somebody else gives, with what the model would have looked at while saying it.

        Its score is its log-probability, the end included, in nats.

        Args:
            text, history: as for ``reply``.
            options: whose ``focus`` says where more is looked; nothing else of them counts.

        Raises:
            OptionError: there is nothing in the question or in the reply, or a focus is not possible.
        """
        answer = self._answering.given(text, reply, history, options)
        if not answer.source:
            raise OptionError("reply", "a given reply and its question must have words", "give both")
        _, hypothesis = answer.ranked[0]
        pieces = [*self._answering.tokenizer.encode(reply).offsets]
        source, attention = answer.source, None
        if self._answering.attends:
            attention = attention_between(text, source, reply, pieces, hypothesis)
        return Reply(text, reply, hypothesis.score, False, source.truncated, (), attention, source.history)

    def _reply(self, question: str, answer: Answer, attends: bool = True) -> Reply:
        if not answer.source or not answer.ranked:
            return Reply(question, "")
        text, best = answer.ranked[0]
        source = answer.source
        named = tuple(Candidate(said, hypothesis.score) for said, hypothesis in answer.ranked)
        shown = attends and self._answering.attends
        attention = self._attention(question, source, best) if shown else None
        sure = self._confidence(question, answer)
        cut = source.truncated
        return Reply(question, text, best.score, False, cut, named, attention, source.history, sure)

    def _attention(self, question: str, read: Source, hypothesis: Hypothesis) -> Attention:
        """What the words of a reply that the model said looked at."""
        return attention_of(self._answering.tokenizer, question, read, hypothesis)


def stepwise(options: DecodingOptions) -> DecodingOptions:
    """The same way to search with no beam and no threshold, so that each token is settled as it comes."""
    return replace(options, beam=1, beam_groups=1, prune=0.0, threshold=0.0)


def _gaze(name: str, attends: bool, layer: int, head: int) -> Gaze | None:
    """The attention to show, or None for the usual one, which any engine can tell."""
    if not (layer or head):
        return None
    if not attends:
        raise OptionError(name, "has no attention, so no layer or head of it", "choose another checkpoint")
    from chatbot.engines.gaze import Gaze

    return Gaze(layer, head)
