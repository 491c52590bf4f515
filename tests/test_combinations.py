"""Whatever fits together trains, talks with its attention shown and resumes; the rest is refused."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from chatbot.bot import Chatbot
from chatbot.build import DECODERS, ENCODERS, OUTPUTS, build_network, check_model
from chatbot.checkpoint import WEIGHTS, load, weights_file
from chatbot.config import PAPERS, Config
from chatbot.decoding.search import search
from chatbot.display.words import attention_lines
from chatbot.engines.exporting import export
from chatbot.engines.onnx_engine import OnnxEngine
from chatbot.engines.torch_engine import TorchEngine
from chatbot.errors import OptionError
from chatbot.nn.decoder import ASKS
from chatbot.nn.registry import ALIGNS, MULTI_HEAD, NONE, SCORES
from chatbot.nn.seq2seq import named_tensors
from chatbot.training.events import Stepped
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun

Options = dict[str, Any]
VOCAB = 50

SMALL: Options = {
    "embed": 8,
    "hidden": 8,
    "layers": 2,
    "heads": 2,
    "slots": 4,
    "slot_size": 4,
    "dropout": 0.1,
    "tokenizer": "words",
    "vocabulary": 300,
    "batch_tokens": 200,
    "minutes": 0.0,
    "steps": 20,
    "beam": 2,
    "patience": 0,
    "device": "cpu",
}

LOOKING: list[Options] = [{"attention": score, "align": align} for score, align in product(SCORES, ALIGNS)]
LOOKING += [{"attention": NONE}, {"attention": MULTI_HEAD}]
LOOKING += [{"attention": score, "coverage": True} for score in SCORES if score != "location"]

ASKING: list[Options] = [
    {"encoder": encoder, "decoder": decoder, "ask": ask}
    for encoder, decoder, ask in product(ENCODERS, DECODERS, ASKS)
    if decoder != "transformer" or ask == "current"
]

READING: list[Options] = [{"encoder": encoder, "self_attention": True} for encoder in ENCODERS]
READING += [{"encoder": encoder, "reverse_source": True, "attention": NONE} for encoder in ENCODERS]
READING += [{"residual": True, "bidirectional": False, "layers": 3}]

LEARNING: list[Options] = [
    {
        "decoder": decoder,
        "schedule": "inverse-sqrt",
        "average": 0.5,
        "stop_on": "accuracy",
        "scheduled_sampling": 0.8,
        "sampling_schedule": "exponential",
        "dropout_kind": "variational",
        "weight_dropout": 0.2,
        "accumulate": 2,
        "freeze": "output",
    }
    for decoder in DECODERS
]

SAYING: list[Options] = [
    {"output": output, "decoder": decoder, "attention": attention}
    for output, decoder, attention in product(OUTPUTS, DECODERS, ("additive", MULTI_HEAD))
]

EVERY = LOOKING + ASKING + READING + SAYING + LEARNING
REFUSED: list[Options] = [
    {"attention": NONE, "align": "local-p"},
    {"attention": NONE, "coverage": True},
    {"attention": NONE, "output": "pointer-generator"},
    {"attention": NONE, "self_attention": True},
    {"attention": MULTI_HEAD, "align": "hard"},
    {"attention": MULTI_HEAD, "coverage": True},
    {"attention": MULTI_HEAD, "heads": 3},
    {"attention": "location", "coverage": True},
    {"decoder": "transformer", "ask": "previous"},
    {"decoder": "transformer", "ask": "feeding"},
    {"output": "pointer", "align": "hard"},
]


def named(options: Mapping[str, Any]) -> str:
    return " ".join(str(value) if value is not True else name for name, value in options.items())


def request_of(tmp_path: Path, name: str, options: Options, resume: bool = False) -> Request:
    corpus = tmp_path / "talk.tsv"
    lines = [f"tell me {a} and {b}\t{b} then {a}\n" for a, b in product(["red", "blue", "green"], repeat=2)]
    corpus.write_text("".join(lines * 3 + [f"do you like {n}\tlike {n}\n" for n in range(20)]))
    config = Config().replace(SMALL | options)
    folder = tmp_path / "checkpoints" / name
    return Request((str(corpus),), folder, tmp_path, config, "", None, resume, half=False)


def train(request: Request, stop_at: int = 0) -> dict[str, Any]:
    """The weights after a run, which is asked to stop at a step."""
    run = TrainingRun(request)
    for event in run.events():
        if isinstance(event, Stepped) and event.step == stop_at:
            run.stop()
    return load(request.folder).weights()


@pytest.mark.slow
@pytest.mark.parametrize("options", EVERY, ids=named)
def test_what_fits_together_trains_talks_and_resumes(options: Options, tmp_path: Path) -> None:
    whole = train(request_of(tmp_path, "whole", options))
    assert all(np.isfinite(weight).all() for weight in whole.values())
    bot = Chatbot.load(tmp_path / "checkpoints" / "whole", "cpu")
    question = "tell me red and zyzzyva"
    reply, again = bot.reply(question), bot.replies(["do you like 7", question])[1]
    assert (reply.text, reply.score) == (again.text, pytest.approx(again.score, abs=1e-4))
    if options.get("attention") == NONE:
        assert reply.attention is None
    elif reply.text:
        assert reply.attention is not None
        assert attention_lines(reply.attention)
        assert all(0.0 <= sum(row) <= 1.0 + 1e-4 for row in reply.attention.weights)
    train(request_of(tmp_path, "halves", options), stop_at=9)
    halves = train(request_of(tmp_path, "halves", options, resume=True))
    assert whole.keys() == halves.keys()
    assert all(np.array_equal(whole[name], halves[name]) for name in whole)


@pytest.mark.slow
@pytest.mark.parametrize("options", EVERY, ids=named)
def test_what_fits_together_says_the_same_without_torch(options: Options, tmp_path: Path) -> None:
    network = build_network(Config().replace(SMALL | options).model, VOCAB, seed=2, max_src=12)
    weights = weights_file({name: each.detach().numpy() for name, each in named_tensors(network)})
    for name, data in {WEIGHTS: weights, **export(network, VOCAB, weights)}.items():
        (tmp_path / name).write_bytes(data)
    engines = OnnxEngine.open(tmp_path, VOCAB), TorchEngine(network, VOCAB, torch.device("cpu"))
    sources = [[5, 6, 7, 40, 41, 5], [9], [30, 31, 32]]
    for beam in (1, 3):
        found = [search(engine, sources, beam=beam, n_best=beam, max_length=7) for engine in engines]
        for one, other in zip(chain(*found[0]), chain(*found[1]), strict=True):
            assert one.tokens == other.tokens
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_fits_together_and_learns(paper: str, tmp_path: Path) -> None:
    sizes = {
        name: SMALL[name] for name in ("embed", "hidden", "slots", "slot_size", "tokenizer", "vocabulary")
    }
    limits = {"minutes": 0.0, "steps": 30, "eval_every": 30, "batch_tokens": 200, "device": "cpu"}
    options = PAPERS[paper] | sizes | limits | {"layers": min(2, PAPERS[paper].get("layers", 1)), "heads": 2}
    losses = [
        event.loss
        for event in TrainingRun(request_of(tmp_path, "paper", options)).events()
        if isinstance(event, Stepped)
    ]
    assert sum(losses[-5:]) < sum(losses[:5])


@pytest.mark.parametrize("options", REFUSED, ids=named)
def test_what_makes_no_sense_is_refused_with_the_reason(options: Options) -> None:
    with pytest.raises(OptionError) as error:
        check_model(Config().replace(options))
    assert len(str(error.value)) > 40
    assert "\n" not in str(error.value)


def test_refusal_comes_before_any_data_is_read(tmp_path: Path) -> None:
    config = Config().replace(REFUSED[0] | {"steps": 1})
    request = Request((str(tmp_path / "missing.tsv"),), tmp_path / "bot", tmp_path, config, "")
    with pytest.raises(OptionError, match="local-p"):
        next(TrainingRun(request).events())
