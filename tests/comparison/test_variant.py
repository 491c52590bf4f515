from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatbot.comparison.grid import Grid, Named
from chatbot.comparison.variant import label_of, slug
from chatbot.config import Config


def test_label_says_values_and_names_what_a_value_does_not_tell() -> None:
    options = {
        "model.attention": "additive",
        "model.cell": "gru",
        "model.layers": 2,
        "model.tie": False,
        "training.lr": 0.0005,
        "decoding.block_ngram": 0,
        "data.mix": "",
    }
    assert label_of(options) == "additive-gru-layers-2-no-tie-lr-0.0005-block-ngram-0-no-mix"
    assert label_of(options, ["model.cell"]) == "gru"
    assert label_of({"model.tie": True, "data.mix": "a=1,b=2"}) == "tie-mix-a-1-b-2"
    assert label_of({}) == "bot"


def test_value_that_two_options_know_is_told_with_its_name() -> None:
    assert label_of({"model.encoder": "rnn", "model.decoder": "rnn"}) == "encoder-rnn-decoder-rnn"


def test_variants_that_differ_in_decoding_alone_share_a_folder() -> None:
    axes = {"model.cell": ("lstm", "gru"), "decoding.beam": (1, 4), "decoding.length_penalty": (0.0, 1.0)}
    variants = Grid(axes).variants(Config())
    assert len({variant.label for variant in variants}) == 8
    assert [variant.folder for variant in variants] == ["lstm"] * 4 + ["gru"] * 4


def test_folders_differ_where_labels_do_in_case_or_signs_alone() -> None:
    named = tuple(
        Named(label, {"training.seed": seed})
        for seed, label in enumerate(["A b", "a/b", "a-b", "你好", ".."])
    )
    folders = [variant.folder for variant in Grid(named=named).variants(Config())]
    assert folders == ["A-b", "a-b-2", "a-b-3", "你好", "bot"]


@given(st.text(max_size=100))
def test_slug_is_a_name_for_a_folder(text: str) -> None:
    name = slug(text)
    assert name
    assert not name.startswith(".")
    assert not set(name) & set("/\\:\0\n ")
    assert len(name) <= 60
