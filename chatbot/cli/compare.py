"""``chatbot compare``: the same data, seed and budget through a grid of options; one table, one plot."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli.completion import complete_corpus
from chatbot.cli.exits import INTERRUPTED
from chatbot.cli.options import (
    SEED_OF_SAMPLING,
    checkpoints_option,
    config_file_option,
    config_options,
    corpora_option,
    field_parser,
    like_option,
    preset_option,
    resolve_config,
)
from chatbot.cli.stopping import stopping
from chatbot.comparison.grid import Grid, read_grid
from chatbot.comparison.variant import Variant, slug
from chatbot.config import SECTIONS, TEXTS, Config, locate, option_field, option_type
from chatbot.errors import ChatbotError, OptionError

if TYPE_CHECKING:
    from rich.console import Console

    from chatbot.comparison.outcome import Results
    from chatbot.training.events import Event

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]

HOME = "compare"
"""The folder of comparisons. It is itself no checkpoint, so what lies in it is never the newest one."""

DEFAULT_AXES = {"model.attention": ("none", "additive", "dot", "general")}
"""What is compared when nothing is said: Luong et al. 2015 beside Bahdanau et al. 2015 and no attention."""

PAGE = "compare.md"
NO_PLOTS = "no pictures without matplotlib: pip install 'chatbot[plots]', and the same command draws them"
NO = "no_"
LISTS = [
    f"{section}.{field.name}"
    for section, options in SECTIONS.items()
    for field in dataclasses.fields(options)
    if option_type(section, field.name) == TEXTS
]
"""Options that are lists already: several of them are no axis."""


def list_options(command: Function) -> Function:
    """Every option of a configuration, each with several values, separated by commas."""
    singles = click.Command("singles")
    config_options(*SECTIONS, without=(SEED_OF_SAMPLING, *LISTS))(singles)
    for single in singles.params:  # the last one first, as decorators are applied
        assert isinstance(single, click.Option)
        for decorate in _list_options(single):
            command = decorate(command)
    return command


def _list_options(single: click.Option) -> list[Decorator]:
    """The option that takes a list; of a switch, both of its names."""
    name, on, off = str(single.name), single.opts, single.secondary_opts
    if single.is_flag:
        both = f"The same, off; {on[0]} and {off[0]} together compare the two."
        return [
            click.option(*off, NO + name, is_flag=True, help=both),
            click.option(*on, name, is_flag=True, help=single.help),
        ]
    kind = _list_parser(*locate(name))
    return [click.option(*on, name, type=kind, metavar=single.metavar, help=single.help)]


def _list_parser(section: str, name: str) -> Callable[[str], tuple[Any, ...]]:
    """A click type: values between commas, each once; a free text may hold commas and is one value."""
    one = field_parser(section, name)
    free = option_type(section, name) is str and not option_field(section, name).metadata["choices"]

    def parse(text: str) -> tuple[Any, ...]:
        parts = [text] if free else [part.strip() for part in text.split(",")]
        return tuple(dict.fromkeys(one(part) for part in parts))

    return parse


@click.command()
@click.argument("corpora_named", metavar="[CORPUS]...", nargs=-1, shell_complete=complete_corpus)
@click.option(
    "--name", metavar="NAME", help="Name of the comparison.  [default: made from corpora and options]"
)
@click.option(
    "--grid",
    "grid_file",
    type=click.Path(path_type=Path),
    metavar="FILE.toml",
    help="Options and their values from a file, and single variants in [[variant]] tables; options win.  "
    "[default: no file]",
)
@preset_option
@like_option
@list_options
@click.option("--plot/--no-plot", default=True, help="Draw the curves and the attention.  [default: plot]")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON instead of the table.")
@click.option("--quiet", is_flag=True, help="No progress and no notices; errors are still told.")
@corpora_option
@checkpoints_option
@config_file_option
@click.pass_context
def compare(
    context: click.Context,
    /,
    corpora_named: tuple[str, ...],
    corpora: Path,
    checkpoints: Path,
    **params: Any,
) -> None:
    """Compare attentions, cells or any other options on the same data.

    An option takes several values, separated by commas; every combination is trained for the same time,
    asked the same held-out questions, and laid beside the others. CORPUS is as for chatbot train. Without
    several values of anything, the attentions none, additive, dot and general are compared.

    Options of decoding alone (such as --beam 1,4) are compared on one checkpoint. The checkpoints, figures
    and pictures go to compare/NAME among the checkpoints.

    Ctrl-C finishes the step, saves and ends with status 130; the same command goes on from there. A variant
    that fails loses none of the others: the exit status is 0 when at least one came to its end.
    """
    grid = _grid(params)
    base = resolve_config(Config(), params["preset"], params["config_file"], {}, params["like"])
    variants = grid.variants(base)
    _check_limits(variants)
    folder = checkpoints / HOME / _name(params, corpora_named, grid)
    from chatbot.cli.progress import stderr_console
    from chatbot.comparison.runner import Comparison, Plan

    command = shlex.join(["chatbot", *sys.argv[1:]])
    watcher = Display(stderr_console(), params["quiet"])
    comparison = Comparison(Plan(folder, corpora_named, corpora, command, variants), watcher)
    watcher.starting(len(variants), comparison.prepare())
    with stopping(comparison.stop, watcher.note):
        finished = comparison.run()
    if not finished:
        watcher.note("go on with the same command")
        context.exit(INTERRUPTED)
    _tell(comparison.results(), folder, params, watcher)


class Display:
    """A comparison as a person sees it on stderr: a heading, then the display of ``chatbot train``."""

    def __init__(self, console: Console, quiet: bool) -> None:
        self._console = console
        self._quiet = quiet

    def note(self, message: str) -> None:
        """A notice, above whatever is being drawn."""
        from chatbot.cli.progress import note

        if not self._quiet:
            note(self._console, message)

    def starting(self, variants: int, untrained: int) -> None:
        """How much there is to do."""
        self.note(f"{variants} variants, {untrained} checkpoints to train")

    def training(self, heading: str, events: Iterable[Event]) -> bool:
        """Show a run; whether it was interrupted is returned."""
        from chatbot.cli.progress import show

        self._print(heading)
        return show(events, self._quiet, self._console)

    def measuring(self, heading: str, questions: int) -> None:
        """Tell that a variant is asked."""
        self._print(f"{heading}: replying to {questions} held-out questions ...")

    def failed(self, heading: str, reason: str) -> None:
        """Tell what went wrong; the table says it too."""
        self._print(f"{heading}: failed: {reason}")

    def _print(self, text: str) -> None:
        from rich.text import Text

        from chatbot.display.text import visible

        if not self._quiet:
            self._console.print(Text(visible(text), style="bold"), soft_wrap=not self._console.is_terminal)


def _grid(params: Mapping[str, Any]) -> Grid:
    """What the grid file and the options say together."""
    given = _given_axes(params)
    grid = (read_grid(params["grid_file"]) if params["grid_file"] else Grid(where="compare")).changed(given)
    nothing = not (grid.named or grid.several() or "model.attention" in grid.axes or params["like"])
    return grid.changed(DEFAULT_AXES) if nothing else grid


def _given_axes(params: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The options on the command line that were given, by "section.name"."""
    axes: dict[str, tuple[Any, ...]] = {}
    for section, options in SECTIONS.items():
        for name in (field.name for field in dataclasses.fields(options)):
            values = params.get(name) or ()
            if option_type(section, name) is bool:
                values = (True,) * bool(params[name]) + (False,) * bool(params[NO + name])
            if values:
                axes[f"{section}.{name}"] = values
    return axes


