"""Reader: a question, and the turns before it, as the ids a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.text.extension import Extended, extend
from chatbot.text.tokenizer import UNK, Tokenizer
from chatbot.text.turns import Place, alternating, places, source_text


@dataclass(frozen=True, slots=True)
class Source:
    """What is read of a question and of the turns before it.

    Args:
        ids: never empty.
        places: where each of them is from.
        history: the earlier turns of which something is read, oldest first; the oldest may be read in part.
        truncated: the question itself is longer than what is read.
        words: of these turns, that the vocabulary lacks and a reply may hold, see ``chatbot.text.extension``.
        question: the last turn.
        text: the turns read, joined as they were encoded.
        unknown: where in ``ids`` such words stand, and the ids a reply has for them; () where it has none.
    """

    ids: tuple[int, ...]
    places: tuple[Place, ...]
    history: tuple[str, ...] = ()
    truncated: bool = False
    words: tuple[str, ...] = ()
    question: str = ""
    text: str = ""
    unknown: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads questions as training did.

    The turns before a question are joined with it as in training, each behind a separator, and of all its
    tokens the last ``max_src`` are read: what was said first is left out first, be it a part of a turn.

    Args:
        max_src: most tokens that are read.
        extends: a model reads words that the vocabulary lacks by ids of their own.
        context: of the turns before a question the last so many are read.
    """

    tokenizer: Tokenizer
    max_src: int
    extends: bool = False
    context: int = 0

    def read(self, question: str, history: Sequence[str] = ()) -> Source | None:
        """What is read; None where the question is blank.

        Args:
            history: the turns before it, oldest first, those of the one who asks and the replies in turn; the
                last is a reply. A blank one is left out.
        """
        if not (alone := self.tokenizer.encode(question, src=True)).ids:
            return None
        turns, own = self._turns(question, history)
        text = source_text(turns, own)
        whole = self.tokenizer.encode(text, src=True) if len(turns) > 1 or text != question else alone
        encoded = whole.last(self.max_src)
        where = places(turns, encoded.offsets)
        lacks = UNK in encoded.ids
        named = extend(self.tokenizer, text, encoded) if lacks else Extended(encoded.ids, encoded.offsets)
        unknown = [(place, token) for place, token in enumerate(named.ids) if token >= self.tokenizer.vocab]
        earlier = -where[0].turn
        return Source(
            named.ids if self.extends else encoded.ids,
            tuple(where),
            turns[len(turns) - 1 - earlier : -1],
            len(alone.ids) > self.max_src,
            named.words,
            question,
            text,
            tuple(unknown),
        )

    def _turns(self, question: str, history: Sequence[str]) -> tuple[tuple[str, ...], tuple[bool, ...]]:
        """The turns that are read, if there is room, and which of them are replies."""
        latest = history[max(0, len(history) - self.context) :]
        said = [(turn, own) for turn, own in zip(latest, alternating(len(latest) + 1), strict=False)]
        kept = [(turn, own) for turn, own in said if self.tokenizer.normalize(turn, src=True)]
        turns, own = zip(*kept, (question, False), strict=True)
        return turns, own
