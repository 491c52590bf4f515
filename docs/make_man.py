"""Write docs/chatbot.1, the manual page, from the commands themselves.

.venv/bin/python docs/make_man.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from chatbot.cli import group

PAGE = Path(__file__).with_name("chatbot.1")

FILES = """\
.TP
\\fIcorpora/NAME/\\fR
A corpus that was added.
.TP
\\fIcheckpoints/NAME/\\fR
A trained bot.
.TP
\\fI~/.local/state/chatbot/history\\fR
What was typed at the terminal; not written with \\fB--private\\fR.
"""

ENVIRONMENT = """\
.TP
\\fBCHATBOT_CORPORA\\fR, \\fBCHATBOT_CHECKPOINTS\\fR
The two folders, where no option names them.
.TP
\\fBCHATBOT_HISTORY\\fR
The file of what was typed at the terminal.
.TP
\\fBNO_COLOR\\fR
Where it is set, nothing is coloured.
"""


def page() -> str:
    """The whole page, in the man macros of troff."""
    context = click.Context(group, info_name="chatbot")
    lines = [
        '.\\" Written by docs/make_man.py from the commands; change them, not this page.',
        '.TH CHATBOT 1 "" "chatbot" "User Commands"',
        ".SH NAME",
        "chatbot \\- a chatbot that learns from conversations and shows what each reply word looked at",
        ".SH SYNOPSIS",
        *(line for child in _commands(context) for line in _synopsis(child)),
        ".SH DESCRIPTION",
        *_paragraphs(group.help or ""),
        *(line for child in _commands(context) for line in _command(child)),
        ".SH EXIT STATUS",
        *_paragraphs((group.epilog or "").removeprefix("Exit status: ")),
        ".SH FILES",
        FILES.rstrip(),
        ".SH ENVIRONMENT",
        ENVIRONMENT.rstrip(),
    ]
    return "\n".join(lines) + "\n"


def _commands(context: click.Context) -> Iterator[click.Context]:
    """The commands under a group that do something themselves, in the order of the help."""
    assert isinstance(context.command, click.Group)
    for name in context.command.list_commands(context):
        command = context.command.get_command(context, name)
        assert command is not None
        child = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _commands(child)
        else:
            yield child


def _synopsis(context: click.Context) -> list[str]:
    pieces = " ".join(context.command.collect_usage_pieces(context))
    return [f".B {_escaped(context.command_path)}", _escaped(pieces), ".br"]


def _command(context: click.Context) -> Iterator[str]:
    """A section for one command."""
    yield f'.SH "{context.command_path.upper()}"'
    yield from _paragraphs(context.command.help or "")
    for parameter in context.command.get_params(context):
        if (record := parameter.get_help_record(context)) is not None:
            yield ".TP"
            yield f"\\fB{_escaped(record[0])}\\fR"
            yield _escaped(" ".join(record[1].split()))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _escaped(text: str) -> str:
    """Text in which troff finds nothing to obey."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
