"""What an engine makes of a question as a whole, for the architecture of every paper."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.config import PAPERS, Config
from chatbot.engines.torch_engine import TorchEngine

VOCAB = 40
SOURCES = [[5, 6, 7], [8], [9, 10, 11, 12, 13, 14, 15]]
SIZES = {"embed": 16, "hidden": 16, "heads": 4, "slots": 4, "slot_size": 8}


@pytest.fixture(params=PAPERS)
def engine(request: pytest.FixtureRequest) -> TorchEngine:
    options = Config().replace(PAPERS[request.param] | SIZES | {"layers": 1, "dropout": 0.5}).model
    return TorchEngine(build_network(options, VOCAB, seed=1), VOCAB, torch.device("cpu"))


def test_vector_does_not_hang_on_its_batch(engine: TorchEngine) -> None:
    together = engine.vectors(SOURCES)
    assert together.dtype == np.float32
    for row, source in enumerate(SOURCES):
        np.testing.assert_allclose(engine.vectors([source])[0], together[row], atol=1e-5)


def test_vector_of_one_token_is_what_the_encoder_says_of_it(engine: TorchEngine) -> None:
    network = engine._network
    read = torch.tensor([[8, 3]] if network.output.ends_source else [[8]])
    with torch.no_grad():
        outputs = network.encoder(
            network.src_embedding(read), torch.ones_like(read, dtype=torch.bool)
        ).outputs
    np.testing.assert_allclose(engine.vectors([[8]])[0], outputs[0, 0].numpy(), atol=1e-5)


def test_different_questions_have_different_vectors(engine: TorchEngine) -> None:
    one, other = engine.vectors([[5, 6, 7], [5, 6, 30]])
    assert np.abs(one - other).max() > 1e-4
