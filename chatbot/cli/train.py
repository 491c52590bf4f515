"""``chatbot train``: from corpora to a checkpoint that talks."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli.completion import complete_corpus
from chatbot.cli.conflicts import check_kept
from chatbot.cli.curves import KINDS, STEM, check_plot, draw_plot, show_chart
from chatbot.cli.exits import INTERRUPTED
from chatbot.cli.options import (
    ASKED_OF_A_TALK,
    SEED_OF_SAMPLING,
    checkpoints_option,
    config_file_option,
    config_options,
    corpora_option,
    dump_config,
    dump_config_option,
    given_options,
    like_option,
    option_name,
    preset_option,
    resolve_config,
)
from chatbot.cli.stopping import stopping
from chatbot.config import Config, option_field
from chatbot.errors import ChatbotError, OptionError

if TYPE_CHECKING:
    from chatbot.training.launch import Launch
    from chatbot.training.request import Request, RunRecord

SECTIONS = ("reading", "data", "text", "model", "training", "decoding")

FREE_TO_RESUME = {
    "minutes",
    "epochs",
    "steps",
    "eval_every",
    "save_every",
    "keep",
    "lr",
    "patience",
    "tensorboard",
    "why",
    "device",
    "precision",
}
"""Options that may change when a run is resumed; the others decide how it would have gone on.