def _check_limits(variants: Sequence[Variant]) -> None:
    """Raises OptionError where a run would never end."""
    for variant in variants:
        training = variant.config.training
        if not (training.minutes or training.epochs or training.steps):
            what = "is 0, and neither --epochs nor --steps says when to end"
            raise OptionError("--minutes", what, "give one of the three")


def _name(params: Mapping[str, Any], corpora: Sequence[str], grid: Grid) -> str:
    """The name asked for, or one made from corpora and options: the same command has the same one."""
    name: str | None = params["name"]
    if name is None:
        axes = [key.rpartition(".")[2] for key in grid.several()] if grid.where == "compare" else []
        source = [] if grid.where == "compare" else [Path(grid.where).stem]
        return slug("-".join([*(Path(corpus).stem for corpus in corpora), *source, *axes]))
    if not name or Path(name).name != name or name.startswith("."):
        raise OptionError("--name", f"{name!r} is no name for a folder", "use letters, digits and dashes")
    return name


def _tell(results: Results, folder: Path, params: Mapping[str, Any], watcher: Display) -> None:
    """Print the results, then draw and write them."""
    _print(results, params["as_json"])
    pictures = _draw(results, folder, watcher) if params["plot"] else []
    from chatbot.comparison.page import comparison_page
    from chatbot.files import write_atomically

    write_atomically(folder / PAGE, comparison_page(results, pictures).encode())
    watcher.note(f"figures, pictures and checkpoints are in {folder}")
    if not results.worked:
        raise ChatbotError(results.name, "no variant came to its end", "see why in the table")


def _print(results: Results, as_json: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from chatbot.comparison.table import ENDLESS, result_lines
    from chatbot.display.record import json_line

    if as_json:
        click.echo(json_line(results.to_json()))
        return
    console = Console(highlight=False)
    for line in result_lines(results, console.width if console.is_terminal else ENDLESS):
        console.print(Text(line.text, style="bold" if line.heading else ""), soft_wrap=True)


def _draw(results: Results, folder: Path, watcher: Display) -> list[tuple[str, str]]:
    """The pictures that could be drawn, as title and file."""
    from chatbot.comparison.pictures import draw
    from chatbot.display.drawing import can_draw

    if not can_draw():
        watcher.note(NO_PLOTS)
        return []
    return draw(results, folder)
