"""``chatbot attend``: what each word of a reply looked at, at the terminal or in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from chatbot.cli.exits import show_note
from chatbot.cli.optional import MAPS
from chatbot.cli.options import checkpoints_option, config_options
from chatbot.cli.streams import text_argument
from chatbot.errors import OptionError

PIPE_COLUMNS = 80
"""What stands for the width of a terminal where there is none."""


@click.command()
@click.argument("words", metavar="[CHECKPOINT] TEXT...", nargs=-1, required=True)
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write .png, .svg, .html, .txt, .csv, .json or .npz instead of showing it.  [default: shown]",
)
@click.option(
    "--map",
    "map_name",
    type=click.Choice(MAPS),
    help="How it is drawn at the terminal: in words, as the question shaded a reply word each, or as a heat "
    "map; with -o FILE.svg or FILE.html, that the terminal's map is wanted.  [default: matrix]",
)
@click.option(
    "--theme", type=click.Choice(["light", "dark"]), help="Colours.  [default: as it fits what shows them]"
)
@click.option("--reply", metavar="TEXT", help="The attention of this reply.  [default: the checkpoint's own]")
@click.option(
    "--before",
    metavar="TEXT",
    multiple=True,
    help="A turn before the question, the oldest first; once for each.  [default: none]",
)
@click.option(
    "--compare",
    "names",
    metavar="NAME,NAME...",
    help="Several checkpoints side by side: by name, by path, or by the attention they were trained with "
    "(the newest of each).  [default: one]",
)
@click.option("--layer", type=click.IntRange(min=1), metavar="N", help="A layer.  [default: the last one]")
@click.option("--head", type=click.IntRange(min=1), metavar="N", help="A head.  [default: the mean of all]")
@config_options("training.device")
@click.option("--quiet", is_flag=True, help="No notices; errors are still told.")
@checkpoints_option
def attend(words: tuple[str, ...], checkpoints: Path, device: str | None, **params: Any) -> None:
    """Show which words of each TEXT the reply's words looked at.

    CHECKPOINT is as for chatbot chat. Several TEXTs make several maps, in one file where -o names one.
    """
    from chatbot.cli.exhibit_files import Manner, check_file
    from chatbot.cli.exhibiting import Asked

    folders, texts = _who_and_what(words, checkpoints, params)
    manner = Manner(params["map_name"], params["theme"] or "", len(folders) > 1)
    if params["output"] is not None:
        check_file(params["output"], manner)
    reply = None if params["reply"] is None else text_argument(params["reply"])
    before = tuple(map(text_argument, params["before"]))
    asked = Asked(texts, reply, before, params["layer"] or 0, params["head"] or 0)
    exhibits = [each for folder in folders for each in asked.exhibits(folder, device or "auto")]
    _show(exhibits, manner, params)


def _who_and_what(
    words: tuple[str, ...], checkpoints: Path, params: dict[str, Any]
) -> tuple[list[Path], list[str]]:
    """The folders of the checkpoints, and the texts that are asked."""
    from chatbot.checkpoint import find
    from chatbot.cli.exhibiting import compared, likely_meant, split_arguments

    if params["names"] is not None:
        folders, texts = compared(params["names"], checkpoints), list(words)
    else:
        name, texts = split_arguments(words, checkpoints)
        folders = [find(name, checkpoints)]
        meant = likely_meant(words, checkpoints) if name is None else None
        if meant and not params["quiet"]:
            show_note(f"{words[0]!r} is read as a text; there is a checkpoint {meant}")
    texts = [text_argument(text) for text in texts]
    if not all(text.strip() for text in texts):
        raise OptionError("TEXT", "is blank", "say something")
    return folders, texts


def _show(exhibits: list[Any], manner: Any, params: dict[str, Any]) -> None:
    from chatbot.cli.exhibit_files import write

    path: Path | None = params["output"]
    if path is None:
        _print(exhibits, manner)
        return
    for notice in write(exhibits, path, manner):
        if not params["quiet"]:
            show_note(notice)
    click.echo(str(path))


def _print(exhibits: list[Any], manner: Any) -> None:
    """The maps at the terminal; on a pipe 80 columns of characters."""
    import shutil

    from chatbot.cli.exhibit_files import lines_of
    from chatbot.display.look import PLAIN, Look, plain
    from chatbot.display.terminal import coloured, standard_look

    if sys.stdout.isatty():
        look = standard_look(shutil.get_terminal_size().columns, manner.theme)
    elif manner.theme:
        raise OptionError("--theme", "there are no colours on a pipe", "leave it out, or name a file with -o")
    else:
        look = Look(PIPE_COLUMNS)
    for line in lines_of(exhibits, look, manner):
        click.echo(plain(line) if look.theme == PLAIN else coloured(line))
