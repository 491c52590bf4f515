"""``chatbot evaluate`` as a person runs it, on a bot of a second's training."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from chatbot.cli import main

Capture = pytest.CaptureFixture[str]

SMALL = ("--tokenizer", "chars", "--embed", "8", "--hidden", "8", "--device", "cpu", "--beam", "1")


def status(*args: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(args)
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and two bots that learned from it, one with canaries."""
    folder = tmp_path_factory.mktemp("home")
    talk = "".join(f"question {n}\tanswer {n * n} to ann{n}@example.com\n" for n in range(200))
    (folder / "talk.tsv").write_text(talk, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, extra in (("one", ("--canaries", "2")), ("two", ("--lr", "0.02"))):
            options = ("--validation", "0.2", "--max-tgt", "40", "--steps", "6", "--quiet")
            assert status("train", "talk.tsv", "--name", name, *SMALL, *options, *extra) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    return home


def test_tables_are_plain_and_progress_is_on_stderr(capsys: Capture) -> None:
    assert status("evaluate", "one") == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert out.startswith("one, on ")
    for part in ("perplexity a word", "BLEU", "hits@1 of 20", "ngram", "on punctuation", "tok:13a"):
        assert part in out
    assert max(map(len, out.splitlines()[1:-4])) <= 80  # the first line and the notes are no tables
    assert "answering" in err


def test_json_is_one_object_and_quiet_is_silent(capsys: Capture) -> None:
    assert status("evaluate", "one", "--json", "--quiet", "--limit", "25", "--seed", "3") == 0
    out, err = capsys.readouterr()
    record = json.loads(out)
    assert err == ""
    assert out.count("\n") == 1
    assert (record["checkpoint"], record["n"], record["seed"], record["held_out"]) == ("one", 25, 3, True)
    assert record["passed_over"] > 0
    low, high = record["predicting"]["perplexity_per_word"]["interval"]
    assert low < record["predicting"]["perplexity_per_word"]["value"] < high


def test_two_checkpoints_are_laid_side_by_side_with_a_test(capsys: Capture) -> None:
    assert status("evaluate", "one", "--against", "two", "--json", "--quiet") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["against"]["checkpoint"] == "two"
    assert 0 < record["p"]["perplexity_per_word"] <= 1
    assert status("evaluate", "one", "--against", "two", "--quiet") == 0
    assert "one against two, on " in capsys.readouterr().out


def test_checkpoint_against_itself_differs_in_nothing(capsys: Capture) -> None:
    assert status("evaluate", "one", "--against", "one", "--json", "--quiet") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["p"]
    assert set(record["p"].values()) == {1.0}


def test_other_text_is_evaluated_on(folder: Path, capsys: Capture) -> None:
    (folder / "other.csv").write_text("ask,say\nhello,hi there\nwho,me\n", encoding="utf-8")
    assert status("evaluate", "one", "--on", "other.csv", "--columns", "ask,say", "--json", "--quiet") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n"], list(record["corpora"])) == (2, ["other.csv"])


def test_audit_measures_canaries_and_shows_no_address(capsys: Capture) -> None:
    assert status("evaluate", "one", "--audit", "--limit", "5") == 0
    out = capsys.readouterr().out
    assert "Exposure of canaries" in out
    assert "never planted" in out
    assert "@example" not in out
    assert status("evaluate", "two", "--audit", "--limit", "5", "--json", "--quiet") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["canaries"] is None
    assert record["personal_given_away"]["n"] > 0


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("--audit", "--against", "two"), "leave --against out"),
        (("--columns", "a,b"), "add --on FILE"),
        (("--on", "nowhere"), "no corpus of that name"),
    ],
)
def test_what_makes_no_sense_is_one_line(args: tuple[str, ...], what: str, capsys: Capture) -> None:
    assert status("evaluate", "one", "--quiet", *args) != 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert what in err


def test_checkpoint_of_somebody_else_is_one_line(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    shutil.copytree(
        folder / "checkpoints" / "one", tmp_path / "theirs", ignore=shutil.ignore_patterns("resume")
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert status("evaluate", "theirs", "--quiet") == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "talk.tsv, which cannot be opened here; name a text by --on CORPUS|FILE" in err
