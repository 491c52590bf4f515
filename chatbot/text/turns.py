"""Turns: the text of a question that several turns were said before.

A single turn is itself. Before each of several stands a separator that says who spoke, so that a network
can tell the one it answers from the one it answers for:

    ("how are you", "fine", "really?"), own (False, True, False)
    -> "\\ue000 how are you \\ue001 fine \\ue000 really?"

Separators are private-use characters, and each is one token of every tokenizer that learned from them.
"""

from __future__ import annotations

from collections.abc import Sequence

OTHER, OWN = "\ue000", "\ue001"
"""In front of what somebody else said, and of what the one who replies said before."""

SEPARATORS = (OTHER, OWN)

_TYPED = str.maketrans(dict.fromkeys(SEPARATORS, "\ufffd"))


def source_text(src: Sequence[str], own: Sequence[bool] = ()) -> str:
    """The turns before a reply as one text, oldest first.

    Args:
        own: which of them were said by the one who replies; () where none was.
    """
    if len(src) == 1:
        return typed(src[0])
    spoken = own or (False,) * len(src)
    return " ".join(f"{SEPARATORS[mine]} {typed(text)}" for text, mine in zip(src, spoken, strict=True))


def typed(text: str) -> str:
    """What somebody typed, with U+FFFD for each separator, so that nobody can forge one.

    The length does not change.
    """
    return text.translate(_TYPED) if has_separator(text) else text


def has_separator(text: str) -> bool:
    """Whether there is a separator in a text."""
    return OTHER in text or OWN in text
