"""What a checkpoint gets besides its weights, at the end of training or afterwards."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from chatbot import checkpoint
from chatbot.bot import Chatbot
from chatbot.checkpoint import CARD, CONFIDENCE, SEEN, WHY_PAIRS, WHY_VECTORS
from chatbot.config import Config, DecodingOptions
from chatbot.errors import CheckpointError, OptionError
from chatbot.evaluation.goodness import EXACT
from chatbot.training.data import prepare
from chatbot.training.equipment import LEAST, equip, kept_pairs
from chatbot.training.events import Event, Reported, Warned
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun
from chatbot.trust.stored import Trust, forget_texts

THINGS = [
    "train",
    "bus",
    "ship",
    "plane",
    "car",
    "bike",
    "taxi",
    "tram",
    "lift",
    "coach",
    "ferry",
    "metro",
    "truck",
    "rocket",
    "boat",
    "sledge",
]
ASKED = (
    "when does the {} go",
    "at what time is the {}",
    "tell me when the {} leaves",
    "the {} goes when ?",
    "hello , when is the {} ?",
    "i need the {} , when ?",
    "say when the {} is due",
    "is the {} soon ?",
)
OPTIONS: dict[str, Any] = {
    "tokenizer": "words",
    "embed": 32,
    "hidden": 32,
    "batch_tokens": 200,
    "device": "cpu",
    "minutes": 0.0,
    "steps": 120,
    "eval_every": 120,
    "beam": 3,
    "validation": 0.5,
    "dropout": 0.0,
    "near_duplicates": True,
    "lr": 0.02,
    "why": 20,
}
"""A bot that learns a timetable in seconds; about half of the 128 questions are held out."""


def write_faq(folder: Path) -> str:
    lines = [
        f"{asked.format(thing)}\tthe {thing} leaves at {place}\n"
        for place, thing in enumerate(THINGS, 1)
        for asked in ASKED
    ]
    (folder / "faq.tsv").write_text("".join(lines), encoding="utf-8")
    return str(folder / "faq.tsv")


def request_of(folder: Path, name: str, start: Path | None = None, **options: Any) -> Request:
    config = Config().replace(OPTIONS | options)
    corpus = write_faq(folder)
    command = "chatbot train faq.tsv"
    return Request((corpus,), folder / name, folder / "corpora", config, command, start, half=False)


def run(request: Request) -> list[Event]:
    return list(TrainingRun(request).events())


@pytest.fixture(scope="module")
def faq(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Event]]:
    """A trained timetable and the events of its training; treat it as read-only."""
    request = request_of(tmp_path_factory.mktemp("faq"), "faq")
    return request.folder, run(request)


@pytest.fixture
def copy(faq: tuple[Path, list[Event]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that may be changed; its corpus is in the current folder."""
    write_faq(tmp_path)
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(faq[0], tmp_path / "faq"))


def report_of(events: list[Event]) -> dict[str, Any]:
    (reported,) = [event for event in events if isinstance(event, Reported)]
    return dict(reported.report["confidence"])


def test_closed_answers_are_judged_exactly_and_told_apart(faq: tuple[Path, list[Event]]) -> None:
    report = report_of(faq[1])
    assert report["good_means"] == EXACT
    assert report["pairs"] >= LEAST
    assert 0.2 < report["good"] < 1
    rows = report["risk_coverage"]
    assert rows[-1]["risk"] < rows[0]["risk"]
    assert rows[0]["risk"] == pytest.approx(1 - report["good"], abs=1e-3)


def test_report_and_card_say_how_sure_it_is(faq: tuple[Path, list[Event]]) -> None:
    record = json.loads((faq[0] / "config.json").read_text("utf-8"))
    assert record["report"]["confidence"] == report_of(faq[1])
    card = (faq[0] / CARD).read_text("utf-8")
    assert card.index("## How good") < card.index("## How sure") < card.index("## What it says")


