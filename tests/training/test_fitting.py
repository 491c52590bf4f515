"""Batches fit memory: the largest size is found, and what does not fit is computed in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from chatbot.build import build_network
from chatbot.checkpoint import load
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.nn.seq2seq import named_tensors
from chatbot.training.events import Event, Stepped, Warned
from chatbot.training.fitting import LEAST, MOST, SplitGradients, batch_trial, largest, split
from chatbot.training.gradients import Learned, OwnGradients
from chatbot.training.precision import Precision
from chatbot.training.request import Request, has_run, read_run
from chatbot.training.run import TrainingRun
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]
CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("room", "wanted", "tried"),
    [
        (9000, 8192, [2048, 4096, 8192, 16384]),
        (8192, 8192, [2048, 4096, 8192, 16384]),
        (2047, LEAST, [2048]),
        (0, LEAST, [2048]),
        (10**9, MOST, [2048, 4096, 8192, 16384, 32768, 65536]),
    ],
)
def test_largest_size_is_the_last_doubling_that_fits(room: int, wanted: int, tried: list[int]) -> None:
    found: list[int] = []

    def trial(size: int) -> None:
        found.append(size)
        if size > room:
            raise torch.OutOfMemoryError("no room")

    assert largest(trial) == wanted
    assert found == tried


def test_other_errors_of_a_trial_are_not_hidden() -> None:
    def trial(size: int) -> None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        largest(trial)


def test_trial_leaves_no_trace_and_has_the_longest_pairs() -> None:
    network = build_network(ModelOptions(embed=8, hidden=8, attention="additive", align="hard"), 12, seed=1)
    network.train()
    before = {name: tensor.clone() for name, tensor in named_tensors(network)}
    state, shapes = torch.get_rng_state(), []
    own = OwnGradients(network, TrainingOptions(), CPU, Precision("single", CPU))

    class Spy:
        def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
            shapes.append((batches[0].src.shape, batches[0].tgt_out.shape))
            return own.learn(batches, sampled)

    batch_trial(network, Spy(), 9, 5, CPU)(150)
    assert shapes == [((10, 9), (10, 6))]
    assert torch.equal(torch.get_rng_state(), state)
    assert all(parameter.grad is None for parameter in network.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in named_tensors(network))


def short_of_memory(trainer: Trainer, rows: int) -> list[int]:
    """Let gradients of more rows at once fail; the rows that were computed together."""
    stepper, computed = trainer._stepper, []
    own = stepper._split._gradients

    class Small:
        def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
            if max(len(batch.src) for batch in batches) > rows:
                own.learn(batches[:1], sampled)  # half of the work is done, and must not count
                raise torch.OutOfMemoryError("no room")
            computed.extend(len(batch.src) for batch in batches)
            return own.learn(batches, sampled)

    stepper._split._gradients = Small()
    return computed


def stepped(events: list[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, Stepped)]


def test_run_short_of_memory_goes_on_with_the_same_pairs_in_parts(make_trainer: MakeTrainer) -> None:
    whole, small = make_trainer(steps=12), make_trainer(steps=12)
    for trainer in (whole, small):
        for module in trainer._network.modules():
            if hasattr(module, "p"):
                module.p = 0.0  # masks would be others
    computed = short_of_memory(small, 3)
    wanted, found = list(whole.run()), list(small.run())
    assert max(computed) <= 3
    for one, other in zip(stepped(found), stepped(wanted), strict=True):
        assert one.loss == pytest.approx(other.loss, rel=1e-3)
        assert (one.words, one.epoch) == (other.words, other.epoch)
    told = [event.text for event in found if isinstance(event, Warned) and "memory" in event.text]
    assert 1 <= len(told) <= 4
    assert "in 2 parts" in told[0]
    assert "--batch-tokens" in told[0]
    weights = own_weights(whole._network)
    assert all(torch.allclose(w, weights[name], atol=1e-3) for name, w in own_weights(small._network).items())


def test_pair_that_does_not_fit_alone_ends_the_run(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(steps=3)
    short_of_memory(trainer, 0)
    with pytest.raises(torch.OutOfMemoryError):
        list(trainer.run())


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_parts_of_a_batch_are_all_its_pairs(parts: int) -> None:
    src, tgt = torch.arange(1, 21).view(5, 4), torch.arange(1, 16).view(5, 3)
    found = split(Batch(src, tgt, tgt, 7), parts)
    assert torch.equal(torch.cat([part.src for part in found]), src)
    assert torch.equal(torch.cat([part.tgt_out for part in found]), tgt)
    assert len(found) <= max(parts, 1)


def test_split_gradients_of_enough_memory_are_those_of_the_batch() -> None:
    class Plain:
        def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
            given.append(list(batches))
            return learned

    given, learned = list[list[Batch]](), Learned([torch.ones(())], 1)
    batch = Batch(torch.ones(2, 4), torch.ones(2, 3), torch.ones(2, 3), 7)
    network = build_network(ModelOptions(embed=8, hidden=8), 12, seed=1)
    gradients = SplitGradients(Plain(), network)
    assert gradients.learn([batch], 0.0) is learned
    assert given[0][0] is batch
    assert gradients.notices() == []


def test_size_is_settled_before_the_run_and_remembered(make_request: Callable[..., Request]) -> None:
    request = make_request(batch_tokens=0, steps=2)
    list(TrainingRun(request).events())
    assert load(request.folder).config.training.batch_tokens == LEAST
    record = read_run(request.folder)
    assert record.config.training.batch_tokens == LEAST
    assert has_run(request.folder, request, "")
    assert not has_run(request.folder, request, "another launch")
    list(TrainingRun(make_request(resume=True, batch_tokens=LEAST, steps=4)).events())
    assert load(request.folder).record["steps"] == 4
