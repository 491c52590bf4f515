"""Never: the rule that no reply holds certain words and phrases, whatever tokens spell them."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import EOS
from chatbot.text.phrases import LETTER, OTHER, SPACE, Phrases, Reading
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.words import is_letter

Ids = NDArray[np.int64]


class _Place(NamedTuple):
    """Where a reply stands: the bytes of a character not yet complete, and the reading of what is."""

    pending: bytes = b""
    reading: Reading = Reading()


class Forbidden:
    """Which tokens would say a phrase, from any place in a reply.

    A token is forbidden that completes a phrase: the phrase's last piece, where nothing that joins it
    follows within the token. A token of one character alone may complete it, since a word is often only
    begun so; then the word must go on: the end and whatever begins another word are forbidden.

    Args:
        phrases: what is not said.
        tokenizer: of the model.
    """

    def __init__(self, phrases: Phrases, tokenizer: Tokenizer) -> None:
        self.phrases = phrases
        self.vocab = tokenizer.vocab
        self._spellings = tokenizer.spellings()
        texts = [
            (spelling.decode("utf-8", "ignore").lower(), i) for i, spelling in enumerate(self._spellings)
        ]
        self._single = [i for i, spelling in enumerate(self._spellings) if len(spelling) == 1]
        self._texts = sorted((text, i) for text, i in texts if text)
        self._ends = {i for text, i in self._texts if not is_letter(text[0])} | {EOS}
        whole = re.compile("|".join(map(re.escape, phrases.texts)))
        holding = [i for text, i in self._texts if whole.search(text)]
        self._within = {
            (kind, last): {i for i in holding if self._says(_Place(b"", Reading((), kind)), i, last)}
            for kind in (SPACE, LETTER, OTHER)
            for last in (False, True)
        }
        self._known: dict[tuple[_Place, bool], Ids] = {}

    def spelling(self, token: int) -> bytes:
        """What a token of the vocabulary adds to a reply."""
        return self._spellings[token]

    def after(self, place: _Place, spelling: bytes) -> tuple[_Place, bool]:
        """The place after some bytes more, and whether a phrase was found for sure meanwhile."""
        decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        decoder.setstate((place.pending, 0))
        text = decoder.decode(spelling)
        reading, found = self.phrases.read(place.reading, text)
        return _Place(decoder.getstate()[0], reading), found

    def at(self, place: _Place, last: bool) -> Ids:
        """The tokens forbidden at a place.

        Args:
            last: the reply may be cut behind the next token.
        """
        if (place, last) not in self._known:
            self._known[place, last] = np.array(sorted(self._found(place, last)), np.int64)
        return self._known[place, last]

    def says(self, place: _Place, spelling: bytes, last: bool) -> bool:
        """Whether a token that adds these bytes is forbidden."""
        after, found = self.after(place, spelling)
        alone = len(spelling.decode("utf-8", "ignore")) <= 1
        return found or ((last or not alone) and bool(self.phrases.whole(after.reading)))

    def _says(self, place: _Place, token: int, last: bool) -> bool:
        return self.says(place, self._spellings[token], last)

    def _found(self, place: _Place, last: bool) -> set[int]:
        found = set(self._within[place.reading.last, last])
        candidates = set(self._single)
        for number, at in place.reading.begun:
            rest = self.phrases.texts[number][at:]
            if not rest:
                found |= self._ends
                continue
            candidates |= self._beginning(rest)
            if place.reading.last == SPACE:
                candidates |= self._beginning(SPACE + rest)
        return found | {token for token in candidates if self._says(place, token, last)}

    def _beginning(self, text: str) -> set[int]:
        """The tokens whose spelling begins with a text."""
        start = bisect_left(self._texts, (text, -1))
        return {i for _, i in takewhile(lambda entry: entry[0].startswith(text), self._texts[start:])}


class Never:
    """The rule of one search.

    Args:
        forbidden: by the phrases.
        words: for each source what the tokens from ``vocab`` on spell, see ``chatbot.text.extension``.
    """

    def __init__(self, forbidden: Forbidden, words: Sequence[Sequence[str]]) -> None:
        self._forbidden = forbidden
        self._words = words
        self._places: dict[tuple[int, bytes], _Place] = {}

    def forbidden(self, prefixes: Ids, owners: Ids, last: bool) -> tuple[Ids, Ids]:
        """The tokens that would say a phrase."""
        tokens = []
        for owner, prefix in zip(owners.tolist(), prefixes, strict=True):
            place = self._place(owner, prefix)
            fixed = self._forbidden.at(place, last)
            copied = [
                self._forbidden.vocab + k
                for k in range(len(self._words[owner]))
                if self._forbidden.says(place, self._spelling(owner, self._forbidden.vocab + k), last)
            ]
            tokens.append(np.concatenate((fixed, np.array(copied, np.int64))) if copied else fixed)
        rows = np.repeat(np.arange(len(tokens)), [len(some) for some in tokens])
        return rows, np.concatenate(tokens)

    def _place(self, owner: int, prefix: Ids) -> _Place:
        """Where a row stands; of its prefixes the search has asked for each in turn."""
        if not len(prefix):
            return _Place()
        key = owner, prefix.tobytes()
        if key not in self._places:
            before = self._place(owner, prefix[:-1])
            self._places[key], _ = self._forbidden.after(before, self._spelling(owner, int(prefix[-1])))
        return self._places[key]

    def _spelling(self, owner: int, token: int) -> bytes:
        vocab = self._forbidden.vocab
        if token < vocab:
            return self._forbidden.spelling(token)
        words = self._words[owner]
        # A copied word stands apart from letters around it, see ``set_off``.
        return f" {words[token - vocab].strip()}".encode() if token - vocab < len(words) else b""
