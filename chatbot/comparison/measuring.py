"""Figures of a trained variant: what its checkpoint says, and what its replies to the questions say."""

from __future__ import annotations

import hashlib
import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

from chatbot.bot import Chatbot
from chatbot.checkpoint import MANIFEST, load
from chatbot.comparison.metrics import words_per_second
from chatbot.comparison.outcome import Figures, Outcome
from chatbot.comparison.questions import Question, drawn_place, shown_rows
from chatbot.comparison.variant import Variant
from chatbot.corpus.statistics import reply_statistics
from chatbot.display.record import attention_record
from chatbot.evaluation.bleu import bleu
from chatbot.reply import Reply
from chatbot.training.metrics import read_events

VERSION = 2
"""Part of the fingerprint: raise it when a figure comes to mean something else."""


def measured(folder: Path, variant: Variant, questions: Sequence[Question]) -> Outcome:
    """Ask a trained variant every question and take its figures.

    Raises:
        CheckpointError: the checkpoint is damaged.
    """
    record = load(folder).record
    bot = Chatbot.load(folder, variant.config.training.device)
    replies = bot.replies([question.text for question in questions], variant.config.decoding)
    texts = [reply.text for reply in replies]
    overlap = bleu(texts, [question.reference for question in questions])
    report = record["report"]["all"]
    figures = Figures(
        loss=report["loss"],
        perplexity=report["perplexity"],
        bleu=round(overlap.score, 2),
        distinct2=round(reply_statistics(texts).distinct2, 4),
        words_per_second=words_per_second(read_events(folder)),
        parameters=record["parameters"],
        entropy=mean_entropy(replies),
        steps=record["steps"],
        minutes=round(record["training_seconds"] / 60, 2),
    )
    rows = shown_rows(questions)
    drawn = rows[drawn_place([questions[row] for row in rows])]
    return Outcome(
        variant.label,
        variant.folder,
        variant.options,
        figures=figures,
        replies=tuple(texts[row] for row in rows),
        attention=_attention(replies[drawn]),
        bleu_signature=overlap.signature,
        fingerprint=fingerprint(folder, variant, questions),
    )


def fingerprint(folder: Path, variant: Variant, questions: Sequence[Question]) -> str:
    """A hash of all that figures hang on: the checkpoint, the way to search, the questions."""
    try:
        manifest = (folder / MANIFEST).read_text(encoding="utf-8")
    except OSError:
        return ""
    decoding = variant.config.to_json()["decoding"]
    asked = [[question.text, question.reference] for question in questions]
    parts = json.dumps([VERSION, manifest, decoding, asked, variant.options], sort_keys=True)
    return hashlib.sha256(parts.encode()).hexdigest()


def mean_entropy(replies: Sequence[Reply]) -> float | None:
    """Mean normalised entropy of the rows of attention, None where there is none.

        H(w) / log n, H(w) = - Σ pⱼ log pⱼ, pⱼ = wⱼ / Σ w

    n is the number of question words; rows over a single word say nothing and are left out.
    """
    rows = [row for reply in replies if reply.attention for row in reply.attention.weights]
    entropies = [entropy(row) for row in rows if len(row) > 1 and sum(row) > 0]
    return round(statistics.fmean(entropies), 4) if entropies else None


def entropy(row: Sequence[float]) -> float:
    """The entropy of weights that need not sum to 1, as a share of the highest possible."""
    total = sum(row)
    shares = [weight / total for weight in row if weight > 0]
    return -sum(share * math.log(share) for share in shares) / math.log(len(row))


def _attention(reply: Reply) -> dict[str, object] | None:
    """Its words and weights, where it has any."""
    return attention_record(reply.attention, reply.text) if reply.attention else None
