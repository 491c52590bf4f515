"""A long file of questions through ``chatbot chat``: how fast, in how much memory, and in order.

python benchmarks/million_questions.py                        a million, by the checkpoint's own search
python benchmarks/million_questions.py --lines 100000 --greedy

Every question ends in its number, and every answer is checked to be of the question of its line. Memory is
what the process holds (RSS) when so many lines have been answered; the bar is that it is the same at the end
as after ten thousand, within 5 %. First a few hundred questions are asked one at a time, each when the one
before has been answered, as a program that talks with a bot does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from chatbot.evaluation.openings import openings

FIRST = 10_000
"""Lines after which memory is first looked at: all that is loaded and cached is there by then."""

ALONE = 300
"""Questions asked one at a time."""

BAR = 0.05


def questions(count: int) -> Iterator[str]:
    """So many different ones, of one to four everyday sentences."""
    said = openings()
    for number in range(count):
        start = number * 7 % len(said)
        yield f"{' '.join((said + said)[start : start + 1 + number % 4])} {number}"


def chat(options: list[str]) -> subprocess.Popen[bytes]:
    """A bot on a pipe, which answers in JSON."""
    line = [sys.executable, "-m", "chatbot", "chat", "--json", "--quiet", *options]
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def resident(process: subprocess.Popen[bytes]) -> float:
    """Megabytes that a process holds in memory."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def check(line: bytes, question: str) -> None:
    """Whether an answer is that of its question."""
    if json.loads(line)["question"] != question:
        raise SystemExit(f"out of order: {line!r} answers {question!r}")


def one_by_one(options: list[str]) -> float:
    """Questions a second, each asked when the one before is answered; loading is not counted."""
    with chat(options) as process:
        assert process.stdin
        assert process.stdout
        begun = 0.0
        for question in questions(ALONE + 1):
            process.stdin.write(question.encode() + b"\n")
            process.stdin.flush()
            check(process.stdout.readline(), question)
            begun = begun or time.perf_counter()
        return ALONE / (time.perf_counter() - begun)


def feed(sink: IO[bytes], count: int) -> None:
    """Write the questions as fast as they are taken."""
    with sink:
        for question in questions(count):
            sink.write(question.encode() + b"\n")


def all_at_once(options: list[str], count: int) -> tuple[float, dict[int, float]]:
    """Questions a second, and memory by the number of lines answered."""
    marks = {FIRST, *(count * tenth // 10 for tenth in range(1, 11))}
    memory: dict[int, float] = {}
    with chat(options) as process:
        assert process.stdin
        assert process.stdout
        threading.Thread(target=feed, args=(process.stdin, count), daemon=True).start()
        begun, answered = 0.0, 0
        for answered, question in enumerate(questions(count), start=1):
            check(process.stdout.readline(), question)
            begun = begun or time.perf_counter()
            if answered in marks:
                memory[answered] = resident(process)
                print(f"{answered:>9,} lines  {memory[answered]:7.1f} MB", flush=True)
        return (answered - 1) / (time.perf_counter() - begun), memory


def main() -> None:
    """Both ways, and what they come to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--checkpoint", default="starter")
    parser.add_argument("--greedy", action="store_true")
    wanted = parser.parse_args()
    options = [wanted.checkpoint, "--device", "cpu", *(["--greedy"] if wanted.greedy else [])]
    alone = one_by_one(options)
    together, memory = all_at_once(options, wanted.lines)
    print(f"one at a time {alone:.1f} questions/s, from a file {together:.1f}: {together / alone:.1f} times")
    if wanted.lines > FIRST:
        growth = memory[wanted.lines] / memory[FIRST] - 1
        print(f"memory {growth:+.1%} from line {FIRST:,} to {wanted.lines:,} (bar: within {BAR:.0%})")


if __name__ == "__main__":
    main()
