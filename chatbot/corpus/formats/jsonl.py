"""JSON lines, one object a line; or one JSON document, a list of such objects or an object that holds one.

    {"id", "origin", "turns": [{"speaker", "text", "time"?}, ...]}    our own, as in a corpus folder
    {"turns": ["...", "..."]}                                         two speakers in turn
    {"messages": [{"role", "content"}, ...]}                          as chat APIs write it
    {"conversations": [{"from", "value"}, ...]}                       as ShareGPT does
    {"dialog": ["...", "..."]}                                        also dialogue, utterances, conversation
    {"question": "...", "answer": "..."}                              also prompt/completion, input/output

With roles, and in ShareGPT's form, what the system and tools say is left out: they take no part in a talk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from chatbot.corpus.conversation import whole
from chatbot.corpus.formats.headings import QUESTIONS, REPLIES, WEAK_QUESTIONS
from chatbot.corpus.formats.moment import moment
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message, Talk
from chatbot.corpus.records import ONE_OBJECT, parsed
from chatbot.errors import CorpusError

_OPENING_BYTES = 65536
_SNIFFED = 40
_NAMED = ("id", "origin", "language")
_SEE = 'write {"turns": [{"speaker": "A", "text": "Hello"}, ...]}'
_NOT_DIALOGUE = {"system", "developer", "tool", "function", "function_call", "observation"}
_SPEAKERS = ("speaker", "role", "from", "sender", "author", "user", "name", "agent")
_TEXTS = ("text", "content", "value", "utterance", "message")
_HOLDERS = ("data", "dialogs", "dialogues", "examples", "rows")
"""Keys of an object that holds the list of conversations."""


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the talk of each object; blank lines and talks without a message are passed over.

    Raises:
        CorpusError: a line is no JSON or has none of the known forms.
    """
    place = _place_in_document(_opening(part))
    records = _lines(part, reading) if place is None else _document(part, reading, place)
    for where, record in records:
        talk = _talk(record, where)
        if talk is not None:
            yield talk


def looks_like(head: Head) -> bool:
    """An object or list opens, and a key of conversations comes soon."""
    if not head.lines or not _OPENS.match(head.lines[0]):
        return False
    is_line = bool(_OBJECT.match(head.lines[0]))
    start = head.lines[0] if is_line else "\n".join(head.lines[:_SNIFFED])
    if _LIST_KEY.search(start) or (_MESSAGES_KEY.search(start) and _ROLE_KEY.search(start)):
        return True
    question = _QUESTION_KEY.search(start) or (is_line and _WEAK_KEY.search(start))
    return bool(question and _REPLY_KEY.search(start))


def _keys(names: tuple[str, ...]) -> str:
    return '"(?:' + "|".join(names) + r')"\s*:'


_OPENS = re.compile(r'\s*(\[\s*(\{|$)|\{\s*("|$))')
_OBJECT = re.compile(r'\s*\{\s*"')
_HOLDER = re.compile(r"\{\s*" + _keys(_HOLDERS).replace("(?:", "(") + r"\s*\[\s*(\{|$)")
_QUESTION_KEY = re.compile(_keys(QUESTIONS))
_WEAK_KEY = re.compile(_keys(WEAK_QUESTIONS))
_REPLY_KEY = re.compile(_keys(REPLIES))


def _opening(part: Part) -> str:
    """The first characters of a part that are ASCII, whatever its encoding: enough to see how JSON opens."""
    with part.open() as stream:
        data = stream.read(_OPENING_BYTES)
    return data.replace(b"\0", b"").decode("ascii", "ignore").lstrip()


def _place_in_document(opening: str) -> str | None:
    """Where a document has its objects, in the words of ``Reading.json_of``; None where lines have them."""
    if opening.startswith("["):
        return "item"
    if holder := _HOLDER.match(opening):
        return f"{holder[1]}.item"
    first, _, rest = opening.replace("\r", "\n").partition("\n")
    if not opening.startswith("{") or not rest.strip():
        return None
    if first.rstrip().endswith(("{", "[")):
        return ""
    goes_on = first.rstrip().endswith((",", ":")) and not rest.lstrip().startswith("{")
    return "" if goes_on else None


def _lines(part: Part, reading: Reading) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in reading.lines_of(part):
        if line.strip():
            where = f"{part.name}:{number}"
            yield where, parsed(line, where)


