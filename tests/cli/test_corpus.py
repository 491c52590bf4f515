"""``chatbot corpus list`` and ``show``, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chatbot.cli.corpus import corpus
from chatbot.corpus import builtin
from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.store import CorpusMeta, write_corpus
from chatbot.errors import CorpusError

NASTY = "\x1b[31mred\x1b[0m [bold]not bold[/bold] \x9b2J \u202e :smile: a\nb"


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """A folder with the corpus ``mine``: two exchanges, one of them with a text that attacks terminals."""
    talks = [
        Conversation("1", "test", (Turn("A", "Who are you?"), Turn("B", "Juno."))),
        Conversation("2", "test", (Turn("A", "say it"), Turn("B", NASTY)), "en"),
    ]
    write_corpus(tmp_path / "corpora" / "mine", talks, CorpusMeta(origin="[red]friends\x1b[0m"))
    return tmp_path / "corpora"


def run(*words: str) -> Result:
    return CliRunner().invoke(corpus, list(words), catch_exceptions=False)


def columns(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_list_names_built_in_and_stored_corpora(corpora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "read_chitchat", lambda: iter([Conversation("x", "", (Turn("A", "Hi"),))]))
    lines = run("list", "--corpora", str(corpora)).stdout.splitlines()
    assert columns(lines[0]) == ["corpus", "kind", "conversations", "turns", "languages", "origin"]
    assert columns(lines[-1]) == ["mine", "stored", "2", "4", "en", "[red]friends[0m"]
    assert {"smalltalk", "chitchat", "chatterbot:english", "chatterbot:chinese"} <= {
        columns(line)[0] for line in lines
    }


def test_show_prints_counts_replies_and_examples(corpora: Path) -> None:
    found = run("show", "mine", "--corpora", str(corpora)).stdout
    rows = [columns(line) for line in found.splitlines()]
    assert ["conversations", "2, of which 0 got no answer"] in rows
    assert ["pairs", "2; left out: none"] in rows
    assert ["languages", "Latin script 50%, en 50%"] in rows
    assert ["juno.", "1", "50.00%"] in rows
    assert ["Who are you?", "Juno."] in rows


def test_show_sends_the_terminal_nothing_but_text(corpora: Path) -> None:
    found = run("show", "mine", "--corpora", str(corpora)).stdout
    assert "[31mred[0m [bold]not bold[/bold] 2J  :smile: a b" in found
    assert not [char for char in found if not char.isprintable() and char != "\n"]


def test_show_json_is_one_object_without_control_codes(corpora: Path) -> None:
    found = run("show", "mine", "--json", "--corpora", str(corpora)).stdout
    record = json.loads(found)
    assert (record["name"], record["cleaning"]["pairs"], record["replies"]["count"]) == ("mine", 2, 2)
    assert NASTY in {example["tgt"] for example in record["examples"]}
    assert found.count("\n") == 1
    assert not {"\x1b", "\x9b", "\u202e"} & set(found)


def test_corpora_folder_comes_from_the_environment(corpora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATBOT_CORPORA", str(corpora))
    assert json.loads(run("show", "mine", "--json").stdout)["origin"] == "[red]friends\x1b[0m"


def test_show_reads_a_file_and_tells_on_stderr_what_is_odd(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"caf\xe9?\toui\nhello\thi\n")
    found = run("show", str(tmp_path / "a.tsv"))
    assert "café?" in found.stdout
    assert "a.tsv:1: not UTF-8" in found.stderr
    assert "not UTF-8" not in found.stdout


def test_show_of_an_unknown_corpus_is_a_corpus_error(corpora: Path) -> None:
    with pytest.raises(CorpusError, match="did you mean mine"):
        run("show", "mien", "--corpora", str(corpora))
