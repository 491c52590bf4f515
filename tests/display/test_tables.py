from __future__ import annotations

import csv
import io
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chatbot.display.exhibit import Exhibit
from chatbot.display.tables import csv_bytes, json_bytes, npz_bytes
from tests.display.attentions import TURNS, TurnedAttention, attention, attentions

SHOWN = Exhibit("tiny", "a, b", "c", -1.5, attention("a, b", "c", (0.25, 0.75), end=(1.0, 0.0)))
MUTE = Exhibit("none", "a", "c", -1.0, None)


def test_csv_has_a_line_a_weight_and_the_end_at_minus_one() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_bytes([SHOWN, MUTE, SHOWN]).decode())))
    assert [(r["map"], r["i"], r["reply_word"], r["source_word"], float(r["weight"])) for r in rows[:4]] == [
        ("0", "0", "c", "a,", 0.25),
        ("0", "0", "c", "b", 0.75),
        ("0", "-1", "(end)", "a,", 1.0),
        ("0", "-1", "(end)", "b", 0.0),
    ]
    assert [row["map"] for row in rows] == ["0"] * 4 + ["2"] * 4


def test_json_names_every_map_and_null_where_there_is_no_attention() -> None:
    first, second = json.loads(json_bytes([SHOWN, MUTE]))["maps"]
    assert first["attention"]["weights"] == [[0.25, 0.75]]
    assert first["attention"]["end"] == [1.0, 0.0]
    assert (first["checkpoint"], first["question"], first["score"]) == ("tiny", "a, b", -1.5)
    assert second["attention"] is None


def test_npz_holds_arrays_of_words_and_weights_and_no_objects() -> None:
    arrays = np.load(io.BytesIO(npz_bytes([SHOWN, MUTE, Exhibit("x", "who?", "me", 0.0, TURNS)])))
    np.testing.assert_array_equal(arrays["weights_0"], [[0.25, 0.75], [1.0, 0.0]])
    assert arrays["reply_0"].tolist() == ["c", "(end)"]
    assert arrays["source_0"].tolist() == ["a,", "b"]
    assert "weights_1" not in arrays
    assert arrays["turn_2"].tolist() == [-2, -1, -1, 0, 0]


@given(attentions(), st.text(st.characters(exclude_categories=())))
def test_tables_hold_any_words_and_weights(shown: TurnedAttention, text: str) -> None:
    exhibits = [Exhibit(text, text, text, float("nan"), shown)]
    cells = len(shown.source) * (len(shown.reply) + bool(shown.end))
    assert len(list(csv.reader(io.StringIO(csv_bytes(exhibits).decode())))) == 1 + cells
    assert len(json.loads(json_bytes(exhibits))["maps"][0]["attention"]["weights"]) == len(shown.reply)
    arrays = np.load(io.BytesIO(npz_bytes(exhibits)))
    assert arrays["weights_0"].size == cells
