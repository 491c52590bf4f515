from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from chatbot.display.width import cut, fitted, width

SCRIPTS = st.text("ab é你好吗😀привет…", max_size=12)


@given(SCRIPTS)
def test_width_agrees_with_another_library(text: str) -> None:
    assert width(text) == cell_len(text)


@given(SCRIPTS, st.integers(1, 15))
def test_fitted_text_takes_just_so_many_columns(text: str, columns: int) -> None:
    assert cell_len(fitted(text, columns)) == columns


@pytest.mark.parametrize(
    ("text", "columns", "left"),
    [
        ("hello", 5, "hello"),
        ("hello", 4, "hel…"),
        ("你好吗", 5, "你好…"),
        ("你好吗", 4, "你…"),
        ("👨\u200d👩x", 2, "…"),
    ],
)
def test_cut_keeps_the_beginning(text: str, columns: int, left: str) -> None:
    assert cut(text, columns) == left
