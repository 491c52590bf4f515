from __future__ import annotations

import re
from typing import Any

import pytest

from chatbot.corpus.library import open_corpus
from chatbot.repl.commands.table import COMMANDS, as_question, is_command
from chatbot.repl.history import open_history


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
    assert terminal.talk.shown.attention == "words"


def test_missing_attention_is_told(terminal: Any) -> None:
    terminal.bot.attends = False
    terminal.talk.shown.attention = "words"
    assert "no attention" in " ".join(terminal.type("hi\r"))


def test_beam_and_greedy_change_the_search(terminal: Any) -> None:
    say(terminal, "a\r/beam 2\rb\r/greedy\rc\r")
    assert [beam for _, _, beam in terminal.bot.asked] == [4, 2, 1]


@pytest.mark.parametrize("typed", ["/beam 0", "/beam 9999", "/beam many", "/candidates 5", "/candidates 0"])
def test_count_not_allowed_changes_nothing(typed: str, terminal: Any) -> None:
    assert say(terminal, f"{typed}\r").startswith("Error: ")
    assert (terminal.talk.options.beam, terminal.talk.shown.candidates) == (4, 1)


def test_candidates_are_listed_with_scores(terminal: Any) -> None:
    assert say(terminal, "/candidates 2\rhi\r").endswith("bot: re hi 1 -1.000 re hi 2 -2.000 re hi 1")


def test_narrower_beam_takes_the_candidates_down(terminal: Any) -> None:
    say(terminal, "/candidates 3\r/beam 2\r")
    assert terminal.talk.shown.candidates == 2


def test_settings_name_what_was_changed_and_what_was_there(terminal: Any) -> None:
    shown = say(terminal, "/set length-penalty 0.5\r/settings\r")
    assert "length-penalty 0.5 (the checkpoint's: 1.0)" in shown
    assert "block-ngram 3 " in shown


def test_words_can_be_set_and_taken_back(terminal: Any) -> None:
    say(terminal, "/set must red, blue\r")
    assert terminal.talk.options.must == ("red", "blue")
    say(terminal, "/set must none\r")
    assert terminal.talk.options.must == ()


def test_option_the_bot_cannot_search_by_is_told(terminal: Any) -> None:
    assert "an echo has no attention" in say(terminal, "/set coverage-penalty 1\r")
    assert terminal.talk.options == terminal.bot.options


def test_sampled_reply_is_drawn_again_by_another_seed(terminal: Any) -> None:
    shown = say(terminal, "/seed 7\r/sample 1.5\rhi\r/retry\r")
    assert "sampling at temperature 1.5" in shown
    assert terminal.talk.options.sample_seed == 8
    assert terminal.bot.questions == ["hi", "hi"]
    assert len(terminal.talk.exchanges) == 1


def test_why_shows_the_pairs_nearest_to_the_last_question(terminal: Any) -> None:
    assert say(terminal, "hi\r/why 1\r").endswith(
        "word for word a reply of the training data 0.50 like hi -> so"
    )


@pytest.mark.parametrize("typed", ["/set", "/set beam", "/set beam wide", "/set beem 3", "/set guess maybe"])
def test_option_that_cannot_be_set_changes_nothing(typed: str, terminal: Any) -> None:
    assert say(terminal, f"{typed}\r").startswith("Error: /set: ")
    assert terminal.talk.options == terminal.bot.options


def test_checkpoint_can_be_changed_in_the_middle(terminal: Any) -> None:
    shown = say(terminal, "hi\r/checkpoint other\r/checkpoint nowhere\r/checkpoint\r")
    assert "other answers from now on." in shown
    assert "Error: nowhere: no checkpoint of that name; say other" in shown
    assert terminal.talk.bot.name == "other"
    assert terminal.talk.options.beam == 2
    assert len(terminal.talk.exchanges) == 1


def test_digit_picks_a_candidate_that_counts_from_then_on(terminal: Any) -> None:
    terminal.talk.turns = 4
    say(terminal, "/candidates 2\rhi\r2\rho\r")
    assert terminal.bot.asked[-1][:2] == ("ho", ("hi", "re hi 1"))
    assert terminal.talk.exchanges[0].said == "re hi 1"


