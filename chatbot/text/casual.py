"""Words as nltk's casual (tweet) tokenizer cuts them, each with the space before it.

nltk's own ``tokenize`` rewrites text (entities, repeated letters) and loses spacing; only its pattern
is used here, so that joining the pieces gives the text back. Characters of scripts written without
spaces (Han, Kana, Thai, Lao, Khmer, Burmese) are pieces of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import regex
from nltk.tokenize.casual import TweetTokenizer
from tokenizers import pre_tokenizers

if TYPE_CHECKING:
    from tokenizers import NormalizedString, PreTokenizedString

_WORD = TweetTokenizer().WORD_RE
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
    r"|[^\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)
_LONGEST = 128
"""A longer word is cut."""

_SPECIAL = regex.compile(r"<(?=(?:pad|unk|bos|eos)>)")


def spans(text: str) -> list[tuple[int, int]]:
    """Half-open ranges that cover the whole text, each a word with the white space before it."""
    cuts = {0}
    for match in _words(text):
        start = match.start()
        cuts.add(start - 1 if start and text[start - 1] == " " else start)
        cuts.add(match.end())
        cuts.update(start + part.start() for part in _UNSPACED.finditer(match.group()) if part.start())
    cuts.update(match.end() for match in _SPECIAL.finditer(text))
    edges = sorted(cuts | {len(text)})
    return [(start, end) for start, end in pairwise(edges) if text[start:end] != " "] or (
        [(0, len(text))] if text else []
    )


def _words(text: str) -> Iterator[regex.Match[str]]:
    """What nltk's pattern finds, a window at a time: on some texts it takes quadratic time."""
    end = 0
    while match := _WORD.search(text, end, end + _LONGEST):
        yield match
        end = match.end()


def pieces(text: str) -> list[str]:
    """The words of a text, each with the white space before it."""
    return [text[start:end] for start, end in spans(text)]


class _Casual:
    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(self._split)

    def _split(self, index: int, text: NormalizedString) -> list[NormalizedString]:
        parts = (text[start:end] for start, end in spans(str(text)))
        return [part for part in parts if part is not None]


def casual_pre_tokenizer() -> Any:
    """The cut as a ``tokenizers`` pre-tokenizer; it cannot be stored, so it is set after loading."""
    return pre_tokenizers.PreTokenizer.custom(_Casual())
