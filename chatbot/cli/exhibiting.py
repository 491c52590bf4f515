"""Exhibits of ``chatbot attend``: which checkpoints answer which texts, and what comes of it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.checkpoint import CONFIG, STARTER, find, list_complete, read_json, starter_folder
from chatbot.config import Config, ModelOptions, check_value
from chatbot.display.exhibit import Exhibit
from chatbot.errors import ChatbotError, CheckpointError, OptionError

if TYPE_CHECKING:
    from chatbot.bot import Chatbot

COMPARISONS = "compare"
"""Where ``chatbot compare`` keeps its checkpoints, a folder deeper."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of every checkpoint.

    Args:
        reply: a given one for all texts; None: the checkpoint's own.
        before: the turns before each text, oldest first.
        layer, head: see ``Chatbot.load``.
    """

    texts: Sequence[str]
    reply: str | None = None
    before: Sequence[str] = ()
    layer: int = 0
    head: int = 0

    def exhibits(self, folder: Path, device: str) -> list[Exhibit]:
        """One for each text.

        Raises:
            ChatbotError: the checkpoint cannot be used, or does not read what is asked.
        """
        from chatbot.bot import Chatbot

        bot = Chatbot.load(folder, device, layer=self.layer, head=self.head)
        if self.before and not bot.reads_history:
            raise OptionError("--before", f"{bot.name} reads single questions", "leave it out")
        return [self._exhibit(bot, text) for text in self.texts]

    def _exhibit(self, bot: Chatbot, text: str) -> Exhibit:
        given = self.reply is not None
        # What is looked at is asked for, however strange the question and unsure the reply.
        options = replace(bot.options, guess=True, threshold=0.0)
        reply = (
            bot.reply(text, self.before, options)
            if self.reply is None
            else bot.given(text, self.reply, self.before)
        )
        places = (("layer", self.layer), ("head", self.head))
        note = ", ".join(f"{name} {number}" for name, number in places if number)
        return Exhibit(bot.name, text, reply.text, reply.score, reply.attention, given, reply.history, note)


def split_arguments(words: Sequence[str], checkpoints: Path) -> tuple[str | None, list[str]]:
    """The checkpoint and the texts of ``[CHECKPOINT] TEXT...``.

    The first of several words is a checkpoint when there is one of that name or at that path.

    Raises:
        OptionError: there is a checkpoint and no text.
    """
    first, *rest = words
    if not _is_there(first, checkpoints):
        return None, [first, *rest]
    if not rest:
        what, remedy = f"{first} is a checkpoint, and nothing is asked of it", f"as in: attend {first} hello"
        raise OptionError("TEXT", what, remedy)
    return first, rest


def likely_meant(words: Sequence[str], checkpoints: Path) -> str | None:
    """The checkpoint that the first of several words may be a misspelling of."""
    names = [folder.name for folder in list_complete(checkpoints)] + [STARTER]
    near = difflib.get_close_matches(words[0], names, n=1, cutoff=0.8) if len(words) > 1 else []
    return near[0] if near else None


def _is_there(name: str, checkpoints: Path) -> bool:
    if not name or name in (".", ".."):
        return False
    in_sight = os.sep in name and os.path.isdir(name)
    return name == STARTER or os.path.isdir(checkpoints / name) or in_sight


def compared(names: str, checkpoints: Path) -> list[Path]:
    """The folders of ``--compare a,b,...``: checkpoints by name or path, or by the attention they have.

    Raises:
        OptionError: no name at all.
        CheckpointError: one is neither.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise OptionError("--compare", "names nothing", "as in: --compare none,additive")
    return [_named(name, checkpoints) for name in wanted]


def _named(name: str, checkpoints: Path) -> Path:
    if _is_there(name, checkpoints) or os.path.isdir(name):
        return find(name, checkpoints)
    try:
        attention = check_value("model", "attention", name)
    except OptionError:
        return find(name, checkpoints)  # tells which checkpoints there are
    for folder in _newest_first(checkpoints):
        if attention_of(folder) == attention:
            return folder
    raise CheckpointError(name, f"no checkpoint under {checkpoints} has this attention", _train(attention))


def _train(attention: str) -> str:
    return f"train one with chatbot train --attention {attention}, or several with chatbot compare"


def _newest_first(checkpoints: Path) -> list[Path]:
    """Every complete checkpoint, those of comparisons as well, the starter last."""
    try:
        comparisons = [folder for folder in (checkpoints / COMPARISONS).iterdir() if folder.is_dir()]
    except OSError:
        comparisons = []
    found = [folder for place in (checkpoints, *comparisons) for folder in list_complete(place)]
    found.sort(key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
    try:
        return [*found, starter_folder()]
    except CheckpointError:
        return found


def attention_of(folder: Path) -> str:
    """The attention a checkpoint was trained with; "" where its options cannot be read."""
    try:
        options = read_json(folder / CONFIG).get("options")
        model: ModelOptions = Config.from_json(options).model
    except ChatbotError:
        return ""
    return model.attention
