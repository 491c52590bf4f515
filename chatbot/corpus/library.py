"""Corpora by name: one that was imported, one that is built in, or a file."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from chatbot.corpus import builtin
from chatbot.corpus.conversation import Conversation
from chatbot.corpus.decode import Notify
from chatbot.corpus.formats import FORMATS, recognise
from chatbot.corpus.identity import with_unique_ids
from chatbot.corpus.store import CONVERSATIONS, file_sha256, is_corpus, read_conversations, read_meta
from chatbot.errors import CorpusError

DEFAULT_CORPORA = ("smalltalk:english", "chatterbot:english", "chitchat")
"""What is learned from when nobody names a corpus."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Conversations that can be read as often as needed.

    Args:
        name: as it was asked for.
        origin: where the conversations come from, for people.
        sha256: of the input's bytes.
    """

    name: str
    origin: str
    sha256: str
    _read: Callable[[], Iterator[Conversation]] = field(repr=False, compare=False)

    def conversations(self) -> Iterator[Conversation]:
        """Yield the conversations while reading them.

        Raises:
            CorpusError: something in the input is wrong, or there is no conversation in it.
        """
        empty = True
        for conversation in self._read():
            empty = False
            yield conversation
        if empty:
            raise CorpusError(self.name, "holds no conversation", "see chatbot corpus list")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of ``chatbot corpus list``.

    Args:
        kind: "built-in" or "stored".
        languages: BCP 47 tags that occur; none where conversations have no tag.
        fault: why it cannot be read; "" where it can.
    """

    name: str
    kind: str
    origin: str
    conversations: int = 0
    turns: int = 0
    languages: tuple[str, ...] = ()
    fault: str = ""


def open_corpus(name_or_path: str, corpora: Path, notify: Notify) -> Corpus:
    """Find a corpus: a name under ``corpora``, a built-in one, either with ``:LANGUAGE``, or a path.

    Args:
        corpora: the folder of stored corpora; it need not exist.
        notify: is told, while reading, what is odd about the input.

    Raises:
        CorpusError: there is none of that name, or its input cannot be used.
    """
    name, _, language = name_or_path.rpartition(":")
    for found in (
        _stored(name_or_path, corpora, notify),
        _built_in(name_or_path, notify),
        _by_path(name_or_path, notify),
    ):
        if found is not None:
            return found
    every = _stored(name, corpora, notify) or _built_in(name, notify)
    if every is not None:
        return _in_language(every, language, name_or_path)
    raise _unknown(name_or_path, corpora)


def list_corpora(corpora: Path) -> list[Entry]:
    """The built-in corpora that are installed, then the stored ones, each by name."""
    built_in = list(_built_in_names())
    stored = sorted(folder.name for folder in _subfolders(corpora) if is_corpus(folder))
    entries = [_entry(name, "built-in", corpora) for name in built_in]
    return entries + [_entry(name, "stored", corpora) for name in stored if name not in built_in]


def _entry(name: str, kind: str, corpora: Path) -> Entry:
    """The counts of a corpus: those of its ``corpus.json`` where it has some, else by reading it."""
    try:
        if kind == "stored" and (meta := read_meta(corpora / name)).conversations:
            return Entry(name, kind, meta.origin, meta.conversations, meta.turns, meta.languages)
        corpus = open_corpus(name, corpora, lambda notice: None)
        conversations = turns = 0
        languages: set[str] = set()
        for conversation in corpus.conversations():
            conversations += 1
            turns += len(conversation.turns)
            languages |= {conversation.language} if conversation.language else set()
        return Entry(name, kind, corpus.origin, conversations, turns, tuple(sorted(languages)))
    except CorpusError as error:
        return Entry(name, kind, "", fault=error.what)


def _stored(name: str, corpora: Path, notify: Notify) -> Corpus | None:
    folder = corpora / name
    return _from_folder(folder, name, notify) if _is_name(name) and is_corpus(folder) else None


