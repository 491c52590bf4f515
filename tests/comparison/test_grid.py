from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatbot.comparison.grid import Grid, read_grid
from chatbot.config import PAPERS, Config
from chatbot.errors import OptionError


def write(folder: Path, text: str) -> Path:
    path = folder / "grid.toml"
    path.write_text(text, encoding="utf-8")
    return path


def labels(grid: Grid, base: Config | None = None) -> list[str]:
    return [variant.label for variant in grid.variants(base or Config())]


def test_grid_is_the_product_of_its_axes(tmp_path: Path) -> None:
    grid = read_grid(write(tmp_path, 'cell = ["lstm", "gru"]\nlayers = [1, 2, 3]\nhidden = 64\n'))
    variants = grid.variants(Config())
    naive = [(cell, layers) for cell in ("lstm", "gru") for layers in (1, 2, 3)]
    assert [(v.config.model.cell, v.config.model.layers) for v in variants] == naive
    assert {v.config.model.hidden for v in variants} == {64}
    assert [dict(v.options) for v in variants] == [{"cell": c, "layers": n} for c, n in naive]
    assert variants[1].label == variants[1].folder == "lstm-layers-2"


def test_options_may_stand_in_sections(tmp_path: Path) -> None:
    grid = read_grid(write(tmp_path, "[decoding]\nbeam = [1, 2]\nlength-penalty = 0\n"))
    assert [(v.config.decoding.beam, v.config.decoding.length_penalty) for v in grid.variants(Config())] == [
        (1, 0.0),
        (2, 0.0),
    ]


def test_named_variants_come_after_the_product(tmp_path: Path) -> None:
    text = 'cell = ["lstm", "gru"]\nhidden = 64\n[[variant]]\nlabel = "wide one"\nhidden = 512\n'
    variants = read_grid(write(tmp_path, text)).variants(Config())
    assert [v.label for v in variants] == ["lstm", "gru", "wide one"]
    assert [v.folder for v in variants] == ["lstm", "gru", "wide-one"]
    assert [v.config.model.hidden for v in variants] == [64, 64, 512]


def test_named_variants_without_axes_are_all_there_is(tmp_path: Path) -> None:
    text = 'steps = 5\n[[variant]]\ncell = "gru"\n[[variant]]\nlayers = 2\nbeam = 2\n'
    variants = read_grid(write(tmp_path, text)).variants(Config())
    assert [(v.label, v.folder) for v in variants] == [("gru", "gru"), ("layers-2-beam-2", "layers-2")]


def test_variant_may_be_like_a_paper(tmp_path: Path) -> None:
    text = '[[variant]]\nlike = "bahdanau2015"\n[[variant]]\nlike = "luong2015"\nlayers = 1\n'
    first, second = read_grid(write(tmp_path, text)).variants(Config())
    assert (first.label, second.label) == ("bahdanau2015", "luong2015-layers-1")
    assert first.config == Config().replace(PAPERS["bahdanau2015"])
    assert second.config == Config().replace(PAPERS["luong2015"] | {"layers": 1})


def test_options_win_over_the_file(tmp_path: Path) -> None:
    grid = read_grid(write(tmp_path, 'cell = ["lstm", "gru"]\nlayers = [1, 2]\n'))
    assert labels(grid.changed({"model.cell": ("gru",)})) == ["layers-1", "layers-2"]


def test_value_said_twice_is_one(tmp_path: Path) -> None:
    assert labels(read_grid(write(tmp_path, 'attention = ["dot", "dot", "none"]\n'))) == ["dot", "none"]


def test_grid_of_nothing_is_one_variant() -> None:
    assert [(v.label, v.folder, dict(v.options)) for v in Grid().variants(Config())] == [("bot", "bot", {})]


def test_limit_that_is_given_is_the_only_one() -> None:
    variants = Grid({"training.steps": (5, 9)}).variants(Config().replace({"minutes": 3.0}))
    assert [(v.config.training.minutes, v.config.training.steps) for v in variants] == [(0.0, 5), (0.0, 9)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hiden = [1]", "no option 'hiden'; see chatbot train --dump-config"),
        ('attention = ["dot", "magic"]', "no attention 'magic'; choose one of none"),
        ("hidden = [64, 1]", "hidden is 1; it must be at least 2"),
        ('hidden = ["64"]', "hidden must be int, not '64'"),
        ("hidden = [true]", "hidden must be int, not True"),
        ("hidden = []", "hidden has no value"),
        ("[models]\nhidden = [64]", "no section [models]"),
        ('[variant]\nlabel = "a"', "variant is no list of tables; write [[variant]]"),
        ("[[variant]]\nlabel = 3", "label is 3; it must be a text"),
        ('[[variant]]\nattention = ["dot"]', "attention must be str, not ['dot']"),
        ('[[variant]]\nlike = "smith2020"', "no like 'smith2020'; choose one of sutskever2014"),
        ('like = "luong2015"', "no option 'like'"),
        ("[[variant]]\nhidden = 0", "hidden is 0; it must be at least 2"),
        ("[[variant]]\nhidden = [64, 128]", "hidden must be int, not [64, 128]"),
        ('[[variant]]\nlabel = "a"\n[[variant]]\nlabel = "a"\nlayers = 2', "two variants are called 'a'"),
        ('[[variant]]\nlabel = "a"\n[[variant]]\nlabel = "b"', "'b' and 'a' have the same options"),
        ('cell = ["lstm", "gru"]\n[[variant]]\ncell = "gru"\n', "two variants are called 'gru'"),
        ("seed = [" + ", ".join(map(str, range(1001))) + "]", "1,001 variants; 1,000 at most"),
        ("cell = lstm", "is no TOML"),
        (None, "No such file or directory; name a file for --grid"),
        (b"\xff\xfe", "is no UTF-8 text"),
    ],
)
def test_grid_that_makes_no_sense_is_refused(tmp_path: Path, text: Any, told: str) -> None:
    path = tmp_path / "grid.toml"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(OptionError) as refused:
        read_grid(path).variants(Config())
    assert str(refused.value).startswith(f"{path}: {told}")
