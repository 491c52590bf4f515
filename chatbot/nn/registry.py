"""Names of scores and alignments: one line each, nothing is registered elsewhere."""

from __future__ import annotations

from chatbot.nn.aligns import Align, GlobalAlign
from chatbot.nn.attention import Attention, NoAttention, ScoredAttention
from chatbot.nn.coverage import Coverage
from chatbot.nn.scores import AdditiveScore, DotScore, GeneralScore, ScaledDotScore, Score
from chatbot.nn.sizes import AttentionSizes

SCORES: dict[str, type[Score]] = {
    "additive": AdditiveScore,
    "dot": DotScore,
    "scaled-dot": ScaledDotScore,
    "general": GeneralScore,
}

ALIGNS: dict[str, type[Align]] = {
    "global": GlobalAlign,
}

NONE, MULTI_HEAD, GLOBAL = "none", "multi-head", "global"
"""Having no attention; attention that aligns by itself, head by head; the alignment of both."""


def build_attention(score: str, align: str, sizes: AttentionSizes, coverage: bool = False) -> Attention:
    """The attention of two names.

    Args:
        score: a name of SCORES, or "none".
        align: a name of ALIGNS.
        coverage: scores know what was looked at before.

    Raises:
        KeyError: no such name.
        ValueError: the two, or the sizes, do not fit.
    """
    if score == NONE:
        if align != GLOBAL or coverage:
            raise ValueError(f"{score} looks nowhere, so there is nothing for {align} or coverage to work on")
        return NoAttention(sizes.value)
    scored = SCORES[score](sizes)
    covering = Coverage(scored.key) if coverage else None
    return ScoredAttention(scored, ALIGNS[align](sizes), covering)
