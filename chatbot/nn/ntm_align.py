"""The addressing of the Neural Turing Machine: by content, or on from where it looked last."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.aligns import Align, Aligned, masked_softmax
from chatbot.nn.memory import AttentionState
from chatbot.nn.precision import single
from chatbot.nn.sizes import AttentionSizes

MOVES = (-1, 0, 1)
"""How far a step may shift the weights."""


class NtmAlign(Align):
    """Content weights, mixed with the last ones, shifted round the sentence, sharpened.

        w_c = softmax(e),   w_g = g w_c + (1 - g) w_{t-1}
        w_s(i) = Σ_m s(m) w_g((i - m) mod S),   w_t = w_s^γ / Σ w_s^γ

    with g = sigmoid(·), s = softmax(·) over -1, 0 and 1, and γ = 1 + softplus(·), each a linear map of
    the query. S is each sentence's own length, so padding does not lie between its end and its start.

    Source: Graves et al. 2014, section 3.3.2, equations 7, 8 and 9. Before the first step the first
    position is looked at. Gauges: "gate" g, "moved" the mean shift Σ m s(m), "sharpening" γ.
    """

    sequential = True

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        self.control = nn.Linear(sizes.query, 2 + len(MOVES))

    def before(self, mask: Tensor) -> Tensor:
        """All the weight on the first position."""
        weights = torch.zeros(mask.shape, device=mask.device)
        weights[:, 0] = 1.0
        return weights

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """The weights of one step."""
        gate, moves, sharpening = torch.split(single(self.control(query)), [1, len(MOVES), 1], dim=-1)
        gate, moves = torch.sigmoid(gate), torch.softmax(moves, dim=-1)
        sharpening = 1 + nn.functional.softplus(sharpening)
        content = masked_softmax(scores, mask[:, None])
        mixed = gate * content + (1 - gate) * state.weights[:, None]
        moved = (moves * moves.new_tensor(MOVES)).sum(-1)
        gauges = {"gate": gate.squeeze(-1), "moved": moved, "sharpening": sharpening.squeeze(-1)}
        weights = _sharpened(_shifted(mixed, moves, mask), sharpening)
        return Aligned(weights, gauges={name: gauge.detach() for name, gauge in gauges.items()})


def _shifted(weights: Tensor, moves: Tensor, mask: Tensor) -> Tensor:
    """Weights carried round each sentence by a distribution over MOVES; exactly 0 on padding.

    Shapes: weights [batch, 1, src_len], moves [batch, 1, 3], mask [batch, src_len]
    """
    places = torch.arange(mask.shape[1], device=mask.device)
    lengths = mask.sum(1, keepdim=True)
    origins = [((places - move) % lengths)[:, None] for move in MOVES]  # each [batch, 1, src_len]
    carried = torch.stack([weights.gather(-1, origin) for origin in origins], dim=-1)
    return (carried * moves[:, :, None]).sum(-1) * mask[:, None]


def _sharpened(weights: Tensor, power: Tensor) -> Tensor:
    """Weights raised to a power and normalised.

    Over the largest first, which changes nothing: small ones to a high power would all be 0.
    """
    raised = (weights / weights.detach().amax(-1, keepdim=True)) ** power
    return raised / raised.sum(-1, keepdim=True)
