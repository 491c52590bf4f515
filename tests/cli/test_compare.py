from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from chatbot.checkpoint import find
from chatbot.cli import main, progress
from chatbot.training.events import Event, Stepped

Capture = pytest.CaptureFixture[str]

SMALL = ("--tokenizer", "chars", "--embed", "8", "--hidden", "8", "--device", "cpu", "--beam", "1")
RUN = ("talk.tsv", *SMALL, "--steps", "4")
TWO = (*RUN, "--cell", "lstm,gru")
HOME = Path("checkpoints/compare")


def status(*args: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(args)
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a corpus in it."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"is it {n} or {n + 1}\tit is {n % 7} then\n" for n in range(60))
    (tmp_path / "talk.tsv").write_text(lines, encoding="utf-8")
    return tmp_path


def break_cell(monkeypatch: pytest.MonkeyPatch, cell: str) -> None:
    """Networks of one cell run out of memory when they are built."""
    from chatbot.training import run

    build = run.build_network

    def broken(options: object, *rest: object) -> object:
        if options.cell == cell:  # type: ignore[attr-defined]
            raise RuntimeError("out of\nmemory")
        return build(options, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "build_network", broken)


@pytest.mark.slow
def test_variants_are_compared(folder: Path, capsys: Capture) -> None:
    assert status("compare", *RUN, "--attention", "none,dot", "--beam", "1,2") == 0
    out, err = capsys.readouterr()
    heading, *rows = out.split("\n\n")[0].split("\n")
    assert heading.split()[:4] == ["variant", "loss", "perpl.", "BLEU"]
    assert [row.split()[0] for row in rows] == ["none-beam-1", "none-beam-2", "dot-beam-1", "dot-beam-2"]
    assert out.count("is it ") == 3
    assert out.count("  dot-beam-2: ") == 3
    assert not set(out + err) & set("\x1b\r")
    assert re.findall(r"^\d/4 [\w-]+$", err, re.MULTILINE) == ["1/4 none-beam-1", "3/4 dot-beam-1"]
    here = HOME / "talk-attention-beam"
    names = {"dot", "none", "attention.png", "attention.svg"}
    assert {path.name for path in here.iterdir()} == names | {
        f"compare.{kind}" for kind in ("json", "md", "png", "svg")
    }
    for name in ("compare", "attention"):
        with Image.open(here / f"{name}.png") as image:
            assert image.format == "PNG"
            image.load()
        assert ET.parse(here / f"{name}.svg").getroot().tag.endswith("svg")  # noqa: S314  ours
    assert "](attention.png)" in (here / "compare.md").read_text("utf-8")


def test_compared_checkpoint_answers_by_name_and_never_by_chance(folder: Path, capsys: Capture) -> None:
    assert status("compare", *TWO, "--quiet", "--no-plot") == 0
    capsys.readouterr()
    assert status("chat", "compare/talk-cell/gru", "--question", "hello", "--guess", "--json") == 0
    assert json.loads(capsys.readouterr().out)["checkpoint"] == "gru"
    assert find(None, folder / "checkpoints").name == "starter"


def test_json_is_what_is_in_the_file(capsys: Capture) -> None:
    assert status("compare", *TWO, "--json", "--quiet", "--no-plot", "--name", "one") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    assert json.loads(out) == json.loads((HOME / "one/compare.json").read_text("utf-8"))
    assert [variant["options"] for variant in json.loads(out)["variants"]] == [
        {"cell": "lstm"},
        {"cell": "gru"},
    ]
    assert not list(HOME.glob("one/*.png"))


def test_attentions_are_compared_when_nothing_is_said(capsys: Capture) -> None:
    assert status("compare", *RUN, "--quiet", "--no-plot") == 0
    rows = capsys.readouterr().out.split("\n\n")[0].split("\n")[1:]
    assert [row.split()[0] for row in rows] == ["none", "additive", "dot", "general"]


def test_grid_file_options_and_switches_make_one_grid(folder: Path, capsys: Capture) -> None:
    grid = 'cell = ["lstm", "gru"]\n[[variant]]\nlabel = "two layers"\nlayers = 2\n'
    (folder / "grid.toml").write_text(grid, encoding="utf-8")
    given = ("--grid", "grid.toml", "--cell", "gru", "--tie", "--no-tie", "--quiet", "--no-plot")
    assert status("compare", *RUN, *given) == 0
    rows = capsys.readouterr().out.split("\n\n")[0].split("\n")[1:]
    assert [re.split(" {2,}", row)[0] for row in rows] == ["tie", "no-tie", "two layers"]
    assert (HOME / "talk-grid/two-layers/manifest.json").is_file()


def test_failing_variant_is_a_row(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    break_cell(monkeypatch, "lstm")
    assert status("compare", *TWO, "--no-plot") == 0
    out, err = capsys.readouterr()
    assert "lstm     failed: RuntimeError: out of memory\n" in out
    assert re.search(r"^gru  +\d", out, re.MULTILINE)
    assert "1/2 lstm: failed: RuntimeError: out of memory\n" in err
    assert "failed: RuntimeError" in (HOME / "talk-cell/compare.md").read_text("utf-8")


def test_comparison_in_which_all_failed_has_failed(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    break_cell(monkeypatch, "gru")
    assert status("compare", *RUN, "--cell", "gru", "--attention", "none,dot", "--quiet") == 1
    out, err = capsys.readouterr()
    assert out.count("failed: ") == 2
    assert err == "Error: talk-attention: no variant came to its end; see why in the table\n"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--attention", "dot,magic"), "--attention: no attention 'magic'; choose one of none"),
        (("--attention", "dot,"), "--attention: no attention ''"),
        (("--hidden", "8,many"), "--hidden: 'many' is no whole number; it must be at least 2"),
        (("--hiden", "8,16"), "chatbot compare: No such option"),
        (("--steps", "0", "--minutes", "0"), "--minutes: is 0, and neither --epochs nor --steps"),
        (("--name", "a/b"), "--name: 'a/b' is no name for a folder"),
        (("--name", ""), "--name: '' is no name for a folder"),
        (("--grid", "nowhere.toml"), "nowhere.toml: No such file or directory; name a file for --grid"),
        (("--preset", "huge"), "--preset: no preset 'huge'"),
    ],
)
def test_grid_that_makes_no_sense_is_refused_before_anything_is_trained(
    folder: Path, capsys: Capture, args: tuple[str, ...], told: str
) -> None:
    assert status("compare", "talk.tsv", *SMALL, *args, "--quiet", "--no-plot") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"Error: {told}")
    assert err.count("\n") == 1
    assert not (folder / "checkpoints").exists()


