"""Tracing: a network written down as two ONNX graphs, one that reads sources and one that takes a step.

torch's exporter by tracing is used: it writes a graph within a second, needs nothing besides torch, and is
there in every version of torch we allow. The newer one, by ``torch.export``, gave graphs of the same size for
the same network and took ten times as long.
"""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from chatbot.nn.embedding import PAD
from chatbot.nn.encoder import Encoded
from chatbot.nn.rows import Rows
from chatbot.nn.seq2seq import BOS, Seq2Seq, Source

OPSET = 18
"""Version of ONNX's operators: the first with a ScatterND that adds, and known to torch 2.6."""

EXAMPLE = ((4, 5, 6, 4, 5), (5,), (6, 4, 5))
"""Sources a network is traced with: of several lengths, so that padding is met."""


class Reader(nn.Module):
    """What is done once for sources: all that their replies need.

    Shapes: src [sources, src_len], padded with 0 -> vectors [sources, size] (the mean of the encoder's
    outputs over each source's tokens), the memory's tensors, the first state's; each [sources, ...]
    """

    def __init__(self, network: Seq2Seq) -> None:
        super().__init__()
        self.network = network

    def forward(self, src: Tensor) -> tuple[Tensor, ...]:
        """Read sources."""
        kept: list[tuple[Tensor, Tensor]] = []

        def keep(encoder: nn.Module, read: tuple[Tensor, Tensor], encoded: Encoded) -> None:
            kept.append((encoded.outputs, read[1]))

        handle = self.network.encoder.register_forward_hook(keep)
        try:
            memory, state = self.network.encode(src)
        finally:
            handle.remove()
        outputs, mask = kept[0]
        real = outputs.masked_fill(~mask[:, :, None], 0.0)
        vectors = real.sum(1) / mask.sum(1, keepdim=True)
        return (vectors, *memory.tensors(), *state.tensors())


class Speaker(nn.Module):
    """One step of the decoder.

    Args:
        memory, state: of the kind the network uses; their numbers do not matter.

    Shapes: tokens [rows], focus [rows, src_len] (see ``Seq2Seq.focused``), the memory's and the state's
    tensors, a row each -> logits [rows, words], weights [rows, src_len], the next state's tensors
    """

    def __init__(self, network: Seq2Seq, memory: Source, state: Rows) -> None:
        super().__init__()
        self.network = network
        self._memory, self._state = memory, state

    def forward(self, tokens: Tensor, focus: Tensor, *tensors: Tensor) -> tuple[Tensor, ...]:
        """Say a token in each row."""
        given = iter(tensors)
        memory = self.network.focused(self._memory.map(lambda tensor: next(given)), focus)
        state = self._state.map(lambda tensor: next(given))
        decoded = self.network.decode(tokens[:, None], memory, state)
        weights = decoded.weights[:, 0]
        logits = self.network.output(decoded.features[:, 0], weights, memory.ids)
        return (logits.float(), weights.float(), *decoded.state.tensors())


