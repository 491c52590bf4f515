from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatbot import checkpoint
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.windows import epoch_rows
from chatbot.errors import OptionError
from chatbot.text.tokenizer import UNK
from chatbot.training.data import CorpusData, prepare, with_share
from chatbot.training.events import Evaluated, Event, Prepared, Stepped, Warned
from chatbot.training.replay import remembered_corpora
from chatbot.training.request import Request, read_run
from chatbot.training.run import TrainingRun

MakeRequest = Callable[..., Request]


def trained(request: Request, stop_at: int = 0) -> list[Event]:
    run, events = TrainingRun(request), []
    for event in run.events():
        events.append(event)
        if isinstance(event, Stepped) and event.step == stop_at:
            run.stop()
    return events


def told(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Warned)]


def corpora_in(folder: Path) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads((folder / "config.json").read_text("utf-8"))["corpora"]}


@pytest.fixture
def make_tuned(make_request: MakeRequest, tmp_path: Path) -> MakeRequest:
    """make_tuned(NAME="tuned", **options): fine-tuning on ``new.tsv`` of a bot that learned talk.tsv."""
    base = make_request("base", mix="talk.tsv=2")
    trained(base)
    new = tmp_path / "new.tsv"
    new.write_text("".join(f"ask {n} of me\tso be it {n}\n" for n in range(40)), encoding="utf-8")

    def make(name: str = "tuned", resume: bool = False, **options: Any) -> Request:
        request = make_request(name, base.folder, resume, **{"replay": 0.25} | options)
        return dataclasses.replace(request, corpora=(str(new),))

    return make


def corpus(name: str, times: float, pairs: int) -> CorpusData:
    some = EncodedPairs.from_lists([[5]] * pairs, [[6]] * pairs, [1] * pairs, 12)
    return CorpusData(name, "", "", times, some, some)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_share_is_that_of_the_pairs_of_an_epoch(share: float) -> None:
    corpora = [
        corpus("a", 1.0, 3000),
        corpus("b", 2.0, 500),
        corpus("old", 5.0, 1000),
        corpus("x", 1.0, 4000),
    ]
    found = with_share(corpora, 2, share)
    sizes, times = [len(each.train) for each in found], [each.times for each in found]
    rows = epoch_rows(sizes, times, np.random.default_rng(0))
    assert (rows >= 3500).mean() == pytest.approx(share, abs=0.002)
    assert times[:2] == [1.0, 2.0]
    assert times[2] == pytest.approx(5 * times[3])
    assert [each.replayed for each in found] == [False, False, True, True]


def test_without_replay_nothing_changes() -> None:
    corpora = (corpus("a", 1.0, 3), corpus("b", 2.0, 5))
    assert with_share(corpora, 0, 0.5) == corpora
    assert with_share([corpora[0], corpus("empty", 1.0, 0)], 1, 0.5)[1].times == 0.0


def test_old_corpora_join_training_and_validation(make_tuned: MakeRequest) -> None:
    request = make_tuned()
    events = trained(request)
    old, new = (corpora_in(request.folder)[name] for name in ("talk.tsv", "new.tsv"))
    assert old["replayed"]
    assert not new["replayed"]
    shown = {name: c["train"] * c["times"] for name, c in (("old", old), ("new", new))}
    assert shown["old"] / sum(shown.values()) == pytest.approx(0.25)
    (prepared,) = [event for event in events if isinstance(event, Prepared)]
    assert [each["name"] for each in prepared.summary["mix"]] == ["new.tsv", "talk.tsv"]
    for event in events:
        if isinstance(event, Evaluated):
            assert set(event.corpora) == {"new.tsv", "talk.tsv"}  # so that forgetting shows
    assert read_run(request.folder).replayed == {str(request.folder.parent.parent / "talk.tsv"): 2.0}


def test_fine_tuning_without_the_option_replays_nothing(make_tuned: MakeRequest) -> None:
    request = make_tuned(replay=0.0)
    trained(request)
    assert set(corpora_in(request.folder)) == {"new.tsv"}


def test_corpus_that_is_gone_is_told_of_and_the_others_are_learned(
    make_tuned: MakeRequest, tmp_path: Path
) -> None:
    (tmp_path / "talk.tsv").unlink()
    request = make_tuned()
    (first, *_) = told(trained(request))
    assert first == "talk.tsv cannot be opened and will not be replayed, so it may be forgotten"
    assert set(corpora_in(request.folder)) == {"new.tsv"}


def test_corpus_that_has_changed_is_replayed_as_it_is_and_told_of(
    make_tuned: MakeRequest, tmp_path: Path
) -> None:
    with (tmp_path / "talk.tsv").open("a") as file:
        file.write("one more\tof them\n")
    request = make_tuned()
    assert told(trained(request))[0].startswith("talk.tsv is not as it was when the checkpoint learned")
    counts = corpora_in(request.folder)["talk.tsv"]
    assert counts["train"] + counts["valid"] == 61


