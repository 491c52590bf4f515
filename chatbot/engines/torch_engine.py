"""TorchEngine: a network as the engine of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from chatbot.decoding.engine import PAD, Bias, Candidates, State
from chatbot.engines.gaze import Gaze
from chatbot.errors import OptionError
from chatbot.nn.rows import Rows
from chatbot.nn.seq2seq import Seq2Seq, Source


@dataclass(frozen=True, slots=True)
class TorchState:
    """A decoder's rows and the sources they belong to.

    A source is stored once; ``owners`` [rows] says whose each row is, and ``expanded`` holds a source a
    row, kept while owners stay the same.
    """

    source: Source
    owners: Tensor
    expanded: Source
    decoder: Rows

    def select(self, rows: NDArray[np.int64]) -> TorchState:
        """The state whose row i is this one's row ``rows[i]``."""
        index = torch.from_numpy(np.ascontiguousarray(rows)).to(self.owners.device)
        owners = self.owners[index]
        same = owners.shape == self.owners.shape and bool((owners == self.owners).all())
        expanded = self.expanded if same else self.source.select(owners)
        return TorchState(self.source, owners, expanded, self.decoder.select(index))


class TorchEngine:
    """Continue replies with a torch network.

    Args:
        network: put into evaluation mode (no dropout) and onto the device.
        vocab: number of tokens.
        gaze: which attention's weights are told; the last layer's, the mean over its heads, when None.

    Raises:
        OptionError: the network has no such layer or head.
    """

    focuses = True
    """It can be told where to look more."""

    def __init__(self, network: Seq2Seq, vocab: int, device: torch.device, gaze: Gaze | None = None) -> None:
        if gaze is not None:
            gaze.check(network)
        self.vocab = vocab
        self._gaze = gaze or Gaze()
        self._device = device
        self._network = network.to(device).eval()

    @torch.inference_mode()
    def start(self, sources: Sequence[Sequence[int]]) -> TorchState:
        """Read the sources, padded to the longest."""
        read, decoder = self._network.encode(self._padded(sources))
        owners = torch.arange(len(sources), device=self._device)
        return TorchState(read, owners, read, decoder)

    @torch.inference_mode()
    def focus(self, state: State, focus: NDArray[np.float32]) -> TorchState:
        """The state of ``start`` with the attention drawn to some source tokens, see ``Seq2Seq.focused``."""
        assert isinstance(state, TorchState)
        source = self._network.focused(state.source, torch.from_numpy(focus).to(self._device))
        return replace(state, source=source, expanded=source)

    @torch.inference_mode()
    def step(self, tokens: NDArray[np.int64], state: State, k: int, bias: Bias | None = None) -> Candidates:
        """One decoder step; log-probabilities are of the whole softmax, in single precision."""
        assert isinstance(state, TorchState)
        said = torch.from_numpy(np.ascontiguousarray(tokens)).to(self._device)[:, None]
        decoded = self._network.decode(said, state.expanded, state.decoder)
        logits = self._network.logits(decoded, state.expanded).float()
        log_probs = torch.log_softmax(logits, dim=-1)  # [rows, words]
        if bias is not None and len(bias.rows):
            where = (torch.from_numpy(bias.rows), torch.from_numpy(bias.tokens))
            index = tuple(place.to(self._device) for place in where)
            log_probs.index_put_(index, torch.from_numpy(bias.values).to(self._device), accumulate=True)
        best, best_tokens = log_probs.topk(min(k, self.vocab), dim=-1)
        after = TorchState(state.source, state.owners, state.expanded, decoded.state)
        weights = self._gaze.weights(decoded)[:, 0].float()
        return Candidates(best_tokens.cpu().numpy(), best.cpu().numpy(), weights.cpu().numpy(), after)

    @torch.inference_mode()
    def vectors(self, sources: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean of the encoder's outputs over each source's own tokens."""
        summary: NDArray[np.float32] = self._network.summary(self._padded(sources)).float().cpu().numpy()
        return summary

    def _padded(self, sources: Sequence[Sequence[int]]) -> Tensor:
        longest = max(len(source) for source in sources)
        src = np.full((len(sources), longest), PAD, dtype=np.int64)
        for row, source in enumerate(sources):
            src[row, : len(source)] = source
        return torch.from_numpy(src).to(self._device)


def choose_device(name: str) -> torch.device:
    """The device of ``--device``: "auto" takes a GPU when there is one.

    Raises:
        OptionError: it is asked for and not there.
    """
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next(device for device in ("cuda", "mps", "cpu") if available[device])
    if not available.get(name, False):
        here = ", ".join(device for device, there in available.items() if there)
        raise OptionError("--device", f"{name} is not there on this machine", f"choose one of auto, {here}")
    return torch.device(name)
