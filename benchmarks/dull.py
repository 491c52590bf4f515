"""How dull replies are, and how much they still have to do with their question.

    python benchmarks/dull.py [CHECKPOINT] [--reverse-model CHECKPOINT] [--questions 1000] [--ranked 1000]

Held-out questions of chitchat, spread evenly over all, are answered in each way of ``WAYS``, all of the same
checkpoint, one after the other. Prints a row each:

    commonest   share of the questions that got the commonest reply
    d-1, d-2    different words of all words, different runs of two of all such runs (Li et al. 2016)
    words       of a reply, on average
    chrF, BLEU  against what a person said
    ms          a question, in batches, on this machine as it was
    rank        mean place, from 1, of what a person said among it and 19 replies to other questions, drawn
    first       once with a seed and the same for all; how often it is the first. They are ordered by the
                score that decides in the search, with its length penalty and its gains; an equal score
                counts against it

A way that draws by chance has no such score. Results are in docs/dull.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.bot import Chatbot
from chatbot.checkpoint import Checkpoint, load, starter_folder
from chatbot.config import DecodingOptions
from chatbot.corpus.statistics import reply_statistics
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import take
from chatbot.decoding.dullness import AntiLanguageModel
from chatbot.decoding.engine import EOS, Engine
from chatbot.decoding.forced import log_probs
from chatbot.decoding.hypothesis import length_penalty
from chatbot.engines.loading import load_engine, load_reversed
from chatbot.evaluation.bleu import bleu, chrf
from chatbot.training.data import prepare

WAYS: dict[str, dict[str, Any]] = {
    "log P alone, beam 5": {"beam": 5, "anti_lm": 0.0, "length_penalty": 0.0, "block_ngram": 0},
    "--beam 5 --anti-lm 0": {"beam": 5, "anti_lm": 0.0},
    "--anti-lm 0": {"anti_lm": 0.0},
    "--anti-lm 0.3": {"anti_lm": 0.3},
    "the default": {},
    "--anti-lm 0.8": {"anti_lm": 0.8},
    "--greedy": {"beam": 1},
    "--sample": {"search": "sample"},
    "--sample --temperature 1": {"search": "sample", "temperature": 1.0},
}
BIDI: dict[str, dict[str, Any]] = {
    "--beam 10": {"beam": 10},
    "--beam 10 --bidi 0.3": {"beam": 10, "bidi": 0.3},
    "--beam 10 --bidi 0.5": {"beam": 10, "bidi": 0.5},
    "--beam 10 --bidi 0.7": {"beam": 10, "bidi": 0.7},
}
RANKED = ("log P alone, beam 5", "--anti-lm 0", "--anti-lm 0.3", "the default", "--anti-lm 0.8")
AMONG, SEED = 20, 0


def main() -> None:
    """Run all ways and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkpoint", type=Path, nargs="?", default=starter_folder())
    parser.add_argument("--reverse-model", type=Path)
    parser.add_argument("--corpora", type=Path, default=Path("corpora"))
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--ranked", type=int, default=1000)
    parser.add_argument("--show", type=int, default=0, help="print so many replies of each way")
    wanted = parser.parse_args()
    checkpoint = load(wanted.checkpoint)
    tokenizer, options = checkpoint.tokenizer(), checkpoint.config.decoding
    pairs = held_out(checkpoint, wanted.corpora, wanted.questions)
    questions, said = ([tokenizer.decode(ids.tolist()).strip() for ids in side] for side in sides(pairs))
    print(
        f"{'':26} {'commonest':>9} {'d-1':>6} {'d-2':>6} {'words':>5} {'chrF':>5} {'BLEU':>5} {'ms':>4} "
        f"{'rank':>5} {'first':>6}"
    )
    print(row("what people said", said, said, 0.0))
    engine = load_engine(checkpoint, tokenizer.vocab, "cpu")
    for bot, ways in bots(wanted.checkpoint, wanted.reverse_model):
        for name, changes in ways.items():
            started = time.perf_counter()
            way = dataclasses.replace(options, **changes)
            replies = [reply.text for reply in bot.replies(questions, way)]
            seconds = time.perf_counter() - started
            ranks = gold_ranks(checkpoint, engine, pairs, way, wanted.ranked) if name in RANKED else None
            print(row(name, replies, said, 1000 * seconds / len(replies), ranks), flush=True)
            for at in np.linspace(0, len(replies) - 1, wanted.show).astype(int):
                print(f"    {questions[at]}\n        -> {replies[at]}")


