"""Faults that people who ran small chatbots met, by number; each is a small input and what is right for it.

Those that concern one room are tested there; ``ELSEWHERE`` names the tests.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from chatbot import checkpoint
from chatbot.bot import Chatbot
from chatbot.build import build_network
from chatbot.checkpoint import load
from chatbot.cli import main
from chatbot.cli.progress import show
from chatbot.config import Config, DecodingOptions
from chatbot.decoding.engine import EOS
from chatbot.decoding.hypothesis import Hypothesis, length_penalty
from chatbot.decoding.search import search
from chatbot.engines.torch_engine import TorchEngine
from chatbot.evaluation.perplexity import perplexity
from chatbot.nn.loss import reply_nats
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.reply import Reply
from chatbot.text.tokenizer import UNK
from chatbot.training.data import prepare
from chatbot.training.events import Evaluated, Finished, Prepared, Reported
from chatbot.training.state import States
from chatbot.training.stepping import Stepper
from chatbot.training.trainer import load_weights

Exchanges = Sequence[tuple[str, str]]
TrainTiny = Callable[..., list[Any]]

IMPORTS = {f"D{row:02}" for row in range(1, 15)} - {"D09"}
ELSEWHERE = {row: f"corpus/test_import_faults.py::test_{row.lower()}_" for row in sorted(IMPORTS)} | {
    "D09": "corpus/test_adding.py::test_d09_nothing_is_written_when_no_pair_is_left",
    "D15": "text/test_tokenizer.py::test_texts_learned_from_come_back",
    "D16": "text/test_tokenizer.py::test_scripts_without_spaces_are_cut_into_characters",
    "D17": "test_transcripts.py::test_questions_no_training_prepared_for_are_answered",
    "D18": "training/test_data.py::test_other_options_have_another_key",
    "D20": "text/test_tokenizer.py::test_vocabulary_does_not_hang_on_hash_seeds_threads_or_order",
    "D21": "text/test_tokenizer.py::test_spacing_around_apostrophes_and_points_is_right",
    "D22": "test_transcripts.py::test_each_line_gets_one_line_however_lines_end",
    "D23": "test_bot.py::test_question_too_long_is_read_from_its_end",
    "D25": "test_transcripts.py::test_reply_arrives_before_the_next_question_is_sent",
    "D26": "test_transcripts.py::test_one_question_gets_one_answer",
    "D27": "test_transcripts.py::test_reader_that_leaves_is_left_in_peace",
    "D28": "display/test_maps.py::test_lines_of_wide_and_combining_characters_fit_and_align",
    "D29": "cli/test_train.py::test_two_interruptions_while_a_state_is_written_leave_one_to_go_on_from",
    "D30": "cli/test_train.py::test_run_is_not_resumed_into_another",
    "D32": "training/test_resuming.py::test_stopping_and_resuming_is_never_having_stopped",
    "D33": "test_checkpoint.py::test_pickles_are_refused_and_run_nothing",
    "D34": "evaluation/test_perplexity.py::test_perplexity_is_e_to_the_nats_and_never_overflows",
    "D36": "test_bot.py::test_candidates_are_the_best_first_and_read_differently",
    "D38": "nn/test_seq2seq.py::test_pads_have_no_influence_whatever_they_embed_to",
    "D39": "dataset/test_batches.py::test_decoder_is_fed_the_reply_behind_bos_and_learns_it_before_eos",
    "D40": "test_bot.py::test_every_reply_word_looks_at_the_word_it_is_told_to",
}
HERE = {"D17", "D18", "D19", "D21", "D24", "D29", "D30", "D31", "D33", "D34", "D35", "D36", "D37"}
ROWS = [f"D{row:02}" for row in range(1, 41)]


@pytest.mark.parametrize("row", ROWS)
def test_every_fault_has_a_test(row: str) -> None:
    named = [f"test_faults.py::test_{row.lower()}_"] if row in HERE else []
    named += [ELSEWHERE[row]] if row in ELSEWHERE else []
    assert named
    for name in named:
        file, _, start = name.partition("::")
        tree = ast.parse((Path(__file__).parent / file).read_text("utf-8"))
        assert any(isinstance(node, ast.FunctionDef) and node.name.startswith(start) for node in tree.body), (
            name
        )


TRAIN = (
    *("train", "talk.tsv", "--tokenizer", "chars", "--embed", "8", "--hidden", "8", "--device", "cpu"),
    *("--beam", "1", "--validation", "0", "--single", "--quiet", "--eval-every", "1"),
    *("--schedule", "constant", "--warmup", "0"),
)
"""A run of a second, each step at the same rate."""


def status(*args: str) -> int:
    """Of the command line."""
    with pytest.raises(SystemExit) as left:
        main(args)
    assert isinstance(left.value.code, int)
    return left.value.code


def talk(folder: Path, exchanges: Exchanges) -> None:
    """Write a corpus ``talk.tsv``."""
    lines = "".join(f"{question}\t{reply}\n" for question, reply in exchanges)
    (folder / "talk.tsv").write_text(lines, encoding="utf-8")


def seal(folder: Path, name: str) -> None:
    """Let the manifest vouch for a file as it is."""
    manifest = json.loads((folder / checkpoint.MANIFEST).read_text("utf-8"))
    manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / checkpoint.MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def test_d17_word_never_seen_is_no_crash(tiny_bot: Chatbot) -> None:
    reply = tiny_bot.reply("zyzzyva qwrt?")
    assert reply.text
    assert not reply.truncated


def test_d18_cache_of_other_options_or_other_text_is_not_used(tmp_path: Path) -> None:
    talk = tmp_path / "talk.tsv"
    talk.write_text("".join(f"question{a}{b}\tanswer{b}{a}\n" for a in "abcdefgh" for b in "abcdefgh"))

    def vocabulary(size: int) -> str:
        return prepare(
            [str(talk)], tmp_path, Config().replace({"vocabulary": size}), print
        ).tokenizer.to_json()

    small = vocabulary(300)
    assert len(json.loads(vocabulary(320))["model"]["vocab"]) > 300
    assert vocabulary(300) == small
    talk.write_text(talk.read_text().replace("question", "frage"))
    assert vocabulary(300) != small


def test_d18_stray_vocabulary_changes_no_reply(
    tiny_checkpoint: Path,
    tiny_bot: Chatbot,
    exchanges: Exchanges,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A vocabulary of the same size in another order lies wherever a program might look."""
    model = json.loads((tiny_checkpoint / "tokenizer.json").read_text("utf-8"))
    learned = [token for token, number in model["model"]["vocab"].items() if number >= 260]
    model["model"]["vocab"] |= {token: 260 + place for place, token in enumerate(reversed(learned))}
    folder = tmp_path / "checkpoints" / "tiny"
    shutil.copytree(tiny_checkpoint, folder)
    for place in (tmp_path, tmp_path / "corpora", folder.parent, folder / "resume"):
        place.mkdir(exist_ok=True)
        (place / "tokenizer.json").write_text(json.dumps(model), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    questions = [question for question, _ in exchanges]
    assert Chatbot.load("checkpoints/tiny", "cpu").replies(questions) == tiny_bot.replies(questions)


@pytest.fixture(scope="module")
def rare_words() -> Exchanges:
    """Every reply has two words of its own and two common ones."""
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    words = iter(f"{first}{second}" for second in syllables for first in syllables)
    return [(f"say {next(words)}", f"so {next(words)} then {next(words)}") for _ in range(350)]


def test_d19_no_reply_says_that_a_word_is_unknown(
    train_tiny: TrainTiny, rare_words: Exchanges, tmp_path: Path
) -> None:
    options = {"tokenizer": "words", "vocabulary": 300, "reply_cap": 0}
    train_tiny(tmp_path / "rare", rare_words, steps=60, **options)
    tokenizer = load(tmp_path / "rare").tokenizer()
    said = [token for _, reply in rare_words for token in tokenizer.encode(reply).ids]
    assert said.count(UNK) > len(said) / 3
    bot = Chatbot.load(tmp_path / "rare", "cpu")
    asked = [question for question, _ in rare_words[:20]] + ["zyzzyva qwrt"]
    attended = DecodingOptions(beam=4, unknown="attended")
    for options_of_search in (DecodingOptions(beam=1), DecodingOptions(beam=4), attended):
        for reply in bot.replies(asked, options_of_search):
            assert reply.text
            assert "<" not in reply.text


def test_d21_spacing_of_a_reply_is_that_of_the_corpus(tiny_bot: Chatbot) -> None:
    assert tiny_bot.reply("how are you").text == "I'm fine, thanks."
    assert tiny_bot.reply("it is raining").text == "don't forget your umbrella"


@pytest.mark.parametrize("beam", [1, 4])
def test_d24_replies_do_not_hang_on_the_batch(tiny_bot: Chatbot, exchanges: Exchanges, beam: int) -> None:
    questions = [question for question, _ in exchanges]
    questions += [" ".join(questions[at : at + 2 + at % 3]) for at in range(12)]
    assert len(set(questions)) == len(questions) == 32
    options = DecodingOptions(beam=beam)

    def answers(batch: int) -> Iterator[Reply]:
        for start in range(0, len(questions), batch):
            yield from tiny_bot.replies(questions[start : start + batch], options)

    alone = list(answers(1))
    for batch in (8, 32):
        for one, other in zip(answers(batch), alone, strict=True):
            assert one.text == other.text
            assert one.score == pytest.approx(other.score, abs=1e-4)


@pytest.mark.parametrize("when", ["in the midst of an epoch", "while the checkpoint is written"])
def test_d29_interruption_leaves_what_can_be_gone_on_with(
    when: str, tmp_path: Path, exchanges: Exchanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes at the third step, and in the second case once more while the weights go to the disk."""
    talk(tmp_path, exchanges)
    monkeypatch.chdir(tmp_path)
    folder, learn, write = tmp_path / "checkpoints" / "talk", Stepper.update, checkpoint.write_atomically
    assert status(*TRAIN, "--steps", "2") == 0
    before, steps = load(folder).weights(), itertools.count(3)

    def interrupted(stepper: Stepper, *args: Any) -> Any:
        if next(steps) == 3:
            signal.raise_signal(signal.SIGINT)
        return learn(stepper, *args)

    def slow(path: Path, data: bytes) -> None:
        if path.name == checkpoint.WEIGHTS and when.startswith("while"):
            signal.raise_signal(signal.SIGINT)
        write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Stepper, "update", interrupted)
        patch.setattr(checkpoint, "write_atomically", slow)
        assert status("train", "--resume", "talk", "--steps", "8", "--quiet") == 130
    found = load(folder)
    assert found.record["steps"] == (3 if when.startswith("in") else 2)
    same = all((weight == before[name]).all() for name, weight in found.weights().items())
    assert same == when.startswith("while")
    assert not list(folder.rglob("*.tmp"))
    assert status("train", "--resume", "talk", "--steps", "5", "--quiet") == 0


def test_d30_corpus_with_new_words_is_not_resumed_into(
    tmp_path: Path, exchanges: Exchanges, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk(tmp_path, exchanges)
    monkeypatch.chdir(tmp_path)
    assert status(*TRAIN, "--steps", "2") == 0
    capsys.readouterr()
    talk(tmp_path, [*exchanges, ("zyzzyva", "qwrt xylyl")])
    assert status("train", "--resume", "talk", "--steps", "4", "--quiet") == 2
    out, err = capsys.readouterr()
    told = (
        "what talk.tsv holds is not what the run learned from; restore it, or fine-tune on what is there now"
    )
    assert (out, err) == ("", f"Error: --resume: {told} with --from\n")
    assert Chatbot.load("checkpoints/talk", "cpu").reply("zyzzyva").text


def test_d31_tensors_on_disk_name_no_device(tiny_checkpoint: Path) -> None:
    files = list(tiny_checkpoint.rglob("*.safetensors"))
    assert {file.parent.name for file in files} == {"tiny", "resume"}
    for file in files:
        data = file.read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        assert set(header.pop("__metadata__", {})) <= {"progress"}
        assert {key for tensor in header.values() for key in tensor} == {"dtype", "shape", "data_offsets"}


def test_d31_run_of_a_gpu_goes_on_and_talks_where_there_is_none(
    tmp_path: Path, exchanges: Exchanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a GPU leaves on disk beside what a processor does: its random state, and its name as an option."""
    talk(tmp_path, exchanges)
    monkeypatch.chdir(tmp_path)
    assert status(*TRAIN, "--steps", "3", "--name", "own") == 0
    assert status(*TRAIN, "--steps", "2", "--name", "gpu") == 0
    states = States(tmp_path / "checkpoints" / "gpu" / "resume")
    stored = states.load()
    states.save(stored.progress, {**stored.tensors, "random.cuda": torch.zeros(16, dtype=torch.uint8)})
    for file in ("config.json", "resume/run.json"):
        path = tmp_path / "checkpoints" / "gpu" / file
        record = json.loads(path.read_text("utf-8"))
        record["options"]["training"]["device"] = "cuda"
        path.write_text(json.dumps(record), encoding="utf-8")
    seal(tmp_path / "checkpoints" / "gpu", "config.json")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert Chatbot.load("checkpoints/gpu").reply("hello").text
    assert status("train", "--resume", "gpu", "--steps", "3", "--quiet", "--device", "cpu") == 0
    own, gpu = (load(tmp_path / "checkpoints" / name).weights() for name in ("own", "gpu"))
    assert all((weight == gpu[name]).all() for name, weight in own.items())


@pytest.mark.gpu
def test_d31_checkpoint_made_on_a_gpu_answers_the_same_without_one(
    tmp_path: Path, exchanges: Exchanges, train_tiny: TrainTiny
) -> None:
    train_tiny(tmp_path / "tiny", exchanges, device="cuda")
    asked = "".join(f"{question}\n" for question, _ in exchanges)
    said = [
        subprocess.run(
            [sys.executable, "-m", "chatbot", "chat", str(tmp_path / "tiny"), "--greedy", "--device", device],
            input=asked,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"CUDA_VISIBLE_DEVICES": visible},
        ).stdout
        for device, visible in (("cuda", "0"), ("cpu", ""))
    ]
    assert said[0] == said[1]
    assert said[0].count("\n") == len(exchanges)


class Touching:
    """Unpickling it creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("file", ["state", "tokenizer.json", "run.json", "state.json"])
def test_d33_pickle_in_a_training_state_is_refused_and_runs_nothing(
    file: str,
    tmp_path: Path,
    exchanges: Exchanges,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    talk(tmp_path, exchanges)
    monkeypatch.chdir(tmp_path)
    assert status(*TRAIN, "--steps", "2", "--keep", "1") == 0
    resume, attack = (
        tmp_path / "checkpoints" / "talk" / "resume",
        pickle.dumps(Touching(tmp_path / "touched")),
    )
    if file == "state":
        (path,) = resume.glob("state-*")
        record = json.loads((resume / "state.json").read_text("utf-8"))
        record["states"][0]["sha256"] = hashlib.sha256(attack).hexdigest()
        (resume / "state.json").write_text(json.dumps(record))
        path.write_bytes(attack)
    else:
        (resume / file).write_bytes(attack)
    capsys.readouterr()
    code = status("train", "--resume", "talk", "--steps", "4", "--quiet")
    err = capsys.readouterr().err
    assert not (tmp_path / "touched").exists()
    assert "weights_only" not in err
    if file == "state.json":  # the states stand for themselves
        assert code == 0
    else:
        assert code == 1
        assert err.count("\n") == 1


def test_d34_infinite_perplexity_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    endless = perplexity(1000.0)
    events = [Evaluated(1, 1000.0, endless, True, {"talk": endless}), Finished(1, "done", 1, 1.0)]
    show(events, quiet=False, console=Console(stderr=True, highlight=False, width=200))
    assert "perplexity per word inf (talk inf)" in capsys.readouterr().err
    assert json.loads(json.dumps(events[0].to_json(), allow_nan=False))["perplexity"] is None


LIMITED = """
import resource, sys
limit = int(sys.argv[1]) << 20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
from chatbot.cli import main
main(sys.argv[2:])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit that concerns own memory alone")
def test_d35_corpus_larger_than_the_memory_allowed_is_learned_from(tmp_path: Path) -> None:
    """The questions have 50 million characters: as a list of ids 400 MB beside some 600 for all else."""
    with (tmp_path / "talk.tsv").open("w", encoding="utf-8") as out:
        for number in range(60_000):
            words = (f"{number * 300 + word:x}" for word in range(120))
            out.write(f"{' '.join(words)}\tit is {number:x}\n")
    line = [sys.executable, "-c", LIMITED, "700", *TRAIN, "--steps", "2"]
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr


@pytest.fixture(scope="module", params=["trained", "untrained"])
def network(request: pytest.FixtureRequest, tiny_checkpoint: Path) -> Seq2Seq:
    checkpoint = load(tiny_checkpoint)
    built = build_network(checkpoint.config.model, checkpoint.tokenizer().vocab, seed=4)
    if request.param == "trained":
        load_weights(built, {name: torch.from_numpy(w) for name, w in checkpoint.weights().items()})
    return built.eval()


def test_d36_five_replies_differ_end_once_and_score_as_forced_decoding_says(
    network: Seq2Seq, tiny_checkpoint: Path, exchanges: Exchanges
) -> None:
    tokenizer = load(tiny_checkpoint).tokenizer()
    engine = TorchEngine(network, tokenizer.vocab, torch.device("cpu"))
    sources = [tokenizer.encode(question, src=True).ids for question, _ in exchanges]
    for source, found in zip(sources, search(engine, sources, beam=5, n_best=5, max_length=25), strict=True):
        assert len({hypothesis.tokens for hypothesis in found}) == 5
        for hypothesis in found:
            ended = hypothesis.tokens[-1] == EOS
            assert hypothesis.tokens.count(EOS) == ended
            assert ended or len(hypothesis.tokens) == 25
            assert hypothesis.log_prob == pytest.approx(forced(network, source, hypothesis), abs=1e-3)
            penalty = length_penalty(len(hypothesis.tokens), 1.0)
            assert hypothesis.score == pytest.approx(hypothesis.log_prob / penalty)


def forced(network: Seq2Seq, source: Sequence[int], hypothesis: Hypothesis) -> float:
    """The log-probability of a hypothesis by teacher forcing."""
    said = torch.tensor([hypothesis.tokens])
    fed = torch.tensor([[2, *hypothesis.tokens[:-1]]])
    return -float(reply_nats(network, torch.tensor([source]), fed, said))


def test_d37_twenty_questions_get_twenty_replies(tiny_bot: Chatbot, exchanges: Exchanges) -> None:
    found = [reply.text for reply in tiny_bot.replies([question for question, _ in exchanges])]
    assert sum(text == reply for text, (_, reply) in zip(found, exchanges, strict=True)) >= 18


def test_d37_training_tells_how_common_the_commonest_reply_is_and_a_cap_lowers_it(
    train_tiny: TrainTiny, exchanges: Exchanges, tmp_path: Path
) -> None:
    evasive = [(f"about {question}", "I don't know") for question, _ in exchanges]
    shares = []
    for cap in (0, 5):
        events = train_tiny(tmp_path / f"cap{cap}", [*exchanges, *evasive], steps=2, reply_cap=cap)
        replies = next(event for event in events if isinstance(event, Prepared)).summary["replies"]
        assert replies["commonest"][0][0] == "i don't know"
        assert 0 < replies["distinct1"] <= replies["distinct2"] <= 1
        shares.append(replies["commonest"][0][1])
        variety = next(event for event in events if isinstance(event, Reported)).report["variety"]
        assert 0 < variety["commonest"][0][1] <= 1
        assert {"distinct1", "distinct2"} <= set(variety)
    assert shares == [0.5, 0.2]
