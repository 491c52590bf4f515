"""Write docs/chatbot.1, the manual page, from the commands themselves.

.venv/bin/python docs/make_man.py

An option that an earlier command has explained in the same words is named only. Source: groff_man(7) (the
macros), groff_char(7) (the escapes).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from chatbot.cli import group

PAGE = Path(__file__).with_name("chatbot.1")

ESCAPES = str.maketrans(
    {
        "|": "|\\:",
        "\\": "\\e",
        "-": "\\-",
        "'": "\\(aq",
        "`": "\\(ga",
        "^": "\\(ha",
        "~": "\\(ti",
        '"': "\\(dq",
    }
)
"""What troff would take for a request, or print as another character than is to be typed; and where a line
may be broken."""

FILES = {
    "corpora/NAME/": "A corpus that was added; --corpora names another folder.",
    "checkpoints/NAME/": "A trained bot; --checkpoints names another folder.",
    "~/.local/state/chatbot/history": "What was typed at the terminal; not written with --private.",
}

ENVIRONMENT = {
    "CHATBOT_CORPORA, CHATBOT_CHECKPOINTS": "The two folders, where no option names them.",
    "CHATBOT_HISTORY": "The file of what was typed at the terminal.",
    "XDG_STATE_HOME": "The folder that it is in otherwise, instead of ~/.local/state.",
    "EDITOR, VISUAL": "What a long question is written with.",
    "NO_COLOR": "Where it is set, nothing is coloured, and maps and charts are of ASCII.",
    "TERM": "With dumb, the same, and nothing is drawn over what stands there.",
    "COLORFGBG": "Where it says that the terminal is light, maps have colours for light ones.",
}

Record = tuple[str, str]
"""An option as its help names it, and the help."""


def page() -> str:
    """The whole page, in the man macros of troff."""
    context = click.Context(group, info_name="chatbot")
    commands = list(_commands(context))
    lines = [
        '.\\" Written by docs/make_man.py from the commands; change them, not this page.',
        '.TH CHATBOT 1 "" "chatbot" "User Commands"',
        ".nh",  # an option is not to be hyphenated,
        ".ad l",  # nor spread over a line
        ".SH NAME",
        "chatbot \\- a chatbot that learns from conversations and shows what each reply word looked at",
        ".SH SYNOPSIS",
        *(line for child in commands for line in _synopsis(child)),
        ".SH DESCRIPTION",
        *_paragraphs(group.help or ""),
        *_paragraphs("Every command explains itself with --help."),
        *_sections(commands),
        ".SH EXIT STATUS",
        *_paragraphs((group.epilog or "").removeprefix("Exit status: ")),
        ".SH FILES",
        *_list(FILES.items(), "I"),
        ".SH ENVIRONMENT",
        *_list(ENVIRONMENT.items(), "B"),
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


def _sections(commands: list[click.Context]) -> Iterator[str]:
    """A section for each command."""
    told: dict[Record, str] = {}  # the command that explains it
    for context in commands:
        path = context.command_path
        yield f'.SH "{path.upper()}"'
        yield from _paragraphs(context.command.help or "")
        records = list(_records(context))
        for record in records:
            told.setdefault(record, path)
        yield from _list([record for record in records if told[record] == path], "B")
        for other in dict.fromkeys(told[record] for record in records if told[record] != path):
            names = [_flags(name) for name, text in records if told[name, text] == other]
            yield from _list([(f"As for {other}:", ", ".join(names))], "R")
        yield from _paragraphs(context.command.epilog or "")


def _flags(name: str) -> str:
    """The option alone, without what its value is called: "--scrub / --no-scrub"."""
    return " / ".join(part.split()[0] for part in name.split(" / "))


def _records(context: click.Context) -> Iterator[Record]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None and "--help" not in parameter.opts:
            yield record[0], record[1]


def _list(entries: Iterable[Record], font: str) -> Iterator[str]:
    """Names, each with a text indented under it."""
    for name, text in entries:
        yield ".TP"
        yield f"\\f{font}{_escaped(name)}\\fR"
        yield _escaped(" ".join(text.split()))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n") if text else ():
        yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _escaped(text: str) -> str:
    """Text in which troff finds nothing to obey, in ASCII."""
    escaped = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in text.translate(ESCAPES))
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