def test_threshold_refuses_what_its_row_of_the_table_does(faq: tuple[Path, list[Event]]) -> None:
    bot = Chatbot.load(faq[0], "cpu")
    questions = [asked.format(thing) for thing in THINGS for asked in ASKED]
    sure = [reply.confidence for reply in bot.replies(questions)]
    assert all(confidence is not None and 0 < confidence < 1 for confidence in sure)
    options = DecodingOptions(beam=3, threshold=0.5, fallback="Ask a person.")
    for reply, before in zip(bot.replies(questions, options), sure, strict=True):
        assert before is not None
        assert reply.fallback == (before < 0.5)
        assert (reply.text == "Ask a person.") == reply.fallback
        assert reply.confidence == before


def test_candidates_and_batches_change_no_confidence(faq: tuple[Path, list[Event]]) -> None:
    bot = Chatbot.load(faq[0], "cpu")
    question = ASKED[0].format(THINGS[0])
    alone = bot.reply(question).confidence
    assert bot.reply(question, candidates=3).confidence == pytest.approx(alone)
    assert bot.replies(["the bus", question])[1].confidence == pytest.approx(alone, abs=1e-4)


def test_why_names_training_pairs_and_tells_word_for_word(faq: tuple[Path, list[Event]]) -> None:
    bot = Chatbot.load(faq[0], "cpu")
    index = Trust(checkpoint.load(faq[0])).index
    assert index is not None
    assert 1 <= len(index.texts) <= 20
    question, answer = index.texts[0]
    why = bot.reply(question, why=3).why
    assert why is not None
    assert (why.pairs[0].question, why.pairs[0].reply) == (question, answer)
    assert len(why.pairs) == 3
    given = bot.reply(question)
    replies = {f"the {thing} leaves at {place}" for place, thing in enumerate(THINGS, 1)}
    assert why.verbatim == (given.text in replies)


def test_stored_files_are_private(faq: tuple[Path, list[Event]]) -> None:
    for name in (SEEN, CONFIDENCE, WHY_PAIRS, WHY_VECTORS):
        assert stat.S_IMODE((faq[0] / name).stat().st_mode) == 0o600


def test_without_why_no_text_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "silent"
    events = run(request_of(tmp_path, "silent", why=0, validation=0.1, steps=5))
    assert {path.name for path in folder.glob("*.jsonl")} == {"metrics.jsonl"}
    assert not (folder / WHY_VECTORS).exists()
    report = report_of(events)
    assert report == {"pairs": report["pairs"], "missing": report["missing"]}
    assert not (folder / CONFIDENCE).exists()
    why = Chatbot.load(folder, "cpu").reply("when does the bus go", why=3).why
    assert why is not None
    assert why.pairs == ()
    assert why.verbatim is not None


def test_threshold_without_enough_held_out_pairs_is_refused_or_left_out(tmp_path: Path) -> None:
    events = run(request_of(tmp_path, "few", validation=0.1, steps=5, threshold=0.4))
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert any("--threshold is not kept" in text and f"{LEAST} are needed" in text for text in warned)
    bot = Chatbot.load(tmp_path / "few", "cpu")
    assert bot.options.threshold == 0
    with pytest.raises(OptionError, match="does not know how sure its replies are"):
        bot.reply("when does the bus go", options=DecodingOptions(threshold=0.4))


def test_fine_tuned_bot_still_knows_the_words_it_met_before(
    faq: tuple[Path, list[Event]], tmp_path: Path
) -> None:
    (tmp_path / "more.tsv").write_text("what is a zyzzyva\ta weevil\n" * 3, encoding="utf-8")
    config = Config().replace(OPTIONS | {"steps": 3, "validation": 0.0, "eval_every": 3})
    request = Request((str(tmp_path / "more.tsv"),), tmp_path / "tuned", tmp_path, config, "", faq[0])
    run(request)
    bot = Chatbot.load(tmp_path / "tuned", "cpu")
    assert not any(bot.reply(question).fallback for question in ("zyzzyva", "ferry"))
    assert bot.reply("quokka").fallback


