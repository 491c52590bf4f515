"""Names of scores and alignments: one line each, nothing is registered elsewhere."""

from __future__ import annotations

from chatbot.nn.aligns import Align, GlobalAlign
from chatbot.nn.attention import Attention, NoAttention
from chatbot.nn.scores import AdditiveScore, DotScore, GeneralScore, ScaledDotScore, Score

SCORES: dict[str, type[Score]] = {
    "additive": AdditiveScore,
    "dot": DotScore,
    "scaled-dot": ScaledDotScore,
    "general": GeneralScore,
}

ALIGNS: dict[str, type[Align]] = {
    "global": GlobalAlign,
}

NONE = "none"
"""The name of having no attention."""


def build_attention(score: str, align: str, query: int, value: int) -> Attention | NoAttention:
    """The attention of two names.

    Args:
        score: a name of SCORES, or "none".
        align: a name of ALIGNS.
        query, value: sizes of the decoder's state and of the encoder's outputs.

    Raises:
        KeyError: no such name.
        ValueError: the sizes do not fit the score.
    """
    if score == NONE:
        return NoAttention()
    return Attention(SCORES[score](query, value), ALIGNS[align]())
