"""Conflicts: ways to search that were asked for and do not go together, refused and never ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from chatbot.cli.options import option_name
from chatbot.config import BEAM, SAMPLE, DecodingOptions
from chatbot.errors import OptionError

OF_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "typical")
OF_SEARCHES = ("anti_lm", "anti_lm_tokens")
OF_BEAMS = ("beam_groups", "diversity", "prune", "must")

CONTRADICTIONS = (
    ("greedy", ("beam", "sample", *OF_SAMPLING, *OF_BEAMS, "reverse_model")),
    ("sample", ("beam", *OF_SEARCHES, *OF_BEAMS, "reverse_model")),
    ("must", ("beam_groups", "diversity", "prune")),
    ("beam", OF_SAMPLING),
)
"""A way, and those that mean something else."""

OFF: Mapping[str, Any] = {"beam_groups": 1, "prune": 0.0}
"""Values that ask for nothing."""


class Need(NamedTuple):
    """What an option has no say without."""

    name: str
    met: Callable[[DecodingOptions], bool]
    what: str
    remedy: str


NEEDS = (
    *(
        Need(name, lambda options: options.search == SAMPLE, "says how to sample", "add --sample")
        for name in OF_SAMPLING
    ),
    *(
        Need(
            name,
            lambda options: options.search == BEAM and options.beam > 1,
            "is for a beam wider than 1",
            "set --beam",
        )
        for name in OF_BEAMS
    ),
    *(
        Need(name, lambda options: options.search == BEAM, "is not for --sample", "leave it out")
        for name in OF_SEARCHES
    ),
    Need(
        "reverse_model",
        lambda options: options.search == BEAM and options.beam > 1,
        "chooses among several replies",
        "set --beam",
    ),
    Need("anti_lm_tokens", lambda options: options.anti_lm > 0, "has no say without it", "add --anti-lm"),
    Need("focus_weight", lambda options: bool(options.focus), "has no say without it", "add --focus"),
    Need(
        "diversity",
        lambda options: options.beam_groups > 1,
        "is what groups lose to each other",
        "add --beam-groups",
    ),
    Need(
        "length_penalty",
        lambda options: options.normalize == "wu",
        "is not part of --normalize average",
        "give one of them",
    ),
)


def check_given(given: Mapping[str, Any]) -> None:
    """Refuse options that contradict each other, whatever the checkpoint.

    Args:
        given: those that were given, by name, "greedy" and "sample" among them; their values.

    Raises:
        OptionError: two of them.
    """
    asked = [name for name, value in given.items() if OFF.get(name) != value]
    for one, others in CONTRADICTIONS:
        for other in others:
            if one in asked and other in asked:
                raise OptionError(
                    _shown(one, given), f"contradicts {_shown(other, given)}", "give one of them"
                )
    if given.get("min_tokens", 0) > given.get("max_tokens", 0) > 0:
        shown = _shown("max_tokens", given)
        raise OptionError(_shown("min_tokens", given), f"is above {shown}", "lower one or raise the other")
    if "bidi" in given and "reverse_model" not in given:
        raise OptionError(_shown("bidi", given), "says what a reverse model counts", "add --reverse-model")
    _check_words(given)


def check_resolved(given: Mapping[str, Any], options: DecodingOptions) -> None:
    """Refuse options that have no say beside the checkpoint's own, and numbers that do not fit.

    Args:
        given: as for ``check_given``.
        options: the checkpoint's, with those given.

    Raises:
        OptionError: one of them, or two.
    """
    for name, met, what, remedy in NEEDS:
        if name in given and OFF.get(name) != given[name] and not met(options):
            raise OptionError(_shown(name, given), what, remedy)
    if options.search == BEAM and options.beam % options.beam_groups:
        what = f"{options.beam_groups} groups do not share --beam {options.beam} evenly"
        raise OptionError("--beam-groups", what, "let the beam be a multiple of them")
    if options.must and options.search == SAMPLE:
        raise OptionError("--must", "is for a beam wider than 1", "set --beam")


def check_kept(options: DecodingOptions, max_tgt: int) -> None:
    """Refuse a way to search that a checkpoint is to keep and could not search by.

    Args:
        max_tgt: its longest reply in tokens, where the options do not say.

    Raises:
        OptionError: numbers that do not fit, or words that are asked of every reply.
    """
    check_resolved({}, options)
    longest = options.max_tokens or max_tgt
    if options.min_tokens > longest:
        what = f"is {options.min_tokens}, but replies have at most {longest} tokens"
        raise OptionError("--min-tokens", what, "lower it")
    for flag, words in (
        ("--must", options.must),
        ("--begin", options.begin),
        ("--focus", options.focus),
    ):
        if words:
            raise OptionError(flag, "is no habit of a checkpoint", f"give it to chatbot chat: {flag}")


def _check_words(given: Mapping[str, Any]) -> None:
    if not given.get("never"):
        return
    from chatbot.text.phrases import Phrases

    phrases = Phrases(given["never"])
    begin = given.get("begin")
    for flag, text in (*(("--must", text) for text in given.get("must", ())), ("--begin", begin or "")):
        if phrases.held(text):
            raise OptionError(flag, f"{text!r} holds what --never forbids", "give one of them")


def _shown(name: str, given: Mapping[str, Any]) -> str:
    """An option as typed."""
    if name in ("greedy", "sample", "reverse_model"):
        return f"--{name}".replace("_", "-")
    value = given[name]
    text = value[0] if isinstance(value, tuple) else f"{value:g}" if isinstance(value, float) else value
    return f"{option_name('decoding', name)} {text}"