So may ``--half``, which decides how the best weights are stored when the run ends.
"""

FREE_TO_START_FROM = {"dropout", "dropout_kind", "weight_dropout", "max_src", "max_tgt"}
"""Options of text and network that may change in fine-tuning; the weights hang on the others."""

BUILT_FOR_LENGTH = {"encoder": "snail", "attention": "location"}
"""Parts that have weights for each position of a question, so that ``--max-src`` may not change either."""

CHECKPOINTS = Path("checkpoints")
"""Where ``--resume NAME`` looks unless told otherwise."""

LIMITS = ("training.minutes", "training.epochs", "training.steps")


@click.command()
@click.argument("corpora_named", metavar="[CORPUS]...", nargs=-1, shell_complete=complete_corpus)
@click.option("--name", metavar="NAME", help="Name of the checkpoint.  [default: made from the corpora]")
@preset_option
@like_option
@config_options(*SECTIONS, without=(SEED_OF_SAMPLING, *ASKED_OF_A_TALK))
@click.option(
    "--half/--single", "half", default=None, help="Precision the weights are stored in.  [default: half]"
)
@click.option(
    "--resume",
    metavar="NAME",
    help="Go on with an interrupted or finished run, exactly where it was.  [default: a new run]",
)
@click.option(
    "--from",
    "start",
    metavar="CHECKPOINT",
    help="Start from the weights of a checkpoint (fine-tuning).  [default: none]",
)
@click.option("--force", is_flag=True, help="Train on a corpus that chatbot corpus check says to stop at.")
@click.option(
    "--plot",
    type=click.Choice(KINDS),
    help="When the run ends, draw its losses to training.png or training.svg in the checkpoint's folder; "
    "chatbot checkpoint show --plot does so later.  [default: no picture]",
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
    plot: str | None,
    **params: Any,
) -> None:
    """Train a bot, fine-tune one or go on with a run.

    CORPUS is a name (see chatbot corpus list) or a file, archive or folder (see chatbot corpus formats). With
    none, the bot learns from smalltalk:english, chatterbot:english and chitchat.

    Ctrl-C, SIGTERM or SIGHUP finishes the step, saves and ends with status 130; --resume goes on from there,
    and from the last saved state after anything worse. A second one ends at once.
    """
    config = _config(params, checkpoints)
    check_kept(config.decoding, config.text.max_tgt)
    if wants_dump:
        click.echo(dump_config(config), nl=False)
        return
    if plot:
        check_plot(Path(f"{STEM}.{plot}"))
    from chatbot.training.launch import Launch

    launch = Launch.of()
    with _told_once(context, launch):
        request = _request(params, config, corpora_named, corpora, checkpoints, launch)
    from chatbot.cli.progress import note, show, stderr_console
    from chatbot.training.run import TrainingRun

    with _told_once(context, launch):
        run = TrainingRun(request, launch)
    console, quiet = stderr_console(), quiet or not launch.leads

    def tell(message: str) -> None:
        if not quiet:
            note(console, message)

    with stopping(run.stop, tell), _told_once(context, launch):
        interrupted = show(run.events(), quiet, console)
    if not quiet:
        show_chart(request.folder, console)
    if plot and launch.leads:
        draw_plot(request.folder, request.folder / f"{STEM}.{plot}")
        tell(f"the losses are drawn in {request.folder / STEM}.{plot}")
    if launch.leads:
        click.echo(str(request.folder))
    if interrupted:
        run_named = request.folder if checkpoints != CHECKPOINTS else request.folder.name
        tell("go on with: " + shlex.join(["chatbot", "train", "--resume", str(run_named)]))
        context.exit(INTERRUPTED)


@contextlib.contextmanager
def _told_once(context: click.Context, launch: Launch) -> Iterator[None]:
    """Of several processes on a machine one tells what is wrong; that another is gone only the first."""
    try:
        yield
    except ChatbotError as error:
        from chatbot.training.processes import LostProcessError

        if isinstance(error, LostProcessError):  # torchrun asks to end what is ending
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if launch.leads or (launch.complains and not isinstance(error, LostProcessError)):
            raise
        context.exit(error.exit_code)


def _config(params: Mapping[str, Any], checkpoints: Path) -> Config:
    """The options of the run: from the defaults, or what the run or checkpoint it goes on from had."""
    given = given_options(params, *SECTIONS)
    if any(limit in given for limit in LIMITS):
        given = {limit: type(_default(limit))(0) for limit in LIMITS} | given
    if params["resume"] is not None:
        for other, name in (("start", "--from"), ("name", "--name")):
            if params[other] is not None:
                raise OptionError("--resume", f"does not go with {name}", "leave one of them out")
        base = _run(params["resume"], checkpoints)[1].config
        return _changed(base, params, given, "--resume", SECTIONS, FREE_TO_RESUME)
    if params["start"] is not None:
        from chatbot.checkpoint import find, load

        start = load(find(params["start"], checkpoints)).config
        base = dataclasses.replace(Config(), text=start.text, model=start.model, decoding=start.decoding)
        bound = any(getattr(start.model, name) == part for name, part in BUILT_FOR_LENGTH.items())
        free = FREE_TO_START_FROM - ({"max_src"} if bound else set())
        return _changed(base, params, given, "--from", ("text", "model"), free)
    return resolve_config(Config(), params["preset"], params["config_file"], given, params["like"])


def _default(key: str) -> Any:
    return option_field(*key.split(".")).default


def _changed(
    base: Config,
    params: Mapping[str, Any],
    given: Mapping[str, Any],
    where: str,
    sections: tuple[str, ...],
    free: set[str],
) -> Config:
    """The options of ``base`` with changes, none of what the weights or the rest of a run hang on.

    Args:
        given: single options, by "section.name".
        where: the option that names the base.
        sections, free: options of these sections stay as they are but for the free ones.

    Raises:
        OptionError: another option changes.
    """
    config = resolve_config(base, params["preset"], params["config_file"], given, params["like"])
    before, after = base.to_json(), config.to_json()
    for section in sections:
        for name, value in before[section].items():
            if value != after[section][name] and name not in free:
                raise OptionError(
                    where,
                    f"{name} is {value!r} in the checkpoint and {after[section][name]!r} here",
                    f"leave {option_name(section, name)} out, or train anew",
                )
    return config


def _run(name: str, checkpoints: Path) -> tuple[Path, RunRecord]:
    """The folder of a run, by name under ``checkpoints`` or by path, and what is remembered of it."""
    from chatbot.training.request import has_state, read_run

    folders = (checkpoints / name, Path(name))
    folder = next((folder for folder in folders if has_state(folder)), folders[0])
    return folder, read_run(folder)


def _request(
    params: Mapping[str, Any],
    config: Config,
    named: tuple[str, ...],
    corpora: Path,
    checkpoints: Path,
    launch: Launch,
) -> Request:
    from chatbot.checkpoint import find
    from chatbot.corpus.library import DEFAULT_CORPORA
    from chatbot.training.request import Request, has_run

    if params["resume"] is not None:
        folder, record = _run(params["resume"], checkpoints)
        were = record.corpora or DEFAULT_CORPORA
        if named and named != were:
            what = f"the run's corpora are {' '.join(were)}, not {' '.join(named)}"
            raise OptionError("--resume", what, "leave CORPUS out, or fine-tune on others with --from")
        half = record.half if params["half"] is None else params["half"]
        return Request(
            record.corpora, folder, corpora, config, record.command, resume=True, half=half, force=True
        )
    start = find(params["start"], checkpoints) if params["start"] is not None else None
    sources = (*named, config.reading.src) if config.reading.src else named
    command = shlex.join(["chatbot", *sys.argv[1:]])
    half = params["half"] is not False
    asked = Request(named, checkpoints, corpora, config, command, start, half=half, force=params["force"])
    folders = [checkpoints / params["name"]] if params["name"] else _folders(sources, checkpoints)
    taken = list(itertools.takewhile(_taken, folders)) if launch.goes_on else []
    for folder in reversed(taken):
        if has_run(folder, asked, launch.name):
            return dataclasses.replace(asked, folder=folder, resume=True, force=True)
    return dataclasses.replace(asked, folder=_new_folder(params["name"], sources, checkpoints))


def _taken(folder: Path) -> bool:
    from chatbot.checkpoint import is_complete
    from chatbot.training.request import has_state

    return is_complete(folder) or has_state(folder)


def _folders(named: tuple[str, ...], checkpoints: Path) -> Iterator[Path]:
    """Where a checkpoint of corpora may go, the first choice first."""
    stem = "-".join(Path(part).stem.replace(":", "-") for part in named)[:60].strip(".-") or "bot"
    yield checkpoints / stem
    yield from (checkpoints / f"{stem}-{number}" for number in range(2, 1_000_000))


def _new_folder(name: str | None, named: tuple[str, ...], checkpoints: Path) -> Path:
    """Where a new checkpoint goes; an existing one is never written over."""
    from chatbot.training.request import has_state

    if name is not None:
        if not name or Path(name).name != name or name.startswith("."):
            raise OptionError("--name", f"{name!r} is no name for a folder", "use letters, digits and dashes")
        if _taken(checkpoints / name):
            remedy = "choose another" + (f", or --resume {name}" if has_state(checkpoints / name) else "")
            raise OptionError("--name", f"{checkpoints / name} exists", remedy)
        return checkpoints / name
    return next(folder for folder in _folders(named, checkpoints) if not _taken(folder))
