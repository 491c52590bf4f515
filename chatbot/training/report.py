"""What a finished run measured: perplexity beside an n-gram's, attention, how varied the replies are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from chatbot.corpus.statistics import reply_statistics
from chatbot.dataset.joined import Pairs, joined, take
from chatbot.evaluation.evaluating import LOOKED_AT, NGRAM_PAIRS
from chatbot.evaluation.looking import look
from chatbot.evaluation.ngram import best_order
from chatbot.evaluation.perplexity import Fit, fit_of, measure
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.data import TrainingData

QUESTIONS = 300
"""Held-out questions whose replies are looked at for variety."""


def perplexities(network: Seq2Seq, data: TrainingData, device: torch.device) -> dict[str, Any]:
    """Perplexity per word on everything held out, by corpus, beside a Kneser-Ney n-gram; and attention.

    The n-gram sees the same tokens of the same training replies; its order, 2 to 6, is the best on the
    held-out text itself, so the comparison favours it.
    """
    held_out = data.held_out()
    replies = take(data.joined(), NGRAM_PAIRS)
    every = joined([pairs for _, pairs, _ in held_out])
    ngram = best_order(replies, every, data.tokenizer.vocab)
    rows: dict[str, Any] = {}
    ours, theirs = Fit(0.0, 0, 0), Fit(0.0, 0, 0)
    for name, pairs, _ in held_out:
        fit, other = measure(network, pairs, device), fit_of(pairs, ngram.total_nats(pairs))
        ours, theirs = ours + fit, theirs + other
        rows[name] = _row(pairs, fit, other)
    return {
        "corpora": rows,
        "all": _row(every, ours, theirs),
        "attention": _attention(network, every, device),
        "ngram_order": ngram.order,
        "held_out": any(len(corpus.valid) for corpus in data.corpora),
    }


def variety(data: TrainingData, answer: Callable[[Sequence[Sequence[str]]], list[str]]) -> dict[str, Any]:
    """Share of the commonest reply and distinct-1/2 of the replies to held-out questions."""
    pairs = take(joined([pairs for _, pairs, _ in data.held_out()]), QUESTIONS)
    questions = [data.tokenizer.decode_turns(pairs.pair(row)[0].tolist()) for row in range(len(pairs))]
    found = reply_statistics(answer(questions))
    return {
        "questions": len(questions),
        "distinct1": round(found.distinct1, 4),
        "distinct2": round(found.distinct2, 4),
        "commonest": [[share.name, round(share.share, 4)] for share in found.commonest[:3]],
    }


def _attention(network: Seq2Seq, pairs: Pairs, device: torch.device) -> dict[str, Any]:
    """What attention does on some pairs, see ``chatbot.evaluation.looking.Looking``."""
    figures = dataclasses.asdict(look(network, take(pairs, LOOKED_AT), device))
    gauges = figures.pop("gauges")
    return {**_rounded(figures), "gauges": _rounded(gauges)}


def _rounded(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}


def _row(pairs: Pairs, ours: Fit, theirs: Fit) -> dict[str, float]:
    return {
        "pairs": len(pairs),
        "perplexity": round(ours.perplexity, 2),
        "ngram_perplexity": round(theirs.perplexity, 2),
        "ratio": round(ours.perplexity / theirs.perplexity, 4),
        "loss": round(ours.loss, 4),
    }
