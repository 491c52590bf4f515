"""Files, archives and folders become parts; what is damaged, locked or a bomb is refused."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import struct
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.corpus.input.source import Part, parts_of
from chatbot.errors import CorpusError

TEXT = "".join(f"{number}: hello there, line {number * 7919 % 1009}\n" for number in range(20_000)).encode()


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return path


def read(part: Part) -> bytes:
    with part.open() as stream:
        return stream.read()


def names(folder: Path, parts: list[Part]) -> list[str]:
    return [part.name.removeprefix(f"{folder}/") for part in parts]


PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "gzip in two": gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:]),
    "zstd": zstandard.compress(TEXT),
    "zstd in two": zstandard.compress(TEXT[:1000]) + zstandard.compress(TEXT[1000:]),
    "zstd after a frame to skip": b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstandard.compress(TEXT),
}


@pytest.mark.parametrize("kind", PACKED)
def test_file_is_told_by_how_it_begins(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(PACKED[kind])
    [part] = parts_of([path])
    assert part == Part(path, "", len(PACKED[kind]))
    assert part.name == str(path)
    advances: list[int] = []
    with part.open(advances.append) as stream:
        assert stream.read(7) + stream.read() == TEXT
    assert sum(advances) == part.size


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_of_a_zip_are_parts(method: int, tmp_path: Path) -> None:
    members = {"b/_chat.txt": TEXT, "a.txt": b"hello\n", "empty.txt": b"", "b/c/d.json": b"{}"}
    path = zipped(tmp_path / "chat", members, method)
    parts = parts_of([path])
    assert names(tmp_path, parts) == ["chat/a.txt", "chat/b/_chat.txt", "chat/b/c/d.json", "chat/empty.txt"]
    advances: list[int] = []
    for part in parts:
        with part.open(advances.append) as stream:
            assert stream.read() == members[part.member]
    assert sum(advances) == sum(part.size for part in parts)


def test_two_members_can_be_read_in_turn(tmp_path: Path) -> None:
    first, second = parts_of([zipped(tmp_path / "chat.zip", {"a": TEXT, "b": TEXT[::-1]})])
    with first.open() as one, second.open() as two:
        pairs = [(one.read(999), two.read(999)) for _ in range(len(TEXT) // 999 + 1)]
    assert b"".join(a for a, _ in pairs) == TEXT
    assert b"".join(b for _, b in pairs) == TEXT[::-1]


def test_names_in_utf8_that_do_not_say_so(tmp_path: Path) -> None:
    name = "与Ann的聊天.txt"
    shown = name.encode().decode("cp437")
    assert len(shown.encode("cp437")) == len(name.encode())
    path = zipped(tmp_path / "chat.zip", {"x" * len(name.encode()): b"hello"})
    path.write_bytes(path.read_bytes().replace(b"x" * len(name.encode()), name.encode()))
    [part] = parts_of([path])
    assert part.member == name
    assert read(part) == b"hello"


def test_names_in_cp437_and_in_utf8(tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"grün.txt": b"a", "xx.txt": b"b"})
    path.write_bytes(path.read_bytes().replace(b"xx.txt", b"\x81x.txt"))
    assert [part.member for part in parts_of([path])] == ["grün.txt", "üx.txt"]


def test_media_and_hidden_members_are_no_parts(tmp_path: Path, notices: list[str]) -> None:
    members = dict.fromkeys(
        ["_chat.txt", "a.JPG", "v.opus", "b.zip", ".DS_Store", "__MACOSX/._chat.txt", "x/.git/y"], b"hello\n"
    )
    path = zipped(tmp_path / "chat.zip", members)
    assert names(tmp_path, parts_of([path], notices.append)) == ["chat.zip/_chat.txt"]
    assert notices == [f"{path}: left out: archives within the archive (1), media files (2)"]


def test_folder_is_read_to_its_depth_by_name(tmp_path: Path, notices: list[str]) -> None:
    folder = tmp_path / "export"
    for name in ("b.txt", "a/2.txt", "a/10.txt", ".hidden", ".git/x", "a/p.jpg", "a/z.gz"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(gzip.compress(b"hi") if name.endswith("gz") else b"hi")
    zipped(folder / "c.zip", {"in.txt": b"hi"})
    (tmp_path / "secret").write_bytes(b"secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    parts = parts_of([folder], notices.append)
    assert names(folder, parts) == ["a/10.txt", "a/2.txt", "a/z.gz", "b.txt", "c.zip/in.txt"]
    assert [read(part) for part in parts] == [b"hi"] * 5
    assert notices == [f"{folder}: left out: links (2), media files (1)"]


def test_folder_and_archive_without_parts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    zipped(tmp_path / "media.zip", {"a.jpg": b""})
    for name in ("empty", "media.zip"):
        with pytest.raises(CorpusError, match="holds no file that could be a conversation"):
            parts_of([tmp_path / name])


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "..\\x", "\\x", "C:\\x", "c:x"])
def test_member_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"y" * len(name): b"hi"})
    path.write_bytes(path.read_bytes().replace(b"y" * len(name), name.encode()))
    with pytest.raises(CorpusError, match="names a file outside itself"):
        parts_of([path])


def test_locked_member_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"a.txt": b"hi"})
    data = bytearray(path.read_bytes())
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + at] |= 1
    path.write_bytes(data)
    [part] = parts_of([path])
    with pytest.raises(CorpusError, match="is locked with a password"):
        read(part)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unknown_compression_is_told(method: int, tmp_path: Path) -> None:
    [part] = parts_of([zipped(tmp_path / "chat.zip", {"a.txt": b"hi"}, method)])
    with pytest.raises(CorpusError, match=f"method {method}"):
        read(part)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatbot.corpus.input.archives.MAX_MEMBERS", 3)
    path = zipped(tmp_path / "chat.zip", {f"{number}.txt": b"" for number in range(4)})
    with pytest.raises(CorpusError, match="holds 4 files, more than 3"):
        parts_of([path])


def test_missing_paths_pipes_and_devices_are_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(CorpusError, match="is a pipe or a device, which cannot be read twice"):
            parts_of([path])
        with pytest.raises(CorpusError, match="is a pipe or a device"):
            Part(path).open()
    for path in (tmp_path / "missing", tmp_path / "x\0y"):
        with pytest.raises(CorpusError):
            parts_of([path])


@pytest.mark.parametrize("kind", ["gzip", "zstd", "zip"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "followed"])
def test_damage_is_told_while_reading(kind: str, damage: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "x", {"a": TEXT})
    data = (
        path.read_bytes() if kind == "zip" else zstandard.ZstdCompressor(write_checksum=True).compress(TEXT)
    )
    data = gzip.compress(TEXT) if kind == "gzip" else data
    middle = len(data) // 2
    damaged = {
        "cut": data[:middle],
        "flipped": data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1 :],
        "followed": data + b"more",
    }
    path.write_bytes(damaged[damage])
    if (kind, damage) == ("zip", "followed"):
        assert read(parts_of([path])[0]) == TEXT  # zip archives may have a comment behind them
        return
    with pytest.raises(CorpusError, match="is damaged"):
        read(parts_of([path])[0])


def gzip_bomb(size: int) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["gzip", "zstd", "zip"])
def test_bomb_is_refused_before_it_goes_off(kind: str, tmp_path: Path) -> None:
    path, size = tmp_path / "bomb", 100 << 20
    if kind == "zip":
        zipped(path, {"a": bytes(size)})
    else:
        path.write_bytes(gzip_bomb(size) if kind == "gzip" else zstandard.compress(bytes(size)))
    with parts_of([path])[0].open() as stream:
        assert stream.read(60 << 20) == bytes(60 << 20)
        with pytest.raises(CorpusError, match="200 times as large"):
            stream.read(5 << 20)


def test_member_that_lies_about_its_size_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "chat.zip", {"a": TEXT})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<L", len(TEXT)), struct.pack("<L", 100)))
    with pytest.raises(CorpusError, match="is damaged"):
        read(parts_of([path])[0])


@settings(deadline=None, max_examples=200)
@given(
    kind=st.sampled_from(["gzip", "zstd", "zip"]),
    text=st.binary(max_size=300),
    changes=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=4),
    end=st.integers(1, 900),
)
def test_mutated_archives_are_bytes_or_a_corpus_error(
    kind: str, text: bytes, changes: list[tuple[int, int]], end: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = zipped(tmp_path_factory.mktemp("mutated") / "x", {"a.txt": text, "b/c.txt": text[::-1]})
    data = {"gzip": gzip.compress(text), "zstd": zstandard.compress(text)}.get(kind, path.read_bytes())
    mutated = bytearray(data)
    for at, value in changes:
        mutated[at % len(mutated)] = value
    path.write_bytes(mutated[:end])
    with contextlib.suppress(CorpusError):
        for part in parts_of([path]):
            read(part)
