"""How long the command line takes to say what it can do, beside `python -c "import click"`.

    python benchmarks/start_up.py [--rounds 15]

All are whole processes, started in turn. Medians on the clock and of processor time, and medians of the
ratios of the processes of a round. Results are in docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

CLICK = 'python -c "import click"'
STARTS: dict[str, tuple[list[str], dict[str, str]]] = {
    CLICK: (["-c", "import click"], {}),
    "chatbot --help": (["-m", "chatbot", "--help"], {}),
    "chatbot train --help": (["-m", "chatbot", "train", "--help"], {}),
    "chatbot completion bash": (["-m", "chatbot", "completion", "bash"], {}),
    "a completion: `chatbot tr` and Tab": (
        ["-m", "chatbot"],
        {"_CHATBOT_COMPLETE": "bash_complete", "COMP_WORDS": "chatbot tr", "COMP_CWORD": "1"},
    ),
    "a completion: `chatbot chat st` and Tab": (
        ["-m", "chatbot"],
        {"_CHATBOT_COMPLETE": "bash_complete", "COMP_WORDS": "chatbot chat st", "COMP_CWORD": "2"},
    ),
}
"""What is started, and what its environment has besides."""

Start = tuple[float, float]
"""Seconds on the clock, and of the processor."""


def started(arguments: list[str], environment: dict[str, str]) -> Start:
    """Run Python once; it must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, env=os.environ | environment
    )
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} failed")
    return wall, used.ru_utime + used.ru_stime


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds_wanted = parser.parse_args().rounds
    for each in STARTS.values():
        started(*each)  # files into memory, and compiled
    rounds = [{name: started(*each) for name, each in STARTS.items()} for _ in range(rounds_wanted)]
    print(f"{rounds_wanted} rounds in turn; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        "| whole process | seconds | x import click | processor s | x import click |\n|---|---|---|---|---|"
    )
    for name in STARTS:
        cells = []
        for place in (0, 1):
            cells.append(f"{statistics.median(each[name][place] for each in rounds):.3f}")
            cells.append(
                f"{statistics.median(each[name][place] / each[CLICK][place] for each in rounds):.2f}"
            )
        shown = name if name.startswith("a ") else f"`{name}`"
        print(f"| {shown} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
