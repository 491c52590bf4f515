"""Near duplicates, against a table written by hand and against Jaccard similarities counted in full."""

from __future__ import annotations

import random
import sys
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.near import SIDE_WORDS, TRIES, Sketches, canonical, sketch


def sketched(src: str, tgt: str) -> bytes | None:
    """The sketch of a pair of texts as typed."""
    return sketch(canonical(src), canonical(tgt))


EQUAL = [
    ("Hello!", "hello"),
    ("hello  there\tyou", " Hello there, you..."),
    ("heyyy", "heyyyyy"),
    ("Heyyyy!!", "hey"),
    ("SOOOO good", "so good"),
    ("hiiii", "hi"),
    ("Don't know", "dont know"),
    ("Don’t know", "don't know"),
    ('"yes"', "yes"),
    ("“yes”", "yes"),
    ("ok 😀", "ok"),
    ("ok 👍🏽", "OK 👍"),
    ("wait...what", "wait what"),
    ("well - yes", "well, yes"),
    ("snake_case", "snake case"),
    ("ＨＥＬＬＯ　１２", "hello 12"),
    ("Straße", "STRASSE"),
    ("cafe\u0301", "CAFÉ"),
    ("¿Qué tal?", "qué tal"),
    ("l’été", "L'été"),
    ("да!!!", "Да"),
    ("Что?", "что"),
    ("你好！", "你好"),
    ("你好，吗？", "你好 吗"),
    ("哈哈哈哈", "哈哈哈"),
    ("ありがとう。", "ありがとう！"),
    ("좋아요~", "좋아요"),
    ("مرحبا؟", "مرحبا"),
    ("می\u200cخواهم", "میخواهم"),
    ("हाँ।", "हाँ"),
    ("❤\ufe0f", "❤"),
    ("？？", "??"),
    ("ﬁne", "fine"),
]

DIFFERENT = [
    ("???", "!!!"),
    ("😀", "😢"),
    (":)", ":("),
    ("meet at 5", "meet at 6"),
    ("1000", "10"),
    ("111", "1"),
    ("3.5", "35"),
    ("I like it", "I don't like it"),
    ("can", "can't"),
    ("of", "off"),
    ("god", "good"),
    ("hey you", "heyyou"),
    ("C++", "C"),
    ("C#", "C"),
    ("$5", "€5"),
    ("5%", "5"),
    ("World War III", "World War I"),
    ("Henry VIII", "Henry VI"),
    ("año", "ano"),
    ("schon", "schön"),
    ("не знаю", "знаю"),
    ("كلب", "قلب"),
    ("कि", "की"),
    ("你好", "您好"),
    ("ば", "は"),
    ("네", "내"),
    ("yes", "no"),
    ("", "ok"),
    ("!", ""),
]

LONG = "I went to the market this morning and bought three apples, some bread and a pound of cheese"
REPLY = "That sounds like a lovely breakfast, did you also remember to get some milk for the coffee"

NEAR = [
    ((LONG, REPLY), (LONG.upper() + "!!", REPLY)),
    ((LONG, REPLY), (LONG, REPLY + " today")),
    ((f"{LONG} {REPLY}", REPLY), (f"{LONG.replace('three', 'four')} {REPLY}", REPLY)),
    ((LONG, "Nice!"), (LONG.replace(",", ""), "nice")),
    (
        ("我昨天去了市场买了三个苹果和一些面包还有牛奶", "听起来不错"),
        ("我昨天去了市场买了三个苹果和一些面包还有牛奶！", "听起来不错。"),
    ),
    (
        ("я вчера ходил на рынок и купил там три яблока хлеб и молоко", "отлично"),
        ("Я вчера ходил на рынок и купил там три яблока, хлеб и молоко.", "Отлично!"),
    ),
]

