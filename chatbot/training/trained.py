"""Trained: a network with its data, measured, made to talk and written as a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

import chatbot
from chatbot import checkpoint
from chatbot.dataset.joined import joined
from chatbot.decoding.language_model import BackOff
from chatbot.engines.answering import Answering
from chatbot.engines.exporting import NotExportedError, export
from chatbot.engines.torch_engine import TorchEngine
from chatbot.evaluation.openings import openings
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.card import model_card
from chatbot.training.data import TrainingData
from chatbot.training.events import Finished, finite
from chatbot.training.reply_model import model_of
from chatbot.training.report import perplexities, variety
from chatbot.training.request import Request
from chatbot.training.trainer import own_weights

CARD_QUESTIONS = 20
"""Held-out questions on a card whose bot did not learn small talk."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A network as it is, and what it learned from."""

    request: Request
    data: TrainingData
    network: Seq2Seq
    device: torch.device
    _kept: dict[str, BackOff | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def replies(self) -> BackOff | None:
        """The language model of the replies that are learned from; it is made once."""
        if not self._kept:
            self._kept["model"] = model_of(self.data, self.request.config)
        return self._kept["model"]

    def answer(self, questions: Sequence[str]) -> list[str]:
        """The network's replies to questions; it is put into evaluation mode."""
        config = self.request.config
        engine = TorchEngine(self.network, self.data.tokenizer.vocab, self.device)
        answering = Answering.of(config, self.data.tokenizer, engine, self.replies)
        return [answer.text for answer in answering.answers(questions, config.decoding)]

    def measured(self) -> dict[str, Any]:
        """The report: perplexity beside an n-gram's, and how varied the replies are."""
        report = perplexities(self.network, self.data, self.device)
        report["variety"] = variety(self.data, self.answer)
        return report

    def write(self, finished: Finished, report: Mapping[str, Any]) -> list[str]:
        """The checkpoint with its model card and, the language model of replies and, where the
        network can be written so, its graphs.

        Args:
            report: as ``measured``; empty when the run was interrupted.

        Returns:
            what its owner should be warned of.

        Raises:
            ChatbotError: the folder cannot be written.
        """
        request = self.request
        record = self._record(finished, report)
        weights = {name: _stored(tensor, request.half) for name, tensor in own_weights(self.network).items()}
        card = model_card(request.folder.name, record, self._samples())
        tokenizer, extra, warnings = self.data.tokenizer, dict[str, bytes](), list[str]()
        try:
            extra |= export(self.network, tokenizer.vocab, checkpoint.weights_file(weights))
        except NotExportedError as error:
            warnings.append(str(error))
        replies = self.replies()
        if replies is not None:
            extra[checkpoint.REPLIES] = checkpoint.replies_file(replies)
        checkpoint.save(request.folder, finite(record), tokenizer, weights, card, extra)
        return warnings

    def _samples(self) -> list[tuple[str, str]]:
        """Replies to everyday openings of a bot that learned them, else to held-out questions."""
        names = {corpus.name for corpus in self.data.corpora}
        if names & {"smalltalk", "smalltalk:english", "chatterbot:english"}:
            questions = openings()
        else:
            questions = spread_questions(self.data, CARD_QUESTIONS)
        return list(zip(questions, self.answer(questions), strict=True))

    def _record(self, finished: Finished, report: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "command": self.request.command,
            "versions": {"chatbot": chatbot.__version__, "torch": torch.__version__, "numpy": np.__version__},
            "corpora": self.data.described(),
            "options": self.request.config.to_json(),
            "vocab": self.data.tokenizer.vocab,
            "parameters": sum(parameter.numel() for parameter in self.network.parameters()),
            "precision": "half" if self.request.half else "single",
            "steps": finished.step,
            "best_step": finished.best_step,
            "ended": finished.reason,
            "training_seconds": round(finished.seconds, 1),
            "data": self.data.summary,
            "report": report,
        }


def spread_questions(data: TrainingData, most: int) -> list[str]:
    """At most so many held-out questions, spread evenly over all."""
    pairs = joined([pairs for _, pairs, _ in data.held_out()])
    rows: Sequence[int] = sorted({int(row) for row in np.linspace(0, len(pairs) - 1, most)})
    return [data.tokenizer.decode(pairs.pair(row)[0].tolist()) for row in rows]


def _stored(tensor: Tensor, half: bool) -> Any:
    return tensor.detach().cpu().to(torch.float16 if half else torch.float32).numpy()
