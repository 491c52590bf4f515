"""Bytes become lines, whatever wrote them; what is no text is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.decode import decode_line, head_of, lines_of
from chatbot.errors import CorpusError

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def file_of(folder: Path, data: bytes) -> Path:
    (folder / "input").write_bytes(data)
    return folder / "input"


def test_first_line_that_is_not_utf8_is_named_once(tmp_path: Path, notices: list[str]) -> None:
    path = file_of(tmp_path, b"+++$+++ one\ntwo\nit\x92s co\xadop\nna\xefve\n")
    lines = list(lines_of(path, notices.append))
    assert lines == [(1, "+++$+++ one"), (2, "two"), (3, "it’s co\u00adop"), (4, "naïve")]
    assert notices == [f"{path}:3: not UTF-8; this line and others like it were read as Windows-1252"]


def test_utf8_tells_nothing(tmp_path: Path, notices: list[str]) -> None:
    assert list(lines_of(file_of(tmp_path, "你好\ncafé".encode()), notices.append)) == [
        (1, "你好"),
        (2, "café"),
    ]
    assert not notices


@given(st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])))
def test_utf8_line_is_read_as_it_is(text: str) -> None:
    assert decode_line(text.encode()) == (text.removeprefix("\ufeff"), True)


@given(st.binary())
def test_any_bytes_are_some_line(data: bytes) -> None:
    text, faithful = decode_line(data)
    assert faithful or len(text) == len(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"Hello\0there\nHi\n", "no text file"),
        (bytes(range(1, 256)) * 20, "no text file"),
        ("Hello\nHi\n".encode("utf-16"), "UTF-16"),
        (LFS.encode(), "Git LFS pointer"),
        (b"../data/corpus.txt\n", "single line"),
        (b"put your corpus here", "single line"),
    ],
)
def test_what_is_no_corpus_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=said) as caught:
        head_of(file_of(tmp_path, data))
    assert caught.value.remedy


@pytest.mark.parametrize("data", [b"hello\thi", b'{"turns": ["a", "b"]}', b"a\nb", "你好\n我很好".encode()])
def test_small_corpus_is_accepted(data: bytes, tmp_path: Path) -> None:
    assert head_of(file_of(tmp_path, data)).lines


def test_nul_far_into_a_file_is_found_by_line(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"Hello\n" * 20_000 + b"\0\n")
    head_of(path)
    with pytest.raises(CorpusError, match="line 20001 holds a NUL"):
        list(lines_of(path, lambda notice: None))


def test_missing_file_and_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        head_of(tmp_path / "missing")
    with pytest.raises(CorpusError, match="is a folder"):
        head_of(tmp_path)
