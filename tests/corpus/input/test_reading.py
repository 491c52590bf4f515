"""Readers get lines, texts and JSON values, and any bytes are those or an error for people."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import ijson
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part, parts_of
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError, OptionError


def quiet(encoding: str = "") -> Reading:
    return Reading(lambda notice: None, ReadingOptions(encoding=encoding))


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return Part(tmp_path / "input")


def values(part: Part, data: bytes | str, *prefixes: str, encoding: str = "") -> list[tuple[str, Any]]:
    part.file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(quiet(encoding).json_of(part, *prefixes))


def test_lines_are_counted(part: Part) -> None:
    part.file.write_bytes(b"a\nb\r\nc")
    reading = quiet()
    assert list(reading.lines_of(part)) == [(1, "a"), (2, "b"), (3, "c")]
    assert reading.text_of(part) == "a\nb\nc\n"
    assert reading.lines == 6


def test_progress_is_told_of_every_way_to_read(part: Part) -> None:
    text = json.dumps([f"hello {number}" for number in range(50_000)], indent=1).encode()
    for data in (text, gzip.compress(text), zstandard.compress(text)):
        part.file.write_bytes(data)
        for read in ("lines_of", "text_of"):
            advances: list[int] = []
            list(getattr(Reading(lambda notice: None, advance=advances.append), read)(part))
            assert sum(advances) == len(data)
        advances = []
        list(Reading(lambda notice: None, advance=advances.append).json_of(part, "item"))
        assert sum(advances) == len(data)


def test_first_line_not_understood_is_kept_short(part: Part) -> None:
    reading = quiet()
    reading.miss(part, 3, "a\tb\x1b" + "c" * 100)
    reading.miss(part, 4, "later")
    assert reading.not_understood == 2
    assert reading.first == f"{part.name}:3: a b {'c' * 75}…"


def test_values_come_in_their_order_with_their_place(part: Part) -> None:
    data = """{"name": "x", "chats": {"list": [
        {"name": "A", "messages": [{"a": [1, {"b": []}], "c": null}, "s", [2.5]]},
        {"name": "B", "messages": []}]}, "end": true}"""
    assert values(part, data, "chats.list.item.name", "chats.list.item.messages.item", "end") == [
        ("chats.list.item.name", "A"),
        ("chats.list.item.messages.item", {"a": [1, {"b": []}], "c": None}),
        ("chats.list.item.messages.item", "s"),
        ("chats.list.item.messages.item", [2.5]),
        ("chats.list.item.name", "B"),
        ("end", True),
    ]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "item"]), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(
    value=json_values,
    ascii_only=st.booleans(),
    prefix=st.sampled_from(["", "item", "a", "a.item", "item.a", "a.b", "b.item.item"]),
)
def test_values_are_those_of_the_library(
    value: Any, ascii_only: bool, prefix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    found = values(Part(tmp_path_factory.mktemp("json") / "x"), data, prefix, encoding="utf-8")
    assert [inner for _, inner in found] == list(ijson.items(data, prefix, use_float=True))


def test_whole_document_has_no_place(part: Part) -> None:
    assert values(part, '{"a": [1]}', "") == [("", {"a": [1]})]
    assert values(part, "7", "") == [("", 7)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-be"])
def test_document_of_any_width(encoding: str, part: Part) -> None:
    assert values(part, '["Zoë", "你好"]'.encode(encoding), "item") == [("item", "Zoë"), ("item", "你好")]


def test_document_that_is_no_utf8_is_read_like_lines(part: Part) -> None:
    part.file.write_bytes('[{"a": "Où ça ?"},\n {"b": "Déjà"}]'.encode("cp1252"))
    notices: list[str] = []
    assert list(Reading(notices.append).json_of(part, "item")) == [
        ("item", {"a": "Où ça ?"}),
        ("item", {"b": "Déjà"}),
    ]
    assert notices == [f"{part.name}:1: not UTF-8; 2 lines were read as Windows-1252"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\ud83d", "\ufffd"),
        (r"\ude00", "\ufffd"),
        (r"\ud83d\ude00", "😀"),
        (r"\uD83D\uDE00\uD83D", "😀\ufffd"),
        (r"\ud83d\ud83d\ude00x", "\ufffd😀x"),
        (r"\\ud83d", r"\ud83d"),
        (r"\\\ud83d", "\\\ufffd"),
        (r"a\ude00\ud83db", "a\ufffd\ufffdb"),
        (r"\u00e9\n", "é\n"),
    ],
)
def test_halves_of_surrogate_pairs(written: str, meant: str, part: Part) -> None:
    assert values(part, f'["{written}"]', "item") == [("item", meant)]


def test_numbers_are_int_or_float(part: Part) -> None:
    found = [value for _, value in values(part, "[1, -2, 1.5, 1e3, 9007199254740993]", "item")]
    assert found == [1, -2, 1.5, 1000.0, 9007199254740993]
    assert [type(value) for value in found] == [int, int, float, float, int]


@pytest.mark.parametrize(
    "data",
    [
        "", "{", "[1,]", "[1] 2", "nonsense", '["a\nb"]', "[NaN]", '{"a" 1}', "[" + "9" * 5000 + "]",
        '["\\x"]', '["\\ud8"]', "[1}", '{"a": 1', "[" * 10_000, "[" * 1_000_000, '{"a":' * 10_000,
        "[" * 300 + "]" * 300,
    ],
)  # fmt: skip
def test_what_is_no_json_is_told(data: str, part: Part) -> None:
    with pytest.raises(CorpusError) as caught:
        values(part, data, "item")
    assert caught.value.where == f"{part.name}:1"
    assert "\n" not in str(caught.value)


def test_line_of_an_error_is_named(part: Part) -> None:
    lines = ["[", *(f'"line {number}",' for number in range(2, 5000)), '"x" "y"', "]"]
    with pytest.raises(CorpusError) as caught:
        values(part, "\n".join(lines), "item")
    assert caught.value.where == f"{part.name}:5000"


def test_nul_in_a_document_is_told(part: Part) -> None:
    with pytest.raises(CorpusError, match="line 2 holds a NUL"):
        values(part, '["a",\n"b\0"]' + " " * 50, "item")


@pytest.mark.parametrize("filling", [b"x", b"x,", b" "])
def test_endless_value_is_refused(filling: bytes, part: Part) -> None:
    data = b'["' + filling * ((18 << 20) // len(filling)) + b'"]'
    with pytest.raises(CorpusError, match="a single value is longer than 16 MB"):
        values(part, data, "item")


def test_long_document_of_one_line_is_read(part: Part) -> None:
    one = '{"text": "so, what, \\"do\\" you [think]?"},'
    assert len(values(part, "[" + one * 600_000 + "{}]", "item.text")) == 600_000


def test_unknown_encoding_is_an_option_error(part: Part) -> None:
    with pytest.raises(OptionError):
        values(part, "[]", "item", encoding="nope")


fragments = st.lists(
    st.binary(max_size=8)
    | st.sampled_from(
        [b"\n", b"\r", b'"', b"[", b"{", b'"a":', b"1,", b"\\ud83d", b"\xef\xbb\xbf", b"\xff\xfe"]
    )
    | st.text(max_size=5).map(lambda text: text.encode("utf-8", "replace"))
    | st.text(max_size=5).map(lambda text: text.encode("gb18030", "replace")),
    max_size=20,
).map(b"".join)


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_chat.txt", data)
    return out.getvalue()


packings = st.builds(
    lambda pack, at, value: lambda data: changed(pack(data), at, value),
    st.sampled_from([bytes, gzip.compress, zstandard.compress, zipped]),
    st.none() | st.integers(0, 300),
    st.integers(0, 255),
)


def changed(data: bytes, at: int | None, value: int) -> bytes:
    """Bytes with one of them changed, or as they are."""
    return data if at is None else data[:at] + bytes([value]) + data[at + 1 :]


@settings(deadline=None, max_examples=300)
@given(
    data=fragments,
    packing=packings,
    encoding=st.sampled_from(["", "", "", "utf-8", "utf-16", "shift_jis", "hz", "cp037", "big5"]),
)
@example(data=b"\xff\xfe\x00\xd8", packing=bytes, encoding="")
@example(data=b"\x00\x00\xfe\xff\xff\xff\xff\xff", packing=bytes, encoding="")
def test_any_bytes_are_text_or_an_error_for_people(
    data: bytes, packing: Any, encoding: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "input"
    path.write_bytes(packing(data))
    for read in (Reading.lines_of, Reading.text_of, Reading.json_of):
        with contextlib.suppress(CorpusError):
            for part in parts_of([path]):
                for found in read(quiet(encoding), part, *(["", "item"] if read is Reading.json_of else [])):
                    json.dumps(found, ensure_ascii=False).encode()  # no half of a pair is left
