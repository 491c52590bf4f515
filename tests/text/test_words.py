"""Words as a reader sees them, against plain twins that go character by character."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.text.words import assign, merge_weights, read_words, set_off, word_spans

Spans = list[tuple[int, int]]
TEXTS = st.text(st.sampled_from(list("ab  .!好😀\u200d")), max_size=20)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop-gap e.g. 3.14!", ["Don't", "stop-gap", "e.g", ".", "3.14", "!"]),
        ("it\u2019s 'quoted'", ["it\u2019s", "'", "quoted", "'"]),
        ("你好 世界", ["你", "好", "世", "界"]),
        ("我love你", ["我", "love", "你"]),
        ("привет, мир", ["привет", ",", "мир"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("cafe\u0301 ok", ["cafe\u0301", "ok"]),
        ("👨\u200d👩\u200d👧 🇩🇪❤\ufe0f", ["👨\u200d👩\u200d👧", "🇩🇪", "❤\ufe0f"]),
        ("می\u200cخواهم ന്\u200d", ["می\u200cخواهم", "ന്\u200d"]),
        ("re\u00adad a\u0007b", ["re\u00adad", "a\u0007b"]),
        (" \t\n ", []),
    ],
)
def test_words_are_what_a_reader_sees(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_words_hold_everything_but_white_space(text: str) -> None:
    outside = set(range(len(text)))
    for start, end in word_spans(text):
        assert start < end
        outside -= set(range(start, end))
    assert all(text[at].isspace() for at in outside)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, Spans]:
    """A text and pieces of it, from left to right; some cover nothing, some of the text is in none."""
    text = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return text, [piece for piece in pairwise(cuts) if piece[0] < piece[1] or draw(st.booleans())]


def touches(piece: tuple[int, int], word: tuple[int, int]) -> bool:
    return not set(range(*word)).isdisjoint(range(piece[0], max(piece[1], piece[0] + 1)))


@given(cut_texts())
def test_read_words_are_those_pieces_touch_put_together_where_a_piece_runs_on(cut: tuple[str, Spans]) -> None:
    text, pieces = cut
    groups: list[set[int]] = []  # of words
    words = word_spans(text)
    for piece in pieces:
        touched = {at for at, word in enumerate(words) if touches(piece, word)}
        together = [group for group in groups if group & touched]
        groups = [group for group in groups if not group & touched]
        groups += [touched.union(*together)] if touched else []
    expected = sorted((words[min(group)][0], words[max(group)][1]) for group in groups)
    assert read_words(pieces, words) == expected


@given(cut_texts())
def test_every_piece_lies_in_the_read_word_it_touches(cut: tuple[str, Spans]) -> None:
    text, pieces = cut
    words = read_words(pieces, word_spans(text))
    for piece, owner in zip(pieces, assign(pieces, words), strict=True):
        touched = [at for at, word in enumerate(words) if touches(piece, word)]
        assert touched in ([owner], [])
        if not touched and piece[0] < piece[1]:
            assert owner == -1
            assert text[slice(*piece)].isspace()


@given(st.data())
def test_weights_are_summed_over_source_and_averaged_over_reply_pieces(data: st.DataObject) -> None:
    source_owners = owners_of(data)
    reply_owners = owners_of(data)
    shape = len(reply_owners), len(source_owners)
    values = st.lists(st.integers(0, 9), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    weights = np.array(data.draw(values), np.float32).reshape(shape)
    words = max(reply_owners, default=-1) + 1, max(source_owners, default=-1) + 1
    assert merge_weights(weights, reply_owners, source_owners, *words) == pytest.approx(
        naive_merge(weights.tolist(), reply_owners, source_owners, words)
    )


def owners_of(data: st.DataObject) -> list[int]:
    """Owners in order, every word owning a piece, some pieces without a word."""
    steps = data.draw(st.lists(st.sampled_from([0, 1, None]), max_size=6))
    word, owners = 0, [0]
    for step in steps:
        word += step or 0
        owners.append(-1 if step is None else word)
    return owners


def naive_merge(
    weights: list[list[float]], reply_owners: list[int], source_owners: list[int], words: tuple[int, int]
) -> np.ndarray:
    merged = np.zeros(words)
    for word in range(words[0]):
        rows = [weights[piece] for piece, owner in enumerate(reply_owners) if owner == word]
        for row in rows:
            for piece, weight in enumerate(row):
                owners = [owner for owner in source_owners[: piece + 1] if owner >= 0]
                merged[word, owners[-1]] += weight / len(rows)  # white space: to the word before
    return merged


def test_weight_on_white_space_in_front_goes_to_the_first_word() -> None:
    weights = np.array([[0.25, 0.75]], np.float32)
    assert merge_weights(weights, [0], [-1, 0], 1, 1).tolist() == [[1.0]]


def test_no_words_give_no_weights() -> None:
    assert merge_weights(np.zeros((1, 1), np.float32), [-1], [-1], 0, 0).shape == (0, 0)


@pytest.mark.parametrize("word", ["Zorblax", " Zorblax"])
@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Hi", "Hi Zorblax"),
        ("Hi,", "Hi, Zorblax"),
        ("Hi (", "Hi (Zorblax"),
        ('say "', 'say "Zorblax'),
        ('"', '"Zorblax'),
        ("¿", "¿Zorblax"),
        ('"no"', None),
        ("", None),
    ],
)
def test_word_from_elsewhere_is_set_off_as_it_must(word: str, before: str, text: str | None) -> None:
    """With or without the space it had; where nothing says so, that space decides."""
    assert before + set_off(before, word) == (before + word if text is None else text)


@pytest.mark.parametrize(
    ("before", "word", "text"),
    [
        ("好", " 你", "好你"),
        ("好", " a", "好 a"),
        ("ok", "!", "ok!"),
        ("ok", " 😀", "ok 😀"),
        ("ok", " :-)", "ok :-)"),
        ("e.g", ".", "e.g."),
    ],
)
def test_other_scripts_and_signs_stand_as_they_stood(before: str, word: str, text: str) -> None:
    assert before + set_off(before, word) == text
