"""Tokenizer: text <-> ids, with offsets into the text as typed.

One class over the ``tokenizers`` library for the three kinds. Every text is normalised, gets one
space in front and is cut into pieces that keep their leading space, so that joining the pieces gives
the normalised text back, spacing included:

    bpe    sub-words: byte-pair encoding (Sennrich et al. 2016) with byte fallback: a character that is
           not in the alphabet is spelt by its UTF-8 bytes, so nothing is unknown
    words  the pieces of nltk's casual tokenizer, the most frequent kept; the others are <unk>
    chars  characters, with the same byte fallback

The special tokens are ids 0 to 3 and no text is ever encoded to them: a typed "<eos>" is plain text.
The separators of ``chatbot.text.turns`` are one token each in every tokenizer that learned from them.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from chatbot.errors import CheckpointError
from chatbot.text.learning import SPACED, Normalized, bytes_model, plainly, spaced_normalizer, words_model
from chatbot.text.normalizer import encodable, invisible_removed
from chatbot.text.turns import SEPARATORS
from chatbot.text.words import goes_on, set_off

SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
PAD, UNK, BOS, EOS = range(4)

_BYTES = tuple(f"<0x{value:02X}>" for value in range(256))
_BYTE_OF = {token: bytes([value]) for value, token in enumerate(_BYTES)}

_NO_SPECIALS = {"add_special_tokens": False}
"""For the library: texts become the ids of what is in them, and no more."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Ids and, for each, the half-open character range of the text as typed it stands for."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]

    def last(self, most: int) -> Encoded:
        """The last so many."""
        return Encoded(self.ids[-most:], self.offsets[-most:])


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and, for each id it came from, its half-open character range in that text."""

    text: str
    offsets: tuple[tuple[int, int], ...]


class Tokenizer:
    """Text <-> ids.

    Args:
        model: a ``tokenizers`` tokenizer whose normaliser ends by putting a space in front.
        kind: bpe, words or chars.
        case: keep, question or lower; "question" lower-cases questions only.
    """

    def __init__(self, model: tokenizers.Tokenizer, kind: str, case: str) -> None:
        self.kind = kind
        self.case = case
        self._serialized = ""
        if kind == "words":
            from chatbot.text.casual import casual_pre_tokenizer

            self._serialized = model.to_str()  # which the library cannot say once our cutter is in it
            model.pre_tokenizer = casual_pre_tokenizer()
        self._tgt = model
        self._src = model
        if case == "question":
            self._src = _with_normalizer(model, spaced_normalizer(lower=True))
        self.vocab: int = model.get_vocab_size()
        self._spellings = [_spelling(model.id_to_token(i) or "") for i in range(self.vocab)]
        self._spellings[: len(SPECIALS)] = [b"", f" {SPECIALS[UNK]}".encode(), b"", b""]
        self._separators: set[int] = set()
        for separator in (*SEPARATORS, *SPACED):
            if (token := model.token_to_id(separator)) is not None:
                self._spellings[token] = b""
                self._separators.add(token)
        self._bare: dict[bool, tokenizers.Tokenizer] = {}

    @classmethod
    def train(cls, kind: str, texts: Iterable[tuple[str, str]], vocabulary: int, case: str) -> Tokenizer:
        """Learn a vocabulary from (question, reply) texts of the training split.

        The result depends on the texts and their number alone: not on hash seeds, threads, order or ties.
        The texts are gone through once or twice and not kept.

        Args:
            kind: bpe, words or chars.
            texts: pairs of texts as typed; must give the same ones each time they are gone through.
            vocabulary: most tokens, the four special ones and the 256 bytes (bpe, chars) included.
            case: keep, question or lower.
        """
        assert not isinstance(texts, Iterator), "texts that can be gone through only once"
        normalized = Normalized(texts, case)
        if kind == "words":
            model = words_model(normalized, SPECIALS, SPECIALS[UNK], vocabulary)
        else:
            model = bytes_model(normalized, (*SPECIALS, *_BYTES), vocabulary, merge=kind == "bpe")
        model.normalizer = spaced_normalizer(lower=case == "lower")
        return cls(model, kind, case)

    @classmethod
    def from_json(cls, text: str, kind: str, case: str, where: str = "tokenizer.json") -> Tokenizer:
        """Read a tokenizer in the Hugging Face ``tokenizers`` format.

        Raises:
            CheckpointError: it is no such tokenizer, or its special tokens are not ids 0 to 3.
        """
        remedy = "restore the file, or train again"
        if not _is_sound(text):
            raise CheckpointError(where, "is no tokenizer of this program", remedy)
        try:
            model = tokenizers.Tokenizer.from_str(text)
        except Exception as error:  # the library raises plain Exception
            raise CheckpointError(where, f"is no tokenizer ({error})", remedy) from None
        if [model.id_to_token(i) for i in range(4)] != list(SPECIALS):
            raise CheckpointError(where, "special tokens are not ids 0 to 3", remedy)
        return cls(model, kind, case)

    def words(self) -> list[str]:
        """What each id spells, without the space in front; "" for special tokens and single bytes."""
        names = (self._tgt.id_to_token(i) for i in range(self.vocab))
        return [
            "" if i < len(SPECIALS) or name in _BYTE_OF else spelling.decode("utf-8", "replace").strip()
            for i, (name, spelling) in enumerate(zip(names, self._spellings, strict=True))
        ]

    def spellings(self) -> tuple[bytes, ...]:
        """What each id adds to a text, as bytes: with the space in front, and single bytes as they are."""
        return tuple(self._spellings)

    @cached_property
    def inside_words(self) -> NDArray[np.bool_]:
        """Which ids go on with the word, or the character, before them.

        Shapes: [vocab]
        """
        found = np.zeros(self.vocab, np.bool_)
        for i, spelling in enumerate(self._spellings):
            lone_byte = len(spelling) == 1 and spelling > b"\x7f"
            found[i] = lone_byte or goes_on(spelling.decode("utf-8", "replace"))
        return found

    def to_json(self) -> str:
        """The tokenizer in the Hugging Face ``tokenizers`` format; the same bytes for the same tokenizer."""
        return json.dumps(json.loads(self._serialized or self._tgt.to_str()), ensure_ascii=False, indent=1)

    def normalize(self, text: str, src: bool = False) -> str:
        """The text as the model reads (``src``) or says it."""
        model = self._src if src else self._tgt
        return str(model.normalizer.normalize_str(encodable(text))).removeprefix(" ")

    def encode(self, text: str, src: bool = False) -> Encoded:
        """Ids and offsets of a text as typed.

        Args:
            src: the text is a question (matters where only questions are lower-cased).
        """
        encoding = (self._src if src else self._tgt).encode(encodable(text), add_special_tokens=False)
        return Encoded(tuple(encoding.ids), tuple(encoding.offsets))

    def encode_batch(self, texts: Sequence[str], src: bool = False) -> list[list[int]]:
        """Ids of many texts, on all cores."""
        model = self._src if src else self._tgt
        lower = self.case == "lower" or (src and self.case == "question")
        easy = [plainly(text, lower) for text in texts]
        hard = [encodable(text) for text, read in zip(texts, easy, strict=True) if read is None]
        if src not in self._bare:
            self._bare[src] = _with_normalizer(model, None)
        fast = self._bare[src].encode_batch_fast([text for text in easy if text is not None], **_NO_SPECIALS)
        if not hard:
            return [found.ids for found in fast]
        slow, quick = iter(model.encode_batch_fast(hard, **_NO_SPECIALS)), iter(fast)
        return [next(slow if text is None else quick).ids for text in easy]

    def decode(self, ids: Iterable[int], words: Sequence[str] = ()) -> str:
        """The text of some ids; special tokens other than <unk> say nothing."""
        return self.decode_with_offsets(ids, words).text

    def decode_turns(self, ids: Iterable[int]) -> tuple[str, ...]:
        """The turns of a source, see ``chatbot.text.turns``: what stands between its separators."""
        turns: list[list[int]] = [[]]
        for token in ids:
            if token in self._separators:
                turns.append([])
            else:
                turns[-1].append(token)
        return tuple(self.decode(turn).strip() for turn in turns if turn)

    def decode_with_offsets(self, ids: Iterable[int], words: Sequence[str] = ()) -> Decoded:
        """The text of some ids and each id's range in it.

        A character that takes several bytes belongs to the id that completes it. Bytes that are no
        UTF-8, and characters that could steer a terminal, are left out.

        Args:
            words: what the ids from ``vocab`` on spell, see ``chatbot.text.extension``; where they are not
                known any more, they are called word1, word2 and so on.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")
        text, ends = "", []
        for token in ids:
            if token < self.vocab:
                piece = decoder.decode(self._spellings[token])
            else:
                k = token - self.vocab
                piece = set_off(text, words[k] if k < len(words) else f" word{k + 1}")
            text += invisible_removed(piece)
            ends.append(len(text))
        shift = 1 if text.startswith(" ") else 0
        ends = [max(0, end - shift) for end in ends]
        return Decoded(text[shift:], tuple(zip([0, *ends[:-1]], ends, strict=True)) if ends else ())


def _is_sound(text: str) -> bool:
    """Whether a serialised tokenizer has the shape of ours: the library aborts on some that have not."""
    try:
        record = json.loads(text)
        model = record["model"]
        ids = sorted(model["vocab"].values())
        affixes = [model.get("continuing_subword_prefix"), model.get("end_of_word_suffix")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False
    whole = ids == list(range(len(ids))) and not any(affixes)
    return whole and bool(record.get("normalizer")) and not record.get("added_tokens")


def _spelling(token: str) -> bytes:
    """The bytes a token stands for: one for a byte token, else its characters in UTF-8."""
    return _BYTE_OF.get(token) or token.encode("utf-8")


def _with_normalizer(model: tokenizers.Tokenizer, normalizer: Any) -> tokenizers.Tokenizer:
    """The same vocabulary and cutter behind another normaliser; None: texts are normalised already."""
    other = tokenizers.Tokenizer(model.model)
    if normalizer is not None:
        other.normalizer = normalizer
    other.pre_tokenizer = model.pre_tokenizer
    return other
