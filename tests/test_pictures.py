"""The pictures of the documentation show the real program."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest
from wcwidth import wcswidth

from chatbot.display.look import plain

ROOT = Path(__file__).parent.parent
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
LARGEST = 60_000
"""Bytes of a picture that a page loads in passing."""


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """docs/make_pictures.py"""
    specification = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "make_pictures.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def shown(path: Path) -> list[str]:
    """The lines of text of a picture."""
    rows: dict[float, str] = {}
    for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text"):  # noqa: S314  ours
        if "clip-path" in element.attrib:
            row = float(element.attrib["y"])
            rows[row] = rows.get(row, "") + "".join(element.itertext())
    return [rows[row].replace("\xa0", " ").rstrip() for row in sorted(rows)]


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_picture_is_small_and_fetches_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.encode()) < LARGEST
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314  ours
    assert not re.search(r"(href|src)\s*=\s*[\"'](?!#)|url\((?!#)|@import|<script", text)


def test_every_picture_is_on_a_page() -> None:
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert [path.name for path in PICTURES if f"pictures/{path.name})" not in pages] == []


def test_pictures_of_the_terminal_are_as_wide_as_a_terminal(maker: ModuleType) -> None:
    for name in ("chat", "attend-matrix", "attend-strip", "training", "trained"):
        lines = shown(ROOT / "docs" / "pictures" / f"{name}.svg")
        assert lines[0].startswith("$ chatbot ")
        assert max(map(wcswidth, lines)) <= maker.COLUMNS


@pytest.mark.slow
def test_screen_is_what_the_program_writes(maker: ModuleType, tmp_path: Path) -> None:
    words = ["attend", "starter", "I have a cat", "--map", "words"]
    drawn = [plain(line) for line in maker.ran(tmp_path, words)]
    command = [sys.executable, "-m", "chatbot", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    told = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert drawn[0] == '$ chatbot attend starter "I have a cat" --map words'
    assert drawn[1:] == told.stdout.splitlines()


@pytest.mark.slow
def test_pictures_of_attention_are_up_to_date(maker: ModuleType, tmp_path: Path) -> None:
    for name, lines in maker.attention(tmp_path).items():
        stored = shown(ROOT / "docs" / "pictures" / f"{name}.svg")
        # Blanks without a colour are not drawn.
        assert " ".join(map(plain, lines)).replace(" ", "") == "".join(stored).replace(" ", ""), (
            "run make docs"
        )