def _is_name(name: str) -> bool:
    """Whether a corpus can be stored under a name: no path, nothing hidden."""
    return bool(name) and not name.startswith(".") and Path(name).name == name


def _built_in(name: str, notify: Notify) -> Corpus | None:
    base, _, language = name.partition(":")
    if name == builtin.CHITCHAT:
        return Corpus(name, "chitchat-dataset", builtin.chitchat_sha256(), builtin.read_chitchat)
    if name == builtin.SMALLTALK:
        return _from_folder(builtin.smalltalk_folder(), name, notify)
    if base == builtin.CHATTERBOT and language in builtin.chatterbot_languages():
        read = partial(builtin.read_chatterbot, language, notify)
        return Corpus(name, "chatterbot-corpus", builtin.chatterbot_sha256(language), read)
    return None


def _by_path(name: str, notify: Notify) -> Corpus | None:
    """A file in a known format, or a corpus folder somewhere else."""
    path = Path(name)
    try:
        if not name or not path.exists():
            return None
    except (OSError, ValueError):
        return None
    if is_corpus(path):
        return _from_folder(path, path.name, notify)
    if not path.is_file() and not path.is_dir():
        raise CorpusError(
            name, "is a pipe or a device, which cannot be read twice", "save it to a file first"
        )
    format_name = recognise(path)
    return Corpus(
        path.name,
        f"{path.name} ({format_name})",
        file_sha256(path),
        lambda: with_unique_ids(FORMATS[format_name].read(path, notify)),
    )


def _from_folder(folder: Path, name: str, notify: Notify) -> Corpus:
    meta = read_meta(folder)
    sha256 = file_sha256(folder / CONVERSATIONS)
    if meta.sha256 and meta.sha256 != sha256:
        notify(f"{folder / CONVERSATIONS}: changed since it was imported; read as it is now")
    return Corpus(name, meta.origin or str(folder), sha256, partial(read_conversations, folder))


def _in_language(corpus: Corpus, language: str, name: str) -> Corpus:
    """The conversations of a corpus that are tagged with a language, given as name or tag."""
    tag = builtin.LANGUAGES.get(language.lower(), language).lower()

    def read() -> Iterator[Conversation]:
        other: set[str] = set()
        found = False
        for conversation in corpus.conversations():
            spoken = (conversation.language or "").lower()
            if spoken == tag or spoken.startswith(tag + "-"):
                found = True
                yield conversation
            elif spoken:
                other.add(spoken)
        if not found:
            languages = ", ".join(sorted(other)) or "its conversations have no language tags"
            raise CorpusError(name, f"no conversation in {language!r}", f"there are: {languages}")

    return Corpus(name, corpus.origin, corpus.sha256, read)


def _built_in_names() -> Iterator[str]:
    """The built-in corpora that are installed."""
    with contextlib.suppress(CorpusError):
        builtin.smalltalk_folder()
        yield builtin.SMALLTALK
    with contextlib.suppress(CorpusError):
        builtin.chitchat_file()
        yield builtin.CHITCHAT
    with contextlib.suppress(CorpusError):
        for language in builtin.chatterbot_languages():
            yield f"{builtin.CHATTERBOT}:{language}"


def _subfolders(corpora: Path) -> list[Path]:
    try:
        return [entry for entry in corpora.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    except OSError:
        return []


def _unknown(name: str, corpora: Path) -> CorpusError:
    if _is_name(name) and name in {folder.name for folder in _subfolders(corpora)}:
        return CorpusError(
            str(corpora / name), "is no complete corpus: it has no corpus.json", "import it again"
        )
    known = [*_built_in_names(), *(folder.name for folder in _subfolders(corpora))]
    near = difflib.get_close_matches(name, known, n=3)
    remedy = f"did you mean {' or '.join(near)}" if near else "see chatbot corpus list for what there is"
    return CorpusError(name, "no corpus of that name and no such file", remedy)
