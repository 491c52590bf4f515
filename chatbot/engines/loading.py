"""An engine from a checkpoint."""

from __future__ import annotations

import torch

from chatbot.build import build_network
from chatbot.checkpoint import WEIGHTS, Checkpoint
from chatbot.engines.torch_engine import TorchEngine, choose_device
from chatbot.errors import CheckpointError


def load_engine(checkpoint: Checkpoint, vocab: int, device: str) -> TorchEngine:
    """The checkpoint's network with its weights.

    Args:
        vocab: tokens of the checkpoint's tokenizer.
        device: auto, cpu, cuda or mps.

    Raises:
        CheckpointError: the weights are not those of the network ``config.json`` describes.
    """
    network = build_network(checkpoint.config.model, vocab)
    weights = checkpoint.weights()
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name not in weights or weights[name].shape != tuple(parameter.shape):
                raise CheckpointError(
                    str(checkpoint.path / WEIGHTS),
                    f"does not fit config.json at {name}",
                    "restore the folder from a copy, or train again",
                )
            parameter.copy_(torch.from_numpy(weights[name]))
    return TorchEngine(network, vocab, choose_device(device))
