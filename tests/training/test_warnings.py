from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.training.events import Warned
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun

MakeRequest = Callable[..., Request]


def told(request: Request) -> list[str]:
    """The warnings before the first step."""
    found: list[str] = []
    for event in TrainingRun(request).events():
        if event.step:
            break
        found += [event.text] if isinstance(event, Warned) else []
    return found


def test_replies_a_pointer_cannot_say_are_counted(make_request: MakeRequest, tmp_path: Path) -> None:
    request = make_request(output="pointer", tokenizer="words")
    (tmp_path / "talk.tsv").write_text(
        "".join(f"say {n} please\t{n} please\n" for n in range(40))
        + "".join(f"and {n}\tsurely {n}\n" for n in range(7))
    )
    wanted = "7 of 47 replies have a word that their question lacks"
    assert any(wanted in warning for warning in told(request))


@pytest.mark.parametrize(("vocabulary", "warned"), [(300, False), (4096, True)])
def test_copying_with_no_unknown_word_is_warned_of(
    make_request: MakeRequest, tmp_path: Path, vocabulary: int, warned: bool
) -> None:
    options: dict[str, Any] = {"output": "pointer-generator", "tokenizer": "words", "vocabulary": vocabulary}
    request = make_request(**options)
    (tmp_path / "talk.tsv").write_text("".join(f"i am name{n}\thi name{n}\n" for n in range(500)))
    assert any("lower --vocabulary" in warning for warning in told(request)) == warned
