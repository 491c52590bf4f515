from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

from chatbot import checkpoint
from chatbot.cli import main, progress
from chatbot.cli.exits import heed_signals
from chatbot.config import PRESETS, Config
from chatbot.training import cache
from chatbot.training.events import Event, Prepared, Stepped
from chatbot.training.state import States

Capture = pytest.CaptureFixture[str]

SMALL = ("--tokenizer", "chars", "--embed", "8", "--hidden", "8", "--device", "cpu", "--beam", "1")
RUN = (*SMALL, "--steps", "4")
COMMAND = (sys.executable, "-m", "chatbot")


def status(*args: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(args)
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a corpus in it."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"question {n}\tanswer {n * n}\n" for n in range(60))
    (tmp_path / "talk.tsv").write_text(lines, encoding="utf-8")
    return tmp_path


def one_line(capsys: Capture) -> str:
    """What was said on stderr, which must be one line, and nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("Error: ")
    return err.removeprefix("Error: ").rstrip("\n")


# A run


def test_stdout_carries_the_folder_alone(capsys: Capture) -> None:
    assert status("train", "talk.tsv", *RUN) == 0
    out, err = capsys.readouterr()
    assert out == "checkpoints/talk\n"
    assert "\x1b" not in err
    assert "\r" not in err
    assert "60 conversations, 120 turns: 60 pairs" in err
    assert re.search(
        r"^ *\d+% step 4, epoch \d\.\d, loss \d\.\d{3}, .*validation: perplexity", err, re.MULTILINE
    )
    assert "done after 4 steps" in err
    assert json.loads(Path("checkpoints/talk/config.json").read_text("utf-8"))["steps"] == 4


def test_quiet_run_says_nothing_but_the_folder(capsys: Capture) -> None:
    assert status("train", "talk.tsv", *RUN, "--quiet", "--name", "hush") == 0
    assert capsys.readouterr() == ("checkpoints/hush\n", "")


def test_trained_bot_is_the_one_chat_talks_with(capsys: Capture) -> None:
    assert status("train", "talk.tsv", *RUN, "--quiet") == 0
    assert status("chat", "--question", "question 3", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[1])["checkpoint"] == "talk"


def test_name_is_made_from_the_corpora_and_a_number(folder: Path, capsys: Capture) -> None:
    (folder / "more.tsv").write_text("a\tb\nc\td\n")
    for corpora in (["talk.tsv", "./more.tsv"], ["talk.tsv", "./more.tsv"]):
        assert status("train", *corpora, *SMALL, "--steps", "1", "--quiet") == 0
    assert capsys.readouterr().out.splitlines() == ["checkpoints/talk-more", "checkpoints/talk-more-2"]


def test_one_pair_is_trained_on_with_a_warning(folder: Path, capsys: Capture) -> None:
    (folder / "one.tsv").write_text("hello\thi there\n")
    assert status("train", "one.tsv", *RUN) == 0
    assert "Note: only 1 training pair" in capsys.readouterr().err


# What is no corpus


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, r"bad\.tsv: no corpus of that name and no such file"),
        (b"", r"bad\.tsv"),
        (b"\n \n\t\n", r"bad\.tsv"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, r"bad\.tsv"),
        (b"alone\n", r"bad\.tsv"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", r"bad\.tsv"),
    ],
    ids=["missing", "empty", "blank", "binary", "alone", "pointer"],
)
def test_file_that_is_no_corpus_is_refused_and_leaves_nothing(
    folder: Path, capsys: Capture, content: bytes | None, told: str
) -> None:
    if content is not None:
        (folder / "bad.tsv").write_bytes(content)
    assert status("train", "bad.tsv", *RUN, "--quiet") == 1
    assert re.match(told, one_line(capsys))
    assert not list(folder.glob("checkpoints/*"))


# Options


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--attention", "magic"), "--attention: no attention 'magic'; choose one of none, additive"),
        (("--hidden", "many"), "--hidden: 'many' is no whole number; it must be at least 2"),
        (("--lr", "inf"), "--lr: 'inf' is no number"),
        (("--mix", "chitchat=1"), "--mix: 'chitchat' is not trained on; name one of talk.tsv"),
        (("--mix", "talk.tsv=0"), "--mix: leaves no pair to learn from"),
        (("--preset", "huge"), "--preset: no preset 'huge'"),
        (("--minutes", "0"), "--minutes: is 0, and neither --epochs nor --steps says when to end"),
        (("--name", "a/b"), "--name: 'a/b' is no name for a folder"),
        (("--name", ".."), "--name: '..' is no name for a folder"),
        (("--name", ""), "--name: '' is no name for a folder"),
        (("--frobnicate",), "chatbot train: No such option"),
        (("--config", "nowhere.toml"), "nowhere.toml: No such file or directory; name a file for --config"),
        (("--resume", "x", "--from", "y"), "--resume: does not go with --from; leave one of them out"),
        (("--resume", "x", "--name", "y"), "--resume: does not go with --name; leave one of them out"),
    ],
)
def test_option_that_makes_no_sense_is_wrong_usage(
    folder: Path, capsys: Capture, args: tuple[str, ...], told: str
) -> None:
    assert status("train", "talk.tsv", *SMALL, *args) == 2
    _, _, said = capsys.readouterr().err.rpartition("Error: ")
    assert said.startswith(told)
    assert said.count("\n") == 1
    assert not (folder / "checkpoints").exists()


def test_device_that_is_not_there_is_refused(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert status("train", "talk.tsv", *RUN, "--device", "cuda", "--quiet") == 2
    assert "--device: cuda is not there on this machine" in one_line(capsys)


def test_existing_checkpoint_is_not_written_over(capsys: Capture) -> None:
    assert status("train", "talk.tsv", *RUN, "--quiet", "--name", "bot") == 0
    before = Path("checkpoints/bot/manifest.json").read_bytes()
    capsys.readouterr()
    assert status("train", "talk.tsv", *RUN, "--quiet", "--name", "bot") == 2
    assert one_line(capsys) == "--name: checkpoints/bot exists; choose another, or --resume bot"
    assert Path("checkpoints/bot/manifest.json").read_bytes() == before


# Files


def test_file_is_read_with_the_options_given(folder: Path, capsys: Capture) -> None:
    lines = (f"{n},question {n},answer {n}" for n in range(9))
    (folder / "talk.csv").write_text("\n".join(["id,asked,told", *lines]), encoding="utf-8")
    assert status("train", "talk.csv", *RUN, "--columns", "asked,told") == 0
    assert (
        "9 conversations, 18 turns: 9 pairs; none left out; 0 conversations without"
        in capsys.readouterr().err
    )
    assert json.loads(Path("checkpoints/talk/config.json").read_text("utf-8"))["options"]["reading"] == {
        **Config().to_json()["reading"],
        "columns": "asked,told",
    }
    assert status("train", "--resume", "talk", "--steps", "5", "--quiet") == 0
    assert status("train", "--resume", "talk", "--columns", "told,asked") == 2
    assert "leave --columns out, or train anew" in capsys.readouterr().err


def test_parallel_files_are_learned_from_and_name_the_bot(folder: Path, capsys: Capture) -> None:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("".join(f"{name[0]} {n}\n" for n in range(7)), encoding="utf-8")
    assert status("train", "talk.tsv", "--src", "a.txt", "--tgt", "b.txt", *RUN) == 0
    out, err = capsys.readouterr()
    assert out == "checkpoints/talk-a\n"
    assert "67 conversations, 134 turns: 67 pairs" in err


@pytest.mark.parametrize(
    ("given", "flag"), [(("--burst-minutes", "5"), "--burst-minutes"), (("--scrub",), "--scrub")]
)
def test_option_of_files_is_refused_without_a_file(
    capsys: Capture, given: tuple[str, ...], flag: str
) -> None:
    assert status("train", "smalltalk:english", *RUN, *given, "--quiet") == 2
    told = f"{flag}: concerns files, and none is given; leave it out, or add the corpus again with it"
    assert one_line(capsys) == told


def test_half_of_two_parallel_files_is_refused(folder: Path, capsys: Capture) -> None:
    (folder / "a.txt").write_text("a\n", encoding="utf-8")
    assert status("train", "talk.tsv", *RUN, "--src", "a.txt", "--quiet") == 2
    assert one_line(capsys).startswith("--src and --tgt: belong together")


def test_every_reason_of_leaving_out_is_told(folder: Path, capsys: Capture) -> None:
    lines = ["a b\tc", "A  b\tc", "one\ttwo three four", "why is this\twhy is that thing so"]
    lines += [f"question {n}\tsame" for n in range(4)]
    (folder / "some.tsv").write_text("\n".join(lines), encoding="utf-8")
    assert status("train", "some.tsv", *RUN, "--reply-cap", "3", "--max-words", "4") == 0
    assert "; left out 1 too long, 1 duplicates, 1 over the reply cap; 0 conv" in capsys.readouterr().err


def dumped(capsys: Capture, *args: str) -> str:
    assert status("train", *args, "--dump-config") == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_dumped_options_are_read_back_as_they_were(folder: Path, capsys: Capture) -> None:
    first = dumped(capsys, *SMALL, "--preset", "base", "--mix", 'a"b=1', "--minutes", "2.5", "--no-tie")
    (folder / "options.toml").write_text(first, encoding="utf-8")
    assert dumped(capsys, "--config", "options.toml") == first
    options = tomllib.loads(first)
    assert (options["model"]["hidden"], options["model"]["tie"], options["data"]["mix"]) == (
        8,
        False,
        'a"b=1',
    )
    assert options["model"]["dropout"] == PRESETS["base"]["dropout"]
    assert not (folder / "checkpoints").exists()


@pytest.mark.parametrize("typed", ["auto", "0"])
def test_size_that_the_run_finds_out_is_said_by_a_word(folder: Path, capsys: Capture, typed: str) -> None:
    text = dumped(capsys, "--batch-tokens", typed)
    assert tomllib.loads(text)["training"]["batch_tokens"] == "auto"
    (folder / "options.toml").write_text(text, encoding="utf-8")
    assert dumped(capsys, "--config", "options.toml") == text
    assert status("train", "--batch-tokens", "-1") == 2
    assert one_line(capsys) == "--batch-tokens: batch_tokens is -1; it must be auto or at least 1"


@pytest.mark.parametrize("limit", ["minutes", "epochs", "steps"])
def test_limit_that_is_given_is_the_only_one(capsys: Capture, limit: str) -> None:
    training = tomllib.loads(dumped(capsys, f"--{limit}", "3"))["training"]
    assert {name: training[name] for name in ("minutes", "epochs", "steps") if training[name]} == {limit: 3}


def test_two_limits_may_be_given(capsys: Capture) -> None:
    training = tomllib.loads(dumped(capsys, "--minutes", "3", "--steps", "9"))["training"]
    assert (training["minutes"], training["epochs"], training["steps"]) == (3.0, 0.0, 9)


# Going on with a run


@pytest.fixture
def finished(capsys: Capture) -> None:
    """A run named bot, of 4 steps."""
    assert status("train", "talk.tsv", *RUN, "--quiet", "--name", "bot") == 0
    capsys.readouterr()


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        ((), 1, "bot: nothing is left to do: all 4 steps are used; raise --steps above 4"),
        (("--steps", "4"), 1, "bot: nothing is left to do: all 4 steps are used; raise --steps above 4"),
        (
            ("--hidden", "16"),
            2,
            "--resume: hidden is 8 in the checkpoint and 16 here; leave --hidden out, or",
        ),
        (
            ("--tie", "--dropout", "0.5"),
            2,
            f"--resume: dropout is {Config().model.dropout} in the checkpoint and 0.5 here",
        ),
        (
            ("--seed", "5"),
            2,
            "--resume: seed is 0 in the checkpoint and 5 here; leave --seed out, or train anew",
        ),
        (
            ("--preset", "tiny"),
            2,
            f"--resume: vocabulary is {Config().text.vocabulary} in the checkpoint and 1024 here",
        ),
        (
            ("--average", "0.9"),
            2,
            "--resume: average is 0.0 in the checkpoint and 0.9 here; leave --average out, or train anew",
        ),
        (
            ("--mix", "talk.tsv=2"),
            2,
            "--resume: mix is '' in the checkpoint and 'talk.tsv=2' here; leave --mix",
        ),
        (("--warmup", "0.5"), 2, "--resume: warmup is 0.03 in the checkpoint and 0.5 here; leave --warmup"),
        (("--beam", "3"), 2, "--resume: beam is 1 in the checkpoint and 3 here; leave --beam out"),
        (("--config", "more.toml"), 2, "--resume: clip is 1.0 in the checkpoint and 2.0 here; leave --clip"),
        (("--like", "xu2015"), 2, "--resume: "),
        (
            ("other.tsv",),
            2,
            "--resume: the run's corpora are talk.tsv, not other.tsv; leave CORPUS out, or fine-tune",
        ),
        (("talk.tsv", "other.tsv"), 2, "--resume: the run's corpora are talk.tsv, not talk.tsv other.tsv;"),
    ],
)
def test_run_is_not_resumed_into_another(
    capsys: Capture, args: tuple[str, ...], code: int, told: str
) -> None:
    Path("more.toml").write_text("[training]\nclip = 2.0\n", encoding="utf-8")
    assert status("train", "--resume", "bot", "--quiet", *args) == code
    assert one_line(capsys).startswith(told)


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("name", ["bot", "checkpoints/bot"])
def test_finished_run_goes_on_with_a_larger_budget(capsys: Capture, name: str) -> None:
    assert status("train", "talk.tsv", "--resume", name, "--steps", "6") == 0
    out, err = capsys.readouterr()
    assert out == "checkpoints/bot\n"
    assert "done after 6 steps" in err


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
    "args",
    [
        ("--epochs", "3"),
        ("--minutes", "0.02"),
        ("--steps", "6", "--lr", "0.1"),
        ("--steps", "6", "--lr", "0.0001"),
        ("--steps", "9", "--keep", "1"),
        ("--steps", "9", "--keep", "4", "--save-every", "1"),
        ("--steps", "6", "--eval-every", "1", "--patience", "2"),
        ("--steps", "6", "--single"),
        ("talk.tsv", "--steps", "6", "--seed", "0"),  # what stays as it was may be said
    ],
)
def test_run_goes_on_with_other_limits_rates_and_saves(
    folder: Path, capsys: Capture, args: tuple[str, ...]
) -> None:
    assert status("train", "--resume", "bot", *args) == 0
    assert "done after" in capsys.readouterr().err
    record = json.loads((folder / "checkpoints/bot/config.json").read_text("utf-8"))
    assert record["steps"] > 4
    for name, value in itertools.pairwise(args):
        if name.startswith("--") and name not in ("--single", "--seed"):
            assert record["options"]["training"][name[2:].replace("-", "_")] == float(value)
    assert record["precision"] == ("single" if "--single" in args else "half")
    if "--keep" in args:
        kept = list((folder / "checkpoints/bot/resume").glob("state-*"))
        assert len(kept) == int(args[args.index("--keep") + 1])


@pytest.mark.parametrize("name", ["nowhere", "", "a/b"])
def test_resuming_nothing_is_refused(capsys: Capture, name: str) -> None:
    assert status("train", "--resume", name) == 1
    assert "name a run that was saved, or train anew" in one_line(capsys)


@pytest.mark.usefixtures("finished")
def test_fine_tuning_keeps_text_and_network_of_its_base_and_nothing_else(capsys: Capture) -> None:
    given = ("--from", "bot", "--dropout", "0.3", "--max-tgt", "30")
    options = tomllib.loads(dumped(capsys, *given))
    assert (options["text"]["tokenizer"], options["model"]["hidden"]) == ("chars", 8)
    assert (options["model"]["dropout"], options["text"]["max_tgt"]) == (0.3, 30)
    assert options["training"] == Config().to_json()["training"]
    assert status("train", "talk.tsv", *given, "--steps", "2", "--device", "cpu", "--quiet") == 0
    assert capsys.readouterr().out == "checkpoints/talk\n"


@pytest.mark.usefixtures("finished")
def test_fine_tuning_may_drop_freeze_and_replay(capsys: Capture) -> None:
    dropping = ("--dropout-kind", "variational", "--weight-dropout", "0.2", "--freeze", "embeddings,encoder")
    given = ("--from", "bot", *dropping, "--replay", "0.5", "--steps", "2", "--device", "cpu", "--name", "b")
    Path("new.tsv").write_text("".join(f"ask {n}\tsay {n}\n" for n in range(30)), encoding="utf-8")
    assert status("train", "new.tsv", *given) == 0
    out, err = capsys.readouterr()
    assert out == "checkpoints/b\n"
    assert "talk.tsv x " in err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            ("--freeze", "embedings"),
            "--freeze: no part 'embedings'; name some of embeddings, encoder, decoder",
        ),
        (
            ("--replay", "0.1"),
            "--replay: there is no checkpoint whose corpora could join; add --from CHECKPOINT",
        ),
        (("--replay", "0.95"), "--replay: replay is 0.95; it must be from 0 to 0.9"),
        (("--average", "1"), "--average: average is 1.0; it must be from 0 to 0.99999"),
        (("--accumulate", "0"), "--accumulate: accumulate is 0; it must be from 1 to 1024"),
        (
            ("--schedule", "step"),
            "--schedule: no schedule 'step'; choose one of cosine, inverse-sqrt, constant",
        ),
    ],
)
def test_odd_way_of_training_is_refused(capsys: Capture, args: tuple[str, ...], told: str) -> None:
    assert status("train", "talk.tsv", *RUN, *args, "--quiet") == 2
    assert one_line(capsys).startswith(told)


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (
            ("--embed", "16"),
            2,
            "--from: embed is 8 in the checkpoint and 16 here; leave --embed out, or train anew",
        ),
        (
            ("--case", "keep"),
            2,
            "--from: case is 'question' in the checkpoint and 'keep' here; leave --case out",
        ),
        (
            ("--from", "bto"),
            1,
            "bto: no checkpoint of that name under checkpoints and no such folder; did you mean",
        ),
    ],
)
def test_fine_tuning_into_another_network_is_refused(
    capsys: Capture, args: tuple[str, ...], code: int, told: str
) -> None:
    assert status("train", "talk.tsv", "--from", "bot", *args, "--quiet") == code
    assert one_line(capsys).startswith(told)


def test_longest_question_is_fixed_where_the_network_was_built_for_it(capsys: Capture) -> None:
    assert status("train", "talk.tsv", *RUN, "--attention", "location", "--quiet") == 0
    capsys.readouterr()
    assert status("train", "talk.tsv", "--from", "talk", "--max-src", "99", "--quiet") == 2
    assert one_line(capsys).startswith("--from: max_src is 40 in the checkpoint and 99 here")


# Options of a paper


def test_paper_comes_after_the_preset_and_before_single_options(capsys: Capture) -> None:
    args = ("--preset", "base", "--like", "bahdanau2015", "--cell", "lstm")
    model = tomllib.loads(dumped(capsys, *args))["model"]
    assert (model["hidden"], model["attention"], model["ask"], model["cell"]) == (
        384,
        "additive",
        "previous",
        "lstm",
    )


def test_unknown_paper_is_refused_with_those_there_are(capsys: Capture) -> None:
    assert status("train", "talk.tsv", "--like", "nobody1999") == 2
    assert "choose one of sutskever2014" in one_line(capsys)


# Ctrl-C and SIGTERM

SIGNALS = (signal.SIGINT, signal.SIGTERM)
hangups = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs POSIX signals")


def interrupt_at(
    monkeypatch: pytest.MonkeyPatch,
    wanted: Callable[[Event], bool],
    signals: Sequence[signal.Signals] = (signal.SIGINT,),
) -> None:
    """Ctrl-C, or other signals, while an event that is wanted is shown."""
    take = progress.View.take

    def interrupting(view: progress.View, event: Event) -> object:
        for number in signals if wanted(event) else ():
            signal.raise_signal(number)
        return take(view, event)

    monkeypatch.setattr(progress.View, "take", interrupting)


def third_step(event: Event) -> bool:
    return isinstance(event, Stepped) and event.step == 3


@pytest.mark.parametrize("number", SIGNALS)
def test_first_interruption_saves_and_tells_how_to_go_on(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    heed_signals()
    before = [signal.getsignal(each) for each in SIGNALS]
    with monkeypatch.context() as patch:
        interrupt_at(patch, third_step, [number])
        assert status("train", "talk.tsv", *SMALL, "--steps", "1000") == 130
    out, err = capsys.readouterr()
    assert out == "checkpoints/talk\n"
    assert "Note: finishing the step and saving; Ctrl-C again stops at once\n" in err
    assert "interrupted after 3 steps" in err
    assert err.endswith("Note: go on with: chatbot train --resume talk\n")
    assert [signal.getsignal(each) for each in SIGNALS] == before
    assert status("chat", "talk", "--question", "question 3") == 0
    assert status("train", "--resume", "talk", "--steps", "5") == 0
    assert "done after 5 steps" in capsys.readouterr().err


def test_interruption_of_a_run_kept_elsewhere_names_its_folder(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(monkeypatch, third_step)
    assert status("train", "talk.tsv", *SMALL, "--steps", "99", "--checkpoints", "my bots") == 130
    assert capsys.readouterr().err.endswith("chatbot train --resume 'my bots/talk'\n")


@pytest.mark.parametrize("signals", list(itertools.product(SIGNALS, SIGNALS)))
def test_second_interruption_ends_the_run_at_once(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, signals: Sequence[signal.Signals]
) -> None:
    with monkeypatch.context() as patch:
        interrupt_at(patch, third_step, signals)
        assert status("train", "talk.tsv", *SMALL, "--steps", "1000", "--save-every", "2") == 130
    assert "interrupted after" not in capsys.readouterr().err
    assert status("chat", "talk", "--question", "question 3") == 1
    assert one_line(capsys).endswith("go on with chatbot train --resume talk")


@pytest.mark.parametrize("number", SIGNALS)
def test_interruption_before_training_ends_at_once(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    interrupt_at(monkeypatch, lambda event: isinstance(event, Prepared), [number])
    assert status("train", "talk.tsv", *RUN) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize("number", SIGNALS)
def test_interruption_while_data_is_prepared_leaves_nothing_half_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    write = cache.PairEncoder.write

    def interrupted(*args: Any) -> object:
        signal.raise_signal(number)
        return write(*args)

    monkeypatch.setattr(cache.PairEncoder, "write", interrupted)
    assert status("train", "talk.tsv", *RUN) == 130
    assert not (folder / "checkpoints").exists()
    assert not [path for path in folder.rglob("*") if path.is_file() and path.name != "talk.tsv"]
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert status("train", "talk.tsv", *RUN) == 0


@pytest.mark.parametrize("written", range(8))
def test_two_interruptions_while_a_state_is_written_leave_one_to_go_on_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """The second comes when so many things have been brought to the disk since the third step."""
    sync, taken = os.fsync, list[int]()

    def interrupting(handle: int) -> None:
        if taken:
            taken.append(handle)
        if len(taken) == written + 2:
            signal.raise_signal(signal.SIGTERM)
        sync(handle)

    def noted(event: Event) -> bool:
        if third_step(event):
            taken.append(-1)
        return third_step(event)

    with monkeypatch.context() as patch:
        interrupt_at(patch, noted)
        patch.setattr(os, "fsync", interrupting)
        assert status("train", "talk.tsv", *SMALL, "--steps", "1000", "--save-every", "2") == 130
    bot = folder / "checkpoints" / "talk"
    stored = States(bot / "resume").load()
    assert (stored.progress.step, stored.skipped) in ((2, ()), (3, ()))
    assert not list(bot.rglob("*.tmp"))
    assert status("train", "--resume", "talk", "--steps", "5", "--quiet") == 0


@hangups
@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGHUP])
def test_hangup_saves_as_ctrl_c_does_and_may_come_twice(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, first: signal.Signals
) -> None:
    with monkeypatch.context() as patch:
        interrupt_at(patch, third_step, [first, signal.SIGHUP])
        assert status("train", "talk.tsv", *SMALL, "--steps", "1000") == 130
    assert "interrupted after 3 steps" in capsys.readouterr().err
    assert status("train", "--resume", "talk", "--steps", "5", "--quiet") == 0


@hangups
def test_run_that_is_to_outlive_its_terminal_does(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup sets it
    try:
        interrupt_at(monkeypatch, third_step, [signal.SIGHUP])
        assert status("train", "talk.tsv", *RUN) == 0
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert "done after 4 steps" in capsys.readouterr().err


def test_quiet_interruption_is_quiet(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from chatbot.training.trainer import Trainer

    step = Trainer._step

    def interrupted(trainer: Trainer, batch: object) -> Stepped:
        signal.raise_signal(signal.SIGINT)
        return step(trainer, batch)  # type: ignore[arg-type]

    monkeypatch.setattr(Trainer, "_step", interrupted)
    assert status("train", "talk.tsv", *SMALL, "--steps", "99", "--quiet") == 130
    assert capsys.readouterr() == ("checkpoints/talk\n", "")


# Through a real process


def environment() -> dict[str, str]:
    return {**os.environ, "LANG": "C.UTF-8", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_interrupted_process_can_be_talked_with_and_resumed(number: signal.Signals) -> None:
    line = [
        *COMMAND,
        "train",
        "talk.tsv",
        *SMALL,
        "--steps",
        "1000000",
        "--eval-every",
        "3",
        "--patience",
        "0",
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment()}
    with subprocess.Popen(line, **pipes) as process:  # type: ignore[call-overload]
        said = ""
        while "validation" not in said:
            said = process.stderr.readline()
            assert said
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "checkpoints/talk\n")
    assert "Traceback" not in err
    found = re.search(r"interrupted after (\d[\d,]*) steps", err)
    assert found
    steps = int(found[1].replace(",", ""))
    for args in (
        ["chat", "talk", "--question", "question 3"],
        ["train", "--resume", "talk", "--steps", str(steps + 2)],
    ):
        ran = subprocess.run([*COMMAND, *args], capture_output=True, text=True, env=environment(), timeout=60)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
def test_terminal_shows_a_live_display_that_leaves_nothing_behind_but_notes() -> None:
    args = [
        "-m",
        "chatbot",
        "train",
        "talk.tsv",
        *SMALL,
        "--steps",
        "1000000",
        "--eval-every",
        "5",
        "--patience",
        "0",
    ]
    size, wanted = {"dimensions": (24, 60)}, environment() | {"TERM": "xterm-256color"}
    process = pexpect.spawn(sys.executable, args, env=wanted, encoding="utf-8", timeout=60, **size)
    process.expect("validation: perplexity")
    seen = process.before + process.after
    process.sendintr()
    process.expect(pexpect.EOF)
    process.close()
    screen = pyte.Screen(60, 24)
    pyte.Stream(screen).feed(seen + process.before)
    lines = "\n".join(line.rstrip() for line in screen.display).rstrip()
    assert process.exitstatus == 130
    assert "━" in seen
    assert "━" not in lines
    assert re.search(
        r"Note: finishing the step and saving; Ctrl-C again stops at\nonce\ninterrupted after \d+ steps",
        lines,
    )
    assert lines.endswith("checkpoints/talk\nNote: go on with: chatbot train --resume talk")


@pytest.mark.slow
def test_run_whose_terminal_is_gone_is_saved(folder: Path) -> None:
    args = ["-m", "chatbot", "train", "talk.tsv", *SMALL, "--steps", "1000000", "--eval-every", "5"]
    process = pexpect.spawn(
        sys.executable, [*args, "--patience", "0"], env=environment(), encoding="utf-8", timeout=60
    )
    process.expect("validation: perplexity")
    os.close(process.child_fd)  # the system tells the process
    process.child_fd = -1
    assert os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1]) == 130
    steps = States(folder / "checkpoints" / "talk" / "resume").load().progress.step
    assert checkpoint.load(folder / "checkpoints" / "talk").record["steps"] == steps


@pytest.mark.slow
def test_second_process_does_not_train_the_same_run(folder: Path) -> None:
    line = [
        *COMMAND,
        "train",
        "talk.tsv",
        *SMALL,
        "--steps",
        "1000000",
        "--eval-every",
        "3",
        "--patience",
        "0",
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment()}
    with subprocess.Popen(line, **pipes) as process:  # type: ignore[call-overload]
        said = ""
        while "validation" not in said:
            said = process.stderr.readline()
            assert said
        resume = [*COMMAND, "train", "--resume", "talk"]
        ran = subprocess.run(resume, capture_output=True, text=True, env=environment(), timeout=60)
        told = f"talk: another process ({process.pid}) is at work on it; wait for its end, or stop it"
        assert (ran.returncode, ran.stdout) == (1, "")
        assert ran.stderr.splitlines()[-1] == f"Error: {told}"
        process.kill()  # the system lets go of the lock
    assert (folder / "checkpoints" / "talk" / "resume" / "lock").exists()
    steps = States(folder / "checkpoints" / "talk" / "resume").load().progress.step + 2
    ran = subprocess.run([*resume, "--steps", str(steps)], capture_output=True, env=environment(), timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert not (folder / "checkpoints" / "talk" / "resume" / "lock").exists()


@pytest.mark.slow
def test_disk_that_takes_no_more_ends_the_run_in_one_line(folder: Path) -> None:
    small = "train talk.tsv --tokenizer chars --embed 64 --hidden 64 --steps 2 --device cpu --quiet"
    limited = f'ulimit -f 100; exec "$@" {small}'  # no file above 100 KiB, the state among them
    line = ["bash", "-c", limited, "bash", *COMMAND]
    ran = subprocess.run(line, capture_output=True, text=True, env=environment(), timeout=60)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert re.fullmatch(
        r"Error: checkpoints/talk/resume/state\S+: cannot be written \(.*\); .*\n", ran.stderr
    )
    assert not [path.name for path in folder.rglob("*.tmp")]


# Numbers that go wrong


def test_d34_numbers_that_stay_wrong_end_the_run_and_keep_the_last_finite_state(
    folder: Path, capsys: Capture
) -> None:
    Path("fifty.tsv").write_text("".join(f"ask {n}\tsay {n}\n" for n in range(50)), encoding="utf-8")
    wild = ("--lr", "1e6", "--clip", "0", "--warmup", "0")
    assert status("train", "fifty.tsv", *SMALL, "--steps", "40", *wild, "--name", "wild") == 1
    said = capsys.readouterr().err.splitlines()
    steps = [
        int(found[1])
        for found in (re.match(r"Note: step (\d+): the loss is \S+ nats", line) for line in said)
        if found
    ]
    assert len(steps) == 3
    assert max(steps) <= 6
    assert re.fullmatch(
        r"Error: step \d: the loss is \S+ nats per token at learning rate \S+, after going back 3 times"
        r"[,;] .*; lower --lr or set --clip",
        said[-1],
    )
    stored = States(folder / "checkpoints" / "wild" / "resume").load()
    assert all(tensor.isfinite().all() for tensor in stored.tensors.values())
    assert status("train", "--resume", "wild", "--lr", "0.01", "--quiet") == 0
