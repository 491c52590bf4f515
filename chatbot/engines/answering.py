"""Answering: text questions through an engine to ranked replies, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chatbot.config import COPYING, Config, DecodingOptions
from chatbot.decoding.engine import Engine
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.planning import Planner, ReplyModel, no_model
from chatbot.engines.reversing import Reversed
from chatbot.errors import OptionError
from chatbot.text.extension import Extended, extend
from chatbot.text.tokenizer import Encoded, Tokenizer

BATCH = 64
"""Questions searched for together."""

SPARE = 4
"""Further hypotheses asked for, since two may read alike."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one question.

    Args:
        offsets: character ranges of the question's tokens that were read.
        truncated: the question has more tokens; only its last ones were read.
        ranked: different texts, best first, each with its hypothesis; () where nothing was asked.
        words: of the question, that the vocabulary lacks and the hypotheses may hold, see ``Extended``.
    """

    offsets: tuple[tuple[int, int], ...] = ()
    truncated: bool = False
    ranked: tuple[tuple[str, Hypothesis], ...] = ()
    words: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The best reply."""
        return self.ranked[0][0] if self.ranked else ""


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answers text.

    Args:
        tokenizer, engine: of the same checkpoint.
        max_src: of a longer question the last so many tokens are read.
        max_tgt: longest reply in tokens, unless the options say otherwise.
        extends: the engine can say words of a question that the vocabulary lacks.
        attends: the weights of the engine mean something.
        replies: gives the language model of the checkpoint's replies, where it has one.
        reversed_model: has the last word in the order of replies.
    """

    tokenizer: Tokenizer
    engine: Engine
    max_src: int
    max_tgt: int
    extends: bool = False
    attends: bool = True
    replies: ReplyModel = no_model
    reversed_model: Reversed | None = None
    _planner: Planner = field(default_factory=Planner, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        config: Config,
        tokenizer: Tokenizer,
        engine: Engine,
        replies: ReplyModel = no_model,
        reversed_model: Reversed | None = None,
    ) -> Answering:
        """With the lengths and the output of a configuration."""
        extends, attends = config.model.output in COPYING, config.model.attention != "none"
        lengths = config.text.max_src, config.text.max_tgt
        return cls(tokenizer, engine, *lengths, extends, attends, replies, reversed_model)

    def check(self, options: DecodingOptions) -> None:
        """Refuse options that this model cannot search by.

        Raises:
            OptionError: a word it cannot say, a beam too narrow, lengths that contradict each other.
        """
        self._planner.plan(self.tokenizer, options, options.max_tokens or self.max_tgt, (), ())
        if options.coverage_penalty and not self.attends:
            raise OptionError("--coverage-penalty", "this checkpoint has no attention", "leave it out")

    def check_anti_lm(self) -> None:
        """Refuse to work against dull replies where nothing is known of them.

        Raises:
            OptionError: the checkpoint has no language model of replies.
        """
        if self.replies() is None:
            what = "this checkpoint has no language model of its replies"
            raise OptionError("--anti-lm", what, "leave it out, or train anew")

    def answers(self, texts: Sequence[str], options: DecodingOptions, n_best: int = 1) -> list[Answer]:
        """An answer to each text, whatever it is batched with.

        Args:
            n_best: how many different replies to look for, at most ``options.most_candidates``.

        Raises:
            OptionError: the model cannot be searched so.
        """
        found: list[Answer] = []
        for start in range(0, len(texts), BATCH):
            found += self._batch(texts[start : start + BATCH], options, n_best)
        return found

    def _batch(self, texts: Sequence[str], options: DecodingOptions, n_best: int) -> list[Answer]:
        encoded = [self.tokenizer.encode(text, src=True) for text in texts]
        asked = [row for row, question in enumerate(encoded) if question.ids]
        answers = [Answer()] * len(encoded)
        if not asked:
            return answers
        read = [self._read(texts[row], encoded[row]) for row in asked]
        longest = options.max_tokens or self.max_tgt
        plan = self._planner.plan(
            self.tokenizer, options, longest, [texts[row] for row in asked], read, self.replies
        )
        wide = n_best if self.reversed_model is None else max(n_best, options.beam)
        found = plan.find(self.engine, plan.spare(wide, SPARE))
        replies = []
        for question, hypotheses in zip(read, found, strict=True):
            ranked = self._ranked([hypothesis.within(longest) for hypothesis in hypotheses], question.words)
            replies.append(tuple(entry for entry in ranked if not plan.wording.forbids(entry[0])))
        if self.reversed_model is not None:
            alone = [texts[row] for row in asked]
            replies = self.reversed_model.rerank(alone, replies, options.bidi, options.length_penalty)
        for row, question, ranked in zip(asked, read, replies, strict=True):
            cut = len(question.ids) < len(encoded[row].ids)
            answers[row] = Answer(question.offsets, cut, ranked[:n_best], question.words)
        return answers

    def _read(self, text: str, encoded: Encoded) -> Extended:
        """What is read of a question."""
        read = encoded.last(self.max_src)
        return extend(self.tokenizer, text, read) if self.extends else Extended(read.ids, read.offsets)

    def _ranked(
        self, hypotheses: Sequence[Hypothesis], words: Sequence[str]
    ) -> tuple[tuple[str, Hypothesis], ...]:
        """Hypotheses that read alike count once, the best one; silent ones come last."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            texts.setdefault(self.tokenizer.decode(hypothesis.tokens, words).strip(), hypothesis)
        return tuple(sorted(texts.items(), key=lambda item: not item[0]))
