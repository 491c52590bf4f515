"""OnnxEngine: the graphs of a checkpoint as the engine of a search, without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatbot.checkpoint import ENCODER, STEP
from chatbot.decoding.engine import PAD, Bias, Candidates, State
from chatbot.engines.runtime import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Arrays = Mapping[str, NDArray[Any]]

BLOCK = 16
"""Sources that are read together: of 64 random ones at once half is padding (18 ms for setting S, not 10)."""


@dataclass(frozen=True, slots=True)
class OnnxState:
    """A decoder's rows and the sources they belong to.

    A source is stored once; ``owners`` [rows] says whose each row is, and ``expanded`` holds a source a
    row, kept while owners stay the same. ``rows`` are the tensors that go from step to step, in the order of
    the step's outputs.
    """

    memory: Arrays
    owners: NDArray[np.int64]
    expanded: Arrays
    rows: Sequence[NDArray[Any]]

    def select(self, rows: NDArray[np.int64]) -> OnnxState:
        """The state whose row i is this one's row ``rows[i]``."""
        owners = self.owners[rows]
        same = np.array_equal(owners, self.owners)
        expanded = self.expanded if same else _taken(self.memory, owners)
        return OnnxState(self.memory, owners, expanded, [each[rows] for each in self.rows])


class OnnxEngine:
    """Continue replies with two ONNX graphs.

    Args:
        reading, step: see ``chatbot.engines.tracing`` and ``graph``.
        vocab: number of tokens.

    ``focuses`` says whether it can be told where to look more.
    """

    def __init__(self, reading: InferenceSession, step: InferenceSession, vocab: int) -> None:
        self.vocab = vocab
        self._reading, self._step = reading, step
        self._read = [output.name for output in reading.get_outputs()]
        wanted = [each.name for each in step.get_inputs()]
        self._memory = [name for name in wanted if name.startswith("memory.")]
        self._rows = [name for name in wanted if name.startswith("state.")]
        self.focuses = FOCUS in wanted

    @classmethod
    def open(cls, folder: Path, vocab: int) -> OnnxEngine:
        """The engine of a folder that holds graphs and the weights they refer to.

        Raises:
            CheckpointError: they cannot be run.
        """
        return cls(open_session(folder / ENCODER), open_session(folder / STEP), vocab)

    def start(self, sources: Sequence[Sequence[int]]) -> OnnxState:
        """Read the sources, padded to the longest."""
        read = self._encode(sources)
        memory = {name: read[name] for name in self._memory}
        if self.focuses:
            memory[FOCUS] = np.zeros((len(sources), max(map(len, sources))), np.float32)
        return OnnxState(memory, np.arange(len(sources)), memory, [read[name] for name in self._rows])

    def focus(self, state: State, focus: NDArray[np.float32]) -> OnnxState:
        """The state of ``start`` with the attention drawn to some source tokens, see ``Seq2Seq.focused``."""
        assert isinstance(state, OnnxState)
        memory = {**state.memory, FOCUS: focus}
        return replace(state, memory=memory, expanded=memory)

    def vectors(self, sources: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Each source's mean over the encoder's outputs at its own tokens.

        Shapes: -> [sources, size]
        """
        found: NDArray[np.float32] = self._encode(sources)["vectors"]
        return found

    def step(self, tokens: NDArray[np.int64], state: State, k: int, bias: Bias | None = None) -> Candidates:
        """One decoder step; log-probabilities are of the whole softmax, in single precision."""
        assert isinstance(state, OnnxState)
        feed = dict(state.expanded) | dict(zip(self._rows, state.rows, strict=True))
        feed["tokens"] = tokens
        feed["k"] = np.array([min(k, self.vocab)])
        feed["bias.at"], feed["bias"] = NOTHING
        if bias is not None:
            feed["bias.at"], feed["bias"] = np.stack((bias.rows, bias.tokens), 1), bias.values
        log_probs, best, weights, *rows = self._step.run(None, feed)
        after = OnnxState(state.memory, state.owners, state.expanded, rows)
        return Candidates(best, log_probs, weights, after)

    def _encode(self, sources: Sequence[Sequence[int]]) -> dict[str, NDArray[Any]]:
        """What reading gives, by name; sources of like lengths are read together, so that few pads are."""
        order = sorted(range(len(sources)), key=lambda row: -len(sources[row]))
        blocks = [order[start : start + BLOCK] for start in range(0, len(order), BLOCK)]
        read = [
            self._reading.run(None, {"src": _padded([sources[row] for row in block])}) for block in blocks
        ]
        if len(blocks) == 1 and order == list(range(len(order))):
            return dict(zip(self._read, read[0], strict=True))
        parts = (_put_back(each, blocks, len(order)) for each in zip(*read, strict=True))
        return dict(zip(self._read, parts, strict=True))


FOCUS = "focus"
"""The input by which scores are raised; graphs that older versions wrote have none."""

NOTHING = np.zeros((0, 2), np.int64), np.zeros(0, np.float32)
"""The bias that changes nothing."""


def _padded(sources: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Sources as rows, the longest first."""
    src = np.full((len(sources), len(sources[0])), PAD, dtype=np.int64)
    for row, source in enumerate(sources):
        src[row, : len(source)] = source
    return src


def _put_back(parts: Sequence[NDArray[Any]], blocks: Sequence[Sequence[int]], rows: int) -> NDArray[Any]:
    """What was read in blocks, each row where it belongs; what lies past a block's longest source is 0.

    Shapes: parts [block, ...], the longest first -> [rows, ...]
    """
    whole = np.zeros((rows, *parts[0].shape[1:]), parts[0].dtype)
    for part, block in zip(parts, blocks, strict=True):
        places = (block, slice(part.shape[1])) if part.ndim > 1 else (block,)
        whole[places] = part
    return whole


def _taken(memory: Arrays, owners: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Each row's source."""
    return {name: each[owners] for name, each in memory.items()}
