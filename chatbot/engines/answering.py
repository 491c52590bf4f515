"""Answering: text questions through an engine to ranked replies, in batches or token by token."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chatbot.config import COPYING, Config, DecodingOptions
from chatbot.decoding.engine import BOS, PAD, UNK, Engine
from chatbot.decoding.forced import forced
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.search import Said, stream
from chatbot.engines.focus import Focused, can_focus
from chatbot.engines.planning import Plan, Planner, ReplyModel, no_model
from chatbot.engines.reading import Reader, Source
from chatbot.engines.reversing import Reversed
from chatbot.errors import OptionError
from chatbot.text.extension import extended_reply
from chatbot.text.tokenizer import EOS, Tokenizer

BATCH = 64
"""Questions searched for together."""

UNSAID = (PAD, UNK, BOS)
"""Tokens that say nothing."""

SPARE = 4
"""Further hypotheses asked for, since two may read alike."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one question.

    Args:
        source: what was read; None where nothing was asked.
        ranked: different texts, best first, each with its hypothesis; () where nothing was asked.
        found: all different texts that were found, best first; ``ranked`` are the first of them.
    """

    source: Source | None = None
    ranked: tuple[tuple[str, Hypothesis], ...] = ()
    found: tuple[tuple[str, Hypothesis], ...] = ()

    @property
    def text(self) -> str:
        """The best reply."""
        return self.ranked[0][0] if self.ranked else ""

    @property
    def words(self) -> tuple[str, ...]:
        """What the hypotheses' ids beyond the vocabulary spell."""
        return self.source.words if self.source else ()


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answers text. Several threads may ask it at once.

    Args:
        tokenizer, engine: of the same checkpoint.
        max_src: of a longer question the last so many tokens are read.
        max_tgt: longest reply in tokens, unless the options say otherwise.
        extends: the engine can say words of a question that the vocabulary lacks.
        context: so many of the turns before a question are read.
        attends: what the engine says a token looked at means something.
        replies: gives the language model of the checkpoint's replies, where it has one.
        reversed_model: has the last word in the order of replies.
    """

    tokenizer: Tokenizer
    engine: Engine
    max_src: int
    max_tgt: int
    extends: bool = False
    context: int = 0
    attends: bool = True
    replies: ReplyModel = no_model
    reversed_model: Reversed | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """Held while the engine computes: a batch of a search, or a step of a stream."""
    _planner: Planner = field(default_factory=Planner, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        config: Config,
        tokenizer: Tokenizer,
        engine: Engine,
        turns: int | None = None,
        replies: ReplyModel = no_model,
        reversed_model: Reversed | None = None,
    ) -> Answering:
        """With the lengths and the output of a configuration.

        Args:
            turns: the context it was trained with; None: what the configuration says.
            replies, reversed_model: see the class.
        """
        extends = config.model.output in COPYING
        context = config.data.context if turns is None else turns
        attends = config.model.attention != "none"
        lengths = config.text.max_src, config.text.max_tgt
        return cls(tokenizer, engine, *lengths, extends, context, attends, replies, reversed_model)

    @property
    def reader(self) -> Reader:
        """What makes ids of questions."""
        return Reader(self.tokenizer, self.max_src, self.extends, self.context)

    def answers(
        self,
        texts: Sequence[str],
        options: DecodingOptions,
        n_best: int = 1,
        histories: Sequence[Sequence[str]] = (),
    ) -> list[Answer]:
        """An answer to each text, whatever it is batched with: those of like length are, as they pad least.

        Args:
            n_best: how many different replies to look for, at most ``options.most_candidates``.
            histories: the turns before each text, oldest first; () where there are none.

        Raises:
            OptionError: the options ask for what this checkpoint has not, or contradict each other.
        """
        self.check(options)
        reader = self.reader
        read = [reader.read(*asked) for asked in zip(texts, histories or [()] * len(texts), strict=True)]
        found = [Answer()] * len(read)
        asked = [(row, source) for row, source in enumerate(read) if source]
        asked.sort(key=lambda each: len(each[1].ids))
        for start in range(0, len(asked), BATCH):
            batch = asked[start : start + BATCH]
            answers = self._batch([source for _, source in batch], options, n_best)
            for (row, _), answer in zip(batch, answers, strict=True):
                found[row] = answer
        return found

    def given(
        self, text: str, reply: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Answer:
        """A given reply to a text, as if the model had said it; without words in one of the two, none.

        Args:
            options: where more is looked (``focus``); nothing else of them concerns a given reply.
        """
        if options is not None:
            self._check_focus(options)
        source = self.reader.read(text, history)
        said = self._said(reply, source.words) if source else []
        if not (source and said):
            return Answer()
        engine = self.engine if options is None else self._looking(options, [source])
        with self._lock:
            (hypothesis,) = forced(engine, [source.ids], [[*said, EOS]])
        return Answer(source, ((reply, hypothesis),))

    def _said(self, reply: str, words: Sequence[str]) -> list[int]:
        if self.extends:
            return extended_reply(self.tokenizer, reply, words)
        return list(self.tokenizer.encode(reply).ids)

    def stream(
        self, text: str, options: DecodingOptions, history: Sequence[str] = ()
    ) -> Iterator[str | Answer]:
        """The reply piece by piece while it is decoded, none of which is taken back; at last the answer.

        The pieces are whole characters, and joined they are the answer's text.

        Raises:
            OptionError: the options ask for what this checkpoint has not.
        """
        self.check(options)
        source = self.reader.read(text, history)
        if not source:
            yield Answer()
            return
        longest = options.max_tokens or self.max_tgt
        plan = self._plan(options, [source], _never(options, source))
        steps = stream(self._looking(options, [source]), source.ids, plan.terms, plan.step_by_step())
        said: list[int] = []
        shown = ""
        while not isinstance(step := self._next(steps), Hypothesis):
            said.append(_named(step.token, step.weights, source))
            # White space at the end may be the reply's end, where it is left out.
            if len(said) <= longest and (so_far := self._text(said, source)) != shown:
                yield so_far[len(shown) :]
                shown = so_far
        hypothesis = _with_names(step.within(longest), source)
        found = ((self._text(hypothesis.tokens, source), hypothesis),)
        yield Answer(source, found, found)

    def vectors(self, texts: Sequence[str], histories: Sequence[Sequence[str]] = ()) -> NDArray[np.float32]:
        """What the engine makes of each text, and the turns before it, as a whole; of a blank one, 0.

        Shapes: [texts, size]
        """
        read = [self.reader.read(*asked) for asked in zip(texts, histories or [()] * len(texts), strict=True)]
        asked = [row for row, source in enumerate(read) if source]
        ids = [source.ids for source in read if source]
        with self._lock:
            parts = [self.engine.vectors(ids[start : start + BATCH]) for start in range(0, len(ids), BATCH)]
        found = np.zeros((len(texts), parts[0].shape[1] if parts else 0), dtype=np.float32)
        if parts:
            found[asked] = np.concatenate(parts)
        return found

    def _next(self, steps: Iterator[Said | Hypothesis]) -> Said | Hypothesis:
        with self._lock:
            return next(steps)

    def check(self, options: DecodingOptions) -> None:
        """Refuse options that this model cannot search by.

        Raises:
            OptionError: a word it cannot say, a beam too narrow, lengths that contradict each other, a part
                it has not.
        """
        self._plan(options, (), UNSAID)
        if options.coverage_penalty and not self.attends:
            raise OptionError("--coverage-penalty", "this checkpoint has no attention", "leave it out")
        self._check_focus(options)
        if options.unknown == "avoid":
            return
        remedy = "leave --unknown out"
        if self.tokenizer.kind != "words" or self.extends:
            raise OptionError("--unknown", "this checkpoint can say every word already", remedy)
        if not self.attends:
            raise OptionError("--unknown", "this checkpoint has no attention to look a word up by", remedy)

    def _check_focus(self, options: DecodingOptions) -> None:
        if not options.focus:
            return
        if not self.attends:
            raise OptionError("--focus", "this checkpoint has no attention to draw anywhere", "leave it out")
        if not can_focus(self.engine):
            what = (
                "the ONNX graphs of this checkpoint cannot be told where to look: an older version wrote them"
            )
            raise OptionError("--focus", what, "chatbot checkpoint export NAME writes them anew")

    def _looking(self, options: DecodingOptions, sources: Sequence[Source]) -> Engine:
        """The engine, with its attention drawn to the words that the options name."""
        return Focused.on(self.engine, sources, options.focus, options.focus_weight)

    def check_anti_lm(self) -> None:
        """Refuse to work against dull replies where nothing is known of them.

        Raises:
            OptionError: the checkpoint has no language model of replies.
        """
        if self.replies() is None:
            what = "this checkpoint has no language model of its replies"
            raise OptionError("--anti-lm", what, "leave it out, or train anew")

    def _batch(self, sources: Sequence[Source], options: DecodingOptions, n_best: int) -> list[Answer]:
        longest = options.max_tokens or self.max_tgt
        parts: dict[tuple[int, ...], list[int]] = {}
        for row, source in enumerate(sources):
            parts.setdefault(_never(options, source), []).append(row)
        answers: dict[int, Answer] = {}
        for never, rows in parts.items():
            asked = [sources[row] for row in rows]
            plan = self._plan(options, asked, never)
            wide = n_best if self.reversed_model is None else max(n_best, options.beam)
            replies = []
            with self._lock:
                found = plan.find(self._looking(options, asked), plan.spare(wide, SPARE))
            for row, hypotheses in zip(rows, found, strict=True):
                cut = [hypothesis.within(longest) for hypothesis in hypotheses]
                ranked = self._ranked(cut, sources[row])
                replies.append(tuple(entry for entry in ranked if not plan.wording.forbids(entry[0])))
            if self.reversed_model is not None:
                questions = [source.question for source in asked]
                with self._lock:
                    replies = self.reversed_model.rerank(
                        questions, replies, options.bidi, options.length_penalty
                    )
            for row, kept in zip(rows, replies, strict=True):
                answers[row] = Answer(sources[row], kept[:n_best], kept)
        return [answers[row] for row in range(len(sources))]

    def _plan(self, options: DecodingOptions, sources: Sequence[Source], never: tuple[int, ...]) -> Plan:
        longest = options.max_tokens or self.max_tgt
        return self._planner.plan(self.tokenizer, options, longest, sources, never, self.replies)

    def _ranked(self, hypotheses: Sequence[Hypothesis], source: Source) -> tuple[tuple[str, Hypothesis], ...]:
        """Hypotheses that read alike count once, the best one; silent ones come last."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            named = _with_names(hypothesis, source)
            texts.setdefault(self._text(named.tokens, source), named)
        return tuple(sorted(texts.items(), key=lambda item: not item[0]))

    def _text(self, tokens: Sequence[int], source: Source) -> str:
        return self.tokenizer.decode(tokens, source.words).strip()


def _never(options: DecodingOptions, source: Source) -> tuple[int, ...]:
    """What no reply to a source holds: UNK neither, unless a word of the source can stand for it."""
    return (PAD, BOS) if options.unknown == "attended" and source.unknown else UNSAID


def _with_names(hypothesis: Hypothesis, source: Source) -> Hypothesis:
    """The same reply with a word of the source wherever it says that it knows none."""
    if UNK not in hypothesis.tokens:
        return hypothesis
    said = zip(hypothesis.tokens, hypothesis.weights, strict=True)
    return dataclasses.replace(hypothesis, tokens=tuple(_named(*each, source) for each in said))


def _named(token: int, weights: NDArray[np.float32], source: Source) -> int:
    """A token, or for UNK the id of the word outside the vocabulary that it looked at most.

    Source: Luong et al. 2015, "Addressing the Rare Word Problem in Neural Machine Translation", section 3;
    Jean et al. 2015 choose the word by attention.
    """
    if token != UNK or not source.unknown:
        return token
    return max(source.unknown, key=lambda each: float(weights[each[0]]))[1]
