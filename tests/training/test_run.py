from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from chatbot import checkpoint
from chatbot.bot import Chatbot
from chatbot.dataset.joined import take
from chatbot.engines import exporting
from chatbot.errors import ChatbotError, CheckpointError, CorpusError, OptionError, TrainingError
from chatbot.evaluation.ngram import best_order
from chatbot.evaluation.perplexity import fit_of
from chatbot.text.tokenizer import Tokenizer
from chatbot.training import run as module
from chatbot.training.events import Event, Finished, Looked, Prepared, Reported, Saved, Stepped, Warned
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun, unsigned

MakeRequest = Callable[..., Request]


def trained(request: Request, stop_at: int = 0) -> list[Event]:
    """All events of a run, which is asked to stop at a step."""
    run, events = TrainingRun(request), []
    for event in run.events():
        events.append(event)
        if isinstance(event, Stepped) and event.step == stop_at:
            assert run.stop()
    return events


def weights_in(folder: Path) -> dict[str, Any]:
    return checkpoint.load(folder).weights()


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return left.keys() == right.keys() and all((left[name] == right[name]).all() for name in left)


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


# A whole run


def test_run_ends_in_a_checkpoint_that_talks(make_request: MakeRequest) -> None:
    request = make_request()
    events = trained(request)
    assert kinds(events)[:2] == ["Warned", "Prepared"]
    assert kinds(events)[-4:] == ["Saved", "Finished", "Reported", "Saved"]
    assert [event.step for event in events if isinstance(event, Stepped)] == [1, 2, 3, 4, 5, 6]
    bot = Chatbot.load(request.folder, "cpu")
    assert isinstance(bot.reply("question 3").text, str)
    checkpoint.verify(request.folder)
    assert request.folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o077 for path in request.folder.rglob("*")] == [0] * 14


