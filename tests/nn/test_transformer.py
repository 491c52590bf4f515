from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.search import search
from chatbot.engines.torch_engine import TorchEngine
from chatbot.errors import OptionError
from chatbot.nn.aligns import Align, Aligned
from chatbot.nn.attention import NoAttention, ScoredAttention
from chatbot.nn.decoder import Decoded
from chatbot.nn.encoder import Encoded
from chatbot.nn.loss import sequence_loss
from chatbot.nn.memory import AttentionState, Memory
from chatbot.nn.multihead import MultiHeadAttention
from chatbot.nn.registry import ALIGNS, NONE, SCORES, build_attention
from chatbot.nn.rows import Rows
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.nn.sizes import AttentionSizes
from chatbot.nn.transformer import TransformerDecoder, TransformerEncoder
from chatbot.nn.transformer_layers import NORMS, DecoderLayer, EncoderLayer, LayerSizes, sinusoids
from chatbot.training.schedule import rate_factor
from chatbot.training.stepping import build_optimizer

EMBED, HIDDEN, HEADS, LAYERS = 6, 8, 2, 2
VOCAB, LONGEST = 12, 6
LENGTHS = torch.tensor([6, 1, 3])
MASK = torch.arange(6)[None] < LENGTHS[:, None]
STEPS = 4
LOOKS = [
    ("multi-head", "global"),
    (NONE, "global"),
    *product(SCORES, ["global"]),
    *product(["general"], ALIGNS),
]


def seeded(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=1e-5)


def encoder_of(norm: str = "pre", dropout: float = 0.0, layers: int = LAYERS) -> TransformerEncoder:
    torch.manual_seed(0)
    encoder = TransformerEncoder(EMBED, layers, LayerSizes(HIDDEN, HEADS, dropout, norm))
    shake(encoder)
    return encoder


def decoder_of(
    norm: str = "pre", look: tuple[str, str] = LOOKS[0], layers: int = LAYERS
) -> TransformerDecoder:
    torch.manual_seed(0)
    sizes = AttentionSizes(HIDDEN, HIDDEN, HIDDEN, src_len=40, heads=HEADS)
    shape = LayerSizes(HIDDEN, HEADS, 0.0, norm)
    decoder = TransformerDecoder(EMBED, layers, shape, lambda: build_attention(*look, sizes))
    shake(decoder)
    return decoder.eval()


def shake(network: nn.Module) -> None:
    """Norms that do more than normalise, and biases that are not 0."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))


def started(decoder: TransformerDecoder) -> tuple[tuple[Memory, ...], Rows]:
    encoded = Encoded(seeded(1, 3, 6, HIDDEN), (seeded(2, 3, HIDDEN),))
    memories = decoder.prepare(encoded, MASK)
    return memories, decoder.start(encoded, memories)


def replies(length: int = STEPS) -> Tensor:
    return seeded(3, 3, length, EMBED)


def copy(pairs: Iterator[tuple[Tensor, Tensor]]) -> None:
    with torch.no_grad():
        for parameter, own in pairs:
            parameter.copy_(own)


def shared(twin: nn.Module, own: EncoderLayer | DecoderLayer) -> Iterator[tuple[Tensor, Tensor]]:
    """Parameters of torch's layer and ours for them; biases of its attentions, which ours lack, become 0."""
    norms = [own.around_self, own.around_forward]
    if isinstance(own, DecoderLayer):
        norms.insert(1, own.around_attention)
        look = own.attention
        assert isinstance(look, MultiHeadAttention)
        weights = torch.cat([look.query.weight, look.key.weight, look.value.weight])
        yield from attended(twin.multihead_attn, weights, look.output)
    yield from attended(twin.self_attn, own.self_attention.inputs.weight, own.self_attention.output)
    for number, norm in enumerate(norms, 1):
        yield from both(getattr(twin, f"norm{number}"), norm.norm)
    yield from both(twin.linear1, own.feed_forward.widen)
    yield from both(twin.linear2, own.feed_forward.narrow)


def attended(
    twin: nn.MultiheadAttention, inputs: Tensor, output: nn.Linear
) -> Iterator[tuple[Tensor, Tensor]]:
    yield twin.in_proj_weight, inputs
    yield twin.out_proj.weight, output.weight
    for bias in (twin.in_proj_bias, twin.out_proj.bias):
        yield bias, torch.zeros_like(bias)


def both(twin: nn.Module, own: nn.Module) -> Iterator[tuple[Tensor, Tensor]]:
    yield twin.weight, own.weight
    yield twin.bias, own.bias


