"""Encoding a corpus beside the library alone: pairs to files, and the same texts to ids.

    python benchmarks/corpus_encode.py [--pairs N] [--rounds R] [--tokenizer KIND] [--corpus NAME]

The pairs are those of a corpus, several times over where it has fewer. Both sides use all cores and take
turns, round by round: ours reads pairs and writes the files that training maps; the library's
``encode_batch_fast`` gets the texts as lists and its result is thrown away. Prints texts a second, and the
ratio of each round; results are in docs/measurements.md.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tokenizers

from chatbot.corpus.clean import Cleaner
from chatbot.corpus.conversation import Pair
from chatbot.corpus.library import open_corpus
from chatbot.dataset.encode import PairEncoder
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.turns import source_text

MAX_SRC, MAX_TGT = 40, 24


def main() -> None:
    """Measure in turns and print a line a round."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokenizer", default="bpe", choices=["bpe", "words", "chars"])
    parser.add_argument("--corpus", default="chitchat")
    options = parser.parse_args()
    pairs = corpus_pairs(options.corpus, options.pairs)
    texts = [(source_text(pair.src, pair.own), pair.tgt) for pair in pairs]
    tokenizer = Tokenizer.train(options.tokenizer, texts, 4096, "lower")
    sides = {"chatbot": lambda: ours(pairs, tokenizer), "library": lambda: library(texts, tokenizer)}
    ratios = []
    for number in range(options.rounds):
        seconds = timed(sides, backwards=number % 2 == 1)
        ratios.append(seconds["library"] / seconds["chatbot"])
        rates = ", ".join(f"{name} {2 * len(pairs) / took:,.0f} texts/s" for name, took in seconds.items())
        print(f"round {number + 1}: {rates}, ratio {ratios[-1]:.2f}")
    print(f"{options.tokenizer}, {len(pairs):,} pairs: median ratio {statistics.median(ratios):.2f}")


def corpus_pairs(name: str, most: int) -> list[Pair]:
    """So many pairs of a corpus."""
    corpus = open_corpus(name, Path("corpora"), print)
    pairs = list(Cleaner().pairs(corpus.conversations()))
    return list(itertools.islice(itertools.cycle(pairs), most))


def ours(pairs: Sequence[Pair], tokenizer: Tokenizer) -> None:
    """Pairs to files."""
    with tempfile.TemporaryDirectory() as folder:
        PairEncoder(tokenizer, MAX_SRC, MAX_TGT).write(pairs, Path(folder), "pairs")


def library(texts: Sequence[tuple[str, str]], tokenizer: Tokenizer) -> None:
    """Texts to the library's encodings, in chunks of the same size."""
    model = library_model(tokenizer)
    for start in range(0, len(texts), 4096):
        for side in (0, 1):
            chunk = [text[side] for text in texts[start : start + 4096]]
            model.encode_batch_fast(chunk, add_special_tokens=False)


def library_model(tokenizer: Tokenizer) -> tokenizers.Tokenizer:
    """The tokenizer as the library reads it from its file."""
    model = tokenizers.Tokenizer.from_str(tokenizer.to_json())
    if tokenizer.kind == "words":
        from chatbot.text.casual import casual_pre_tokenizer

        model.pre_tokenizer = casual_pre_tokenizer()
    return model


def timed(sides: dict[str, Callable[[], None]], backwards: bool) -> dict[str, float]:
    """The seconds each side takes, one after the other."""
    seconds = {}
    for name in sorted(sides, reverse=backwards):
        started = time.perf_counter()
        sides[name]()
        seconds[name] = time.perf_counter() - started
    return {name: seconds[name] for name in sides}


if __name__ == "__main__":
    main()
