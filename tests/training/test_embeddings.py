from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from chatbot.build import build_network
from chatbot.checkpoint import load
from chatbot.config import Config
from chatbot.errors import OptionError
from chatbot.nn.embedding import FrozenEmbedding, new_embedding, set_rows
from chatbot.text.tokenizer import Tokenizer
from chatbot.training.embeddings import check_embeddings, start_from_vectors
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun

MakeRequest = Callable[..., Request]

WORDS = {"red": [3.0, 0.0, 0.0, 0.0], "green": [0.0, 4.0, 0.0, 0.0], "zebra": [1.0, 1.0, 1.0, 1.0]}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    lines = [" ".join([word, *map(str, numbers)]) for word, numbers in WORDS.items()]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
    return tmp_path / "vectors.txt"


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.train("words", [("red or blue", "green"), ("blue", "Red blue")], 300, "lower")


def config_of(vectors: Path, **options: object) -> Config:
    given = {"embeddings": str(vectors), "tokenizer": "words", "embed": 4, "hidden": 6}
    return Config().replace(given | options)


def test_words_of_the_file_start_from_their_vectors_and_others_do_not(
    vectors: Path, tokenizer: Tokenizer
) -> None:
    config = config_of(vectors, tie=False)
    network = build_network(config.model, tokenizer.vocab)
    before = network.src_embedding.weight.detach().clone()
    told = start_from_vectors(network, tokenizer, config)
    words = tokenizer.words()
    for table in (network.src_embedding, network.tgt_embedding):
        # one scale for all, so that the mean length 3.5 becomes 1
        assert table.weight[words.index("red")].tolist() == pytest.approx([3 / 3.5, 0, 0, 0])
        assert table.weight[words.index("green")].tolist() == pytest.approx([0, 4 / 3.5, 0, 0])
    blue = words.index("blue")
    assert torch.equal(network.src_embedding.weight[blue], before[blue])
    assert "2 of 4 words (50%)" in told


def test_frozen_rows_stay_and_the_others_learn() -> None:
    torch.manual_seed(0)
    table = new_embedding(6, 3, frozen=True)
    set_rows(table, torch.ones(6, 3), torch.tensor([False, False, False, False, True, False]))
    before = table.weight.detach().clone()
    optimizer = torch.optim.AdamW(table.parameters(), lr=0.1, weight_decay=0.0)
    for _ in range(3):
        table(torch.tensor([4, 5])).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert torch.equal(table.weight[4], before[4])
    assert not torch.equal(table.weight[5], before[5])
    assert isinstance(table, FrozenEmbedding)


def test_frozen_vectors_are_those_of_the_file_after_a_whole_run(
    make_request: MakeRequest, tmp_path: Path
) -> None:
    (tmp_path / "vectors.txt").write_text("question 1 0 0 0\nanswer 0 1 0 0\n")
    options = {"embeddings": str(tmp_path / "vectors.txt"), "tokenizer": "words", "embed": 4}
    request = make_request(**options, frozen=True, tie=False)
    list(TrainingRun(request).events())
    checkpoint = load(request.folder)
    weights, words = checkpoint.weights(), checkpoint.tokenizer().words()
    for name in ("src_embedding", "tgt_embedding"):
        assert weights[f"{name}.frozen"].sum() == 2
        assert weights[f"{name}.weight"][words.index("question")].tolist() == [1, 0, 0, 0]
        assert weights[f"{name}.weight"][words.index("answer")].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tokenizer": "bpe"}, "--embeddings: has vectors of words, and these tokens are none"),
        ({"embeddings": "", "frozen": True}, "--frozen: there is no vector to keep"),
    ],
)
def test_what_does_not_fit_is_refused(vectors: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(OptionError) as error:
        check_embeddings(config_of(vectors, **options), None)
    assert str(error.value).startswith(told)


def test_vectors_of_another_size_are_refused_with_what_to_give(vectors: Path, tokenizer: Tokenizer) -> None:
    config = config_of(vectors, embed=8)
    with pytest.raises(OptionError, match="add --embed 4"):
        start_from_vectors(build_network(config.model, tokenizer.vocab), tokenizer, config)


def test_frozen_and_tied_is_refused() -> None:
    with pytest.raises(OptionError, match="--no-tie"):
        build_network(Config().replace({"frozen": True}).model, 9)
