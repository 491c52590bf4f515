"""``chatbot attend`` with a small checkpoint, in this process."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from chatbot.cli import main
from chatbot.cli.exhibiting import compared, likely_meant, split_arguments
from chatbot.display import drawing
from chatbot.errors import CheckpointError, OptionError

Attend = Callable[..., tuple[int, str, str]]
QUESTION = "how are you today?"


@pytest.fixture
def checkpoints(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A folder with ``tiny`` in it, and ``other``, which differs in its name alone."""
    for name in ("tiny", "other"):
        shutil.copytree(tiny_checkpoint, tmp_path / "checkpoints" / name)
    return tmp_path / "checkpoints"


@pytest.fixture
def attend(checkpoints: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Attend:
    """Exit status, stdout and stderr of ``chatbot attend ARGS``, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
        with monkeypatch.context() as patch:
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as left:
                main(["attend", *args, "--device", "cpu"])
        out, err = (stream.buffer.getvalue().decode() for stream in streams.values())  # type: ignore[attr-defined]
        assert isinstance(left.value.code, int)
        return left.value.code, out, err

    return run


def test_pipe_gets_the_question_the_reply_and_a_plain_matrix(attend: Attend) -> None:
    status, out, err = attend("tiny", QUESTION)
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[:2] == [QUESTION, "tiny: very well today"]
    assert lines[2].split() == ["how", "are", "you", "today", "?"]
    assert [line.split()[0] for line in lines[3:7]] == ["very", "well", "today", "(end)"]
    assert "\x1b" not in out


def test_several_texts_make_several_maps(attend: Attend) -> None:
    _, out, _ = attend("tiny", "hello", "bye", "--map", "words")
    assert [line for line in out.splitlines() if line.startswith("tiny")] == [
        "tiny: hi there",
        "tiny: see you soon",
    ]


def test_given_reply_is_drawn_and_called_so(attend: Attend) -> None:
    _, out, _ = attend("tiny", "hello", "--reply", "good day", "--map", "strip")
    assert out.splitlines()[1] == "tiny (given reply): good day"
    assert out.splitlines()[2] == "  good   hello"


def test_comparison_stands_side_by_side(attend: Attend) -> None:
    _, out, _ = attend("hello", "--compare", "tiny,other", "--map", "words")
    assert out.splitlines()[:2] == ["hello", f"{'tiny: hi there':41}other: hi there"]
    _, out, _ = attend("hello", "--compare", "tiny,other,tiny", "--map", "words")
    assert [line for line in out.splitlines() if ": " in line] == [
        "tiny: hi there",
        "other: hi there",
        "tiny: hi there",
    ]


@pytest.mark.parametrize("kind", ["png", "svg", "html", "txt", "csv", "json", "npz"])
def test_file_is_of_the_kind_its_name_says_and_private(attend: Attend, tmp_path: Path, kind: str) -> None:
    status, out, err = attend("tiny", QUESTION, "hello", "-o", f"map.{kind}")
    path = tmp_path / f"map.{kind}"
    assert (status, out, err) == (0, f"map.{kind}\n", "")
    assert path.stat().st_mode & 0o777 == 0o600
    readers: dict[str, Callable[[], Any]] = {
        "png": lambda: Image.open(path).verify() or True,
        "svg": lambda: "<svg" in path.read_text("utf-8"),
        "html": lambda: path.read_text("utf-8").count("<section>") == 2,
        "txt": lambda: "very well today" in path.read_text("utf-8"),
        "csv": lambda: path.read_text("utf-8").count(f",{QUESTION},") == 20,
        "json": lambda: (
            [one["reply"] for one in json.loads(path.read_bytes())["maps"]] == ["very well today", "hi there"]
        ),
        "npz": lambda: np.load(io.BytesIO(path.read_bytes()))["weights_0"].shape == (4, 5),
    }
    assert readers[kind]()


@pytest.mark.parametrize("kind", ["svg", "html"])
@pytest.mark.parametrize("name", ["words", "strip", "matrix"])
def test_terminals_map_is_recorded_without_anything_from_elsewhere(
    attend: Attend, tmp_path: Path, kind: str, name: str
) -> None:
    assert attend("tiny", QUESTION, "--map", name, "--theme", "light", "-o", f"map.{kind}")[0] == 0
    text = (tmp_path / f"map.{kind}").read_text("utf-8")
    assert "today" in text
    assert "@font-face" not in text
    assert "url(http" not in text
    assert "<script" not in text


def test_picture_needs_matplotlib_and_the_recorded_map_does_not(
    attend: Attend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "can_draw", lambda: False)
    for kind in ("png", "svg"):
        status, out, err = attend("tiny", "hello", "-o", f"map.{kind}")
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "needs matplotlib; pip install 'chatbot[plots]'" in err
    assert attend("tiny", "hello", "-o", "map.svg", "--map", "matrix")[0] == 0
    assert attend("tiny", "hello", "-o", "map.html")[0] == 0


def test_characters_without_a_font_are_noted_once(attend: Attend) -> None:
    status, _, err = attend("tiny", "\U0010fffd", "-o", "map.png")
    assert status == 0
    assert err.startswith(
        "Note: no installed font has \\U0010fffd" if "\\U" in err else "Note: no installed font has"
    )
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("tiny",), "tiny is a checkpoint, and nothing is asked of it"),
        (("tiny", " "), "TEXT: is blank"),
        (("hello", "-o", "map.pdf"), "map.pdf is no kind of file this can write; end the name in .png, .svg"),
        (("hello", "-o", "map"), "map is no kind of file"),
        (("hello", "-o", "map.png", "--map", "strip"), "--map: is for the terminal, .svg, .html, .txt"),
        (("hello", "-o", "map.csv", "--theme", "dark"), "--theme: there are no colours in .csv"),
        (("hello", "--theme", "dark"), "--theme: there are no colours on a pipe"),
        (("tiny", "hello", "--head", "2"), "--head: 2, but this checkpoint looks with 1 head; leave it out"),
        (
            ("tiny", "hello", "--layer", "3"),
            "--layer: 3, but this checkpoint looks with 1 layer; leave it out",
        ),
        (("tiny", "hello", "--before", "hi"), "--before: tiny reads single questions"),
        (("hello", "--compare", " ,"), "--compare: names nothing"),
        (("tiny", "hello", "--reply", " "), "must have words"),
        ((), "Missing argument"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(attend: Attend, args: tuple[str, ...], told: str) -> None:
    status, out, err = attend(*args)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_folder_that_is_not_there_is_told(attend: Attend) -> None:
    status, _, err = attend("tiny", "hello", "-o", "nowhere/map.json")
    assert (status, err.count("\n")) == (1, 1)


def test_first_of_several_words_is_a_checkpoint_where_there_is_one(checkpoints: Path) -> None:
    assert split_arguments(["tiny", "a", "b"], checkpoints) == ("tiny", ["a", "b"])
    assert split_arguments(["starter", "a"], checkpoints) == ("starter", ["a"])
    assert split_arguments([str(checkpoints / "tiny"), "a"], checkpoints) == (
        str(checkpoints / "tiny"),
        ["a"],
    )
    assert split_arguments(["a", "tiny"], checkpoints) == (None, ["a", "tiny"])
    assert split_arguments([".", "a"], checkpoints) == (None, [".", "a"])
    with pytest.raises(OptionError):
        split_arguments(["tiny"], checkpoints)


def test_misspelt_checkpoint_is_noticed(checkpoints: Path) -> None:
    assert likely_meant(["startr", "hello"], checkpoints) == "starter"
    assert likely_meant(["startr"], checkpoints) is None
    assert likely_meant(["how are you", "hello"], checkpoints) is None


def test_compared_names_may_be_attentions(checkpoints: Path) -> None:
    nested = checkpoints / "compare" / "run" / "general-variant"
    shutil.copytree(checkpoints / "tiny", nested)
    assert compared("other, tiny", checkpoints) == [checkpoints / "other", checkpoints / "tiny"]
    assert compared("general", checkpoints)[0] in {checkpoints / "other", checkpoints / "tiny", nested}
    with pytest.raises(CheckpointError, match="has this attention; train one with chatbot"):
        compared("tiny,bahdanau", checkpoints)
    with pytest.raises(CheckpointError, match="no checkpoint of that name"):
        compared("nobody", checkpoints)
