"""Source: the input of an import as parts: files, decompressed files, members of archives and folders."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from chatbot.corpus.input.archives import is_zip, members_of, open_member
from chatbot.corpus.input.compressed import open_file, open_regular
from chatbot.errors import CorpusError
from chatbot.files import unreadable

MEDIA = frozenset(
    (
        *("apng", "avif", "bmp", "gif", "heic", "heif", "ico", "jpeg", "jpg", "png", "psd", "svg", "tgs"),
        *("tif", "tiff", "webp", "eps", "ttf", "otf", "woff", "woff2"),
        *("aac", "amr", "flac", "m4a", "mid", "midi", "mp3", "oga", "ogg", "opus", "wav", "weba", "wma"),
        *("3gp", "avi", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "webm", "wmv"),
        *("vcf", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "pages"),
    )
)
"""Ends of the names of files that chats send along: pictures, sound, films, cards, office papers."""
ARCHIVES = frozenset(("7z", "apk", "bz2", "gz", "jar", "rar", "tar", "tgz", "xz", "zip", "zst"))
_APPLE = "__MACOSX"


@dataclass(frozen=True, slots=True)
class Part:
    """One stream of bytes.

    Args:
        file: on the disk.
        member: its path inside an archive; "" where the file itself is the part.
        size: bytes it takes on the disk, compressed where it is, for progress.
    """

    file: Path
    member: str = ""
    size: int = 0

    @property
    def name(self) -> str:
        """For people: ``chat.zip/_chat.txt``."""
        return f"{self.file}/{self.member}" if self.member else str(self.file)

    def open(self, advance: Callable[[int], None] = lambda count: None) -> BinaryIO:
        """The bytes, decompressed while they are read.

        Args:
            advance: is told how many bytes of the disk were read.

        Raises:
            CorpusError: now or while reading: it cannot be read, is damaged, locked or a bomb.
        """
        if self.member:
            return open_member(self.file, self.member, advance)
        return open_file(self.file, self.name, advance)


def parts_of(paths: Sequence[Path], notify: Callable[[str], None] = lambda notice: None) -> list[Part]:
    """The parts of files, archives and folders, in the order of the paths, each in the order of its names.

    Hidden files, and media by their names, are no parts; nor is what is inside an archive in an archive.

    Args:
        notify: is told once what was left out.

    Raises:
        CorpusError: a path is missing, a device, or an archive that is damaged or names files outside itself;
            or there is no file in a folder or archive.
    """
    left_out: Counter[str] = Counter()
    parts: list[Part] = []
    for path in paths:
        found = list(_found(path, left_out))
        if not found:
            what = "holds no file that could be a conversation" + _told(left_out, ", only {}")
            raise CorpusError(str(path), what, "name the file that does")
        parts += found
    if left_out:
        notify(f"{', '.join(map(str, paths))}: left out{_told(left_out, ': {}')}")
    return parts


def _found(path: Path, left_out: Counter[str]) -> Iterator[Part]:
    if not os.path.isdir(path):  # false, not an error, for a path that may not be looked at
        yield from _of_file(path, left_out)
        return
    for file in _files(path, left_out):
        if _end(file.name) in MEDIA:
            left_out["media files"] += 1
        else:
            yield from _of_file(file, left_out)


def _of_file(path: Path, left_out: Counter[str]) -> Iterator[Part]:
    if not is_zip(path):
        with open_regular(path) as file:
            yield Part(path, size=os.fstat(file.fileno()).st_size)
        return
    members = members_of(path)
    for name in sorted(members):
        places = PurePosixPath(name.replace("\\", "/")).parts
        if any(place.startswith(".") or place == _APPLE for place in places):
            continue
        end = _end(name)
        if end in MEDIA:
            left_out["media files"] += 1
        elif end in ARCHIVES:
            left_out["archives within the archive"] += 1
        else:
            yield Part(path, name, members[name].compress_size)


def _end(name: str) -> str:
    return name.lower().rpartition(".")[2]


def _files(folder: Path, left_out: Counter[str]) -> Iterator[Path]:
    """The files of a folder and those below it, by name; links are not followed."""

    def failed(error: OSError) -> None:
        raise unreadable(Path(error.filename or folder), error)

    found: list[Path] = []
    for here, folders, files in os.walk(folder, onerror=failed):
        folders[:] = [name for name in folders if not name.startswith(".") and name != _APPLE]
        left_out["links"] += sum(os.path.islink(os.path.join(here, name)) for name in folders)
        for name in files:
            path = Path(here, name)
            if name.startswith("."):
                continue
            try:
                mode = path.lstat().st_mode
            except OSError as error:
                raise unreadable(path, error) from None
            if stat.S_ISREG(mode):
                found.append(path)
            else:
                left_out["links" if stat.S_ISLNK(mode) else "pipes and devices"] += 1
    left_out += Counter()
    return iter(sorted(found, key=lambda path: path.relative_to(folder).parts))


def _told(left_out: Counter[str], form: str) -> str:
    told = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(left_out.items()) if count)
    return form.format(told) if told else ""
