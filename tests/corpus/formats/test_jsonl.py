"""JSON lines that are wrong are named by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import jsonl
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
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
        list(jsonl.read(Part(path), Reading(lambda notice: None)))
    assert caught.value.where == f"{path}:3"
    assert said in caught.value.what
    assert caught.value.remedy


def test_jsonl_yields_before_it_has_read_all(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD * 2 + "broken\n")
    talks = jsonl.read(Part(tmp_path / "a.jsonl"), Reading(lambda notice: None))
    assert [message.text for message in next(talks).messages] == ["Hi", "Hello"]
    talks.close()


def test_jsonl_gives_the_origin_of_a_record(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"origin": "diary", "turns": ["Hi", "Hello"]}\n')
    (talk,) = jsonl.read(Part(tmp_path / "a.jsonl"), Reading(lambda notice: None))
    assert talk.origin == "diary"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("[1, 2]\n", "item 1: is no JSON object"),
        ('[{"question": "Who?", "answer": "Me"}, {"question": 1}]', "item 2: \"question\" lacks 'answer'"),
        ("[\n]\n", "holds no conversation"),
        ('{"data": [\n]}\n', "holds no conversation"),
        ('[\n{"question": "Who?"\n', "is no JSON"),
    ],
)
def test_jsonl_names_the_bad_item_of_a_document(document: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(document)
    with pytest.raises(CorpusError) as caught:
        list(jsonl.read(Part(tmp_path / "a.json"), Reading(lambda notice: None)))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "fits"),
    [
        (['{"turns": ["Hi"'], True),
        (["[", "{", '"question": "Who?",', '"answer": "Me"'], True),
        (['[{"prompt": "Hi", "response": "Ho"}]'], True),
        (['{"question": "Who?"}'], False),
        (['{"name": "a chat", "list": ["turns"]}'], False),
        (["[10:30] ann: turns"], False),
        (["{", '"users": []'], False),
        (["{", '"messages": [', "{", '"role": "user",'], True),
        (["{", '"messages": [', "{", '"sender_name": "Ann",'], False),
    ],
)
def test_jsonl_is_told_by_its_keys(lines: list[str], fits: bool) -> None:
    assert jsonl.looks_like(Head(Path("a"), tuple(lines))) is fits
