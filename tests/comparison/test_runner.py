from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.checkpoint import list_complete, load
from chatbot.comparison import runner
from chatbot.errors import CorpusError, OptionError

CELLS = {"model.cell": ("lstm", "gru")}
Compare = Callable[..., Any]


def written(folder: Path) -> list[dict[str, Any]]:
    variants: list[dict[str, Any]] = json.loads((folder / "compared/compare.json").read_text("utf-8"))[
        "variants"
    ]
    return variants


def failing(monkeypatch: pytest.MonkeyPatch, cell: str, error: BaseException) -> None:
    """Networks of one cell cannot be trained."""
    events = runner.TrainingRun.events

    def raising(run: runner.TrainingRun) -> Any:
        if run._request.config.model.cell == cell:
            raise error
        return events(run)

    monkeypatch.setattr(runner.TrainingRun, "events", raising)


def test_every_variant_is_trained_and_measured(compare: Compare, tmp_path: Path) -> None:
    finished, witness, results = compare(CELLS)
    assert finished
    assert witness.trained == witness.measured == ["lstm", "gru"]
    for outcome in results.outcomes:
        record = load(tmp_path / "compared" / outcome.folder).record
        assert record["options"]["model"]["cell"] == outcome.options["cell"] == outcome.label
        assert outcome.figures.parameters == record["parameters"]
        assert outcome.figures.perplexity == record["report"]["all"]["perplexity"]
        assert outcome.figures.steps == 4
        assert len(outcome.replies) == len(results.shown) == 3
    assert [variant["figures"]["steps"] for variant in written(tmp_path)] == [4, 4]
    assert (tmp_path / "compared/compare.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "compared").stat().st_mode & 0o777 == 0o700


def test_comparison_is_no_checkpoint(compare: Compare, tmp_path: Path) -> None:
    compare(CELLS)
    assert list_complete(tmp_path) == []


def test_second_call_trains_and_measures_nothing(compare: Compare, tmp_path: Path) -> None:
    _, _, first = compare(CELLS)
    before = (tmp_path / "compared/compare.json").read_bytes()
    finished, witness, second = compare(CELLS)
    assert finished
    assert witness.trained == witness.measured == []
    assert second == first
    assert (tmp_path / "compared/compare.json").read_bytes() == before


def test_further_value_is_all_that_is_trained(compare: Compare) -> None:
    compare({"model.attention": ("none", "dot")})
    _, witness, results = compare({"model.attention": ("none", "additive", "dot")})
    assert witness.trained == witness.measured == ["additive"]
    assert [outcome.label for outcome in results.outcomes] == ["none", "additive", "dot"]


def test_options_of_decoding_are_compared_on_one_checkpoint(compare: Compare) -> None:
    _, witness, results = compare({"decoding.beam": (1, 2), "decoding.max_tokens": (1, 5)})
    assert witness.trained == ["beam-1-max-tokens-1"]
    assert len(witness.measured) == 4
    assert {outcome.folder for outcome in results.outcomes} == {"bot"}
    assert all(len(reply) <= 1 for reply in results.outcomes[0].replies)  # a token is a character


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            OptionError("--cell", "does not go with it", "take another"),
            "--cell: does not go with it; take another",
        ),
        (MemoryError(), "there is not enough memory"),
        (RuntimeError("out of\n  memory"), "RuntimeError: out of memory"),
        (OSError(5, "Input/output error"), "OSError: [Errno 5] Input/output error"),
        (ValueError(), "ValueError"),
    ],
)
def test_failing_variant_loses_none_of_the_others(
    compare: Compare, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, told: str
) -> None:
    failing(monkeypatch, "lstm", error)
    finished, witness, results = compare(CELLS)
    assert finished
    assert witness.failures == [told]
    assert [(outcome.label, outcome.failure) for outcome in results.outcomes] == [("lstm", told), ("gru", "")]
    assert [variant["failure"] for variant in written(tmp_path)] == [told, ""]


