"""The doctor against small corpora made up for each finding, and against naive counts."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.config import Config
from chatbot.corpus.clean import Cleaning
from chatbot.corpus.conversation import NOBODY, Conversation, Pair, Turn
from chatbot.corpus.doctor import doctor, vocabulary
from chatbot.corpus.doctor.doctor import Doctor, examine
from chatbot.corpus.doctor.findings import LEVELS, Finding, Verdict
from chatbot.corpus.doctor.sampling import Sample
from chatbot.corpus.doctor.symptoms import is_miscoded, untalk
from chatbot.corpus.library import open_corpus
from chatbot.corpus.options import DataOptions
from chatbot.corpus.split import is_held_out
from chatbot.corpus.statistics import reply_statistics

NOUNS = (
    *("cat", "dog", "bird", "horse", "cow", "fox", "owl", "bee", "ant", "fish"),
    *("whale", "seal", "crow", "swan", "duck", "goat", "lamb", "deer", "hare", "mole"),
)
VERBS = ("likes", "hears", "sees", "knows", "wants", "finds", "draws", "meets", "helps", "calls", "feeds")
KEEP_ALL = DataOptions(near_duplicates=True, echoes=True)


def sentence(number: int) -> str:
    """One of many sentences of five words."""
    subject, thing = NOUNS[number % 20], NOUNS[number * number % 19]
    return f"the {subject} {VERBS[number % 11]} {thing} number{number}"


def talks(pairs: Iterable[tuple[str, str]]) -> list[Conversation]:
    """A conversation for each pair."""
    return [
        Conversation(f"talk {at}", "test", (Turn("Ann", src), Turn("Ben", tgt)))
        for at, (src, tgt) in enumerate(pairs)
    ]


def healthy(count: int) -> list[tuple[str, str]]:
    return [(sentence(2 * at), sentence(2 * at + 1)) for at in range(count)]


def verdict_on(pairs: Iterable[tuple[str, str]], options: DataOptions = KEEP_ALL) -> Verdict:
    return examine(talks(pairs), options)


def finding(verdict: Verdict, name: str) -> Finding:
    return next(each for each in verdict.findings if each.name == name)


def level(verdict: Verdict, name: str) -> str:
    """The level of a finding; a look that has nothing to say is content."""
    return next((each.level for each in verdict.findings if each.name == name), "green")


def test_a_healthy_corpus_gives_nothing_to_worry_about() -> None:
    verdict = verdict_on(healthy(412))
    assert verdict.worst == "green"
    assert verdict.sentence == "412 pairs, enough for a FAQ, not for small talk; nothing to worry about"


@pytest.mark.parametrize(
    ("count", "worst", "enough"),
    [
        (1, "yellow", "1 pair, too few to learn anything but by heart"),
        (19, "yellow", "19 pairs, too few to learn anything but by heart"),
        (20, "green", "20 pairs, enough for a FAQ, not for small talk"),
        (2_000, "green", "2,000 pairs, enough for small talk on a few subjects"),
    ],
)
def test_size_is_told_in_bands(count: int, worst: str, enough: str) -> None:
    found = finding(verdict_on(healthy(count)), "size")
    assert (found.level, found.what) == (worst, enough)
    assert found.remedy


def test_no_pair_is_red_and_says_why() -> None:
    nobody = examine([Conversation("a", "test", (Turn("Ann", "Anybody there?"),))])
    short = examine(talks(healthy(3)), DataOptions(min_words=9))
    for verdict, why in ((nobody, "nobody answers anybody"), (short, "all were left out: 3 too short")):
        assert verdict.worst == "red"
        assert [each.name for each in verdict.findings] == ["size"]
        assert verdict.sentence == f"0 pairs, {why}"


def test_a_pointer_without_a_pair_is_told() -> None:
    pointer = examine([Conversation("a", "test", (Turn("A", "/home/ann/corpora/talk.txt"),))])
    assert pointer.sentence == "0 pairs, and what is there looks like paths, not like talk"


@pytest.mark.parametrize(("times", "expected"), [(1, "green"), (9, "yellow"), (60, "red")])
def test_one_reply_too_often_is_told(times: int, expected: str) -> None:
    pairs = healthy(100)
    pairs[:times] = [(question, "I do not know") for question, _ in pairs[:times]]
    verdict = verdict_on(pairs, DataOptions(near_duplicates=True, reply_cap=0))
    assert level(verdict, "replies") == expected
    if expected != "green":
        assert "--reply-cap 5" in finding(verdict, "replies").remedy


def test_one_reply_too_often_stops_no_small_corpus() -> None:
    pairs = [(question, "I do not know") for question, _ in healthy(30)]
    assert level(verdict_on(pairs), "replies") == "yellow"


def test_replies_of_one_form_are_told() -> None:
    pairs = [(sentence(at), "you have to ask somebody else about that") for at in range(50)]
    assert level(verdict_on(pairs), "variety") == "yellow"
    assert level(verdict_on(healthy(50)), "variety") == "green"


@pytest.mark.parametrize(
    ("name", "counts", "expected"),
    [
        ("duplicates", {"duplicates": 600}, "yellow"),
        ("duplicates", {"duplicates": 400}, "green"),
        ("near duplicates", {"near_duplicates": 350}, "yellow"),
        ("near duplicates", {"near_duplicates": 250}, "green"),
        ("echoes", {"echoed": 60, "echo": 50}, "yellow"),
        ("echoes", {"echoed": 60, "echo": 30}, "green"),
        ("reply cap", {"capped": 350}, "yellow"),
        ("reply cap", {"capped": 250}, "green"),
        ("other filters", {"short": 300, "long": 300}, "yellow"),
        ("other filters", {"script": 100, "language": 100}, "green"),
    ],
)
def test_what_cleaning_left_out_is_told(name: str, counts: dict[str, int], expected: str) -> None:
    left = sum(count for field, count in counts.items() if field != "echo")
    watched = Doctor()
    for at, (src, tgt) in enumerate(healthy(30)):
        watched.pair(Pair((src,), tgt, str(at)), held_out=False)
    verdict = watched.verdict(Cleaning(conversations=30, kept=1000 - left, **counts))
    assert level(verdict, name) == expected


def test_replies_too_long_for_training_are_told() -> None:
    long = " ".join(NOUNS[:19])
    pairs = [(question, f"{long} {at}") for at, (question, _) in enumerate(healthy(30))]
    verdict = verdict_on(pairs)
    assert level(verdict, "length") == "yellow"
    assert "--max-tgt 26" in finding(verdict, "length").remedy  # 20 words
    assert level(examine(talks(pairs), KEEP_ALL, max_tgt=26), "length") == "green"


def test_default_longest_reply_is_that_of_training() -> None:
    assert Config().text.max_tgt == doctor.MAX_TGT
    assert Config().text.vocabulary == vocabulary.COMMON_WORDS


def test_lengths_fall_into_buckets() -> None:
    words = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 99, 700]
    pairs = [("ja " * count, f"{at} " * count) for at, count in enumerate(words)]
    facts = verdict_on(pairs, DataOptions(near_duplicates=True, max_words=0)).facts
    assert facts.replies.buckets == facts.questions.buckets == (1, 2, 2, 2, 2, 3)


def test_lengths_of_chinese_are_counted_in_characters() -> None:
    facts = verdict_on([("你好吗", "我 很好"), ("schöne Grüße", "你")]).facts
    assert facts.questions.buckets[:2] == (0, 2)
    assert facts.replies.buckets[:2] == (1, 1)


def test_a_tiny_vocabulary_is_no_talk() -> None:
    pairs = [(f"yes no {'a ' * at}", "b") for at in range(1, 8)]
    verdict = verdict_on(pairs)
    assert level(verdict, "vocabulary") == "red"
    assert "looks like a placeholder" in finding(verdict, "vocabulary").what
    assert level(verdict_on(pairs[:5]), "vocabulary") == "green"


def test_answering_from_a_menu_is_told_and_allowed() -> None:
    pairs = [(question, "yes" if at % 2 else "no") for at, (question, _) in enumerate(healthy(60))]
    assert level(verdict_on(pairs), "vocabulary") == "yellow"


def test_words_mostly_unlike_each_other_are_told() -> None:
    pairs = [(sentence(at), " ".join(f"w{at}x{word}" for word in range(20))) for at in range(700)]
    verdict = verdict_on(pairs)
    assert verdict.facts.vocabulary.words == verdict.facts.vocabulary.occurrences == 14_000
    assert verdict.facts.vocabulary.once == 1
    assert level(verdict, "vocabulary") == "yellow"


def test_vocabulary_stays_bounded_and_keeps_what_is_frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "DIFFERENT_WORDS", 1000)
    monkeypatch.setattr(vocabulary, "AT_ONCE", 100)
    monkeypatch.setattr(vocabulary, "COMMON_WORDS", 1)
    watched = Doctor()
    for at in range(3000):
        watched.pair(Pair((f"q{at}",), f"often rare{at} {'x' * 900}{at}", "c"), held_out=False)
    found = watched.verdict(Cleaning(kept=3000)).facts.vocabulary
    assert found.words <= 1000
    assert found.words + found.forgotten >= 3000
    assert found.covered == 2 / 3 or found.covered == 1 / 3  # "often", as often as the cut "xxx..."
    assert found.occurrences == 9000


@pytest.mark.parametrize(
    "text",
    [
        "cafÃ© au lait",
        "schÃ¶n",
        "donâ€™t",
        "ÐŸÑ€Ð¸Ð²ÐµÑ‚",
        "РџСЂРёРІРµС‚",
        "ä½\xa0å¥½",
        "ðŸ˜€",
        "a\ufffdb",
        "\x92s",
    ],
)
def test_wrongly_decoded_text_is_recognised(text: str) -> None:
    assert is_miscoded(text)


@pytest.mark.parametrize(
    "text",
    [
        "café “là”…",
        "schön — Grüße",
        "IRMÃ” disse",
        "Привет, Рим",
        "СІРІ ОЧІ",
        "你好",
        "😀",
        "voilà…”",
        "Ærø",
        "ÀÉ»",
        "Ñu",
    ],
)
def test_other_scripts_are_not_taken_for_wrongly_decoded(text: str) -> None:
    assert not is_miscoded(text)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize(
    "text", ["Fräulein Müller grüßt", "señor Ibáñez", "ça va, Hélène", "Привет, как дела", "你好吗我很好"]
)
def test_utf8_read_as_another_encoding_is_recognised(text: str, encoding: str) -> None:
    assert is_miscoded(text.encode().decode(encoding, "replace"))
    assert not is_miscoded(text)


@pytest.mark.parametrize(("wrong", "expected"), [(0, "green"), (1, "yellow"), (40, "red")])
def test_wrong_encoding_is_told(wrong: int, expected: str) -> None:
    pairs = healthy(100)
    pairs[:wrong] = [(question, f"{reply} cafÃ©") for question, reply in pairs[:wrong]]
    verdict = verdict_on(pairs)
    assert level(verdict, "encoding") == expected
    assert ("--encoding" in finding(verdict, "encoding").remedy) == (wrong > 0)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("version https://git-lfs.github.com/spec/v1", "Git-LFS pointers"),
        ("oid sha256:0a1b2c3d4e5f", "Git-LFS pointers"),
        ("size 12345", "Git-LFS pointers"),
        ("size matters", ""),
        ("https://example.org/a?b=c", "links"),
        ("see https://example.org", ""),
        ("/data/corpora/talk", "paths"),
        ("C:\\data\\talk.txt", "paths"),
        ("train/dialogue.txt", "paths"),
        ("and/or", ""),
        ("/s", ""),
        ("¯\\_(ツ)_/¯", ""),
        ("<Media omitted>", "placeholders"),
        ("[phone]", "placeholders"),
        ("{{name}}", "placeholders"),
        ("NaN", "placeholders"),
        ("none", ""),
        ("...", ""),
        ("你好", ""),
    ],
)
def test_untalk_tells_what_a_whole_text_is(text: str, kind: str) -> None:
    assert untalk(text) == kind


@pytest.mark.parametrize(("odd", "expected"), [(1, "green"), (5, "yellow"), (30, "red")])
def test_lines_that_are_no_talk_are_told(odd: int, expected: str) -> None:
    pairs = healthy(100)
    pairs[:odd] = [(question, f"https://example.org/{at}") for at, (question, _) in enumerate(pairs[:odd])]
    assert level(verdict_on(pairs), "no talk") == expected


def test_a_git_lfs_pointer_is_red() -> None:
    lines = ("version https://git-lfs.github.com/spec/v1", f"oid sha256:{'ab' * 32}", "size 12345")
    verdict = examine(
        [Conversation("a", "test", tuple(Turn("AB"[at % 2], line) for at, line in enumerate(lines)))]
    )
    assert verdict.worst == "red"
    assert "git lfs pull" in finding(verdict, "no talk").remedy


ENGLISH = "I would like to know when the train to the city leaves, number {}"
GERMAN = "Ich möchte gerne wissen, wann der Zug in die Stadt abfährt, Nummer {}"
RUSSIAN = "Я хотел бы знать, когда отправляется поезд в город, номер {}"


@pytest.mark.parametrize(
    ("other", "share", "languages", "scripts"),
    [
        (GERMAN, 0.05, "green", "green"),
        (GERMAN, 0.3, "yellow", "green"),
        (RUSSIAN, 0.3, "yellow", "yellow"),
    ],
)
def test_a_mixture_of_languages_is_told(other: str, share: float, languages: str, scripts: str) -> None:
    texts = [(other if at < 100 * share else ENGLISH).format(at) for at in range(100)]
    verdict = verdict_on([(text, text + "?") for text in texts])
    assert (level(verdict, "languages"), level(verdict, "scripts")) == (languages, scripts)


def test_japanese_is_one_script() -> None:
    lines = ["私は東京都に住んでいます", "カレーライス", "東京特許許可局", "ありがとう"]
    verdict = verdict_on([(line * at, line) for line in lines for at in range(1, 6)])
    assert level(verdict, "scripts") == "green"
    assert verdict.facts.close.scripts[0].name == "Japanese"


def split_corpus(shared: int) -> list[Conversation]:
    """Forty pairs trained on and forty held out, of which some have a question that occurs in both parts."""
    names = [f"talk {at}" for at in range(100)]
    parts = {
        held_out: next(name for name in names if is_held_out(name, 0.05) == held_out)
        for held_out in (True, False)
    }
    found = []
    for held_out, name in parts.items():
        turns: list[Turn] = []
        for at in range(40):
            asked = f"both {at}" if at < shared else f"{name} asks {at}"
            turns.append(Turn("A", asked.upper() if held_out else asked, to=NOBODY))
            turns.append(Turn("B", f"{name} says {at}"))
        found.append(Conversation(name, "test", tuple(turns)))
    return found


@pytest.mark.parametrize(("shared", "expected"), [(4, "green"), (20, "yellow")])
def test_questions_that_leak_are_told(shared: int, expected: str) -> None:
    verdict = examine(split_corpus(shared), KEEP_ALL)
    assert verdict.facts.held_out == 40
    assert (verdict.facts.leakage.pairs, verdict.facts.leakage.questions) == (0, shared)
    assert level(verdict, "leakage") == expected


def test_a_pair_that_leaks_is_red() -> None:
    watched = Doctor()
    watched.pair(Pair(("How  are you",), "Fine", "a"), held_out=False)
    watched.pair(Pair(("how are YOU",), "fine ", "b"), held_out=True)
    verdict = watched.verdict(Cleaning(kept=2))
    assert verdict.facts.leakage.pairs == 1
    assert level(verdict, "leakage") == "red"


def test_the_same_exchange_after_other_turns_is_no_leak() -> None:
    watched = Doctor()
    watched.pair(Pair(("Hi", "And you?"), "Fine", "a"), held_out=False)
    watched.pair(Pair(("Bye", "And you?"), "Fine", "b"), held_out=True)
    leakage = watched.verdict(Cleaning(kept=2)).facts.leakage
    assert (leakage.pairs, leakage.questions) == (0, 1)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz"), st.booleans())))
def test_leakage_is_what_a_naive_count_says(drawn: list[tuple[str, str, bool]]) -> None:
    watched = Doctor()
    for src, tgt, held_out in drawn:
        watched.pair(Pair((src,), tgt, ""), held_out)
    trained = [(src, tgt) for src, tgt, held_out in drawn if not held_out]
    leaked = [(src, tgt) for src, tgt, held_out in drawn if held_out]
    leakage = watched.verdict(Cleaning(kept=len(drawn))).facts.leakage
    assert leakage.pairs == sum(pair in trained for pair in leaked)
    assert leakage.questions == sum(src in [asked for asked, _ in trained] for src, _ in leaked)


def test_personal_data_is_told_and_never_shown() -> None:
    pairs = healthy(40)
    pairs[:4] = [(question, "write to ann.other@example.org") for question, _ in pairs[:4]]
    pairs[4] = (pairs[4][0], "call +44 20 7946 0958")
    verdict = verdict_on(pairs)
    found = finding(verdict, "personal data")
    assert (found.level, found.what) == ("yellow", "suspected e-mail addresses 4, phone numbers 1")
    assert "--scrub" in found.remedy
    shown = json.dumps(verdict.to_json())
    assert "ann.other" not in shown
    assert "7946" not in shown
    assert verdict.facts.commonest[0].name == "write to [email]"


def test_secrets_are_told_more_strongly() -> None:
    pairs = healthy(40)
    pairs[0] = (pairs[0][0], "my card is 4111 1111 1111 1111")
    found = finding(verdict_on(pairs), "personal data")
    assert found.level == "yellow"
    assert "secrets" in found.what


def test_a_link_now_and_then_is_no_warning() -> None:
    pairs = healthy(300)
    pairs[0] = (pairs[0][0], "it is on example.org somewhere")
    found = finding(verdict_on(pairs), "personal data")
    assert (found.level, found.what) == ("green", "suspected links 1")


def test_personal_data_of_a_large_corpus_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CLOSELY", 50)
    pairs = [(question, f"write to ann{at}@example.org") for at, (question, _) in enumerate(healthy(200))]
    what = finding(verdict_on(pairs), "personal data").what
    assert what == "suspected e-mail addresses about 200, estimated from 50 in 50 pairs"


@pytest.mark.parametrize(("lonely", "expected"), [(10, "green"), (30, "yellow")])
def test_conversations_without_reply_are_told(lonely: int, expected: str) -> None:
    alone = [Conversation(f"alone {at}", "test", (Turn("Cid", sentence(at)),)) for at in range(lonely)]
    verdict = examine(talks(healthy(20)) + alone, KEEP_ALL)
    assert level(verdict, "unanswered") == expected
    assert verdict.facts.speakers == 3


def test_findings_come_worst_first_and_are_counted_in_the_sentence() -> None:
    pairs = healthy(100)
    pairs[:40] = [
        (question, f"cafÃ© https://example.org/{at}") for at, (question, _) in enumerate(pairs[:40])
    ]
    verdict = verdict_on(pairs)
    levels = [LEVELS.index(each.level) for each in verdict.findings]
    assert levels == sorted(levels)
    assert verdict.worst == "red"
    assert verdict.sentence.endswith("; 1 reason to stop, 1 thing to look at")


def test_commonest_replies_are_counted_exactly() -> None:
    pairs = [(sentence(at), f"Reply {at % 7}" if at % 2 else f"reply  {at % 7}") for at in range(300)]
    facts = verdict_on(pairs, DataOptions(near_duplicates=True, reply_cap=0)).facts
    naive = Counter(f"reply {at % 7}" for at in range(300))
    assert {each.name.lower(): each.count for each in facts.commonest} == naive


def test_variety_is_that_of_the_statistics() -> None:
    pairs = healthy(200)
    found = reply_statistics([tgt for _, tgt in pairs])
    sample = verdict_on(pairs).facts.sample
    assert (sample.distinct1, sample.distinct2) == (found.distinct1, found.distinct2)


def test_characters_are_counted() -> None:
    sample = verdict_on([("aaaaab", "你你b"), ("a c", "b")]).facts.sample
    assert (sample.characters, sample.rare) == (5, 4)  # a b c 你 and the space; only a is common


def test_json_reads_back_as_it_was() -> None:
    record = verdict_on(healthy(30)).to_json()
    assert json.loads(json.dumps(record)) == record
    assert record["worst"] == "green"
    assert record["facts"]["cleaning"]["pairs"] == 30
    assert record["findings"][0] == {
        "level": "green",
        "name": "size",
        "what": "30 pairs, enough for a FAQ, not for small talk",
        "remedy": "train with --preset tiny",
    }


@given(st.lists(st.integers(0, 2**61), unique=True), st.integers(1, 20), st.randoms(use_true_random=False))
def test_a_sample_is_the_lowest_ranks_in_any_order(ranks: list[int], size: int, rng: random.Random) -> None:
    sample = Sample(size)
    shuffled = list(ranks)
    rng.shuffle(shuffled)
    for rank in shuffled:
        sample.add(rank, f"q{rank}", "")
    assert [each.rank for each in sample.lowest(size)] == sorted(ranks)[:size]


def test_a_sample_keeps_the_beginning_of_a_book() -> None:
    sample = Sample(1)
    sample.add(1, "x" * 10_000, "y" * 10_000)
    assert len(sample.lowest(1)[0].question) == len(sample.lowest(1)[0].reply) == 2_000


def test_the_order_of_conversations_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LOOKED_AT", 50)
    monkeypatch.setattr(doctor, "CLOSELY", 20)
    there = talks(healthy(300))
    assert examine(there, KEEP_ALL).to_json() == examine(there[::-1], KEEP_ALL).to_json()


SCRIPT = """
import json, sys
from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.doctor.doctor import examine

texts = [f"{'wo wer was'.split()[at % 3]} möchte {at * at % 97} 你好 {at}?" for at in range(600)]
talks = [Conversation(str(at), "t", (Turn(f"S{at}", texts[at]), Turn("B", texts[-at]))) for at in range(600)]
sys.stdout.write(json.dumps(examine(talks).to_json()))
"""


def test_the_verdict_does_not_hang_on_the_hash_seed() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert json.loads(told[0])["facts"]["pairs"] > 500


@pytest.mark.parametrize("name", ["smalltalk", pytest.param("chitchat", marks=pytest.mark.slow)])
def test_nothing_is_red_about_our_corpora(name: str, corpora: Path, notices: Callable[[str], None]) -> None:
    opened = open_corpus(name, corpora, notices)
    verdict = examine(opened.conversations(), opened.options(DataOptions()))
    assert verdict.worst != "red"
    assert verdict.facts.pairs > 1000


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40)), max_size=8))
def test_any_text_gets_a_verdict(pairs: list[tuple[str, str]]) -> None:
    verdict = verdict_on(pairs, DataOptions(min_words=0))
    assert json.loads(json.dumps(verdict.to_json()))["facts"]["pairs"] == verdict.facts.pairs
