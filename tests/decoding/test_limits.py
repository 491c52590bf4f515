from __future__ import annotations

import math

import pytest

from chatbot.decoding.hypothesis import length_penalty
from chatbot.decoding.limits import Limits, check_widths
from chatbot.errors import OptionError


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"max_length": 0}, "max_length"),
        ({"max_length": 3, "length_penalty": -0.1}, "length_penalty"),
        ({"max_length": 3, "length_penalty": math.nan}, "length_penalty"),
        ({"max_length": 3, "length_penalty": math.inf}, "length_penalty"),
        ({"max_length": 3, "block_ngram": -1}, "block_ngram"),
    ],
)
def test_limits_out_of_range_are_refused_by_name(options, name):
    with pytest.raises(OptionError, match=name) as refusal:
        Limits(**options)
    assert refusal.value.exit_code == 2


def test_check_widths_takes_as_many_replies_as_the_beam_holds():
    check_widths(3, 3)
    with pytest.raises(OptionError, match="4 replies asked of a beam of 3"):
        check_widths(3, 4)


def test_score_divides_by_the_published_penalty():
    # Wu et al. 2016, equation 14: (5 + 7) / (5 + 1) = 2 for a reply of seven tokens.
    assert Limits(9, 1.0).score(-3.0, 7) == -1.5
    assert Limits(9, 2.0).score(-3.0, 7) == -0.75
    assert Limits(9, 0.0).score(-3.0, 7) == -3.0
    assert length_penalty(1, 0.6) == 1.0
