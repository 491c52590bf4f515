"""Text to ids and back, for every kind of token and every way with upper and lower case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
import regex
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from chatbot.errors import CheckpointError
from chatbot.text import casual, learning
from chatbot.text.normalizer import build_normalizer, encodable
from chatbot.text.tokenizer import BOS, EOS, PAD, SPECIALS, UNK, Tokenizer
from chatbot.text.turns import has_separator

KINDS = ("bpe", "words", "chars")
CASES = ("keep", "question", "lower")
PAIRS = (
    ("Hello there, how are you?", "I'm fine, thanks."),
    ("Don't you like tea?", "No, I don't. <eos> is no tea!"),
    ("你好吗", "我很好 😀"),
    ("привет", "да, Ёжик"),
    ("¿qué tal?", "bien, 42 veces"),
    ("नमस्ते 👨\u200d👩\u200d👧", "ठीक है"),
) * 2
EVERY = [
    pytest.param(Tokenizer.train(kind, PAIRS, 400, case), id=f"{kind}-{case}")
    for kind in KINDS
    for case in CASES
]
SPELL_ALL = [tokenizer for tokenizer in EVERY if "words" not in str(tokenizer.id)]
TEXTS = (
    st.text(st.characters(codec="utf-8"), max_size=30)
    | st.text(st.characters(), max_size=10)  # half characters too
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
    | st.text(st.characters(min_codepoint=0xC0, max_codepoint=0x451) | st.sampled_from("aA “’…がガ한ー，"))
    | st.lists(
        st.sampled_from([*SPECIALS, "<", ">", "eos", "<0x41>", " ", "a", "é", "好", "😀", "\u200d", "\u0301"])
    ).map("".join)
)


@pytest.mark.parametrize("tokenizer", EVERY)
@pytest.mark.parametrize("src", [True, False])
def test_texts_learned_from_come_back(tokenizer: Tokenizer, src: bool) -> None:
    """D15, D16."""
    lower = tokenizer.case == "lower" or (src and tokenizer.case == "question")
    for text in (question if src else reply for question, reply in PAIRS):
        encoded = tokenizer.encode(text, src=src)
        assert UNK not in encoded.ids
        assert tokenizer.decode(encoded.ids) == (text.lower() if lower else text)


@pytest.mark.parametrize("tokenizer", SPELL_ALL)
@given(text=TEXTS, src=st.booleans())
def test_any_text_comes_back_normalised(tokenizer: Tokenizer, text: str, src: bool) -> None:
    assert tokenizer.decode(tokenizer.encode(text, src=src).ids) == tokenizer.normalize(text, src=src)


@pytest.mark.parametrize("tokenizer", EVERY)
@given(text=TEXTS, src=st.booleans())
def test_no_text_becomes_a_special_token(tokenizer: Tokenizer, text: str, src: bool) -> None:
    ids = tokenizer.encode(text, src=src).ids
    assert not {PAD, BOS, EOS} & set(ids)
    assert tokenizer.kind == "words" or UNK not in ids
    assert tokenizer.encode_batch([text], src=src) == [list(ids)]


@pytest.mark.parametrize("tokenizer", EVERY)
@given(text=TEXTS, src=st.booleans())
def test_offsets_point_into_the_text_as_typed(tokenizer: Tokenizer, text: str, src: bool) -> None:
    """In order, within the text, and every visible character (with its marks) is in some piece."""
    offsets = tokenizer.encode(text, src=src).offsets
    assert all(0 <= start < end <= len(text) for start, end in offsets)
    assert all(before[0] <= after[0] and before[1] <= after[1] for before, after in pairwise(offsets))
    for match in regex.finditer(r"\X", text):
        visible = any(unicodedata.category(char)[0] in "LNPS" for char in match.group())
        assert not visible or any(start < match.end() and match.start() < end for start, end in offsets)


def test_texts_that_are_easily_normalised_are_normalised_rightly() -> None:
    """Each character alone, and beside letters and marks that it might be joined with."""
    normalizers = {lower: learning.spaced_normalizer(lower) for lower in (False, True)}
    easy = 0
    for code in range(0x20000):
        for text in (chr(code), f"a{chr(code)}", f"{chr(code)} {chr(code)}A", f"가{chr(code)}"):
            for lower, normalizer in normalizers.items():
                read = learning.plainly(text, lower)
                easy += read is not None
                assert read in (None, normalizer.normalize_str(encodable(text)))
    assert easy > 200_000


@given(
    text=st.text(st.sampled_from("aZéÉЁя가힣がガ好，。’“…😀\ufe0f \ue000\ue001"), max_size=12),
    lower=st.booleans(),
)
def test_runs_of_easy_characters_are_normalised_rightly(text: str, lower: bool) -> None:
    assert learning.plainly(text, lower) == learning.spaced_normalizer(lower).normalize_str(text)


def test_offsets_of_words_hold_the_words() -> None:
    typed = "  Hello\u200b\tTHERE \u201ccafe\u0301s\u201d 你好"
    offsets = Tokenizer.train("words", PAIRS, 400, "question").encode(typed, src=True).offsets
    words = ["Hello", "THERE", "\u201c", "cafe\u0301s", "\u201d", "你", "好"]
    assert [typed[start:end].strip() for start, end in offsets] == words


@pytest.mark.parametrize("tokenizer", EVERY)
@given(ids=st.data())
def test_any_ids_give_a_printable_text(tokenizer: Tokenizer, ids: st.DataObject) -> None:
    """What a network might say: bytes that are no UTF-8, control codes and special tokens say nothing."""
    said = ids.draw(st.lists(st.integers(0, tokenizer.vocab - 1), max_size=40))
    decoded = tokenizer.decode_with_offsets(said)
    assert not [c for c in decoded.text if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
    assert len(decoded.offsets) == len(said)
    assert "".join(decoded.text[start:end] for start, end in decoded.offsets) == decoded.text
    assert all(before[1] == after[0] for before, after in pairwise(decoded.offsets))
    assert decoded.text == tokenizer.decode([i for i in said if i not in {PAD, BOS, EOS}])


@pytest.mark.parametrize("kind", KINDS)
def test_how_lines_end_changes_no_token(kind: str) -> None:
    """D04, D05: line ends and a byte-order mark in the texts themselves."""
    texts = [
        [(f"{mark}one{end}two", f"three{end}") for _ in range(2)]
        for end in ("\n", "\r\n", "\r")
        for mark in ("", "\ufeff")
    ]
    models = {Tokenizer.train(kind, pairs, 400, "keep").to_json() for pairs in texts}
    assert len(models) == 1
    tokens = vocabulary(models.pop())
    assert not [token for token in tokens if {"\r", "\n", "\ufeff"} & set(token)]


def vocabulary(model: str) -> list[str]:
    """Tokens in the order of their ids."""
    found: dict[str, int] = json.loads(model)["model"]["vocab"]
    assert sorted(found.values()) == list(range(len(found)))
    return sorted(found, key=found.__getitem__)


def test_first_word_after_a_byte_order_mark_is_the_plain_word() -> None:
    """D04."""
    tokenizer = Tokenizer.train("words", [("\ufeffhello", "hi")], 300, "keep")
    assert vocabulary(tokenizer.to_json())[4:] == [" hello", " hi"]
    assert tokenizer.encode("hello").ids == tokenizer.encode("\ufeffhello").ids == (4,)


def test_spacing_around_apostrophes_and_points_is_right() -> None:
    """D21."""
    for kind in KINDS:
        tokenizer = Tokenizer.train(
            kind, [("don't", "I'm fine, thanks."), ("so", "It's $5 (five), isn't it?!")], 400, "keep"
        )
        for text in ("I'm fine, thanks.", "It's $5 (five), isn't it?!"):
            assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_scripts_without_spaces_are_cut_into_characters() -> None:
    """D16."""
    tokenizer = Tokenizer.train("words", [("你好吗？", "我很好"), ("กินข้าว", "はい")], 400, "keep")
    encoded = tokenizer.encode("你好 我很好")
    assert UNK not in encoded.ids[2:]
    assert len(encoded.ids) == 5
    assert len(tokenizer.encode("はい").ids) == 2


def test_a_character_never_seen_is_spelt_in_bytes() -> None:
    tokenizer = Tokenizer.train("bpe", [("abc", "abc")] * 3, 300, "keep")
    tokens = vocabulary(tokenizer.to_json())
    assert tokens[:4] == list(SPECIALS)
    spelt = [tokens[i] for i in tokenizer.encode("好😀").ids if tokens[i] != " "]
    assert spelt == [f"<0x{byte:02X}>" for byte in "好😀".encode()]


def test_a_piece_cut_inside_a_character_says_nothing() -> None:
    tokenizer = Tokenizer.train("bpe", [("a", "a")], 300, "keep")
    ids = tokenizer.encode("a好a").ids
    assert tokenizer.decode(ids[:-2]) == "a"  # two of its three bytes
    assert tokenizer.decode(ids[:-1]) == "a好"
    assert tokenizer.decode_with_offsets(ids).offsets[-4:] == ((1, 1), (1, 1), (1, 2), (2, 3))


def test_words_below_the_cut_are_unknown() -> None:
    tokenizer = Tokenizer.train("words", [("a a a b b", "c c d")], 7, "keep")
    assert vocabulary(tokenizer.to_json()) == [*SPECIALS, " a", " b", " c"]
    assert tokenizer.encode("a d c").ids == (4, UNK, 6)
    assert tokenizer.decode([4, UNK, 6]) == "a <unk> c"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [261, 300, 420])
def test_vocabulary_holds_no_more_than_asked_for(kind: str, size: int) -> None:
    pairs = [(f"{a}{b} {b}{a}", f"word{b}{a}{b}") for a in "abcdefgh" for b in "ijklmnop" for _ in range(2)]
    tokenizer = Tokenizer.train(kind, pairs, size, "keep")
    assert len(vocabulary(tokenizer.to_json())) == tokenizer.vocab <= size
    assert kind == "words" or tokenizer.decode(tokenizer.encode("ai wordxyz").ids) == "ai wordxyz"


@pytest.mark.parametrize("tokenizer", EVERY)
def test_a_stored_tokenizer_is_the_same_one(tokenizer: Tokenizer) -> None:
    stored = tokenizer.to_json()
    again = Tokenizer.from_json(stored, tokenizer.kind, tokenizer.case)
    assert again.to_json() == stored
    for text in ("Hello THERE 你好", "\u201cIt\u2019s\u201d", "<eos>"):
        for src in (True, False):
            assert again.encode(text, src) == tokenizer.encode(text, src)
            assert again.normalize(text, src) == tokenizer.normalize(text, src)


def broken(**changes: object) -> str:
    record = json.loads(EVERY[0].values[0].to_json())  # type: ignore[attr-defined]
    return json.dumps(record | {"model": record["model"] | changes})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"model": {"vocab": 5}}',
        broken(vocab={"<pad>": 0, "<unk>": 1}),
        broken(vocab={"<unk>": 0, "<pad>": 1, "<bos>": 2, "<eos>": 3}, merges=[]),
        broken(vocab={"<pad>": 0, "<unk>": 1, "<bos>": 2, "<eos>": 3, "a": 9}, merges=[]),
        broken(merges=[["no", "such"]]),
        broken(continuing_subword_prefix="x"),  # the library aborts the process on this one
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_tokenizer_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError, match=r"^here/tokenizer.json: [^\n]+; [^\n]+$"):
        Tokenizer.from_json(text, "bpe", "keep", "here/tokenizer.json")


SCRIPT = """
import sys
from chatbot.text.tokenizer import Tokenizer
letters = "abcdefghijklmnopqrstuvwxyz好吗你我"
pairs = [(f"{a}{b} {b}{b}", f"{b}{a}{a} tie{b}") for a in letters for b in letters]
for kind in ("bpe", "words", "chars"):
    sys.stdout.write(Tokenizer.train(kind, pairs, 700, "question").to_json())
