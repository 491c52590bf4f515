"""How well confidence tells good replies, on questions it was not fitted on.

    .venv/bin/python benchmarks/confidence.py held-out checkpoints/starter --pairs 2500
    .venv/bin/python benchmarks/confidence.py faq --minutes 2
    .venv/bin/python benchmarks/confidence.py nearest checkpoints/starter
    .venv/bin/python benchmarks/confidence.py time checkpoints/starter

``held-out`` asks pairs that were held out and not among those that confidence was fitted on. ``faq`` takes
100 groups of questions from our own corpus, with one answer each: it trains on three phrasings of each and
asks the fourth. ``nearest`` says how often the nearest pair is a paraphrase, by what is kept of a vector.
``time`` says what processor time confidence, the words never met and the nearest pairs add to a reply.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chatbot import checkpoint
from chatbot.bot import Chatbot, Reply
from chatbot.config import Config
from chatbot.corpus.library import open_corpus
from chatbot.dataset.joined import joined, take
from chatbot.engines.answering import Answering
from chatbot.engines.loading import load_engine
from chatbot.evaluation.confidence import confidence_report
from chatbot.evaluation.goodness import EXACT, HIT, good_replies
from chatbot.training.data import TrainingData
from chatbot.training.equipment import MOST, _same_data, texts_of
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun
from chatbot.trust import nearest as nearest_module
from chatbot.trust.nearest import PairIndex
from chatbot.trust.seen import plain
from chatbot.trust.stored import Trust

TOPICS, PHRASINGS = 100, 4


def held_out(folder: Path, library: Path, most: int) -> None:
    """Ask held-out pairs that confidence was not fitted on, told from others of all corpora."""
    data = _same_data(checkpoint.load(folder), library, lambda notice: None)
    names, questions, truths = unfitted(data, most)
    replies = Chatbot.load(folder).replies(questions)
    every = [text for each in data.corpora for text in texts_of(each.valid, data.tokenizer)[0]]
    unmet = [text for text in every if data.seen.is_strange(text)]
    print(f"{len(unmet)} of {len(every):,} held-out questions have no word that was met: {unmet}")
    good = good_replies([reply.text for reply in replies], truths, HIT)
    for corpus in ("all", *dict.fromkeys(names)):
        rows = [row for row, name in enumerate(names) if corpus in ("all", name)]
        print(f"{corpus}:")
        report([replies[row] for row in rows], good[rows])


def unfitted(data: TrainingData, most: int) -> tuple[list[str], list[str], list[str]]:
    """Corpora, questions and replies of held-out pairs, spread evenly, without those of the fit."""
    parts = [(each.name, each.valid) for each in data.corpora if each.times and len(each.valid)]
    fitted = set(zip(*texts_of(take(joined([part for _, part in parts]), MOST), data.tokenizer), strict=True))
    pairs = [
        (name, *pair)
        for name, part in parts
        for pair in zip(*texts_of(part, data.tokenizer), strict=True)
        if pair not in fitted
    ]
    rows = np.linspace(0, len(pairs) - 1, min(most, len(pairs))).astype(int)
    names, questions, truths = zip(*(pairs[row] for row in rows), strict=True)
    return list(names), list(questions), list(truths)


def faq(minutes: float) -> None:
    """Train on three phrasings of each question and ask the fourth."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, bot = Path(folder) / "faq.tsv", Path(folder) / "bot"
        topics = faq_topics()
        lines = [f"{text}\t{answer}\n" for texts, answer in topics for text in texts[:-1]]
        corpus.write_text("".join(lines), encoding="utf-8")
        options = {"minutes": minutes, "validation": 0.2, "near_duplicates": True, "reply_cap": 0}
        config = Config().replace(options)
        for _ in TrainingRun(Request((str(corpus),), bot, Path(folder), config, "benchmark")).events():
            pass
        print("at the end of training:", checkpoint.load(bot).record["report"]["confidence"])
        replies = Chatbot.load(bot).replies([texts[-1] for texts, _ in topics])
        truths = [answer for _, answer in topics]
        report(replies, good_replies([reply.text for reply in replies], truths, EXACT))


def faq_topics() -> list[tuple[list[str], str]]:
    """Phrasings of a question and its one answer: groups of our own corpus, each with its first answer."""
    groups: dict[str, dict[str, str]] = {}
    for conversation in open_corpus("smalltalk:english", Path(), lambda notice: None).conversations():
        question, answer = conversation.turns[0].text, conversation.turns[1].text
        groups.setdefault(conversation.id.rpartition("-")[0], {}).setdefault(plain(question), answer)
    large = [group for group in groups.values() if len(group) >= PHRASINGS]
    rows = np.linspace(0, len(large) - 1, TOPICS).astype(int)
    chosen = (large[row] for row in rows)
    return [(list(group)[:PHRASINGS], next(iter(group.values()))) for group in chosen]


