"""Forgetting: a person's turns are taken out of a corpus, and a receipt says so.

Whoever answered one of those turns answers nobody any more; no other pair changes.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chatbot.corpus.conversation import NOBODY, Conversation, Turn
from chatbot.corpus.identity import UniqueIds, content_id
from chatbot.corpus.store import (
    CONVERSATIONS,
    RECEIPTS,
    CorpusMeta,
    file_sha256,
    json_bytes,
    line_of,
    read_conversations,
    read_meta,
    write_lines,
)
from chatbot.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was taken out of a corpus.

    Args:
        corpus: its name.
        speaker: whose turns.
        time: when, ISO 8601 in UTC.
        turns, conversations: how many turns were taken out, of how many conversations.
        still_named: turns of others that name the speaker; they stay.
        sha256_before, sha256_after: of ``conversations.jsonl``.
        checkpoints: those that were trained on the corpus as it was; they still know what they learned.
    """

    corpus: str
    speaker: str
    time: str
    turns: int
    conversations: int
    still_named: int
    sha256_before: str
    sha256_after: str
    checkpoints: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object of a receipt's file."""
        return dataclasses.asdict(self) | {"checkpoints": list(self.checkpoints)}


def forget(
    folder: Path, speaker: str, trained_on: Callable[[frozenset[str]], Sequence[str]]
) -> tuple[Receipt, Path]:
    """Take a speaker's turns out of a corpus folder.

    Args:
        trained_on: which checkpoints were trained on a corpus of one of some hashes.

    Returns:
        The receipt and its file.

    Raises:
        CorpusError: nobody of that name speaks, or nothing would be left; the corpus is as it was.
        ChatbotError: the folder cannot be written.
    """
    meta, removal = read_meta(folder), _Removal(speaker)
    before = file_sha256(folder / CONVERSATIONS)
    time = datetime.now(UTC)
    name = f"receipt-{time:%Y%m%dT%H%M%S%fZ}.json"
    found: list[Receipt] = []

    def receipts(written: CorpusMeta) -> dict[str, bytes]:
        receipt = Receipt(
            folder.name,
            speaker,
            time.isoformat(timespec="seconds"),
            removal.turns,
            removal.conversations,
            removal.still_named,
            before,
            written.sha256,
            tuple(trained_on(known_hashes(folder) | {before})),
        )
        found.append(receipt)
        return {name: json_bytes(receipt.to_json())}

    lines = map(line_of, removal.of(read_conversations(folder)))
    write_lines(folder, removal.checked(lines, folder), lambda: meta, receipts)
    return found[0], folder / name


def known_hashes(folder: Path) -> frozenset[str]:
    """The hashes that a corpus has had: what it says of itself, and what its receipts say."""
    found = {read_meta(folder).sha256}
    for path in folder.glob(RECEIPTS):
        try:
            record = json.loads(path.read_bytes())
            found |= {record["sha256_before"], record["sha256_after"]}
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return frozenset(digest for digest in found if isinstance(digest, str) and digest)


class _Removal:
    """Takes a speaker's turns out of conversations and counts."""

    def __init__(self, speaker: str) -> None:
        self._speaker = speaker
        self._named = re.compile(rf"(?<!\w){re.escape(speaker)}(?!\w)", re.IGNORECASE)
        self._speakers: Counter[str] = Counter()
        self.turns = self.conversations = self.still_named = 0

    def of(self, conversations: Iterator[Conversation]) -> Iterator[Conversation]:
        """The conversations without the turns."""
        ids = UniqueIds()
        for conversation in conversations:
            self._speakers.update(turn.speaker for turn in conversation.turns)
            taken = sum(turn.speaker == self._speaker for turn in conversation.turns)
            self.turns += taken
            self.conversations += bool(taken)
            rest = without(conversation, self._speaker) if taken else conversation
            if rest is not None:
                self.still_named += sum(bool(self._named.search(turn.text)) for turn in rest.turns)
                yield dataclasses.replace(rest, id=ids.unique(rest.id))

    def checked(self, lines: Iterator[Any], folder: Path) -> Iterator[Any]:
        """The lines; at their end it must be true that somebody was forgotten and something is left."""
        left = 0
        for line in lines:
            left += 1
            yield line
        if not self.turns:
            near = difflib.get_close_matches(self._speaker, self._speakers, n=3, cutoff=0.4)
            most = near or [name for name, _ in self._speakers.most_common(3)]
            remedy = "speakers are for example " + ", ".join(map(repr, most))
            raise CorpusError(str(folder), f"nobody is called {self._speaker!r}", remedy)
        if not left:
            what = f"nobody but {self._speaker!r} speaks: nothing would be left"
            raise CorpusError(str(folder), what, f"chatbot corpus remove {folder.name}")


def without(conversation: Conversation, speaker: str) -> Conversation | None:
    """A conversation without a speaker's turns, under a new id; None where nothing is left.

    Whoever answered one of them answers nobody now.
    """
    left = [at for at, turn in enumerate(conversation.turns) if turn.speaker != speaker]
    if not left:
        return None
    places = {at: place for place, at in enumerate(left)}
    turns = tuple(_renumbered(conversation.turns, at, places) for at in left)
    return dataclasses.replace(conversation, id=content_id(turn.text for turn in turns), turns=turns)


def _renumbered(turns: Sequence[Turn], at: int, places: Mapping[int, int]) -> Turn:
    turn = turns[at]
    answered = at - 1 if turn.to is None else turn.to
    to = places.get(answered, NOBODY)
    return dataclasses.replace(turn, to=None if turn.to is None and to == places[at] - 1 else to)
