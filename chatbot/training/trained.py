"""Trained: a network with its data, measured, made to talk and written as a checkpoint."""

from __future__ import annotations

import dataclasses
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
from chatbot.display.heatmaps import Map
from chatbot.display.labels import rows_of
from chatbot.engines.answering import Answer, Answering
from chatbot.engines.exporting import NotExportedError, export
from chatbot.engines.torch_engine import TorchEngine
from chatbot.evaluation.openings import openings
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.reply import attention_of
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.turns import legible
from chatbot.training.card import model_card
from chatbot.training.data import TrainingData
from chatbot.training.equipment import Equipment, equipment
from chatbot.training.events import Finished, Sampled, finite
from chatbot.training.planting import canaries_of
from chatbot.training.reply_model import model_of
from chatbot.training.report import perplexities, variety
from chatbot.training.request import Request
from chatbot.training.trainer import own_weights
from chatbot.trust.seen import Seen

CARD_QUESTIONS = 20
"""Held-out questions on a card whose bot did not learn small talk."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A network as it is, and what it learned from.

    Args:
        seen: the words and replies it met, in an earlier training as well.
    """

    request: Request
    data: TrainingData
    network: Seq2Seq
    device: torch.device
    seen: Seen
    _kept: dict[str, BackOff | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def replies(self) -> BackOff | None:
        """The language model of the replies that are learned from; it is made once."""
        if not self._kept:
            self._kept["model"] = model_of(self.data, self.request.config)
        return self._kept["model"]

    def answer(self, asked: Sequence[Sequence[str]]) -> list[str]:
        """The network's replies; it is put into evaluation mode.

        Args:
            asked: each the turns before a question, oldest first, and the question.
        """
        return [answer.text for answer in self._answers(self._answering(), asked)]

    def _answers(self, answering: Answering, asked: Sequence[Sequence[str]]) -> list[Answer]:
        questions, histories = [turns[-1] for turns in asked], [turns[:-1] for turns in asked]
        return answering.answers(questions, self.request.config.decoding, histories=histories)

    def _answering(self) -> Answering:
        engine = TorchEngine(self.network, self.data.tokenizer.vocab, self.device)
        context = self.data.summary.get("context")
        return Answering.of(self.request.config, self.data.tokenizer, engine, context, self.replies)

    def measured(self) -> dict[str, Any]:
        """The report: perplexity beside an n-gram's, and how varied the replies are."""
        report = perplexities(self.network, self.data, self.device)
        report["variety"] = variety(self.data, self.answer)
        return report

    def equipped(self) -> Equipment:
        """What the checkpoint gets besides the weights, see ``chatbot.training.equipment``."""
        config = self.request.config
        return equipment(self.data, self.seen, self._answering(), config.decoding, config.training.why)

    def without_threshold(self) -> Trained:
        """The same for a checkpoint that does not know how sure its replies are."""
        config = self.request.config.replace({"decoding.threshold": 0.0})
        return dataclasses.replace(self, request=dataclasses.replace(self.request, config=config))

    def write(self, finished: Finished, report: Mapping[str, Any], files: Mapping[str, bytes]) -> list[str]:
        """The checkpoint with its model card, the language model of replies and, where it can be, its graphs.

        Args:
            report: as ``measured``; empty when the run was interrupted.
            files: what it gets besides the weights.

        Returns:
            what its owner should be warned of.

        Raises:
            ChatbotError: the folder cannot be written.
        """
        request = self.request
        record = self._record(finished, report)
        weights = {name: _stored(tensor, request.half) for name, tensor in own_weights(self.network).items()}
        card = model_card(request.folder.name, record, self._samples())
        tokenizer, extra, warnings = self.data.tokenizer, dict(files), list[str]()
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
        questions: list[tuple[str, ...]]
        if names & {"smalltalk", "smalltalk:english", "chatterbot:english"}:
            questions = [(opening,) for opening in openings()]
        else:
            questions = spread_questions(self.data, CARD_QUESTIONS)
        return self.samples(questions)

    def samples(self, asked: Sequence[tuple[str, ...]]) -> list[tuple[str, str]]:
        """What was asked, legibly, and the network's replies."""
        return list(zip(map(legible, asked), self.answer(asked), strict=True))

    def sampled(self, step: int, asked: Sequence[tuple[str, ...]], maps: bool) -> Sampled:
        """The same as an event of a step.

        Args:
            maps: with what the words of the replies looked at.
        """
        answering = self._answering()
        answers = self._answers(answering, asked)
        said = tuple(zip(map(legible, asked), (answer.text for answer in answers), strict=True))
        if not (maps and answering.attends):
            return Sampled(step, said)
        return Sampled(step, said, tuple(_map(answering.tokenizer, answer) for answer in answers))

    def _record(self, finished: Finished, report: Mapping[str, Any]) -> dict[str, Any]:
        canaries = canaries_of(self.request.config, self.data.tokenizer)
        return {
            "command": self.request.command,
            "versions": {"chatbot": chatbot.__version__, "torch": torch.__version__, "numpy": np.__version__},
            "corpora": self.data.described(),
            "canaries": canaries.to_json() if canaries else None,
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


def spread_questions(data: TrainingData, most: int) -> list[tuple[str, ...]]:
    """At most so many held-out questions behind the turns before them, spread evenly over all."""
    pairs = joined([pairs for _, pairs, _ in data.held_out()])
    rows: Sequence[int] = sorted({int(row) for row in np.linspace(0, len(pairs) - 1, most)})
    return [data.tokenizer.decode_turns(pairs.pair(row)[0].tolist()) for row in rows]


def _map(tokenizer: Tokenizer, answer: Answer) -> Map | None:
    """What the words of a reply looked at; None where nothing was said."""
    if answer.source is None or not answer.text:
        return None
    attention = attention_of(tokenizer, answer.source.question, answer.source, answer.ranked[0][1])
    rows = rows_of(attention)
    words = [f"{word.text} ({word.turn})" if word.turn else word.text for word in attention.source]
    return Map("", words, [row.label for row in rows], [row.weights for row in rows])


def _stored(tensor: Tensor, half: bool) -> Any:
    return tensor.detach().cpu().to(torch.float16 if half else torch.float32).numpy()
