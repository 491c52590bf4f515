"""Corpora of NLTK, from a small folder made by hand."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import nltk.data
import pytest

from chatbot.corpus.formats import nltk_corpora
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.message import SYSTEM
from chatbot.errors import CorpusError

POSTS = """<?xml version="1.0"?>
<Session><Posts>
<Post class="System" user="10-19-20sUser7">JOIN<terminals><t pos="VB" word="JOIN"/></terminals></Post>
<Post class="Greet" user="10-19-20sUser7">hi &amp; hello<terminals><t pos="UH" word="hi"/></terminals></Post>
<Post user='10-19-20sUser12' class='Greet'>hey
</Post>
</Posts></Session>
"""
CALLS = "A.1: Do/VBP n't/RB you/PRP ?/.\nB.2: I/PRP do/VBP ,/, yes/UH ./.\n\nA.1: Bye/UH ./.\nstrange\n"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nowhere"), str(tmp_path)])
    (tmp_path / "corpora" / "switchboard").mkdir(parents=True)
    (tmp_path / "corpora" / "switchboard" / "tagged").write_text(CALLS)
    (tmp_path / "corpora" / "switchboard" / "README").write_text("about")
    (tmp_path / "corpora" / "nps_chat").mkdir()
    (tmp_path / "corpora" / "nps_chat" / "10-19-20s_3posts.xml").write_text(POSTS)
    return tmp_path


def said(name: str, reading: Reading) -> list[list[tuple[str, str]]]:
    talks = nltk_corpora.read_nltk(name, reading)
    return [[(message.speaker, message.text) for message in talk.messages] for talk in talks]


def test_nltk_names_what_is_installed(data: Path) -> None:
    assert nltk_corpora.names() == ["nps_chat", "switchboard"]


def test_nltk_posts_are_messages_and_joins_are_notes(data: Path) -> None:
    (talk,) = nltk_corpora.read_nltk("nps_chat", Reading(lambda notice: None))
    messages = list(talk.messages)
    assert [message.text for message in messages] == ["JOIN", "hi & hello", "hey"]
    assert [message.kind == SYSTEM for message in messages] == [True, False, False]
    assert [message.speaker for message in messages[1:]] == ["10-19-20sUser7", "10-19-20sUser12"]


def test_nltk_words_are_put_together(data: Path) -> None:
    reading = Reading(lambda notice: None)
    assert said("switchboard", reading) == [[("A", "Don't you?"), ("B", "I do, yes.")], [("A", "Bye.")]]
    assert reading.not_understood == 1


def test_nltk_overheard_is_a_script(data: Path) -> None:
    (data / "corpora" / "webtext").mkdir()
    (data / "corpora" / "webtext" / "overheard.txt").write_text(
        "Guy: Hm?\nGirl: No.\nGuy: Oh.\n\nGuy: A\nGirl: B\n"
    )
    assert said("webtext", Reading(lambda notice: None)) == [
        [("Guy", "Hm?"), ("Girl", "No."), ("Guy", "Oh.")],
        [("Guy", "A"), ("Girl", "B")],
    ]


def test_nltk_corpus_may_be_a_zip(data: Path) -> None:
    with zipfile.ZipFile(data / "corpora" / "webtext.zip", "w") as archive:
        archive.writestr("webtext/README", "about")
        archive.writestr("webtext/overheard.txt", "Guy: Hm?\nGirl: No.\n")
    assert said("webtext", Reading(lambda notice: None)) == [[("Guy", "Hm?"), ("Girl", "No.")]]


def test_nltk_corpus_that_is_missing_says_how_to_get_it(data: Path) -> None:
    with pytest.raises(CorpusError, match=r"not installed; .*nltk\.downloader webtext"):
        said("webtext", Reading(lambda notice: None))
    with pytest.raises(CorpusError, match="choose one of nps_chat"):
        said("brown", Reading(lambda notice: None))


def test_nltk_names_load_no_nltk(data: Path) -> None:
    load = "import sys\nfrom chatbot.corpus.formats import nltk_corpora as corpora\n"
    code = load + "print(corpora.names(), 'nltk' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"NLTK_DATA": str(data)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['nps_chat', 'switchboard'] False\n"