def test_equipping_gives_what_the_end_of_training_gave(copy: Path) -> None:
    names = (SEEN, CONFIDENCE, WHY_PAIRS, WHY_VECTORS, CARD, "config.json")
    before = {name: (copy / name).read_bytes() for name in names}
    changes = {CARD: before[CARD].replace(b"## How sure", b"## How sure\n\nold\n\n")}
    checkpoint.update(copy, changes, {SEEN, CONFIDENCE, WHY_PAIRS, WHY_VECTORS})
    report = equip(copy, copy.parent / "corpora", 20, lambda notice: None, "cpu")
    assert report == json.loads(before["config.json"])["report"]["confidence"]
    changed = [name for name in names if (copy / name).read_bytes() != before[name]]
    assert changed == []


def test_equipping_anew_without_why_takes_the_pairs_away(copy: Path) -> None:
    equip(copy, copy.parent / "corpora", 0, lambda notice: None, "cpu")
    assert Trust(checkpoint.load(copy)).index is None
    assert not (copy / WHY_PAIRS).exists()


def test_equipping_on_another_corpus_is_refused(copy: Path) -> None:
    with (copy.parent / "faq.tsv").open("a") as file:
        file.write("one more\tno\n")
    with pytest.raises(CheckpointError, match=r"its corpus faq.tsv is not as it was; restore"):
        equip(copy, copy.parent / "corpora", 20, lambda notice: None, "cpu")


def test_forgotten_texts_are_gone_and_the_bot_still_talks(copy: Path) -> None:
    question = ASKED[0].format(THINGS[0])
    before = Chatbot.load(copy, "cpu").reply(question)
    assert forget_texts(copy)
    assert not (copy / WHY_PAIRS).exists()
    after = Chatbot.load(copy, "cpu").reply(question, why=3)
    assert (after.text, after.confidence) == (before.text, before.confidence)
    assert after.why is not None
    assert (after.why.pairs, after.why.verbatim) == ((), None)
    assert not forget_texts(copy)


def test_pairs_of_an_index_come_from_what_is_shown_most_often_and_once(tmp_path: Path) -> None:
    rare, often = tmp_path / "rare.tsv", tmp_path / "often.tsv"
    rare.write_text("".join(f"rare {n}\tno\n" for n in range(30)), encoding="utf-8")
    often.write_text("".join(f"often {n}\tyes\n" for n in range(10)), encoding="utf-8")
    options = {"mix": "often.tsv=3", "validation": 0.0, "reply_cap": 0, "near_duplicates": True}
    config = Config().replace(options)
    data = prepare([str(rare), str(often)], tmp_path, config, lambda notice: None)
    assert {question.split()[0] for question, _ in kept_pairs(data, 10)} == {"often"}
    some = kept_pairs(data, 20)
    assert len(some) == len(set(some)) == 20
    assert len(kept_pairs(data, 100)) == 40


@pytest.mark.parametrize("name", [SEEN, CONFIDENCE])
def test_damaged_files_are_told_when_the_bot_is_loaded(name: str, copy: Path) -> None:
    checkpoint.update(copy, {name: b"[]"})
    with pytest.raises(CheckpointError, match=rf"{name}: cannot be read .*; restore it, or train again"):
        Chatbot.load(copy, "cpu")


def test_checkpoint_of_an_earlier_version_answers_everything(copy: Path) -> None:
    checkpoint.update(copy, {}, {SEEN, CONFIDENCE, WHY_PAIRS, WHY_VECTORS})
    bot = Chatbot.load(copy, "cpu")
    reply = bot.reply("zyzzyva", why=3)
    assert (reply.fallback, reply.confidence) == (False, None)
    assert reply.why is not None
    assert (reply.why.pairs, reply.why.verbatim) == ((), None)
    for options in (DecodingOptions(threshold=0.1), DecodingOptions(fallback="no idea")):
        with pytest.raises(OptionError):
            bot.reply("hello", options=options)
