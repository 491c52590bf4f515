"""The pages say what the code says."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from pathlib import Path

from chatbot.config import SECTIONS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_options_page_is_up_to_date() -> None:
    specification = importlib.util.spec_from_file_location("make_options", ROOT / "docs" / "make_options.py")
    assert specification is not None
    assert specification.loader is not None
    maker = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(maker)
    assert (ROOT / "docs" / "options.md").read_text("utf-8") == maker.page(), "run docs/make_options.py"


def test_options_page_names_every_option() -> None:
    page = (ROOT / "docs" / "options.md").read_text("utf-8")
    for options in SECTIONS.values():
        for field in dataclasses.fields(options):
            assert f"`--{field.metadata['flag'] or field.name.replace('_', '-')}`" in page


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_names_every_room() -> None:
    tree = (ROOT / "README.md").read_text("utf-8").partition("## What is where")[2]
    rooms = {path.name + "/" for path in (ROOT / "chatbot").iterdir() if (path / "__init__.py").exists()}
    rooms |= {path.name for path in (ROOT / "chatbot").glob("[!_]*.py")}
    assert {room for room in rooms if f"\n      {room} " not in tree} == set()
