"""The picture of lengths.py: BLEU against source length, a line for each attention.

Lines differ in brightness, dash and marker, so that they can be told apart in grey and by everybody; the
colours are of Okabe and Ito 2008, "Color Universal Design".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

STYLES = (
    ("#D55E00", "--", "s"),
    ("#0072B2", "-", "o"),
    ("#009E73", "-.", "^"),
    ("#000000", ":", "D"),
    ("#CC79A7", (0, (6, 1, 1, 1, 1, 1)), "v"),
)


def draw(curves: Mapping[str, Sequence[tuple[float, float]]], buckets: Sequence[str], out: Path) -> str:
    """Write lengths.png and lengths.svg.

    Args:
        curves: by attention, (mean source words, BLEU) a bucket.
        buckets: what each point stands for, as "11-15".

    Returns:
        A line for people: where they are, or why there are none.
    """
    try:
        import matplotlib
    except ImportError:
        return "no plot: matplotlib is not installed (pip install matplotlib)"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    for (name, points), (colour, dash, marker) in zip(curves.items(), STYLES * len(curves), strict=False):
        label = "no attention" if name == "none" else name
        axes.plot(*zip(*points, strict=True), color=colour, linestyle=dash, marker=marker, label=label)
    places = [words for words, _ in next(iter(curves.values()))]
    axes.set_xticks(places, buckets)
    axes.set_xlabel("source length in words")
    axes.set_ylabel("BLEU")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    for suffix in ("png", "svg"):
        figure.savefig(out / f"lengths.{suffix}", dpi=150)
    pyplot.close(figure)
    return f"plot: {out / 'lengths.png'}, {out / 'lengths.svg'}"
