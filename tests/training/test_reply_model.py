from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from chatbot import checkpoint
from chatbot.dataset.encoded import EncodedPairs
from chatbot.decoding.language_model import BackOff
from chatbot.errors import CheckpointError
from chatbot.text.tokenizer import BOS, EOS, UNK
from chatbot.training.equipment import equip
from chatbot.training.reply_model import reply_model

VOCAB = 11
ROUNDING = 1 / 16
"""A stored number is off by at most half of it, and a probability may be the product of several."""


def pairs(replies: Sequence[Sequence[int]]) -> EncodedPairs:
    return EncodedPairs.from_lists([[4]] * len(replies), replies, [1] * len(replies), 99)


def random_replies(seed: int, count: int = 60) -> list[list[int]]:
    """Some more frequent than others, one empty."""
    random = np.random.default_rng(seed)
    rows = [random.choice([4, 4, 4, 5, 5, 6, 7, 8, 9], random.integers(1, 7)).tolist() for _ in range(count)]
    return [*rows, [], [4, 5], [4, 5], [99, 4]]


class Naive:
    """Witten and Bell's formula by recursion over counted runs."""

    def __init__(self, sets: Sequence[tuple[Sequence[Sequence[int]], float]], order: int) -> None:
        self.order = order
        self.counts: Counter[tuple[int, ...]] = Counter()
        self.following: dict[tuple[int, ...], set[int]] = {}
        for replies, times in sets:
            for reply in replies:
                said = [BOS, *(token if token < VOCAB else UNK for token in reply), EOS]
                for end in range(1, len(said)):
                    for start in range(max(0, end - order + 1), end + 1):
                        self.counts[tuple(said[start : end + 1])] += times
                        self.following.setdefault(tuple(said[start:end]), set()).add(said[end])

    def prob(self, context: tuple[int, ...], token: int) -> float:
        context = context[len(context) - min(len(context), self.order - 1) :]
        lower = self.prob(context[1:], token) if context else 1 / VOCAB
        followers = self.following.get(context, set())
        if not followers:
            return lower
        total = sum(self.counts[(*context, follower)] for follower in followers)
        return (self.counts[(*context, token)] + len(followers) * lower) / (total + len(followers))


def asked(model: BackOff, said: Sequence[int]) -> np.ndarray:
    return model.log_probs(np.array([said], np.int64).reshape(1, len(said)), np.arange(VOCAB)[None])[0]


@pytest.mark.parametrize("order", [2, 3, 4])
def test_model_is_the_formula_where_nothing_is_left_out(order: int) -> None:
    sets = [(random_replies(1), 1.0), (random_replies(2, 10), 3.0)]
    model = reply_model([pairs(replies) for replies, _ in sets], [1.0, 3.0], VOCAB, order)
    naive = Naive(sets, order)
    for said in ([], [4], [5, 4], [4, 5, 6], [10], [4, 10, 4], [9, 9, 9, 9]):
        wanted = [math.log(naive.prob((BOS, *said), token)) for token in range(VOCAB)]
        assert asked(model, said) == pytest.approx(wanted, abs=order * ROUNDING)


@pytest.mark.parametrize("most", [0, 5, 20, 10_000])
def test_probabilities_sum_to_one_whatever_is_left_out(most: int) -> None:
    model = reply_model([pairs(random_replies(3))], [1.0], VOCAB, 3, most)
    assert sum(len(level.keys) for level in model.levels[1:]) <= most
    for said in ([], [4], [5, 4], [9, 10]):
        assert np.exp(asked(model, said)).sum() == pytest.approx(1.0, abs=0.07)


def test_what_is_left_out_is_what_changes_least() -> None:
    replies = [[4, 5]] * 50 + [[6, token] for token in (4, 5, 6, 7)]
    few = reply_model([pairs(replies)], [1.0], VOCAB, 2, 3)
    held = {(int(key) // VOCAB, int(key) % VOCAB) for key in few.levels[1].keys}
    assert (4, 5) in held
    assert not {(6, token) for token in (4, 5, 6, 7)} & held


def test_a_run_is_kept_with_its_beginnings() -> None:
    model = reply_model([pairs(random_replies(5))], [1.0], VOCAB, 4, 30)
    for shorter, longer in zip(model.levels, model.levels[1:], strict=False):
        assert (longer.keys // VOCAB < len(shorter.keys)).all()


def test_file_gives_the_model_back() -> None:
    model = reply_model([pairs(random_replies(6))], [1.0], VOCAB, 3, 40)
    again = BackOff.of(model.arrays(), VOCAB)
    for said in ([], [4], [5, 4]):
        assert asked(model, said).tolist() == asked(again, said).tolist()


@pytest.fixture
def older(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A checkpoint, beside its corpus, that was trained before there were such models."""
    folder = tmp_path / "tiny"
    shutil.copytree(tiny_checkpoint, folder)
    (folder / checkpoint.REPLIES).unlink()
    manifest = checkpoint.read_json(folder / checkpoint.MANIFEST)
    del manifest["sha256"][checkpoint.REPLIES]
    (folder / checkpoint.MANIFEST).write_bytes(checkpoint.to_json(manifest))
    return folder


def test_end_of_training_and_adding_later_give_the_same_file(
    older: Path, tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_checkpoint.parent)
    vocab = checkpoint.load(older).tokenizer().vocab
    assert checkpoint.load(older).reply_model(vocab) is None
    record = checkpoint.read_json(older / checkpoint.CONFIG)
    record["corpora"][0]["name"] = "talk.tsv"
    _rewrite(older, checkpoint.CONFIG, checkpoint.to_json(record))
    equip(older, tmp_path / "corpora", 0, lambda notice: None)
    there, here = older / checkpoint.REPLIES, tiny_checkpoint / checkpoint.REPLIES
    assert there.read_bytes() == here.read_bytes()
    assert there.stat().st_mode & 0o777 == 0o600
    assert checkpoint.load(older).reply_model(vocab) is not None


def test_a_corpus_that_has_changed_is_refused(
    older: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talk.tsv").write_text("another\tcorpus\n")
    monkeypatch.chdir(tmp_path)
    record = checkpoint.read_json(older / checkpoint.CONFIG)
    record["corpora"][0]["name"] = "talk.tsv"
    _rewrite(older, checkpoint.CONFIG, checkpoint.to_json(record))
    with pytest.raises(CheckpointError, match="is not as it was"):
        equip(older, tmp_path / "corpora", 0, lambda notice: None)


def test_a_damaged_model_is_told(tiny_checkpoint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(tiny_checkpoint, folder)
    _rewrite(folder, checkpoint.REPLIES, b"no model")
    with pytest.raises(CheckpointError, match=r"replies\.lm\.safetensors: cannot be read"):
        checkpoint.load(folder).reply_model(checkpoint.load(folder).tokenizer().vocab)


@pytest.mark.parametrize("options", [{"tokenizer": "chars"}, {"reverse": True}])
def test_no_model_where_it_is_of_no_use(
    make_request: Callable[..., object], options: dict[str, object]
) -> None:
    from chatbot.training.run import TrainingRun

    request = make_request("bot", **({"tokenizer": "words"} | options))
    list(TrainingRun(request).events())
    assert not (request.folder / checkpoint.REPLIES).exists()


def _rewrite(folder: Path, name: str, data: bytes) -> None:
    """Change a file of a checkpoint and what the manifest says of it."""
    checkpoint.update(folder, {name: data})
