"""JSON lines: one object a line, of any of these forms.

{"id", "origin", "turns": [{"speaker", "text", "time"?}, ...]}     our own, as in a corpus folder
{"turns": ["...", "..."]}                                          two speakers in turn
{"messages": [{"role", "content"}, ...]}                           without the system's and tools'
{"question": "...", "answer": "..."}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from chatbot.corpus.conversation import Conversation, Turn, whole
from chatbot.corpus.decode import Head, Notify, lines_of
from chatbot.corpus.formats.format import shown_name
from chatbot.corpus.identity import content_id
from chatbot.errors import CorpusError

_OPENING = re.compile(r'\s*\{\s*"')
_NAMED = ("id", "origin", "language")
_ONE_OBJECT = 'each line must be one object, such as {"turns": ["Hello", "Hi"]}'
_SEE = 'write {"turns": [{"speaker": "A", "text": "Hello"}, ...]}'
_NOT_DIALOGUE = {"system", "developer", "tool", "function"}


def read(path: Path, notify: Notify) -> Iterator[Conversation]:
    """Yield the conversation of each line; blank lines and conversations without a turn are passed over.

    Raises:
        CorpusError: a line is no JSON or has none of the known forms.
    """
    for number, line in lines_of(path, notify):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        conversation = _conversation(parsed(line, where), where, shown_name(path))
        if conversation is not None:
            yield conversation


def looks_like(head: Head) -> bool:
    """The first line opens an object and a key on the same line."""
    return bool(head.lines) and bool(_OPENING.match(head.lines[0]))


def parsed(line: str, where: str) -> Mapping[str, Any]:
    """The JSON object of a line.

    Raises:
        CorpusError: it is no JSON, or no object.
    """
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(where, f"is no JSON ({error.msg})", _ONE_OBJECT) from None
    except (ValueError, RecursionError):
        raise CorpusError(
            where, "is JSON that nobody reads: too deep or too long a number", _ONE_OBJECT
        ) from None
    if not isinstance(record, dict):
        raise CorpusError(where, "is no JSON object", _ONE_OBJECT)
    return record


def _conversation(record: Mapping[str, Any], where: str, origin: str) -> Conversation | None:
    key = next((key for key in _FORMS if key in record), None)
    if key is None:
        known = ", ".join(f'"{key}"' for key in _FORMS)
        raise CorpusError(where, "holds no conversation", f"it needs one of {known}")
    try:
        turns = _FORMS[key](record)
        given = {name: _text(record[name]) for name in _NAMED if record.get(name) is not None}
    except KeyError as error:
        raise CorpusError(where, f'"{key}" lacks {error}', _SEE) from None
    except TypeError as error:
        raise CorpusError(where, f'"{key}" is not as it should be: {error}', _SEE) from None
    if not turns:
        return None
    identity = given.get("id") or content_id(turn.text for turn in turns)
    return Conversation(identity, given.get("origin") or origin, turns, given.get("language"))


def _turns(record: Mapping[str, Any]) -> tuple[Turn, ...]:
    return tuple(_turn(item, "AB"[position % 2]) for position, item in enumerate(_list(record["turns"])))


def _turn(item: Any, speaker: str) -> Turn:
    """A turn given as an object, or as a bare text of the speaker whose turn it is."""
    if isinstance(item, str):
        return Turn(speaker, whole(item))
    turn = _object(item)
    time = turn.get("time")
    return Turn(
        _text(turn.get("speaker", speaker)), _text(turn["text"]), None if time is None else _text(time)
    )


def _messages(record: Mapping[str, Any]) -> tuple[Turn, ...]:
    messages = [_object(message) for message in _list(record["messages"])]
    said = [
        message for message in messages if message["role"] not in _NOT_DIALOGUE and message.get("content")
    ]
    return tuple(Turn(_text(message["role"]), _content(message["content"])) for message in said)


def _content(content: Any) -> str:
    """A message's text; of a list of parts, the texts among them."""
    if isinstance(content, list):
        return " ".join(_text(part["text"]) for part in map(_object, content) if "text" in part)
    return _text(content)


def _question(record: Mapping[str, Any]) -> tuple[Turn, ...]:
    return Turn("A", _text(record["question"])), Turn("B", _text(record["answer"]))


def _text(value: Any) -> str:
    """A text, or a whole number as text: people number their speakers and conversations."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {_kind(value)}")
    return whole(value)


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


_FORMS: dict[str, Callable[[Mapping[str, Any]], tuple[Turn, ...]]] = {
    "turns": _turns,
    "messages": _messages,
    "question": _question,
}
