from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbot.display.heatmaps import Map
from chatbot.display.palette import PALETTES, channels
from chatbot.errors import ChatbotError, OptionError
from chatbot.training import board as module
from chatbot.training import run as run_module
from chatbot.training.board import board
from chatbot.training.events import Evaluated, Event, Looked, Reverted, Sampled, Saved, Stepped, Warned
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun

MakeRequest = Callable[..., Request]

STEPPED = Stepped(3, 0.5, 1.25, 2.5, 0.01, 0.7, 90, 4.0, {"reward variance": 0.1})
EVALUATED = Evaluated(4, 2.0, 30.5, True, {"talk.tsv": 30.5}, 0.4)
LOOKS = Map("", ["hello", "you"], ["hi", "(end)"], [[1.0, 0.0], [0.0, 1.0]])
LOOKED = Looked(4, 0.9, None, 0.2, 1.0, 0.3, {"gate": 0.6})


class Stub:
    """Stands for torch's SummaryWriter, and takes its arguments."""

    made: list[Stub]

    def __init__(self, log_dir: str, purge_step: int | None = None) -> None:
        self.log_dir, self.purge_step = log_dir, purge_step
        self.scalars: list[tuple[str, float, int]] = []
        self.texts: list[tuple[str, str, int]] = []
        self.images: list[tuple[str, NDArray[np.uint8], int]] = []
        self.closed = False
        Stub.made.append(self)

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        assert not self.closed
        self.scalars.append((tag, scalar_value, global_step))

    def add_text(self, tag: str, text_string: str, global_step: int) -> None:
        self.texts.append((tag, text_string, global_step))

    def add_image(
        self, tag: str, img_tensor: NDArray[np.uint8], global_step: int, *, dataformats: str
    ) -> None:
        assert (dataformats, img_tensor.dtype, img_tensor.shape[2]) == ("HWC", np.uint8, 3)
        self.images.append((tag, img_tensor, global_step))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> list[Stub]:
    """The writers that were made."""
    Stub.made = []
    package = types.ModuleType("torch.utils.tensorboard")
    package.SummaryWriter = Stub  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", package)
    return Stub.made


def shown(folder: Path, *events: Event, since: int | None = None) -> None:
    with board(folder / "bot", since) as show:
        for event in events:
            show(event)


def test_figures_are_shown_by_group_and_name(tmp_path: Path, stubs: list[Stub]) -> None:
    shown(tmp_path, STEPPED, EVALUATED, LOOKED, Sampled(4, (("q", "a"),)), Saved(4, "here"))
    (stub,) = stubs
    assert stub.closed
    assert stub.scalars == [
        ("train/loss", 2.5, 3),
        ("train/lr", 0.01, 3),
        ("train/gradient_norm", 0.7, 3),
        ("train/epoch", 1.25, 3),
        ("train/reward variance", 0.1, 3),
        ("validation/loss", 2.0, 4),
        ("validation/perplexity", 30.5, 4),
        ("validation/accuracy", 0.4, 4),
        ("validation/perplexity of talk.tsv", 30.5, 4),
        ("attention/entropy", 0.9, 4),
        ("attention/moved", 0.2, 4),
        ("attention/mass", 1.0, 4),
        ("attention/gain", 0.3, 4),
        ("attention/gate", 0.6, 4),
    ]


def test_samples_are_texts_that_markdown_leaves_alone(tmp_path: Path, stubs: list[Stub]) -> None:
    shown(tmp_path, Sampled(4, (("<b>*q*</b>", "a"), ("# two\n\nlines", "\x1b[2J"))))
    assert stubs[0].texts == [
        ("samples/1", "    <b>*q*</b>\n    -> a", 4),
        ("samples/2", "    # two  lines\n    -> [2J", 4),
    ]
    assert stubs[0].images == []


