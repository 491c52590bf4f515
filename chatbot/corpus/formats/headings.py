"""Headings of tables of dialogue: which column holds the question, the reply, the speaker, the time.

A heading is compared without case, spaces, dashes and underscores: ``Reply-To`` and ``reply_to`` are one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chatbot.errors import CorpusError

QUESTIONS = (
    *("question", "q", "instruction", "prompt", "input"),
    *("问题", "問題", "问", "質問", "frage", "pregunta", "pergunta", "domanda", "вопрос", "질문"),
)
"""Headings of what was said, the surest first."""

WEAK_QUESTIONS = ("said", "utterance", "text", "message", "context", "source", "src")
"""These may be something else; they count beside a reply alone, and without a speaker."""

REPLIES = (
    *("answer", "a", "reply", "response", "completion", "output", "target", "tgt"),
    *("回答", "答案", "答", "答え", "antwort", "respuesta", "réponse", "reponse", "resposta", "risposta"),
    *("ответ", "답변"),
)

SPEAKERS = (
    *("speaker", "sender", "from", "author", "name", "user", "username", "nick", "role", "authorid"),
    *("sendername", "发送者", "说话人", "absender", "auteur", "autor", "отправитель"),
)
TEXTS = (
    *("text", "message", "content", "body", "utterance", "msg", "line", "messagetext"),
    *("内容", "消息", "nachricht", "texte", "texto", "mensaje", "сообщение"),
)
TIMES = (
    *("time", "date", "timestamp", "datetime", "createdat", "sentat", "sent"),
    *("时间", "zeit", "datum", "fecha", "heure", "дата"),
)
TALKS = (
    *("conversationid", "dialogid", "dialogueid", "threadid", "chatid", "convid", "channelid"),
    *("conversation", "dialog", "dialogue", "thread", "chat", "channel", "room"),
)
IDS = ("id", "messageid", "msgid", "tweetid")
REPLIES_TO = ("replyto", "inreplyto", "replytoid", "inresponseto", "inresponsetotweetid", "parentid")


@dataclass(frozen=True, slots=True)
class Messages:
    """The places of the columns of a table of messages, -1 where there is none."""

    speaker: int
    text: int
    time: int = -1
    talk: int = -1
    id: int = -1
    reply_to: int = -1


def pair_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """The places of question and reply in a row of headings; None where it has no such headings."""
    places = _places(header)
    question, reply = _first(places, QUESTIONS), _first(places, REPLIES)
    if question < 0 and _first(places, SPEAKERS) < 0:
        question = _first(places, WEAK_QUESTIONS)
    return (question, reply) if question >= 0 and reply >= 0 else None


def message_columns(header: Sequence[str]) -> Messages | None:
    """The places of the columns of messages; None where speaker or text has no heading."""
    places = _places(header)
    speaker, text = _first(places, SPEAKERS), _first(places, TEXTS)
    if speaker < 0 or text < 0:
        return None
    others = (_first(places, names) for names in (TIMES, TALKS, IDS, REPLIES_TO))
    return Messages(speaker, text, *others)


def chosen_columns(columns: str, header: Sequence[str], where: str) -> tuple[int, int]:
    """The places of the two columns that a user names, by heading or by number from 1.

    Args:
        columns: such as "question,answer" or "2,3".
        header: the first row.
        where: file and line of it.

    Raises:
        CorpusError: there are not two, or one of them is none of the table's.
    """
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2:
        raise CorpusError("--columns", f"{columns!r} is not two columns", "write two, as in question,answer")
    places = _places(header)
    first, second = (_chosen(name, places, header, where) for name in names)
    return first, second


def are_numbers(columns: str) -> bool:
    """Whether a user names columns by number, which says nothing of a header."""
    return all(_NUMBER.fullmatch(name.strip()) for name in columns.split(","))


_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_IGNORED = re.compile(r"[\s_\-\ufeff]+")


def _chosen(name: str, places: Mapping[str, int], header: Sequence[str], where: str) -> int:
    place = places.get(_plain(name), -1)
    if place < 0 and _NUMBER.fullmatch(name):
        place = int(name) - 1
    if not 0 <= place < len(header):
        shown = ", ".join(heading.strip()[:40] for heading in header[:20])
        remedy = f"choose two of {shown}, or their numbers from 1"
        raise CorpusError(where, f"there is no column {name!r}", " ".join(remedy.split()))
    return place


def _places(header: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, heading in enumerate(header):
        if len(heading) <= 60:  # no heading is longer
            places.setdefault(_plain(heading), place)
    return places


def _plain(heading: str) -> str:
    return _IGNORED.sub("", heading).casefold()


def _first(places: Mapping[str, int], names: Sequence[str]) -> int:
    return next((places[name] for name in names if name in places), -1)
