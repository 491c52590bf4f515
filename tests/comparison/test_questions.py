from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatbot.comparison.questions import (
    Question,
    drawn_place,
    held_out_questions,
    open_corpora,
    shown_rows,
    spread,
)
from chatbot.config import Config
from chatbot.errors import CorpusError
from chatbot.training.data import prepare


def asked(corpus: Path, *shares: float) -> set[str]:
    configs = [Config().replace({"validation": share, "reply_cap": 0}) for share in shares]
    corpora = open_corpora([str(corpus), str(corpus)], corpus.parent)
    return {question.text for question in held_out_questions(corpora, configs)}


def test_questions_are_held_out_of_training(corpus: Path) -> None:
    config = Config().replace({"tokenizer": "chars", "validation": 0.3, "reply_cap": 0})
    data = prepare([str(corpus)], corpus.parent, config, print)
    valid = data.corpora[0].valid
    texts = {data.tokenizer.decode(valid.pair(row)[0].tolist()) for row in range(len(valid))}
    assert texts
    assert asked(corpus, 0.3) == texts


def test_questions_are_held_out_of_every_variant(corpus: Path) -> None:
    assert asked(corpus, 0.4, 0.2) == asked(corpus, 0.2) < asked(corpus, 0.4)


def test_training_questions_are_asked_where_none_are_held_out(corpus: Path) -> None:
    assert len(asked(corpus, 0.0)) == 60


def test_questions_are_single_turns_whatever_the_context(tmp_path: Path) -> None:
    turns = [{"speaker": "AB"[at % 2], "text": f"turn {at}"} for at in range(5)]
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"turns": turns}) + "\n", encoding="utf-8")
    config = Config().replace({"context": 3, "validation": 0.0})
    questions = held_out_questions(open_corpora([str(path)], tmp_path), [config])
    assert questions == [Question(f"turn {at}", f"turn {at + 1}") for at in range(4)]


def test_files_are_read_as_the_options_say(tmp_path: Path) -> None:
    path = tmp_path / "talk.csv"
    path.write_text("id,asked,told\n1,how,so\n2,why,because\n", encoding="utf-8")
    config = Config().replace({"columns": "told,asked", "validation": 0.0})
    questions = held_out_questions(open_corpora([str(path)], tmp_path, config.reading), [config])
    assert questions == [Question("so", "how"), Question("because", "why")]


def test_missing_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nowhere"):
        open_corpora(["nowhere.tsv"], tmp_path)


def test_items_are_spread_over_all() -> None:
    assert spread(range(3), 5) == [0, 1, 2]
    assert spread(range(10), 2) == [2, 7]
    assert spread(range(1000), 500) == list(range(1, 1000, 2))


def test_questions_that_are_good_to_read_are_shown() -> None:
    long = [Question("word " * 50, "")] * 7
    short = [Question(f"how is it {n}", "") for n in range(3)]
    assert shown_rows([*long, *short]) == [7, 8, 9]
    assert drawn_place([short[0], Question("how are you", ""), short[1]]) == 0
    assert shown_rows(long) == [1, 3, 5]
    assert shown_rows(long[:1]) == [0]
