"""A corpus folder: what ``corpora/NAME/`` holds, written whole or not at all.

    corpus.json             origin, format, importer options, counts, hashes; written last
    conversations.jsonl     one conversation a line

The folder is written under a temporary name, ``corpus.json`` last, and then takes its own name, in the place
of an earlier one: a folder without ``corpus.json`` is not complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.records import parsed
from chatbot.errors import CorpusError
from chatbot.files import atomic_writer, new_folder, private_folder, write_atomically

META = "corpus.json"
CONVERSATIONS = "conversations.jsonl"
RECEIPTS = "receipt-*.json"
"""What was taken out of a corpus on a person's wish, a file for each time."""

_LINE = "each line must be a conversation with id, origin and turns; import the corpus again"


@dataclass(frozen=True, slots=True)
class CorpusMeta:
    """What ``corpus.json`` says.

    Args:
        origin: where the conversations come from, for people.
        format: the format they were read from; "" where they were written by hand.
        options: how the importer was told to read them and to choose pairs, by section of the options; those
            that are not named have their defaults.
        counts: messages of each kind, pairs kept and left out, what was scrubbed.
        input_sha256: of the file they were read from; "" where there was none.
        conversations, turns: how many there are; counted when written.
        languages: BCP 47 tags that occur, sorted; found when written.
        sha256: of ``conversations.jsonl``; "" when it is not known.
    """

    origin: str
    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, Any] = field(default_factory=dict)
    input_sha256: str = ""
    conversations: int = 0
    turns: int = 0
    languages: tuple[str, ...] = ()
    sha256: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object of ``corpus.json``."""
        record = {name: getattr(self, name) for name in CorpusMeta.__dataclass_fields__}
        return record | {
            "options": dict(self.options),
            "counts": dict(self.counts),
            "languages": list(self.languages),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> CorpusMeta:
        """Read the object back; fields it lacks keep their defaults, others are ignored.

        Raises:
            TypeError: a field is of another type.
        """
        known = {name: record[name] for name in CorpusMeta.__dataclass_fields__ if name in record}
        for name, value in known.items():
            if not isinstance(value, _META_TYPES[name]) or isinstance(value, bool):
                raise TypeError(f'"{name}" must be {_META_TYPES[name].__name__}, not {value!r}')
        return cls(**{"origin": ""} | known | {"languages": tuple(map(str, known.get("languages", ())))})


_META_TYPES: dict[str, type] = {
    "origin": str,
    "format": str,
    "options": dict,
    "counts": dict,
    "input_sha256": str,
    "conversations": int,
    "turns": int,
    "languages": list,
    "sha256": str,
}


class Line(NamedTuple):
    """A conversation as it is written: its JSON object, how many turns it has, its language."""

    record: bytes
    turns: int
    language: str | None


def write_corpus(folder: Path, conversations: Iterable[Conversation], meta: CorpusMeta) -> CorpusMeta:
    """Write a corpus folder, in place of an earlier one of that name, while the conversations stream by.

    Returns and raises as ``write_lines`` does.
    """
    return write_lines(folder, map(line_of, conversations), lambda: meta)


def write_lines(
    folder: Path,
    lines: Iterable[Line],
    meta: Callable[[], CorpusMeta],
    beside: Callable[[CorpusMeta], Mapping[str, bytes]] = lambda written: {},
) -> CorpusMeta:
    """Write a corpus folder of conversations that are JSON already.

    It is written under another name and takes the place of an earlier folder at once; receipts of the
    earlier one (``RECEIPTS``) are kept. When the lines raise, or the disk is full, nothing has changed.

    Args:
        meta: is called when all lines have passed.
        beside: further files of the folder, by name, when the meta is known.

    Returns:
        The meta with counts, languages and hash as written.

    Raises:
        CorpusError: there was no conversation.
        ChatbotError: the folder cannot be written.
    """
    private_folder(folder.parent)
    with new_folder(folder) as building:
        with atomic_writer(building / CONVERSATIONS) as out:
            counted = _write_lines(out, lines)
            if not counted.conversations:
                raise CorpusError(str(folder), "there is no conversation to write")
        found = {name: getattr(counted, name) for name in ("conversations", "turns", "languages", "sha256")}
        written = replace(meta(), **found)
        write_atomically(building / META, json_bytes(written.to_json()))
        earlier = {path.name: path.read_bytes() for path in sorted(folder.glob(RECEIPTS))}
        for name, data in {**earlier, **beside(written)}.items():
            write_atomically(building / name, data)
    return written


def json_bytes(record: Mapping[str, Any]) -> bytes:
    """An object as people read it, ended by a line end."""
    return json.dumps(record, ensure_ascii=False, indent=2).encode() + b"\n"


def read_conversations(folder: Path) -> Iterator[Conversation]:
    """Yield the conversations of a corpus folder while reading.

    Raises:
        CorpusError: the folder is not complete, or a line is no conversation; file and line are named.
    """
    if not is_corpus(folder):
        raise _incomplete(folder)
    path = folder / CONVERSATIONS
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if raw.strip():
                    yield _read_line(raw, f"{path}:{number}")
    except OSError as error:
        raise CorpusError(
            str(path), f"cannot be read ({error.strerror})", "import the corpus again"
        ) from None


def read_meta(folder: Path) -> CorpusMeta:
    """What a corpus folder says of itself.

    Raises:
        CorpusError: it is not complete, or its ``corpus.json`` is damaged.
    """
    path = folder / META
    try:
        record = parsed(path.read_text("utf-8"), str(path))
        return CorpusMeta.from_json(record)
    except FileNotFoundError:
        raise _incomplete(folder) from None
    except (OSError, UnicodeDecodeError, TypeError) as error:
        raise CorpusError(str(path), f"cannot be read ({error})", "import the corpus again") from None


def is_corpus(folder: Path) -> bool:
    """Whether a folder is a complete corpus."""
    try:
        return (folder / META).is_file()
    except (OSError, ValueError):  # no folder has such a name
        return False


def file_sha256(path: Path) -> str:
    """The sha256 of a file's bytes.

    Raises:
        CorpusError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(str(path), f"cannot be read ({error.strerror})", "check its permissions") from None


