"""Commands about the conversation in a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from chatbot.display.transcript import FORMS
from chatbot.errors import OptionError
from chatbot.repl import filing
from chatbot.repl.commands.command import Endings
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk

LINES, PAGE = ".jsonl", ".html"


def save(talk: Talk, screen: Screen, argument: str) -> None:
    """Write the conversation as lines that /load and ``chatbot chat --replay`` read."""
    path = file_of(argument)
    if path.suffix.lower() == PAGE:
        raise OptionError("/save", "writes lines that /load reads, not a page", f"say /transcript {argument}")
    _write(talk, screen, path, LINES)


def transcript(talk: Talk, screen: Screen, argument: str) -> None:
    """Write the conversation and its attention as a page."""
    path = file_of(argument)
    if path.suffix.lower() == LINES:
        raise OptionError("/transcript", "writes a page, not lines that /load reads", f"say /save {argument}")
    _write(talk, screen, path if path.suffix.lower() == PAGE else Path(f"{path}{PAGE}"), PAGE)


def load(talk: Talk, screen: Screen, argument: str) -> None:
    """Go on from a conversation that /save wrote."""
    path = file_of(argument)
    with screen.waiting():
        count = filing.load(talk, path, screen.note)
    screen.say(f"{_exchanges(count)} read from {path}; the conversation goes on from there.")
    others = (
        {each.by.checkpoint for each in talk.exchanges[-count:] if not talk.answered(each)}
        if count
        else set()
    )
    if others:
        screen.note(f"{' and '.join(sorted(others))} answered there; {talk.bot.name} answers now.")


def _write(talk: Talk, screen: Screen, path: Path, ending: str) -> None:
    count = filing.save(talk, path, FORMS[ending])
    private = sum(each.private for each in talk.exchanges)
    said = f", {private} of them said in private" if private else ""
    screen.say(f"{_exchanges(count)} written to {path}{said}.")


def _exchanges(count: int) -> str:
    return f"{count} exchange{'s' * (count != 1)}"


def file_of(argument: str) -> Path:
    """The file that was typed: ~ is the home folder, and quotation marks around it are left out."""
    for quote in ("'", '"'):
        if len(argument) > 2 and argument[0] == argument[-1] == quote:
            argument = argument[1:-1]
    return Path(os.path.expanduser(argument))


def files(suffix: str) -> Endings:
    """Endings for an argument that is a file: folders, and the files whose names end so."""

    def endings(talk: Talk, argument: str) -> Iterable[str]:
        folder, _, begun = argument.rpartition("/")
        place = f"{folder}/" if "/" in argument else ""
        try:
            entries = sorted(os.scandir(os.path.expanduser(place) or "."), key=lambda each: each.name)
        except OSError:
            return
        for entry in entries:
            hidden = entry.name.startswith(".") and not begun.startswith(".")
            if entry.name.startswith(begun) and not hidden and entry.name.isprintable():
                if _is_folder(entry):
                    yield f"{place}{entry.name}/"
                elif entry.name.lower().endswith(suffix):
                    yield f"{place}{entry.name}"

    return endings


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
