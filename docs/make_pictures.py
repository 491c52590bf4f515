"""Draw docs/pictures: the real program at a terminal of 80 columns, as SVG.

.venv/bin/python docs/make_pictures.py [NAME ...]

The program runs on a pseudo-terminal, in an empty folder, with the starter checkpoint; what it writes is put
on a screen by pyte and drawn by rich's recorder. Times and speeds of the training run are this machine's.
Source: ECMA-48 (the control sequences, which pyte obeys).
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pexpect
import pyte
from pyte.screens import Char

from chatbot.display.look import Line, Segment, columns_of, plain
from chatbot.display.palette import PALETTES
from chatbot.display.terminal import DARK, recorded_svg

ROOT = Path(__file__).parent.parent
PICTURES = Path(__file__).parent / "pictures"
COLUMNS = 80
CHAT_ROWS = 38
SECONDS = 180
"""The longest that anything is waited for."""

STILL = 1.0
"""Seconds without a change after which a screen is taken."""

ASKED = "I am so tired today"
SAID = ("Good morning!", "what is your name?", "I have a cat", "/attention strip", "/attention matrix")
TRAINING = "train smalltalk:english --preset tiny --steps 1500 --name small"

COLOURS = {
    "black": "#14181f", "red": "#e06c75", "green": "#7fc98b", "brown": "#e5c07b",
    "blue": "#6cb2f0", "magenta": "#c792ea", "cyan": "#5cc8d7", "white": "#cfd3da",
    "brightblack": "#97a1ad", "brightred": "#ff8b94", "brightgreen": "#a0e0a9", "brightbrown": "#ffd98a",
    "brightblue": "#93c9ff", "brightmagenta": "#dcb3ff", "brightcyan": "#8ce0ea", "brightwhite": "#ffffff",
    "bfightmagenta": "#dcb3ff",  # as pyte 0.8 spells it
}  # fmt: skip
"""The sixteen colours that a program names and a terminal chooses."""


class Terminal:
    """The program on a pseudo-terminal.

    Args:
        words: of the command line, behind ``chatbot``.
        rows: of the screen.
        folder: where it runs.
    """

    def __init__(self, words: Sequence[str], rows: int, folder: Path) -> None:
        self._child = pexpect.spawn(
            sys.executable,
            ["-m", "chatbot", *words],
            cwd=str(folder),
            env=environment(folder),
            dimensions=(rows, COLUMNS),
            encoding="utf-8",
            timeout=SECONDS,
        )
        self._child.delaybeforesend = None
        self._screen = pyte.Screen(COLUMNS, rows)
        self._screen.write_process_input = self._child.send  # where is the cursor, a program asks
        self._stream = pyte.Stream(self._screen)

    def type(self, text: str) -> None:
        """Type a line."""
        self._child.send(text + "\r")

    def until(self, ready: Callable[[str], bool], still: float = 0.0) -> list[Line]:
        """The screen, once its text says something and it has not changed for so many seconds.

        Raises:
            SystemExit: it never does.
        """
        began = changed = time.monotonic()
        before = ""
        while not ready(self.text) or time.monotonic() - changed < still:
            if not self.read() or time.monotonic() - began > SECONDS:
                raise SystemExit(f"the screen never came to what was waited for:\n{self.text}")
            if self.text != before:
                before, changed = self.text, time.monotonic()
        return self.lines

    def end(self) -> list[Line]:
        """The screen when the program has ended."""
        while self.read():
            pass
        return self.lines

    def read(self) -> bool:
        """Show what the program has written; whether it is still there."""
        try:
            self._stream.feed(self._child.read_nonblocking(65536, timeout=0.1))
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            return False
        return True

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self._screen.display)

    @property
    def lines(self) -> list[Line]:
        """The screen with its colours, without the empty lines below."""
        rows = [
            _line([self._screen.buffer[row][column] for column in range(COLUMNS)])
            for row in range(self._screen.lines)
        ]
        while rows and not plain(rows[-1]):
            rows.pop()
        return rows

    def close(self) -> None:
        """Leave it."""
        self._child.close(force=True)


def environment(folder: Path) -> dict[str, str]:
    """That of somebody new, at a terminal with all colours."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "CHATBOT_CORPORA": str(ROOT / "corpora"),
    }


