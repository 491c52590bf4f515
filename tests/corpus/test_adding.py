"""Files become a corpus folder: what is written, counted, left out and refused."""

from __future__ import annotations

import gzip
import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.corpus.adding import Added, Adding
from chatbot.corpus.clean import Cleaner
from chatbot.corpus.importing import Import
from chatbot.corpus.library import open_corpus
from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.shards import Processes, here
from chatbot.corpus.store import read_conversations, read_meta
from chatbot.errors import ChatbotError, CorpusError, OptionError

Notices = list[str]
DOCS = Path(__file__).parents[2] / "docs"

CHAT = """\
01/03/24, 18:02 - Ann Lee: are you home?
01/03/24, 18:03 - Bo: yes, call me on +44 20 7946 0958
01/03/24, 18:04 - Ann Lee: I do not know
13/03/24, 18:05 - Ann Lee: hello Bo
13/03/24, 18:06 - Bo: I DO NOT KNOW
13/03/24, 18:07 - Ann Lee: thanks
"""


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "WhatsApp Chat with Ann Lee.txt"
    path.write_text(CHAT)
    return path


def added(paths: list[Path], folder: Path, data: DataOptions | None = None, **reading: Any) -> Added:
    imported = Import(paths, ReadingOptions(**reading), lambda notice: None)
    return Adding(imported, data or DataOptions()).write(folder)


def test_added_corpus_is_read_back_as_it_was_imported(chat: Path, tmp_path: Path) -> None:
    found = added([chat], tmp_path / "corpora" / "ann")
    talks = list(read_conversations(found.folder))
    assert [[(turn.speaker, turn.text) for turn in talk.turns] for talk in talks] == [
        [
            ("Ann Lee", "are you home?"),
            ("Bo", "yes, call me on +44 20 7946 0958"),
            ("Ann Lee", "I do not know"),
        ],
        [("Ann Lee", "hello Bo"), ("Bo", "I DO NOT KNOW"), ("Ann Lee", "thanks")],
    ]
    assert talks[1].turns[0].time == "2024-03-13T18:05:00"
    meta = read_meta(found.folder)
    assert (meta.format, meta.conversations, meta.turns) == ("whatsapp", 2, 6)
    assert meta.counts["messages"] == {"said": 6}
    assert meta.counts["kept"] == 4


def test_files_of_a_corpus_are_private(chat: Path, tmp_path: Path) -> None:
    folder = added([chat], tmp_path / "corpora" / "ann").folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_what_is_chosen_when_adding_holds_for_use_unless_something_else_is_said(
    chat: Path, tmp_path: Path
) -> None:
    corpora = tmp_path / "corpora"
    added([chat], corpora / "ann", DataOptions(me="Bo", reply_cap=1))
    corpus = open_corpus("ann", corpora, lambda notice: None)
    assert corpus.options(DataOptions()) == DataOptions(me="Bo", reply_cap=1)
    assert corpus.options(DataOptions(me="Ann Lee", context=2)) == DataOptions(
        me="Ann Lee", reply_cap=1, context=2
    )
    pairs = Cleaner().pairs(corpus.conversations(), corpus.options(DataOptions()))
    assert [pair.tgt for pair in pairs] == ["yes, call me on +44 20 7946 0958", "I DO NOT KNOW"]


def test_same_files_give_the_same_pairs_stored_or_not(chat: Path, tmp_path: Path) -> None:
    corpora = tmp_path / "corpora"
    added([chat], corpora / "ann")
    stored, direct = (list(open_corpus(name, corpora, print).conversations()) for name in ("ann", str(chat)))
    assert stored == direct


