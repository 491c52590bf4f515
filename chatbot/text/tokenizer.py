"""Tokenizer: text <-> ids, with offsets into the text as typed.

One class over the ``tokenizers`` library for the three kinds. Every text is normalised, gets one
space in front and is cut into pieces that keep their leading space, so that joining the pieces gives
the normalised text back, spacing included:

    bpe    sub-words: byte-pair encoding (Sennrich et al. 2016) with byte fallback: a character that is
           not in the alphabet is spelt by its UTF-8 bytes, so nothing is unknown
    words  the pieces of nltk's casual tokenizer, the most frequent kept; the others are <unk>
    chars  characters, with the same byte fallback

The special tokens are ids 0 to 3 and no text is ever encoded to them: a typed "<eos>" is plain text.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from chatbot.errors import CheckpointError
from chatbot.text.normalizer import build_normalizer, encodable, invisible_removed
from chatbot.text.words import set_off

SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
PAD, UNK, BOS, EOS = range(4)

_BYTES = tuple(f"<0x{value:02X}>" for value in range(256))
_BYTE_OF = {token: bytes([value]) for value, token in enumerate(_BYTES)}

_PIECES = (
    r"'(?:s|t|re|ve|m|ll|d|S|T|RE|VE|M|LL|D)(?![\p{L}\p{N}])"  # English clitics, as one piece
    r"| ?\p{L}[\p{L}\p{M}]*| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s"
)

_ALPHABET_SHARE = 0.5
"""At most this share of a sub-word vocabulary is single characters; rarer ones are spelt in bytes."""


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
        self._serialized: str = model.to_str()
        if kind == "words":
            from chatbot.text.casual import casual_pre_tokenizer

            model.pre_tokenizer = casual_pre_tokenizer()
        self._tgt = model
        self._src = model
        if case == "question":
            self._src = tokenizers.Tokenizer.from_str(self._serialized)
            self._src.normalizer = _normalizer(lower=True)
            self._src.pre_tokenizer = model.pre_tokenizer
        self.vocab: int = model.get_vocab_size()
        self._spellings = [_spelling(model.id_to_token(i) or "") for i in range(self.vocab)]
        self._spellings[: len(SPECIALS)] = [b"", f" {SPECIALS[UNK]}".encode(), b"", b""]

    @classmethod
    def train(cls, kind: str, texts: Iterable[tuple[str, str]], vocabulary: int, case: str) -> Tokenizer:
        """Learn a vocabulary from (question, reply) texts of the training split.

        The result depends on the texts and their number alone: not on hash seeds, threads or ties.

        Args:
            kind: bpe, words or chars.
            texts: pairs of texts as typed.
            vocabulary: most tokens, the four special ones and the 256 bytes (bpe, chars) included.
            case: keep, question or lower.
        """
        counts: Counter[str] = Counter()
        lower, keep = _normalizer(lower=True), _normalizer(lower=False)
        for question, reply in texts:
            counts[(keep if case == "keep" else lower).normalize_str(encodable(question))] += 1
            counts[(lower if case == "lower" else keep).normalize_str(encodable(reply))] += 1
        if kind == "words":
            model = _words_model(counts, vocabulary)
        else:
            model = _bytes_model(counts, vocabulary, merge=kind == "bpe")
        model.normalizer = _normalizer(lower=case == "lower")
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

    def to_json(self) -> str:
        """The tokenizer in the Hugging Face ``tokenizers`` format; the same bytes for the same tokenizer."""
        return json.dumps(json.loads(self._serialized), ensure_ascii=False, indent=1)

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
        clean = [encodable(text) for text in texts]
        return [encoding.ids for encoding in model.encode_batch_fast(clean, add_special_tokens=False)]

    def decode(self, ids: Iterable[int], words: Sequence[str] = ()) -> str:
        """The text of some ids; special tokens other than <unk> say nothing."""
        return self.decode_with_offsets(ids, words).text

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


def _normalizer(lower: bool) -> Any:
    return normalizers.Sequence([build_normalizer(lower), normalizers.Prepend(" ")])


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


def _bytes_model(counts: Counter[str], vocabulary: int, merge: bool) -> tokenizers.Tokenizer:
    """Byte-pair encoding with byte fallback; without merges it encodes characters."""
    fixed = [*SPECIALS, *_BYTES]
    room = max(1, vocabulary - len(fixed))
    alphabet = _alphabet(counts, int(room * _ALPHABET_SHARE) if merge else room)
    learned, merges = list(alphabet), list[tuple[str, str]]()
    if merge:
        learned, merges = _learn_merges(counts, alphabet, room)
    vocab = {token: i for i, token in enumerate(fixed + learned)}
    model = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=merges, byte_fallback=True))
    model.pre_tokenizer = pre_tokenizers.Split(Regex(_PIECES), "isolated")
    return model


def _alphabet(counts: Counter[str], room: int) -> list[str]:
    """The most frequent characters, ties in code order, sorted by code."""
    characters: Counter[str] = Counter({" ": 1})
    for text, count in counts.items():
        for character in text:
            characters[character] += count
    ranked = sorted(characters, key=lambda c: (-characters[c], c))
    return sorted(ranked[:room])


def _learn_merges(
    counts: Counter[str], alphabet: Sequence[str], room: int
) -> tuple[list[str], list[tuple[str, str]]]:
    known = set(alphabet)
    foreign = {ord(c): " " for text in counts for c in set(text) - known}

    def texts() -> Iterator[str]:
        for text in sorted(counts):
            for _ in range(counts[text]):
                yield text.translate(foreign)

    model = tokenizers.Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.Split(Regex(_PIECES), "isolated")
    trainer = trainers.BpeTrainer(
        vocab_size=room,
        min_frequency=2,
        special_tokens=[],
        initial_alphabet=list(alphabet),
        show_progress=False,
    )
    model.train_from_iterator(texts(), trainer)
    learned = json.loads(model.to_str())["model"]
    ordered = sorted(learned["vocab"], key=learned["vocab"].__getitem__)
    return ordered[:room], [tuple(pair) for pair in learned["merges"]]


def _words_model(counts: Counter[str], vocabulary: int) -> tokenizers.Tokenizer:
    from chatbot.text.casual import pieces

    words: Counter[str] = Counter()
    for text, count in counts.items():
        for piece in pieces(text):
            words[piece] += count
    ranked = sorted(words, key=lambda word: (-words[word], word))
    kept = ranked[: vocabulary - len(SPECIALS)]
    vocab = {token: i for i, token in enumerate([*SPECIALS, *kept])}
    return tokenizers.Tokenizer(models.WordLevel(vocab, unk_token=SPECIALS[UNK]))