def twin_sizes(norm: str) -> dict[str, object]:
    return {"dim_feedforward": 4 * HIDDEN, "dropout": 0.0, "batch_first": True, "norm_first": norm == "pre"}


@pytest.mark.parametrize("norm", NORMS)
def test_encoder_layer_equals_torchs_own_under_padding(norm: str) -> None:
    own = EncoderLayer(LayerSizes(HIDDEN, HEADS, 0.0, norm))
    shake(own)
    twin = nn.TransformerEncoderLayer(HIDDEN, HEADS, **twin_sizes(norm))
    copy(shared(twin, own))
    stream = seeded(1, 3, 6, HIDDEN)
    wanted = twin(stream, src_key_padding_mask=~MASK)
    assert close(own(stream, MASK[:, None, None])[MASK], wanted[MASK])


@pytest.mark.parametrize("norm", NORMS)
def test_decoder_equals_torchs_own_layers(norm: str) -> None:
    decoder = decoder_of(norm)
    memories, state = started(decoder)
    stream, encoded = decoder.entrance(replies(), torch.arange(STEPS)), seeded(1, 3, 6, HIDDEN)
    for own in decoder.layers:
        twin = nn.TransformerDecoderLayer(HIDDEN, HEADS, **twin_sizes(norm))
        copy(shared(twin, own))
        causal = nn.Transformer.generate_square_subsequent_mask(STEPS)
        stream = twin(stream, encoded, tgt_mask=causal, memory_key_padding_mask=~MASK)
    if norm == "pre":
        stream = nn.functional.layer_norm(stream, (HIDDEN,), decoder.last.weight, decoder.last.bias)
    assert close(decoder(replies(), memories, state).features, stream @ decoder.project.weight.T)


def test_sinusoids_are_as_the_paper_has_them() -> None:
    made = sinusoids(torch.tensor([[0, 1, 500]]), 5)
    assert made.shape == (1, 3, 5)
    for column, position in enumerate((0, 1, 500)):
        for i in range(5):
            angle = position / 10000 ** ((i - i % 2) / 5)
            wanted = math.cos(angle) if i % 2 else math.sin(angle)
            assert made[0, column, i].item() == pytest.approx(wanted, abs=1e-4)


def test_embeddings_enter_as_large_as_positions() -> None:
    encoder = TransformerEncoder(HIDDEN, 1, LayerSizes(HIDDEN, HEADS, 0.0))
    word = torch.tensor([[[0.5] + [0.0] * 7]])
    entered = encoder.entrance(word, torch.tensor([0]))
    assert entered[0, 0].tolist() == pytest.approx([0.5 * math.sqrt(8), 1, 0, 1, 0, 1, 0, 1], abs=1e-6)


@pytest.mark.parametrize("norm", NORMS)
def test_padding_changes_nothing_in_the_encoder(norm: str) -> None:
    encoder, embedded = encoder_of(norm), seeded(1, 3, 6, EMBED)
    loose = torch.cat([embedded.masked_fill(~MASK[:, :, None], 1e3), torch.full((3, 5, EMBED), -1e3)], dim=1)
    a, b = encoder(embedded, MASK), encoder(loose, nn.functional.pad(MASK, (0, 5)))
    assert close(a.outputs[MASK], b.outputs[:, :6][MASK])
    assert close(a.finals[0], b.finals[0])


@pytest.mark.parametrize("row", range(3))
def test_sentence_alone_is_encoded_as_in_its_batch(row: int) -> None:
    encoder, length = encoder_of(), int(LENGTHS[row])
    embedded = seeded(1, 3, 6, EMBED)
    alone = encoder(embedded[row : row + 1, :length], MASK[row : row + 1, :length])
    among = encoder(embedded, MASK)
    assert close(alone.outputs[0], among.outputs[row, :length])
    assert close(alone.finals[0][0], among.outputs[row, :length].mean(0))
    assert close(among.finals[0][row], among.outputs[row, :length].mean(0))


def test_encoder_knows_the_order_of_words() -> None:
    encoder, embedded = encoder_of(), seeded(1, 1, 6, EMBED)
    turned = encoder(embedded.flip(1), MASK[:1]).outputs.flip(1)
    assert not torch.allclose(turned, encoder(embedded, MASK[:1]).outputs, atol=1e-2)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("look", LOOKS, ids="-".join)
