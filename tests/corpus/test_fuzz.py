"""Any bytes are conversations that can be stored, or a CorpusError: nothing else comes out."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from chatbot.corpus.clean import clean
from chatbot.corpus.formats import FORMATS
from chatbot.corpus.library import open_corpus
from chatbot.corpus.store import CorpusMeta, read_conversations, write_corpus
from chatbot.errors import CorpusError

CASES = sorted(Path(__file__).parent.glob("formats/*/*/input.*"))
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


def check(data: bytes, format_name: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(data)
        try:
            if format_name is None:
                talks = list(open_corpus(str(path), Path(folder) / "none", str).conversations())
            else:
                talks = list(FORMATS[format_name].read(path, str))
        except CorpusError:
            return
        clean(talks)
        if talks:
            write_corpus(Path(folder) / "stored", talks, CorpusMeta("fuzz"))
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
    check(data, None)


@settings(deadline=None, max_examples=150)
@given(files, st.sampled_from(sorted(FORMATS)))
def test_any_file_through_any_reader(data: bytes, format_name: str) -> None:
    check(data, format_name)