def test_variant_that_failed_is_tried_again(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        failing(patch, "gru", RuntimeError("no"))
        compare(CELLS)
    _, witness, results = compare(CELLS)
    assert witness.trained == ["gru"]
    assert [outcome.failure for outcome in results.outcomes] == ["", ""]


def test_training_that_failed_is_not_tried_for_each_way_to_decode(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "lstm", RuntimeError("no"))
    _, witness, results = compare({"decoding.beam": (1, 2, 3)}, cell="lstm")
    assert len(witness.trained) <= 1
    assert [outcome.failure for outcome in results.outcomes] == ["RuntimeError: no"] * 3


def test_reader_that_is_gone_ends_the_comparison(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, "lstm", BrokenPipeError())
    with pytest.raises(BrokenPipeError):
        compare(CELLS)


def test_stopped_comparison_goes_on_where_it_was(compare: Compare, tmp_path: Path) -> None:
    finished, witness, results = compare(CELLS, stop_at=("gru", 2))
    assert not finished
    assert (witness.trained, witness.measured) == (["lstm", "gru"], ["lstm"])
    assert [outcome.label for outcome in results.outcomes] == ["lstm"]
    finished, witness, results = compare(CELLS)
    assert finished
    assert (witness.trained, witness.measured, witness.first_steps) == (["gru"], ["gru"], [3])
    assert load(tmp_path / "compared/gru").record["steps"] == 4
    assert len(results.worked) == 2


def test_resumed_comparison_comes_to_the_same_figures(compare: Compare, tmp_path: Path) -> None:
    compare(CELLS, stop_at=("lstm", 1))
    _, _, resumed = compare(CELLS)
    shutil.rmtree(tmp_path / "compared")
    _, _, straight = compare(CELLS)

    def figures(outcome: Any) -> tuple[Any, ...]:
        found = outcome.figures
        return found.loss, found.perplexity, found.bleu, found.entropy, outcome.replies, outcome.attention

    assert [figures(outcome) for outcome in resumed.outcomes] == [figures(o) for o in straight.outcomes]


def test_stop_at_the_last_step_ends_the_comparison(compare: Compare) -> None:
    finished, witness, _ = compare(CELLS, stop_at=("lstm", 4))
    assert not finished
    assert witness.trained == ["lstm"]
    finished, witness, results = compare(CELLS)
    assert finished
    assert len(results.worked) == 2


def test_nothing_is_stopped_while_nothing_is_trained(tmp_path: Path, corpus: Path) -> None:
    plan = runner.Plan(tmp_path, (str(corpus),), tmp_path, "", ())
    assert not runner.Comparison(plan, watcher=None).stop()  # type: ignore[arg-type]


def test_folder_of_other_options_is_not_touched(compare: Compare, tmp_path: Path) -> None:
    compare(CELLS)
    before = (tmp_path / "compared/gru/manifest.json").read_bytes()
    with pytest.raises(OptionError, match="was trained with hidden 8, not 16; choose another name"):
        compare(CELLS, hidden=16)
    assert (tmp_path / "compared/gru/manifest.json").read_bytes() == before


def test_half_done_folder_of_other_options_is_not_touched(compare: Compare, tmp_path: Path) -> None:
    compare(CELLS, stop_at=("lstm", 2))
    (tmp_path / "compared/lstm/manifest.json").unlink()
    with pytest.raises(OptionError, match="was trained with steps 4, not 9"):
        compare(CELLS, steps=9)


def test_folder_of_other_data_is_not_touched(compare: Compare, corpus: Path) -> None:
    compare(CELLS)
    corpus.write_text(corpus.read_text("utf-8") + "more\tmore\n", "utf-8")
    with pytest.raises(OptionError, match="was trained on other data"):
        compare(CELLS)


def test_damaged_checkpoint_is_made_anew_from_its_state(compare: Compare, tmp_path: Path) -> None:
    compare(CELLS)
    weights = tmp_path / "compared/gru/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    _, witness, results = compare(CELLS)
    assert witness.trained == ["gru"]
    assert len(results.worked) == 2


def test_damaged_checkpoint_without_its_state_is_a_failure(compare: Compare, tmp_path: Path) -> None:
    compare(CELLS)
    (tmp_path / "compared/gru/model.safetensors").write_bytes(b"")
    shutil.rmtree(tmp_path / "compared/gru/resume")
    _, witness, results = compare(CELLS)
    assert witness.trained == []
    assert "sha256 differs" in results.outcomes[1].failure
    assert len(results.worked) == 1


def test_comparison_of_nothing_is_refused_before_anything_is_written(compare: Compare, corpus: Path) -> None:
    corpus.write_text("alone\n", "utf-8")
    with pytest.raises(CorpusError):
        compare(CELLS)
    assert not (corpus.parent / "compared").exists()
