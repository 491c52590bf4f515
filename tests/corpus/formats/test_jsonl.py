"""JSON lines that are wrong are named by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import jsonl
from chatbot.errors import CorpusError

GOOD = '{"turns": ["Hi", "Hello"]}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"turns": ["Hi", ', "is no JSON"),
        ("[1, 2]", "is no JSON object"),
        ("[" * 100_000, "too deep"),
        ('{"text": "Hi"}', "holds no conversation"),
        ('{"turns": "Hi"}', "expected a list, got text"),
        ('{"turns": [1]}', "expected an object, got 1"),
        ('{"turns": [{"speaker": "A"}]}', "lacks 'text'"),
        ('{"turns": [{"text": ["Hi"]}]}', "expected text, got a list"),
        ('{"question": "Who?"}', "lacks 'answer'"),
        ('{"question": "Who?", "answer": null}', "expected text, got null"),
        ('{"messages": [{"content": "Hi"}]}', "lacks 'role'"),
        ('{"messages": ["Hi"]}', "expected an object, got text"),
    ],
)
def test_jsonl_names_the_bad_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{GOOD}\n{line}\n{GOOD}")
    with pytest.raises(CorpusError) as caught:
        list(jsonl.read(path, lambda notice: None))
    assert caught.value.where == f"{path}:3"
    assert said in caught.value.what
    assert caught.value.remedy


def test_jsonl_yields_before_it_has_read_all(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD * 2 + "broken\n")
    reading = jsonl.read(tmp_path / "a.jsonl", lambda notice: None)
    assert [turn.text for turn in next(reading).turns] == ["Hi", "Hello"]
    reading.close()
