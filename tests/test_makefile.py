"""``make chat`` on a fresh clone, with a stand-in for Python that installs nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What stands in for Python writes down how it was called; the .venv it makes has a pip that chatters on
# stdout and succeeds unless a file "no-network" is there, and a chatbot that repeats the question.
PYTHON = """\
#!/bin/sh
echo "$*" >>calls
case "$*" in
    "-m venv .venv") mkdir -p .venv/bin; cp "$0" .venv/bin/python; cp chatbot-stub .venv/bin/chatbot ;;
    *tomllib*) echo "torch>=2.6" ;;
    *" install "*) echo chatter; cat >/dev/null; test ! -e no-network ;;
    *"-m pip"*) test -e .venv/bin/python ;;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name, script in {"python": PYTHON, "chatbot-stub": "#!/bin/sh\ncat\n"}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def make(clone: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "TORCH_INDEX", "ARGS", "PYTEST_ARGS", "PYTHON", "CI"}
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    command = ["make", *words, *([] if "PYTHON=false" in words else ["PYTHON=./python"])]
    return subprocess.run(command, cwd=clone, env=environment, input=stdin, capture_output=True, text=True)


def installs(clone: Path) -> list[str]:
    return [line for line in (clone / "calls").read_text().splitlines() if "install" in line]


def test_make_chat_prints_the_reply_alone(clone: Path) -> None:
    ran = make(clone, "chat", stdin="hi\n")
    assert (ran.returncode, ran.stdout) == (0, "hi\n")
    assert "chatter" in ran.stderr


def test_make_chat_installs_once_and_without_tools(clone: Path) -> None:
    make(clone, "chat")
    ran = make(clone, "chat", stdin="again\n")
    assert (ran.stdout, ran.stderr) == ("again\n", "")
    assert len(installs(clone)) == 1
    assert "dev" not in installs(clone)[0]


def test_make_test_adds_the_tools_and_runs_pytest(clone: Path) -> None:
    make(clone, "test")
    make(clone, "test")
    assert sum("[dev]" in line for line in installs(clone)) == 1
    assert (clone / "calls").read_text().splitlines()[-1] == "-m pytest"


def test_make_test_runs_slow_tests_on_a_build_server(clone: Path) -> None:
    make(clone, "test", "CI=true")
    assert (clone / "calls").read_text().splitlines()[-1] == "-m pytest -m not gpu"


def test_failed_install_is_done_again(clone: Path) -> None:
    (clone / "no-network").touch()
    assert make(clone, "chat", stdin="hi\n").returncode == 2
    (clone / "no-network").unlink()
    assert make(clone, "chat", stdin="hi\n").stdout == "hi\n"


def test_changed_dependencies_are_installed(clone: Path) -> None:
    make(clone, "chat")
    later = (clone / ".venv" / "installed").stat().st_mtime + 5
    os.utime(clone / "pyproject.toml", (later, later))
    make(clone, "chat")
    assert len(installs(clone)) == 2


def test_torch_index_is_for_torch_alone(clone: Path) -> None:
    make(clone, "chat", "TORCH_INDEX=https://builds.example/cpu")
    first, second = installs(clone)
    assert first.endswith("--index-url https://builds.example/cpu torch>=2.6")
    assert "index" not in second


def test_unfit_python_is_told_in_one_line(clone: Path) -> None:
    ran = make(clone, "chat", "PYTHON=false")
    assert ran.stderr.splitlines()[0].startswith("Error: false: Python 3.11, 3.12 or 3.13 is needed")
    assert not (clone / ".venv").exists()
