"""The pages say what the code says."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from chatbot.config import SECTIONS
from chatbot.nn.registry import ALIGNS, SCORES, build_attention
from chatbot.nn.sizes import AttentionSizes

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def module_of(path: Path) -> Any:
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_options_page_is_up_to_date() -> None:
    maker = module_of(ROOT / "docs" / "make_options.py")
    assert (ROOT / "docs" / "options.md").read_text("utf-8") == maker.page(), "run make docs"


def test_options_page_names_every_option() -> None:
    page = (ROOT / "docs" / "options.md").read_text("utf-8")
    for options in SECTIONS.values():
        for field in dataclasses.fields(options):
            assert f"`--{field.metadata['flag'] or field.name.replace('_', '-')}`" in page


def test_manual_page_is_up_to_date_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    maker = module_of(ROOT / "docs" / "make_man.py")
    stored = (ROOT / "docs" / "chatbot.1").read_text("utf-8")
    for columns in ("30", "300"):
        monkeypatch.setenv("COLUMNS", columns)
        assert stored == maker.page(), "run make docs"


def test_manual_page_explains_every_option_of_every_command() -> None:
    from chatbot.cli import VERBS

    page = (ROOT / "docs" / "chatbot.1").read_text("utf-8").replace("\\-", "-")
    assert all(f".B chatbot {verb}" in page for verb in VERBS)
    for options in SECTIONS.values():
        for field in dataclasses.fields(options):
            assert f"\\fB--{field.metadata['flag'] or field.name.replace('_', '-')}" in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_manual_page_is_set_without_a_warning_and_reads_as_the_help_does() -> None:
    command = ["groff", "-man", "-ww", "-Tutf8", "-P-c", str(ROOT / "docs" / "chatbot.1")]
    ran = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert ran.stderr == b""
    page = re.sub(".\b", "", ran.stdout.decode())  # bold is a letter over itself
    words = " ".join(page.split())
    assert 'eval "$(chatbot completion bash)"' in words
    assert "~/.local/state/chatbot/history" in words
    assert "α of ((5 + length) / 6) ** α" in words


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_examples_of_the_python_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(compile(block, "docs/python.md", "exec"), names)  # noqa: S102  our own page
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == names["stream"].reply.text


@pytest.mark.parametrize("align", ALIGNS)
def test_score_of_the_extending_page_needs_nothing_but_its_class_and_its_line(
    align: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    heading = (ROOT / "chatbot" / "nn" / "scores.py").read_text("utf-8").partition("class Score(")[0]
    (tmp_path / "page.py").write_text(f"{heading}from chatbot.nn.scores import Score\n{blocks[0]}")
    name, class_name = re.findall(r'"(\w+)": (\w+),', blocks[1])[0]
    monkeypatch.setitem(SCORES, name, getattr(module_of(tmp_path / "page.py"), class_name))
    torch.manual_seed(0)
    attention = build_attention(name, align, AttentionSizes.square(8)).eval()
    values, mask = torch.randn(2, 5, 8), torch.arange(5)[None] < torch.tensor([[5], [2]])
    memory = attention.prepare(values, mask, values[:, 0])
    weights = attention(torch.randn(2, 3, 8), memory, attention.start(memory)).weights
    assert (weights[1, :, 2:] == 0).all()
    assert ((weights.sum(-1) > 0) & (weights.sum(-1) < 1 + 1e-5)).all()


def test_readme_names_every_room() -> None:
    tree = (ROOT / "README.md").read_text("utf-8").partition("## What is where")[2]
    rooms = {path.name + "/" for path in (ROOT / "chatbot").iterdir() if (path / "__init__.py").exists()}
    rooms |= {path.name for path in (ROOT / "chatbot").glob("[!_]*.py")}
    assert {room for room in rooms if f"\n      {room} " not in tree} == set()
