"""Learning a tokenizer's vocabulary from texts, which are gone through once or twice and never kept."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from chatbot.text.normalizer import build_normalizer, encodable
from chatbot.text.turns import SEPARATORS

_PIECES = (
    r"'(?:s|t|re|ve|m|ll|d|S|T|RE|VE|M|LL|D)(?![\p{L}\p{N}])"  # English clitics, as one piece
    r"| ?\p{L}[\p{L}\p{M}]*| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s"
)

_ALPHABET_SHARE = 0.5
"""At most this share of a sub-word vocabulary is single characters; rarer ones are spelt in bytes."""

_SEPARATOR_PIECES = f" ?[{''.join(SEPARATORS)}]|"
"""In front of ``_PIECES`` where texts have separators."""

SPACED = tuple(f" {separator}" for separator in SEPARATORS)
"""The tokens of separators: each with the space that stands before it."""

_COUNTED, _HANDED_OVER = 4096, 64
"""Texts whose characters are counted at once, and texts handed to the library at once."""

_REMEMBERED = 1024
"""Texts whose words are remembered: a turn is first a reply, and soon after a question."""

_EASY = re.compile(
    "["
    " -~"  # printable ASCII
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff"  # letters of Western Europe
    "\u0401\u0410-\u044f\u0451"  # Russian
    "\u2013\u2014\u2018\u2019\u201c\u201d\u2026"  # dashes, quotation marks, an ellipsis
    "\u2600-\u27bf\ufe0f\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001f9ff"  # emoji
    "\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"  # punctuation of Chinese and Japanese
    "\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3"  # kana, Han, Hangul
    f"{''.join(SEPARATORS)}"
    "]*"
)
"""Characters that no normal form changes or joins with one another."""

_PLAIN_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")

_CODES = 0x110000
"""How many characters Unicode has room for."""


def spaced_normalizer(lower: bool) -> normalizers.Normalizer:
    """The normaliser of every tokenizer: ``build_normalizer`` and a space in front."""
    return normalizers.Sequence([build_normalizer(lower), normalizers.Prepend(" ")])


class Normalized:
    """Texts as a tokenizer reads them, one question or reply after the other.

    Args:
        texts: pairs of a question and a reply, see ``Tokenizer.train``.
    """

    def __init__(self, texts: Iterable[tuple[str, str]], case: str) -> None:
        self._texts = texts
        self._sides = (case != "keep", case == "lower")
        self._models = {lower: spaced_normalizer(lower) for lower in self._sides}

    def __iter__(self) -> Iterator[str]:
        for pair in self._texts:
            for text, lower in zip(pair, self._sides, strict=True):
                easy = plainly(text, lower)
                yield self._models[lower].normalize_str(encodable(text)) if easy is None else easy


def plainly(text: str, lower: bool) -> str | None:
    """What the normaliser makes of a text, if that is easily seen: most texts of many languages; else None.

    Of printable ASCII and other characters that stay as they are, it only takes superfluous spaces away,
    makes quotation marks plain and letters small.
    """
    if text.isascii():
        if not text.isprintable():
            return None
    elif _EASY.fullmatch(text):
        text = text.translate(_PLAIN_QUOTES)
    else:
        return None
    words = " ".join(text.split())
    return (f" {words.lower()}" if lower else f" {words}") if words else ""


def _joined(texts: Iterable[str], most: int) -> Iterator[str]:
    """Texts, at most so many at a time, as one."""
    iterator = iter(texts)
    while some := list(islice(iterator, most)):
        yield "".join(some)


class _Characters(NamedTuple):
    """The characters of texts.

    Args:
        counts: how often each occurs, by its code.
        separators: whether texts have separators, which are not counted.
    """

    counts: NDArray[np.int64]
    separators: bool

    @classmethod
    def of(cls, texts: Iterable[str]) -> _Characters:
        """Count them."""
        counts = np.zeros(_CODES, dtype=np.int64)
        for joined in _joined(texts, _COUNTED):
            found = np.bincount(np.frombuffer(joined.encode("utf-32-le"), dtype="<u4"))
            counts[: len(found)] += found
        codes = [ord(separator) for separator in SEPARATORS]
        separators = bool(counts[codes].any())
        counts[codes] = 0
        return cls(counts, separators)

    def most_frequent(self, room: int) -> list[str]:
        """At most so many, ties in code order, sorted by code."""
        counts = self.counts.copy()
        counts[ord(" ")] += 1
        codes = np.flatnonzero(counts)
        ranked = codes[np.argsort(-counts[codes], kind="stable")]
        return [chr(code) for code in sorted(ranked[:room].tolist())]

    def without(self, alphabet: Sequence[str]) -> list[str]:
        """Those that are not in an alphabet, separators among them."""
        known = set(alphabet)
        occurring = map(chr, np.flatnonzero(self.counts).tolist())
        return [*SEPARATORS, *(character for character in occurring if character not in known)]


def bytes_model(
    texts: Iterable[str], fixed: Sequence[str], vocabulary: int, merge: bool
) -> tokenizers.Tokenizer:
    """Byte-pair encoding with byte fallback; without merges it encodes characters.

    Args:
        fixed: the tokens that come first: special ones and bytes.
    """
    characters = _Characters.of(texts)
    forced = [" ", *SEPARATORS, *SPACED] if characters.separators else []
    room = max(1, vocabulary - len(fixed) - len(forced))
    alphabet = characters.most_frequent(int(room * _ALPHABET_SHARE) if merge else room)
    learned, merges = alphabet, list[tuple[str, str]]()
    if merge:
        learned, merges = _learn_merges(texts, alphabet, characters.without(alphabet), room)
    pieces = _PIECES
    if forced:
        merges = [(" ", separator) for separator in SEPARATORS] + merges
        pieces = _SEPARATOR_PIECES + _PIECES
    vocab = {token: i for i, token in enumerate(dict.fromkeys([*fixed, *forced, *learned]))}
    model = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=merges, byte_fallback=True))
    model.pre_tokenizer = pre_tokenizers.Split(Regex(pieces), "isolated")
    return model


def _learn_merges(
    texts: Iterable[str], alphabet: Sequence[str], foreign: Sequence[str], room: int
) -> tuple[list[str], list[tuple[str, str]]]:
    """What is learned from texts whose foreign characters are read as spaces.

    Texts are handed over many at a time: as each begins with a space, they are cut into the same pieces.
    """
    spaces = {ord(character): " " for character in foreign}
    model = tokenizers.Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.Split(Regex(_PIECES), "isolated")
    trainer = trainers.BpeTrainer(
        vocab_size=room,
        min_frequency=2,
        special_tokens=[],
        initial_alphabet=list(alphabet),
        show_progress=False,
    )
    model.train_from_iterator((joined.translate(spaces) for joined in _joined(texts, _HANDED_OVER)), trainer)
    learned = json.loads(model.to_str())["model"]
    ordered = sorted(learned["vocab"], key=learned["vocab"].__getitem__)
    return ordered[:room], [tuple(pair) for pair in learned["merges"]]


def words_model(
    texts: Iterable[str], fixed: Sequence[str], unknown: str, vocabulary: int
) -> tokenizers.Tokenizer:
    """The most frequent words, ties in code order.

    Args:
        fixed: the tokens that come first, among them ``unknown``, which stands for every other word.
    """
    from chatbot.text.casual import pieces

    cut = lru_cache(_REMEMBERED)(pieces)
    words: Counter[str] = Counter()
    for text in texts:
        words.update(cut(text))
    forced = list(SPACED) if any(separator in words for separator in SPACED) else []
    ranked = sorted(words.keys() - set(forced), key=lambda word: (-words[word], word))
    kept = ranked[: vocabulary - len(fixed) - len(forced)]
    vocab = {token: i for i, token in enumerate([*fixed, *forced, *kept])}
    return tokenizers.Tokenizer(models.WordLevel(vocab, unk_token=unknown))
