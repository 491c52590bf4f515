"""What a checkpoint stores of trust: what it has seen, how sure it is, where its replies come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from chatbot.checkpoint import CONFIDENCE, SEEN, WHY_PAIRS, WHY_VECTORS, Checkpoint, load, update
from chatbot.config import POINTER
from chatbot.trust.confidence import Confidence
from chatbot.trust.nearest import PairIndex
from chatbot.trust.seen import Seen


@dataclass(frozen=True)
class Trust:
    """The files of a checkpoint, each read when it is needed first; None where it has none.

    Raises (while something is asked for):
        CheckpointError: a file is damaged.
    """

    checkpoint: Checkpoint | None = None

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> Trust:
        """With what every reply needs read already, so that damage is told before anything is asked.

        Raises:
            CheckpointError: a file is damaged.
        """
        trust = cls(checkpoint)
        for needed in ("seen", "confidence"):
            getattr(trust, needed)
        return trust

    @cached_property
    def seen(self) -> Seen | None:
        """The words and replies it met."""
        data = self._read(SEEN)
        return None if data is None else Seen.from_bytes(data, self._where(SEEN))

    @cached_property
    def confidence(self) -> Confidence | None:
        """How sure a reply is."""
        data = self._read(CONFIDENCE)
        return None if data is None else Confidence.from_bytes(data, self._where(CONFIDENCE))

    @cached_property
    def index(self) -> PairIndex | None:
        """Pairs it was trained on."""
        vectors, texts = self._read(WHY_VECTORS), self._read(WHY_PAIRS)
        if vectors is None or texts is None:
            return None
        return PairIndex.from_bytes(vectors, texts, self._where(WHY_VECTORS))

    def is_strange(self, question: str) -> bool:
        """Whether a question has words, and none the bot met; a pointer, which only copies, needs none."""
        copies = self.checkpoint is not None and self.checkpoint.config.model.output == POINTER
        return not copies and self.seen is not None and self.seen.is_strange(question)

    def _read(self, name: str) -> bytes | None:
        return self.checkpoint.optional(name) if self.checkpoint else None

    def _where(self, name: str) -> str:
        return str(self.checkpoint.home / name) if self.checkpoint else name


def forget_texts(folder: Path) -> bool:
    """Take the pairs and the hashes of replies out of a checkpoint; the network still knows what it learned.

    Returns:
        Whether there were any.

    Raises:
        CheckpointError: it is not complete, or damaged.
        ChatbotError: the folder cannot be written.
    """
    found = load(folder)
    seen = Trust(found).seen
    changes = {}
    if seen is not None and seen.replies is not None:
        changes[SEEN] = replace(seen, replies=None).to_bytes()
    stored = [name for name in (WHY_PAIRS, WHY_VECTORS) if found.optional(name) is not None]
    if changes or stored:
        update(folder, changes, stored)
    return bool(changes or stored)
