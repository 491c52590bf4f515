"""Extension: ids for the words of one question that the vocabulary lacks, so that a reply can copy them.

The k-th different one gets id ``vocab + k``, whatever it is: to a network it is a place in the question,
and it is spelt as it was typed there. Source: See et al. 2017, section 2.2 ("extended vocabulary").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chatbot.text.normalizer import build_normalizer, encodable
from chatbot.text.tokenizer import UNK, Encoded, Tokenizer

_TIDY = build_normalizer(lower=False)


@dataclass(frozen=True, slots=True)
class Extended:
    """A question's ids and offsets, see Encoded, and its words that the vocabulary lacks.

    Args:
        words: as typed, with the space in front where there is one; word k has id ``vocab + k``.
    """

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    words: tuple[str, ...] = ()


def extend(tokenizer: Tokenizer, text: str, encoded: Encoded) -> Extended:
    """Ids for the unknown words of a question; words that are read alike are one.

    Args:
        text: the question as typed.
        encoded: what is read of it.
    """
    found: dict[str, str] = {}
    ids = list(encoded.ids)
    for place, (start, typed) in enumerate(_typed(text, encoded.offsets)):
        if ids[place] == UNK:
            key = tokenizer.normalize(typed, src=True)
            apart = not start or text[start - 1].isspace() or typed[0].isspace()
            found.setdefault(key, " " * apart + _tidied(typed))
            ids[place] = tokenizer.vocab + list(found).index(key)
    return Extended(tuple(ids), encoded.offsets, tuple(found.values()))


def extended_reply(tokenizer: Tokenizer, text: str, words: Sequence[str]) -> list[int]:
    """Ids of a reply to a question whose unknown words are ``words``.

    A word of the reply that would be read as one of them gets its id, even where the reply's own spelling
    is in the vocabulary: to the network they all look alike, so that copying is the only way to know it.
    """
    numbers = {tokenizer.normalize(word, src=True): tokenizer.vocab + k for k, word in enumerate(words)}
    encoded = tokenizer.encode(text)
    keys = (tokenizer.normalize(typed, src=True) for _, typed in _typed(text, encoded.offsets))
    return [numbers.get(key, token) for key, token in zip(keys, encoded.ids, strict=True)]


def _typed(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Where each piece starts, and the text as typed up to the next.

    Its own range may lack marks that were composed with its last letter.
    """
    for (start, end), (following, _) in pairwise([*offsets, (len(text), 0)]):
        yield start, text[start : max(end, following)]


def _tidied(typed: str) -> str:
    return str(_TIDY.normalize_str(encodable(typed)))
