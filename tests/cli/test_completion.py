from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from chatbot.cli import VARIABLE, group
from chatbot.cli.completion import SHELLS


def completed(line: str, folder: Path) -> list[str]:
    """What the program answers a bash that completes the last word of a line."""
    code = "from chatbot.cli import main; main()"
    words = line.split(" ")
    environment = os.environ | {
        VARIABLE: "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'chatbot'; {code}"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=True,
    )
    return [each.partition(",")[2] for each in ran.stdout.splitlines()]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_script_is_one_the_shell_understands(shell: str) -> None:
    script = CliRunner().invoke(group, ["completion", shell]).output
    assert VARIABLE in script
    if shutil.which(shell):
        read = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=False)
        assert (read.returncode, read.stderr) == (0, "")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("chatbot cha", ["chat"]),
        ("chatbot corpus f", ["forget", "formats"]),
        ("chatbot chat --gre", ["--greedy"]),
        ("chatbot chat star", ["starter"]),
        ("chatbot train small", ["smalltalk"]),
        ("chatbot corpus show small", ["smalltalk"]),
    ],
)
def test_verb_option_and_name_are_completed(line: str, found: list[str], tmp_path: Path) -> None:
    assert completed(line, tmp_path) == found


def test_word_that_is_no_name_is_left_to_the_shell_as_a_file(tmp_path: Path) -> None:
    assert completed("chatbot train my", tmp_path) == ["my"]
