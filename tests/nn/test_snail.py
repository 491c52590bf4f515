from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.search import search
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.encoder import Encoded
from chatbot.nn.loss import sequence_loss
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.nn.snail import AttentionBlock, Block, DenseBlock, SnailCore, SnailEncoder, SnailStack, TCBlock
from chatbot.training.schedule import rate_factor
from chatbot.training.stepping import build_optimizer

SIZE, HIDDEN, REACH = 5, 8, 4
LENGTHS = (3, 20, 1)

BLOCKS: dict[str, Callable[[], Block]] = {
    "dense": lambda: DenseBlock(SIZE, 3, 2),
    "convolutions": lambda: TCBlock(SIZE, REACH, 3),
    "attention": lambda: AttentionBlock(SIZE, 4, 3),
    "stack": lambda: SnailStack(SIZE, HIDDEN, 2, REACH),
}


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def whole(block: Block, inputs: Tensor) -> Tensor:
    outputs: Tensor = block(inputs, block.empty(inputs))[0]
    return outputs


@pytest.fixture(params=BLOCKS)
def block(request: pytest.FixtureRequest) -> Block:
    torch.manual_seed(0)
    return BLOCKS[request.param]()


@pytest.fixture
def core() -> SnailCore:
    torch.manual_seed(0)
    return SnailCore(SIZE, HIDDEN, layers=2, reach=REACH, dropout=0.0)


@pytest.mark.parametrize("dilation", [1, 2, 8])
def test_dense_block_is_torchs_convolution_padded_on_the_left_and_gated(dilation: int) -> None:
    dense, twin, inputs = (
        DenseBlock(SIZE, 3, dilation),
        nn.Conv1d(SIZE, 6, 2, dilation=dilation),
        drawn(2, 7, SIZE),
    )
    with torch.no_grad():
        twin.weight.copy_(torch.stack([dense.past.weight, dense.now.weight], dim=-1))
        twin.bias.copy_(dense.now.bias)
    made = twin(nn.functional.pad(inputs.transpose(1, 2), (dilation, 0))).transpose(1, 2)
    wanted = torch.cat([inputs, made[..., :3].tanh() * made[..., 3:].sigmoid()], dim=-1)
    assert torch.allclose(whole(dense, inputs), wanted, atol=1e-6)


def test_attention_block_is_a_loop_over_the_inputs_so_far() -> None:
    block, (inputs,) = AttentionBlock(SIZE, 4, 3), drawn(1, 6, SIZE)
    outputs = whole(block, inputs[None])[0]
    for t in range(6):
        scores = [block.query(inputs[t]) @ block.key(inputs[i]) / math.sqrt(4) for i in range(t + 1)]
        total = sum(score.exp() for score in scores)
        read = sum(score.exp() / total * block.value(inputs[i]) for i, score in enumerate(scores))
        assert torch.allclose(outputs[t], torch.cat([inputs[t], read]), atol=1e-6)


@pytest.mark.parametrize(("reach", "read"), [(1, 2), (2, 2), (3, 4), (8, 8), (9, 16)])
def test_convolutions_reach_over_the_sequence_and_the_next_power_of_two(reach: int, read: int) -> None:
    inputs = drawn(1, 20, SIZE).requires_grad_()
    whole(TCBlock(SIZE, reach, 3), inputs)[0, -1].sum().backward()
    assert inputs.grad is not None
    assert (inputs.grad[0] != 0).any(-1).tolist() == [False] * (20 - read) + [True] * read


def test_attention_reads_what_convolutions_no_longer_reach() -> None:
    inputs = drawn(1, 30, SIZE).requires_grad_()
    whole(SnailStack(SIZE, HIDDEN, 1, REACH), inputs)[0, -1].sum().backward()
    assert inputs.grad is not None
    assert (inputs.grad[0] != 0).any(-1).all()


def test_no_output_reads_a_later_input(block: Block) -> None:
    inputs, changed = drawn(1, 12, SIZE), drawn(1, 12, SIZE)
    changed[0, 7] += 100.0
    before, after = whole(block, inputs), whole(block, changed)
    assert torch.equal(before[0, :7], after[0, :7])
    assert not torch.equal(before[0, 7], after[0, 7])


@pytest.mark.parametrize("lengths", [[1] * 12, [5, 1, 6], [2, 10]])
def test_piece_by_piece_is_all_at_once(block: Block, lengths: list[int]) -> None:
    inputs, pieces = drawn(3, 12, SIZE), []
    state = block.empty(inputs)
    for piece in inputs.split(lengths, dim=1):
        outputs, state = block(piece, state)
        pieces.append(outputs)
    assert torch.allclose(torch.cat(pieces, dim=1), whole(block, inputs), atol=1e-6)


def test_outputs_are_as_wide_as_the_block_says(block: Block) -> None:
    assert whole(block, drawn(3, 12, SIZE)).shape == (3, 12, block.size)


def test_core_reads_the_projected_summary_before_the_first_word(core: SnailCore) -> None:
    finals, inputs = (drawn(3, HIDDEN), drawn(3, HIDDEN, seed=1)), drawn(3, 9, SIZE)
    output, state = core.start(finals)
    outputs, _ = core(inputs, state)
    read = torch.cat([core.u(finals[-1])[:, None], inputs], dim=1)
    wanted = core.w(whole(core.stack, read))
    assert torch.allclose(torch.cat([output[:, None], outputs], dim=1), wanted, atol=1e-6)


def test_selected_rows_of_a_core_go_on_as_those_rows(core: SnailCore) -> None:
    rows = torch.tensor([2, 2, 0, 1])
    _, state = core.start((drawn(3, HIDDEN),))
    _, state = core(drawn(3, 6, SIZE, seed=1), state)
    outputs, _ = core(drawn(3, 3, SIZE, seed=2), state)
    chosen, _ = core(drawn(3, 3, SIZE, seed=2)[rows], state.select(rows))
    assert torch.allclose(chosen, outputs[rows], atol=1e-6)


