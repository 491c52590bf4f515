"""The index of training pairs against a search that compares whole vectors one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbot.errors import CheckpointError
from chatbot.trust.nearest import DIMENSIONS, PairIndex

SIZE, PAIRS = 48, 300


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float32]:
    """Vectors with a large common part and strong directions, as encoders make them."""
    random = np.random.default_rng(5)
    spread = np.linspace(3, 0.3, SIZE)
    return (random.normal(size=(PAIRS, SIZE)) * spread + 4).astype(np.float32)


@pytest.fixture(scope="module")
def index(vectors: NDArray[np.float32]) -> PairIndex:
    return PairIndex.of([(f"q{row}", f"r{row}") for row in range(PAIRS)], vectors)


def naive(
    vectors: NDArray[np.float32], index: PairIndex, vector: NDArray[np.float32], most: int
) -> list[str]:
    asked = (vector - index.mean).astype(float) @ index.basis
    found = []
    for row in range(len(vectors)):
        own = index.vectors[row].astype(float)
        found.append((-(own @ asked) / np.linalg.norm(own) / np.linalg.norm(asked), row))
    return [f"q{row}" for _, row in sorted(found)[:most]]


def test_nearest_to_a_training_question_is_itself(vectors: NDArray[np.float32], index: PairIndex) -> None:
    for row in range(PAIRS):
        (found,) = index.nearest(vectors[row], 1)
        assert (found.question, found.reply) == (f"q{row}", f"r{row}")
        assert found.similarity > 0.99


def test_nearest_are_those_of_a_naive_search(vectors: NDArray[np.float32], index: PairIndex) -> None:
    for vector in np.random.default_rng(1).normal(size=(20, SIZE)).astype(np.float32) * 2 + 4:
        found = index.nearest(vector, 7)
        assert [pair.question for pair in found] == naive(vectors, index, vector, 7)
        similarities = [pair.similarity for pair in found]
        assert similarities == sorted(similarities, reverse=True)
        assert all(-1 <= each <= 1 for each in similarities)


def test_similar_question_is_nearer_than_others(vectors: NDArray[np.float32], index: PairIndex) -> None:
    random = np.random.default_rng(2)
    for row in range(0, PAIRS, 10):
        moved = vectors[row] + random.normal(size=SIZE).astype(np.float32) * 0.1
        assert index.nearest(moved, 1)[0].question == f"q{row}"


def test_more_than_there_are_gives_all(vectors: NDArray[np.float32], index: PairIndex) -> None:
    assert len(index.nearest(vectors[0], PAIRS + 5)) == PAIRS
    assert index.nearest(vectors[0], 0) == []


def test_equally_near_pairs_come_in_their_order() -> None:
    vectors = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], np.float32)
    index = PairIndex.of([(f"q{row}", "") for row in range(4)], vectors)
    assert [pair.question for pair in index.nearest(vectors[0], 2)] == ["q0", "q1"]


@pytest.mark.parametrize("rows", [1, 2])
def test_index_of_one_or_of_equal_vectors_answers(rows: int) -> None:
    vectors = np.ones((rows, 3), np.float32)
    index = PairIndex.of([("q", "r")] * rows, vectors)
    found = index.nearest(np.zeros(3, np.float32), 5)
    assert len(found) == rows
    assert all(np.isfinite(pair.similarity) for pair in found)


def test_what_is_stored_is_read_back_and_small(vectors: NDArray[np.float32], index: PairIndex) -> None:
    stored = index.to_bytes()
    back = PairIndex.from_bytes(*stored, "why")
    assert back.texts == index.texts
    for vector in vectors[:10]:
        assert back.nearest(vector, 5) == index.nearest(vector, 5)
    assert len(stored[0]) < PAIRS * DIMENSIONS + SIZE * (DIMENSIONS * 2 + 4) + 500


def test_texts_with_line_breaks_and_half_characters_are_stored() -> None:
    texts = [("a\u2028b\nc", "d\r"), ("\ud83d", "ok")]
    stored = PairIndex.of(texts, np.eye(2, dtype=np.float32)).to_bytes()
    assert PairIndex.from_bytes(*stored, "why").texts == (texts[0], ("?", "ok"))


def test_files_that_do_not_belong_together_are_refused(index: PairIndex) -> None:
    vectors, texts = index.to_bytes()
    for pair in ((vectors, texts[: len(texts) // 2]), (vectors, texts + b'["a", "b"]\n'), (b"", texts)):
        with pytest.raises(CheckpointError, match="why: cannot be read"):
            PairIndex.from_bytes(*pair, "why")
