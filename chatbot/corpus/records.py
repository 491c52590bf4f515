"""A line of JSON as an object, or an error that names the line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chatbot.errors import CorpusError

ONE_OBJECT = 'each line must be one object, such as {"turns": ["Hello", "Hi"]}'


def parsed(line: str, where: str) -> Mapping[str, Any]:
    """The JSON object of a line.

    Raises:
        CorpusError: it is no JSON, or no object.
    """
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(where, f"is no JSON ({error.msg})", ONE_OBJECT) from None
    except (ValueError, RecursionError):
        raise CorpusError(
            where, "is JSON that nobody reads: too deep or too long a number", ONE_OBJECT
        ) from None
    if not isinstance(record, dict):
        raise CorpusError(where, "is no JSON object", ONE_OBJECT)
    return record
