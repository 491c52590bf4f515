"""``chatbot checkpoint list`` and ``show``: what was trained, on what, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli import tables
from chatbot.cli.curves import check_plot, draw_plot
from chatbot.cli.options import checkpoints_option
from chatbot.errors import CheckpointError, OptionError

if TYPE_CHECKING:
    from rich.table import Table

    from chatbot.checkpoint import Checkpoint

MEGABYTE = 1e6

json_option = click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")


@click.command("list")
@json_option
@checkpoints_option
def list_(as_json: bool, checkpoints: Path) -> None:
    """List the checkpoints under --checkpoints, newest first, and the one that comes with the program.

    With --json each is an object on a line of its own.
    """
    from chatbot.display.record import json_line

    rows = [_row(folder) for folder in _folders(checkpoints)]
    if as_json:
        for row in rows:
            click.echo(json_line(row))
        return
    table = tables.table("checkpoint", "when", "MB", "architecture", "perplexity", "engine")
    for row in rows:
        if "fault" in row:
            tables.add(table, row["name"], "", "", f"cannot be used: {row['fault']}", "", "")
            continue
        when, size = row["when"][:16].replace("T", " "), f"{row['size'] / MEGABYTE:.1f}"
        tables.add(
            table, row["name"], when, size, row["architecture"], _number(row["perplexity"]), row["engine"]
        )
    tables.show(table)


@click.command()
@click.argument("name", required=False)
@json_option
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the losses of its training to this file (.png or .svg) instead, and print the file's path.  "
    "[default: tables]",
)
@checkpoints_option
def show(name: str | None, as_json: bool, plot: Path | None, checkpoints: Path) -> None:
    """Show a checkpoint: what made it, its corpora, how good it is, its files and what answers from it.

    NAME is a name under --checkpoints or a path; without one, the newest.
    """
    from chatbot.checkpoint import find, glance
    from chatbot.display.record import json_line

    if plot:
        if as_json:
            raise OptionError("--plot", "does not go with --json", "leave one of them out")
        check_plot(plot)
    found = glance(find(name, checkpoints))
    if plot:
        draw_plot(found.path, plot)
        click.echo(str(plot))
        return
    if as_json:
        click.echo(json_line(_facts(found) | {"files": _files(found)} | {"record": dict(found.record)}))
        return
    shown = [_facts_table(found), _corpora_table(found.record), _figures_table(found.record)]
    tables.show(*shown, _options_table(found), _files_table(found))


def architecture(checkpoint: Checkpoint) -> str:
    """The kind of network in a few words: "lstm 1 x 384, general"."""
    model = checkpoint.config.model
    sides = [model.cell if side == "rnn" else side for side in (model.encoder, model.decoder)]
    kinds = sides[0] if sides[0] == sides[1] else " to ".join(sides)
    looks = [model.attention] + [model.align] * (model.align != "global") + ["coverage"] * model.coverage
    outputs = [model.output] * (model.output != "softmax")
    return ", ".join([f"{kinds} {model.layers} x {model.hidden}", " ".join(looks), *outputs])


def engine(checkpoint: Checkpoint) -> str:
    """What answers from a checkpoint on a processor."""
    from chatbot.checkpoint import STEP

    if not checkpoint.has_graphs:
        return "torch"
    try:
        narrow = b"MatMulNBits" in (checkpoint.home / STEP).read_bytes()
    except OSError:
        narrow = False
    return "ONNX Runtime, 8 bits" if narrow else "ONNX Runtime"


def _folders(checkpoints: Path) -> list[Path]:
    """All there are; the starter last."""
    from chatbot.checkpoint import list_complete, starter_folder

    folders = list_complete(checkpoints)
    try:
        starter = starter_folder()
    except CheckpointError:
        return folders
    return [*folders, starter]


def _row(folder: Path) -> dict[str, Any]:
    """A line of the list; what is wrong where it cannot be read."""
    from chatbot.checkpoint import glance

    try:
        return _facts(glance(folder))
    except CheckpointError as error:
        return {"name": folder.name, "path": str(folder), "fault": error.what}


def _facts(checkpoint: Checkpoint) -> dict[str, Any]:
    """What list and show say of a checkpoint."""
    record = checkpoint.record
    return {
        "name": checkpoint.name,
        "path": str(checkpoint.path),
        "when": checkpoint.when.isoformat(timespec="seconds"),
        "size": checkpoint.size,
        "architecture": architecture(checkpoint),
        "perplexity": _mapping(_mapping(record.get("report")).get("all")).get("perplexity"),
        "engine": engine(checkpoint),
    }


def _facts_table(checkpoint: Checkpoint) -> Table:
    facts, record = _facts(checkpoint), checkpoint.record
    table = tables.table(checkpoint.name, "")
    tables.add(table, "folder", facts["path"])
    tables.add(table, "written", facts["when"][:16].replace("T", " "))
    tables.add(table, "made by", str(record.get("command", "")))
    parameters = record.get("parameters")
    count = f", {parameters:,} parameters" if isinstance(parameters, int) else ""
    tables.add(table, "architecture", facts["architecture"] + count)
    tables.add(table, "vocabulary", f"{record.get('vocab', '')} tokens")
    seconds = record.get("training_seconds")
    took = f", {seconds / 60:.1f} minutes" if isinstance(seconds, int | float) else ""
    tables.add(table, "trained", f"{record.get('steps', '')} steps{took}")
    tables.add(table, "engine", facts["engine"])
    return table


def _corpora_table(record: Mapping[str, Any]) -> Table:
    table = tables.table("corpus", "times", "pairs", "held out")
    for corpus in record.get("corpora", []):
        counts = f"{corpus.get('train', 0):,}", f"{corpus.get('valid', 0):,}"
        tables.add(table, str(corpus.get("name")), f"{corpus.get('times', 1):g}", *counts)
    return table


def _figures_table(record: Mapping[str, Any]) -> Table:
    report = _mapping(record.get("report"))
    table = tables.table("measured on", "pairs", "perplexity", "n-gram", "ratio")
    for name, row in {**_mapping(report.get("corpora")), "all": _mapping(report.get("all"))}.items():
        figures = (_number(row.get(key)) for key in ("perplexity", "ngram_perplexity"))
        ratio = row.get("ratio")
        if row:
            tables.add(table, name, f"{row.get('pairs', 0):,}", *figures, f"{ratio:.2f}" if ratio else "")
    return table


def _options_table(checkpoint: Checkpoint) -> Table:
    table = tables.table("option", "value")
    for section, options in checkpoint.config.to_json().items():
        for name, value in options.items():
            tables.add(table, f"{section}.{name}", str(value))
    return table


def _files(checkpoint: Checkpoint) -> dict[str, int | None]:
    """The size of each file in bytes; None where it is not there."""
    paths = {name: checkpoint.home / name for name in checkpoint.files}
    return {name: path.stat().st_size if path.is_file() else None for name, path in paths.items()}


def _files_table(checkpoint: Checkpoint) -> Table:
    table = tables.table("file", "MB")
    for name, size in _files(checkpoint).items():
        tables.add(table, name, "missing" if size is None else f"{size / MEGABYTE:.2f}")
    return table


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, int | float) else ""
