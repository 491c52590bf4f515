from __future__ import annotations

from typing import Any

import pytest
from prompt_toolkit.history import InMemoryHistory
from rich.cells import cell_len

GREETING = 2
"""Lines the greeting takes at 40 columns."""

CTRL_C, LEFT, UP = "\x03", "\x1b[D", "\x1b[A"


def test_greeting_names_checkpoint_and_help(terminal: Any) -> None:
    shown = " ".join(terminal.type(""))
    assert "echo" in shown
    assert "/help" in shown


def test_quiet_conversation_shows_replies_alone(terminal: Any) -> None:
    assert terminal.type("hi\r", quiet=True) == ["bot: re hi"]


def test_control_d_ends_the_conversation(terminal: Any) -> None:
    assert len(terminal.type("")) == GREETING


def test_questions_are_answered_in_order(terminal: Any) -> None:
    assert terminal.type("one\rtwo\r")[GREETING:] == ["bot: re one", "bot: re two"]


def test_why_stands_under_each_reply(terminal: Any) -> None:
    terminal.talk.shown.why = 1
    shown = [line.rstrip() for line in terminal.type("hi\r", quiet=True)]
    assert shown == [
        "bot: re hi",
        "  word for word a reply of the training",
        "  data",
        "   0.50  like hi  ->  so",
    ]


def test_blank_line_is_not_asked(terminal: Any) -> None:
    terminal.type("\r   \rhi\r")
    assert terminal.bot.questions == ["hi"]


@pytest.mark.parametrize("word", ["q", "quit", "exit", "help"])
def test_word_without_a_slash_is_a_question(word: str, terminal: Any) -> None:
    terminal.type(f"{word}\r")
    assert terminal.bot.questions == [word]


def test_arrow_keys_edit_the_line(terminal: Any) -> None:
    terminal.type(f"ac{LEFT}b\r")
    assert terminal.bot.questions == ["abc"]


def test_backspace_takes_a_whole_wide_character(terminal: Any) -> None:
    terminal.type("你好吗\x7f\r")
    assert terminal.bot.questions == ["你好"]


def test_up_brings_back_the_last_line(terminal: Any) -> None:
    terminal.history = InMemoryHistory(["from yesterday"])
    terminal.type(f"{UP}\r")
    assert terminal.bot.questions == ["from yesterday"]


def test_control_c_clears_the_line(terminal: Any) -> None:
    terminal.type(f"half a que{CTRL_C}hi\r")
    assert terminal.bot.questions == ["hi"]


def test_control_c_stops_a_reply_and_the_conversation_goes_on(terminal: Any) -> None:
    assert terminal.type("stop\rhi\r")[GREETING:] == ["(stopped)", "bot: re hi"]


def test_error_is_one_line_and_the_conversation_goes_on(terminal: Any) -> None:
    shown = terminal.type("refuse\rhi\r")[GREETING:]
    assert shown == ["Error: refuse: not today; ask another time", "bot: re hi"]


def test_long_reply_wraps_at_the_terminal(terminal: Any) -> None:
    shown = terminal.type("你好 " * 30 + "\r")
    assert max(map(cell_len, shown)) <= 40


def test_reply_cannot_command_the_terminal(terminal: Any) -> None:
    # Ctrl-Q quotes the key after it, as a terminal would.
    shown = terminal.type("a\x11\x1b[2Jb [bold]c[/bold] :smile:\r")[GREETING:]
    assert terminal.bot.questions == ["a\x1b[2Jb [bold]c[/bold] :smile:"]
    assert shown == ["bot: re a[2Jb [bold]c[/bold] :smile:"]


def test_turns_are_remembered_as_asked_for(terminal: Any) -> None:
    terminal.talk.turns = 2
    terminal.type("one\rtwo\r")
    assert [history for _, history, _ in terminal.bot.asked] == [(), ("one", "re one")]


def test_conversation_that_ends_by_quit_reads_no_further(terminal: Any) -> None:
    terminal.type("/quit\rhi\r")
    assert terminal.bot.questions == []


def test_alt_enter_makes_one_question_of_two_lines(terminal: Any) -> None:
    terminal.type("one\x1b\rtwo\r")
    assert terminal.bot.questions == ["one\ntwo"]


def test_pasted_lines_are_one_question(terminal: Any) -> None:
    terminal.type("\x1b[200~one\ntwo\r\nthree\x1b[201~\r")
    assert terminal.bot.questions == ["one\ntwo\nthree"]


def test_text_in_three_quotes_goes_on_until_they_close(terminal: Any) -> None:
    terminal.type('"""one\rtwo"""\r"""three"""\r')
    assert terminal.bot.questions == ["one\ntwo", "three"]


def test_suggestion_from_history_is_taken_by_the_right_arrow(terminal: Any) -> None:
    terminal.history = InMemoryHistory(["how are you"])
    terminal.type(f"{UP}\r")
    assert terminal.bot.questions == ["how are you"]


def test_history_is_searched_backwards(terminal: Any) -> None:
    terminal.history = InMemoryHistory(["what is your name", "how are you"])
    terminal.type("\x12nam\r\r")
    assert terminal.bot.questions == ["what is your name"]


def test_vi_keys_edit_the_line(terminal: Any) -> None:
    terminal.type("abc\x1b0ix\r", vi=True)
    assert terminal.bot.questions == ["xabc"]
