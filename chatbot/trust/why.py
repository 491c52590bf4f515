"""Why: where a reply comes from."""

from __future__ import annotations

from dataclasses import dataclass

from chatbot.trust.nearest import Nearest


@dataclass(frozen=True, slots=True)
class Why:
    """What of the training data a reply can be traced to.

    Args:
        pairs: the training pairs whose questions are nearest to the one asked, nearest first; () where the
            checkpoint keeps none.
        verbatim: the reply is word for word a training reply, but for case and spaces; None where the
            checkpoint does not know.
    """

    pairs: tuple[Nearest, ...]
    verbatim: bool | None
