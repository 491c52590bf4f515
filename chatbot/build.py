"""A network from a configuration: the one place where the two meet."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from chatbot.config import ModelOptions
from chatbot.dataset.batches import SRC_STEP, round_up
from chatbot.errors import OptionError
from chatbot.nn.attention import Attention
from chatbot.nn.core import Core, RnnCore
from chatbot.nn.decoder import ASKS, Decoder
from chatbot.nn.encoder import Encoder, ReversedEncoder, RnnEncoder
from chatbot.nn.output import Output, SoftmaxOutput
from chatbot.nn.registry import build_attention
from chatbot.nn.seq2seq import Seq2Seq, new_embedding
from chatbot.nn.sizes import AttentionSizes


def build_network(options: ModelOptions, vocab: int, seed: int = 0, max_src: int = 40) -> Seq2Seq:
    """A network with fresh weights; the same seed gives the same ones and leaves torch's own alone.

    Args:
        max_src: longest source, in tokens.

    Raises:
        OptionError: the options do not fit together.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        src = new_embedding(vocab, options.embed)
        tgt = src if options.tie else new_embedding(vocab, options.embed)
        try:
            encoder = _encoder(options)
            decoder = DECODERS[options.decoder](options, max_src)
            output = OUTPUTS[options.output](
                options, tgt if options.tie else new_embedding(vocab, options.embed)
            )
        except ValueError as error:
            raise OptionError("model", str(error), "change one of the two") from None
        return Seq2Seq(src, tgt, encoder, decoder, output, options.dropout)


def _encoder(options: ModelOptions) -> Encoder:
    encoder = ENCODERS[options.encoder](options)
    return ReversedEncoder(encoder) if options.reverse_source else encoder


def _rnn_encoder(options: ModelOptions) -> Encoder:
    return RnnEncoder(
        options.cell,
        options.embed,
        options.hidden,
        options.layers,
        options.dropout,
        bidirectional=options.bidirectional,
        residual=options.residual,
    )


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
        options.cell, size, options.hidden, options.layers, options.dropout, residual=options.residual
    )


def _softmax_output(options: ModelOptions, table: nn.Embedding) -> Output:
    return SoftmaxOutput(table)


ENCODERS: dict[str, Callable[[ModelOptions], Encoder]] = {
    "rnn": _rnn_encoder,
}

DECODERS: dict[str, Callable[[ModelOptions, int], Decoder]] = {
    "rnn": _core_decoder(_rnn_core),
}

OUTPUTS: dict[str, Callable[[ModelOptions, nn.Embedding], Output]] = {
    "softmax": _softmax_output,
}
