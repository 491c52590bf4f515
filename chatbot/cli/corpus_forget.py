"""``chatbot corpus forget`` and ``remove``: what is to be learned from no more."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from chatbot.cli.completion import complete_corpus
from chatbot.cli.exits import show_note
from chatbot.cli.options import checkpoints_option, corpora_option
from chatbot.cli.streams import text_argument
from chatbot.errors import ChatbotError, CorpusError, OptionError


@click.command()
@click.argument("name", shell_complete=complete_corpus)
@click.option(
    "--speaker", required=True, metavar="NAME", help="Whose turns are taken out, spelt as in the corpus."
)
@corpora_option
@checkpoints_option
def forget(name: str, speaker: str, corpora: Path, checkpoints: Path) -> None:
    """Take a person's turns out of a stored corpus and write a receipt.

    The receipt, whose path is printed, says how much was taken out and which checkpoints were trained on the
    corpus as it was; those still know what they learned, but the pairs they keep for chat --why go. What was
    encoded of the corpus is removed as well.
    """
    from chatbot.checkpoint import trained_on
    from chatbot.corpus.forgetting import forget as take_out
    from chatbot.corpus.forgetting import known_hashes
    from chatbot.training.cache import remove_caches

    folder = _folder(name, corpora)
    receipt, path = take_out(folder, text_argument(speaker), lambda hashes: trained_on(checkpoints, hashes))
    caches = remove_caches(corpora, known_hashes(folder))
    click.echo(str(path))
    show_note(
        f"{receipt.turns:,} turns of {receipt.conversations:,} conversations were taken out; "
        f"{receipt.still_named:,} turns of others name the speaker and stay; {caches:,} caches were removed"
    )
    for checkpoint in receipt.checkpoints:
        show_note(f"{checkpoint} was trained on these turns and still knows them; train it anew or delete it")
        _forget_texts(Path(checkpoint))


def _forget_texts(checkpoint: Path) -> None:
    """Take the pairs out of a checkpoint, or say that they are still there."""
    from chatbot.trust.stored import forget_texts

    try:
        if forget_texts(checkpoint):
            show_note(f"the pairs that {checkpoint} kept for chat --why were taken out")
    except ChatbotError as error:
        show_note(f"the pairs that {checkpoint} keeps for chat --why are still there: {error}")


@click.command()
@click.argument("name", shell_complete=complete_corpus)
@click.option("--yes", is_flag=True, help="Do not ask.")
@corpora_option
def remove(name: str, yes: bool, corpora: Path) -> None:
    """Delete a stored corpus and what was encoded of it. Checkpoints that learned from it stay."""
    from chatbot.corpus.forgetting import known_hashes
    from chatbot.training.cache import remove_caches

    folder = _folder(name, corpora)
    if not yes:
        if not sys.stdin.isatty():
            raise OptionError("--yes", "is needed where nobody can be asked", "give it to delete the corpus")
        click.confirm(f"Delete {folder}?", abort=True, err=True)
    hashes = known_hashes(folder)
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise CorpusError(
            str(folder), f"cannot be deleted ({error.strerror})", "check its permissions"
        ) from None
    caches = remove_caches(corpora, hashes)
    show_note(f"{folder} is deleted; {caches:,} caches were removed")


def _folder(name: str, corpora: Path) -> Path:
    """The folder of a stored corpus.

    Raises:
        CorpusError: there is none of that name.
    """
    from chatbot.corpus.library import stored_folder

    return stored_folder(name, corpora)
