"""stdin, stdout and stderr as a command line needs them: UTF-8, and silent once nobody reads them."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from typing import TextIO


def use_utf8() -> None:
    """Make the three standard streams UTF-8 whatever the locale says, and open those that are closed.

    What cannot be decoded is read as U+FFFD; half a character (a lone surrogate) is written as its escape.
    """
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        reads = name == "stdin"
        if stream is None:  # started with the descriptor closed: nothing to read, nobody to write to
            setattr(sys, name, open(os.devnull, "r" if reads else "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace" if reads else "backslashreplace")


def flush_streams() -> None:
    """Write out what stdout and stderr still hold.

    Raises:
        OSError: the reader is gone, or the disk behind the stream is full.
    """
    sys.stdout.flush()
    sys.stderr.flush()


def silence_streams() -> None:
    """Send what is still to be written to where nobody sees it, so that closing the streams cannot fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _point_at_nothing(stream)


def silence_terminals() -> None:
    """Let what is still to be told to a terminal that is gone be told to nobody; files and pipes stay."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):  # isatty says no of one that is gone
                _point_at_nothing(stream)


def text_argument(argument: str) -> str:
    """A command-line argument as the text its bytes are in UTF-8, whatever the locale says."""
    return os.fsencode(argument).decode("utf-8", "replace")


def _point_at_nothing(stream: TextIO) -> None:
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
