"""What a short training run reaches: perplexity per word beside an n-gram's, speed and memory.

    python benchmarks/ten_minutes.py [MINUTES]

Two runs one after the other, each a process of its own in a temporary folder: the default corpora with
the default options, and chitchat alone, lower-cased. Prints one table; results are in
docs/measurements.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RUNS: dict[str, list[str]] = {
    "default corpora": [],
    "chitchat alone, lower-cased": ["chitchat", "--case", "lower"],
}


def main() -> None:
    """Run all and print a line each."""
    minutes = sys.argv[1] if len(sys.argv) > 1 else "10"
    print(f"{'run':28} {'held-out':18} {'pairs':>6} {'bot':>7} {'n-gram':>8} {'ratio':>6}")
    for name, arguments in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            record, seconds, peak = train([*arguments, "--minutes", minutes], Path(folder))
        report, variety = record["report"], record["report"]["variety"]
        for corpus, row in report["corpora"].items():
            figures = f"{row['perplexity']:7.1f} {row['ngram_perplexity']:8.1f} {row['ratio']:6.3f}"
            print(f"{name:28} {corpus:18} {row['pairs']:6,} {figures}")
        print(
            f"{name:28} n-gram order {report['ngram_order']}, {record['steps']:,} steps, "
            f"{seconds / 60:.1f} minutes, peak RSS {peak:,.0f} MB, distinct-2 {variety['distinct2']:.3f}"
        )


def train(arguments: list[str], folder: Path) -> tuple[dict[str, Any], float, float]:
    """One run; its config.json, the seconds it took and the most memory it used, in MB."""
    places = {"CHATBOT_CORPORA": str(folder / "corpora"), "CHATBOT_CHECKPOINTS": str(folder / "checkpoints")}
    command = [sys.executable, "-m", "chatbot", "train", "--name", "run", *arguments]
    started = time.monotonic()
    process = subprocess.Popen(command, env=os.environ | places, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    record = json.loads((folder / "checkpoints" / "run" / "config.json").read_text(encoding="utf-8"))
    return record, time.monotonic() - started, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
