"""The report on a corpus, as text at several widths."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from wcwidth import wcswidth

from chatbot.cli.verdict import show_verdict
from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.doctor.doctor import examine
from chatbot.corpus.doctor.findings import Verdict
from chatbot.corpus.options import DataOptions
from chatbot.display.text import printable

WIDE = "今天天气很好😀，我们去公园散步吧。"
NAME = "[red]聊天😀.tsv"


def verdict_on(*pairs: tuple[str, str]) -> Verdict:
    talks = [
        Conversation(f"talk {at}", "test", (Turn("A", src), Turn("B", tgt)))
        for at, (src, tgt) in enumerate(pairs)
    ]
    return examine(talks, DataOptions(near_duplicates=True, reply_cap=0))


def sick() -> Verdict:
    """Red, yellow and green findings, a wide reply, and one that would clear the screen."""
    pairs = [(f"{WIDE} {at}", WIDE * 9) for at in range(30)]
    pairs += [(f"what is number {at}", "cafÃ© [bold]now\x1b[2J\u202e") for at in range(40)]
    return verdict_on(*pairs)


def drawn(verdict: Verdict, width: int, terminal: bool = True, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, no_color=not colour, highlight=False)
    show_verdict(verdict, NAME, console)
    return file.getvalue()


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize(
    "verdict", [sick(), verdict_on(("Hi", "Hello")), verdict_on()], ids=["sick", "one", "none"]
)
def test_no_line_is_wider_than_the_terminal(verdict: Verdict, width: int) -> None:
    lines = plain(drawn(verdict, width)).split("\n")
    assert max(map(wcswidth, lines)) <= width
    assert min(map(wcswidth, lines)) >= 0  # no control codes


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_word_of_a_finding_is_broken(width: int) -> None:
    verdict = sick()
    shown = plain(drawn(verdict, width)).split()
    for finding in verdict.findings:
        for word in printable(f"{finding.what} {finding.remedy}").split():
            if word.isascii():
                assert word in shown


def test_findings_come_first_and_worst_first() -> None:
    lines = plain(drawn(sick(), 80)).split("\n")
    assert lines[0].startswith(f"{NAME}: 70 pairs, enough for a FAQ, not for small talk; ")
    words = [line.split()[0] for line in lines if line.startswith(("STOP", "look", "ok "))]
    assert words == sorted(words, key=["STOP", "look", "ok"].index)
    assert {"STOP", "look", "ok"} == set(words)


def test_a_narrow_terminal_has_names_before_what_was_found() -> None:
    assert re.search(r"^ok    personal data: none in 70 pairs$", plain(drawn(sick(), 40)), re.MULTILINE)


def test_remedies_stand_below_their_finding() -> None:
    text = plain(drawn(sick(), 80))
    found = re.search(
        r"STOP  encoding\s+57% of the pairs.*?\n\s+-> add it again with --encoding", text, re.DOTALL
    )
    assert found is not None


def test_levels_have_colours_beside_their_words() -> None:
    text = drawn(sick(), 80, colour=True)
    assert "\x1b[1;31mSTOP" in text
    assert "\x1b[33mlook" in text
    assert "\x1b[32mok" in text
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", drawn(sick(), 80))


def test_texts_of_a_corpus_have_no_markup_and_no_control_codes() -> None:
    text = plain(drawn(sick(), 80))
    assert "[bold]now[2J" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_pipe_gets_a_line_a_record() -> None:
    verdict = sick()
    text = drawn(verdict, 40, terminal=False)
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.split("\n"))
    records = text.split("\n\n")[1].split("\n")
    for finding, record in zip(verdict.findings, records, strict=True):
        cells = [cell for cell in re.split(" {2,}", record) if cell]
        word = {"red": "STOP", "yellow": "look", "green": "ok"}[finding.level]
        told = [word, finding.name, printable(finding.what), finding.remedy]
        assert cells == [cell for cell in told if cell]


@pytest.mark.parametrize("width", [40, 80])
def test_bars_are_as_long_as_their_share(width: int) -> None:
    verdict = verdict_on(*[(f"a{at} b c d e", "x" if at % 4 else f"y z{at}") for at in range(40)])
    lines = plain(drawn(verdict, width)).split("\n")
    start = lines.index(next(line for line in lines if re.match(r"words +questions +replies", line)))
    one, two, four = (lines[start + row].split() for row in (1, 2, 3))
    assert (one[0], one[1], one[3]) == ("1", "0%", "75%")
    assert (two[0], two[1], two[3]) == ("2-3", "0%", "25%")
    assert (four[0], four[2], four[3]) == ("4-7", "100%", "0%")
    assert len(two[2]) == -(-len(one[2]) // 3)


def test_a_corpus_without_pairs_is_shown_without_figures() -> None:
    text = plain(drawn(verdict_on(), 80))
    assert text.startswith(f"{NAME}: 0 pairs, nobody answers anybody\n")
    assert "commonest" not in text


def test_the_report_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    show_verdict(sick(), NAME)
    out, err = capsys.readouterr()
    assert out.startswith(f"{NAME}: 70 pairs")
    assert out.endswith("\n")
    assert not out.endswith("\n\n")
    assert err == ""
