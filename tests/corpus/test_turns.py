"""From messages to turns: bursts, silences, what is no turn, and who answers whom."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import NOBODY, Conversation
from chatbot.corpus.message import BOT, DELETED, KINDS, MEDIA, SAID, SYSTEM, Message, Talk
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.turns import LONGEST, Cutting, conversations_of

START = datetime(2024, 3, 1, 10, 0)
PHOTO = "<Media omitted>"


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def said(speaker: str, text: str, minutes: float | None = None, **further: object) -> Message:
    return Message(speaker, text, None if minutes is None else at(minutes))._replace(**further)  # type: ignore[arg-type]


def cut(*messages: Message, id: str = "", **options: object) -> list[Conversation]:  # noqa: A002
    cutting = Cutting.of(ReadingOptions(**options))  # type: ignore[arg-type]
    return list(conversations_of(Talk(messages, id=id), cutting, Counter(), "test"))


def turns(conversations: list[Conversation]) -> list[list[tuple[str, str]]]:
    return [[(turn.speaker, turn.text) for turn in talk.turns] for talk in conversations]


def pairs(*messages: Message, **options: object) -> list[tuple[str, str]]:
    return [(pair.src[-1], pair.tgt) for talk in cut(*messages, **options) for pair in pairs_of(talk)]


def test_d11_messages_of_one_speaker_in_a_row_are_one_turn() -> None:
    """Faults D11: A, B, B, B, A, A are three turns and two pairs."""
    messages = [said(speaker, text) for speaker, text in zip("ABBBAA", "abcdef", strict=True)]
    assert turns(cut(*messages)) == [[("A", "a"), ("B", "b c d"), ("A", "e f")]]
    assert pairs(*messages) == [("a", "b c d"), ("b c d", "e f")]


def test_pause_longer_than_a_burst_begins_a_turn_and_nobody_answers_himself() -> None:
    messages = said("A", "one", 0), said("A", "two", 5), said("A", "three", 66), said("B", "four", 67)
    assert turns(cut(*messages)) == [[("A", "one two"), ("A", "three"), ("B", "four")]]
    assert pairs(*messages) == [("three", "four")]
    assert turns(cut(*messages, burst_minutes=61)) == [[("A", "one two three"), ("B", "four")]]
    assert len(cut(*messages, burst_minutes=0)[0].turns) == 4


def test_burst_is_measured_from_message_to_message() -> None:
    messages = [said("A", str(number), 50 * number) for number in range(4)]
    assert turns(cut(*messages, said("B", "yes", 151))) == [[("A", "0 1 2 3"), ("B", "yes")]]


def test_long_silence_ends_a_conversation() -> None:
    messages = (
        said("A", "good night", 0),
        said("B", "good morning", 12 * 60 + 1),
        said("A", "hello", 12 * 60 + 2),
    )
    assert turns(cut(*messages)) == [[("A", "good night")], [("B", "good morning"), ("A", "hello")]]
    assert len(cut(*messages, gap_hours=13)) == 1
    assert len(cut(*messages, gap_hours=0)) == 1


def test_dialogue_with_an_id_is_not_cut_by_silence() -> None:
    (talk,) = cut(said("A", "hi", 0), said("B", "late", 10_000), id="thread-7")
    assert talk.id == "thread-7"
    assert len(talk.turns) == 2


def test_clock_that_runs_backwards_is_no_silence() -> None:
    assert len(cut(said("A", "hi", 5000), said("B", "hello", 0))) == 1


@pytest.mark.parametrize(
    "hidden",
    [
        said("C", PHOTO, 1),
        said("C", "", 1, kind=MEDIA),
        said("C", "gone", 1, kind=DELETED),
        said("C", "beep", 1, kind=BOT),
        said("C", "https://example.org/a", 1),
    ],
)
def test_what_is_no_turn_is_left_out_and_nobody_answers_the_turn_before_it(hidden: Message) -> None:
    messages = said("A", "look at this", 0), hidden, said("B", "lovely", 2), said("A", "yes", 3)
    assert turns(cut(*messages)) == [[("A", "look at this"), ("B", "lovely"), ("A", "yes")]]
    assert pairs(*messages) == [("lovely", "yes")]


def test_photo_is_part_of_the_turn_of_who_spoke_just_before() -> None:
    messages = (
        said("A", "my cat", 0),
        said("A", PHOTO, 1),
        said("A", "is she not sweet", 2),
        said("B", "she is", 3),
    )
    assert turns(cut(*messages)) == [[("A", "my cat is she not sweet"), ("B", "she is")]]
    assert pairs(*messages) == [("my cat is she not sweet", "she is")]


def test_photo_of_the_one_who_answers_is_part_of_the_answer() -> None:
    assert pairs(said("A", "where are you", 0), said("B", PHOTO, 1), said("B", "here", 2)) == [
        ("where are you", "here")
    ]


def test_photo_of_another_ends_a_burst() -> None:
    messages = said("A", "hi", 0), said("B", PHOTO, 1), said("A", "nice", 2), said("B", "thanks", 3)
    assert turns(cut(*messages)) == [[("A", "hi"), ("A", "nice"), ("B", "thanks")]]
    assert pairs(*messages) == [("nice", "thanks")]


def test_system_note_is_nothing_that_somebody_did() -> None:
    messages = (
        said("A", "hi", 0),
        said("", "C joined", 1, kind=SYSTEM),
        said("A", "all", 2),
        said("B", "hello", 3),
    )
    assert turns(cut(*messages)) == [[("A", "hi all"), ("B", "hello")]]


def test_named_bots_are_no_speakers() -> None:
    messages = said("A", "hi"), said("helper", "beep"), said("B", "hello"), said("A", "bye")
    assert pairs(*messages, bots="helper, other") == [("hello", "bye")]


def test_reply_to_a_message_answers_that_one() -> None:
    messages = (
        said("A", "tea or coffee?", 0, id="1"),
        said("B", "who saw the match?", 1, id="2"),
        said("C", "tea", 2, id="3", reply_to="1"),
        said("D", "me", 3, id="4", reply_to="2"),
    )
    assert pairs(*messages) == [
        ("tea or coffee?", "who saw the match?"),
        ("tea or coffee?", "tea"),
        ("who saw the match?", "me"),
    ]


def test_reply_to_a_message_of_an_earlier_conversation_quotes_it() -> None:
    messages = said("A", "any news?", 0, id="1"), said("B", "yes, good ones", 2000, id="2", reply_to="1")
    assert turns(cut(*messages)) == [[("A", "any news?")], [("A", "any news?"), ("B", "yes, good ones")]]
    assert pairs(*messages) == [("any news?", "yes, good ones")]


def test_reply_to_an_unknown_message_answers_nobody() -> None:
    found = cut(said("A", "hi", id="1"), said("B", "that was long ago", id="2", reply_to="99"))
    assert [turn.to for turn in found[0].turns] == [None, NOBODY]


def test_message_to_a_speaker_answers_that_speakers_last_turn() -> None:
    messages = (
        said("ann", "how do I mount a disk?", 0),
        said("bob", "my sound is gone", 1),
        said("cid", "ann: with mount", 2, mentions=("ann",)),
        said("dan", "bob: is it plugged in?", 3, mentions=("bob",)),
    )
    assert pairs(*messages)[1:] == [
        ("how do I mount a disk?", "ann: with mount"),
        ("my sound is gone", "bob: is it plugged in?"),
    ]


def test_mention_of_somebody_who_has_not_spoken_changes_nothing() -> None:
    assert pairs(said("A", "who knows?"), said("B", "ask @eve", mentions=("eve",))) == [
        ("who knows?", "ask @eve")
    ]


def test_time_of_a_turn_is_that_of_its_first_message_unless_its_date_is_unknown() -> None:
    (talk,) = cut(said("A", "hi", 0), said("A", "there", 1), Message("B", "yes", datetime(1, 1, 1, 9, 30)))
    assert [turn.time for turn in talk.turns] == ["2024-03-01T10:00:00", None]


def test_conversation_without_an_end_is_cut() -> None:
    found = cut(*(said("AB"[number % 2], str(number)) for number in range(LONGEST + 5)))
    assert [len(talk.turns) for talk in found] == [LONGEST, 5]


MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from("ABC"),
        st.sampled_from(["hi", "yes no", PHOTO, "http://a.example", " ", "?"]),
        st.none() | st.integers(0, 4000).map(at),
        st.sampled_from(KINDS),
        st.sampled_from(["", "1", "2", "3"]),
        st.sampled_from(["", "", "1", "2", "9"]),
        st.sampled_from([(), ("A",), ("D", "B")]),
    ),
    max_size=25,
)


@given(MESSAGES)
def test_no_word_is_lost_or_said_by_another_and_pairs_cross_speakers(messages: list[Message]) -> None:
    counts: Counter[str] = Counter()
    found = list(conversations_of(Talk(messages), Cutting.of(ReadingOptions()), counts))
    assert sum(counts.values()) == len(messages)
    heard = Counter(
        (turn.speaker, word) for talk in found for turn in talk.turns for word in turn.text.split()
    )
    spoken = Counter(
        (message.speaker, word)
        for message in messages
        if message.kind == SAID and message.text in ("hi", "yes no", "?")
        for word in message.text.split()
    )
    assert heard >= spoken
    assert set(heard) == set(spoken)
    for talk in found:
        for turn, number in zip(talk.turns, range(len(talk.turns)), strict=True):
            assert turn.to is None or NOBODY <= turn.to < number
        assert all(pair.src[-1] and pair.tgt for pair in pairs_of(talk))
