"""The table of options that do not go together, row by row."""

from __future__ import annotations

from typing import Any

import pytest

from chatbot.cli.conflicts import CONTRADICTIONS, NEEDS, OFF, check_given, check_kept, check_resolved
from chatbot.config import Config, DecodingOptions, option_field
from chatbot.errors import OptionError

VALUES: dict[str, Any] = {
    "greedy": True,
    "sample": True,
    "beam": 4,
    "beam_groups": 2,
    "diversity": 0.5,
    "prune": 1.5,
    "must": ("yes",),
    "temperature": 0.7,
    "top_k": 5,
    "top_p": 0.9,
    "min_p": 0.1,
    "typical": 0.9,
    "length_penalty": 1.0,
    "anti_lm": 0.5,
    "anti_lm_tokens": 5,
    "focus_weight": 30.0,
    "reverse_model": True,
}
PAIRS = [(one, other) for one, others in CONTRADICTIONS for other in others]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_contradiction_is_told_with_both_names(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        with pytest.raises(OptionError) as refusal:
            check_given({first: VALUES[first], second: VALUES[second]})
        for name in (one, other):
            assert "--" + name.replace("_", "-") in str(refusal.value)
        assert refusal.value.exit_code == 2


@pytest.mark.parametrize("name", VALUES)
def test_each_of_them_alone_contradicts_nothing(name: str) -> None:
    check_given({name: VALUES[name]})


@pytest.mark.parametrize("name", OFF)
def test_values_that_ask_for_nothing_contradict_nothing(name: str) -> None:
    check_given({"greedy": True, name: OFF[name]})
    check_resolved({name: OFF[name]}, DecodingOptions(beam=1))
    assert option_field("decoding", name).default == OFF[name]


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.name)
def test_option_without_what_it_needs_is_told(need: Any) -> None:
    without = [
        DecodingOptions(**changes)
        for changes in (
            {},
            {"beam": 1},
            {"search": "sample"},
            {"normalize": "average"},
            {"beam_groups": 2},
            {"anti_lm": 0.0},
            {"focus": ("tired",)},
        )
    ]
    unmet = [options for options in without if not need.met(options)]
    assert unmet
    assert len(unmet) < len(without)
    for options in unmet:
        with pytest.raises(OptionError, match="--" + need.name.replace("_", "-")):
            check_resolved({need.name: VALUES[need.name]}, options)
        check_resolved({}, options)  # a checkpoint's own is no wish


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"bidi": 0.5}, "--bidi 0.5: says what a reverse model counts; add --reverse-model"),
        ({"min_tokens": 5, "max_tokens": 4}, "--min-tokens 5: is above --max-tokens 4"),
        (
            {"never": ("Yes Sir",), "must": ("no", "yes  sir!")},
            "--must: 'yes  sir!' holds what --never forbids",
        ),
        ({"never": ("well",), "begin": "Well, so"}, "--begin: 'Well, so' holds what --never forbids"),
    ],
)
def test_values_that_contradict_each_other_are_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check_given(given)


def test_values_that_fit_are_no_conflict() -> None:
    check_given({"min_tokens": 5, "max_tokens": 0})
    check_given({"min_tokens": 4, "max_tokens": 4})
    check_given({"never": ("yes",), "must": ("yesterday",), "begin": "Ye s"})
    check_resolved({"beam_groups": 2, "diversity": 1.0}, DecodingOptions(beam=4, beam_groups=2))


def test_groups_must_share_the_beam_evenly() -> None:
    with pytest.raises(OptionError, match="--beam-groups: 3 groups do not share --beam 4 evenly"):
        check_resolved({}, DecodingOptions(beam=4, beam_groups=3))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"beam": 4, "beam_groups": 3}, "--beam-groups"),
        ({"min_tokens": 25}, "--min-tokens: is 25, but replies have at most 24 tokens"),
        ({"min_tokens": 9, "max_tokens": 8}, "--min-tokens: is 9, but replies have at most 8 tokens"),
        ({"must": ["hello"]}, "--must"),
        ({"begin": "Well"}, "--begin"),
    ],
)
def test_what_a_checkpoint_could_not_search_by_is_not_kept(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check_kept(Config().replace(options).decoding, 24)
    check_kept(DecodingOptions(min_tokens=24, never=("no",)), 24)
