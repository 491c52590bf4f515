"""``chatbot checkpoint``, as a user types it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chatbot.bot import Chatbot
from chatbot.checkpoint import MANIFEST, WEIGHTS, load, starter_folder
from chatbot.cli.checkpoint import checkpoint
from chatbot.errors import CheckpointError, OptionError


@pytest.fixture
def checkpoints(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A folder with the checkpoint ``tiny``."""
    shutil.copytree(tiny_checkpoint, tmp_path / "checkpoints" / "tiny")
    return tmp_path / "checkpoints"


def run(*words: str, checkpoints: Path) -> Result:
    return CliRunner().invoke(checkpoint, [*words, "--checkpoints", str(checkpoints)], catch_exceptions=False)


def without_graphs(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    for name in [name for name in manifest["sha256"] if name.endswith(".onnx")]:
        del manifest["sha256"][name]
        (folder / name).unlink()
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_list_tells_what_there_is_and_what_answers(checkpoints: Path) -> None:
    header, *rows = run("list", checkpoints=checkpoints).stdout.splitlines()
    assert header.split() == ["checkpoint", "when", "MB", "architecture", "perplexity", "engine"]
    assert [row.split()[0] for row in rows] == ["tiny", "starter"]
    assert rows[0].endswith("ONNX Runtime")
    without_graphs(checkpoints / "tiny")
    assert run("list", checkpoints=checkpoints).stdout.splitlines()[1].endswith("torch")


def test_list_names_a_checkpoint_that_cannot_be_used(checkpoints: Path) -> None:
    (checkpoints / "tiny" / "config.json").write_text("{")
    row = run("list", checkpoints=checkpoints).stdout.splitlines()[1]
    assert row.startswith("tiny")
    assert "cannot be used: cannot be read" in row


def test_list_and_show_as_json_hold_the_same_facts(checkpoints: Path) -> None:
    listed = json.loads(run("list", "--json", checkpoints=checkpoints).stdout.splitlines()[0])
    shown = json.loads(run("show", "tiny", "--json", checkpoints=checkpoints).stdout)
    assert listed.items() <= shown.items()
    assert shown["files"].keys() == set(load(checkpoints / "tiny").files)
    assert shown["record"]["options"]["model"]["attention"] == "general"


def test_show_tells_options_corpora_figures_and_files(checkpoints: Path) -> None:
    rows = [line.split() for line in run("show", checkpoints=checkpoints).stdout.splitlines()]
    assert ["engine", "ONNX", "Runtime"] in rows
    assert ["model.cell", "lstm"] in rows
    assert [row[0] for row in rows if row and row[0] == "encoder.onnx"] == ["encoder.onnx"]
    assert any(row[:1] == ["all"] or row[:1] == ["talk.tsv"] for row in rows)


def test_verify_names_each_damaged_file(checkpoints: Path) -> None:
    assert run("verify", checkpoints=checkpoints).exit_code == 0
    for name in (WEIGHTS, "step.onnx"):
        (checkpoints / "tiny" / name).write_bytes(b"")
    result = run("verify", "tiny", checkpoints=checkpoints)
    assert (result.exit_code, result.stdout) == (1, "")
    assert [line.split(": ")[1].rpartition("/")[2] for line in result.stderr.splitlines()] == [
        WEIGHTS,
        "step.onnx",
    ]


def test_export_makes_graphs_that_give_the_same_replies(checkpoints: Path) -> None:
    folder = checkpoints / "tiny"
    without_graphs(folder)
    questions = ["hello", "how are you", "tell me a joke", "nobody asked this"]
    before = [reply.text for reply in Chatbot.load(folder).replies(questions)]
    printed = run("export", "tiny", checkpoints=checkpoints).stdout.split()
    assert [Path(path).name for path in printed] == ["encoder.onnx", "step.onnx"]
    assert load(folder).has_graphs
    assert [reply.text for reply in Chatbot.load(folder).replies(questions)] == before


def test_export_to_8_bits_talks_and_is_told(checkpoints: Path) -> None:
    run("export", "tiny", "--int8", checkpoints=checkpoints)
    assert "ONNX Runtime, 8 bits" in run("list", checkpoints=checkpoints).stdout
    assert Chatbot.load(checkpoints / "tiny").reply("hello").text == "hi there"


def test_remove_asks_where_somebody_is_and_refuses_the_starter(checkpoints: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="--yes"):
        run("remove", "tiny", checkpoints=checkpoints)
    with pytest.raises(CheckpointError, match="comes with the program"):
        run("remove", str(starter_folder()), "--yes", checkpoints=checkpoints)
    (tmp_path / "mine").mkdir()
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        run("remove", str(tmp_path / "mine"), "--yes", checkpoints=checkpoints)
    assert run("remove", "tiny", "--yes", checkpoints=checkpoints).exit_code == 0
    assert not (checkpoints / "tiny").exists()
