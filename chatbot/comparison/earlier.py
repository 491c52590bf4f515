"""What an earlier call of the same comparison left of a variant."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from pathlib import Path

from chatbot.checkpoint import Checkpoint, is_complete, load
from chatbot.comparison.variant import Variant, differences, trained_as
from chatbot.config import Config
from chatbot.errors import CheckpointError, OptionError
from chatbot.training.request import has_state, read_run

ENDED = {"done", "early stop"}
"""How a run ends that has nothing left to do."""


class Standing(Enum):
    """How far a variant is."""

    NEW = "new"
    BEGUN = "begun"
    TRAINED = "trained"


def standing(folder: Path, variant: Variant, hashes: Collection[str]) -> Standing:
    """How far the variant in a folder is.

    Args:
        hashes: sha256 of each corpus of the comparison.

    Raises:
        OptionError: what is there was trained with other options or on other data.
        CheckpointError: it is damaged and cannot be gone on with.
    """
    begun = has_state(folder)
    found = _load(folder, begun) if is_complete(folder) else None
    if found:
        _check_options(folder, found.config, variant.config)
        _check_data(folder, found, hashes)
        if found.record.get("ended") in ENDED:
            return Standing.TRAINED
    if begun:
        _check_options(folder, read_run(folder).config, variant.config)
    return Standing.BEGUN if begun else Standing.NEW


def _load(folder: Path, begun: bool) -> Checkpoint | None:
    try:
        return load(folder)
    except CheckpointError:
        if begun:  # its state makes it anew
            return None
        raise


def _check_options(folder: Path, found: Config, wanted: Config) -> None:
    others = differences([trained_as(found), trained_as(wanted)])
    if others:
        section, name = others[0]
        was, now = (getattr(getattr(config, section), name) for config in (found, wanted))
        what = f"{folder} was trained with {name} {was!r}, not {now!r}"
        raise OptionError("--name", what, "choose another name, or remove the folder")


def _check_data(folder: Path, found: Checkpoint, hashes: Collection[str]) -> None:
    corpora = found.record.get("corpora")
    if {corpus["sha256"] for corpus in corpora or []} != set(hashes):
        what = f"{folder} was trained on other data than the corpora hold now"
        raise OptionError("--name", what, "choose another name, or remove the folder")