def test_network_that_cannot_be_written_as_graphs_is_warned_of_and_talks(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(network: Any) -> Any:
        raise RuntimeError("no such operator")

    monkeypatch.setattr(exporting, "trace", refuse)
    request = make_request()
    events = trained(request)
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert "no such operator" in warned[-1]
    assert not checkpoint.load(request.folder).has_graphs
    assert Chatbot.load(request.folder).reply("hello").text


def test_record_holds_options_corpora_versions_and_figures(make_request: MakeRequest) -> None:
    request = make_request(mix="talk.tsv=2.5")
    events = trained(request)
    record = json.loads((request.folder / "config.json").read_text("utf-8"))
    assert record["options"] == request.config.to_json()
    (corpus,) = record["corpora"]
    assert (corpus["name"], corpus["times"], corpus["train"] + corpus["valid"]) == ("talk.tsv", 2.5, 60)
    assert record["versions"]["torch"] == torch.__version__
    assert (record["steps"], record["ended"], record["precision"]) == (6, "done", "single")
    (reported,) = [event for event in events if isinstance(event, Reported)]
    assert record["report"]["all"] == reported.report["all"]
    assert record["parameters"] == sum(
        weight.size for name, weight in weights_in(request.folder).items() if name != "baseline"
    )


def test_metrics_have_every_event(make_request: MakeRequest) -> None:
    request = make_request()
    events = trained(request)
    lines = (request.folder / "metrics.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [json.loads(json.dumps(e.to_json())) for e in events]


def test_report_is_what_a_ngram_and_the_kept_weights_give(make_request: MakeRequest) -> None:
    request = make_request()
    (reported,) = [event for event in trained(request) if isinstance(event, Reported)]
    config, names = request.config, request.corpora
    data = module.prepare(names, request.library, config, lambda notice: None)
    ((_, pairs, _),) = data.held_out()
    ngram = best_order(data.joined(), pairs, data.tokenizer.vocab)
    theirs = fit_of(pairs, ngram.nats(pairs).sum()).perplexity
    row = reported.report["corpora"]["talk.tsv"]
    assert row["ngram_perplexity"] == pytest.approx(theirs, abs=0.01)
    assert row["ratio"] == pytest.approx(row["perplexity"] / theirs, abs=1e-3)
    assert row["pairs"] == len(pairs)


def test_report_and_card_tell_what_attention_of_the_kept_weights_does(make_request: MakeRequest) -> None:
    request = make_request()
    events = trained(request)
    (reported,) = [event for event in events if isinstance(event, Reported)]
    last = [event for event in events if isinstance(event, Looked)][-1]  # the best, and of all held-out pairs
    attention = reported.report["attention"]
    for name in ("entropy", "heaviest", "moved", "mass", "gain"):
        assert attention[name] == pytest.approx(getattr(last, name), abs=1e-4)
    assert attention["pairs"] == reported.report["all"]["pairs"]
    assert f"the question saves {attention['gain']:.2f} nats" in (request.folder / "README.md").read_text(
        "utf-8"
    )


def test_card_shows_replies_to_held_out_questions(make_request: MakeRequest) -> None:
    request = make_request()
    trained(request)
    card = (request.folder / "README.md").read_text("utf-8")
    bot = Chatbot.load(request.folder, "cpu")
    rows = [line.split(" | ") for line in card.splitlines() if line.startswith("| question ")][1:]
    assert rows
    for question, reply in rows:
        said = bot.reply(question.removeprefix("| ")).text
        assert " ".join(said.split()) == reply.removesuffix("|").strip()


def test_half_precision_rounds_the_weights(make_request: MakeRequest) -> None:
    whole, half = make_request("whole"), dataclasses.replace(make_request("half"), half=True)
    trained(whole)
    trained(half)
    rounded = {name: w.astype(np.float16).astype(np.float32) for name, w in weights_in(whole.folder).items()}
    assert same(weights_in(half.folder), rounded)


def test_seed_decides_the_run_and_may_be_any_number(make_request: MakeRequest) -> None:
    for name, seed in (("a", -3), ("b", -3), ("c", 2**70)):
        trained(make_request(name, seed=seed, steps=2))
    a, b, c = (weights_in(make_request(name).folder) for name in "abc")
    assert same(a, b)
    assert not same(a, c)
    assert len({unsigned(seed) for seed in (-3, 3, 0, 2**64 - 1)}) == 4


def test_person_is_warned_of_what_is_odd(make_request: MakeRequest) -> None:
    events = trained(make_request(validation=0.0, max_tgt=9, steps=1))
    told = [event.text for event in events if isinstance(event, Warned)]
    assert told[0].startswith("only 4 training pairs")
    assert told[1] == "no conversation was held out: validation looks at the training pairs"
    assert told[2] == "talk.tsv: 56 of 60 replies are longer than 9 tokens; raise --max-tgt"


# Interruption and resuming


def test_interrupted_run_leaves_a_checkpoint_that_talks(make_request: MakeRequest) -> None:
    request = make_request(eval_every=2)
    events = trained(request, stop_at=3)
    assert kinds(events)[-3:] == ["Saved", "Finished", "Saved"]
    assert Chatbot.load(request.folder, "cpu").reply("question 3").question == "question 3"
    assert "nothing was measured" in (request.folder / "README.md").read_text("utf-8")


def test_run_interrupted_before_any_validation_keeps_the_weights_it_has(make_request: MakeRequest) -> None:
    request = make_request(eval_every=100)
    events = trained(request, stop_at=1)
    assert [event.best_step for event in events if isinstance(event, Finished)] == [-1]
    assert Chatbot.load(request.folder, "cpu").reply("question 3").question == "question 3"


@pytest.mark.parametrize("change", [{}, {"start": True}])
def test_interrupted_and_resumed_run_ends_in_the_same_checkpoint(
    make_request: MakeRequest, change: dict[str, bool]
) -> None:
    start = None
    if change:
        start = make_request("base").folder
        trained(make_request("base", steps=1))
    trained(make_request("whole", start))
    trained(make_request("torn", start), stop_at=2)
    trained(make_request("torn", start, resume=True), stop_at=5)
    if start:
        shutil.rmtree(start)  # no longer needed
    trained(make_request("torn", start, resume=True))
    folders = [make_request(name).folder for name in ("whole", "torn")]
    assert same(*(weights_in(folder) for folder in folders))
    reports = [json.loads((folder / "config.json").read_text())["report"] for folder in folders]
    assert reports[0] == reports[1]
    logs = [(folder / "metrics.jsonl").read_text("utf-8").splitlines() for folder in folders]
    steps = [[json.loads(line)["step"] for line in log if '"stepped"' in line] for log in logs]
    assert steps[0] == steps[1] == [1, 2, 3, 4, 5, 6]


def test_finished_run_goes_on_with_more_steps(make_request: MakeRequest) -> None:
    trained(make_request())
    events = trained(make_request(resume=True, steps=8))
    assert [event.step for event in events if isinstance(event, Stepped)] == [7, 8]
    record = json.loads((make_request().folder / "config.json").read_text())
    assert (record["steps"], record["options"]["training"]["steps"]) == (8, 8)


def test_finished_run_has_nothing_left_to_do(make_request: MakeRequest) -> None:
    trained(make_request())
    before = weights_in(make_request().folder)
    with pytest.raises(TrainingError) as caught:
        trained(make_request(resume=True))
    assert str(caught.value) == "bot: nothing is left to do: all 6 steps are used; raise --steps above 6"
    assert same(weights_in(make_request().folder), before)


def test_run_killed_while_its_weights_were_measured_is_finished(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("chatbot.training.trained.perplexities", killed)
        with pytest.raises(KeyboardInterrupt):
            trained(make_request())
    folder = make_request().folder
    assert not checkpoint.is_complete(folder)
    events = trained(make_request(resume=True))
    assert not [event for event in events if isinstance(event, Stepped)]
    assert checkpoint.load(folder).record["report"]


def test_run_with_other_corpora_is_not_resumed(make_request: MakeRequest, tmp_path: Path) -> None:
    trained(make_request(), stop_at=2)
    (tmp_path / "talk.tsv").write_text("quite\tanother\n" * 3)
    with pytest.raises(OptionError, match="is not what the run learned from; restore it, or fine-tune"):
        trained(make_request(resume=True))


def test_run_whose_tokenizer_comes_out_otherwise_is_not_resumed(make_request: MakeRequest) -> None:
    trained(make_request(), stop_at=2)
    other = Tokenizer.train("chars", [("q", "z")], 300, "question")
    (make_request().folder / "resume" / "tokenizer.json").write_text(other.to_json(), encoding="utf-8")
    with pytest.raises(OptionError, match="is not what the run learned from"):
        trained(make_request(resume=True))


def test_state_of_another_run_is_refused(make_request: MakeRequest) -> None:
    trained(make_request(), stop_at=2)
    other = make_request("other", hidden=10)
    trained(other, stop_at=2)
    resume = make_request().folder / "resume"
    for path in [*resume.glob("state*")]:
        path.unlink()
    for path in (other.folder / "resume").glob("state*"):
        shutil.copy(path, resume)
    with pytest.raises(CheckpointError, match="is not the state of this run"):
        trained(make_request(resume=True))


def test_stop_before_training_leaves_the_ending_to_the_caller(make_request: MakeRequest) -> None:
    run = TrainingRun(make_request())
    assert not run.stop()
    for event in run.events():
        if isinstance(event, Prepared):
            assert not run.stop()
        if isinstance(event, Stepped):
            assert run.stop()
    assert isinstance(event, Saved)


def test_damaged_state_is_told_and_the_one_before_it_gone_on_from(make_request: MakeRequest) -> None:
    trained(make_request("whole", save_every=1))
    trained(make_request(save_every=1), stop_at=4)
    resume = make_request().folder / "resume"
    next(resume.glob("state-00000004*")).write_bytes(b"damaged")
    events = trained(make_request(save_every=1, resume=True))
    (told,) = [event for event in events if isinstance(event, Warned) and event.step]
    assert re.fullmatch(
        r"\S+/state-00000004\S+ is not as it was written: .*; going on from an older state, of step 3",
        told.text,
    )
    assert [event.step for event in events if isinstance(event, Stepped)] == [4, 5, 6]
    assert same(*(weights_in(make_request(name).folder) for name in ("whole", "bot")))
    log = [
        json.loads(line) for line in (make_request().folder / "metrics.jsonl").read_bytes().split(b"\n")[:-1]
    ]
    assert [each["step"] for each in log if each["event"] == "stepped"] == [1, 2, 3, 4, 5, 6]
    assert len([each for each in log if each["event"] == "prepared"]) == 1


@pytest.mark.parametrize("lr", [0.004, 0.02])
def test_learning_rate_of_a_resumed_run_is_the_one_given(make_request: MakeRequest, lr: float) -> None:
    trained(make_request(lr=0.008, schedule="constant", warmup=0.0), stop_at=3)
    resume = make_request().folder / "resume"
    state = json.loads((resume / "state.json").read_text())
    state["states"][0]["progress"] |= {"lr_scale": 0.5, "reverts": 1}
    (resume / "state.json").write_text(json.dumps(state))

    def rates(stop_at: int, lr: float, steps: int = 9) -> list[float]:
        request = make_request(lr=lr, schedule="constant", warmup=0.0, resume=True, steps=steps)
        return [event.lr for event in trained(request, stop_at) if isinstance(event, Stepped)]

    assert rates(5, 0.008) == [0.004, 0.004]
    assert rates(7, lr) == [lr, lr]
    assert rates(0, lr) == [lr, lr]


def test_log_of_a_run_killed_while_it_validates_at_its_end_has_no_event_twice(
    make_request: MakeRequest,
) -> None:
    """Its last state is from before that validation, which happens once more."""
    options = {"save_every": 3, "eval_every": 4}
    trained(make_request("whole", **options))
    for event in TrainingRun(make_request(**options)).events():
        if isinstance(event, Looked) and event.step == 6:
            break
    trained(make_request(resume=True, **options))
    logs = []
    for name in ("whole", "bot"):
        lines = (make_request(name).folder / "metrics.jsonl").read_text("utf-8").split("\n")[:-1]
        logs.append([(each["event"], each["step"], each.get("loss")) for each in map(json.loads, lines)])
    assert logs[0] == logs[1]


# Fine-tuning


def test_fine_tuning_starts_from_the_weights_and_the_tokenizer_of_its_base(
    make_request: MakeRequest, tmp_path: Path
) -> None:
    base = make_request("base")
    trained(base)
    other = tmp_path / "other.tsv"
    other.write_text("ünlike\tanything sèen\n" * 2, encoding="utf-8")
    tuned = dataclasses.replace(make_request("tuned", base.folder, lr=0.0, steps=2), corpora=(str(other),))
    trained(tuned)
    assert same(weights_in(tuned.folder), weights_in(base.folder))  # at a learning rate of 0
    tokenizers = [(folder / "tokenizer.json").read_bytes() for folder in (base.folder, tuned.folder)]
    assert tokenizers[0] == tokenizers[1]


def test_fine_tuning_from_nothing_is_refused(make_request: MakeRequest, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        trained(make_request("tuned", tmp_path / "nowhere"))
    assert not make_request("tuned").folder.exists()


# What cannot be done


def test_run_without_an_end_is_refused(make_request: MakeRequest) -> None:
    with pytest.raises(
        OptionError, match="--minutes: is 0, and neither --epochs nor --steps says when to end"
    ):
        trained(make_request(steps=0))
    assert not make_request().folder.exists()


def test_missing_corpus_leaves_no_folder(make_request: MakeRequest) -> None:
    with pytest.raises(CorpusError):
        trained(dataclasses.replace(make_request(), corpora=("nowhere",)))
    assert not make_request().folder.exists()


def test_divergence_before_any_validation_is_told_with_step_rate_and_remedy(
    make_request: MakeRequest,
) -> None:
    request = make_request(lr=1e6, clip=0.0, warmup=0.0, eval_every=100)
    with pytest.raises(TrainingError) as caught:
        trained(request)
    told = r"step 2: the loss is \S+ nats per token at learning rate 1\.\de\+05, after going back 3 times, "
    assert re.fullmatch(told + "and no good weights yet; lower --lr or set --clip", str(caught.value))
    assert not checkpoint.is_complete(request.folder)


def test_divergence_keeps_the_weights_of_the_last_good_validation(make_request: MakeRequest) -> None:
    request = make_request(lr=1e6, clip=0.0, warmup=0.0, eval_every=1)
    with pytest.raises(TrainingError, match="the weights of step 1 are kept; lower --lr or set --clip"):
        trained(request)
    assert all(np.isfinite(weight).all() for weight in weights_in(request.folder).values())
    record = checkpoint.load(request.folder).record
    assert (record["ended"], record["best_step"]) == ("diverged", 1)


def test_full_disk_during_training_is_told_and_the_state_before_is_whole(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatbot.training import state
    from chatbot.training.state import States

    write, saved = state.write_atomically, []

    def full(path: Path, data: bytes) -> None:
        saved.append(path.name)
        if len(saved) > 5:
            raise ChatbotError(str(path), "the disk is full", "free some space")
        write(path, data)

    monkeypatch.setattr(state, "write_atomically", full)
    with pytest.raises(ChatbotError, match="the disk is full"):
        trained(make_request(eval_every=2))
    assert States(make_request().folder / "resume").load().progress.step == 2
    monkeypatch.undo()
    trained(make_request(resume=True, eval_every=2))
    assert checkpoint.is_complete(make_request().folder)


def test_questions_of_validations_are_a_few_of_the_held_out(make_request: MakeRequest) -> None:
    data = module.prepare(
        make_request().corpora, make_request().library, make_request().config, lambda _: None
    )
    ((_, pairs, _),) = data.held_out()
    held_out = {data.tokenizer.decode(pairs.pair(row)[0].tolist()) for row in range(len(pairs))}
    for most in (1, 3, 100):
        found = module.spread_questions(data, most)
        assert len(found) == min(most, len(pairs))
        assert set(found) <= held_out
    assert len(take(pairs, 2)) == 2


def test_run_leaves_small_numbers_as_they_were(train_tiny: Any, tmp_path: Path) -> None:
    """Flushing them to 0 is a mode of the whole process; it ends with the run."""
    train_tiny(tmp_path / "run", [("hello", "hi"), ("bye", "see you")], steps=2)
    assert torch.tensor(1e-40) * 0.5 > 0
