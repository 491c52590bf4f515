"""Parts of a network that a run leaves as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import nn
from torch.nn.utils.parametrizations import _SpectralNorm

from chatbot.errors import OptionError
from chatbot.nn.seq2seq import Seq2Seq

PARTS: dict[str, Callable[[Seq2Seq], tuple[nn.Module, ...]]] = {
    "embeddings": lambda network: (network.src_embedding, network.tgt_embedding),
    "encoder": lambda network: (network.encoder,),
    "decoder": lambda network: (network.decoder,),
    "output": lambda network: (network.output,),
}
"""Parts by name. A table that words are said with as well is an embedding and no part of the output."""


def frozen_parts(names: str) -> tuple[str, ...]:
    """The parts that ``--freeze`` names.

    Args:
        names: separated by commas; "" for none.

    Raises:
        OptionError: one is no part, or nothing is left to learn.
    """
    parts = tuple(dict.fromkeys(name.strip() for name in names.split(","))) if names.strip() else ()
    unknown = [name for name in parts if name not in PARTS]
    if unknown:
        raise OptionError("--freeze", f"no part {unknown[0]!r}", "name some of " + ", ".join(PARTS))
    if set(parts) == set(PARTS):
        raise OptionError("--freeze", "leaves nothing to learn", "leave one of the parts out")
    return parts


def freeze(network: Seq2Seq, parts: Sequence[str]) -> None:
    """Let nothing change the weights of these parts: no gradient, and no power iteration either.

    Args:
        parts: names of PARTS.
    """
    tables = {id(table.weight) for table in (network.src_embedding, network.tgt_embedding)}
    for name in parts:
        for module in PARTS[name](network):
            for parameter in module.parameters():
                if name == "embeddings" or id(parameter) not in tables:
                    parameter.requires_grad_(False)
            for inner in module.modules():
                if isinstance(inner, _SpectralNorm):  # its two vectors move at every pass in training
                    inner.n_power_iterations = 0