def _line(cells: Sequence[Char]) -> Line:
    """A row of the screen; neighbours that look alike are one segment."""
    segments: list[Segment] = []
    for cell in cells:
        look = _segment(cell)
        last = segments[-1] if segments else None
        if last and (last.back, last.fore, last.strong) == (look.back, look.fore, look.strong):
            segments[-1] = Segment(last.text + look.text, look.back, look.fore, look.strong)
        else:
            segments.append(look)
    if segments and not segments[-1].back and not segments[-1].text.strip():
        segments.pop()
    return tuple(segments)


def _segment(cell: Char) -> Segment:
    fore, back = _colour(cell.fg), _colour(cell.bg)
    if cell.reverse:
        palette = PALETTES[DARK]
        fore, back = back or palette.paper, fore or palette.ink
    return Segment(cell.data, back, fore, cell.bold)


def _colour(name: str) -> str:
    return "" if name == "default" else COLOURS.get(name, f"#{name}")


def prompts(count: int) -> Callable[[str], bool]:
    """Whether a conversation has so many prompts and waits at the last."""

    def waits(text: str) -> bool:
        rows = [row.strip() for row in text.split("\n")]
        said = [row for row in rows if row.startswith("you:")]
        return len(said) == count and said[-1] == "you:"

    return waits


def conversation(folder: Path) -> dict[str, list[Line]]:
    """A conversation in just so many lines, with what was looked at shaded and as a heat map."""
    terminal = Terminal(["chat"], CHAT_ROWS, folder)
    lines = terminal.until(prompts(1))
    for number, line in enumerate(SAID, start=2):
        terminal.type(line)
        lines = terminal.until(prompts(number), STILL)
    terminal.close()
    return {"chat": [_command(["chat"]), *lines]}


def attention(folder: Path) -> dict[str, list[Line]]:
    """``chatbot attend``, once for each map."""
    return {
        f"attend-{name}": ran(folder, ["attend", "starter", ASKED, "--map", name])
        for name in ("matrix", "strip")
    }


def ran(folder: Path, words: Sequence[str]) -> list[Line]:
    """A command as it is typed, and all that it writes."""
    return [_command(words), *Terminal(words, 48, folder).end()]


def training(folder: Path) -> dict[str, list[Line]]:
    """A run on the way, and its end."""
    words = TRAINING.split()
    terminal = Terminal(words, 46, folder)
    underway = terminal.until(lambda text: " 67% " in text or " 68% " in text)
    return {"training": [_command(words), *underway], "trained": [_command(words), *terminal.end()]}


def _command(words: Sequence[str]) -> Line:
    quoted = [f'"{word}"' if " " in word else word for word in words]
    return (Segment("$ ", fore=PALETTES[DARK].muted), Segment(" ".join(["chatbot", *quoted]), strong=True))


SCENES: dict[str, Callable[[Path], dict[str, list[Line]]]] = {
    "chat": conversation,
    "attend": attention,
    "training": training,
}


def main() -> None:
    """Draw the scenes that are named, or all."""
    for name in sys.argv[1:] or SCENES:
        with tempfile.TemporaryDirectory() as folder:
            for picture, lines in SCENES[name](Path(folder)).items():
                room = COLUMNS - columns_of(lines[0])
                wide = [(*lines[0], Segment(" " * room)), *lines[1:]]  # all pictures are as wide
                (PICTURES / f"{picture}.svg").write_text(
                    recorded_svg(wide, DARK, "chatbot"), encoding="utf-8"
                )
                sys.stderr.write(f"{PICTURES / picture}.svg\n")


if __name__ == "__main__":
    main()
