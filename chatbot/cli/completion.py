"""``chatbot completion``: the script that makes a shell complete verbs, options, checkpoints and corpora."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = {
    "bash": 'eval "$(chatbot completion bash)"  in ~/.bashrc',
    "zsh": 'eval "$(chatbot completion zsh)"  in ~/.zshrc',
    "fish": "chatbot completion fish > ~/.config/fish/completions/chatbot.fish",
}
"""How each shell is told, for the help."""


@click.command(epilog="Put into a start-up file:  " + ";  ".join(SHELLS.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the script that lets a shell complete.

    It asks the installed program, so it need not be printed again for a new version.
    """
    from chatbot.cli import VARIABLE, group

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(group, {}, "chatbot", VARIABLE).source())


def complete_checkpoint(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Names of checkpoints that begin as what is typed, and files."""
    from chatbot.checkpoint import STARTER, list_complete

    folder = Path(context.params.get("checkpoints") or "checkpoints")
    names = [each.name for each in list_complete(folder)] + [STARTER]
    return _items(names, typed)


def complete_corpus(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Names of corpora that begin as what is typed, and files."""
    from chatbot.corpus.library import list_corpora

    folder = Path(context.params.get("corpora") or "corpora")
    return _items([entry.name for entry in list_corpora(folder)], typed)


def _items(names: list[str], typed: str) -> list[CompletionItem]:
    """The names, or where none fits what the shell knows of files."""
    found = [CompletionItem(name) for name in names if name.startswith(typed)]
    return found or [CompletionItem(typed, type="file")]