def encode(encoder: SnailEncoder, rows: tuple[int, ...], extra: int = 0, pad: float = 0.0) -> Encoded:
    """Encode the rows of LENGTHS named, with more padding than needed and ``pad`` in it."""
    lengths = [LENGTHS[row] for row in rows]
    embedded = torch.full((len(rows), max(lengths) + extra, SIZE), pad)
    for place, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        embedded[place, :length] = drawn(length, SIZE, seed=row)
    encoded: Encoded = encoder(
        embedded, torch.arange(embedded.shape[1])[None] < torch.tensor(lengths)[:, None]
    )
    return encoded


@pytest.fixture
def encoder() -> SnailEncoder:
    torch.manual_seed(0)
    return SnailEncoder(SIZE, HIDDEN, layers=2, reach=20, dropout=0.0)


def test_sentence_is_encoded_alone_as_among_others_however_padded(encoder: SnailEncoder) -> None:
    among = encode(encoder, (0, 1, 2), extra=7, pad=1e3)
    for row, length in enumerate(LENGTHS):
        alone = encode(encoder, (row,))
        assert torch.allclose(among.outputs[row, :length], alone.outputs[0], atol=1e-6)
        assert torch.allclose(among.finals[0][row], alone.outputs[0, -1], atol=1e-6)


def test_dropout_acts_in_training_alone() -> None:
    encoder = SnailEncoder(SIZE, HIDDEN, layers=1, reach=20, dropout=0.5)
    assert not torch.equal(encode(encoder, (1,)).outputs, encode(encoder, (1,)).outputs)
    encoder.eval()
    assert torch.equal(encode(encoder, (1,)).outputs, encode(encoder, (1,)).outputs)


def test_gradient_reaches_every_parameter() -> None:
    network = build_network(ModelOptions(encoder="snail", decoder="snail", embed=6, hidden=8, layers=2), 11)
    src, tgt = (torch.randint(4, 11, (1, length)) for length in (40, 30))  # longer than any dilation
    objective: Any = sequence_loss(network, src, tgt, tgt, 0.0).objective
    objective.backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert (parameter.grad != 0).any(), name


@pytest.mark.parametrize("attention", ["general", "none"])
@pytest.mark.parametrize("ask", ["current", "previous", "feeding"])
def test_reply_word_by_word_is_the_reply_at_once(ask: str, attention: str, make_network: Any) -> None:
    network: Seq2Seq = make_network(attention=attention, ask=ask, encoder="snail", decoder="snail").eval()
    tgt = torch.randint(4, 11, (2, 40), generator=torch.Generator().manual_seed(0))
    source, state = network.encode(torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0]]))
    at_once, steps = network.decode(tgt, source, state).features, []
    for t in range(40):
        decoded = network.decode(tgt[:, t : t + 1], source, state)
        state = decoded.state
        steps.append(decoded.features)
    assert torch.allclose(torch.cat(steps, dim=1), at_once, atol=1e-5)


def test_without_attention_the_source_reaches_the_core(make_network: Any) -> None:
    network: Seq2Seq = make_network(attention="none", decoder="snail").eval()
    outputs = [network.encode(torch.tensor([[word, 5]]))[1].output for word in (4, 6)]
    assert not torch.allclose(*outputs, atol=1e-4)


VOCAB, LONGEST, CPU = 12, 6, torch.device("cpu")
TASKS: dict[str, Callable[[Tensor], Tensor]] = {"copy": lambda src: src, "reverse": lambda src: src.flip(1)}
READERS: dict[str, dict[str, Any]] = {
    "rnn": {},
    "gated": {"self_attention": True},
    "snail": {"encoder": "snail"},
    "lstmn": {"encoder": "lstmn"},
}


def sequences(count: int, generator: torch.Generator) -> Tensor:
    """Random ones of one random length, long ones more often."""
    length = int(torch.randint(1, LONGEST + 1, (2,), generator=generator).max())
    return torch.randint(4, VOCAB, (count, length), generator=generator)


def learn(network: Seq2Seq, task: str, steps: int, rate: float) -> TorchEngine:
    generator = torch.Generator().manual_seed(0)
    optimizer = build_optimizer(network, TrainingOptions(weight_decay=0.0))
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * rate_factor(step / steps, 0.05)
        src = sequences(64, generator)
        tgt, ends = TASKS[task](src), torch.ones_like(src[:, :1])
        said, wanted = torch.cat([BOS * ends, tgt], dim=1), torch.cat([tgt, EOS * ends], dim=1)
        objective: Any = sequence_loss(network, src, said, wanted, 0.0).objective
        objective.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return TorchEngine(network, VOCAB, CPU)


@pytest.mark.slow
@pytest.mark.parametrize(("reader", "decoder", "task"), list(product(READERS, ("rnn", "snail"), TASKS))[2:])
def test_every_reader_and_writer_learn_to_copy_and_to_reverse(reader: str, decoder: str, task: str) -> None:
    shape = ModelOptions(decoder=decoder, embed=32, hidden=64, dropout=0.0, **READERS[reader])
    engine = learn(build_network(shape, VOCAB, max_src=LONGEST), task, steps=300, rate=0.005)
    sources = [sequences(1, torch.Generator().manual_seed(seed)) for seed in range(1000, 1300)]
    found = search(engine, [source[0].tolist() for source in sources], beam=1, max_length=LONGEST + 2)
    wanted = [(*TASKS[task](source)[0].tolist(), EOS) for source in sources]
    assert sum(best.tokens == reply for (best,), reply in zip(found, wanted, strict=True)) >= 297
