"""Planning: how replies to some questions are searched for, from options and texts to numbers and ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chatbot.config import BEAM, SAMPLE, DecodingOptions
from chatbot.decoding.beam import Beam
from chatbot.decoding.dullness import AntiLanguageModel
from chatbot.decoding.engine import Engine
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.language_model import BackOff
from chatbot.decoding.limits import Limits
from chatbot.decoding.sampling import Sampling
from chatbot.decoding.terms import NoQuoting, Prior, Rule, Terms
from chatbot.engines.reading import Source
from chatbot.engines.wording import Wording, wording
from chatbot.errors import OptionError
from chatbot.text.tokenizer import Tokenizer

ReplyModel = Callable[[], BackOff | None]
"""Gives the language model of a checkpoint's replies, where it has one."""

Way = Greedy | Beam | Sampling


def no_model() -> BackOff | None:
    """For a checkpoint without a language model of replies."""
    return None


@dataclass(frozen=True, slots=True)
class Plan:
    """One search.

    Args:
        sources: the questions' ids.
        most: the most replies to one question.
    """

    sources: tuple[tuple[int, ...], ...]
    way: Way
    terms: Terms
    wording: Wording
    most: int

    def find(self, engine: Engine, n_best: int) -> list[list[Hypothesis]]:
        """The hypotheses for each question.

        Raises:
            OptionError: no reply holds what must be said.
        """
        found = self.way.find(engine, self.sources, self.terms, n_best)
        if not all(found):
            what = "no reply that holds all of them was found"
            raise OptionError("--must", what, "ask for fewer words, or for longer replies")
        return found

    def step_by_step(self) -> Greedy | Sampling:
        """The way, of options by which each token is certain as soon as it is found."""
        assert not isinstance(self.way, Beam)
        return self.way

    def spare(self, n_best: int, spare: int) -> int:
        """How many hypotheses to ask for, since two may read alike.

        A single sample has no other beside it that it could read like, and more of them cost more.
        """
        if isinstance(self.way, Sampling) and n_best == 1:
            return 1
        return max(n_best, min(self.most, n_best + spare))


class Planner:
    """Makes plans; the words of the options it saw last are kept."""

    def __init__(self) -> None:
        self._last: tuple[object, Wording] | None = None

    def plan(
        self,
        tokenizer: Tokenizer,
        options: DecodingOptions,
        longest: int,
        sources: Sequence[Source],
        never: tuple[int, ...],
        replies: ReplyModel = no_model,
    ) -> Plan:
        """The plan for some questions.

        Args:
            longest: most tokens of a reply.
            sources: what is read of them.
            never: tokens no reply holds.
            replies: gives the language model of replies; called only where one is wanted.

        Raises:
            OptionError: the options contradict each other, or name what the model cannot say.
        """
        words = self._wording(tokenizer, options)
        rules = words.rules([source.words for source in sources])
        if options.block_source_ngram:
            rules = (*rules, _no_quoting(tokenizer, options.block_source_ngram, sources))
        ids = tuple(source.ids for source in sources)
        terms = replace(
            _terms(options, longest, words, rules, never), prior=_prior(tokenizer, options, replies)
        )
        return Plan(ids, _way(options, words), terms, words, options.most_candidates)

    def _wording(self, tokenizer: Tokenizer, options: DecodingOptions) -> Wording:
        key = (options.never, options.must, options.begin, options.block_ngram)
        if self._last is None or self._last[0] != key:
            self._last = key, wording(tokenizer, options)
        return self._last[1]


def _prior(tokenizer: Tokenizer, options: DecodingOptions, replies: ReplyModel) -> Prior | None:
    """What makes dull replies less welcome; a draw by chance is not dull."""
    model = replies() if options.anti_lm and options.search == BEAM else None
    if model is None:
        return None
    return AntiLanguageModel(model, options.anti_lm, options.anti_lm_tokens, tokenizer.inside_words)


def _terms(
    options: DecodingOptions, longest: int, words: Wording, rules: tuple[Rule, ...], never: tuple[int, ...]
) -> Terms:
    """Raises OptionError where a reply has no room for what is asked of it."""
    # A draw that ends at once would be no reply; a search has others to choose from.
    shortest = max(options.min_tokens, int(options.search == SAMPLE))
    if shortest > longest:
        what = f"is {shortest}, but replies have at most {longest} tokens"
        raise OptionError("--min-tokens", what, "lower it, or raise --max-tokens")
    for flag, tokens in (
        ("--begin", len(words.begin)),
        ("--must", words.demands.pieces if words.demands else 0),
    ):
        if tokens and tokens >= longest + (flag == "--must"):
            what = f"takes {tokens} tokens, but replies have at most {longest}"
            raise OptionError(flag, what, "say less, or raise --max-tokens")
    limits = Limits(
        longest + 1,  # EOS counts there, and not here
        options.length_penalty,
        options.block_ngram,
        never,
        min_length=shortest,
        normalize=options.normalize,
        coverage_penalty=options.coverage_penalty,
        repetition_penalty=options.repetition_penalty,
    )
    return Terms(limits, words.begin, rules)


def _way(options: DecodingOptions, words: Wording) -> Way:
    if options.search == SAMPLE:
        if words.demands is not None:
            raise OptionError("--must", "contradicts --sample", "give one of them")
        return Sampling(
            options.temperature,
            options.top_k,
            options.top_p,
            options.min_p,
            options.typical,
            options.sample_seed,
        )
    if words.demands is not None and options.beam <= words.demands.pieces:
        wide = words.demands.pieces + 1
        what = f"takes {wide - 1} tokens and so a beam of {wide}, and --beam is {options.beam}"
        raise OptionError("--must", what, f"set --beam {wide} or more")
    if options.beam == 1:
        return Greedy()
    return Beam(options.beam, options.beam_groups, options.diversity, options.prune, words.demands)


def _no_quoting(tokenizer: Tokenizer, ngram: int, sources: Sequence[Source]) -> NoQuoting:
    """The question as it was read, all of it so, and as a reply would spell it: with its capital letters."""
    quotes = [
        (source.ids, tokenizer.encode(source.text, src=True).ids, tokenizer.encode(source.text).ids)
        for source in sources
    ]
    return NoQuoting(quotes, ngram)
