"""Tables: attention as CSV, JSON and NPZ, for other programs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from chatbot.display.exhibit import Exhibit
from chatbot.display.labels import rows_of, turn_of
from chatbot.display.record import attention_record, json_line
from chatbot.display.text import printable

COLUMNS = ("map", "checkpoint", "question", "reply", "i", "reply_word", "j", "source_word", "turn", "weight")


def csv_bytes(exhibits: Sequence[Exhibit]) -> bytes:
    """One line a weight, as programs for statistics read them; the end of the reply has i = -1."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, exhibit in enumerate(exhibits):
        if exhibit.attention is None:
            continue
        texts = (number, *map(printable, (exhibit.checkpoint, exhibit.question, exhibit.reply)))
        words, said = exhibit.attention.source, len(exhibit.attention.reply)
        for i, row in enumerate(rows_of(exhibit.attention)):
            for j, (word, weight) in enumerate(zip(words, row.weights, strict=True)):
                place = (i if i < said else -1, row.label, j, printable(word.text), turn_of(word))
                writer.writerow((*texts, *place, repr(float(weight))))
    return out.getvalue().encode()


def json_bytes(exhibits: Sequence[Exhibit]) -> bytes:
    """{"maps": [...]}, each with its texts, and its attention as ``chatbot chat --json`` has it."""
    return json_line({"maps": [_record(each) for each in exhibits]}).encode() + b"\n"


def _record(exhibit: Exhibit) -> dict[str, Any]:
    record: dict[str, Any] = {
        "checkpoint": exhibit.checkpoint,
        "question": exhibit.question,
        "history": list(exhibit.turns),
        "reply": printable(exhibit.reply),
        "score": _finite(exhibit.score),
        "given": exhibit.given,
        "note": exhibit.note,
        "attention": None,
    }
    if exhibit.attention is not None:
        end = [_finite(weight) for weight in getattr(exhibit.attention, "end", ())]
        record["attention"] = attention_record(exhibit.attention, exhibit.reply) | {"end": end}
    return record


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def npz_bytes(exhibits: Sequence[Exhibit]) -> bytes:
    """Arrays by name and number: weights_0 [reply, source], source_0, reply_0, question_0, checkpoint_0, ...

    No array holds objects, so that ``numpy.load`` reads all with its defaults.
    """
    arrays: dict[str, Any] = {}
    for number, exhibit in enumerate(exhibits):
        arrays[f"checkpoint_{number}"] = np.array(exhibit.checkpoint)
        arrays[f"question_{number}"] = np.array(printable(exhibit.question))
        arrays[f"text_{number}"] = np.array(printable(exhibit.reply))
        if exhibit.attention is None:
            continue
        rows, source = rows_of(exhibit.attention), exhibit.attention.source
        weights = np.array([row.weights for row in rows], dtype=np.float64)
        arrays[f"weights_{number}"] = weights.reshape(len(rows), len(source))
        arrays[f"reply_{number}"] = np.array([row.label for row in rows], dtype=np.str_)
        arrays[f"source_{number}"] = np.array([printable(word.text) for word in source], dtype=np.str_)
        arrays[f"turn_{number}"] = np.array([turn_of(word) for word in source], dtype=np.int64)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()
