"""Recurrent layers for training on a processor: one direction, backpropagation through time by hand.

Torch keeps a graph of every step and adds up the weights' gradients step by step. Here all factors of the
backward pass that do not depend on later steps are made in one go over all steps, and the weights' gradients
are one matrix product over all of them.

Everything is time first: inputs [length, batch, size].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from chatbot.nn.products import outer_product, product


class UnrolledGru(torch.autograd.Function):
    """A GRU layer over a whole sequence.

        r = σ(W_r x + U_r h + b)   z = σ(W_z x + U_z h + b)
        n = tanh(W_n x + b + r ⊙ (U_n h + c))   h' = (1 - z) ⊙ n + z ⊙ h

    Source: Cho et al. 2014, section 2.3, with torch's place of r.

    Shapes: inputs [length, batch, size], first [batch, hidden], w_in [3 hidden, size], w_back [3 hidden,
    hidden], b_in and b_back [3 hidden] -> outputs [length, batch, hidden]
    """

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, first: Tensor, w_in: Tensor, w_back: Tensor, b_in: Tensor, b_back: Tensor
    ) -> Tensor:
        """All outputs."""
        (length, batch, _), hidden = inputs.shape, first.shape[1]
        gates = product(inputs.flatten(0, 1), w_in.t(), b_in).view(length, batch, -1)  # r, z, n
        news = gates.new_empty(length, batch, hidden)  # U_n h + c
        states = gates.new_empty(length + 1, batch, hidden)
        states[0] = first
        turned = w_back.t()
        for gate, new, before, after in zip(
            gates.unbind(), news.unbind(), states[:-1].unbind(), states[1:].unbind(), strict=True
        ):
            recalled = product(before, turned, b_back)
            both = gate[:, : 2 * hidden].add_(recalled[:, : 2 * hidden]).sigmoid_()
            new.copy_(recalled[:, 2 * hidden :])
            said = gate[:, 2 * hidden :].addcmul_(both[:, :hidden], new).tanh_()
            torch.lerp(said, before, both[:, hidden:], out=after)
        ctx.save_for_backward(inputs, w_in, w_back, gates, news, states)
        return states[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grown: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of all that came in."""
        inputs, w_in, w_back, gates, news, states = ctx.saved_tensors
        r, z, n = gates.chunk(3, dim=-1)
        factors = torch.empty_like(gates)  # of dh: what comes to r, z and U_n h + c
        of_r, of_z, of_new = factors.chunk(3, dim=-1)
        of_n = (1 - z).addcmul_(n.square().mul_(1 - z), n.new_tensor(-1.0))  # (1 - z)(1 - n²)
        torch.mul(of_n, r, out=of_new)
        torch.mul(of_new, (1 - r).mul_(news), out=of_r)
        torch.mul((states[:-1] - n).mul_(z), 1 - z, out=of_z)
        flowing = torch.empty_like(states[1:])  # dh of every step
        size, hidden = gates.shape[1], states.shape[2]
        below, parts = grown.new_zeros(size, hidden), factors.view(*gates.shape[:2], 3, hidden)
        for back, part, keep, flow in zip(
            reversed(grown.unbind()),
            reversed(parts.unbind()),
            reversed(z.unbind()),
            reversed(flowing.unbind()),
            strict=True,
        ):
            torch.add(back, below, out=flow)
            part.mul_(flow[:, None])
            below = product(part.view(size, -1), w_back).addcmul_(flow, keep)
        flat = factors.flatten(0, 1)
        d_back, d_b_back = outer_product(flat, states[:-1].flatten(0, 1)), flat.sum(0)
        torch.mul(flowing, of_n, out=factors[..., 2 * hidden :])
        d_in, d_b_in = outer_product(flat, inputs.flatten(0, 1)), flat.sum(0)
        d_inputs = product(flat, w_in).view_as(inputs) if ctx.needs_input_grad[0] else None
        return d_inputs, below, d_in, d_back, d_b_in, d_b_back
