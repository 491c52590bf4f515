"""``chatbot corpus add``: files in any known format become a corpus."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli.options import config_options, corpora_option, given_options, resolve_config
from chatbot.config import Config
from chatbot.errors import CorpusError, OptionError

if TYPE_CHECKING:
    from chatbot.corpus.adding import Added
    from chatbot.corpus.importing import Import

PAIR_OPTIONS = (
    "data.me",
    "data.context",
    "data.min_words",
    "data.max_words",
    "data.reply_cap",
    "data.near_duplicates",
    "data.echoes",
    "data.scripts",
    "data.languages",
)
"""Options of choosing pairs that belong to a corpus."""


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Name of the corpus.  [default: made from the first file]")
@config_options("reading", *PAIR_OPTIONS)
@click.option("--replace", is_flag=True, help="Take the place of a corpus of that name, at once and whole.")
@click.option(
    "--keep-rejected",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the pairs that are left out to a file, a JSON object a line, with the reason.  "
    "[default: not written]",
)
@click.option(
    "--jobs", metavar="INTEGER", type=int, default=None, help="Processes that work.  [default: one a core]"
)
@click.option(
    "--cluster", metavar="ADDRESS", help="Scheduler of a Dask cluster that works instead.  [default: none]"
)
@click.option("--quiet", is_flag=True, help="No progress and no summary; errors are still told.")
@corpora_option
def add(
    files: tuple[Path, ...],
    name: str | None,
    replace: bool,
    keep_rejected: Path | None,
    jobs: int | None,
    cluster: str | None,
    quiet: bool,
    corpora: Path,
    **params: Any,
) -> None:
    """Turn files into a corpus: chat exports, logs, mail, subtitles, tables, public corpora.

    FILE is a file, a folder or an archive (zip, gzip, zstd); its format is recognised by its content, see
    chatbot corpus formats. What is kept and what is left out is counted and told; the folder of the corpus
    is printed. What is chosen here holds for training too.
    """
    from chatbot.cli.import_progress import ImportProgress
    from chatbot.corpus.adding import Adding
    from chatbot.corpus.importing import Import

    config = resolve_config(Config(), None, None, given_options(params, "reading", *PAIR_OPTIONS))
    if not files and not config.reading.src:
        raise OptionError("FILE", "no file is given", "name a chat export, a table or another file")
    if name is not None:
        _check_name(name)
    with ImportProgress(quiet) as progress:
        imported = Import(files, config.reading, progress.note, progress.advance)
        progress.begin(imported)
        folder = corpora / (name or _name(imported))
        _check_free(folder, replace)
        adding = Adding(imported, config.data, _workers(jobs, cluster))
        added = adding.write(folder, keep_rejected)
    click.echo(str(added.folder))
    if not quiet:
        _tell(added, progress)


def _check_name(name: str) -> None:
    from chatbot.corpus.library import is_name

    if not is_name(name):
        raise OptionError("--name", f"{name!r} is no name for a folder", "use letters, digits and dashes")


def _check_free(folder: Path, replace: bool) -> None:
    from chatbot.corpus.library import is_built_in

    if is_built_in(folder.name):
        raise OptionError("--name", f"{folder.name} is a built-in corpus", "choose another with --name")
    if folder.exists() and not replace:
        raise CorpusError(str(folder), "exists", "choose another --name, or --replace it")


def _name(imported: Import) -> str:
    """A name made from the first file, or of the format where names are scrubbed."""
    stem = imported.format.partition(",")[0]
    if not imported.options.scrub:
        stem = imported.paths[0].resolve().name
        while (suffix := Path(stem).suffix) and len(suffix) <= 6 and suffix[1:].isalnum() and Path(stem).stem:
            stem = Path(stem).stem
    return re.sub(r"[^\w.()-]+", "-", stem).strip("-.")[:60] or "corpus"


def _workers(jobs: int | None, cluster: str | None) -> Any:
    from chatbot.corpus.shards import Cluster, Processes, here

    if cluster is not None:
        if jobs is not None:
            raise OptionError("--jobs", "does not go with --cluster", "leave one of them out")
        return Cluster(cluster)
    if jobs is not None and jobs < 1:
        raise OptionError("--jobs", f"is {jobs}", "it must be at least 1")
    number = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return here if number == 1 else Processes(number)


def _tell(added: Added, progress: Any) -> None:
    """The summary: messages, conversations, pairs, and everything that was left out."""
    counts, cleaning = added.meta.counts, added.cleaning
    progress.say(_messages(added.messages, counts))
    progress.say(
        f"{cleaning.conversations:,} conversations of {cleaning.turns:,} turns; "
        f"{cleaning.one_turn:,} of them got no answer"
    )
    left = ", ".join(f"{count:,} {reason}" for reason, count in cleaning.left_out().items())
    progress.say(f"{cleaning.kept:,} pairs kept; left out: {left or 'none'}")
    if "scrubbed" in counts:
        kinds = "".join(f", {count:,} {kind}" for kind, count in sorted(added.scrubbed.items()))
        progress.say(
            f"scrubbed: {counts['speakers']:,} speakers{kinds}; look through the corpus before you share it"
        )


def _messages(messages: Mapping[str, int], counts: Mapping[str, Any]) -> str:
    from chatbot.corpus.message import SAID

    total = sum(messages.values())
    others = ", ".join(f"{count:,} {kind}" for kind, count in messages.items() if kind != SAID and count)
    text = f"{total:,} messages" + (f"; no turns: {others}" if others else "")
    if counts["not_understood"]:
        text += f"; {counts['not_understood']:,} lines were not understood"
    return text