def test_step_by_step_is_all_at_once(look: tuple[str, str], norm: str) -> None:
    decoder = decoder_of(norm, look)
    memories, state = started(decoder)
    whole = decoder(replies(), memories, state)
    steps = []
    for t in range(STEPS):
        steps.append(decoder(replies()[:, t : t + 1], memories, state))
        state = steps[-1].state
    joined = Decoded.join(steps)
    assert close(joined.features, whole.features)
    assert close(joined.weights, whole.weights)
    assert state.position.tolist() == whole.state.position.tolist() == [STEPS] * 3
    for past, wanted in zip(state.past, whole.state.past, strict=True):
        assert close(past.keys, wanted.keys)
        assert close(past.values, wanted.values)


@pytest.mark.parametrize("look", LOOKS, ids="-".join)
def test_no_word_is_known_before_its_time(look: tuple[str, str]) -> None:
    decoder = decoder_of(look=look)
    memories, state = started(decoder)
    before = decoder(replies(), memories, state)
    for t in range(STEPS):
        changed = replies()
        changed[:, t] += 1.0
        after = decoder(changed, memories, state)
        assert close(after.features[:, :t], before.features[:, :t])
        assert (after.features[:, t:] - before.features[:, t:]).abs().amax(-1).min() > 1e-4


@pytest.mark.parametrize("look", LOOKS, ids="-".join)
def test_selected_rows_go_on_as_those_rows(look: tuple[str, str]) -> None:
    decoder, rows = decoder_of(look=look), torch.tensor([2, 2, 0])
    memories, state = started(decoder)
    state = decoder(replies(), memories, state).state
    whole = decoder(replies(1), memories, state)
    chosen = decoder(replies(1)[rows], tuple(memory.select(rows) for memory in memories), state.select(rows))
    assert close(chosen.features, whole.features[rows])
    assert close(chosen.weights, whole.weights[rows])


@pytest.mark.parametrize("layers", [1, 2])
def test_what_was_looked_at_feeds_back_through_the_layer_above(layers: int) -> None:
    decoder = decoder_of(layers=layers)
    memories, state = started(decoder)
    first = decoder(replies(1), memories, state).state
    other = decoder(
        replies(1), tuple(memory.select(torch.tensor([1, 2, 0])) for memory in memories), state
    ).state
    one, two = (decoder(replies(1), memories, each).features for each in (first, other))
    assert decoder.feeds_back == (layers > 1)
    assert close(one, two) != decoder.feeds_back


def test_weights_shown_are_those_of_the_last_layer() -> None:
    sizes = AttentionSizes.square(HIDDEN)
    looks = iter([NoAttention(HIDDEN), MultiHeadAttention(sizes)])
    decoder = TransformerDecoder(EMBED, 2, LayerSizes(HIDDEN, HEADS, 0.0), lambda: next(looks))
    weights = decoder(replies(), *started(decoder)).weights
    assert close(weights.sum(-1), torch.ones(3, STEPS))  # those of no attention are 0


class PricedAlign(Align):
    """Weights all the same; each look costs a penalty and a log-probability that are known."""

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        weights = mask[:, None].float().expand_as(scores) / mask.sum(1)[:, None, None]
        price = torch.ones(scores.shape[:2])
        return Aligned(weights, -2 * price, 3 * price, {"sharpness": 5 * price})


def test_what_layers_add_to_the_loss_is_summed() -> None:
    sizes = AttentionSizes.square(HIDDEN)
    decoder = TransformerDecoder(
        EMBED,
        3,
        LayerSizes(HIDDEN, HEADS, 0.0),
        lambda: ScoredAttention(SCORES["dot"](sizes), PricedAlign(sizes)),
    )
    decoded = decoder(replies(), *started(decoder))
    assert decoded.log_prob.tolist() == [[-6.0] * STEPS] * 3
    assert decoded.penalty.tolist() == [[9.0] * STEPS] * 3
    assert decoded.gauges["sharpness"].tolist() == [[5.0] * STEPS] * 3


def network_of(**options: object) -> Seq2Seq:
    both = {"encoder": "transformer", "decoder": "transformer", "attention": "multi-head"}
    shape = {"embed": 16, "hidden": 16, "layers": 2, "dropout": 0.0}
    return build_network(ModelOptions(**(both | shape | options)), VOCAB)


@pytest.mark.parametrize("norm", NORMS)
def test_loss_starts_as_if_all_words_were_equal(norm: str) -> None:
    network = network_of(norm=norm, embed=64, hidden=64)
    src, tgt = torch.randint(4, VOCAB, (16, 7)), torch.randint(4, VOCAB, (16, 6))
    loss = sequence_loss(network, src, tgt[:, :-1], tgt[:, 1:], 0.0)
    assert float(loss.objective.detach()) == pytest.approx(math.log(VOCAB), abs=0.05)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("look", LOOKS, ids="-".join)
