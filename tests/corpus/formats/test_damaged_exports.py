"""Exports that are damaged anyhow are talks, or a CorpusError: nothing else comes out."""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatbot.corpus.formats import FORMATS
from chatbot.corpus.input.decode import head_of_part
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import parts_of
from chatbot.corpus.message import KINDS
from chatbot.errors import CorpusError

NAMES = ("discord", "slack", "telegram", "messenger", "mbox")
CASES = {
    name: sorted(path.parent for path in (Path(__file__).parent / name).glob("*/expected.jsonl"))
    for name in NAMES
}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(
        ["1709287200.000100", "2024-03-01T10:00:00+00:00", "9" * 400, "\ud83d", "<@U1|a>", 1e300]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value within a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    whole = copy.deepcopy(value)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return whole


def other_value(data: st.DataObject, raw: bytes) -> bytes:
    document = json.loads(raw)
    path = data.draw(st.sampled_from(list(places(document))))
    return json.dumps(replaced(document, path, data.draw(values))).encode("utf-8", "surrogatepass")


def cut(data: st.DataObject, raw: bytes) -> bytes:
    return raw[: data.draw(st.integers(0, len(raw)))]


def other_bytes(data: st.DataObject, raw: bytes) -> bytes:
    start = data.draw(st.integers(0, len(raw)))
    return raw[:start] + data.draw(st.binary(max_size=20)) + raw[start + data.draw(st.integers(0, 60)) :]


def moved(data: st.DataObject, raw: bytes) -> bytes:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(raw))] * 2)))
    return raw[:start] + raw[end:] + raw[start:end]


@pytest.mark.parametrize("damage", [other_value, cut, other_bytes, moved])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_damaged_export_is_talks_or_a_corpus_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, damage: Any, data: st.DataObject
) -> None:
    case = data.draw(st.sampled_from(CASES[name]))
    (source,) = case.glob("input*")
    target = tmp_path_factory.mktemp("damaged") / source.name
    (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    files = [path for path in sorted(target.rglob("*")) if path.is_file()] if target.is_dir() else [target]
    path = data.draw(st.sampled_from(files))
    if damage is not other_value or path.suffix == ".json":
        path.write_bytes(damage(data, path.read_bytes()))
    reading = Reading(lambda notice: None)
    with contextlib.suppress(CorpusError):
        for part in parts_of([target]):
            FORMATS[name].looks_like(head_of_part(part))
    with contextlib.suppress(CorpusError):
        for talk in FORMATS[name].read(parts_of([target]), reading):
            for message in talk.messages:
                assert message.kind in KINDS
                "".join((talk.name, *message[:2], message.id, *message.mentions)).encode()