def report(replies: list[Reply], good: NDArray[np.bool_]) -> None:
    """Print what confidence is worth for some replies."""
    found = confidence_report([reply.confidence or 0.0 for reply in replies], good)
    rows = found.pop("risk_coverage")
    print(" ", found)
    for row in rows:
        risk = f"{row['risk']:6.1%} not good"
        print(f"  {row['coverage']:5.0%} answered  --threshold {row['threshold']:.3f}  {risk}")


def nearest(folder: Path) -> None:
    """Look openings of our own corpus up among nine times as many: is the nearest a paraphrase?"""
    found = checkpoint.load(folder)
    tokenizer = found.tokenizer()
    answering = Answering.of(found.config, tokenizer, load_engine(found, tokenizer.vocab, "cpu"))
    talks = list(open_corpus("smalltalk:english", Path(), lambda notice: None).conversations())
    groups = [talk.id.rpartition("-")[0] for talk in talks]
    texts = [tokenizer.normalize(talk.turns[0].text, src=True) for talk in talks]
    vectors = answering.vectors(texts)
    asked = np.random.default_rng(1).random(len(talks)) < 0.1
    rows = [
        row for row in np.flatnonzero(asked) if groups[row] in {groups[k] for k in np.flatnonzero(~asked)}
    ]
    kept = [(groups[row], texts[row]) for row in np.flatnonzero(~asked)]
    for dimensions in (32, 64, 128, vectors.shape[1]):
        nearest_module.DIMENSIONS = dimensions
        index = PairIndex.of(kept, vectors[~asked])
        three = [[pair.question for pair in index.nearest(vectors[row], 3)] for row in rows]
        first = np.mean([near[0] == groups[row] for near, row in zip(three, rows, strict=True)])
        any_of = np.mean([groups[row] in near for near, row in zip(three, rows, strict=True)])
        selves = [index.nearest(vectors[row], 1)[0].reply == texts[row] for row in np.flatnonzero(~asked)]
        print(f"{dimensions:4} directions: {first:.3f} {any_of:.3f}, itself {np.mean(selves):.4f}")


def times(folder: Path) -> None:
    """Time a reply with and without each part, in turn."""
    bot, bare = Chatbot.load(folder, "cpu"), Chatbot.load(folder, "cpu")
    bare._trust = Trust()
    questions = ["how are you?", "what do you do for fun?", "tell me a joke", "I have a cat", "why?"] * 20
    bot.reply("hi", why=3)
    ways = {
        "without": lambda text: bare.reply(text),
        "with confidence and words": lambda text: bot.reply(text),
        "with the 3 nearest pairs too": lambda text: bot.reply(text, why=3),
        "a question of words never met": lambda text: bot.reply("zyzzyva qwrt"),
    }
    spent = {name: [] for name in ways}
    for text in questions:
        for name, ask in ways.items():
            start = time.process_time()
            ask(text)
            spent[name].append(time.process_time() - start)
    for name, seconds in spent.items():
        print(f"{1000 * float(np.median(seconds)):8.2f} ms  {name}")
    random = np.random.default_rng(0)
    index = PairIndex.of([("q", "r")] * 100_000, random.normal(size=(100_000, 384)).astype(np.float32))
    index.nearest(index.mean, 3)
    lasted = []
    for vector in random.normal(size=(20, 384)).astype(np.float32):
        start = time.process_time()
        index.nearest(vector, 3)
        lasted.append(time.process_time() - start)
    print(f"{1000 * float(np.median(lasted)):8.2f} ms  the 3 nearest of 100,000 pairs")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("held-out")
    one.add_argument("checkpoint", type=Path)
    one.add_argument("--corpora", type=Path, default=Path("corpora"))
    one.add_argument("--pairs", type=int, default=2500)
    verbs.add_parser("faq").add_argument("--minutes", type=float, default=2.0)
    verbs.add_parser("nearest").add_argument("checkpoint", type=Path)
    verbs.add_parser("time").add_argument("checkpoint", type=Path)
    wanted = parser.parse_args()
    if wanted.verb == "held-out":
        held_out(wanted.checkpoint, wanted.corpora, wanted.pairs)
    elif wanted.verb == "faq":
        faq(wanted.minutes)
    else:
        {"nearest": nearest, "time": times}[wanted.verb](wanted.checkpoint)


if __name__ == "__main__":
    main()
