from __future__ import annotations

import pytest

from chatbot.cli.optional import filled

ALONE = {"--attention": "words"}


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["--attention"], ["--attention=words"]),
        (["--attention", "starter"], ["--attention=words", "starter"]),
        (["--attention", "strip"], ["--attention=words", "strip"]),
        (["--attention=strip", "x"], ["--attention=strip", "x"]),
        (["--question", "--attention", "--attention"], ["--question", "--attention", "--attention=words"]),
        (["--question", "--question", "--attention"], ["--question", "--question", "--attention=words"]),
        (["--question=a", "--attention"], ["--question=a", "--attention=words"]),
        (["--", "--attention"], ["--", "--attention"]),
        (["--question", "--", "--attention"], ["--question", "--", "--attention=words"]),
        ([], []),
    ],
)
def test_value_is_filled_in_where_the_option_stands_alone(args: list[str], wanted: list[str]) -> None:
    assert filled(args, ALONE, {"--question"}) == wanted
