"""Filing: a conversation written to a file, kept up to date in one, or read from one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chatbot.display.transcript import FORMS, Form, Heading, check_transcript, whole_transcript
from chatbot.display.transcript import Exchange as WrittenExchange
from chatbot.errors import ChatbotError
from chatbot.files import Journal, write_atomically
from chatbot.repl.exchange import Exchange
from chatbot.repl.recorded import heading_of, settings_of
from chatbot.repl.recording import Tell, read_transcript
from chatbot.repl.talk import Talk


def save(talk: Talk, path: Path, form: Form) -> int:
    """Write all that was said to a file; one that holds this conversation already is written anew.

    Returns:
        how many exchanges.

    Raises:
        ChatbotError: nothing was said, another file has the name, or it cannot be written.
    """
    if not talk.exchanges:
        raise ChatbotError(str(path), "nothing was said yet", "ask something first")
    written = _whole(talk.exchanges, form, talk.exchanges[0].by)
    if path.resolve() in talk.files:
        write_atomically(path, written)
    else:
        _begin(path, written)
        talk.files.add(path.resolve())
    return len(talk.exchanges)


def load(talk: Talk, path: Path, tell: Tell) -> int:
    """Go on from a conversation in JSON lines: its turns are read with the next question, its picks count.

    What was said before stays on the list, but is not read any more.

    Returns:
        how many exchanges.

    Raises:
        ChatbotError: the file is no transcript, or is damaged; all stays as it was.
    """
    read = read_transcript(path, tell)
    exchanges = [(each.picked, each.exchange(path)) for each in read.recordings]
    picked = [talk.picked(each, place) if place else each for place, each in exchanges]
    begins = [place for place, each in enumerate(picked) if each.begins]
    talk.since = len(talk.exchanges) + max(begins, default=0)
    talk.exchanges += picked
    talk.files.add(path.resolve())
    return len(picked)


class Kept:
    """A transcript that is as the conversation is after every exchange: what is taken back is not in it, nor
    what is said in private.

    Args:
        path: of a new file.
        by: who answers at first.

    Raises:
        ChatbotError: the name does not say what it should be, a file has it, or it cannot be written.
    """

    def __init__(self, path: Path, by: Heading) -> None:
        check_transcript(path)
        self._path, self._by = path, by
        self._form = FORMS[path.suffix.lower()]
        self._last: list[Exchange] = []
        _begin(path, _whole((), self._form, by))

    def write(self, talk: Talk) -> None:
        """Bring the file up to date.

        Raises:
            ChatbotError: the disk is full, say; the next time it is tried again.
        """
        exchanges = [each for each in talk.exchanges if not each.private]
        if exchanges != self._last:
            write_atomically(self._path, _whole(exchanges, self._form, self._by))
            self._last = exchanges


def keep(talk: Talk, path: Path | None) -> Kept | None:
    """The transcript that a conversation was asked to keep, if it was."""
    return None if path is None else Kept(path, heading_of(talk.bot))


def _begin(path: Path, data: bytes) -> None:
    """A new file; none is left where it cannot be written."""
    Journal(path).close()
    try:
        write_atomically(path, data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _whole(exchanges: Sequence[Exchange], form: Form, heading: Heading) -> bytes:
    return whole_transcript(form, heading, [_written(each) for each in exchanges])


def _written(exchange: Exchange) -> WrittenExchange:
    settings = settings_of(exchange.options, exchange.asked)
    told = exchange.by, exchange.picked, exchange.chosen, exchange.mark, exchange.begins
    return WrittenExchange(exchange.reply, exchange.history, settings, *told)
