"""Bytes become lines, whatever wrote them; what is no text is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.corpus.input import part_text
from chatbot.corpus.input.decode import head_of, head_of_part, lines_of, lines_of_part, text_of, text_of_part
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError, OptionError

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def file_of(folder: Path, data: bytes) -> Path:
    (folder / "input").write_bytes(data)
    return folder / "input"


def texts_of(path: Path, notices: list[str], encoding: str = "") -> list[str]:
    return [line for _, line in lines_of_part(Part(path), notices.append, encoding)]


def naive_lines(text: str) -> list[str]:
    """The lines of a text by the three ends, the plain way."""
    lines = re.split("\r\n|\r|\n", text)
    return lines if lines[-1] else lines[:-1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "input"


def test_lines_that_are_not_utf8_are_named_once(tmp_path: Path, notices: list[str]) -> None:
    path = file_of(tmp_path, b"+++$+++ one\ntwo\nit\x92s co\xadop\nna\xefve\n")
    lines = list(lines_of(path, notices.append))
    assert lines == [(1, "+++$+++ one"), (2, "two"), (3, "it’s co\u00adop"), (4, "naïve")]
    assert notices == [f"{path}:3: not UTF-8; 2 lines were read as Windows-1252"]


def test_bytes_that_windows_1252_lacks_are_latin1(path: Path, notices: list[str]) -> None:
    path.write_bytes(b"d\xe9j\xe0 vu au caf\xe9 \x81 hier\n")
    assert texts_of(path, notices) == ["déjà vu au café \x81 hier"]


def test_one_line_of_gb18030_among_utf8(path: Path, notices: list[str]) -> None:
    lines = ["早上好\t你也好", "你好吗\t我很好", "再见\t明天见"]
    path.write_bytes(b"\n".join([lines[0].encode(), lines[1].encode("gb18030"), lines[2].encode()]))
    assert texts_of(path, notices) == lines
    assert notices == [f"{path}:2: not UTF-8; 1 line was read as GB 18030"]


def test_latin_lines_among_utf8(path: Path, notices: list[str]) -> None:
    lines = ["Ann: schöne Grüße", "Ben: na, schöner Mist", "Ann: Äpfel", "Ben: Ah, süß"]
    raw = [line.encode("cp1252" if at % 2 else "utf-8") for at, line in enumerate(lines)]
    path.write_bytes(b"\r\n".join(raw * 50))
    assert texts_of(path, notices) == lines * 50
    assert notices == [f"{path}:2: not UTF-8; 100 lines were read as Windows-1252"]


@pytest.mark.parametrize(
    ("encoding", "lines", "shown"),
    [
        ("cp1251", ["Привет, как дела?", "Хорошо, а ты?", "Пойдём гулять"], "Windows-1251"),
        ("shift_jis", ["こんにちは", "元気ですか。", "はい、元気です"], "Shift-JIS"),
        ("euc_kr", ["안녕하세요", "네, 반가워요"], "EUC-KR"),
        ("big5", ["你好嗎", "我很好，謝謝你"], "Big5"),
    ],
)
def test_file_in_an_older_encoding(
    encoding: str, lines: list[str], shown: str, path: Path, notices: list[str]
) -> None:
    path.write_bytes("\n".join(lines).encode(encoding))
    assert texts_of(path, notices) == lines
    assert notices == [f"{path}:1: not UTF-8; {len(lines)} lines were read as {shown}"]
    assert head_of(path).lines == tuple(lines)


def test_short_line_that_could_be_utf8_is_read_as_its_neighbours(path: Path, notices: list[str]) -> None:
    odd = "猫".encode("gb18030")
    assert odd.decode("utf-8") == "è"
    path.write_bytes("\n".join(["你好吗", "我很好", "今天下午去哪里玩"]).encode("gb18030") + b"\n" + odd)
    assert texts_of(path, notices)[-1] == "猫"


def test_utf8_that_was_cut_stays_utf8(path: Path, notices: list[str]) -> None:
    path.write_bytes("今天下午去哪里玩".encode()[:-1] + b"\nbye\n")
    assert texts_of(path, notices) == ["今天下午去哪里\ufffd", "bye"]
    assert notices == [f"{path}:1: 1 place that is no utf-8 became U+FFFD"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_unicode_of_any_width(encoding: str, path: Path, notices: list[str]) -> None:
    lines = ["Ann: hello", "Ben: 你好 😀", "", "Ann: bye\u2028still\x0bhere\x85."]
    path.write_bytes("\r\n".join(lines).encode(encoding))
    assert texts_of(path, notices) == lines
    assert head_of(path).lines == (*lines[:2], lines[3])
    assert notices == ([] if encoding == "utf-8-sig" else [f"{path}: read as {encoding.upper()[:6]}"])


def test_utf8_tells_nothing(path: Path, notices: list[str]) -> None:
    path.write_bytes("你好\ncafé".encode())
    assert list(lines_of(path, notices.append)) == [(1, "你好"), (2, "café")]
    assert not notices


def test_encoding_that_is_asked_for_is_obeyed(path: Path, notices: list[str]) -> None:
    path.write_bytes("naïve\n¿qué?\n".encode("cp1252"))
    assert texts_of(path, notices, "cp1251") == ["naпve", "їquй?"]
    assert texts_of(path, notices, "utf-8") == ["na\ufffdve", "\ufffdqu\ufffd?"]
    assert notices == [f"{path}:1: 3 places that are no utf-8 became U+FFFD"]
    assert head_of_part(Part(path), "cp1251").lines == ("naпve", "їquй?")


def test_unknown_encoding_is_refused(path: Path, notices: list[str]) -> None:
    path.write_bytes(b"a\nb\n")
    with pytest.raises(OptionError, match="no encoding 'klingon'"):
        texts_of(path, notices, "klingon")
    with pytest.raises(OptionError):
        head_of_part(Part(path), "klingon")


@settings(deadline=None)
@given(
    text=st.text(st.sampled_from("ab\r\n\x0b\x0c\x85\u2028é你😀\ufeff"), max_size=60),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32", "utf-16-le"]),
    block=st.integers(1, 7),
)
def test_lines_are_those_of_the_plain_way(
    text: str, encoding: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "input"
    path.write_bytes(text.encode(encoding))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(part_text, "BLOCK_BYTES", block)
        found = [line for _, line in lines_of_part(Part(path), lambda notice: None, encoding)]
    assert found == [line.removeprefix("\ufeff") for line in naive_lines(text.removeprefix("\ufeff"))]


@given(lines=st.lists(st.text(st.characters(exclude_characters="\r\n\0\ufeff", exclude_categories=["Cs"]))))
def test_text_is_its_lines(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = file_of(tmp_path_factory.mktemp("text"), "".join(line + "\r" for line in lines).encode())
    assert text_of_part(Part(path), lambda notice: None, "utf-8") == "".join(line + "\n" for line in lines)


def test_choice_does_not_hang_on_where_blocks_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(("早上好\n" * 50).encode() + ("Привет, как дела?\nНормально\n" * 50).encode("cp1251"))
    whole = [line for _, line in lines_of(path, lambda notice: None)]
    monkeypatch.setattr(part_text, "BLOCK_BYTES", 100)
    assert [line for _, line in lines_of(path, lambda notice: None)] == whole
    assert whole[-2:] == ["Привет, как дела?", "Нормально"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\xff\xfe", "is empty"),
        (b"Hello\0there\nHi\n", "no text file"),
        (bytes(range(1, 256)) * 20, "no text file"),
        (LFS.encode(), "Git LFS pointer"),
        (LFS.encode("utf-16"), "Git LFS pointer"),
        (b"../data/corpus.txt\n", "single line"),
        (b"put your corpus here", "single line"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "7-Zip file, which is not opened"),
        (b"\0" * 257 + b"ustar\x00", "tar file, which is not opened"),
    ],
)
def test_what_is_no_corpus_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=said) as caught:
        head_of(file_of(tmp_path, data))
    assert caught.value.remedy


@pytest.mark.parametrize("data", [b"hello\thi", b'{"turns": ["a", "b"]}', b"a\nb", "你好\n我很好".encode()])
def test_small_corpus_is_accepted(data: bytes, tmp_path: Path) -> None:
    assert head_of(file_of(tmp_path, data)).lines


@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize("encoding", ["utf-8", "cp1251", "gb18030", "utf-16"])
def test_head_ends_with_a_whole_character(encoding: str, shift: int, path: Path) -> None:
    word = (
        "Привет как дела "
        if encoding == "cp1251"
        else "你好吗我很好😀"
        if encoding != "gb18030"
        else "你好吗我很好"
    )
    path.write_bytes(("x" * shift + "\n" + word * 20_000).encode(encoding))
    assert re.fullmatch(
        f"({word})*", head_of(path).lines[-1] + word[len(head_of(path).lines[-1]) % len(word) :]
    )


def test_nul_far_into_a_file_is_found_by_line(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"Hello\r\n" * 200_000 + b"\0\n")
    head_of(path)
    with pytest.raises(CorpusError, match="line 200001 holds a NUL"):
        list(lines_of(path, lambda notice: None))


@pytest.mark.parametrize("encoding", ["", "utf-8"])
def test_endless_line_is_named_and_not_held(encoding: str, path: Path) -> None:
    path.write_bytes(b"a\nb\n" + b"x" * (20 << 20))
    with pytest.raises(CorpusError, match="input:3: a line is longer than 16 MB"):
        list(lines_of_part(Part(path), lambda notice: None, encoding))


def test_long_line_is_read(path: Path, notices: list[str]) -> None:
    path.write_bytes(b"a\n" + b"x" * (5 << 20) + b"\nb")
    assert [len(text) for text in texts_of(path, notices)] == [1, 5 << 20, 1]


def test_text_that_is_too_large_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatbot.corpus.input.decode.TEXT_BYTES", 100)
    path.write_bytes(b"1234567\n" * 20)
    with pytest.raises(CorpusError, match="is larger than"):
        text_of(path, lambda notice: None)


def test_missing_file_and_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        head_of(tmp_path / "missing")
    with pytest.raises(CorpusError, match="is a folder"):
        head_of(tmp_path)
