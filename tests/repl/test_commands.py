from __future__ import annotations

import re
from typing import Any

import pytest

from chatbot.repl.commands import COMMANDS, as_question, is_command


def say(terminal: Any, keys: str) -> str:
    """What is shown, greeting left out, as one line."""
    return " ".join(" ".join(terminal.type(keys, quiet=True)).split())


@pytest.mark.parametrize(
    ("line", "command", "question"),
    [
        ("/help", True, None),
        ("  /help me", True, None),
        ("//etc/hosts", False, "/etc/hosts"),
        ("///", False, "//"),
        (" hi / there ", False, " hi / there "),
    ],
)
def test_slash_makes_a_command_and_two_make_a_question(
    line: str, command: bool, question: str | None
) -> None:
    assert is_command(line) == command
    assert question is None or as_question(line) == question


def test_help_lists_every_command_with_its_argument_and_meaning(terminal: Any) -> None:
    shown = say(terminal, "/help\r")
    for command in COMMANDS:
        assert f"{command.name} {command.argument}".strip() in shown
        assert command.help.split()[0] in shown


def test_commands_that_people_rely_on_are_there() -> None:
    assert {"/help", "/attention", "/quit"} <= {command.name for command in COMMANDS}


@pytest.mark.parametrize("typed", ["/quitter", "/quit now", "/QUIT", "/qui"])
def test_command_matches_whole_or_not_at_all(typed: str, terminal: Any) -> None:
    assert say(terminal, f"{typed}\rhi\r").endswith("bot: re hi")


@pytest.mark.parametrize(
    ("typed", "meant"), [("/quitter", "/quit"), ("/hlep", "/help"), ("/atention on", "/attention")]
)
def test_unknown_command_is_one_line_with_the_nearest_name(typed: str, meant: str, terminal: Any) -> None:
    lines = terminal.type(f"{typed}\r", quiet=True)
    assert len(lines) == 1
    assert f"did you mean {meant}" in lines[0]


def test_unknown_command_near_to_none_points_to_the_help(terminal: Any) -> None:
    assert "/help" in say(terminal, "/zzz\r")


def test_attention_is_shown_after_it_is_switched_on(terminal: Any) -> None:
    shown = say(terminal, "hi\r/attention\rho\r/attention off\rhu\r")
    assert re.findall(r"<- +(\w+)", shown) == ["ho"]


def test_attention_takes_on_and_off_alone(terminal: Any) -> None:
    say(terminal, "/attention on\r/attention maybe\r")
    assert terminal.talk.attention is True


def test_missing_attention_is_told(terminal: Any) -> None:
    terminal.bot.attends = False
    terminal.talk.attention = True
    assert "no attention" in " ".join(terminal.type("hi\r"))


def test_beam_and_greedy_change_the_search(terminal: Any) -> None:
    say(terminal, "a\r/beam 2\rb\r/greedy\rc\r")
    assert [beam for _, _, beam in terminal.bot.asked] == [4, 2, 1]


@pytest.mark.parametrize("typed", ["/beam 0", "/beam 9999", "/beam many", "/candidates 5", "/candidates 0"])
def test_count_not_allowed_changes_nothing(typed: str, terminal: Any) -> None:
    assert say(terminal, f"{typed}\r").startswith("Error: ")
    assert (terminal.talk.options.beam, terminal.talk.candidates) == (4, 1)


def test_candidates_are_listed_with_scores(terminal: Any) -> None:
    assert say(terminal, "/candidates 2\rhi\r").endswith("bot: re hi 1 -1.000 re hi 0 2 -2.000 re hi 1")


def test_narrower_beam_takes_the_candidates_down(terminal: Any) -> None:
    say(terminal, "/candidates 3\r/beam 2\r")
    assert terminal.talk.candidates == 2


def test_checkpoint_names_itself_and_its_search(terminal: Any) -> None:
    shown = say(terminal, "/checkpoint\r")
    assert "checkpoint echo" in shown
    assert "beam 4" in shown


def test_clear_forgets_what_was_said(terminal: Any) -> None:
    terminal.remember(4)
    say(terminal, "one\r/clear\rtwo\r")
    assert [history for _, history, _ in terminal.bot.asked] == [(), ()]


def test_commands_fit_a_narrow_terminal(terminal: Any) -> None:
    assert max(map(len, terminal.type("/help\r/checkpoint\r"))) <= 40


def test_beam_ends_sampling(terminal: Any) -> None:
    terminal.talk.search("/sample", search="sample")
    shown = say(terminal, "/candidates 9\r/beam 3\r")
    assert "Replies by sampling; the 9 best replies shown." in shown
    assert (terminal.talk.options.search, terminal.talk.candidates) == ("beam", 3)
