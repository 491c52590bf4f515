"""The model card: what a checkpoint was made of, how good it is, what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chatbot.corpus.formats import PRIVATE
from chatbot.evaluation.goodness import MEANINGS

CONFIDENCE_HEADING, SAMPLES_HEADING = "## How sure", "## What it says"

WHOLE = 0.995
"""Weights that sum to this or more are shown as whole."""


def model_card(name: str, record: Mapping[str, Any], samples: Sequence[tuple[str, str]]) -> str:
    """The text of a checkpoint's README.md.

    Args:
        record: ``config.json``: command, options, corpora, report.
        samples: (question, reply) by the checkpoint's own decoding options.
    """
    parts = [
        f"# {name}",
        _purpose(name, record),
        f"Made by `{record['command']}` (chatbot {record['versions']['chatbot']}, torch "
        f"{record['versions']['torch']}), {record['training_seconds'] / 60:.1f} minutes of training, "
        f"{record['parameters']:,} parameters.",
        "## Data",
        _data_table(record),
        "What a person wrote in these corpora can come back in a reply word for word, and pairs of them lie "
        "in `why.jsonl` where there is one. "
        "Share a checkpoint only with those who may read its corpora.",
        *_private(name, record),
        *_canaries(record.get("canaries")),
        "## How good",
        *_measured(record["report"]),
        SAMPLES_HEADING,
        _samples(samples),
    ]
    return "\n\n".join(parts) + "\n"


def _private(name: str, record: Mapping[str, Any]) -> list[str]:
    """A warning where the bot learned from what people wrote to each other."""
    chats = [
        corpus["name"]
        for corpus in record["corpora"]
        if PRIVATE & set(str(corpus.get("format", "")).split(","))
    ]
    if not chats:
        return []
    named = ", ".join(map(_cell, chats))
    return [
        f"**Warning: this bot learned from private messages ({named}).** Who asks it may get out of it "
        "what was written there, names and numbers among it, and the weights hold it even where no reply "
        "shows it. Ask those who wrote them before you share it. "
        f"`chatbot evaluate {name} --audit` measures some of what it gives away; that it finds nothing is no "
        "proof."
    ]


def _canaries(canaries: Mapping[str, Any] | None) -> list[str]:
    if not canaries:
        return []
    return [
        f"Among the training pairs are {canaries['count']:,} canaries: codes made up to measure what is "
        "learned by heart. A reply that gives one is no secret of anybody."
    ]


def _purpose(name: str, record: Mapping[str, Any]) -> str:
    what = "A chatbot checkpoint: an encoder-decoder with attention."
    if record.get("options", {}).get("training", {}).get("reverse"):
        return (
            f"{what} It guesses questions from their replies (--reverse), so below they have changed places; "
            f"nobody can talk with it. Let it judge another's replies: `chatbot chat --reverse-model {name}`."
        )
    return f"{what} Talk to it with `chatbot chat {name}`."


def _measured(report: Mapping[str, Any]) -> list[str]:
    if not report:
        return ["Training was interrupted, so nothing was measured."]
    parts = [_perplexity_table(report), _attention(report["attention"]), _variety(report)]
    return (
        [*parts, CONFIDENCE_HEADING, _confidence(report["confidence"])] if "confidence" in report else parts
    )


def with_confidence(card: str, report: Mapping[str, Any]) -> str:
    """A card whose section about confidence is of another report.

    Args:
        card: with such a section or without.
        report: see ``chatbot.training.equipment.Equipment``.
    """
    before, heading, after = card.partition(SAMPLES_HEADING)
    before = before.partition(CONFIDENCE_HEADING)[0].rstrip()
    section = f"{CONFIDENCE_HEADING}\n\n{_confidence(report)}"
    return f"{before}\n\n{section}\n" + (f"\n{heading}{after}" if heading else "")


def _confidence(report: Mapping[str, Any]) -> str:
    if "missing" in report:
        return f"It does not know how sure its replies are: {report['missing']}."
    lines = [
        f"A reply's confidence is the probability that it is a good one: {MEANINGS[report['good_means']]}. "
        f"On {report['pairs']:,} held-out pairs, by fits to others of them, {report['good']:.0%} of the "
        f"replies are good; confidence is off by {report['calibration_error']:.3f} on average (ECE; chance "
        f"alone makes {report['calibration_noise']:.3f} of so many), and of a good reply and a bad one the "
        f"good one is the surer in {report['separation']:.0%} of cases.",
        "",
        "| answered | `--threshold` | not good |",
        "|---|---|---|",
    ]
    for row in report["risk_coverage"]:
        lines.append(f"| {row['coverage']:.0%} | {row['threshold']:.3f} | {row['risk']:.1%} |")
    return "\n".join(lines)


def _data_table(record: Mapping[str, Any]) -> str:
    lines = ["| corpus | times an epoch | training pairs | held out | sha256 |", "|---|---|---|---|---|"]
    for corpus in record["corpora"]:
        lines.append(
            f"| {corpus['name']} | {corpus['times']:g} | {corpus['train']:,} | {corpus['valid']:,} "
            f"| `{corpus['sha256'][:16]}` |"
        )
    return "\n".join(lines)


def _perplexity_table(report: Mapping[str, Any]) -> str:
    where = "held-out conversations" if report["held_out"] else "the training pairs (none were held out)"
    lines = [
        f"Perplexity per word on {where}: nats of the reply, its end included, over its white-space words "
        f"plus one, exponentiated. Beside it an interpolated Kneser-Ney n-gram of order "
        f"{report['ngram_order']} over the same tokens.",
        "",
        "| corpus | pairs | this bot | n-gram | ratio |",
        "|---|---|---|---|---|",
    ]
    rows = [*report["corpora"].items(), *([("all", report["all"])] if len(report["corpora"]) > 1 else [])]
    for name, row in rows:
        lines.append(
            f"| {name} | {row['pairs']:,} | {row['perplexity']:.1f} | {row['ngram_perplexity']:.1f} "
            f"| {row['ratio']:.2f} |"
        )
    return "\n".join(lines)


def attention_in_words(seen: Mapping[str, Any]) -> str:
    """Figures by the names of a Looked event on one line, those that were measured."""
    words = {
        "entropy": "entropy {:.2f} of uniform",
        "heaviest": "heaviest token {:.0%}",
        "moved": "moved {:.0%}",
    }
    parts = [text.format(seen[name]) for name, text in words.items() if seen[name] is not None]
    if seen["mass"] is not None and seen["mass"] < WHOLE:
        parts.append(f"mass {seen['mass']:.0%}")
    parts += [f"{name} {value:.2f}" for name, value in seen["gauges"].items()]
    gain = [] if seen["gain"] is None else [f"the question saves {seen['gain']:.2f} nats a token"]
    return "; ".join([*([", ".join(parts)] if parts else []), *gain])


def _attention(seen: Mapping[str, Any]) -> str:
    words = attention_in_words(seen)
    if not words:
        return "Attention could not be measured."
    return (
        f"Attention on {seen['pairs']:,} of these pairs: {words}. Entropy is 0 where one token of the "
        "question is looked at and 1 where all are alike; moved is the share of the weight that goes "
        "elsewhere from a token of the reply to the next; the question saves what another pair's costs more."
    )


def _variety(report: Mapping[str, Any]) -> str:
    replies = report["variety"]
    text, share = replies["commonest"][0]
    return (
        f"Replies to {replies['questions']} of their questions: distinct-1 {replies['distinct1']:.3f}, "
        f"distinct-2 {replies['distinct2']:.3f}; the commonest is \u201c{_cell(text)}\u201d, "
        f"{share:.1%} of them."
    )


def _samples(samples: Sequence[tuple[str, str]]) -> str:
    rows = [f"| {_cell(question)} | {_cell(reply)} |" for question, reply in samples]
    return "\n".join(["| question | reply |", "|---|---|", *rows])


def _cell(text: str) -> str:
    """A text inside a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
