"""A network from a configuration: the one place where the two meet."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from chatbot.config import POINTER, Config, ModelOptions
from chatbot.dataset.bucketing import SRC_STEP, round_up
from chatbot.errors import OptionError
from chatbot.nn.attention import Attention
from chatbot.nn.copying import CopyOutput, PointerOutput
from chatbot.nn.core import Core, RnnCore
from chatbot.nn.decoder import ASKS, Decoder
from chatbot.nn.dropout import DropConnect
from chatbot.nn.embedding import new_embedding
from chatbot.nn.encoder import Encoder, ReversedEncoder, RnnEncoder
from chatbot.nn.gated import GatedEncoder
from chatbot.nn.ntm import NtmCore
from chatbot.nn.output import Output, SoftmaxOutput
from chatbot.nn.registry import GLOBAL, NONE, build_attention
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.nn.sizes import AttentionSizes
from chatbot.nn.snail import SnailCore, SnailEncoder
from chatbot.nn.transformer import TransformerDecoder, TransformerEncoder
from chatbot.nn.transformer_layers import LayerSizes
from chatbot.text.tokenizer import SPECIALS

REPLY_REACH = 32
"""Tokens of a reply that SNAIL's convolutions reach over; its attention reads any number."""

POINTING_ALIGNS = (GLOBAL, "ntm")
"""Alignments that give every word of a question some weight, so that none of them is impossible to say."""