def test_scrubbed_corpus_holds_nothing_that_names_a_person(chat: Path, tmp_path: Path) -> None:
    found = added([chat], tmp_path / "corpora" / "x", DataOptions(me="Ann Lee"), scrub=True)
    text = "".join(path.read_text() for path in found.folder.iterdir())
    for private in ("Ann", "Lee", "Bo", "7946"):
        assert private not in text
    assert found.meta.options["data"]["me"] == "Speaker 1"
    assert found.scrubbed
    talks = list(read_conversations(found.folder))
    assert [turn.speaker for turn in talks[0].turns] == ["Speaker 1", "Speaker 2", "Speaker 1"]
    assert talks[1].turns[0].text == "hello Speaker 2"


def test_jobs_and_order_of_work_change_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "big.tsv"
    path.write_text("".join(f"question {at % 7000} of Ann\tanswer {at % 3000}\n" for at in range(9000)))
    folders = []
    for name, workers in (("one", here), ("two", Processes(2)), ("three", Processes(3))):
        imported = Import([path], ReadingOptions(), lambda notice: None)
        folders.append(Adding(imported, DataOptions(), workers).write(tmp_path / name).folder)
    contents = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert contents[0] == contents[1] == contents[2]


def test_rejected_pairs_are_written_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("hi\thello\nHI\thello\nwhy\tno\nwhat\tno\nwho\tno\n")
    imported = Import([tmp_path / "a.tsv"], ReadingOptions(), lambda notice: None)
    Adding(imported, DataOptions(reply_cap=2)).write(tmp_path / "c" / "a", tmp_path / "rejected.jsonl")
    path = tmp_path / "rejected.jsonl"
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [(record["src"], record["tgt"], record["reason"]) for record in records] == [
        (["HI"], "hello", "duplicates"),
        (["who"], "no", "over the reply cap"),
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_d09_nothing_is_written_when_no_pair_is_left(tmp_path: Path) -> None:
    """Faults D09: a chat whose lines nobody understands, with the format forced upon it."""
    path = tmp_path / "chat.txt"
    path.write_text(
        "".join(f"Sun 3rd Mar 2024, 10h{at % 60:02} | P{at % 2} > text {at}\n" for at in range(200))
    )
    with pytest.raises(CorpusError, match=r"0 pairs from 200 lines.*chat\.txt:1: Sun 3rd Mar"):
        added([path], tmp_path / "corpora" / "chat", format="whatsapp")
    with pytest.raises(CorpusError, match=r"is in no known format.*Sun 3rd Mar"):
        added([path], tmp_path / "corpora" / "chat")
    assert not list((tmp_path / "corpora").glob("*"))


@pytest.mark.parametrize(
    ("data", "said"),
    [(DataOptions(min_words=50), "left out: 4 too short"), (DataOptions(me="Nobody"), "does 'Nobody' reply")],
)
def test_reason_why_no_pair_is_left_is_told(chat: Path, data: DataOptions, said: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        added([chat], tmp_path / "corpora" / "ann", data)
    assert "0 pairs from 6 lines" in str(caught.value)
    assert said in str(caught.value)


def test_failed_import_leaves_an_earlier_corpus_as_it_was(chat: Path, tmp_path: Path) -> None:
    folder = added([chat], tmp_path / "corpora" / "ann").folder
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(CorpusError):
        added([chat], folder, DataOptions(min_words=50))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == ["ann"]


def test_interrupted_import_leaves_nothing(chat: Path, tmp_path: Path) -> None:
    def interrupted(count: int) -> None:
        raise KeyboardInterrupt

    imported = Import([chat], ReadingOptions(), lambda notice: None, interrupted)
    with pytest.raises(KeyboardInterrupt):
        Adding(imported, DataOptions()).write(tmp_path / "corpora" / "ann")
    assert not list((tmp_path / "corpora").iterdir())


def test_compressed_file_gives_the_corpus_of_the_plain_one(chat: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(chat.read_bytes()))
    one, other = added([chat], tmp_path / "one"), added([packed], tmp_path / "two")
    texts = [[talk.turns for talk in read_conversations(each.folder)] for each in (one, other)]
    assert texts[0] == texts[1]


def test_two_files_of_one_format_keep_their_origins_and_pairs_apart(chat: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("13/03/24, 18:08 - Cy: hello\n13/03/24, 18:09 - Bo: hey\n")
    found = added([chat, other], tmp_path / "corpora" / "both")
    talks = list(read_conversations(found.folder))
    assert [talk.origin.partition(",")[0] for talk in talks] == [chat.name, chat.name, other.name]
    assert found.cleaning.kept == 5


def test_talk_of_a_message_a_day_is_one_conversation_and_told(tmp_path: Path, notices: Notices) -> None:
    path = tmp_path / "letters.txt"
    path.write_text(
        "".join(f"{day:02}.03.24, 18:02 - {'AB'[day % 2]}: letter {day}\n" for day in range(13, 20))
    )
    imported = Import([path], ReadingOptions(), notices.append)
    assert [len(talk.turns) for talk in imported.conversations()] == [7]
    assert imported.counts == {"said": 7}
    assert "no message is answered within 12 hours" in notices[0]
    with pytest.raises(CorpusError, match="0 pairs from 7 lines"):
        added([path], tmp_path / "corpora" / "x", gap_hours=10)


def test_parallel_files_are_pairs_line_by_line(tmp_path: Path) -> None:
    src, tgt = tmp_path / "a.src", tmp_path / "a.tgt"
    src.write_text("hello\nhow are you\n")
    tgt.write_text("hi\nfine\n")
    found = added([], tmp_path / "corpora" / "p", src=str(src), tgt=str(tgt))
    pairs = [pair for talk in read_conversations(found.folder) for pair in pairs_of(talk)]
    assert [(pair.src[0], pair.tgt) for pair in pairs] == [("hello", "hi"), ("how are you", "fine")]
    with pytest.raises(OptionError, match="belong together"):
        added([], tmp_path / "corpora" / "q", src=str(src))


def test_disk_that_is_full_leaves_nothing(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ChatbotError, match="the disk is full"):
        added([chat], tmp_path / "corpora" / "ann")
    assert not list((tmp_path / "corpora").glob("*"))


def example() -> tuple[str, str]:
    """The chat of docs/pairs.md and the text around it."""
    page = (DOCS / "pairs.md").read_text("utf-8")
    lines = re.findall(r"^ {4}(\d\d/.*)$", page, re.MULTILINE)
    return "\n".join(lines) + "\n", page


@pytest.mark.parametrize(("me", "expected"), [("", [(1, 2), (2, 3), (3, 4)]), ("Bo", [(1, 2), (3, 4)])])
def test_example_of_the_documented_rule_is_true(
    me: str, expected: list[tuple[int, int]], tmp_path: Path
) -> None:
    chat, page = example()
    (tmp_path / "chat.txt").write_text(chat)
    turns = dict(re.findall(r"^\| (\d) \| \w+ \| (.*?) \|", page, re.MULTILINE))
    corpus = open_corpus(str(tmp_path / "chat.txt"), tmp_path, lambda notice: None)
    pairs = [pair for talk in corpus.conversations() for pair in pairs_of(talk, 0, me)]
    assert len(turns) == 6
    assert [(pair.src, pair.tgt) for pair in pairs] == [
        ((turns[str(a)],), turns[str(b)]) for a, b in expected
    ]


def test_notices_name_what_was_odd(tmp_path: Path, notices: Callable[[str], None]) -> None:
    (tmp_path / "a.tsv").write_bytes(b"caf\xe9?\toui\nhello\thi\nno pair here\n")
    imported = Import([tmp_path / "a.tsv"], ReadingOptions(), notices)
    Adding(imported, DataOptions()).write(tmp_path / "corpora" / "a")
    told = " ".join(notices)  # type: ignore[call-overload]
    assert "a.tsv:1: not UTF-8" in told
    assert "a.tsv:3" in told