def test_corpus_that_is_trained_on_anyway_is_not_replayed(make_tuned: MakeRequest, tmp_path: Path) -> None:
    request = make_tuned()
    again = dataclasses.replace(request, corpora=(*request.corpora, str(tmp_path / "talk.tsv")))
    trained(again)
    assert [each["replayed"] for each in corpora_in(request.folder).values()] == [False, False]


def test_corpora_of_a_checkpoint_without_its_training_state_are_found_by_name(
    make_tuned: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = make_tuned()
    assert request.start is not None
    for path in (request.start / "resume").iterdir():
        path.unlink()
    notices: list[str] = []
    base = checkpoint.load(request.start)
    assert remembered_corpora(base, request.corpora, tmp_path, notices.append) == {}
    assert len(notices) == 1
    monkeypatch.chdir(tmp_path)
    assert remembered_corpora(base, request.corpora, tmp_path, notices.append) == {"talk.tsv": 2.0}


def test_checkpoint_of_a_fine_tuning_remembers_both(make_tuned: MakeRequest, tmp_path: Path) -> None:
    trained(make_tuned())
    other = tmp_path / "other.tsv"
    other.write_text("quite\tanother\n" * 3, encoding="utf-8")
    base = checkpoint.load(make_tuned().folder)
    found = remembered_corpora(base, [str(other)], tmp_path, pytest.fail)
    assert list(found) == [str(tmp_path / "new.tsv"), str(tmp_path / "talk.tsv")]
    assert found[str(tmp_path / "new.tsv")] == 1.0


@pytest.mark.parametrize(
    "recorded", [None, [], [3, {"name": "talk.tsv"}, {"name": "a", "sha256": "b", "times": "c"}]]
)
def test_record_that_names_no_corpora_is_none_to_replay(
    make_tuned: MakeRequest, tmp_path: Path, recorded: Any
) -> None:
    start = make_tuned().start
    assert start is not None
    base = checkpoint.load(start)
    base = dataclasses.replace(base, record={**base.record, "corpora": recorded})
    assert remembered_corpora(base, [], tmp_path, pytest.fail) == {}


def test_resumed_run_replays_what_it_replayed(make_tuned: MakeRequest) -> None:
    trained(make_tuned("whole"))
    trained(make_tuned("torn"), stop_at=3)
    start = make_tuned("torn").start
    assert start is not None
    (start / "manifest.json").unlink()  # no longer needed
    trained(make_tuned("torn", resume=True))
    whole, torn = (checkpoint.load(make_tuned(name).folder) for name in ("whole", "torn"))
    assert all((weight == torn.weights()[name]).all() for name, weight in whole.weights().items())
    assert whole.record["corpora"] == torn.record["corpora"]


def test_replay_without_a_checkpoint_is_refused(make_request: MakeRequest) -> None:
    with pytest.raises(OptionError) as caught:
        trained(make_request(replay=0.2))
    wanted = "--replay: there is no checkpoint whose corpora could join; add --from CHECKPOINT"
    assert str(caught.value) == wanted


def test_file_that_was_read_with_options_of_its_own_is_not_read_otherwise(
    make_tuned: MakeRequest, tmp_path: Path
) -> None:
    start = make_tuned().start
    assert start is not None
    base = checkpoint.load(start)
    base = dataclasses.replace(base, config=base.config.replace({"burst_minutes": 5.0}))
    notices: list[str] = []
    assert remembered_corpora(base, [], tmp_path, notices.append) == {}
    assert notices == ["talk.tsv cannot be opened and will not be replayed, so it may be forgotten"]


# New words


@pytest.mark.parametrize("tokenizer", ["bpe", "chars", "words"])
def test_new_words_are_spelled_in_bytes_or_told_of(
    make_request: MakeRequest, tmp_path: Path, tokenizer: str
) -> None:
    base = make_request("base", tokenizer=tokenizer, steps=1)
    trained(base)
    new = tmp_path / "new.tsv"
    new.write_text("question\tanswer ünheard\n" * 2 + "question 你\tanswer\n" * 2, encoding="utf-8")
    request = make_request("tuned", base.folder, tokenizer=tokenizer, steps=1)
    request = dataclasses.replace(request, corpora=(str(new),))
    notices = [text for text in told(trained(request)) if "read as unknown" in text]
    given = checkpoint.load(base.folder).tokenizer()
    data = prepare(request.corpora, request.library, request.config, lambda notice: None, given)
    tokens = np.concatenate([data.corpora[0].train.src, data.corpora[0].train.tgt])
    if tokenizer != "words":
        assert notices == []
        assert not (tokens == UNK).any()
        return
    share = (tokens == UNK).mean()
    assert share > 0
    wanted = f"new.tsv: {share:.1%} of its words are not in the vocabulary of the checkpoint"
    assert notices == [wanted + "; they are read as unknown"]
