"""A network from a checkpoint."""

from __future__ import annotations

import torch

from chatbot.build import build_network
from chatbot.checkpoint import WEIGHTS, Checkpoint
from chatbot.errors import CheckpointError
from chatbot.nn.seq2seq import Seq2Seq, named_tensors


def load_network(checkpoint: Checkpoint, vocab: int) -> Seq2Seq:
    """The checkpoint's network with its weights.

    Args:
        vocab: tokens of the checkpoint's tokenizer.

    Raises:
        CheckpointError: the weights are not those of the network ``config.json`` describes.
    """
    config = checkpoint.config
    network = build_network(config.model, vocab, max_src=config.text.max_src)
    fill(network, checkpoint)
    return network


@torch.no_grad()
def fill(network: Seq2Seq, checkpoint: Checkpoint) -> None:
    """Give a network the checkpoint's weights.

    Raises:
        CheckpointError: they are those of another network.
    """
    weights = checkpoint.weights()
    tensors = dict(named_tensors(network))
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    stored = {name: weight.shape for name, weight in weights.items()}
    odd = sorted(name for name in shapes | stored if shapes.get(name) != stored.get(name))
    if odd:
        raise CheckpointError(
            str(checkpoint.home / WEIGHTS),
            f"does not fit config.json at {odd[0]}",
            "restore the folder from a copy, or train again",
        )
    for name, tensor in tensors.items():
        tensor.copy_(torch.from_numpy(weights[name]))
