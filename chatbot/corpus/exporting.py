"""A corpus in the forms that other programs read.

    jsonl      a conversation a line, as it is stored: {"id", "origin", "turns": [{"speaker", "text"}, ...]}
    tsv        a clean pair a line: the question, a tab, the reply
    parallel   two files, the questions and the replies, a line of one for a line of the other
    chatml     a clean pair a line: {"messages": [{"role": "user", "content"}, {"role": "assistant", ...}]}

A turn that comes before the question (``--context``) has the role of who said it: the one who replies is the
assistant; in a line of text it stands before the question, with a space between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from chatbot.corpus.conversation import Conversation, Pair

Record = dict[str, Any]


def conversation_records(conversations: Iterable[Conversation]) -> Iterator[Record]:
    """The objects of jsonl."""
    return (conversation.to_json() for conversation in conversations)


def chatml_records(pairs: Iterable[Pair]) -> Iterator[Record]:
    """The objects of chatml."""
    for pair in pairs:
        own = pair.own or (False,) * len(pair.src)
        said = [
            {"role": "assistant" if mine else "user", "content": text}
            for text, mine in zip(pair.src, own, strict=True)
        ]
        yield {"messages": [*said, {"role": "assistant", "content": pair.tgt}]}


def sides(pairs: Iterable[Pair]) -> Iterator[tuple[str, str]]:
    """Question and reply of each pair, each on one line and without a tab."""
    for pair in pairs:
        yield " ".join(" ".join(pair.src).split()), " ".join(pair.tgt.split())


PAIRS: dict[str, Callable[[Iterable[Pair]], Iterator[Any]]] = {
    "tsv": sides,
    "parallel": sides,
    "chatml": chatml_records,
}
"""The forms that are made of clean pairs."""

FORMS = ("jsonl", *PAIRS)
