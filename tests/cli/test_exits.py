from __future__ import annotations

from collections.abc import Callable

import click
import pytest

from chatbot.cli.exits import run
from chatbot.errors import ChatbotError, CheckpointError, OptionError

Capture = pytest.CaptureFixture[str]


def command(body: Callable[[], object]) -> click.Command:
    """A verb with one number for an option."""

    @click.command()
    @click.option("--size", type=click.IntRange(1, 9))
    def verb(size: int | None) -> None:
        body()

    return verb


def raising(error: BaseException) -> Callable[[], object]:
    def body() -> None:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (CheckpointError("c/x", "is torn", "train again"), 1, "Error: c/x: is torn; train again\n"),
        (OptionError("--beam", "is 0"), 2, "Error: --beam: is 0\n"),
        (ChatbotError("a\x1b[2Jb\nc", "bad"), 1, "Error: a\\x1b[2Jb\\nc: bad\n"),
        (FileNotFoundError(2, "No such file", "x\x07.txt"), 1, "Error: x\\x07.txt: No such file\n"),
        (OSError(28, "No space left on device"), 1, "Error: No space left on device\n"),
        (click.ClickException("no luck"), 1, "Error: no luck\n"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (click.exceptions.Exit(3), 3, ""),
    ],
)
def test_error_becomes_status_and_one_line(
    error: BaseException, status: int, told: str, capsys: Capture
) -> None:
    assert run(command(raising(error)), []) == status
    assert capsys.readouterr() == ("", told)


def test_success_is_0(capsys: Capture) -> None:
    assert run(command(lambda: click.echo("done")), ["--size", "3"]) == 0
    assert capsys.readouterr() == ("done\n", "")


def test_bug_is_left_to_show_itself() -> None:
    with pytest.raises(ZeroDivisionError):
        run(command(lambda: 1 // 0), [])


@pytest.mark.parametrize(
    "args", [["--size", "10"], ["--sise", "1"], ["--size"], ["extra"], ["--size", "x\ny"]]
)
def test_wrong_usage_is_2_and_one_line_with_advice(args: list[str], capsys: Capture) -> None:
    assert run(command(lambda: None), args, "verb") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Error: verb: ")
    assert err.endswith("; see verb --help\n")
    assert err.count("\n") == 1
