from __future__ import annotations

import pytest
import torch

from chatbot.nn.recurrent import CELLS, build_recurrent, last_real, reverse_real

LETTERS = torch.tensor([[[1.0], [2.0], [3.0], [0.0]], [[4.0], [0.0], [0.0], [0.0]]])  # abc and a, padded


def test_only_the_real_part_is_turned_round() -> None:
    turned = reverse_real(LETTERS, torch.tensor([3, 1]))
    assert turned[..., 0].tolist() == [[3.0, 2.0, 1.0, 0.0], [4.0, 0.0, 0.0, 0.0]]


def test_turned_round_twice_is_as_before() -> None:
    sequence, lengths = torch.randn(4, 20, 3), torch.tensor([1, 20, 7, 2])
    assert torch.equal(reverse_real(reverse_real(sequence, lengths), lengths), sequence)


def test_last_real_vector_is_that_before_the_padding() -> None:
    assert last_real(LETTERS, torch.tensor([3, 1])).tolist() == [[3.0], [4.0]]
    assert last_real(LETTERS, torch.tensor([4, 2])).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("cell", CELLS)
def test_gates_start_orthogonal_and_the_forget_gate_open(cell: str) -> None:
    hidden, gates = 6, {"lstm": 4, "gru": 3}[cell]
    stack = build_recurrent(cell, 3, hidden, layers=2)
    for layer in range(2):
        weight = getattr(stack, f"weight_hh_l{layer}").detach()
        for gate in weight.view(gates, hidden, hidden):
            assert torch.allclose(gate @ gate.T, torch.eye(hidden), atol=1e-5)
        bias = getattr(stack, f"bias_ih_l{layer}") + getattr(stack, f"bias_hh_l{layer}")
        opened = [float(cell == "lstm" and gate == 1) for gate in range(gates)]  # input, forget, cell, output
        assert bias.view(gates, hidden).mean(1).tolist() == opened
