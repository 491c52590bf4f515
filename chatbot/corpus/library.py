"""Corpora by name: one that was imported, one that is built in, or a file."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from chatbot.corpus import builtin
from chatbot.corpus.conversation import Conversation
from chatbot.corpus.formats import nltk_corpora
from chatbot.corpus.identity import with_unique_ids
from chatbot.corpus.importing import Import, shown_name
from chatbot.corpus.input.decode import Notify
from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.corpus.shards import scrub
from chatbot.corpus.store import (
    CONVERSATIONS,
    CorpusMeta,
    file_sha256,
    is_corpus,
    read_conversations,
    read_meta,
)
from chatbot.errors import CorpusError

DEFAULT_CORPORA = ("smalltalk:english", "chatterbot:english", "chitchat")
"""What is learned from when nobody names a corpus."""


CURATED = {"near_duplicates": True, "echoes": True}
"""Options of the built-in corpora: somebody looked through them, and their variants are meant."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Conversations that can be read as often as needed.

    Args:
        name: as it was asked for.
        origin: where the conversations come from, for people.
        sha256: of the input's bytes.
        chosen: options of choosing pairs that belong to the corpus, by name: those it was added with.
        reading: how a file is read; None where the corpus is no file.
        format: what it was read from; "" where it is built in or was written by hand.
    """

    name: str
    origin: str
    sha256: str
    _read: Callable[[], Iterator[Conversation]] = field(repr=False, compare=False)
    chosen: Mapping[str, Any] = field(default_factory=dict)
    reading: ReadingOptions | None = None
    format: str = ""

    def options(self, wanted: DataOptions) -> DataOptions:
        """Which pairs are wanted: what the corpus was added with, unless ``wanted`` says something else.

        An option of ``wanted`` says something when it has not its default value.
        """
        usual = dataclasses.asdict(DataOptions())
        said = {name: value for name, value in dataclasses.asdict(wanted).items() if value != usual[name]}
        return DataOptions(**{**usual, **self.chosen, **said})

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


def open_corpus(
    name_or_path: str, corpora: Path, notify: Notify, reading: ReadingOptions | None = None
) -> Corpus:
    """Find a corpus: a name under ``corpora``, a built-in one, either with ``:LANGUAGE``, or a path.

    Args:
        corpora: the folder of stored corpora; it need not exist.
        notify: is told, while reading, what is odd about the input.
        reading: how a file is read.

    Raises:
        CorpusError: there is none of that name, or its input cannot be used.
    """
    name, _, language = name_or_path.rpartition(":")
    for found in (
        _stored(name_or_path, corpora, notify),
        _built_in(name_or_path, notify),
        _by_path(name_or_path, notify, reading or ReadingOptions()),
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


def stored_folder(name: str, corpora: Path) -> Path:
    """The folder of a stored corpus, complete or not.

    Raises:
        CorpusError: there is none of that name under ``corpora``, or it is built in.
    """
    folder = corpora / name
    if is_name(name) and folder.is_dir():
        return folder
    if is_built_in(name):
        raise CorpusError(name, "is built in, not stored", "only corpora that were added can be changed")
    raise _unknown(name, corpora)


def is_built_in(name: str) -> bool:
    """Whether a name, or the part of it before a colon, is that of a built-in corpus."""
    return name.partition(":")[0] in builtin.NAMES


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
    return _from_folder(folder, name, notify) if is_name(name) and is_corpus(folder) else None


def is_name(name: str) -> bool:
    """Whether a corpus can be stored under a name: no path, nothing hidden."""
    return bool(name) and not name.startswith(".") and Path(name).name == name


def _built_in(name: str, notify: Notify) -> Corpus | None:
    base, _, language = name.partition(":")
    if name == builtin.CHITCHAT:
        return Corpus(name, "chitchat-dataset", builtin.chitchat_sha256(), builtin.read_chitchat, CURATED)
    if name == builtin.SMALLTALK:
        return _from_folder(builtin.smalltalk_folder(), name, notify)
    if base == builtin.NLTK and language:
        return Corpus(name, name, builtin.nltk_sha256(language), partial(builtin.read_nltk, language, notify))
    if base == builtin.CHATTERBOT and language in builtin.chatterbot_languages():
        read = partial(builtin.read_chatterbot, language, notify)
        return Corpus(name, "chatterbot-corpus", builtin.chatterbot_sha256(language), read, CURATED)
    return None


def _by_path(name: str, notify: Notify, reading: ReadingOptions) -> Corpus | None:
    """A file, archive or folder in a known format, or a corpus folder somewhere else."""
    path = Path(name)
    try:
        if not name or not path.exists():
            return None
    except (OSError, ValueError):
        return None
    return _from_folder(path, path.name, notify) if is_corpus(path) else open_files([path], notify, reading)


def open_files(paths: Sequence[Path], notify: Notify, reading: ReadingOptions) -> Corpus:
    """Files as a corpus that is not stored: read anew each time it is used.

    Args:
        paths: none where the options name two parallel files.

    Raises:
        CorpusError: an input is missing, no text or in no known format.
        OptionError: the options make no sense.
    """
    imported = Import(paths, reading, notify)
    scrubber = imported.scrubber

    def read() -> Iterator[Conversation]:
        found = imported.conversations()
        if scrubber is not None:
            found = (scrub(conversation, scrubber)[0] for conversation in found)
        empty = True
        for conversation in with_unique_ids(found):
            empty = False
            yield conversation
        if empty:
            raise CorpusError(
                ", ".join(map(str, imported.paths)), imported.nothing(), "see chatbot corpus formats"
            )

    name = imported.format if reading.scrub else shown_name(imported.paths[0])
    return Corpus(name, imported.origin, imported.sha256(), read, {}, reading, imported.format)


def _from_folder(folder: Path, name: str, notify: Notify) -> Corpus:
    meta = read_meta(folder)
    sha256 = file_sha256(folder / CONVERSATIONS)
    if meta.sha256 and meta.sha256 != sha256:
        notify(f"{folder / CONVERSATIONS}: changed since it was imported; read as it is now")
    read = partial(read_conversations, folder)
    return Corpus(name, meta.origin or str(folder), sha256, read, _chosen(folder, meta), format=meta.format)


def _chosen(folder: Path, meta: CorpusMeta) -> Mapping[str, Any]:
    """The options of choosing pairs that a corpus was added with.

    Raises:
        CorpusError: there are none of those names and types.
    """
    chosen = meta.options.get("data", {})
    known = {each.name: type(each.default) for each in dataclasses.fields(DataOptions)}
    if not isinstance(chosen, dict) or any(
        type(value) is not known.get(name) for name, value in chosen.items()
    ):
        raise CorpusError(str(folder), "corpus.json has options of another version", "add the corpus again")
    return chosen


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

    return dataclasses.replace(corpus, name=name, _read=read)


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
    for corpus in nltk_corpora.names():
        yield f"{builtin.NLTK}:{corpus}"


def _subfolders(corpora: Path) -> list[Path]:
    try:
        return [entry for entry in corpora.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    except OSError:
        return []


def _unknown(name: str, corpora: Path) -> CorpusError:
    if is_name(name) and name in {folder.name for folder in _subfolders(corpora)}:
        return CorpusError(
            str(corpora / name), "is no complete corpus: it has no corpus.json", "import it again"
        )
    known = [*_built_in_names(), *(folder.name for folder in _subfolders(corpora))]
    near = difflib.get_close_matches(name, known, n=3)
    remedy = f"did you mean {' or '.join(near)}" if near else "see chatbot corpus list for what there is"
    return CorpusError(name, "no corpus of that name and no such file", remedy)
