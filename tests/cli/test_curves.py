from __future__ import annotations

import io
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from chatbot.cli.checkpoint import checkpoint
from chatbot.cli.curves import check_plot, show_chart
from chatbot.cli.train import train
from chatbot.display import drawing
from chatbot.errors import CheckpointError, OptionError


@pytest.fixture
def checkpoints(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A folder with the checkpoint ``tiny``."""
    shutil.copytree(tiny_checkpoint, tmp_path / "checkpoints" / "tiny")
    return tmp_path / "checkpoints"


def run(*words: str, checkpoints: Path) -> Result:
    arguments = ["show", *words, "--checkpoints", str(checkpoints)]
    return CliRunner().invoke(checkpoint, arguments, catch_exceptions=False)


def charted(folder: Path, terminal: bool = True, **settings: bool) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=60,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
        **settings,
    )
    show_chart(folder, console)
    return out.getvalue()


def test_chart_is_for_a_terminal_alone(tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert charted(tiny_checkpoint, terminal=False) == ""
    coloured = charted(tiny_checkpoint)
    assert "\x1b[38;2;" in coloured
    assert any(0x2800 <= ord(char) < 0x2900 for char in coloured)


@pytest.mark.parametrize("environment", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_chart_is_ascii_where_no_colour_is_wanted(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch, environment: tuple[str, str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(*environment)
    text = charted(tiny_checkpoint)
    assert len(text.splitlines()) >= 8
    assert text.isascii()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_checkpoint_show_draws_the_losses_and_prints_the_path(
    checkpoints: Path, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"losses.{kind}"
    result = run("tiny", "--plot", str(path), checkpoints=checkpoints)
    assert result.stdout == f"{path}\n"
    assert path.stat().st_mode & 0o777 == 0o600
    if kind == "svg":
        ET.parse(path)  # noqa: S314  ours
    else:
        assert path.read_bytes().startswith(b"\x89PNG")


def test_picture_that_cannot_be_is_refused_in_one_line(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OptionError, match=r"losses\.gif is no picture .*; name a file \.png or \.svg"):
        run("tiny", "--plot", "losses.gif", checkpoints=checkpoints)
    with pytest.raises(OptionError, match="does not go with --json"):
        run("tiny", "--plot", "losses.svg", "--json", checkpoints=checkpoints)
    (checkpoints / "tiny" / "metrics.jsonl").unlink()
    with pytest.raises(CheckpointError, match=r"has no metrics\.jsonl with steps"):
        run("tiny", "--plot", str(tmp_path / "losses.svg"), checkpoints=checkpoints)
    monkeypatch.setattr(drawing, "can_draw", lambda: False)
    with pytest.raises(OptionError, match=r"matplotlib is not installed; pip install 'chatbot\[plots\]'"):
        check_plot(Path("a.svg"))
    assert list(tmp_path.glob("losses*")) == []


def test_train_draws_into_the_folder_of_the_checkpoint(tmp_path: Path) -> None:
    talk = tmp_path / "talk.tsv"
    talk.write_text("".join(f"question {n}\tanswer {n * n}\n" for n in range(60)), encoding="utf-8")
    words = f"{talk} --steps 4 --tokenizer chars --embed 8 --hidden 8 --beam 1 --device cpu --why 0".split()
    places = ["--checkpoints", str(tmp_path / "made"), "--corpora", str(tmp_path / "corpora")]
    result = CliRunner().invoke(train, [*words, *places, "--plot", "svg"], catch_exceptions=False)
    folder = tmp_path / "made" / "talk"
    assert result.stdout == f"{folder}\n"
    assert f"Note: the losses are drawn in {folder}/training.svg" in result.stderr
    assert "loss in nats a token" not in result.stderr  # no terminal, no chart
    assert (folder / "training.svg").stat().st_mode & 0o777 == 0o600
    assert "training.svg" not in json.loads((folder / "manifest.json").read_text())["sha256"]