NOT_NEAR = [
    ((LONG, "yes"), (LONG, "no")),
    ((LONG, REPLY), (LONG, "I have never liked cheese, bread is what I eat all day long with butter")),
    ((LONG, REPLY), (REPLY, LONG)),
    (("how are you", REPLY), ("who are you", REPLY)),
    ((LONG, "I like it"), (LONG, "I don't like it")),
    ((LONG, "meet at 5"), (LONG, "meet at 6")),
    (
        ("我昨天去了市场买了三个苹果和一些面包还有牛奶", "很好"),
        ("我昨天去了市场买了三个苹果和一些面包还有牛奶", "不好"),
    ),
    (("a b c d e f g h i j k l", "ok"), ("l k j i h g f e d c b a", "ok")),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_canonical_is_shared_by_nearly_equal_texts(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_canonical_tells_different_texts_apart(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


def test_canonical_is_words_with_single_spaces() -> None:
    assert canonical("  Well... I'm 18+, OK?  😀 ") == "well im 18+ ok"
    assert canonical(" ?  ! ") == "? !"


@given(st.text())
def test_canonical_of_a_canonical_form_is_the_form(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


@given(st.text(st.characters(codec="ascii")))
def test_canonical_of_ascii_is_as_of_other_texts(text: str) -> None:
    """A word put after the text sends it through the rules for all scripts."""
    assert canonical(text + " ok é") == (canonical(text + " ok") + " é")


@given(
    st.lists(st.text("abcdeé你да12", min_size=1, max_size=5), min_size=1),
    st.lists(st.sampled_from([" ", "! ", ", ", " - ", "... ", "? ", " “", " 😀 ", "。 ", "\n"]), min_size=1),
)
def test_canonical_ignores_what_stands_between_words(words: list[str], marks: list[str]) -> None:
    spaced = "".join(word + marks[at % len(marks)] for at, word in enumerate(words))
    assert canonical(spaced) == canonical(" ".join(words))


def test_short_pairs_have_no_sketch() -> None:
    assert sketched("one two three four five six", "one two three four five") is None
    assert sketched("one two three four five six", "one two three four five six") is not None
    assert sketched("你好吗我很好谢谢你", "不客气") is not None
    assert sketched("", "") is None


@given(st.text(), st.text(max_size=3))
def test_sketch_takes_any_text(src: str, tgt: str) -> None:
    found = sketched(src * 3, tgt)
    assert found is None or len(found) == 80


def test_sketch_is_the_same_everywhere() -> None:
    """The digit of one word, from its checksum by hand; no other is in its slot."""
    found = sketched("a b c d e f", "g h i j k l")
    assert found is not None
    value = zlib.crc32(b"f")
    slots = found[:32].hex()
    assert slots[value >> 26] == "123456789abcdef"[(value & 255) % 15]


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_near_pairs_are_found(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert not admitted(one, other)


@pytest.mark.parametrize(("one", "other"), NOT_NEAR)
def test_different_pairs_are_not_near(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert admitted(one, other)


def test_a_pair_that_is_near_is_not_remembered() -> None:
    """A chain of small changes does not carry a pair away from the one that was kept."""
    sketches = Sketches()
    words = LONG.split()
    found = []
    for changed in range(len(words)):
        text = " ".join(["other"] * changed + words[changed:])
        found.append(sketches.near(sketched(text, "ok") or b""))
    assert found[:2] == [False, True]
    assert 2 <= found.count(False) == len(sketches) < len(words)


def test_near_pairs_are_those_of_a_high_jaccard_similarity() -> None:
    """Pairs of random words and edited copies of them, each against the original alone."""
    draw = dice(3)
    vocabulary = [f"word{number}" for number in range(300)] + ["the", "a", "to", "is"] * 20
    wrong = missed = flagged = alike = 0
    for _ in range(1_500):
        pair = tuple(draw.choices(vocabulary, k=draw.randint(4, 40)) for _ in range(2))
        copy = tuple(edited(side, draw.choice([0, 1, 1, 2, 3, 5]), vocabulary, draw) for side in pair)
        if sum(map(len, pair)) < 12 or sum(map(len, copy)) < 12:
            continue
        likeness = min(jaccard(*sides) for sides in zip(pair, copy, strict=True))
        near = not admitted(*(tuple(map(" ".join, one)) for one in (pair, copy)))
        flagged, alike = flagged + near, alike + (likeness >= 0.9)
        wrong, missed = wrong + (near and likeness < 0.75), missed + (likeness >= 0.9 and not near)
    assert flagged > 200 < alike
    assert wrong <= 0.02 * flagged
    assert missed <= 0.15 * alike


def test_sketches_remember_through_growing() -> None:
    draw = dice(1)
    pairs = [
        (" ".join(str(draw.randrange(10**6)) for _ in range(14)), str(number)) for number in range(3_000)
    ]
    sketches = Sketches()
    assert not any(sketches.near(sketched(*pair) or b"") for pair in pairs)
    assert len(sketches) == 3_000
    assert all(sketches.near(sketched(*pair) or b"") for pair in pairs)
    assert len(sketches) == 3_000
    parts = (sketches._slots, sketches._keys, sketches._next, sketches._first)
    assert sum(map(sys.getsizeof, parts)) < 150 * len(sketches)


def test_sketches_compare_a_form_letter_with_the_latest_alone() -> None:
    """Many that share all bands and are not near: only bits of the slots differ."""
    sketches = Sketches()
    made = sketched(LONG, REPLY) or b""
    draw = dice(2)
    others = [draw.randbytes(64) + made[64:] for _ in range(TRIES + 1)]
    assert not any(map(sketches.near, others))
    assert (sketches.near(others[-1]), sketches.near(others[0])) == (True, False)


def dice(seed: int) -> random.Random:
    """The same draws each time."""
    return random.Random(seed)  # noqa: S311


def admitted(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the second pair is kept after the first."""
    first, second = sketched(*one), sketched(*other)
    assert first is not None
    assert second is not None
    sketches = Sketches()
    assert not sketches.near(first)
    return not sketches.near(second)


def jaccard(one: list[str], other: list[str]) -> float:
    """Counted in full; of short sides, whether they are equal."""
    if min(len(one), len(other)) < SIDE_WORDS:
        return float(one == other)
    first, second = (set(side) | set(pairwise(side)) for side in (one, other))
    return len(first & second) / len(first | second)


def edited(words: list[str], times: int, vocabulary: list[str], draw: random.Random) -> list[str]:
    """The words with some left out, put in or replaced."""
    found = list(words)
    for _ in range(times):
        at = draw.randrange(len(found)) if found else 0
        found[at : at + draw.choice([0, 1])] = draw.choice([[], [draw.choice(vocabulary)]])
    return found
