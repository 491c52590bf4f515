"""JSON values out of blocks of text, as they come, however large the document is."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from chatbot.errors import CorpusError

FED_CHARACTERS = 1 << 16
VALUE_CHARACTERS = 16 << 20
"""The longest string; nobody says so much at once."""
MAX_DEPTH = 200
"""No export nests deeper, and so deep a reader may walk down a value on the stack."""

_HIGH = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile(rf"(?<!\\)((?:\\\\)*)(?:{_HIGH}(?!{_LOW})|(?<!{_HIGH}){_LOW})")
"""Half of a character beyond U+FFFF, as \\ud83d is, without its other half."""

Event = tuple[str, Any]
Wrong = Callable[[str, str, int], CorpusError]
"""Makes the error of what is wrong at an index of a block: (what, block, index)."""


def values_at(prefixes: Iterable[str], blocks: Iterable[str], wrong: Wrong) -> Iterator[tuple[str, Any]]:
    """The values found at some places of a document, as they come, with their place.

    Args:
        prefixes: places in the words of ``ijson``: "messages.item", "chats.list.item.name", "name".
        blocks: the document; no block ends within an escape.

    Raises:
        CorpusError: it is no JSON, nested too deeply, or a string in it is endless.
    """
    wanted = frozenset(prefixes)
    events = _events(blocks, wrong)
    place = ""
    outer: list[str] = []
    for event, value in events:
        if event == "map_key":
            place = f"{outer[-1]}.{value}" if len(outer) > 1 else value
        elif event in ("end_map", "end_array"):
            place = outer.pop()
        elif place in wanted:
            yield place, _built(event, value, events)
        elif event in ("start_map", "start_array"):
            outer.append(place)
            if event == "start_array":
                place = f"{place}.item" if len(outer) > 1 else "item"


def _built(event: str, value: Any, events: Iterator[Event]) -> Any:
    """A value whose first event has come; takes the others from the stream."""
    if event not in ("start_map", "start_array"):
        return value
    whole: Any = {} if event == "start_map" else []
    container, key = whole, ""
    outer: list[Any] = []
    for name, value in events:
        if name == "map_key":
            key = value
            continue
        if name in ("end_map", "end_array"):
            if not outer:
                break
            container = outer.pop()
            continue
        inner: Any = {} if name == "start_map" else [] if name == "start_array" else value
        if type(container) is dict:
            container[key] = inner
        else:
            container.append(inner)
        if inner is not value:
            outer.append(container)
            container = inner
    return whole


def _events(blocks: Iterable[str], wrong: Wrong) -> Iterator[Event]:
    """What the parser says of the document, one by one."""
    import ijson

    found = ijson.sendable_list()
    parser = ijson.basic_parse_coro(found, use_float=True)
    depth = silent = 0
    block = ""
    for block in blocks:
        if _SURROGATE.search(block):
            block = _HALF.sub(r"\1\\ufffd", block)
        for start in range(0, len(block), FED_CHARACTERS):
            fed = block[start : start + FED_CHARACTERS]
            with _told(block, start, wrong):
                parser.send(fed.encode("utf-8"))
            silent = 0 if found else silent + len(fed)
            if silent > VALUE_CHARACTERS:
                raise wrong(f"a single value is longer than {VALUE_CHARACTERS >> 20} MB", block, start)
            for event in found:
                depth += _DEPTH.get(event[0], 0)
                if depth > MAX_DEPTH:
                    raise wrong(f"it is nested more than {MAX_DEPTH} deep", block, start)
                yield event
            found.clear()
    with _told(block, max(0, len(block) - FED_CHARACTERS), wrong):
        parser.close()
    yield from found


_DEPTH = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}


@contextlib.contextmanager
def _told(block: str, start: int, wrong: Wrong) -> Iterator[None]:
    """Whatever the parser raises of what it was fed, as an error for people."""
    import ijson

    try:
        yield
    except (ijson.JSONError, ValueError, OverflowError, RecursionError, MemoryError, SystemError) as error:
        said, *shown = str(error).split("\n")
        raise wrong(f"is no JSON ({said.strip()})", block, _place(block, start, shown)) from None


def _place(block: str, start: int, shown: list[str]) -> int:
    """The index in a block that the parser's picture of an error points at; where it was fed if unknown."""
    fed = block[start : start + FED_CHARACTERS]
    if len(shown) < 2 or "^" not in shown[1]:
        return start
    near = shown[0].strip()
    found = re.sub(r"[\n\r\t]", " ", fed).rfind(near) if near else -1
    if found < 0:
        return start + len(fed.rstrip())
    before = shown[0][: shown[1].index("^")].lstrip()
    return start + found + max(0, len(before) - 1)
