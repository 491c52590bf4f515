"""Any bytes are conversations that can be stored, or a CorpusError: nothing else comes out."""

from __future__ import annotations

import gzip
import io
import resource
import tempfile
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chatbot.corpus.adding import Adding
from chatbot.corpus.clean import clean
from chatbot.corpus.formats import FORMATS
from chatbot.corpus.importing import Import
from chatbot.corpus.library import open_corpus
from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.corpus.store import read_conversations
from chatbot.errors import CorpusError

CASES = sorted(
    path
    for case in Path(__file__).parent.glob("formats/*/*")
    for path in case.rglob("*")
    if path.is_file() and path.name not in ("expected.jsonl", "options.json")
)
SEEDS = [path.read_bytes() for path in CASES]

whole = st.sampled_from(SEEDS)
pieces = st.builds(
    lambda data, start, size: data[start : start + size], whole, st.integers(0, 80), st.integers(1, 40)
)
mutants = st.lists(
    pieces | st.binary(max_size=6) | st.sampled_from([b"\n", b"- - ", b"\t", b"[", b'\\ud800"'])
)
files = (
    st.binary(max_size=200)
    | mutants.map(b"".join)
    | st.builds(lambda a, b: a + b, whole, st.binary(max_size=9))
)


def check(data: bytes, format_name: str = "") -> None:
    """The bytes as a file: what is read can be written, and comes back as it was."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(data)
        try:
            options = ReadingOptions(format=format_name)
            talks = list(open_corpus(str(path), Path(folder) / "none", str, options).conversations())
            clean(talks)
            Adding(Import([path], options, str), DataOptions()).write(Path(folder) / "stored")
        except CorpusError:
            return
        assert list(read_conversations(Path(folder) / "stored")) == talks


@settings(deadline=None, max_examples=150)
@given(files)
@example(b'{"turns": ["a", "\\ud800"]}\n' * 2)
@example(b'conversations:\n- - "\\ud800"\n  - b\n')
@example(b"conversations:\n- - &a [*a]\n  - ? [x]\n    : y\n")
@example(b"conversations: " + b"{a: " * 5000)
@example(b'{"turns": ' + b"[" * 5000 + b"\n{}\n")
@example(b'{"id": ' + b"9" * 5000 + b', "turns": ["a"]}\n\n')
def test_any_file_is_conversations_or_a_corpus_error(data: bytes) -> None:
    check(data)


@settings(deadline=None, max_examples=400)
@given(files, st.sampled_from(sorted(FORMATS)))
def test_any_file_through_any_reader(data: bytes, format_name: str) -> None:
    check(data, format_name)


def packed(name: str, data: bytes, kind: str) -> bytes:
    """The bytes as a file that is packed."""
    if kind == "gzip":
        return gzip.compress(data)
    if kind == "zstd":
        return zstandard.compress(data)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


KINDS = ("gzip", "zstd", "zip")


@settings(deadline=None, max_examples=100)
@given(
    files,
    st.sampled_from(KINDS),
    st.text(alphabet="ab./_\\é", min_size=1, max_size=6),
    st.integers(0, 400),
    st.binary(max_size=3),
)
def test_any_packed_file_whole_or_damaged(data: bytes, kind: str, name: str, at: int, damage: bytes) -> None:
    whole_file = packed(name, data, kind)
    check(whole_file)
    check(whole_file[:at] + damage + whole_file[at + len(damage) :])
    check(whole_file[:at])


@pytest.mark.parametrize("kind", KINDS)
def test_bomb_is_refused_in_little_time_and_memory(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(packed("a.txt", b"hello there\n" * 25_000_000, kind))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CorpusError, match=r"a\.txt|bomb"):
        list(open_corpus(str(path), tmp_path, str).conversations())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize("format_name", ["", *FORMATS])
@pytest.mark.parametrize("data", [b"[" * 10_000, b'{"a":' * 10_000, b"x" * 20_000_000, b"- " * 30_000])
def test_depth_and_endless_lines_are_errors(format_name: str, data: bytes) -> None:
    check(data, format_name)
