from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import pyte
import pytest
from rich.console import Console
from wcwidth import wcswidth

from chatbot.cli import progress
from chatbot.cli.progress import View, note, show
from chatbot.training.events import (
    Evaluated,
    Event,
    Finished,
    Looked,
    Prepared,
    Reported,
    Sampled,
    Saved,
    Stepped,
    Warned,
)

ROW = {"pairs": 1234, "perplexity": 80.04, "ngram_perplexity": 160.0, "ratio": 0.5, "loss": 1.0}
PART = {"kept": 9, "too_long": 2, "empty": 1, "cut": 0}
WIDE = "今天天气很好😀，我们去公园散步吧。" * 8
SUMMARY: dict[str, Any] = {
    "cleaning": {
        "conversations": 1500, "turns": 3000, "one_turn": 3, "blank": 0,
        "duplicates": 7, "capped": 5, "echo": 0, "kept": 1490,
    },
    "corpora": {"[red]聊天.tsv": {"train": PART, "valid": PART}},
    "mix": [{"name": "[red]聊天.tsv", "times": 2.5, "train": 1400, "valid": 90}],
    "replies": {"distinct1": 0.25, "distinct2": 0.5, "commonest": [["[bold]ok", 0.125]]},
    "vocab": 4096,
}  # fmt: skip
REPORT: dict[str, Any] = {
    "corpora": {"[red]聊天.tsv": ROW},
    "all": ROW,
    "attention": {
        "pairs": 1000,
        "tokens": 9000,
        "entropy": 0.5,
        "heaviest": 0.6,
        "moved": 0.1,
        "mass": 0.7,
        "gain": 0.2,
        "gauges": {},
    },
    "ngram_order": 3,
    "held_out": True,
    "variety": {"questions": 90, "distinct1": 0.2, "distinct2": 0.4, "commonest": [["ok", 0.1]]},
    "confidence": {"pairs": 9, "missing": "9 held-out pairs are too few"},
}


def stepped(step: int, done: float = 0.5) -> Stepped:
    return Stepped(step, done, 1.25, 2.0 + step, 0.001, 1.0, 100, 10.0 + step)


EVENTS: list[Event] = [
    Warned(0, "odd\x1b[2Jinput"),
    Prepared(0, SUMMARY),
    stepped(1),
    stepped(2),
    Evaluated(2, 3.0, 250.5, True, {"[red]聊天.tsv": 250.5}),
    Looked(2, 0.618, 0.409, 0.2849, 0.71, 0.3141, {"centre": 0.4}),
    Sampled(2, ((WIDE, "ok [link]"), ("x" * 300, ""), ("", "\x07"))),
    Saved(2, "resume"),
    Finished(2, "done", 2, 3725.0),
    Reported(2, REPORT),
    Saved(2, "bot"),
]


def drawn(
    events: list[Event], width: int = 80, quiet: bool = False, terminal: bool = False
) -> tuple[bool, str]:
    """What is drawn on a console of some width, and whether the run counts as interrupted."""
    out = io.StringIO()
    console = Console(file=out, width=width, height=24, force_terminal=terminal, color_system=None)
    interrupted = show(iter(events), quiet, console)
    return interrupted, out.getvalue()


def test_plain_display_is_lines_without_a_control_code() -> None:
    interrupted, text = drawn(EVENTS)
    assert not interrupted
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)
    for part in (
        "reading the corpora ...",
        "Note: odd\\x1b[2Jinput",
        "1,500 conversations, 3,000 turns: 1,490 pairs; left out 7 duplicates, 5 over the reply cap",
        "[red]聊天.tsv x 2.5: 1,400 pairs to train on, 90 held out; left out 4 replies too long, 2 empty",
        'the commonest is "[bold]ok", 12.5% of them',
        "vocabulary: 4,096 tokens",
        " 50% step 2, epoch 1.2, loss 3.500, 100 words/s, 0:12 left; validation: perplexity per word 250.5 "
        "([red]聊天.tsv 250.5), the best so far",
        "attention: entropy 0.62 of uniform, heaviest token 41%, moved 28%, mass 71%, centre 0.40; "
        "the question saves 0.31 nats a token\n",
        "    -> ok [link]",
        "done after 2 steps, 1:02:05; best weights of step 2",
        "80.0",
        "attention: entropy 0.50 of uniform, heaviest token 60%, moved 10%, mass 70%; the question saves",
    ):
        assert part in text, part


def test_plain_lines_are_not_wrapped_whatever_the_width() -> None:
    long = [line for line in drawn(EVENTS, width=40)[1].splitlines() if "validation:" in line]
    assert len(long) == 1
    assert long[0].endswith("the best so far")


def test_quiet_display_draws_nothing() -> None:
    for terminal in (False, True):
        assert drawn(EVENTS, quiet=True, terminal=terminal) == (False, "")


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("terminal", [False, True])
def test_interruption_is_told_to_the_caller(quiet: bool, terminal: bool) -> None:
    events = [stepped(1), Finished(1, "interrupted", -1, 1.0)]
    interrupted, text = drawn(events, quiet=quiet, terminal=terminal)
    assert interrupted
    assert quiet or "interrupted after 1 steps, 0:01; no validation yet" in text


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_live_display_keeps_within_the_terminal(width: int) -> None:
    _, text = drawn(EVENTS, width=width, terminal=True)
    assert "\x1b" in text
    for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n").splitlines():
        assert wcswidth(line) <= width, line


