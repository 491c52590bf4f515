"""Names of scores and alignments: one line each, nothing is registered elsewhere."""

from __future__ import annotations

from chatbot.nn.aligns import Align, GlobalAlign
from chatbot.nn.attention import Attention, NoAttention, ScoredAttention
from chatbot.nn.coverage import Coverage
from chatbot.nn.hard import HardAlign, StraightThroughAlign
from chatbot.nn.local import LocalMonotonicAlign, LocalPredictiveAlign
from chatbot.nn.multihead import MultiHeadAttention
from chatbot.nn.ntm_align import NtmAlign
from chatbot.nn.scores import (
    AdditiveScore,
    CosineScore,
    DotScore,
    GeneralScore,
    LocationScore,
    ScaledDotScore,
    Score,
)
from chatbot.nn.sizes import AttentionSizes

SCORES: dict[str, type[Score]] = {
    "additive": AdditiveScore,
    "dot": DotScore,
    "scaled-dot": ScaledDotScore,
    "general": GeneralScore,
    "cosine": CosineScore,
    "location": LocationScore,
}

ALIGNS: dict[str, type[Align]] = {
    "global": GlobalAlign,
    "local-m": LocalMonotonicAlign,
    "local-p": LocalPredictiveAlign,
    "hard": HardAlign,
    "straight-through": StraightThroughAlign,
    "ntm": NtmAlign,
}

NONE, MULTI_HEAD, GLOBAL = "none", "multi-head", "global"
"""Having no attention; attention that aligns by itself, head by head; the alignment of both."""


def build_attention(score: str, align: str, sizes: AttentionSizes, coverage: bool = False) -> Attention:
    """The attention of two names.

    Args:
        score: a name of SCORES, "multi-head" or "none".
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
    if score == MULTI_HEAD:
        if align != GLOBAL or coverage:
            raise ValueError(f"{score} aligns every head by itself, so {align} or coverage cannot do it")
        return MultiHeadAttention(sizes)
    scored = SCORES[score](sizes)
    if coverage and not scored.key:
        raise ValueError(f"{score} has no keys, so there is nothing for coverage to work on")
    covering = Coverage(scored.key) if coverage else None
    return ScoredAttention(scored, ALIGNS[align](sizes), covering)
