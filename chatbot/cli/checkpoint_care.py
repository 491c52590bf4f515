"""``chatbot checkpoint verify``, ``export`` and ``remove``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from chatbot.cli.exits import FAILED, show_error, show_note
from chatbot.cli.options import checkpoints_option
from chatbot.errors import CheckpointError, OptionError


@click.command()
@click.argument("name", required=False)
@checkpoints_option
@click.pass_context
def verify(context: click.Context, /, name: str | None, checkpoints: Path) -> None:
    """Check every file of a checkpoint against its manifest; exit status 1 where one is damaged.

    NAME is a name under --checkpoints or a path; without one, the newest.
    """
    from chatbot.checkpoint import faults, find, glance

    folder = find(name, checkpoints)
    found = list(faults(folder))
    for fault in found:
        show_error(str(fault))
    if found:
        context.exit(FAILED)
    click.echo(f"{folder.resolve().name}: all {len(glance(folder).files)} files are as they were written")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--int8/--no-int8",
    default=False,
    show_default=True,
    help="Round the decoder's matrices to 8 bits: a little faster, and some replies change.",
)
@checkpoints_option
def export(name: str | None, int8: bool, checkpoints: Path) -> None:
    """Write a checkpoint's network as ONNX, so that it is answered from without torch.

    Training does this at its end; this makes the graphs for a checkpoint without them, or makes them anew.
    Their paths are printed. NAME is a name under --checkpoints or a path; without one, the newest.
    """
    from chatbot.checkpoint import WEIGHTS, find, load, renew
    from chatbot.engines.exporting import export as graphs_of
    from chatbot.engines.network import load_network

    found = load(find(name, checkpoints))
    vocab = found.tokenizer().vocab
    weights = (found.home / WEIGHTS).read_bytes()
    graphs = graphs_of(load_network(found, vocab), vocab, weights, narrowed=int8)
    renew(found.path, graphs)
    for file in graphs:
        click.echo(str(found.path / file))


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@checkpoints_option
def remove(name: str, yes: bool, checkpoints: Path) -> None:
    """Delete a checkpoint and all that is needed to go on training it.

    NAME is a name under --checkpoints or a path.
    """
    from chatbot.checkpoint import RESUME, find, is_complete

    folder = find(name, checkpoints)
    if _is_shipped(folder):
        raise CheckpointError(str(folder), "comes with the program and stays", "name one that you trained")
    if not (is_complete(folder) or (folder / RESUME).is_dir()):
        raise CheckpointError(str(folder), "is no checkpoint", "name another folder")
    if not yes:
        if not sys.stdin.isatty():
            raise OptionError(
                "--yes", "is needed where nobody can be asked", "give it to delete the checkpoint"
            )
        click.confirm(f"Delete {folder}?", abort=True, err=True)
    try:
        shutil.rmtree(folder)
    except OSError as error:
        what = f"cannot be deleted ({error.strerror})"
        raise CheckpointError(str(folder), what, "check its permissions") from None
    show_note(f"{folder} is deleted")


def _is_shipped(folder: Path) -> bool:
    """Whether a folder is the starter that comes with the program."""
    from chatbot.checkpoint import starter_folder

    try:
        return folder.resolve() == starter_folder().resolve()
    except CheckpointError:
        return False
