from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chatbot.config import Config
from chatbot.dataset.encoded import EncodedPairs, EncodedWriter
from chatbot.dataset.joined import concatenate, take
from chatbot.errors import ChatbotError, CorpusError, OptionError
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.turns import has_separator
from chatbot.training import data as module
from chatbot.training.cache import CACHE, remove_caches
from chatbot.training.data import DEFAULT_MIX, TrainingData, mix_times, prepare
from chatbot.training.spool import Spool

SMALL = {"tokenizer": "chars", "validation": 0.2}
LINES = [f"question {n}\tanswer {n * n}" for n in range(100)]


def written(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def prepared(folder: Path, *corpora: Path, given: Tokenizer | None = None, **options: Any) -> TrainingData:
    config = Config().replace(SMALL | options)
    return prepare([str(path) for path in corpora], folder / "corpora", config, lambda notice: None, given)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return written(tmp_path / "talk.tsv", LINES)


def texts(data: TrainingData, pairs: EncodedPairs) -> list[tuple[str, str]]:
    decode = data.tokenizer.decode
    return [(decode(src.tolist()), decode(tgt.tolist())) for src, tgt in map(pairs.pair, range(len(pairs)))]


# The mix


@pytest.mark.parametrize(
    ("mix", "times"),
    [
        ("", [DEFAULT_MIX["smalltalk:english"], 1.0, DEFAULT_MIX["chitchat"]]),
        ("chitchat=2", [1.0, 1.0, 2.0]),
        ("smalltalk=2.5,my.tsv=0", [2.5, 0.0, 1.0]),
        (" smalltalk:english = 3 , my.tsv=4", [3.0, 4.0, 1.0]),
        ("chitchat=2,chitchat=3", [1.0, 1.0, 3.0]),
    ],
)
def test_mix_gives_each_corpus_its_times(mix: str, times: list[float]) -> None:
    assert mix_times(["smalltalk:english", "my.tsv", "chitchat"], mix) == times


@pytest.mark.parametrize(
    ("mix", "told"),
    [
        ("chitchat", "'chitchat' is no NAME=TIMES; write for example"),
        ("=3", "'=3' is no NAME=TIMES"),
        ("chitchat=", "is no NAME=TIMES"),
        ("chitchat=x", "is no NAME=TIMES"),
        ("chitchat=-1", "is no NAME=TIMES"),
        ("chitchat=nan", "is no NAME=TIMES"),
        ("chitchat=inf", "is no NAME=TIMES"),
        ("chitchat=1,", "'' is no NAME=TIMES"),
        ("chatterbot=1", "'chatterbot' is not trained on; name one of chitchat, my.tsv"),
    ],
)
def test_mix_that_is_none_is_refused(mix: str, told: str) -> None:
    with pytest.raises(OptionError) as caught:
        mix_times(["chitchat", "my.tsv"], mix)
    assert str(caught.value).startswith("--mix: ")
    assert told in str(caught.value)


@pytest.mark.parametrize("mix", ["talk.tsv=0", "talk.tsv=0.001"])
def test_mix_that_leaves_no_pair_is_refused(tmp_path: Path, talk: Path, mix: str) -> None:
    with pytest.raises(OptionError, match="--mix: leaves no pair to learn from"):
        prepared(tmp_path, talk, mix=mix)


def test_tokens_are_counted_as_often_as_an_epoch_shows_them(tmp_path: Path) -> None:
    corpora = [written(tmp_path / "a.tsv", ["q\tab", "r\ta"]), written(tmp_path / "b.tsv", ["s\tb"])]
    data = prepared(tmp_path, *corpora, mix="a.tsv=2,b.tsv=10", validation=0.0)
    counts = data.token_counts()
    ids = {text: data.tokenizer.encode(text).ids[-1] for text in "abq"}
    assert [int(counts[ids[text]]) for text in "abq"] == [4, 12, 0]
    assert counts[3] == 2 * 2 + 10
    assert len(counts) == data.tokenizer.vocab


def test_corpus_never_shown_is_not_validated_on(tmp_path: Path, talk: Path) -> None:
    other = written(tmp_path / "other.tsv", ["a\tb", "c\td"])
    data = prepared(tmp_path, talk, other, mix="talk.tsv=0,other.tsv=2", validation=0.2)
    assert [(name, times) for name, _, times in data.held_out()] == [("other.tsv", 2.0)]


# Splitting


def test_every_pair_is_trained_on_or_held_out(tmp_path: Path, talk: Path) -> None:
    data = prepared(tmp_path, talk)
    (corpus,) = data.corpora
    train, valid = (set(texts(data, pairs)) for pairs in (corpus.train, corpus.valid))
    assert not train & valid
    assert sorted(train | valid) == sorted(tuple(line.split("\t")) for line in LINES)
    assert 10 <= len(valid) <= 30
    assert [name for name, _, _ in data.held_out()] == ["talk.tsv"]


def test_conversations_that_come_later_move_none(tmp_path: Path, talk: Path) -> None:
    before = prepared(tmp_path, talk)
    written(talk, [*LINES, *(f"more {n}\tmuch more {n}" for n in range(100))])
    after = prepared(tmp_path, talk)
    old, new = (set(texts(data, data.corpora[0].valid)) for data in (before, after))
    assert old == new & {tuple(line.split("\t")) for line in LINES}
    assert old < new


def test_tokenizer_learns_from_training_pairs_alone(tmp_path: Path, talk: Path) -> None:
    characters = [chr(0x4E00 + n) for n in range(100)]
    data = prepared(tmp_path, written(talk, [f"q {n}\t{each}" for n, each in enumerate(characters)]))
    (corpus,) = data.corpora
    (known,), (unknown,) = (set(pairs.tgt_lengths.tolist()) for pairs in (corpus.train, corpus.valid))
    assert unknown == known + 2  # a character it has not seen is spelt in three bytes


@pytest.mark.parametrize("lines", [["hello\thi there"], ["a\tb", "c\td", "e\tf"]])
def test_tiny_corpus_is_trained_on_whole(tmp_path: Path, lines: list[str]) -> None:
    data = prepared(tmp_path, written(tmp_path / "tiny.tsv", lines), validation=0.0)
    assert len(data.joined()) == len(lines)
    ((name, pairs, times),) = data.held_out()
    assert (name, len(pairs), times) == ("tiny.tsv", len(lines), 1.0)


def test_corpus_all_of_whose_conversations_would_be_held_out_is_trained_on(tmp_path: Path) -> None:
    lines = (f"question {n}\tanswer {n}" for n in range(100))
    for line in lines:
        data = prepared(tmp_path, written(tmp_path / "one.tsv", [line]), validation=0.5)
        assert len(data.joined()) == 1


# Outputs that copy

WORDS = {"tokenizer": "words", "vocabulary": 300, "validation": 0.0}
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
NAMES = [f"my name is Zo{a}{b}\thi Zo{a}{b}" for a, b in zip(SYLLABLES * 6, 6 * SYLLABLES[:-1], strict=False)]


def test_copied_words_are_beyond_the_vocabulary_and_no_prior_counts_them(tmp_path: Path) -> None:
    talk = written(tmp_path / "talk.tsv", NAMES)
    data = prepared(tmp_path, talk, output="pointer-generator", **WORDS)
    pairs, vocab = data.joined(), data.tokenizer.vocab
    assert [int((side >= vocab).sum()) for side in (pairs.src, pairs.tgt)] == [len(NAMES)] * 2
    counts = data.token_counts()
    assert len(counts) == vocab
    assert sorted(counts[counts > 0]) == [len(NAMES)] * 2  # hi, and the end
    assert max(concatenate([take(pairs, 50), pairs]).tgt) == vocab
    plain = prepared(tmp_path, talk, **WORDS)
    assert plain.tokenizer.to_json() == data.tokenizer.to_json()
    assert max(plain.joined().src) < vocab


def test_outputs_that_copy_have_keys_of_their_own(tmp_path: Path, talk: Path) -> None:
    outputs = ("softmax", "pointer-generator", "pointer")
    lines = written(tmp_path / "echo.tsv", [f"a{n} b\tb" for n in range(9)])
    assert len({prepared(tmp_path, lines, output=output, **WORDS).key for output in outputs}) == 3
    assert prepared(tmp_path, talk, output="softmax").key == prepared(tmp_path, talk).key


def test_pairs_that_a_pointer_cannot_say_are_left_out_and_counted(tmp_path: Path) -> None:
    talk = written(tmp_path / "talk.tsv", ["a b c\tc b a", "d e\te", "f g\th", "i\ti j"])
    data = prepared(tmp_path, talk, output="pointer", **WORDS)
    assert texts(data, data.joined()) == [("a b c", "c b a"), ("d e", "e")]
    counts = data.summary["corpora"]["talk.tsv"]["train"]
    assert (counts["kept"], counts["not_in_question"]) == (2, 2)


def test_pointer_with_nothing_to_point_at_is_refused(tmp_path: Path) -> None:
    talk = written(tmp_path / "talk.tsv", ["a b\tc", "d e\tf"])
    with pytest.raises(
        CorpusError, match=r"0 pairs: every reply has a word that its question lacks.*--output"
    ):
        prepared(tmp_path, talk, output="pointer", **WORDS)


# What cannot be learned from


def test_corpus_in_which_nobody_answers_is_refused(tmp_path: Path) -> None:
    corpus = written(tmp_path / "alone.jsonl", ['{"turns": [{"speaker": "A", "text": "hello?"}]}'] * 3)
    with pytest.raises(CorpusError, match=r"alone\.jsonl: 0 pairs: nobody answers anybody"):
        prepared(tmp_path, corpus)


def test_replies_that_are_all_too_long_are_refused(tmp_path: Path, talk: Path) -> None:
    with pytest.raises(CorpusError, match="0 pairs: every reply is longer than 3 tokens; raise --max-tgt"):
        prepared(tmp_path, talk, max_tgt=3)
    assert not list((tmp_path / "corpora" / CACHE).iterdir())


def test_missing_corpus_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no corpus of that name and no such file"):
        prepared(tmp_path, tmp_path / "nowhere.tsv")
    assert not (tmp_path / "corpora").exists()


# Names


def test_corpus_named_twice_counts_once(tmp_path: Path, talk: Path) -> None:
    assert [corpus.name for corpus in prepared(tmp_path, talk, talk).corpora] == ["talk.tsv"]


def test_files_of_one_name_are_told_apart(tmp_path: Path, talk: Path) -> None:
    other = written(tmp_path / "more" / "talk.tsv", ["a\tb", "c\td"])
    data = prepared(tmp_path, talk, other, validation=0.0)
    assert [corpus.name for corpus in data.corpora] == ["talk.tsv", "talk.tsv (2)"]
    assert [data.summary["corpora"][name]["train"]["kept"] for name in ("talk.tsv", "talk.tsv (2)")] == [
        100,
        2,
    ]


# The cache


def count_readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    read, split = [], module._split_pairs

    def counted(*args: Any) -> Any:
        read.append(1)
        return split(*args)

    monkeypatch.setattr(module, "_split_pairs", counted)
    return read


def test_second_run_reads_what_the_first_left(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = count_readings(monkeypatch)
    first, second = (prepared(tmp_path, talk) for _ in range(2))
    assert len(read) == 1
    assert first.key == second.key
    assert first.summary == second.summary
    assert first.tokenizer.to_json() == second.tokenizer.to_json()
    assert texts(first, first.joined()) == texts(second, second.joined())


@pytest.mark.parametrize(
    "options",
    [
        {"vocabulary": 301},
        {"case": "lower"},
        {"max_tgt": 9},
        {"max_src": 5},
        {"validation": 0.1},
        {"reply_cap": 1},
        {"tokenizer": "words"},
    ],
)
def test_other_options_have_another_key(tmp_path: Path, talk: Path, options: dict[str, Any]) -> None:
    assert prepared(tmp_path, talk).key != prepared(tmp_path, talk, **options).key


def test_other_text_or_tokenizer_has_another_key(tmp_path: Path, talk: Path) -> None:
    first = prepared(tmp_path, talk)
    given = prepared(tmp_path, talk, given=first.tokenizer)
    written(talk, [*LINES, "one\tmore"])
    assert len({first.key, given.key, prepared(tmp_path, talk).key}) == 3


def test_mix_shares_its_key(tmp_path: Path, talk: Path) -> None:
    assert prepared(tmp_path, talk).key == prepared(tmp_path, talk, mix="talk.tsv=7").key


@pytest.mark.parametrize("name", ["summary.json", "tokenizer.json", "train-0.src.npy", "valid-0.words.npy"])
@pytest.mark.parametrize("content", [None, b"", b"\x93NUMPY and then noise", b"{}"])
def test_damaged_cache_is_made_anew(tmp_path: Path, talk: Path, name: str, content: bytes | None) -> None:
    data = prepared(tmp_path, talk)
    wanted = texts(data, data.joined())
    path = tmp_path / "corpora" / CACHE / data.key / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    again = prepared(tmp_path, talk)
    assert texts(again, again.joined()) == wanted


def test_cache_is_private(tmp_path: Path, talk: Path) -> None:
    prepared(tmp_path, talk)
    cache = tmp_path / "corpora" / CACHE
    assert cache.stat().st_mode & 0o077 == 0
    assert [folder.stat().st_mode & 0o077 for folder in cache.iterdir()] == [0]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), OSError("96 requested and 0 written")]
)
@pytest.mark.parametrize(("target", "method"), [(EncodedWriter, "append"), (Spool, "append")])
def test_full_disk_is_told_and_leaves_no_debris(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, target: type, method: str
) -> None:
    def full(*args: Any, **kwargs: Any) -> None:
        raise error

    monkeypatch.setattr(target, method, full)
    with pytest.raises(ChatbotError, match="the disk is full; free some space"):
        prepared(tmp_path, talk)
    assert not list((tmp_path / "corpora" / CACHE).iterdir())


