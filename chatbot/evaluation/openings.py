"""Everyday openings whose replies a model card shows, from ``openings.txt``."""

from __future__ import annotations

from importlib import resources


def openings() -> list[str]:
    """The openings, one a line of the file; blank lines and lines that start with # are none."""
    text = resources.files("chatbot.evaluation").joinpath("openings.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
