"""Chat corpora of NLTK that a user has installed; nothing is ever downloaded.

    nps_chat       posts of chat rooms: a talk a room; joins and the like are system notes
    switchboard    telephone talks, their words put together as people write them
    webtext        ``overheard.txt``: speakers and what they say, a blank line between talks

Source: https://www.nltk.org/nltk_data/ . Its packages are looked for where ``nltk.data.path`` says, as zip or
folder; ``nltk`` is loaded for its detokenizer alone.
"""

from __future__ import annotations

import html
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.corpus.formats import script
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part, parts_of
from chatbot.corpus.message import SYSTEM, Message, Talk
from chatbot.errors import CorpusError

if TYPE_CHECKING:
    from nltk.tokenize.treebank import TreebankWordDetokenizer

_POST = re.compile(r"<Post\b([^<>]*)>([^<]*)", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)\s*=\s*(?:"([^"]*)"|\'([^\']*)\')')
_UTTERANCE = re.compile(r"(\w+)\.(\d+):\s*(.*)", re.DOTALL)
_REMEDY = "get it once by: python -m nltk.downloader "


def names() -> list[str]:
    """The names of the corpora that are installed and that there is a reader for."""
    return [name for name in _READERS if _place(name) is not None]


def place_of(name: str) -> Path:
    """The folder or zip of an installed corpus.

    Raises:
        CorpusError: there is no reader for it, or it is not installed.
    """
    if name not in _READERS:
        known = ", ".join(_READERS)
        what = "is no corpus of talks that is known here"
        raise CorpusError(f"nltk:{name}", what, f"choose one of {known}")
    place = _place(name)
    if place is None:
        raise CorpusError(f"nltk:{name}", "is not installed", f"{_REMEDY}{name}")
    return place


def read_nltk(name: str, reading: Reading) -> Iterator[Talk]:
    """Yield the talks of an installed corpus.

    Raises:
        CorpusError: as ``place_of``, or it lacks its file.
    """
    place = place_of(name)
    file_name, reader = _READERS[name]
    parts = [part for part in parts_of([place]) if re.fullmatch(file_name, _base(part))]
    if not parts:
        raise CorpusError(str(place), "lacks the file of the corpus", f"{_REMEDY}{name}")
    for part in parts:
        yield from reader(part, reading)


def _folders() -> list[Path]:
    """The folders of ``nltk.data.path``, without loading nltk where it is not loaded yet."""
    if (data := sys.modules.get("nltk.data")) is not None:
        return [Path(folder) for folder in data.path]
    given = [folder for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    inside = [os.path.join(sys.prefix, *names, "nltk_data") for names in ((), ("share",), ("lib",))]
    if os.name == "nt":
        shared = [os.path.join(os.environ.get("APPDATA", "C:\\"), "nltk_data")]
        shared += [f"{drive}:\\nltk_data" for drive in "CDE"]
    else:
        shared = [f"/usr/{folder}/nltk_data" for folder in ("share", "local/share", "lib", "local/lib")]
    return [Path(os.path.expanduser(folder)) for folder in [*given, "~/nltk_data", *inside, *shared]]


def _place(name: str) -> Path | None:
    """The folder or zip of a corpus; None where it is not installed."""
    for folder in _folders():
        for place in (folder / "corpora" / name, folder / "corpora" / f"{name}.zip"):
            try:
                if place.exists():
                    return place
            except OSError:
                continue
    return None


def _base(part: Part) -> str:
    return part.member.rpartition("/")[2] or part.file.name


def _chat(part: Part, reading: Reading) -> Iterator[Talk]:
    """The posts of a chat room. They are read as text, which no trick of XML can harm."""
    messages = []
    for post in _POST.finditer(reading.text_of(part)):
        given = {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(post[1])}
        text = " ".join(html.unescape(post[2]).split())
        system = given.get("class") == "System"
        messages.append(Message("", text, kind=SYSTEM) if system else Message(given.get("user", ""), text))
    if messages:
        yield Talk(messages, name=_base(part).removesuffix(".xml"), language="en")


def _telephone(part: Part, reading: Reading) -> Iterator[Talk]:
    for blank, talk in groupby(reading.lines_of(part), lambda line: not line[1].strip()):
        if not blank:
            yield Talk(_utterances(talk, part, reading), language="en")


def _utterances(lines: Iterator[tuple[int, str]], part: Part, reading: Reading) -> Iterator[Message]:
    for number, line in lines:
        found = _UTTERANCE.fullmatch(line.strip())
        if found is None:
            reading.miss(part, number, line)
            continue
        words = [word.rpartition("/")[0] or word for word in found[3].split()]
        yield Message(found[1], _detokenizer().detokenize(words))


@cache
def _detokenizer() -> TreebankWordDetokenizer:
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    return TreebankWordDetokenizer()


_READERS: dict[str, tuple[str, Callable[[Part, Reading], Iterator[Talk]]]] = {
    "nps_chat": (r".+\.xml", _chat),
    "switchboard": (r"tagged", _telephone),
    "webtext": (r"overheard\.txt", script.read),
}
"""By name: which files of it hold talks, and how they are read."""
