"""Two processes' gradients of some batches beside those of one alone; run by ``test_processes``.

    RANK=0 WORLD_SIZE=2 MASTER_ADDR=... MASTER_PORT=... python parts_of_batches.py

The leading process prints a JSON line for each case: its name, the largest difference of the gradients, both
losses and both sets of gauges.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import Batch, collate, collate_part
from chatbot.dataset.encoded import EncodedPairs
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.freezing import freeze, frozen_parts
from chatbot.training.gradients import Gradients
from chatbot.training.launch import Launch
from chatbot.training.meeting import processes_of
from chatbot.training.precision import Precision
from chatbot.training.processes import Alone

VOCAB = 12
CPU = torch.device("cpu")

CASES: dict[str, tuple[list[list[int]], dict[str, Any], dict[str, Any]]] = {
    "one batch": ([[*range(9)]], {}, {}),
    "smoothed": ([[*range(9)]], {}, {"label_smoothing": 0.1}),
    "several batches": ([[0, 1, 2, 3, 4], [5, 8], [6, 7]], {}, {"accumulate": 3}),
    "a pair for two": ([[3]], {}, {}),
    "a pair for two among others": ([[0, 1], [3], [5, 6, 7]], {}, {"accumulate": 3}),
    "fed back": ([[*range(9)]], {"attention": "additive", "coverage": True, "ask": "feeding"}, {}),
    "gauges": ([[*range(9)]], {"attention": "cosine", "align": "ntm", "decoder": "ntm"}, {}),
    "frozen": ([[*range(9)]], {}, {"freeze": "encoder"}),
    "not all in use": ([[*range(9)]], {"attention": "none", "encoder": "transformer"}, {}),
}


def followed(network: Seq2Seq, gradients: Gradients, batches: Sequence[Batch]) -> tuple[float, Any, Any]:
    """The loss, the gauges and the gradients of each step of two."""
    found = []
    for _ in range(2):
        network.zero_grad(set_to_none=True)
        learned = gradients.learn(batches, 0.0)
        loss, gauges = learned.told([float(value) for value in learned.scalars()])
        found += [torch.zeros(1) if p.grad is None else p.grad.flatten() for p in network.parameters()]
    return loss, gauges, torch.cat([each.clone() for each in found])


def network_of(model: dict[str, Any], options: TrainingOptions) -> Seq2Seq:
    """The same in all processes."""
    shape = ModelOptions(
        **{"embed": 8, "hidden": 8, "heads": 2, "slots": 4, "slot_size": 4, "dropout": 0.0} | model
    )
    network = build_network(shape, VOCAB, seed=1)
    freeze(network, frozen_parts(options.freeze))
    return network


def main() -> None:
    """All cases."""
    random, launch = np.random.default_rng(3), Launch.of()
    rows = [random.integers(4, VOCAB, random.integers(1, 9)).tolist() for _ in range(9)]
    pairs = EncodedPairs.from_lists(rows, rows, [len(row) for row in rows], VOCAB)
    with processes_of(launch, CPU) as processes:
        for name, (groups, model, chosen) in CASES.items():
            options = TrainingOptions(**chosen)
            chosen_rows = [np.array(group) for group in groups]
            one, other = network_of(model, options), network_of(model, options)
            alone = Alone().gradients(one, options, CPU, Precision("single", CPU))
            wanted = followed(one, alone, [collate(pairs, group) for group in chosen_rows])
            parts = [collate_part(pairs, group, launch.rank, launch.world) for group in chosen_rows]
            found = followed(other, processes.gradients(other, options, CPU, Precision("single", CPU)), parts)
            difference = float((found[2] - wanted[2]).abs().max())
            if processes.leads:
                told = {"case": name, "difference": difference, "size": float(wanted[2].abs().max())}
                told |= {"losses": [found[0], wanted[0]], "gauges": [found[1], wanted[1]]}
                print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