def _document(part: Part, reading: Reading, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    number = 0
    for number, (_, record) in enumerate(reading.json_of(part, place), start=1):
        where = f"{part.name}: item {number}"
        if not isinstance(record, dict):
            raise CorpusError(where, "is no JSON object", 'a list must be of objects such as {"turns": []}')
        yield where, record
    if not number:
        raise CorpusError(part.name, "holds no conversation", ONE_OBJECT.replace("line", "item"))


def _talk(record: Mapping[str, Any], where: str) -> Talk | None:
    key = next((key for key in _FORMS if key in record), None) or _question_of(record)
    if key is None:
        known = ", ".join(f'"{key}"' for key in (*_FORMS, "question"))
        raise CorpusError(where, "holds no conversation", f"it needs one of {known}")
    try:
        messages = _FORMS.get(key, _pair)(record)
        given = {name: _text(record[name]) for name in _NAMED if record.get(name) is not None}
    except KeyError as error:
        raise CorpusError(where, f'"{key}" lacks {error}', _SEE) from None
    except TypeError as error:
        raise CorpusError(where, f'"{key}" is not as it should be: {error}', _SEE) from None
    if not messages:
        return None
    return Talk(
        messages, id=given.get("id", ""), origin=given.get("origin", ""), language=given.get("language")
    )


def _list_of(key: str) -> Callable[[Mapping[str, Any]], list[Message]]:
    """Reads a list of messages under a key: bare texts of two speakers in turn, or objects."""

    def read_list(record: Mapping[str, Any]) -> list[Message]:
        items = _list(record[key])
        numbered = any(isinstance(item, dict) and item.get("to") is not None for item in items)
        return [_message(item, at, numbered) for at, item in enumerate(items)]

    return read_list


def _message(item: Any, at: int, numbered: bool) -> Message:
    """A message of a list; a bare text is of the speaker whose turn it is.

    Args:
        numbered: whether messages of the list say by number which one they answer.
    """
    speaker = "AB"[at % 2]
    if isinstance(item, str):
        return Message(speaker, whole(item), id=str(at) if numbered else "")
    turn = _object(item)
    name = next((turn[key] for key in _SPEAKERS if turn.get(key) is not None), speaker)
    text = turn[next((key for key in _TEXTS if key in turn), "text")]
    own, answered = (at, turn.get("to")) if numbered else (turn.get("id"), turn.get("reply_to"))
    return Message(
        _text(name), _content(text), moment(turn.get("time")), id=_named(own), reply_to=_named(answered)
    )


def _said_by(speaker: str, text: str, key: str) -> Callable[[Mapping[str, Any]], list[Message]]:
    """Reads a list of messages of speakers, some of whom are no people."""

    def read_list(record: Mapping[str, Any]) -> list[Message]:
        messages = [_object(message) for message in _list(record[key])]
        said = [message for message in messages if message[speaker] not in _NOT_DIALOGUE]
        return [Message(_text(one[speaker]), _content(one[text])) for one in said if one.get(text)]

    return read_list


def _shared(record: Mapping[str, Any]) -> list[Message]:
    """ShareGPT's form, or another list under the same key."""
    items = _list(record["conversations"])
    keys = items[0] if items and isinstance(items[0], dict) else {}
    if "from" in keys:
        return _said_by("from", "value", "conversations")(record)
    return (_said_by("role", "content", "conversations") if "role" in keys else _list_of("conversations"))(
        record
    )


def _question_of(record: Mapping[str, Any]) -> str | None:
    """The key of a question; one that others use too counts beside a reply alone."""
    key = next((key for key in QUESTIONS if key in record), None)
    if key is None and any(reply in record for reply in REPLIES):
        key = next((key for key in WEAK_QUESTIONS if key in record), None)
    return key


def _pair(record: Mapping[str, Any]) -> list[Message]:
    """A question and its reply; an instruction may have an input beside it."""
    key = _question_of(record) or "question"
    question = _content(record[key])
    if key == "instruction" and record.get("input"):
        question = f"{question}\n{_content(record['input'])}"
    reply = next((reply for reply in REPLIES if reply in record), "answer")
    return [Message("A", question), Message("B", _content(record[reply]))]


def _content(content: Any) -> str:
    """A message's text; of a list of parts, the texts among them."""
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return " ".join(_text(part["text"]) for part in content if "text" in part)
    return _text(content)


def _text(value: Any) -> str:
    """A text, or a whole number as text: people number their speakers and conversations."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {_kind(value)}")
    return whole(value)


def _named(value: Any) -> str:
    return "" if value is None else _text(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {_kind(value)}")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, got {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "text", type(None): "null"}.get(type(value), repr(value))


_FORMS: dict[str, Callable[[Mapping[str, Any]], list[Message]]] = {
    "turns": _list_of("turns"),
    "messages": _said_by("role", "content", "messages"),
    "conversations": _shared,
    "dialog": _list_of("dialog"),
    "dialogue": _list_of("dialogue"),
    "utterances": _list_of("utterances"),
    "conversation": _list_of("conversation"),
}
_LIST_KEY = re.compile(_keys(tuple(key for key in _FORMS if key != "messages")) + r"\s*\[")
_MESSAGES_KEY = re.compile(_keys(("messages",)) + r"\s*\[")  # chat exports have these too, without roles
_ROLE_KEY = re.compile(_keys(("role",)))