def test_run_that_is_overtaken_uses_what_the_other_wrote(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill, written = module.fill_cache, []

    def overtaken(*args: Any) -> None:
        monkeypatch.setattr(module, "fill_cache", fill)
        written.append(tmp_path / "corpora" / CACHE / prepared(tmp_path, talk).key)
        written.append(written[0].stat().st_ino)
        fill(*args)

    monkeypatch.setattr(module, "fill_cache", overtaken)
    data = prepared(tmp_path, talk)
    folder, number = written
    assert [folder] == list((tmp_path / "corpora" / CACHE).iterdir())
    assert folder.stat().st_ino == number
    assert len(data.joined()) + len(data.corpora[0].valid) == len(LINES)


@pytest.mark.slow
def test_processes_that_write_the_same_at_once_do_not_disturb_each_other(tmp_path: Path, talk: Path) -> None:
    line = [sys.executable, "-c", PREPARE, str(talk), str(tmp_path / "corpora")]
    started = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = {process.communicate(timeout=100)[0] for process in started}
    assert [process.returncode for process in started] == [0] * 4
    assert len(said) == 1
    assert len(list((tmp_path / "corpora" / CACHE).iterdir())) == 1


PREPARE = """
import sys
from pathlib import Path
from chatbot.config import Config
from chatbot.dataset.joined import concatenate, take
from chatbot.training.data import prepare
data = prepare([sys.argv[1]], Path(sys.argv[2]), Config(), lambda notice: None)
assert "torch" not in sys.modules, "preparing data needs no torch"
print(data.key, len(data.joined()))
"""


def test_summary_names_the_corpora_it_was_made_of(tmp_path: Path, talk: Path) -> None:
    other = written(tmp_path / "other.tsv", ["a\tb", "c\td"])
    data = prepared(tmp_path, talk, other)
    assert data.summary["sha256"] == [hashlib.sha256(path.read_bytes()).hexdigest() for path in (talk, other)]


def test_summary_names_the_corpora_before_anything_of_them_is_written(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed process may leave a folder behind, and it must be found as well."""

    def killed(*args: Any) -> None:
        (folder,) = (tmp_path / "corpora" / CACHE).iterdir()
        digest = hashlib.sha256(talk.read_bytes()).hexdigest()
        assert json.loads((folder / "summary.json").read_bytes()) == {"sha256": [digest]}
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_split_pairs", killed)
    with pytest.raises(KeyboardInterrupt):
        prepared(tmp_path, talk)


def test_caches_made_of_a_corpus_are_removed_and_no_others(tmp_path: Path, talk: Path) -> None:
    other = written(tmp_path / "other.tsv", ["a\tb", "c\td"])
    alone, _ = (prepared(tmp_path, *corpora).key for corpora in ([other], [talk, other]))
    cache = tmp_path / "corpora" / CACHE
    written(cache / ".killed" / "summary.json", [json.dumps({"sha256": ["ab"]})])
    written(cache / "unknown" / "tokenizer.json", ["{}"])
    digest = hashlib.sha256(talk.read_bytes()).hexdigest()
    assert remove_caches(tmp_path / "corpora", {digest, "12"}) == 2
    assert {folder.name for folder in cache.iterdir()} == {alone, ".killed"}
    assert remove_caches(tmp_path / "corpora", {"ab"}) == 1
    assert remove_caches(tmp_path / "nowhere", {"ab"}) == 0


# Context

TALKS = [
    {"turns": [{"speaker": "AB"[at % 2], "text": f"talk {n} turn {at}"} for at in range(4)]} for n in range(5)
]


def talks(folder: Path) -> Path:
    return written(folder / "talks.jsonl", [json.dumps(talk) for talk in TALKS])


def test_earlier_turns_are_put_in_front_of_a_question(tmp_path: Path) -> None:
    data = prepared(tmp_path, talks(tmp_path), context=2, validation=0.0, tokenizer="words")
    found = [data.tokenizer._tgt.id_to_token(i) for i in data.joined().pair(2)[0]]
    assert "".join(found) == " \ue000 talk 0 turn 0 \ue001 talk 0 turn 1 \ue000 talk 0 turn 2"
    assert data.summary["context"] == 2


def test_without_context_no_separator_is_learned(tmp_path: Path) -> None:
    data = prepared(tmp_path, talks(tmp_path), validation=0.0)
    assert not has_separator(data.tokenizer.to_json())
    assert data.summary["context"] == 0


def test_context_of_a_run_is_the_longest_of_its_corpora(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = iter([{"context": 1}, {"context": 3}, {}])
    open_corpus = module.open_corpus

    def opened(*args: Any) -> Any:
        return dataclasses.replace(open_corpus(*args), chosen=next(chosen))

    monkeypatch.setattr(module, "open_corpus", opened)
    corpora = [written(tmp_path / name, ["a\tb"]) for name in ("a.tsv", "b.tsv", "c.tsv")]
    assert prepared(tmp_path, *corpora).summary["context"] == 3


# How files are read


def test_options_a_corpus_was_added_with_decide_its_pairs_and_its_key(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = prepared(tmp_path, talk)
    open_corpus = module.open_corpus
    monkeypatch.setattr(
        module,
        "open_corpus",
        lambda *args: dataclasses.replace(open_corpus(*args), chosen={"max_words": 1}),
    )
    with pytest.raises(CorpusError, match="0 pairs"):
        prepared(tmp_path, talk)
    monkeypatch.setattr(
        module, "open_corpus", lambda *args: dataclasses.replace(open_corpus(*args), chosen={"reply_cap": 7})
    )
    assert prepared(tmp_path, talk).key != before.key


def test_files_are_read_with_the_options_of_reading(tmp_path: Path) -> None:
    talk = written(
        tmp_path / "talk.csv", ["id,asked,told", *(f"{n},question {n},answer {n}" for n in range(9))]
    )
    data, other = (
        prepared(tmp_path, talk, columns=columns, validation=0.0) for columns in ("asked,told", "told,asked")
    )
    assert texts(data, data.joined())[0] == ("question 0", "answer 0")
    assert texts(other, other.joined())[0] == ("answer 0", "question 0")
    assert data.key != other.key


def test_parallel_files_are_one_corpus_more(tmp_path: Path, talk: Path) -> None:
    src, tgt = (written(tmp_path / name, [f"{name} {n}" for n in range(5)]) for name in ("a.txt", "b.txt"))
    data = prepared(tmp_path, talk, src=str(src), tgt=str(tgt), validation=0.0)
    assert [len(corpus.train) for corpus in data.corpora] == [100, 5]
    assert texts(data, data.corpora[1].train)[0] == ("a.txt 0", "b.txt 0")
    alone = prepared(tmp_path, src=str(src), tgt=str(tgt), validation=0.0)
    assert len(alone.joined()) == 5


@pytest.mark.parametrize(
    ("options", "flag"),
    [({"burst_minutes": 5.0}, "--burst-minutes"), ({"scrub": True}, "--scrub"), ({"bots": "x"}, "--bots")],
)
def test_options_of_files_are_refused_where_no_corpus_is_one(
    tmp_path: Path, options: dict[str, Any], flag: str
) -> None:
    told = f"{flag}: concerns files, and none is given; leave it out, or add the corpus again with it"
    with pytest.raises(OptionError, match=told):
        prepared(tmp_path, Path("smalltalk:english"), **options)


# Memory

MANY = """
import resource, sys
from pathlib import Path
from chatbot.config import Config
from chatbot.dataset.joined import concatenate, take
from chatbot.training.data import prepare
config = Config().replace({"vocabulary": 4096})
data = prepare([sys.argv[1]], Path(sys.argv[2]), config, lambda notice: None)
print(len(data.corpora[0].train), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_pairs(tmp_path: Path) -> None:
    """Beside some tens of bytes for a pair's fingerprints, which tell duplicates."""
    peaks = []
    for count in (20_000, 100_000):
        random = Random(0)  # noqa: S311
        sides = ([f"w{int(random.paretovariate(0.7)) % 50_000}" for _ in range(9)] for _ in range(2 * count))
        lines = [
            f"{n} {' '.join(src)}\t{' '.join(tgt)}"
            for n, (src, tgt) in enumerate(zip(sides, sides, strict=True))
        ]
        talk = written(tmp_path / f"{count}.tsv", lines)
        del lines
        line = [sys.executable, "-c", MANY, str(talk), str(tmp_path / "corpora")]
        ran = subprocess.run(line, check=True, capture_output=True, text=True, timeout=200)
        kept, peak = map(int, ran.stdout.split())
        assert kept > count * 0.5
        peaks.append(peak)
    assert peaks[1] - peaks[0] < 60


# Sets of pairs


def pairs_of(*rows: list[int]) -> EncodedPairs:
    return EncodedPairs.from_lists(
        [[n, *row] for n, row in enumerate(rows)], rows, [len(r) for r in rows], 100
    )


def test_concatenated_pairs_come_one_after_the_other() -> None:
    parts = [pairs_of([1, 2], [3]), pairs_of(), pairs_of([4, 5, 6])]
    whole = concatenate(parts)
    wanted = [part.pair(row) for part in parts for row in range(len(part))]
    assert [(a.tolist(), b.tolist()) for a, b in map(whole.pair, range(3))] == [
        (a.tolist(), b.tolist()) for a, b in wanted
    ]
    assert whole.words.tolist() == [2, 1, 3]


@pytest.mark.parametrize("most", [1, 2, 7, 10, 99])
def test_taken_pairs_are_spread_over_all(most: int) -> None:
    pairs = pairs_of(*([n] for n in range(10)))
    taken = take(pairs, most)
    found = [int(taken.pair(row)[1][0]) for row in range(len(taken))]
    assert len(found) == min(most, 10)
    assert found == sorted(set(found))
    assert found[0] == 0
    assert most == 1 or found[-1] == 9
