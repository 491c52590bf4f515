"""Long sentences need attention: translation quality by source length, with attention and without.

    python benchmarks/lengths.py TRAIN.tsv[.gz] VALID.tsv[.gz] [--minutes M] [--attentions none,additive]
        [--out DIR] [--parallel] [--threads T] [--beam N] [-- options of chatbot train]

The claim of figure 2 of Bahdanau et al. 2015 on real sentences, a line "source<TAB>translation" each. One bot
is trained for each attention with the same budget and options, through the command line; then each
translates the validation sources, and BLEU is measured for buckets of source length (white-space
words). The table goes to stdout, and with it lengths.json, lengths.md and, where matplotlib is installed,
lengths.png and lengths.svg into DIR; progress goes to stderr. Finished trainings in DIR are not repeated
and interrupted ones are gone on with, so the same command again is cheap. Results are in docs/lengths.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengths_plot import draw

from chatbot import Chatbot
from chatbot.checkpoint import load
from chatbot.config import DecodingOptions
from chatbot.errors import ChatbotError
from chatbot.evaluation.bleu import Overlap, bleu
from chatbot.training.request import has_state

BUCKETS = ((1, 10), (11, 15), (16, 20), (21, 25), (26, 30), (31, 40), (41, 60))
"""Fewest and most source words; what is longer counts among the long ones and all."""

MOST = 10**6

LONG = 25
"""Sentences of more words are the long ones: beyond it figure 2 of Bahdanau et al. parts the curves."""

BASELINE = "none"

OPTIONS = {
    "tokenizer": "bpe",
    "vocabulary": "4096",
    "case": "keep",
    "max-src": "80",
    "max-tgt": "80",
    "reply-cap": "0",  # translations may be alike
    "validation": "0.01",
    "dropout": "0.1",
    "batch-tokens": "1024",
    "patience": "0",
}
"""Options of chatbot train, unless others are given after --."""

Texts = Sequence[str]


@dataclass(frozen=True)
class Row:
    """BLEU of some sentences, by attention; a bucket's, or of several together."""

    words: str
    is_bucket: bool
    sentences: int
    mean_words: float
    scores: Mapping[str, Overlap]


def main() -> None:
    """Train what is missing, translate, measure, write."""
    arguments, options = parse(sys.argv[1:])
    names = arguments.attentions.split(",")
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources, references = read(arguments.valid)
    train_all(arguments, names, options)
    replies = {name: translate(arguments, name, sources) for name in names}
    rows = measure(sources, references, replies)
    runs = {name: facts(folder_of(arguments.out, name)) for name in names}
    write(arguments, rows, runs)


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our own arguments, and those of chatbot train."""
    ours, theirs = list(argv), []
    if "--" in ours:
        place = ours.index("--")
        ours, theirs = ours[:place], ours[place + 1 :]
    parser = argparse.ArgumentParser(
        description="BLEU by source length, with attention and without.",
        epilog="Options of chatbot train may follow after --.",
    )
    parser.add_argument("train", type=Path, metavar="TRAIN", help="pairs to learn from: .tsv or .tsv.gz")
    parser.add_argument("valid", type=Path, metavar="VALID", help="pairs to measure on: .tsv or .tsv.gz")
    parser.add_argument("--minutes", default="18", help="training time of each bot (default: 18)")
    parser.add_argument("--attentions", default="none,additive", help="default: none,additive")
    parser.add_argument("--out", type=Path, default=Path("lengths"), help="folder (default: lengths)")
    parser.add_argument("--parallel", action="store_true", help="train side by side, a thread each")
    parser.add_argument("--threads", type=int, default=0, help="threads of a training (default: all, or 1)")
    parser.add_argument("--beam", type=int, default=4, help="hypotheses in translating (default: 4)")
    arguments = parser.parse_args(ours)
    for path in (arguments.train, arguments.valid):
        if not path.is_file():
            parser.error(f"{path}: no such file")
    return arguments, theirs


def text_of(path: Path) -> str:
    """The text of a file, unpacked where its name ends with .gz."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")


def read(path: Path) -> tuple[list[str], list[str]]:
    """Sources and references."""
    lines = [line.split("\t")[:2] for line in text_of(path).splitlines() if "\t" in line]
    if not lines:
        sys.exit(f"{path}: no line holds a source, a tab and a translation")
    return [source.strip() for source, _ in lines], [reference.strip() for _, reference in lines]


def say(message: str) -> None:
    """A notice on stderr."""
    print(message, file=sys.stderr, flush=True)


def folder_of(out: Path, name: str) -> Path:
    """The checkpoint of an attention."""
    return out / "checkpoints" / name


def is_done(folder: Path) -> bool:
    """Whether a training has come to its end."""
    try:
        return load(folder).record.get("ended") in ("done", "early stop")
    except ChatbotError:
        return False