def test_attention_of_a_sample_is_a_picture_dark_where_the_weights_are(
    tmp_path: Path, stubs: list[Stub]
) -> None:
    shown(tmp_path, Sampled(4, (("q", "a"), ("", ""), ("hello you", "hi")), (None, None, LOOKS)))
    ((tag, pixels, step),) = stubs[0].images
    assert (tag, step) == ("attention of samples/3", 4)
    rows, columns = np.nonzero((pixels == channels(PALETTES["light"].all)).all(-1))
    middle = (columns.min() + columns[columns < pixels.shape[1] // 2].max()) / 2
    left = rows[columns < middle]
    right = rows[(columns > middle) & (columns < pixels.shape[1] // 2)]
    assert left.mean() < right.mean()  # the first word looked at the first


def test_run_shows_its_samples_and_what_they_looked_at(
    make_request: MakeRequest, stubs: list[Stub], tmp_path: Path
) -> None:
    # A network that has learned nothing might say nothing.
    request = make_request(tensorboard=str(tmp_path / "board"), min_tokens=2, eval_every=6)
    events = list(TrainingRun(request).events())
    (sampled,) = [event for event in events if isinstance(event, Sampled)]
    assert [text for _, text, _ in stubs[0].texts] == [f"    {q}\n    -> {a}" for q, a in sampled.samples]
    assert len(stubs[0].images) == len(sampled.samples)
    for (question, reply), looks in zip(sampled.samples, sampled.maps, strict=True):
        assert looks is not None
        assert "".join(looks.source) == question.replace(" ", "")
        assert "".join(looks.reply).removesuffix("(end)") == reply.replace(" ", "")
        assert [sum(weights) for weights in looks.weights] == pytest.approx(
            [1.0] * len(looks.reply), abs=1e-5
        )
    assert all("maps" not in line for line in (request.folder / "metrics.jsonl").read_text().splitlines())


def test_run_without_matplotlib_says_that_there_are_no_pictures(
    make_request: MakeRequest, stubs: list[Stub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "can_draw", lambda: False)
    events = list(TrainingRun(make_request(tensorboard=str(tmp_path), eval_every=6)).events())
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert (
        "--tensorboard: no pictures of attention without matplotlib: pip install 'chatbot[plots]'" in warned
    )
    assert stubs[0].texts
    assert not stubs[0].images


def test_what_is_no_number_is_not_shown(tmp_path: Path, stubs: list[Stub]) -> None:
    shown(tmp_path, Evaluated(1, 2.0, math.inf, False, {"a": math.nan}))
    assert [tag for tag, _, _ in stubs[0].scalars] == ["validation/loss", "validation/accuracy"]


def test_later_steps_are_struck_out_where_a_run_goes_back(tmp_path: Path, stubs: list[Stub]) -> None:
    shown(tmp_path, STEPPED, Reverted(2, "step 4: nan"), STEPPED)
    assert [(stub.purge_step, stub.closed, len(stub.scalars)) for stub in stubs] == [
        (0, True, 5),
        (3, True, 5),
    ]


def test_writer_is_closed_when_the_run_fails(tmp_path: Path, stubs: list[Stub]) -> None:
    def fail() -> None:
        with board(tmp_path / "bot", None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert stubs[0].closed


@pytest.mark.parametrize("place", ["__init__", "add_scalar", "close"])
def test_full_disk_is_told(
    tmp_path: Path, stubs: list[Stub], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Stub, place, full)
    with pytest.raises(ChatbotError, match="the disk is full"):
        shown(tmp_path, STEPPED)


def test_run_shows_every_step_in_a_private_folder_and_a_resumed_one_strikes_out_what_comes_again(
    make_request: MakeRequest, stubs: list[Stub], tmp_path: Path
) -> None:
    told = str(tmp_path / "board")
    run = TrainingRun(make_request(tensorboard=told))
    for event in run.events():
        if isinstance(event, Stepped) and event.step == 2:
            run.stop()
    list(TrainingRun(make_request(tensorboard=told, resume=True)).events())
    first, second = stubs
    folder = tmp_path / "board" / "bot"
    assert first.log_dir == second.log_dir == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (first.purge_step, second.purge_step) == (0, 3)
    steps = [[step for tag, _, step in stub.scalars if tag == "train/loss"] for stub in stubs]
    assert steps == [[1, 2], [3, 4, 5, 6]]
    assert first.closed
    assert second.closed


def test_missing_package_is_told_with_the_way_to_get_it_before_any_data_is_read(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)  # so that importing it fails
    request = make_request(tensorboard="board")
    with pytest.raises(OptionError) as caught:
        list(TrainingRun(request).events())
    wanted = "--tensorboard: the package tensorboard is not installed; pip install 'chatbot[tensorboard]'"
    assert str(caught.value) == wanted
    assert not request.folder.exists()


def test_run_without_a_board_does_not_ask_for_the_package(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "writer_class", lambda: pytest.fail("imported"))
    events = list(TrainingRun(make_request(steps=1)).events())
    assert [event.maps for event in events if isinstance(event, Sampled)] == [()]


def test_writer_of_torch_takes_what_the_stub_takes(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    shown(tmp_path, STEPPED, EVALUATED, Sampled(4, (("hello", "hi"),), (LOOKS,)), since=2)
    assert [path.name.partition(".")[0] for path in (tmp_path / "bot").iterdir()] == ["events"]
