from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.display.transcript import Exchange, Heading, open_transcript
from chatbot.errors import ChatbotError, OptionError
from chatbot.reply import Reply
from tests.display.attentions import attention
from tests.display.test_page import Reader

HEADING = Heading("tiny", "ab" * 32)
SETTINGS: dict[str, Any] = {"decoding": {"beam": 2}, "candidates": 1, "seed": 7}


def exchange(question: str, reply: str, history: tuple[str, ...] = ()) -> Exchange:
    looked = attention(question, reply, *[[1.0] + [0.0] * question.count(" ")] * (1 + reply.count(" ")))
    return Exchange(Reply(question, reply, -1.0, attention=looked), history, SETTINGS)


def test_lines_say_who_answered_what_to_which_question_and_how(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    transcript = open_transcript(path, HEADING)
    transcript.add(exchange("how are\nyou", "fine"))
    transcript.add(exchange("really", "yes", ("how are\nyou", "fine")))
    heading, first, second = map(json.loads, path.read_text("utf-8").splitlines())
    assert heading == {"transcript": 1, "checkpoint": "tiny", "sha256": "ab" * 32}
    assert (first["question"], first["reply"], first["settings"]) == ("how are\nyou", "fine", SETTINGS)
    assert first["attention"]["weights"] == [[1.0, 0.0]]
    assert second["history"] == ["how are\nyou", "fine"]


@pytest.mark.parametrize("name", ["talk.jsonl", "talk.html", "TALK.HTML"])
def test_file_is_whole_after_every_exchange_and_private(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    transcript = open_transcript(path, HEADING)
    before = path.read_bytes()
    for number in range(3):
        transcript.add(exchange(f"question {number}", "yes"))
        now = path.read_bytes()
        assert now.startswith(before)
        assert now.endswith(b"</section>\n" if path.suffix.lower() == ".html" else b"}\n")
        before = now
    assert path.stat().st_mode & 0o777 == 0o600


def test_page_has_a_section_an_exchange_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "talk.html"
    transcript = open_transcript(path, HEADING)
    transcript.add(exchange("how are you", "fine thanks"))
    transcript.add(exchange("<b>", "</section>"))
    read = Reader(path.read_text("utf-8"))
    assert [tag for tag, _ in read.tags].count("section") == 2
    assert [word["title"] for word in read.having("r")] == [
        "fine ← how 1.00",
        "thanks ← how 1.00",
        "</section> ← <b> 1.00",
    ]


def test_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("dear")
    with pytest.raises(ChatbotError, match="is there already; name another file"):
        open_transcript(path, HEADING)
    assert path.read_text() == "dear"


def test_name_that_says_no_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match=r"--transcript: talk.txt is no kind of transcript; end the name in"
    ):
        open_transcript(tmp_path / "talk.txt", HEADING)


def test_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChatbotError, match="cannot be written"):
        open_transcript(tmp_path / "nowhere" / "talk.html", HEADING)
