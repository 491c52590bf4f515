"""An external memory copies sequences longer than any it was trained on; an LSTM does not.

A sequence of bit vectors is shown, then an end, and must be said again.
"""

from __future__ import annotations

import sys

import torch
from torch import Tensor, nn

from benchmarks.tasks.harness import Table
from chatbot.nn.core import Core, RnnCore
from chatbot.nn.ntm import FeedForwardController, NtmCore

BITS, SLOTS, SLOT_SIZE = 4, 64, 16
LONGEST = 10
"""Vectors in the longest sequence of training."""

ASKED = (5, 10, 15, 20, 30)
SEEDS = (0, 1, 2)
LR, BATCH = 0.01, 16


class Copier(nn.Module):
    """A core that reads vectors with a flag for the end, and says vectors."""

    def __init__(self, core: Core, hidden: int) -> None:
        super().__init__()
        self.core = core
        self.hidden = hidden
        self.said = nn.Linear(hidden, BITS)

    def forward(self, bits: Tensor) -> Tensor:
        """Logits [batch, length, BITS] of the vectors said after all were shown."""
        batch, length, _ = bits.shape
        shown = torch.zeros(batch, 2 * length + 1, BITS + 1)
        shown[:, :length, :BITS] = bits
        shown[:, length, BITS] = 1.0
        outputs, _ = self.core(shown, self.core.start((torch.zeros(batch, self.hidden),))[1])
        logits: Tensor = self.said(outputs[:, length + 1 :])
        return logits


def ntm() -> Copier:
    """An external memory whose controller keeps nothing itself."""
    hidden = 64
    controller = FeedForwardController(BITS + 1 + SLOT_SIZE, hidden)
    return Copier(NtmCore(controller, hidden, SLOTS, SLOT_SIZE), hidden)


def lstm() -> Copier:
    """An LSTM with more weights than the machine has."""
    return Copier(RnnCore("lstm", BITS + 1, 128, 1, 0.0), 128)


MODELS = {"ntm": (ntm, 1000), "lstm": (lstm, 6000)}
"""How each is made, and the updates it gets; the LSTM's are several times as fast."""


def trained(name: str, seed: int) -> Copier:
    """A model after its updates; the learning rate falls over the second half."""
    make, steps = MODELS[name]
    torch.manual_seed(seed)
    copier = make()
    optimizer = torch.optim.Adam(copier.parameters(), lr=LR)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = LR * min(1.0, (step + 1) / 50, 2 * (1 - step / steps))
        bits = some(BATCH, int(torch.randint(1, LONGEST + 1, ())))
        loss = nn.functional.binary_cross_entropy_with_logits(copier(bits), bits)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(copier.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0:
            print(f"  {name} {seed}: step {step}/{steps}: {float(loss):.4f} nats a bit", file=sys.stderr)
    return copier


def some(batch: int, length: int) -> Tensor:
    """Random bits [batch, length, BITS]."""
    return torch.randint(0, 2, (batch, length, BITS)).float()


@torch.inference_mode()
def right(copier: Copier, length: int, number: int = 200) -> float:
    """The share of sequences of which every bit is said right."""
    bits = some(number, length)
    same = (copier(bits) > 0) == bits.bool()
    return float(same.flatten(1).all(1).float().mean())


def run() -> Table:
    """Three seeds of each."""
    rows: list[tuple[str | float, ...]] = []
    for name in MODELS:
        for seed in SEEDS:
            copier = trained(name, seed)
            weights = sum(parameter.numel() for parameter in copier.parameters())
            rows.append((name, str(seed), f"{weights:,}", *(right(copier, length) for length in ASKED)))
    return Table(
        "Copying with an external memory",
        f"Sequences of 1 to {LONGEST} vectors of {BITS} bits in training; whole sequences right, by length. "
        "Graves et al. 2014, section 4.1 and figures 4 and 5: the machine goes on to lengths it never saw, "
        "the LSTM fails there (sequences of up to 20 vectors of 8 bits in the paper).",
        ("core", "seed", "weights", *(f"{length} long" for length in ASKED)),
        tuple(rows),
    )
