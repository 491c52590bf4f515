"""An engine from a checkpoint: its graphs where they do, else its network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.checkpoint import Checkpoint, load
from chatbot.decoding.engine import Engine
from chatbot.engines.reversing import Reversed
from chatbot.errors import CheckpointError

if TYPE_CHECKING:
    from chatbot.engines.gaze import Gaze

WITHOUT_TORCH = ("auto", "cpu")
"""Devices that graphs answer for: a reply is a row or a few at a time, which a processor does best."""


def answers_without_torch(checkpoint: Checkpoint, device: str) -> bool:
    """Whether a checkpoint is answered from by ONNX Runtime."""
    return checkpoint.has_graphs and device in WITHOUT_TORCH


def load_engine(checkpoint: Checkpoint, vocab: int, device: str, gaze: Gaze | None = None) -> Engine:
    """The checkpoint's engine.

    Args:
        vocab: tokens of the checkpoint's tokenizer.
        device: auto, cpu, cuda or mps.
        gaze: which attention's weights are told, see TorchEngine; graphs tell the usual one alone.

    Raises:
        CheckpointError: the weights are not those of the network ``config.json`` describes, or the graphs
            cannot be run.
        OptionError: the device, the layer or the head is not there.
    """
    if gaze is None and answers_without_torch(checkpoint, device):
        from chatbot.engines.onnx_engine import OnnxEngine

        return OnnxEngine.open(checkpoint.home, vocab)
    from chatbot.engines.network import load_network
    from chatbot.engines.torch_engine import TorchEngine, choose_device

    chosen = choose_device(device)
    return TorchEngine(load_network(checkpoint, vocab), vocab, chosen, gaze)


def load_reversed(folder: Path, device: str) -> Reversed:
    """The model of questions in a checkpoint of ``train --reverse``.

    Args:
        device: auto, cpu, cuda or mps.

    Raises:
        CheckpointError: it is no complete, undamaged checkpoint, or was trained to answer.
        OptionError: the device is not there.
    """
    checkpoint = load(folder)
    if not checkpoint.config.training.reverse:
        what = "was trained to answer, not to guess questions"
        raise CheckpointError(str(folder), what, "make such a checkpoint with chatbot train --reverse")
    tokenizer = checkpoint.tokenizer()
    engine = load_engine(checkpoint, tokenizer.vocab, device)
    return Reversed(tokenizer, engine, checkpoint.config.text.max_src)