@pytest.mark.parametrize("typed", ["hi\r2\r", "/candidates 2\r2\r", "/candidates 2\rhi\r3\r"])
def test_digit_that_picks_nothing_is_a_question(typed: str, terminal: Any) -> None:
    say(terminal, typed)
    assert terminal.bot.questions[-1] == typed.split("\r")[-2]


def test_retry_gives_the_next_best_until_there_is_none(terminal: Any) -> None:
    shown = say(terminal, "hi\r/retry\r/retry\r")
    assert re.findall(r"bot: (re hi(?: \d)?)", shown) == ["re hi", "re hi 1", "re hi 2"]


def test_retry_that_finds_nothing_more_leaves_all_as_it_was(terminal: Any) -> None:
    shown = say(terminal, "hi\r" + "/retry\r" * 6)
    assert shown.count("Error: /retry: the search finds no other reply") == 2
    assert [each.said for each in terminal.talk.exchanges] == ["re hi 4"]


def test_undo_takes_the_exchange_out_of_the_memory(terminal: Any) -> None:
    terminal.talk.turns = 4
    say(terminal, "one\rtwo\r/undo\rthree\r")
    assert terminal.bot.asked[-1][1] == ("one", "re one")


def test_undo_of_nothing_is_told(terminal: Any) -> None:
    assert say(terminal, "/undo\r").startswith("Error: /undo: nothing was said yet")


def test_edit_puts_the_question_back_on_the_prompt(terminal: Any) -> None:
    say(terminal, "helo\r/edit\r\x7flo\r")
    assert terminal.bot.questions == ["helo", "hello"]
    assert len(terminal.talk.exchanges) == 1


def test_taught_reply_is_a_pair_of_the_corrections(terminal: Any) -> None:
    shown = say(terminal, "who are you\r/teach I am Juno.\r")
    assert "chatbot train corrections --from echo" in shown
    corpus = open_corpus("corrections", terminal.folder / "corpora", print)
    (conversation,) = corpus.conversations()
    assert [turn.text for turn in conversation.turns] == ["who are you", "I am Juno."]


def test_private_conversation_keeps_no_corrections(terminal: Any) -> None:
    assert "private" in say(terminal, "hi\r/private\r/teach hello\r/good\r")
    assert not (terminal.folder / "corpora").exists()


def test_private_conversation_keeps_no_history_from_then_on(terminal: Any) -> None:
    terminal.history = open_history(terminal.folder / "history", lambda: not terminal.talk.private)
    say(terminal, "one\r/private\rtwo\r/private off\rthree\r")
    kept = list(open_history(terminal.folder / "history").load_history_strings())
    assert "one" in kept
    assert "three" in kept
    assert "two" not in kept


def test_greedy_reply_comes_piece_by_piece(terminal: Any) -> None:
    assert say(terminal, "/greedy\rhi\r").endswith("bot: re hi")


def test_reply_stopped_in_the_middle_ends_its_line(terminal: Any) -> None:
    lines = terminal.type("/greedy\rstop in the middle\rhi\r", quiet=False)
    assert lines[-3:] == ["bot: re stop", "(stopped)", "bot: re hi"]
    assert [each.question for each in terminal.talk.exchanges] == ["hi"]


def test_clear_forgets_what_was_said(terminal: Any) -> None:
    terminal.talk.turns = 4
    say(terminal, "one\r/clear\rtwo\r")
    assert [history for _, history, _ in terminal.bot.asked] == [(), ()]


def test_commands_fit_a_narrow_terminal(terminal: Any) -> None:
    assert max(map(len, terminal.type("/help\r/checkpoint\r/settings\r"))) <= 40


def test_beam_ends_sampling(terminal: Any) -> None:
    terminal.talk.search("/sample", search="sample")
    shown = say(terminal, "/candidates 9\r/beam 3\r")
    assert "Replies by sampling at temperature 0.7; the 9 best replies" in shown
    assert (terminal.talk.options.search, terminal.talk.shown.candidates) == ("beam", 3)