def bots(checkpoint: Path, reverse: Path | None) -> list[tuple[Chatbot, dict[str, dict[str, Any]]]]:
    """Each bot with the ways it is asked in."""
    plain = Chatbot.load(checkpoint, "cpu"), WAYS
    if reverse is None:
        return [plain]
    load_reversed(reverse, "cpu")
    return [
        plain,
        (Chatbot.load(checkpoint, "cpu"), {"--beam 10": BIDI["--beam 10"]}),
        (
            Chatbot.load(checkpoint, "cpu", reverse),
            {name: changes for name, changes in BIDI.items() if "bidi" in name},
        ),
    ]


def held_out(checkpoint: Checkpoint, corpora: Path, most: int) -> EncodedPairs:
    """Held-out pairs of chitchat, as the checkpoint's own training parted them."""
    names = [corpus["name"] for corpus in checkpoint.record["corpora"]]
    data = prepare(names, corpora, checkpoint.config, lambda notice: None, checkpoint.tokenizer())
    return take(next(corpus.valid for corpus in data.corpora if corpus.name == "chitchat"), most)


def sides(pairs: EncodedPairs) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """The questions and the replies."""
    both = [pairs.pair(at) for at in range(len(pairs))]
    return [src for src, _ in both], [tgt for _, tgt in both]


def gold_ranks(
    checkpoint: Checkpoint, engine: Engine, pairs: EncodedPairs, way: DecodingOptions, most: int
) -> NDArray[np.int64]:
    """The place of each true reply among ``AMONG``."""
    src, tgt = sides(pairs)
    random = np.random.default_rng(SEED)
    rows, replies = [], []
    for at in range(min(most, len(src))):
        others = [at]
        while len(others) < AMONG:
            other = int(random.integers(len(tgt)))
            if other not in others and not np.array_equal(tgt[other], tgt[at]):
                others.append(other)
        rows += [at] * AMONG
        replies += [(*tgt[other].tolist(), EOS) for other in others]
    model = checkpoint.reply_model(engine.vocab)
    anti = None
    if model and way.anti_lm:
        inside = checkpoint.tokenizer().inside_words
        anti = AntiLanguageModel(model, way.anti_lm, way.anti_lm_tokens, inside)
    totals = log_probs(engine, [src[at].tolist() for at in rows], replies, anti)
    scores = totals / [length_penalty(len(reply), way.length_penalty) for reply in replies]
    table = scores.reshape(-1, AMONG)
    ranks: NDArray[np.int64] = 1 + (table[:, 1:] >= table[:, :1]).sum(1)
    return ranks


def row(
    name: str,
    replies: Sequence[str],
    said: Sequence[str],
    milliseconds: float,
    ranks: NDArray[np.int64] | None = None,
) -> str:
    """A line of the table."""
    found = reply_statistics(replies)
    words = np.mean([len(reply.split()) for reply in replies])
    line = (
        f"{name:26} {found.commonest[0].share:9.1%} {found.distinct1:6.3f} {found.distinct2:6.3f} "
        f"{words:5.1f} {chrf(replies, said).score:5.1f} {bleu(replies, said).score:5.2f} {milliseconds:4.0f}"
    )
    return line if ranks is None else f"{line} {ranks.mean():5.2f} {np.mean(ranks == 1):6.1%}"


if __name__ == "__main__":
    main()
