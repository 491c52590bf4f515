"""``chatbot chat --replay FILE``: a transcript's questions asked again, and told where a reply differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from chatbot.cli.exits import FAILED, show_error
from chatbot.cli.pipe import write_line
from chatbot.config import Config, DecodingOptions
from chatbot.display.text import printable, whole
from chatbot.display.transcript import VERSION
from chatbot.errors import ChatbotError, OptionError
from chatbot.files import open_bytes
from chatbot.repl.bot import Bot

Tell = Callable[[str], None]

_REMEDY = "name a transcript that chatbot chat --transcript FILE.jsonl wrote"


@dataclass(frozen=True, slots=True)
class Recording:
    """An exchange as it was: what was asked, how, and what was replied."""

    line: int
    question: str
    history: tuple[str, ...]
    options: DecodingOptions
    candidates: int
    reply: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A transcript, read.

    Args:
        checkpoint, fingerprint: of the bot that answered.
    """

    path: Path
    checkpoint: str
    fingerprint: str
    recordings: tuple[Recording, ...]

    def check(self, bot: Bot) -> None:
        """Refuse another checkpoint.

        Raises:
            ChatbotError: its files are not those that answered.
        """
        if bot.fingerprint != self.fingerprint:
            what = f"was written with another checkpoint than {bot.name}: the sha256 of its manifest differs"
            raise ChatbotError(str(self.path), what, f"name the {self.checkpoint} that answered then")

    def run(self, bot: Bot, sink: BinaryIO, tell: Tell) -> int:
        """Ask everything again and write the replies, a line each; the exit status is returned.

        Raises:
            ChatbotError: the bot is another one.
        """
        self.check(bot)
        different = 0
        for each in self.recordings:
            reply = bot.reply(each.question, each.history, each.options, each.candidates)
            said = printable(reply.text)
            write_line(sink, said)
            if said != each.reply:
                different += 1
                show_error(f"{self.path}: line {each.line}: now replies {said!r}, then {each.reply!r}")
        tell(f"{len(self.recordings)} replies, {different or 'none'} of them different")
        return FAILED if different else 0


def read_transcript(path: Path, tell: Tell) -> Replay:
    """A transcript in JSON lines; of one that was cut short in its last line the rest is read.

    Raises:
        ChatbotError: it is none, or one of its lines is damaged.
    """
    lines = _lines(path, tell)
    _, heading = next(lines, (1, {}))
    if heading.get("transcript") != VERSION:
        raise ChatbotError(str(path), "is no transcript", _REMEDY)
    recordings = tuple(_recording(path, number, record) for number, record in lines)
    return Replay(path, str(heading.get("checkpoint")), str(heading.get("sha256")), recordings)


def _lines(path: Path, tell: Tell) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, with the numbers of their lines."""
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                record = json.loads(raw)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict):
                yield number, record
            elif raw.endswith(b"\n") or number == 1:
                raise ChatbotError(f"{path}: line {number}", "is no JSON object", _REMEDY)
            else:
                tell(f"{path}: line {number} is cut short and left out")


def _recording(path: Path, number: int, record: Mapping[str, Any]) -> Recording:
    where = f"{path}: line {number}"
    try:
        question, history, reply = record["question"], record["history"], record["reply"]
        settings = record["settings"]
        decoding, candidates = settings["decoding"], settings["candidates"]
        texts = [question, reply, *history]
        sound = all(isinstance(text, str) for text in texts) and isinstance(candidates, int)
        changes = {f"decoding.{name}": value for name, value in decoding.items()}
    except (LookupError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise ChatbotError(where, "is no exchange", _REMEDY)
    try:
        options = Config().replace(changes, where).decoding
    except OptionError as error:
        raise ChatbotError(where, error.what, "use the version of chatbot that wrote it") from None
    return Recording(number, whole(question), tuple(map(whole, history)), options, candidates, reply)
