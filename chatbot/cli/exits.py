"""The one place where an error becomes an exit status and a line on stderr.

    0    done
    1    a ChatbotError, or the operating system refused something
    2    wrong usage
    3    a fallback answered ``chat --question``
    130  Ctrl-C, or a request to end (SIGTERM, SIGHUP); training saves first, unless it comes twice
    141  the reader of stdout is gone (128 + SIGPIPE), without a word

Anything else that arrives here is a bug of ours and is left to show its traceback.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from chatbot.cli.streams import flush_streams, silence_streams
from chatbot.display.text import visible
from chatbot.errors import ChatbotError

FAILED, USAGE, FALLBACK, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 130, 141


def heed_signals() -> None:
    """Let a request to end, and a terminal that is gone, do what Ctrl-C does: clean up and leave."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, interrupt)


def run(command: click.Command, args: list[str], name: str = "chatbot") -> int:
    """Run a command and return its exit status; whatever a user can meet is told on stderr."""
    try:
        return _tell(command, args, name)
    except BrokenPipeError:
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        silence_streams()


def leave(status: int) -> NoReturn:
    """End the process, of which the command line is all.

    Where a bot answered without torch, whatever was registered to run at the end is run, and the rest is left
    to the system: taking the interpreter and the runtime's library apart takes a tenth of the time in which a
    script gets its one reply.
    """
    if "onnxruntime" in sys.modules and "torch" not in sys.modules:
        atexit._run_exitfuncs()
        os._exit(status)
    sys.exit(status)


def _tell(command: click.Command, args: list[str], name: str) -> int:
    try:
        return _invoke(command, args, name)
    except BrokenPipeError:
        raise
    except ChatbotError as error:
        show_error(str(error))
        return error.exit_code
    except click.UsageError as error:
        show_error(_usage(error, name))
        return USAGE
    except click.ClickException as error:
        show_error(error.format_message())
        return FAILED
    except (click.Abort, EOFError):
        return INTERRUPTED
    except OSError as error:
        show_error(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))
        return FAILED


def _invoke(command: click.Command, args: list[str], name: str) -> int:
    try:
        with command.make_context(name, args) as context:
            command.invoke(context)
    except click.exceptions.Exit as leave:
        flush_streams()
        return leave.exit_code
    flush_streams()
    return 0


def show_error(message: str) -> None:
    """Write ``Error: message`` to stderr, on one line, control characters made visible."""
    click.echo(f"Error: {visible(message)}", err=True)


def show_note(message: str) -> None:
    """Write ``Note: message`` to stderr, on one line, control characters made visible."""
    click.echo(f"Note: {visible(message)}", err=True)


def _usage(error: click.UsageError, name: str) -> str:
    where = error.ctx.command_path if error.ctx else name
    what = " ".join(error.format_message().split()).rstrip(".")
    return f"{where}: {what}; see {where} --help"
