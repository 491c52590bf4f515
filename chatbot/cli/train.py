"""``chatbot train``: from corpora to a checkpoint that talks."""

from __future__ import annotations

import contextlib
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli.exits import INTERRUPTED, show_note
from chatbot.cli.options import (
    checkpoints_option,
    config_file_option,
    config_options,
    corpora_option,
    dump_config,
    dump_config_option,
    given_options,
    preset_option,
    resolve_config,
)
from chatbot.config import Config, option_field
from chatbot.errors import CheckpointError, OptionError

if TYPE_CHECKING:
    from chatbot.training.run import Request, TrainingRun

SECTIONS = ("data", "text", "model", "training", "decoding")

FREE = {"minutes", "epochs", "steps", "eval_every", "save_every", "patience", "device"}
"""Options that may change when a run is resumed."""

LIMITS = ("training.minutes", "training.epochs", "training.steps")


@click.command()
@click.argument("corpora_named", metavar="[CORPUS]...", nargs=-1)
@click.option("--name", metavar="NAME", help="Name of the checkpoint.  [default: made from the corpora]")
@preset_option
@config_options(*SECTIONS)
@click.option(
    "--half/--single", "half", default=True, help="Precision the weights are stored in.  [default: half]"
)
@click.option(
    "--resume", metavar="NAME", help="Go on with an interrupted or finished run, exactly where it was."
)
@click.option(
    "--from", "start", metavar="CHECKPOINT", help="Start from the weights of a checkpoint (fine-tuning)."
)
@click.option("--quiet", is_flag=True, help="No progress; errors are still told.")
@corpora_option
@checkpoints_option
@config_file_option
@dump_config_option
@click.pass_context
def train(
    context: click.Context,
    /,
    corpora_named: tuple[str, ...],
    corpora: Path,
    checkpoints: Path,
    quiet: bool,
    wants_dump: bool,
    **params: Any,
) -> None:
    """Train a bot, fine-tune one or go on with a run.

    CORPUS is a name (see chatbot corpus list) or a file. With none, the bot learns from smalltalk:english,
    chatterbot:english and chitchat.

    Ctrl-C finishes the step, saves and ends with status 130; --resume goes on from there.
    """
    config = _config(params, checkpoints)
    if wants_dump:
        click.echo(dump_config(config), nl=False)
        return
    request = _request(params, config, corpora_named, corpora, checkpoints)
    from chatbot.cli.progress import show
    from chatbot.training.run import TrainingRun

    run = TrainingRun(request)
    with _stopping(run):
        interrupted = show(run.events(), request.folder, quiet)
    click.echo(str(request.folder))
    if interrupted:
        show_note(f"go on with: chatbot train --resume {request.folder.name}")
        context.exit(INTERRUPTED)


def _config(params: Mapping[str, Any], checkpoints: Path) -> Config:
    """The options of the run: from the defaults, or what the run or checkpoint it goes on from had."""
    given = given_options(params, *SECTIONS)
    if any(limit in given for limit in LIMITS):
        given = {limit: type(_default(limit))(0) for limit in LIMITS} | given
    if params["resume"]:
        if params["start"]:
            raise OptionError("--resume", "does not go with --from", "leave one of them out")
        base, fixed = Config.from_json(_run_record(checkpoints / params["resume"])["options"]), SECTIONS
    elif params["start"]:
        base, fixed = _base(params["start"], checkpoints), ("text", "model")
    else:
        return resolve_config(Config(), params["preset"], params["config_file"], given)
    config = resolve_config(base, params["preset"], params["config_file"], given)
    _check_fixed(base, config, fixed, "--resume" if params["resume"] else "--from")
    return config


def _default(key: str) -> Any:
    return option_field(*key.split(".")).default


def _check_fixed(base: Config, config: Config, sections: tuple[str, ...], where: str) -> None:
    """Refuse changes of what the weights, or the exact continuation of a run, hang on."""
    before, after = base.to_json(), config.to_json()
    for section in sections:
        for name, value in before[section].items():
            if value != after[section][name] and name not in FREE:
                raise OptionError(
                    where,
                    f"{name} is {value!r} in the checkpoint and {after[section][name]!r} here",
                    f"leave --{name.replace('_', '-')} out, or train anew",
                )


def _base(start: str, checkpoints: Path) -> Config:
    from chatbot.checkpoint import find, load

    return load(find(start, checkpoints)).config


def _run_record(folder: Path) -> dict[str, Any]:
    from chatbot.checkpoint import RESUME, read_json

    if not (folder / RESUME / "state.json").is_file():
        raise CheckpointError(
            str(folder), "holds no training state", "name a run that was saved, or train anew"
        )
    return read_json(folder / RESUME / "run.json")


def _request(
    params: Mapping[str, Any], config: Config, named: tuple[str, ...], corpora: Path, checkpoints: Path
) -> Request:
    from chatbot.checkpoint import find
    from chatbot.training.run import Request

    command = shlex.join(["chatbot", *sys.argv[1:]])
    if params["resume"]:
        folder = checkpoints / params["resume"]
        record = _run_record(folder)
        if named and list(named) != record["corpora"]:
            were = " ".join(record["corpora"]) or "the default ones"
            raise OptionError("--resume", f"the run's corpora are {were}", "leave CORPUS out")
        start = Path(record["start"]) if record["start"] else None
        return Request(
            tuple(record["corpora"]), folder, corpora, config, record["command"], start, True, record["half"]
        )
    start = find(params["start"], checkpoints) if params["start"] else None
    folder = _new_folder(params["name"], named, checkpoints)
    return Request(named, folder, corpora, config, command, start, False, params["half"])


def _new_folder(name: str | None, named: tuple[str, ...], checkpoints: Path) -> Path:
    """Where a new checkpoint goes; an existing one is never written over."""
    from chatbot.checkpoint import RESUME, is_complete

    def taken(folder: Path) -> bool:
        return is_complete(folder) or (folder / RESUME / "state.json").is_file()

    if name is not None:
        if not name or Path(name).name != name or name.startswith("."):
            raise OptionError("--name", f"{name!r} is no name for a folder", "use letters, digits and dashes")
        if taken(checkpoints / name):
            raise OptionError("--name", f"{checkpoints / name} exists", f"choose another, or --resume {name}")
        return checkpoints / name
    stem = "-".join(Path(part).stem.replace(":", "-") for part in named)[:60].strip(".-") or "bot"
    numbers = iter(range(2, 1_000_000))
    folder = checkpoints / stem
    while taken(folder):
        folder = checkpoints / f"{stem}-{next(numbers)}"
    return folder


@contextlib.contextmanager
def _stopping(run: TrainingRun) -> Iterator[None]:
    """The first Ctrl-C lets the run save and end; a second one ends it at once."""

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        if not run.stop():
            raise KeyboardInterrupt
        show_note("finishing the step and saving; Ctrl-C again stops at once")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