def test_missing_corpus_is_refused_before_anything_is_trained(folder: Path, capsys: Capture) -> None:
    assert status("compare", "nowhere.tsv", "--cell", "lstm,gru") == 1
    assert capsys.readouterr().err.startswith("Error: nowhere.tsv: no corpus of that name")
    assert not (folder / "checkpoints").exists()


def interrupt_at(monkeypatch: pytest.MonkeyPatch, wanted: Callable[[Event], bool]) -> None:
    """Ctrl-C while an event that is wanted is shown."""
    take = progress.View.take

    def interrupting(view: progress.View, event: Event) -> object:
        if wanted(event):
            signal.raise_signal(signal.SIGINT)
        return take(view, event)

    monkeypatch.setattr(progress.View, "take", interrupting)


def test_interrupted_comparison_goes_on_with_the_same_command(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        interrupt_at(patch, lambda event: isinstance(event, Stepped) and event.step == 2)
        assert status("compare", *TWO) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert "Note: finishing the step and saving; Ctrl-C again stops at once\n" in err
    assert err.endswith("Note: go on with the same command\n")
    assert signal.getsignal(signal.SIGINT) is before
    assert status("compare", *TWO, "--no-plot") == 0
    assert "done after 4 steps" in capsys.readouterr().err
    first = (HOME / "talk-cell/lstm/metrics.jsonl").read_text("utf-8").splitlines()
    steps = [event["step"] for event in map(json.loads, first) if event["event"] == "stepped"]
    assert steps == [1, 2, 3, 4]


def test_same_command_trains_nothing_again(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert status("compare", *TWO, "--no-plot") == 0
    first, _ = capsys.readouterr()
    monkeypatch.setattr("chatbot.comparison.runner.TrainingRun", None)
    assert status("compare", *TWO, "--no-plot") == 0
    second, err = capsys.readouterr()
    assert second == first
    assert err.splitlines()[0] == "Note: 2 variants, 0 checkpoints to train"


def test_without_matplotlib_one_notice_says_how_to_get_it(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert status("compare", *TWO) == 0
    out, err = capsys.readouterr()
    assert out.startswith("variant")
    assert err.count("pip install 'chatbot[plots]'") == 1
    assert not list(HOME.glob("talk-cell/*.png"))
    assert "![" not in (HOME / "talk-cell/compare.md").read_text("utf-8")


@pytest.mark.parametrize("line", ["--help", "compare --help", "chat --help"])
def test_help_loads_neither_torch_nor_matplotlib(line: str) -> None:
    code = "import sys; from chatbot.cli import main; sys.argv[0] = 'chatbot'; main()"
    command = [sys.executable, "-X", "importtime", "-c", code, *line.split()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = {row.rpartition("|")[2].strip().split(".")[0] for row in ran.stderr.splitlines()}
    assert "click" in loaded
    assert not loaded & {"torch", "matplotlib", "sacrebleu"}
