from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatbot.config import Config
from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import ChatbotError, CorpusError, OptionError
from chatbot.text.tokenizer import Tokenizer
from chatbot.training import data as module
from chatbot.training.cache import CACHE
from chatbot.training.data import DEFAULT_MIX, TrainingData, concatenate, mix_times, prepare, take

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
def test_full_disk_is_told_and_leaves_no_debris(
    tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def full(*args: Any, **kwargs: Any) -> None:
        raise error

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(ChatbotError, match="the disk is full; free some space"):
        prepared(tmp_path, talk)
    assert not list((tmp_path / "corpora" / CACHE).iterdir())


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