def test_gradient_reaches_every_parameter_and_is_finite(look: tuple[str, str], norm: str) -> None:
    network = network_of(attention=look[0], align=look[1], norm=norm)
    src, tgt = torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0]]), torch.tensor([[2, 4, 5], [2, 8, 9]])
    sequence_loss(network, src, tgt[:, :-1], tgt[:, 1:], 0.0).objective.backward()
    for name, parameter in network.named_parameters():
        if "around_attention.norm" in name and look[0] == NONE:
            continue  # nobody asks, so nobody's question is normalised
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name


@pytest.mark.parametrize("look", LOOKS, ids="-".join)
def test_half_precision_stays_finite(look: tuple[str, str]) -> None:
    network = network_of(attention=look[0], align=look[1]).eval()
    src, tgt = torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0]]), torch.tensor([[2, 4, 5], [2, 8, 9]])
    with torch.autocast("cpu", torch.bfloat16):
        source, state = network.encode(src)
        first = network.decode(tgt[:, :1], source, state)
        second = network.decode(tgt[:, 1:], source, first.state)
        whole = network.decode(tgt, source, state)
    stepped = torch.cat([first.features, second.features], dim=1)
    assert torch.isfinite(whole.features).all()
    assert torch.allclose(stepped.float(), whole.features.float(), atol=0.05)
    assert torch.allclose(whole.features.float(), network(src, tgt)[0].features, atol=0.1)


@pytest.mark.parametrize(("encoder", "decoder"), [("transformer", "rnn"), ("rnn", "transformer")])
def test_parts_go_with_recurrent_ones(encoder: str, decoder: str) -> None:
    network = network_of(encoder=encoder, decoder=decoder)
    decoded, _ = network(torch.tensor([[4, 5, 0]]), torch.tensor([[2, 4]]))
    assert decoded.features.shape == (1, 2, 16)
    assert (decoded.weights[..., 2] == 0).all()


@pytest.mark.parametrize("ask", ["previous", "feeding"])
def test_asking_at_another_time_is_refused(ask: str) -> None:
    with pytest.raises(OptionError, match=f"--ask {ask} does not fit --decoder transformer"):
        network_of(ask=ask)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_heads_that_do_not_fit_are_refused(side: str) -> None:
    with pytest.raises(OptionError, match="3 heads cannot share 16 numbers evenly"):
        network_of(
            **({"encoder": "rnn", "decoder": "rnn", "attention": "dot"} | {side: "transformer", "heads": 3})
        )


TASKS = {"copy": slice(None), "reverse": slice(None, None, -1)}


def learned(task: str, norm: str, steps: int = 500) -> TorchEngine:
    """A network after some steps on random sequences, as an engine."""
    options, random = TrainingOptions(lr=8e-3, weight_decay=0.0), np.random.default_rng(0)
    network = network_of(embed=32, hidden=32, norm=norm)
    optimizer = build_optimizer(network, options)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = options.lr * rate_factor(step / steps, 0.1)
        src = torch.from_numpy(random.integers(4, VOCAB, (64, random.integers(1, LONGEST + 1, 2).max())))
        tgt = torch.from_numpy(src.numpy()[:, TASKS[task]].copy())
        tgt_in, tgt_out = nn.functional.pad(tgt, (1, 0), value=BOS), nn.functional.pad(tgt, (0, 1), value=EOS)
        sequence_loss(network, src, tgt_in, tgt_out, 0.0).objective.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return TorchEngine(network, VOCAB, torch.device("cpu"))


def exact(engine: TorchEngine, task: str) -> float:
    """The share of new sequences whose greedy reply is right to its end."""
    random = np.random.default_rng(1)
    sources = [
        random.integers(4, VOCAB, random.integers(1, LONGEST + 1, 2).max()).tolist() for _ in range(300)
    ]
    found = search(engine, sources, beam=1, max_length=LONGEST + 2)
    return (
        sum(best.tokens == (*src[TASKS[task]], EOS) for (best,), src in zip(found, sources, strict=True))
        / 300
    )


@pytest.mark.slow
@pytest.mark.parametrize(("task", "norm"), list(product(TASKS, NORMS)))
def test_transformer_learns_to_copy_and_to_reverse(task: str, norm: str) -> None:
    assert exact(learned(task, norm), task) >= 0.99
