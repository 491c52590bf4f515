"""The corpora that need no import."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from chatbot.corpus import builtin
from chatbot.corpus.clean import clean
from chatbot.corpus.conversation import Conversation
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.store import read_conversations, read_meta
from chatbot.errors import CorpusError

Told = list[str]


@pytest.fixture(scope="module")
def english() -> list[Conversation]:
    return list(builtin.read_chatterbot("english", lambda notice: None))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Put files where the data packages are looked for."""

    def put(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    monkeypatch.setattr(builtin, "_package", lambda module, distribution: tmp_path)
    return put


def test_chitchat_is_complete() -> None:
    pairs = conversations = 0
    for talk in builtin.read_chitchat():
        conversations += 1
        pairs += sum(1 for _ in pairs_of(talk))
    assert conversations == 7168
    assert pairs > 130_000


def test_chitchat_run_of_messages_is_a_turn(package: Callable[[str, str], None]) -> None:
    def said(sender: str, *texts: str) -> list[dict[str, str]]:
        return [{"sender": sender, "text": text, "timestamp": f"t-{text}"} for text in texts]

    runs = [said("u1", "Hello", " ", "how are you?"), said("u2", " "), said("u2", "fine ")]
    blank = {"messages": [said("u1", "")]}
    package("dataset.json", json.dumps({"c1": {"messages": runs}, "c2": blank}))
    (talk,) = builtin.read_chitchat()
    assert (talk.id, talk.language) == ("c1", "en")
    assert [(turn.speaker, turn.text, turn.time) for turn in talk.turns] == [
        ("u1", "Hello how are you?", "t-Hello"),
        ("u2", "fine", "t-fine "),
    ]


@pytest.mark.parametrize("text", ["", "[]", '{"c1": {}}', '{"c1": {"messages": [[{"sender": "a"}]]}}'])
def test_damaged_chitchat_is_told(text: str, package: Callable[[str, str], None]) -> None:
    package("dataset.json", text)
    with pytest.raises(CorpusError, match="install chitchat-dataset again"):
        list(builtin.read_chitchat())


def test_chatterbot_copies_in_tech_support_are_counted(english: list[Conversation]) -> None:
    support = [talk for talk in english if talk.id.startswith("tech_support-")]
    pairs, cleaning = clean(support)
    assert (cleaning.conversations, cleaning.kept, cleaning.duplicates) == (1050, 10, 1040)
    assert len({(pair.src, pair.tgt) for pair in pairs}) == 10


def test_chatterbot_ids_are_unique_and_tagged(english: list[Conversation]) -> None:
    assert len({talk.id for talk in english}) == len(english) > 2000
    assert {talk.language for talk in english} == {"en"}


def test_chatterbot_id_does_not_hang_on_the_position(package: Callable[[str, str], None]) -> None:
    talks = ["- - Hello\n  - Hi\n", "- - Bye\n  - See you\n", "- - Thanks\n  - Welcome\n"]
    found = []
    for order in (talks[:2], talks[::-1]):
        package("data/klingon/greetings.yml", "conversations:\n" + "".join(order))
        read = builtin.read_chatterbot("klingon", lambda notice: None)
        found.append({talk.turns[0].text: talk.id for talk in read})
    assert found[0].items() <= found[1].items()
    assert re.fullmatch(r"greetings-[0-9a-f]{12}", found[0]["Hello"])


def test_chatterbot_tells_what_it_leaves_out_by_a_name_the_user_knows(
    package: Callable[[str, str], None], notices: Told
) -> None:
    package("data/english/odd.yml", "conversations:\n- - a\n  - [b]\n  - c\n")
    list(builtin.read_chatterbot("english", notices.append))
    assert notices == ["chatterbot:english, odd.yml: 1 of its entries are no text and were left out"]


@pytest.mark.parametrize("language", builtin.chatterbot_languages())
def test_chatterbot_language_has_a_tag_and_pairs(language: str) -> None:
    talks = list(builtin.read_chatterbot(language, lambda notice: None))
    assert clean(talks)[1].kept > 0
    assert {talk.language for talk in talks} == {builtin.LANGUAGES[language]}


def test_missing_package_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CorpusError, match="pip install chitchat-dataset"):
        list(builtin.read_chitchat())
    with pytest.raises(CorpusError, match="pip install chatterbot-corpus"):
        builtin.chatterbot_languages()


@pytest.fixture(scope="module")
def smalltalk() -> list[Conversation]:
    return list(read_conversations(builtin.smalltalk_folder()))


@pytest.mark.parametrize(("language", "least"), [("en", 400), ("zh", 200)])
def test_smalltalk_has_enough_exchanges(smalltalk: list[Conversation], language: str, least: int) -> None:
    _, cleaning = clean(talk for talk in smalltalk if talk.language == language)
    assert cleaning.kept >= least


@pytest.mark.parametrize("language", ["en", "zh"])
def test_smalltalk_asks_in_several_phrasings(smalltalk: list[Conversation], language: str) -> None:
    """Most replies are given to more than one way of asking."""
    pairs, _ = clean(talk for talk in smalltalk if talk.language == language)
    asked = defaultdict(set)
    for pair in pairs:
        asked[pair.tgt].add(pair.src)
    shared = sum(len(ways) for ways in asked.values() if len(ways) > 1)
    assert shared >= len(pairs) / 2


def test_smalltalk_folder_is_as_the_store_writes_it(smalltalk: list[Conversation]) -> None:
    assert len({talk.id for talk in smalltalk}) == len(smalltalk)
    meta = read_meta(builtin.smalltalk_folder())
    assert (meta.conversations, meta.turns) == (len(smalltalk), sum(len(talk.turns) for talk in smalltalk))
