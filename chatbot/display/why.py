"""Where a reply comes from, in words, one line for each thing there is to say.

confidence 0.62
word for word a reply of the training data
0.93  how are you?  ->  I'm doing well, thank you.
"""

from __future__ import annotations

from chatbot.display.reply import ShownReply
from chatbot.display.text import printable

INDENT, ARROW = "  ", "  ->  "


def why_lines(reply: ShownReply) -> list[str]:
    """The lines to stand under a reply; none where nothing of it was asked for."""
    why = reply.why
    if why is None or not reply.text:
        return []
    lines = [] if reply.confidence is None else [f"confidence {reply.confidence:.2f}"]
    if reply.fallback:
        lines.append(_fallback(reply.confidence))
    elif why.verbatim is not None:
        lines.append(f"{'' if why.verbatim else 'not '}word for word a reply of the training data")
    lines += [
        f"{pair.similarity:5.2f}  {printable(pair.question)}{ARROW}{printable(pair.reply)}"
        for pair in why.pairs
    ]
    return [INDENT + line for line in lines] or [
        f"{INDENT}this checkpoint keeps nothing of its training data"
    ]


def _fallback(confidence: float | None) -> str:
    if confidence is None:
        return "the fallback: no word of the question was met in training"
    return "the fallback: the confidence is below the threshold"