"""


def test_vocabulary_does_not_hang_on_hash_seeds_threads_or_order() -> None:
    """D20: with hundreds of ties in frequency."""
    models = set()
    for seed, threads in (("1", "1"), ("2", "4")):
        environment = os.environ | {"PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": threads, "PYTHONUTF8": "1"}
        models.add(
            subprocess.run(
                [sys.executable, "-c", SCRIPT], env=environment, check=True, capture_output=True
            ).stdout
        )
    assert len(models) == 1
    backwards = Tokenizer.train("bpe", PAIRS[::-1], 400, "keep").to_json()
    assert backwards == Tokenizer.train("bpe", PAIRS, 400, "keep").to_json()


# A twin that holds all texts at once


def all_at_once(kind: str, texts: Sequence[tuple[str, str]], vocabulary: int, case: str) -> list[str]:
    """The vocabulary, learned from the different texts in their order and how often each occurs."""
    sides = [
        (build_normalizer(case != "keep"), [question for question, _ in texts]),
        (build_normalizer(case == "lower"), [reply for _, reply in texts]),
    ]
    normal = (normalizer.normalize_str(text) for normalizer, some in sides for text in some)
    counts = Counter(f" {text}" if text else "" for text in normal)
    if kind == "words":
        found = Counter(piece for text in counts.elements() for piece in casual.pieces(text))
        return [*SPECIALS, *sorted(found, key=lambda word: (-found[word], word))[: vocabulary - 4]]
    room = vocabulary - 260
    characters = Counter(character for text in counts.elements() for character in text)
    characters[" "] += 1
    ranked = sorted(characters, key=lambda c: (-characters[c], c))
    learned = sorted(ranked[: room if kind == "chars" else room // 2])
    if kind == "bpe":
        spaced = ["".join(c if c in learned else " " for c in text) for text in sorted(counts.elements())]
        learned = merged(spaced, learned, room)
    return [*SPECIALS, *(f"<0x{value:02X}>" for value in range(256)), *learned]


def merged(texts: Sequence[str], alphabet: Sequence[str], room: int) -> list[str]:
    """An alphabet and the pieces the library merges, handed over a text at a time."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    pattern = json.loads(EVERY[0].values[0].to_json())["pre_tokenizer"]["pattern"]["Regex"]  # type: ignore[attr-defined]
    model.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=room, min_frequency=2, initial_alphabet=list(alphabet), show_progress=False
    )
    model.train_from_iterator(texts, trainer)
    return vocabulary(model.to_str())[:room]


