"""How long a script waits for one reply: `echo hi | chatbot chat` beside `python -c "import torch"`.

    python benchmarks/cold_start.py [--rounds 15] [--checkpoint NAME]

All are whole processes, started in turn; `import onnxruntime` is what no reply can be below. Medians, ratios
of the processes of a round, processor time (user and system), and the most memory held. Results are in
docs/replies.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

STARTS: dict[str, tuple[list[str], bytes]] = {
    "import torch": (["-c", "import torch"], b""),
    "import onnxruntime": (["-c", "import onnxruntime"], b""),
    "echo hi | chatbot chat": (["-m", "chatbot", "chat"], b"hi\n"),
}
"""What is started, and what stands on its stdin."""

ASKED = "echo hi | chatbot chat"


@dataclass(frozen=True, slots=True)
class Start:
    """What a process took: seconds on the clock, seconds of the processor, and most memory in MB."""

    wall: float
    processor: float
    rss: float


def started(arguments: list[str], said: bytes) -> Start:
    """Run Python once."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=ENVIRONMENT
    )
    assert process.stdin
    process.stdin.write(said)
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} failed")
    return Start(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


ENVIRONMENT = os.environ | {"ORT_DISABLE_TELEMETRY": "1"}
"""For the bare import, which nothing else keeps silent."""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--checkpoint", default="starter")
    args = parser.parse_args()
    starts = dict(STARTS)
    command, said = starts[ASKED]
    starts[ASKED] = ([*command, args.checkpoint], said)
    for each in starts.values():
        started(*each)  # files into memory
    rounds = [{name: started(*each) for name, each in starts.items()} for _ in range(args.rounds)]
    print(f"{args.rounds} rounds in turn; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("| whole process | seconds | x torch | processor s | x torch | RSS MB |\n|---|---|---|---|---|---|")
    for name in starts:
        taken = [each[name] for each in rounds]
        torch = [each["import torch"] for each in rounds]
        wall = statistics.median(one.wall / two.wall for one, two in zip(taken, torch, strict=True))
        used = statistics.median(one.processor / two.processor for one, two in zip(taken, torch, strict=True))
        print(
            f"| `{name}` | {statistics.median(each.wall for each in taken):.2f} | {wall:.3f} "
            f"| {statistics.median(each.processor for each in taken):.2f} | {used:.3f} "
            f"| {max(each.rss for each in taken):.0f} |"
        )


if __name__ == "__main__":
    main()