def build_network(options: ModelOptions, vocab: int, seed: int = 0, max_src: int = 40) -> Seq2Seq:
    """A network with fresh weights; the same seed gives the same ones and leaves torch's own alone.

    Args:
        max_src: longest source, in tokens.

    Raises:
        OptionError: the options do not fit together.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if options.frozen and options.tie:
            raise OptionError("--frozen", "what words are said with must be learned", "add --no-tie")
        src = new_embedding(vocab, options.embed, frozen=options.frozen)
        tgt = src if options.tie else new_embedding(vocab, options.embed, frozen=options.frozen)
        said = tgt if options.tie else new_embedding(vocab, options.embed)
        longest = max_src + (options.output == POINTER)  # an <eos> stands behind each source
        try:
            encoder = _encoder(options, longest)
            decoder = DECODERS[options.decoder](options, longest)
            output = OUTPUTS[options.output](options, said)
            _check_weight_dropout(options, encoder, decoder)
        except ValueError as error:
            raise OptionError("model", str(error), "change one of the two") from None
        return Seq2Seq(src, tgt, encoder, decoder, output, options.dropout, options.dropout_kind)


def check_model(config: Config) -> None:
    """Whether the options of a network fit together, before time is spent on data.

    Raises:
        OptionError: they do not.
    """
    build_network(config.model, len(SPECIALS), max_src=config.text.max_src)


def _check_weight_dropout(options: ModelOptions, *parts: nn.Module) -> None:
    if options.weight_dropout and not any(
        isinstance(m, DropConnect) for part in parts for m in part.modules()
    ):
        raise ValueError(
            f"weight dropout is for recurrent layers, and neither --encoder {options.encoder} nor --decoder "
            f"{options.decoder} has one"
        )


def _encoder(options: ModelOptions, max_src: int) -> Encoder:
    encoder = ENCODERS[options.encoder](options, max_src)
    if options.self_attention:
        encoder = _gated(options, encoder)
    return ReversedEncoder(encoder) if options.reverse_source else encoder


def _gated(options: ModelOptions, encoder: Encoder) -> Encoder:
    if options.attention == NONE:
        raise ValueError(f"{NONE} reads nothing of what self-attention would change")
    return GatedEncoder(encoder, options.hidden)


def _rnn_encoder(options: ModelOptions, max_src: int) -> Encoder:
    return _layered(options, options.cell)


def _lstmn_encoder(options: ModelOptions, max_src: int) -> Encoder:
    return _layered(options, "lstmn")


def _layered(options: ModelOptions, layer: str) -> Encoder:
    return RnnEncoder(
        layer,
        options.embed,
        options.hidden,
        options.layers,
        options.dropout,
        bidirectional=options.bidirectional,
        residual=options.residual,
        dropout_kind=options.dropout_kind,
        weight_dropout=options.weight_dropout,
    )


def _snail_encoder(options: ModelOptions, max_src: int) -> Encoder:
    return SnailEncoder(
        options.embed,
        options.hidden,
        options.layers,
        max_src,
        options.dropout,
        dropout_kind=options.dropout_kind,
    )


def _layer_sizes(options: ModelOptions) -> LayerSizes:
    return LayerSizes(options.hidden, options.heads, options.dropout, options.norm, options.dropout_kind)


def _transformer_encoder(options: ModelOptions, max_src: int) -> Encoder:
    return TransformerEncoder(options.embed, options.layers, _layer_sizes(options))


def _attention(options: ModelOptions, max_src: int) -> Attention:
    hidden = options.hidden
    sizes = AttentionSizes(
        query=hidden,
        value=hidden,
        inner=options.attention_size or hidden,
        src_len=round_up(max_src, SRC_STEP),
        window=options.window,
        heads=options.heads,
    )
    return build_attention(options.attention, options.align, sizes, options.coverage)


def _core_decoder(core: Callable[[ModelOptions, int], Core]) -> Callable[[ModelOptions, int], Decoder]:
    """A decoder with a core, which asks when the options say."""

    def build(options: ModelOptions, max_src: int) -> Decoder:
        kind, attention = ASKS[options.ask], _attention(options, max_src)
        size = kind.input_size(options.embed, attention.context)
        return kind(core(options, size), attention, options.embed, options.hidden)

    return build


def _rnn_core(options: ModelOptions, size: int) -> Core:
    return RnnCore(
        options.cell,
        size,
        options.hidden,
        options.layers,
        options.dropout,
        residual=options.residual,
        dropout_kind=options.dropout_kind,
        weight_dropout=options.weight_dropout,
    )


def _snail_core(options: ModelOptions, size: int) -> Core:
    return SnailCore(
        size,
        options.hidden,
        options.layers,
        REPLY_REACH,
        options.dropout,
        dropout_kind=options.dropout_kind,
    )


def _ntm_core(options: ModelOptions, size: int) -> Core:
    controller = _rnn_core(options, size + options.slot_size)
    return NtmCore(controller, options.hidden, options.slots, options.slot_size)


def _transformer_decoder(options: ModelOptions, max_src: int) -> Decoder:
    if options.ask != "current":
        raise ValueError(
            f"a Transformer asks in every layer with what it has of the current word, so --ask {options.ask} "
            "does not fit --decoder transformer"
        )
    return TransformerDecoder(
        options.embed, options.layers, _layer_sizes(options), lambda: _attention(options, max_src)
    )


def _softmax_output(options: ModelOptions, table: nn.Embedding) -> Output:
    return SoftmaxOutput(table)


def _copy_output(options: ModelOptions, table: nn.Embedding) -> Output:
    if options.attention == NONE:
        raise ValueError(f"{options.output} copies what it looks at, and attention {NONE} looks nowhere")
    return CopyOutput(table)


def _pointer_output(options: ModelOptions, table: nn.Embedding) -> Output:
    if options.attention == NONE or options.align not in POINTING_ALIGNS:
        looks = NONE if options.attention == NONE else options.align
        raise ValueError(
            f"{options.output} may have to say any word, and {looks} does not look at all of them"
        )
    return PointerOutput(table.num_embeddings)


ENCODERS: dict[str, Callable[[ModelOptions, int], Encoder]] = {
    "rnn": _rnn_encoder,
    "snail": _snail_encoder,
    "lstmn": _lstmn_encoder,
    "transformer": _transformer_encoder,
}

DECODERS: dict[str, Callable[[ModelOptions, int], Decoder]] = {
    "rnn": _core_decoder(_rnn_core),
    "snail": _core_decoder(_snail_core),
    "ntm": _core_decoder(_ntm_core),
    "transformer": _transformer_decoder,
}

OUTPUTS: dict[str, Callable[[ModelOptions, nn.Embedding], Output]] = {
    "softmax": _softmax_output,
    "pointer-generator": _copy_output,
    POINTER: _pointer_output,
}