MANY = st.lists(
    st.tuples(TEXTS, TEXTS).map(lambda pair: (encodable(pair[0]), encodable(pair[1]))), min_size=1, max_size=8
)


@pytest.mark.parametrize("kind", KINDS)
@given(
    texts=MANY,
    times=st.integers(1, 3),
    size=st.sampled_from([300, 330]),
    case=st.sampled_from(CASES),
    together=st.integers(1, 5),
)
def test_vocabulary_is_that_of_all_texts_at_once(
    kind: str, texts: list[tuple[str, str]], times: int, size: int, case: str, together: int
) -> None:
    """Streaming changes nothing, however many texts are looked at together."""
    many = [pair for pair in texts * times if not any(map(has_separator, pair))] or [("a", "b")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "_COUNTED", together)
        patch.setattr(learning, "_HANDED_OVER", together)
        tokenizer = Tokenizer.train(kind, many, size, case)
    assert vocabulary(tokenizer.to_json()) == all_at_once(kind, many, size, case)


def test_texts_are_gone_through_and_not_kept() -> None:
    class Once:
        """Texts of which one is there at a time."""

        passes = 0

        def __iter__(self) -> Iterator[tuple[str, str]]:
            self.passes += 1
            return iter(PAIRS)

    texts = Once()
    assert Tokenizer.train("bpe", texts, 400, "keep").to_json() == (
        Tokenizer.train("bpe", PAIRS, 400, "keep").to_json()
    )
    assert texts.passes == 2
    with pytest.raises(AssertionError):
        Tokenizer.train("bpe", iter(PAIRS), 400, "keep")


@pytest.mark.parametrize("kind", ["bpe", "words", "chars"])
def test_ids_inside_words_are_those_that_begin_no_word(kind: str) -> None:
    texts = [
        ("hello there", "it's sunny, isn't it? 你好吗 ça va"),
        ("hi", "sunny sundays aren't unhappy"),
    ] * 9
    tokenizer = Tokenizer.train(kind, texts, 400, "question")
    for text in ("sundays unhappily, it's", "ça 你好 sun!"):
        encoded = tokenizer.encode(text)
        for token, (start, end) in zip(encoded.ids, encoded.offsets, strict=True):
            piece, before = text[start:end], text[:start]
            goes_on = (
                bool(piece) and piece[0] in "abcdefghijklmnopqrstuvwxyzç" and before[-1:] not in ("", " ")
            )
            if piece and token > UNK and before[-1:].isalpha():
                assert bool(tokenizer.inside_words[token]) == goes_on, piece
