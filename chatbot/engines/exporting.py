"""Exporting: the ONNX graphs of a network, made and tried before they are kept."""

from __future__ import annotations

import contextlib
import copy
import io
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from safetensors.numpy import load
from torch import nn
from torch.nn.utils import parametrize

from chatbot.checkpoint import ENCODER, STEP, WEIGHTS
from chatbot.decoding.engine import BOS, Engine
from chatbot.engines.graph import choose, prune, refer, stored_tensors
from chatbot.engines.narrowing import narrow
from chatbot.engines.onnx_engine import OnnxEngine
from chatbot.engines.torch_engine import TorchEngine
from chatbot.engines.tracing import trace
from chatbot.errors import CheckpointError
from chatbot.nn.seq2seq import Seq2Seq, named_tensors

PREFIX = "network."
"""What stands before the name of a parameter in a traced graph."""

TOLERANCE = 1e-4
"""Nats by which a log-probability of the graphs may differ from the network's."""

LAST = 2**30
"""Stands in TRIALS for a word that the vocabulary lacks."""

TRIALS = (((4, 5, 6, LAST, 4, 5, 6), (5,)), ((6,),), ((4, 4, 5), (7, LAST), (5, 5, 5, 4), (4, 6)))
"""Sources that the graphs are tried with: of other numbers and lengths than those they were traced with."""

STEPS, K = 4, 3
"""Steps that are tried with each, and words that are looked at in each."""


class NotExportedError(CheckpointError):
    """A network that cannot be written as graphs: its checkpoint is answered from by torch."""


def export(network: Seq2Seq, vocab: int, weights: bytes, *, narrowed: bool = False) -> dict[str, bytes]:
    """A network's graphs, by file name.

    They hold no parameters but refer to the file of weights, so they belong beside it.

    Args:
        network: any device and mode; it is not changed. Its parameters may be a little more precise than the
            stored ones.
        vocab: number of tokens.
        weights: the checkpoint's ``model.safetensors``.
        narrowed: the step has its matrices in 8 bits, and they are in it.

    Raises:
        NotExportedError: the network cannot be written as ONNX, or does not say the same there.
    """
    try:
        plain = _plain(network, weights)
        graphs = _graphs(plain, weights)
        worst = _tried(plain, vocab, graphs, weights)
    except Exception as error:  # the exporter raises whatever an operation it does not know leads to
        raise _refusal(str(error) or type(error).__name__) from None
    if not worst <= TOLERANCE:
        raise _refusal(f"log-probabilities would be off by {worst:.3g}")
    if narrowed:
        graphs[STEP] = narrow(graphs[STEP], _stored(weights), PREFIX)
    return graphs


def _graphs(plain: Seq2Seq, weights: bytes) -> dict[str, bytes]:
    """The graphs of a network, which hold nothing that the file of weights does."""
    with _silent():
        reading, step = (onnx.load_from_string(graph) for graph in trace(plain))
    prune(reading, step)
    choose(step.graph)
    tensors = stored_tensors(weights)
    for model in (reading, step):
        refer(model.graph, tensors, WEIGHTS, PREFIX)
    return {ENCODER: reading.SerializeToString(), STEP: step.SerializeToString()}


def _plain(network: Seq2Seq, weights: bytes) -> Seq2Seq:
    """A copy on the processor, as it speaks, with the weights that are stored.

    Matrices that are made of parameters (spectral normalisation) are made once.
    """
    plain, stored = copy.deepcopy(network).cpu().eval(), _stored(weights)
    with torch.no_grad():
        for name, tensor in named_tensors(plain):
            tensor.copy_(torch.from_numpy(stored[name]))
    for parent in list(plain.modules()):
        for name, layer in list(parent.named_children()):
            if isinstance(layer, nn.Linear) and parametrize.is_parametrized(layer):
                setattr(parent, name, _made(layer))
    return plain.requires_grad_(False)


def _stored(weights: bytes) -> dict[str, NDArray[np.float32]]:
    """The tensors of a file of weights, in single precision."""
    return {name: tensor.astype(np.float32) for name, tensor in load(weights).items()}


def _made(layer: nn.Linear) -> nn.Linear:
    """A parametrised layer without its parametrisation."""
    made = nn.Linear(layer.in_features, layer.out_features, layer.bias is not None)
    made.load_state_dict({name: getattr(layer, name).detach() for name in made.state_dict()})
    return made


def _tried(plain: Seq2Seq, vocab: int, graphs: Mapping[str, bytes], weights: bytes) -> float:
    """The largest difference between what both engines say, over a few words of the same."""
    torch_engine = TorchEngine(plain, vocab, torch.device("cpu"))
    with tempfile.TemporaryDirectory() as folder:
        for name, data in {**graphs, WEIGHTS: weights}.items():
            (Path(folder) / name).write_bytes(data)
        onnx_engine = OnnxEngine.open(Path(folder), vocab)
        return max(_difference(torch_engine, onnx_engine, sources) for sources in TRIALS)


def _difference(one: Engine, two: Engine, sources: Sequence[Sequence[int]]) -> float:
    """The largest difference between two engines' best log-probabilities and weights, over a few steps."""
    known = [[min(token, one.vocab) for token in source] for source in sources]
    states = [engine.start(known) for engine in (one, two)]
    tokens, worst = np.full(len(known), BOS), 0.0
    for _ in range(STEPS):
        found = [engine.step(tokens, state, K) for engine, state in zip((one, two), states, strict=True)]
        worst = max(worst, _gap(found[0].log_probs, found[1].log_probs))
        worst = max(worst, _gap(found[0].weights, found[1].weights))
        rows = np.arange(len(tokens))[::-1].repeat(2)[: len(tokens)]  # some twice, some not at all
        tokens = found[0].tokens[rows, -1]
        states = [each.state.select(rows) for each in found]
    return worst


def _gap(one: NDArray[np.float32], two: NDArray[np.float32]) -> float:
    """The largest difference; that of an infinity to the same one is 0."""
    if one.shape != two.shape:
        return np.inf
    other = one != two
    return float(np.abs(one[other] - two[other]).max(initial=0.0))


def _refusal(reason: str) -> NotExportedError:
    what = f"cannot be written as ONNX ({reason.strip().splitlines()[0][:200]})"
    return NotExportedError("the network", what, "torch will answer instead")


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Where it fails, the exporter prints whole graphs."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
