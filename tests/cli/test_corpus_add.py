"""``chatbot corpus add``, ``formats``, ``export``, ``forget`` and ``remove``, as a user types them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chatbot.cli.corpus import corpus
from chatbot.corpus.formats import FORMATS
from chatbot.errors import ChatbotError, CorpusError, OptionError

CHAT = "".join(
    f"[{day:02}.03.24, 18:{minute:02}:00] {'Ann' if minute % 2 else 'Bo'}: text {minute} of day {day}\n"
    for day in range(13, 16)
    for minute in range(6)
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a chat in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.txt").write_text(CHAT)
    return tmp_path


def run(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(corpus, list(words), input=stdin, catch_exceptions=False)


def test_add_prints_the_folder_and_tells_what_it_kept(home: Path) -> None:
    found = run("add", "chat.txt", "--jobs", "1")
    assert found.stdout == f"corpora{os.sep}chat\n"
    assert "18 messages" in found.stderr
    assert "3 conversations of 18 turns" in found.stderr
    assert "15 pairs kept; left out: none" in found.stderr


def test_add_says_nothing_when_quiet(home: Path) -> None:
    assert run("add", "chat.txt", "--quiet").stderr == ""


def test_name_that_exists_is_refused_unless_it_may_be_replaced(home: Path) -> None:
    run("add", "chat.txt")
    with pytest.raises(CorpusError, match="exists; choose another --name, or --replace it"):
        run("add", "chat.txt")
    (home / "chat.txt").write_text(CHAT[: len(CHAT) // 3])
    assert "5 pairs kept" in run("add", "chat.txt", "--replace").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no file is given"),
        (("chat.txt", "--name", "../x"), "is no name for a folder"),
        (("chat.txt", "--name", "smalltalk"), "is a built-in corpus"),
        (("chat.txt", "--format", "whatsap"), "did you mean whatsapp"),
        (("chat.txt", "--jobs", "0"), "must be at least 1"),
        (("chat.txt", "--jobs", "2", "--cluster", "tcp://127.0.0.1:1"), "does not go with --cluster"),
        (("chat.txt", "--languages", "xx"), "xx"),
        (("missing.txt",), "no such file"),
    ],
)
def test_wrong_use_is_told_before_anything_is_written(home: Path, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(ChatbotError, match=re.escape(said)):
        run("add", *words)
    assert not list(home.glob("corpora/*"))


def test_formats_lists_every_format(home: Path) -> None:
    lines = run("formats").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["format", *FORMATS, "parallel"]


@pytest.mark.parametrize("form", ["jsonl", "tsv", "chatml"])
def test_exported_corpus_comes_back_with_the_same_pairs(home: Path, form: str) -> None:
    run("add", "chat.txt")
    (home / f"out.{form}").write_text(run("export", "chat", "--to", form).stdout)
    run("add", f"out.{form}", "--name", "again")
    first, second = (run("export", name, "--to", "tsv").stdout for name in ("chat", "again"))
    assert first == second
    assert first.count("\n") == 15


def test_parallel_export_is_two_private_files(home: Path) -> None:
    run("add", "chat.txt")
    with pytest.raises(OptionError, match="--output"):
        run("export", "chat", "--to", "parallel")
    assert run("export", "chat", "--to", "parallel", "--output", "p").stdout == "p.src\np.tgt\n"
    lines = [(home / name).read_text().splitlines() for name in ("p.src", "p.tgt")]
    assert list(map(len, lines)) == [15, 15]
    assert lines[0][1] == lines[1][0]
    assert {(home / name).stat().st_mode & 0o777 for name in ("p.src", "p.tgt")} == {0o600}


def test_forget_prints_the_receipt(home: Path) -> None:
    run("add", "chat.txt")
    with pytest.raises(CorpusError, match="nobody is called"):
        run("forget", "chat", "--speaker", "Anna")
    path = Path(run("forget", "chat", "--speaker", "Ann").stdout.strip())
    assert json.loads(path.read_bytes())["turns"] == 9


def test_remove_asks_first(home: Path) -> None:
    run("add", "chat.txt")
    with pytest.raises(OptionError, match="--yes"):
        run("remove", "chat")
    with pytest.raises(CorpusError, match="is built in"):
        run("remove", "chitchat", "--yes")
    assert run("remove", "chat", "--yes").exit_code == 0
    assert not (home / "corpora" / "chat").exists()


def test_corpus_is_the_same_whatever_the_hash_seed_locale_and_jobs(home: Path) -> None:
    folders = []
    settings = [("1", "C", "1"), ("2", "C.UTF-8", "2"), ("3", "C", "3")]
    (home / "names.txt").write_text(CHAT.replace("Ann", "Änn 你好"), encoding="utf-8")
    for seed, locale, jobs in settings:
        environment = os.environ | {
            "PYTHONHASHSEED": seed,
            "LC_ALL": locale,
            "LANG": locale,
            "PYTHONUTF8": "0",
        }
        words = ["add", "names.txt", "--name", f"n{jobs}", "--jobs", jobs, "--scrub", "--me", "Änn 你好"]
        subprocess.run([sys.executable, "-m", "chatbot", "corpus", *words], env=environment, check=True)
        folders.append(home / "corpora" / f"n{jobs}")
    contents = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert contents[0] == contents[1] == contents[2]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_ended_import_leaves_an_earlier_corpus_whole_and_nothing_else(home: Path, number: int) -> None:
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as under nohup")
    run("add", "chat.txt")
    before = (home / "corpora" / "chat" / "corpus.json").read_bytes()
    (home / "big.txt").write_text(CHAT * 6000)
    words = [sys.executable, "-m", "chatbot", "corpus", "add", "big.txt", "--name", "chat", "--replace"]
    process = subprocess.Popen([*words, "--jobs", "1"], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not list(home.glob("corpora/.chat.*/conversations.jsonl*")) and not list(
        home.glob("corpora/.chat.*/.conversations.jsonl*")
    ):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait() == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert process.communicate() == (b"", b"")
    assert (home / "corpora" / "chat" / "corpus.json").read_bytes() == before
    if number != signal.SIGKILL:
        assert [path.name for path in (home / "corpora").iterdir()] == ["chat"]
    run("add", "chat.txt", "--replace")
    assert [path.name for path in (home / "corpora").iterdir()] == ["chat"]
