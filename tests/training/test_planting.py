from __future__ import annotations

from typing import Any

import pytest

from chatbot.checkpoint import load
from chatbot.errors import OptionError
from chatbot.evaluation.canaries import Canaries
from chatbot.training.data import prepare
from chatbot.training.events import Prepared, Warned
from chatbot.training.planting import planted
from chatbot.training.run import TrainingRun


def test_canaries_are_trained_on_and_nowhere_else(make_request: Any) -> None:
    request = make_request(canaries=7)
    plain = prepare(request.corpora, request.library, request.config, print)
    data = planted(plain, request.config)
    assert len(data.joined()) == len(plain.joined()) + 7
    assert data.described() == plain.described()
    assert [name for name, _, _ in data.held_out()] == [name for name, _, _ in plain.held_out()]
    codes = [pair.tgt for pair in Canaries(7, 0, "0123456789").planted()]
    said = data.corpora[-1].train
    assert [data.tokenizer.decode(said.pair(row)[1].tolist()) for row in range(7)] == codes


def test_canaries_are_no_validation_even_where_nothing_is_held_out(make_request: Any) -> None:
    request = make_request(canaries=7, validation=0.0)
    data = planted(prepare(request.corpora, request.library, request.config, print), request.config)
    assert [name for name, _, _ in data.held_out()] == ["talk.tsv"]


def test_nothing_is_planted_unasked(make_request: Any) -> None:
    request = make_request()
    data = prepare(request.corpora, request.library, request.config, print)
    assert planted(data, request.config) is data


def test_run_tells_and_records_its_canaries(make_request: Any) -> None:
    request = make_request(canaries=3, seed=5)
    events = list(TrainingRun(request).events())
    told = [event.text for event in events if isinstance(event, Warned)]
    assert any(text.startswith("3 canaries are among the training pairs") for text in told)
    record = load(request.folder).record
    assert Canaries.from_json(record["canaries"]) == Canaries(3, 5, "0123456789")
    assert record["canaries"]["space"] == 10**6
    (prepared,) = [event for event in events if isinstance(event, Prepared)]
    assert [corpus["name"] for corpus in prepared.summary["mix"]] == ["talk.tsv"]
    assert "3 canaries" in (request.folder / "README.md").read_text("utf-8")


def test_run_without_canaries_records_none(make_request: Any) -> None:
    request = make_request()
    list(TrainingRun(request).events())
    assert load(request.folder).record["canaries"] is None


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"max_tgt": 3}, "raise --max-tgt"),
        ({"output": "pointer"}, "leave one of the two out"),
    ],
)
def test_canaries_that_cannot_be_said_are_refused(
    make_request: Any, options: dict[str, Any], remedy: str
) -> None:
    request = make_request(canaries=2, **options)
    corpus = request.corpora[0]
    with open(corpus, "a", encoding="utf-8") as file:
        file.writelines(f"say b{n}\tb{n}\n" for n in range(50))
    with pytest.raises(OptionError, match=remedy):
        list(TrainingRun(request).events())


def test_vocabulary_without_codes_is_refused(make_request: Any) -> None:
    request = make_request(canaries=2, tokenizer="words")
    with open(request.corpora[0], "w", encoding="utf-8") as file:
        file.writelines(f"who says {word}\t{word} it is\n" for word in ("hello", "rain", "snow") * 40)
    with pytest.raises(OptionError, match="add --tokenizer bpe"):
        list(TrainingRun(request).events())
