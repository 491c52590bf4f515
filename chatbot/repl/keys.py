"""What keys do at the prompt besides prompt_toolkit's own: lines, and emacs or vi."""

from __future__ import annotations

from prompt_toolkit.application import get_app
from prompt_toolkit.enums import DEFAULT_BUFFER, EditingMode
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

QUOTES = '"""'


def is_open(text: str) -> bool:
    """Whether a text began with three quotes and did not end with them yet."""
    text = text.strip()
    return text.startswith(QUOTES) and (len(text) < 2 * len(QUOTES) or not text.endswith(QUOTES))


def unquoted(text: str) -> str:
    """A text without the three quotes around it, where there are any."""
    stripped = text.strip()
    if not stripped.startswith(QUOTES) or is_open(stripped):
        return text
    return stripped.removeprefix(QUOTES).removesuffix(QUOTES).strip("\n")


@Condition
def _in_quotes() -> bool:
    return is_open(get_app().current_buffer.text)


def key_bindings() -> KeyBindings:
    """Enter sends a text, or goes on with one in three quotes; Alt-Enter begins a new line; F4 changes
    between emacs and vi keys."""
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)  # and not searching the history

    @keys.add("enter", filter=typing & ~_in_quotes)
    def send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter", filter=typing)
    def break_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("f4")
    def change_keys(event: KeyPressEvent) -> None:
        vi = event.app.editing_mode is EditingMode.VI
        event.app.editing_mode = EditingMode.EMACS if vi else EditingMode.VI

    return keys
