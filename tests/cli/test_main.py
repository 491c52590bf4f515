from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import click
import pytest

from chatbot.cli import VERBS, main
from chatbot.cli.checkpoint import VERBS as CHECKPOINT_VERBS
from chatbot.cli.corpus import VERBS as CORPUS_VERBS

Capture = pytest.CaptureFixture[str]


def status(*args: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(args)
    assert isinstance(left.value.code, int)
    return left.value.code


def test_every_verb_is_where_the_table_says() -> None:
    for name, verb in [*VERBS.items(), *CORPUS_VERBS.items(), *CHECKPOINT_VERBS.items()]:
        module, _, attribute = verb.place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        assert command.name == name
        assert verb.summary == command.get_short_help_str(limit=200)


def test_help_lists_every_verb_and_exit_status(capsys: Capture) -> None:
    assert status("--help") == 0
    out, err = capsys.readouterr()
    assert all(f"\n  {verb} " in out for verb in VERBS)
    assert {"0", "1", "2", "3", "130", "141"} <= set(out.split())
    assert err == ""


def test_help_imports_no_verb() -> None:
    code = "import sys; from chatbot.cli import group; group.get_help(group.context_class(group)); "
    code += "print(*(name for name in sys.modules if name.startswith('chatbot.cli.')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) == {f"chatbot.cli.{name}" for name in ("exits", "lazy", "streams")}


def test_no_verb_is_wrong_usage_with_the_help_on_stderr(capsys: Capture) -> None:
    assert status() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: chatbot")


def test_unknown_verb_is_told_with_the_known_ones(capsys: Capture) -> None:
    assert status("chst") == 2
    verbs = ", ".join(VERBS)
    assert capsys.readouterr().err == f"Error: chatbot: no verb 'chst' among {verbs}; see chatbot --help\n"


def test_version_is_that_of_the_package(capsys: Capture) -> None:
    import chatbot

    assert status("--version") == 0
    assert capsys.readouterr().out == f"chatbot {chatbot.__version__}\n"


@pytest.mark.parametrize("heavy", ["torch", "nltk", "numpy", "rich", "prompt_toolkit", "tokenizers"])
def test_help_of_chat_and_import_of_package_load_nothing_heavy(heavy: str, tmp_path: Path) -> None:
    (tmp_path / f"{heavy}.py").write_text("raise SystemExit('loaded')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import chatbot; from chatbot.cli import main;"
        "main(['chat', '--help'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_unknown_name_of_the_package_is_an_attribute_error() -> None:
    import chatbot

    with pytest.raises(AttributeError, match="Chatterbox"):
        _ = chatbot.Chatterbox
