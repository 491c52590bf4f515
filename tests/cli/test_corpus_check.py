"""``chatbot corpus check``, what ``chatbot train`` makes of it, and forgetting what was trained on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatbot.checkpoint import verify
from chatbot.cli import main

Capture = pytest.CaptureFixture[str]

TINY = ("--tokenizer", "chars", "--embed", "8", "--hidden", "8", "--device", "cpu", "--steps", "2", "--quiet")
COMMON = "".join(f"what about number {n}\tI do not know\n" for n in range(60))
VARIED = "".join(f"[13.03.24, 18:{n:02}:00] {'Ann' if n % 2 else 'Bo'}: text {n} here\n" for n in range(60))


def status(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a corpus of one reply alone, and a chat."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "common.tsv").write_text(COMMON)
    (tmp_path / "chat.txt").write_text(VARIED)
    return tmp_path


def test_check_tells_findings_and_json_says_the_same(capsys: Capture) -> None:
    assert status("corpus", "check", "common.tsv", "--reply-cap", "0") == 0
    report = capsys.readouterr().out
    assert "STOP" in report
    assert "100%" in report
    assert status("corpus", "check", "common.tsv", "--reply-cap", "0", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["name"] == "common.tsv"
    levels = {finding["name"]: finding["level"] for finding in record["findings"]}
    assert levels["replies"] == "red"
    assert levels["encoding"] == "green"


def test_check_of_nothing_is_an_error(capsys: Capture) -> None:
    assert status("corpus", "check", "missing.tsv") == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_red_finding_stops_training_unless_forced(home: Path, capsys: Capture) -> None:
    words = ("train", "common.tsv", "--reply-cap", "0", "--name", "x", *TINY)
    assert status(*words) == 1
    told = capsys.readouterr().err
    assert "common.tsv: " in told
    assert "--force" in told
    assert told.count("\n") == 1
    assert not (home / "checkpoints" / "x" / "manifest.json").exists()
    assert status(*words) == 1  # what was encoded is there now, and the finding with it
    assert status(*words, "--force") == 0
    assert (home / "checkpoints" / "x" / "manifest.json").exists()


def test_forgetting_names_the_checkpoints_and_removes_what_was_encoded(home: Path, capsys: Capture) -> None:
    assert status("corpus", "add", "chat.txt", "--quiet") == 0
    assert status("train", "chat", "--name", "told", *TINY) == 0
    cache = home / "corpora" / ".cache"
    assert list(cache.iterdir())
    told = home / "checkpoints" / "told"
    assert (told / "why.jsonl").exists()
    capsys.readouterr()
    assert status("corpus", "forget", "chat", "--speaker", "Ann") == 0
    out, err = capsys.readouterr()
    receipt = json.loads((home / out.strip()).read_bytes())
    assert [Path(each).name for each in receipt["checkpoints"]] == ["told"]
    assert "told was trained on these turns" in err
    assert not list(cache.iterdir())
    assert not (told / "why.jsonl").exists()
    assert "kept for chat --why were taken out" in err
    verify(told)
