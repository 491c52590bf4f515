"""A corpus folder: what ``corpora/NAME/`` holds, written whole or not at all.

    corpus.json             origin, format, importer options, counts, hashes; written last
    conversations.jsonl     one conversation a line

Both files are written under temporary names first and renamed one after the other, ``corpus.json``
last: a folder without it is not complete.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.formats.jsonl import parsed
from chatbot.errors import CorpusError
from chatbot.files import atomic_writer, private_folder

META = "corpus.json"
CONVERSATIONS = "conversations.jsonl"

_LINE = "each line must be a conversation with id, origin and turns; import the corpus again"


@dataclass(frozen=True, slots=True)
class CorpusMeta:
    """What ``corpus.json`` says.

    Args:
        origin: where the conversations come from, for people.
        format: the format they were read from; "" where they were written by hand.
        options: how the importer was told to read them.
        input_sha256: of the file they were read from; "" where there was none.
        conversations, turns: how many there are; counted when written.
        languages: BCP 47 tags that occur, sorted; found when written.
        sha256: of ``conversations.jsonl``; "" when it is not known.
    """

    origin: str
    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    input_sha256: str = ""
    conversations: int = 0
    turns: int = 0
    languages: tuple[str, ...] = ()
    sha256: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object of ``corpus.json``."""
        record = {name: getattr(self, name) for name in CorpusMeta.__dataclass_fields__}
        return record | {"options": dict(self.options), "languages": list(self.languages)}

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
    "input_sha256": str,
    "conversations": int,
    "turns": int,
    "languages": list,
    "sha256": str,
}


def write_corpus(folder: Path, conversations: Iterable[Conversation], meta: CorpusMeta) -> CorpusMeta:
    """Write a corpus folder, in place of an earlier one of that name, while the conversations stream by.

    When they raise, or the disk is full, an earlier corpus stays whole and a new folder is taken away.

    Returns:
        The meta with counts, languages and hash as written.

    Raises:
        CorpusError: there was no conversation.
        ChatbotError: the folder cannot be written.
    """
    existed = folder.exists()
    private_folder(folder)
    try:
        with atomic_writer(folder / META) as meta_file:
            with atomic_writer(folder / CONVERSATIONS) as out:
                written = _write_lines(out, conversations, meta)
                if not written.conversations:
                    raise CorpusError(str(folder), "there is no conversation to write")
            meta_file.write(json.dumps(written.to_json(), ensure_ascii=False, indent=2).encode() + b"\n")
    except BaseException:
        if not existed:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    return written


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


def _write_lines(out: IO[bytes], conversations: Iterable[Conversation], meta: CorpusMeta) -> CorpusMeta:
    digest = hashlib.sha256()
    count = turns = 0
    languages: set[str] = set()
    for conversation in conversations:
        line = json.dumps(conversation.to_json(), ensure_ascii=False).encode() + b"\n"
        out.write(line)
        digest.update(line)
        count += 1
        turns += len(conversation.turns)
        if conversation.language is not None:
            languages.add(conversation.language)
    found = tuple(sorted(languages))
    return replace(meta, conversations=count, turns=turns, languages=found, sha256=digest.hexdigest())


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
