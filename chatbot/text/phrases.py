"""Phrases: words and phrases looked for in a text as it grows, character by character.

A phrase is found as words: "art" is not found in "start", but in "Art!". Case does not matter, and one
space is as good as many. In scripts written without spaces every character is a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from chatbot.text.normalizer import build_normalizer, encodable, invisible_removed
from chatbot.text.words import is_letter

SPACE, LETTER, OTHER = " ", "a", "."
"""What a text can end with, as far as phrases care."""


class Reading(NamedTuple):
    """How far a text has been read.

    Args:
        begun: phrases under way, each with the number of its characters read; one of which all are read
            is found if no letter follows.
        last: what the text ends with.
    """

    begun: tuple[tuple[int, int], ...] = ()
    last: str = SPACE


class Phrases:
    """Words and phrases to look for.

    Args:
        lines: as typed; blank ones are nothing to look for.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        lower = build_normalizer(lower=True)
        texts = (str(lower.normalize_str(encodable(line))) for line in lines)
        self.texts = tuple(sorted({text for text in texts if text}))
        self._starting: dict[str, list[int]] = {}
        for number, text in enumerate(self.texts):
            self._starting.setdefault(text[0], []).append(number)

    def read(self, reading: Reading, text: str) -> tuple[Reading, bool]:
        """The reading after some more text, and whether a phrase was found for sure meanwhile."""
        found = False
        for character in invisible_removed(text).lower():
            reading, here = self._step(reading, SPACE if character.isspace() else character)
            found |= here
        return reading, found

    def whole(self, reading: Reading) -> list[str]:
        """The phrases that are found if the text ends here, or goes on with no letter."""
        return [self.texts[number] for number, at in reading.begun if at == len(self.texts[number])]

    def held(self, text: str) -> bool:
        """Whether a text holds one of the phrases."""
        reading, found = self.read(Reading(), text)
        return found or bool(self.whole(reading))

    def _step(self, reading: Reading, character: str) -> tuple[Reading, bool]:
        if character == SPACE and reading.last == SPACE:
            return reading, False
        joined = reading.last == LETTER and is_letter(character)
        going = reading.begun
        if not joined:
            going = (*going, *((number, 0) for number in self._starting.get(character, ())))
        found, begun = False, []
        for number, at in going:
            text = self.texts[number]
            if at == len(text):
                found |= not joined
            elif text[at] == character:
                at += 1
                # No letter can join what ends in none.
                found |= at == len(text) and not is_letter(character)
                begun.append((number, at))
        kind = SPACE if character == SPACE else LETTER if is_letter(character) else OTHER
        return Reading(tuple(begun), kind), found