class RecurrentStep(nn.Module):
    """One step of a recurrent layer, written out: its matrices are multiplied with as they are stored.

    ONNX has operators for whole layers, but with the gates in another order, so that all weights would be put
    together anew whenever the graph is loaded; the step itself takes as long either way.
    """

    def __init__(self, layer: nn.RNNBase) -> None:
        super().__init__()
        self.hidden = layer.hidden_size
        self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0 = layer.parameters()

    def _products(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """W x + b and U h + c of inputs [rows, 1, size] and hidden [rows, hidden]."""
        read = nn.functional.linear(inputs[:, 0], self.weight_ih_l0, self.bias_ih_l0)
        return read, nn.functional.linear(hidden, self.weight_hh_l0, self.bias_hh_l0)


class LstmStep(RecurrentStep):
    """A step of an LSTM layer.

        i, f, g, o = W x + b + U h + c,   c' = σ(f) ⊙ c + σ(i) ⊙ tanh(g),   h' = σ(o) ⊙ tanh(c')

    Source: torch's LSTM.

    Shapes: inputs [rows, 1, size], hidden and cell [1, rows, hidden] -> outputs [rows, 1, hidden], state
    """

    def forward(self, inputs: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The step."""
        read, recalled = self._products(inputs, state[0][0])
        let, keep, new, show = torch.split(read + recalled, [self.hidden] * 4, dim=-1)
        cell = torch.sigmoid(keep) * state[1][0] + torch.sigmoid(let) * torch.tanh(new)
        hidden = torch.sigmoid(show) * torch.tanh(cell)
        return hidden[:, None], (hidden[None], cell[None])


class GruStep(RecurrentStep):
    """A step of a GRU layer.

        r, z = σ(W x + b + U h + c),   n = tanh(W x + b + r ⊙ (U h + c)),   h' = (1 - z) ⊙ n + z ⊙ h

    Source: torch's GRU.

    Shapes: inputs [rows, 1, size], state [1, rows, hidden] -> outputs [rows, 1, hidden], state
    """

    def forward(self, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """The step."""
        before = state[0]
        read, recalled = (
            torch.split(each, [2 * self.hidden, self.hidden], dim=-1)
            for each in self._products(inputs, before)
        )
        reset, update = torch.split(torch.sigmoid(read[0] + recalled[0]), [self.hidden] * 2, dim=-1)
        new = torch.tanh(read[1] + reset * recalled[1])
        hidden = new + update * (before - new)
        return hidden[:, None], hidden[None]


STEPS: dict[type[nn.RNNBase], type[RecurrentStep]] = {nn.LSTM: LstmStep, nn.GRU: GruStep}
"""What stands for a recurrent layer in a step."""


def _stepping(network: Seq2Seq) -> Seq2Seq:
    """A copy whose decoder takes single steps only."""
    stepping = copy.deepcopy(network)
    for parent in list(stepping.decoder.modules()):
        for name, layer in list(parent.named_children()):
            for kind, step in STEPS.items():
                if isinstance(layer, kind) and layer.num_layers == 1:
                    setattr(parent, name, step(layer))
    return stepping


def trace(network: Seq2Seq) -> tuple[bytes, bytes]:
    """A network's reading and its step as ONNX, serialised.

    Inputs and outputs are "src", "tokens", "focus", "vectors", "logits" and "weights", and "memory.0",
    "state.0", "next.0" and so on; parameters have the names of ``named_tensors``, with "network." before
    them. The network has to be in evaluation mode.

    Raises:
        Exception: of any kind, where torch cannot write an operation as ONNX.
    """
    src = example(EXAMPLE)
    with torch.no_grad(), _quiet():
        memory, state = network.encode(src)
        memories = [f"memory.{i}" for i in range(len(memory.tensors()))]
        states = [f"state.{i}" for i in range(len(state.tensors()))]
        reading = _written(Reader(network), (src,), ["src"], ["vectors", *memories, *states])
        tokens = torch.full((len(src),), BOS)
        # Traced from the second step on: at the first, what grows with the reply is still empty.
        said = network.decode(tokens[:, None].repeat(1, 2), memory, state).state
        inputs = (tokens, torch.zeros(src.shape), *memory.tensors(), *said.tensors())
        after = [name.replace("state", "next") for name in states]
        speaker = Speaker(_stepping(network), memory, said)
        names = ["tokens", "focus", *memories, *states]
        step = _written(speaker, inputs, names, ["logits", "weights", *after])
    return reading, step


def example(sources: Sequence[Sequence[int]]) -> Tensor:
    """Sources as a padded batch."""
    rows = [torch.tensor(source) for source in sources]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


def _written(module: nn.Module, inputs: tuple[Tensor, ...], names: list[str], outputs: list[str]) -> bytes:
    """A module as ONNX; every dimension of its inputs may change but the last of those with three or more."""
    axes = {
        name: {axis: f"{name}.{axis}" for axis in range(min(2, each.dim()))}
        for name, each in zip(names, inputs, strict=True)
    }
    written: Any = io.BytesIO()  # torch takes it, and says that it wants a path
    torch.onnx.export(
        module.eval(),
        inputs,
        written,
        dynamo=False,
        input_names=names,
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=OPSET,
        do_constant_folding=False,  # parameters keep their names
    )
    graph: bytes = written.getvalue()
    return graph


@contextmanager
def _quiet() -> Iterator[None]:
    """The exporter warns of all that a trace might get wrong; what it did is found by trying."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
