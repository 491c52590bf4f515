"""Wrapping: a text that comes in pieces, broken at the edge of the terminal between words and not within."""

from __future__ import annotations

from collections.abc import Callable

from chatbot.display.width import JOINER, width


class Wrapping:
    """Writes words as soon as they are whole; a character two columns wide is a word of its own.

    Args:
        write: is given what to write next.
        columns: of the terminal.
        column: where on its line the text begins.
    """

    def __init__(self, write: Callable[[str], object], columns: int, column: int = 0) -> None:
        self._write = write
        self._columns, self._column = columns, column
        self._word = self._space = ""

    def add(self, piece: str) -> None:
        """Some more of the text; printable."""
        for character in piece:
            if character == " ":
                self.flush()
                self._space += character
                continue
            if self._word and self._breaks(character):
                self.flush()
            self._word += character

    def _breaks(self, character: str) -> bool:
        """Whether a line may end before a character: beside a wide one, but not before what joins it."""
        wide = width(character) > 1 or width(self._word) > 1 == len(self._word)
        return wide and width(character) > 0 and not self._word.endswith(JOINER)

    def flush(self) -> None:
        """Write what is held back; the text may end here."""
        if not self._word:
            return
        room = self._columns - self._column
        if width(self._space + self._word) > room and self._column:
            self._write("\n" + self._word)
            self._column = 0
        else:
            self._write(self._space + self._word)
            self._column += width(self._space)
        # A line that is full stays the cursor's until something more is written.
        self._column = (self._column + width(self._word) - 1) % self._columns + 1
        self._word = self._space = ""