def train_all(arguments: argparse.Namespace, names: Texts, options: Texts) -> None:
    """Train the bots that are missing, side by side or one after the other."""
    corpus = arguments.out / "train.tsv"
    pairs = text_of(arguments.train).encode()
    if corpus.exists() and corpus.read_bytes() != pairs:
        sys.exit(f"{arguments.out}: holds trainings on other pairs; name another folder with --out")
    corpus.write_bytes(pairs)
    environment = dict(os.environ)
    threads = arguments.threads or int(arguments.parallel)
    if threads:
        environment["OMP_NUM_THREADS"] = str(threads)
    started: dict[str, subprocess.Popen[bytes]] = {}
    for name in names:
        if is_done(folder_of(arguments.out, name)):
            say(f"{name}: trained before, in {folder_of(arguments.out, name)}")
            continue
        command = train_command(arguments, name, corpus, options)
        say(f"{name}: {shlex.join(command)}")
        with (arguments.out / f"{name}.log").open("ab") as log:
            progress = log if arguments.parallel else sys.stderr
            started[name] = subprocess.Popen(command, env=environment, stdout=progress, stderr=progress)
        if not arguments.parallel:
            started[name].wait()
    failed = [name for name, process in started.items() if process.wait()]
    if failed:
        sys.exit(f"training failed: {', '.join(failed)}; the message is above, or in DIR/NAME.log")


def train_command(arguments: argparse.Namespace, name: str, corpus: Path, options: Texts) -> list[str]:
    """How the bot of one attention is trained, or gone on with.

    Each has a corpus folder of its own, since two runs would write the same cache at once.
    """
    out, folder = arguments.out, folder_of(arguments.out, name)
    command = [sys.executable, "-m", "chatbot", "train", "--minutes", arguments.minutes]
    command += ["--corpora", str(out / "corpora" / name), "--checkpoints", str(folder.parent)]
    if has_state(folder):
        return [*command, "--resume", name]
    for option, value in OPTIONS.items():
        command += [f"--{option}", value]
    return [*command, *options, "--name", name, "--attention", name, str(corpus)]


def translate(arguments: argparse.Namespace, name: str, sources: Texts) -> list[str]:
    """A bot's translations, kept in DIR/NAME.txt too; n-grams may repeat, as they do in the references."""
    say(f"{name}: translating {len(sources):,} sentences")
    bot = Chatbot.load(folder_of(arguments.out, name), device="cpu")
    order = sorted(range(len(sources)), key=lambda row: len(sources[row]))  # like lengths in a batch
    options = DecodingOptions(beam=arguments.beam, block_ngram=0)
    found = bot.replies([sources[row] for row in order], options)
    replies = [""] * len(sources)
    for row, reply in zip(order, found, strict=True):
        replies[row] = " ".join(reply.text.split())
    (arguments.out / f"{name}.txt").write_text("\n".join(replies) + "\n", encoding="utf-8")
    return replies


def measure(sources: Texts, references: Texts, replies: Mapping[str, Texts]) -> list[Row]:
    """A row for each bucket that holds a sentence, then the long ones together, then all."""
    lengths = [len(source.split()) for source in sources]
    spans = [(f"{low}-{high}", True, low, high) for low, high in BUCKETS]
    spans += [(f"more than {LONG}", False, LONG + 1, MOST), ("all", False, 0, MOST)]
    found = []
    for words, is_bucket, low, high in spans:
        rows = [row for row, length in enumerate(lengths) if low <= length <= high]
        if rows:
            wanted = [references[row] for row in rows]
            scores = {name: bleu([said[row] for row in rows], wanted) for name, said in replies.items()}
            mean = sum(lengths[row] for row in rows) / len(rows)
            found.append(Row(words, is_bucket, len(rows), mean, scores))
    return found


def facts(folder: Path) -> dict[str, Any]:
    """What a training was, from its checkpoint."""
    record = load(folder).record
    kept = ("command", "steps", "best_step", "training_seconds", "parameters", "vocab", "options")
    return {key: record[key] for key in kept} | {"report": record["report"]["corpora"]}


def ratio(row: Row, name: str) -> float:
    """How many times the baseline's BLEU an attention has."""
    return row.scores[name].score / max(row.scores[BASELINE].score, 1e-9)


def table(rows: Sequence[Row], runs: Mapping[str, Mapping[str, Any]]) -> str:
    """All rows in Markdown, the signature and what was trained below."""
    names = list(rows[0].scores)
    others = [name for name in names if name != BASELINE] if BASELINE in names else []
    head = ["source words", "sentences", *names, *(f"{name} / {BASELINE}" for name in others)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [row.words, f"{row.sentences:,}", *(f"{row.scores[name].score:.1f}" for name in names)]
        cells += [f"{ratio(row, name):.2f}" for name in others]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", f"BLEU: {rows[-1].scores[names[0]].signature}", ""]
    for name, run in runs.items():
        minutes = run["training_seconds"] / 60
        lines.append(
            f"- {name}: {run['steps']:,} steps in {minutes:.1f} minutes; {run['parameters']:,} weights"
        )
    return "\n".join(lines) + "\n"


def write(arguments: argparse.Namespace, rows: Sequence[Row], runs: Mapping[str, dict[str, Any]]) -> None:
    """The table to stdout and everything into DIR."""
    text = table(rows, runs)
    print(text, end="")
    (arguments.out / "lengths.md").write_text(text, encoding="utf-8")
    record = {
        "command": shlex.join(["python", *sys.argv]),
        "beam": arguments.beam,
        "signature": next(iter(rows[-1].scores.values())).signature,
        "rows": [
            {
                "words": row.words,
                "sentences": row.sentences,
                "mean_words": round(row.mean_words, 2),
                "bleu": {name: round(score.score, 2) for name, score in row.scores.items()},
            }
            for row in rows
        ],
        "runs": runs,
    }
    (arguments.out / "lengths.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    buckets = [row for row in rows if row.is_bucket]
    curves = {name: [(row.mean_words, row.scores[name].score) for row in buckets] for name in runs}
    say(draw(curves, [row.words for row in buckets], arguments.out))


if __name__ == "__main__":
    main()
