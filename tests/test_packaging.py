"""What a wheel and a source archive hold."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHIPPED = {"corpora/smalltalk", "checkpoints/starter"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, as an installation lays them out."""
    folder = tmp_path_factory.mktemp("site-packages")
    shutil.unpack_archive(next(built.glob("*.whl")), folder, "zip")
    return folder


def files(folder: Path, pattern: str = "*") -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob(pattern) if path.is_file()}


def run_from(site_packages: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CHATBOT")}
    environment |= {"PYTHONPATH": str(site_packages), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "chatbot", *words]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_wheel_holds_every_module(unpacked: Path) -> None:
    assert files(unpacked / "chatbot", "*.py") == files(ROOT / "chatbot", "*.py")


@pytest.mark.parametrize("folder", sorted(SHIPPED))
def test_wheel_ships_the_folder_without_training_state(unpacked: Path, folder: str) -> None:
    here = {name for name in files(ROOT / folder) if not name.startswith("resume/")}
    assert here
    assert files(unpacked / "chatbot" / "shipped" / folder) == here


def test_wheel_brings_the_manual_page_and_nothing_else(unpacked: Path) -> None:
    (metadata,) = unpacked.glob("*.dist-info")
    (data,) = unpacked.glob("*.data")
    assert {path.name for path in unpacked.iterdir()} == {"chatbot", metadata.name, data.name}
    assert files(data) == {"data/share/man/man1/chatbot.1"}


def test_source_archive_builds_the_same_wheel(built: Path, unpacked: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(next(built.glob("*.tar.gz")), tmp_path, filter="data")
    source = next(tmp_path.iterdir())
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "again")]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=60)
    with zipfile.ZipFile(next((tmp_path / "again").glob("*.whl"))) as again:
        names = {name for name in again.namelist() if ".dist-info/" not in name and ".data/" not in name}
    assert names == {f"chatbot/{name}" for name in files(unpacked / "chatbot")}
    assert not {p.name for p in source.iterdir()} & {".venv", ".git", ".ci"}
    assert {p.name for p in (source / "checkpoints").iterdir()} == {"starter"}


def test_wheel_answers_in_an_empty_folder(unpacked: Path, tmp_path: Path) -> None:
    ran = run_from(unpacked, tmp_path, "chat", "--question", "hello")
    assert ran.returncode in (0, 3), ran.stderr
    assert len(ran.stdout.splitlines()) == 1
    assert ran.stdout.strip()


def test_wheel_knows_its_corpus_in_an_empty_folder(unpacked: Path, tmp_path: Path) -> None:
    ran = run_from(unpacked, tmp_path, "corpus", "list")
    assert "smalltalk" in ran.stdout, ran.stderr
