"""A scrubbed text holds no personal data and no speaker's name, and scrubbing it again changes nothing."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatbot.corpus.privacy.personal import found
from chatbot.corpus.privacy.scrub import NOBODY_KNOWN, Scrubber
from chatbot.errors import OptionError

NAMES = [
    "Ann Smith",
    "王小明",
    "+44 20 7946 0958",
    "Will",
    "Bob O'Brien",
    "A",
    "You",
    "🌸",
    "김민수",
    "x.*[",
    "Zoë Müller",
    "Mark Rose",
    "Ann Jones (work)",
    "tom_92",
    "Jo",
    "Анна Иванова",
    "ivy@example.org",
    "Jean-Luc de la Tour",
]

TEXTS = [
    ("Hello there", "Hello there"),
    ("Ann Smith is here", "Speaker 1 is here"),
    ("ANN SMITH and ann smith", "Speaker 1 and Speaker 1"),
    ("@Ann Smith hi", "@Speaker 1 hi"),
    ("@ann hi", "@Speaker 1 hi"),
    ("@\u2068Ann Jones\u2069 hi", "@Speaker 13 hi"),
    ("Ann's dog, Smith's cat", "Speaker 1's dog, Speaker 1's cat"),
    ("Smith, Ann is late", "Speaker 1 is late"),
    ("Ann, Ann, come!", "Speaker 1, Speaker 1, come!"),
    ("ann and smith, written small, may be words", "ann and smith, written small, may be words"),
    ("Anna, Annie, Hannah and Goldsmith", "Anna, Annie, Hannah and Goldsmith"),
    ("Ann Jones has work", "Speaker 13 has work"),
    ("o Bob O’Brien", "o Speaker 5"),
    ("BOB said O'Brien", "Speaker 5 said Speaker 5"),
    ("Will you? I will. Will!", "Will you? I will. Will!"),
    ("ask Will, or @will", "ask Speaker 4, or @Speaker 4"),
    ("Mark my words, a Rose", "Mark my words, a Rose"),
    ("mark rose, mark", "mark rose, mark"),
    ("it was Mark Rose", "it was Speaker 12"),
    ("you and You, @You", "you and You, @Speaker 7"),
    ("a cat, A dog, @A", "a cat, A dog, @Speaker 6"),
    ("🌸 for @🌸", "🌸 for @Speaker 8"),
    ("who is x.*[ here", "who is Speaker 10 here"),
    ("who is xyz[ here", "who is xyz[ here"),
    ("Zoe\u0308 MU\u0308LLER and ZOË", "Speaker 11 and Speaker 11"),
    ("TOM_92, tom_921", "Speaker 14, tom_921"),
    ("Jo or jo or Jon", "Speaker 15 or jo or Jon"),
    ("我和王小明去", "我和Speaker 2去"),
    ("小明你好，@王小明 来", "Speaker 2你好，@Speaker 2 来"),
    ("hi王小明ok", "hi Speaker 2 ok"),
    ("민수가 왔다, 김민수는", "Speaker 9가 왔다, Speaker 9는"),
    ("Анна, АННА ИВАНОВА, но Анной", "Speaker 16, Speaker 16, но Анной"),
    ("Luc de la Tour? Jean-Luc!", "Speaker 18 de la Speaker 18? Speaker 18!"),
    ("@442079460958 or +442079460958", "@Speaker 3 or Speaker 3"),
    ("ring +44 (20) 7946-0958", "ring Speaker 3"),
    ("write to ivy@example.org", "write to Speaker 17"),
    ("write to ann@example.org", "write to [email]"),
    ("https://example.org/ann-smith", "[link]"),
    ("+44 20 7946 0018, @ann_b", "[phone], [handle]"),
    ("卡号4111111111111111，王小明的", "卡号[card]，Speaker 2的"),
    ("Speaker 3 has an [email]", "Speaker 3 has an [email]"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_text_is_scrubbed(text: str, expected: str) -> None:
    scrubber = Scrubber(NAMES)
    assert scrubber.text(text) == expected
    assert scrubber.text(expected) == expected


def test_speakers_are_numbered_in_order_of_appearance() -> None:
    scrubber = Scrubber(["Zed", "Ann", "Zed", "", "Bob"])
    assert [scrubber.speaker(name) for name in ("Ann", "Zed", "Bob")] == [
        "Speaker 2",
        "Speaker 1",
        "Speaker 3",
    ]
    assert [scrubber.known(name) for name in ("Ann", "ann", "", "Speaker 1")] == [True, False, False, False]


def test_stranger_gets_one_pseudonym() -> None:
    assert Scrubber(["Ann"]).speaker("Bob") == Scrubber([]).speaker("Cid") == NOBODY_KNOWN


def test_pseudonyms_that_are_there_already_are_kept() -> None:
    scrubber = Scrubber(["Speaker 2", "Ann", "Speaker 1", "Bob"])
    assert scrubber.mapping == {
        "Speaker 2": "Speaker 2",
        "Ann": "Speaker 3",
        "Speaker 1": "Speaker 1",
        "Bob": "Speaker 4",
    }
    assert scrubber.text("Speaker 2, Bob?") == "Speaker 2, Speaker 4?"
    assert scrubber.speaker(NOBODY_KNOWN) == NOBODY_KNOWN


def test_first_of_two_speakers_has_the_name_they_share() -> None:
    assert Scrubber(["Ann Smith", "Ann Jones"]).text("Ann?") == "Speaker 1?"
    assert Scrubber(["Ann Smith", "Ann"]).text("Ann?") == "Speaker 2?"


def test_what_is_replaced_is_counted_by_kind() -> None:
    scrubber = Scrubber(NAMES)
    scrubber.text("Ann Smith: ann@example.org, bob@example.org")
    scrubber.text("[email] of Speaker 1")
    assert scrubber.counts == {"name": 1, "email": 2}


def test_national_numbers_of_the_region_are_replaced() -> None:
    assert Scrubber([], "gb").text("ring 020 7946 0018") == "ring [phone]"
    assert Scrubber([]).text("ring 020 7946 0018") == "ring 020 7946 0018"


def test_unknown_region_is_named() -> None:
    with pytest.raises(OptionError, match="--region: no country 'XX'; give two letters"):
        Scrubber([], "XX")


def test_scrubber_can_be_sent_to_another_process() -> None:
    scrubber = Scrubber(NAMES, "gb")
    scrubber.text("Ann Smith")
    copy = pickle.loads(pickle.dumps(scrubber))  # noqa: S301
    assert copy.mapping == scrubber.mapping
    assert not copy.counts
    assert copy.text("Ann, 020 7946 0018") == "Speaker 1, [phone]"


def test_each_of_many_speakers_is_known() -> None:
    scrubber = Scrubber([f"Ann{n:x} Smith{n:x}q" for n in range(5_000)])
    assert scrubber.text("ask Ann12f Smith12fq, not Smith12f") == "ask Speaker 304, not Smith12f"


pieces = st.sampled_from(
    [name for whole in NAMES for name in (whole, whole.lower(), *whole.split())]
    + [
        "ann@example.org",
        "x.org/a",
        "+44 20 7946 0958",
        "[email]",
        "[",
        "]",
        "Speaker ",
        "Speaker 1",
        "Speaker",
    ]
    + [
        "@",
        ".",
        ",",
        " ",
        "  ",
        "-",
        "_",
        "1",
        "20",
        "00",
        "a",
        "你",
        "가",
        "\u0301",
        "\u2069",
        "\n",
        "4111 1111",
    ]
    + [
        "1111 1111",
        "DE89 3704 0044 0532 0130 00",
        "https://",
        "www.",
        "192.168.0.1",
        ":",
        "(",
        ")",
        "é",
        "'s",
    ]
)
texts = st.one_of(st.lists(pieces, max_size=10).map("".join), st.text(max_size=40))
names = st.lists(st.one_of(pieces, st.text(max_size=8), st.sampled_from(NAMES)), max_size=6)


@given(names, texts, st.sampled_from(["", "GB", "US"]))
@example(["Speaker 1 Smith", "Ann"], "Ann Smith", "")
@example(["1", "Speaker"], "@1 Speaker 5", "")
def test_scrubbing_again_changes_nothing(names: list[str], text: str, region: str) -> None:
    scrubber = Scrubber(names, region)
    once = scrubber.text(text)
    counts = dict(scrubber.counts)
    assert scrubber.text(once) == once
    assert dict(scrubber.counts) == counts
    assert Scrubber(scrubber.mapping.values(), region).text(once) == once


@given(names, texts)
def test_nothing_personal_is_left(names: list[str], text: str) -> None:
    kinds = {item.kind for item in found(Scrubber(names).text(text))}
    assert kinds <= {"handle", "link", "email"}  # "@Speaker 1" reads like one, and "Speaker 1.org" may


@given(st.sampled_from(NAMES), texts, texts)
def test_whole_name_after_at_is_replaced_everywhere(name: str, before: str, after: str) -> None:
    pseudonym = Scrubber(NAMES).speaker(name)
    assert f"@{pseudonym}" in Scrubber(NAMES).text(f"{before}\n@{name}\n{after}")
