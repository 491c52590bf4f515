"""ChatterBot's YAML: ``conversations:`` is a list of conversations, each a list of what was said in turn.

Every scalar is read as it is written, so that the answers ``yes``, ``1969`` and ``1.50`` stay what they
are instead of becoming true, a number and 1.5. An answer that YAML takes for a mapping because of its
colon (``- Well: it depends``) is put together again; anything deeper is left out and told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from chatbot.corpus.conversation import whole
from chatbot.corpus.formats.format import alternating
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk
from chatbot.errors import CorpusError

_KEY = re.compile(r"conversations\s*:\s*([\[&#].*)?$")
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_REMEDY = "ChatterBot's form is conversations:, then a list of lists of texts"


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield each inner list as a talk.

    Raises:
        CorpusError: the file is no YAML, or not of this form.
    """
    left_out = 0
    for talk in _talks(part, reading):
        said = [_as_written(item) for item in talk] if isinstance(talk, list) else [None]
        left_out += said.count(None)
        texts = [text or "" for text in said]
        if any(text.strip() for text in texts):
            yield Talk(alternating(texts))
    if left_out:
        reading.notify(f"{part.name}: {left_out} of its entries are no text and were left out")


def looks_like(head: Head) -> bool:
    """A line opens the key ``conversations``."""
    return any(_KEY.match(line) for line in head.lines)


def _talks(part: Part, reading: Reading) -> list[Any]:
    text = reading.text_of(part)
    try:
        document = yaml.load(text, Loader=_LOADER)  # noqa: S506  builds nothing but texts, lists and mappings
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise CorpusError(f"{part.name}{line}", f"is no YAML ({error.problem})", _REMEDY) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise CorpusError(part.name, f"is no YAML ({reason})", _REMEDY) from None
    talks = document.get("conversations") if isinstance(document, dict) else None
    if not isinstance(talks, list):
        raise CorpusError(part.name, "holds no list of conversations", _REMEDY)
    return talks


def _as_written(item: Any) -> str | None:
    """The text of an entry; None where it is no text."""
    if isinstance(item, str):
        return whole(item)
    if isinstance(item, dict) and len(item) == 1:
        key, value = next(iter(item.items()))
        if isinstance(key, str) and isinstance(value, str):
            return whole(f"{key}: {value}")
    return None
