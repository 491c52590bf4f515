from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from chatbot.comparison.outcome import Results
from chatbot.comparison.table import folded, result_lines

FIGURES = ("3.210", "1,234.6", "4.50", "0.321", "12,346", "1.23M", "0.432", "2,000")


def shown(results: Results, columns: int) -> list[str]:
    return [line.text for line in result_lines(results, columns)]


@pytest.mark.parametrize("columns", [20, 40, 79, 80, 200])
def test_no_line_is_wider_than_the_terminal_and_no_figure_is_lost(results: Results, columns: int) -> None:
    lines = shown(results, columns)
    assert max(cell_len(line) for line in lines) <= columns
    text = "".join("".join(lines).split())
    for part in (
        *FIGURES,
        "failed: model: no | such pair; take another",
        "[很好]",
        "how are / you | really?",
    ):
        assert "".join(part.split()) in text


def test_wide_terminal_shows_a_table_with_aligned_columns(results: Results) -> None:
    heading, additive, none, ntm, *_ = shown(results, 80)
    assert " ".join(heading.split()) == "variant loss perpl. BLEU dist-2 words/s params entropy steps"
    assert additive.split() == ["additive-lstm", *FIGURES]
    assert none.split() == ["none-lstm", "4.000", "0.00", "0.000", "812", "7"]
    assert len(heading) == len(additive) == len(none)
    assert ntm == "ntm            failed: model: no | such pair; take another"
    assert [line.heading for line in result_lines(results, 80)][:4] == [True, False, False, False]


def test_narrow_terminal_shows_a_line_a_figure(results: Results) -> None:
    lines = shown(results, 40)
    assert lines[:3] == [
        "additive-lstm",
        "  loss, nats per token        3.210",
        "  perplexity per word         1,234.6",
    ]
    assert "  entropy of attention        0.432" in lines
    assert lines.count("  BLEU                        0.00") == 1
    assert not any(line.startswith("variant") for line in lines)


def test_long_label_takes_several_lines(results: Results) -> None:
    label = "additive-previous-bidirectional-lstm-layers-4"
    first = replace(results.outcomes[0], label=label)
    lines = shown(replace(results, outcomes=(first, *results.outcomes[1:])), 80)
    rows = lines[1 : lines.index(next(line for line in lines if line.startswith("none-lstm")))]
    assert len(rows) > 1
    assert "".join(row.split("  ")[0] for row in rows) == label
    assert rows[0].split()[1:] == list(FIGURES)


def test_control_codes_do_not_reach_the_terminal(results: Results) -> None:
    bad = replace(results.outcomes[0], label="a\x1b[2J", replies=("x\x07\ny", "\u202ez"))
    text = "\n".join(shown(replace(results, outcomes=(bad,)), 80))
    assert not set(text) & set("\x1b\x07\u202e")


def test_nothing_that_worked_is_told_all_the_same(results: Results) -> None:
    lines = shown(replace(results, outcomes=results.outcomes[2:]), 80)
    assert lines[1].startswith("ntm      failed: model:")


@given(st.text("ab -你好😀", max_size=60), st.integers(2, 20))
def test_folded_lines_fit_and_lose_nothing_but_spaces(text: str, columns: int) -> None:
    lines = folded(text, columns)
    assert all(cell_len(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