def line_of(conversation: Conversation) -> Line:
    """A conversation as it is written."""
    record = json.dumps(conversation.to_json(), ensure_ascii=False).encode()
    return Line(record, len(conversation.turns), conversation.language)


def paths_sha256(paths: Sequence[Path]) -> str:
    """The hash of an input: of one file its sha256, else of the names and hashes of all files and folders.

    Raises:
        CorpusError: a file cannot be read.
    """
    files = [path for named in paths for path in _files(named)]
    if files == list(paths) and len(files) == 1:
        return file_sha256(files[0])
    lines = "".join(f"{path.name} {file_sha256(path)}\n" for path in files)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _files(path: Path) -> list[Path]:
    return sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


def _write_lines(out: IO[bytes], lines: Iterable[Line]) -> CorpusMeta:
    digest = hashlib.sha256()
    count = turns = 0
    languages: set[str] = set()
    for line in lines:
        data = line.record + b"\n"
        out.write(data)
        digest.update(data)
        count += 1
        turns += line.turns
        if line.language is not None:
            languages.add(line.language)
    found = tuple(sorted(languages))
    return CorpusMeta("", conversations=count, turns=turns, languages=found, sha256=digest.hexdigest())


def _read_line(raw: bytes, where: str) -> Conversation:
    try:
        return Conversation.from_json(parsed(raw.decode("utf-8-sig"), where))
    except UnicodeDecodeError:
        raise CorpusError(where, "is not UTF-8", _LINE) from None
    except KeyError as error:
        raise CorpusError(where, f"lacks {error}", _LINE) from None
    except (TypeError, ValueError) as error:
        raise CorpusError(where, f"is no conversation ({error})", _LINE) from None


def _incomplete(folder: Path) -> CorpusError:
    what = f"is no complete corpus: it has no {META}" if folder.is_dir() else "no such corpus"
    return CorpusError(str(folder), what, "import it again, or see chatbot corpus list")