def test_live_display_shows_where_the_run_is() -> None:
    view = View(Console(file=io.StringIO(), width=60))
    console = Console(file=io.StringIO(), width=60, color_system=None)

    def frame() -> str:
        with console.capture() as captured:
            console.print(view.render())
        return captured.get()

    assert frame() == "reading the corpora ...\n"
    for event in EVENTS[:7]:
        view.take(event)
    lines = [line.strip() for line in frame().splitlines()]
    assert re.fullmatch("━+[╸╺]?", lines[0])
    assert lines[1].startswith("50% step 2")
    assert [line for line in lines if line.startswith(("validation", "attention", "-> ok [link]"))] == [
        "validation: perplexity per word 250.5 ([red]聊天.tsv 250.5),",
        "attention: entropy 0.62, heaviest 41%, moved 28%, question",
        "-> ok [link]",
    ]


def test_note_stays_above_the_live_display() -> None:
    out = io.StringIO()
    console = Console(file=out, width=40, height=24, force_terminal=True, color_system=None)

    def noted() -> Iterator[Event]:
        yield stepped(1)
        note(console, "saving\x07" + " words" * 10)
        yield Finished(1, "interrupted", 1, 1.0)

    show(noted(), False, console)
    screen = pyte.Screen(40, 24)
    pyte.Stream(screen).feed(out.getvalue().replace("\n", "\r\n"))
    lines = [line.rstrip() for line in screen.display if line.strip()]
    assert lines[0].startswith("Note: saving\\x07 words")
    assert " ".join(lines[2:]) == "interrupted after 1 steps, 0:01; best weights of step 1"


@pytest.mark.parametrize("terminal", [False, True])
def test_error_of_the_run_passes_through_and_leaves_the_terminal_as_it_was(terminal: bool) -> None:
    def broken() -> Iterator[Event]:
        yield stepped(1)
        raise KeyboardInterrupt

    out = io.StringIO()
    console = Console(file=out, width=40, force_terminal=terminal)
    with pytest.raises(KeyboardInterrupt):
        show(broken(), False, console)
    assert out.getvalue().rfind("\x1b[?25h") >= out.getvalue().rfind("\x1b[?25l")  # the cursor is back


def test_steps_are_told_now_and_then_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 4))  # seconds; each event is looked at once
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    text = drawn([stepped(n) for n in range(1, 21)])[1]
    told = [int(n) for n in re.findall(r"step (\d+)", text)]
    assert 3 <= len(told) <= 5


def test_first_step_has_no_rate_and_no_time_left() -> None:
    view = View(Console(file=io.StringIO()))
    view.take(stepped(1, done=0.0))
    (line,) = view.plain(Evaluated(1, 3.0, float("inf"), False, {"a": float("nan")}))
    assert str(line).startswith(
        "  0% step 1, epoch 1.2, loss 3.000, 0 words/s; validation: perplexity per word inf"
    )


@pytest.mark.parametrize("reason", ["done", "early stop", "interrupted", "diverged"])
def test_every_ending_has_its_words(reason: str) -> None:
    assert (
        "after 1,200 steps, 0:02; best weights of step 1,100" in drawn([Finished(1200, reason, 1100, 2.4)])[1]
    )


def test_network_without_attention_shows_what_the_question_is_worth() -> None:
    event = Looked(1, None, None, None, None, 0.25, {})
    view = View(Console(file=io.StringIO(), width=80))
    view.take(stepped(1))
    (line,) = view.plain(event)
    assert str(line) == "attention: the question saves 0.25 nats a token"
    view.take(event)
    console = Console(file=io.StringIO(), width=80, color_system=None)
    with console.capture() as captured:
        console.print(view.render())
    assert captured.get().splitlines()[-1] == "attention: question saves 0.25 nats"


def test_nothing_measured_of_attention_is_no_line() -> None:
    console = Console(file=io.StringIO())
    event, view = Looked(1, None, None, None, None, None, {}), View(console)
    assert [*view.take(stepped(1)), *view.take(event), *view.plain(event)] == []
    console.print(view.render())
    assert "attention" not in console.file.getvalue()  # type: ignore[attr-defined]


def test_sum_is_shown_where_there_are_several_corpora() -> None:
    one, two = (
        drawn([Reported(1, REPORT | {"corpora": corpora})])[1]
        for corpora in ({"a": ROW}, {"a": ROW, "b": ROW})
    )
    assert "all" not in one
    assert "all" in two


def test_names_of_corpora_are_text_not_markup() -> None:
    assert "[red]聊天.tsv" in drawn([Reported(1, REPORT)])[1]


@pytest.mark.parametrize(("held_out", "words"), [(True, "held out"), (False, "on the training pairs")])
def test_table_says_what_was_measured_on(held_out: bool, words: str) -> None:
    assert f"Perplexity per word, {words}" in drawn([Reported(1, REPORT | {"held_out": held_out})])[1]
