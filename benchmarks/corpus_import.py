"""How fast files become pairs: messages a second on one core, and memory for a million pairs.

    python benchmarks/corpus_import.py              # each line-based format, on one core
    python benchmarks/corpus_import.py --million    # a million pairs through chatbot corpus add: time and RSS

The files are made up here from a fixed seed, so that two machines measure the same. The formats are timed in
turn, several times; the best says what the code can do, the median what the machine was like.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from chatbot.corpus.adding import Adding
from chatbot.corpus.importing import Import
from chatbot.corpus.options import DataOptions, ReadingOptions

MESSAGES = 100_000
ROUNDS = 3
NAMES = ("Ann Lee", "Bo", "Cyrus Dane", "Dora")


def sentences(seed: int) -> Iterator[str]:
    """Sentences of 2 to 18 words; the words' frequencies fall off as those of a language do."""
    rng = random.Random(seed)  # noqa: S311  made-up text
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]
    words = ["".join(rng.choices(syllables, k=rng.randint(1, 3))) for _ in range(8000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    while True:
        pool = rng.choices(words, weights, k=20_000)
        at = 0
        while at < len(pool) - 18:
            length = rng.randint(2, 18)
            yield " ".join(pool[at : at + length]) + rng.choice(["", ".", "?", "!", " 😀"])
            at += length


def whatsapp(count: int) -> Iterator[str]:
    """An Android export."""
    for at, text in zip(range(count), sentences(1), strict=False):
        day, minute = divmod(at, 400)
        date = f"{day % 28 + 1:02}/{day // 28 % 12 + 1:02}/{day // 336 + 15:02}"
        yield f"{date}, {8 + minute // 60:02}:{minute % 60:02} - {NAMES[at % 3 if at % 7 else 3]}: {text}"


def irc(count: int) -> Iterator[str]:
    """An irssi log."""
    for at, text in zip(range(count), sentences(2), strict=False):
        if at % 1440 == 0:
            yield f"--- Day changed Mon Jan {at // 1440 % 28 + 1:02} 2024"
        yield f"{at // 60 % 24:02}:{at % 60:02} <{NAMES[at % 4].split()[0].lower()}> {text}"


def tsv(count: int) -> Iterator[str]:
    """A pair a line: two messages."""
    texts = sentences(3)
    for _ in range(count // 2):
        yield f"{next(texts)}\t{next(texts)}"


FORMATS: dict[str, Callable[[int], Iterator[str]]] = {"whatsapp": whatsapp, "irc": irc, "tsv": tsv}


def write(path: Path, lines: Iterator[str]) -> None:
    """Write a made-up file."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)


def seconds(path: Path, folder: Path) -> float:
    """Reading, joining, cleaning, pairing and writing, in this process."""
    began = time.perf_counter()
    imported = Import([path], ReadingOptions(), lambda notice: None)
    Adding(imported, DataOptions()).write(folder)
    return time.perf_counter() - began


def speed(folder: Path) -> None:
    """Messages a second of each line-based format."""
    times: dict[str, list[float]] = {name: [] for name in FORMATS}
    for name, lines in FORMATS.items():
        write(folder / f"{name}.txt", lines(MESSAGES))
    for _ in range(ROUNDS):
        for name in FORMATS:
            times[name].append(seconds(folder / f"{name}.txt", folder / "corpora" / name))
    for name, taken in times.items():
        best, median = (MESSAGES / value for value in (min(taken), statistics.median(taken)))
        print(f"{name:10} {best:10,.0f} messages/s best {median:10,.0f} median")


def million(folder: Path, jobs: int) -> None:
    """A million pairs through the command line."""
    path = folder / "million.tsv"
    write(path, tsv(2_000_000))
    began = time.perf_counter()
    words = ["corpus", "add", str(path), "--corpora", str(folder / "corpora"), "--jobs", str(jobs)]
    subprocess.run([sys.executable, "-m", "chatbot", *words], check=True)
    taken = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"1,000,000 pairs with --jobs {jobs}: {taken:.0f} s, largest process {peak:.0f} MB")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--million", action="store_true", help="a million pairs, time and memory")
    parser.add_argument("--jobs", type=int, default=1, help="processes, for --million")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if wanted.million:
            million(Path(name), wanted.jobs)
        else:
            speed(Path(name))


if __name__ == "__main__":
    main()
