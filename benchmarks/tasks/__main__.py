"""Run toy tasks and print what they found as Markdown.

    python -m benchmarks.tasks [NAME ...]

With no name all of them run, one after the other: two to three hours on one thread. Results are in
docs/tasks.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from benchmarks.tasks import copying, finding, memory, monotonic, names, pointing, recall, scan
from benchmarks.tasks.harness import Table

TASKS: dict[str, Callable[[], Table]] = {
    "copy": copying.run,
    "scan": scan.run,
    "find": finding.run,
    "straight": monotonic.run,
    "recall": recall.run,
    "memory": memory.run,
    "pointer": pointing.run,
    "names": names.run,
}


def main() -> None:
    """Run the named ones."""
    chosen = sys.argv[1:] or list(TASKS)
    unknown = [name for name in chosen if name not in TASKS]
    if unknown:
        sys.exit(f"no task {unknown[0]!r}; there are {', '.join(TASKS)}")
    for name in chosen:
        started = time.monotonic()
        print(f"{name} ...", file=sys.stderr, flush=True)
        table = TASKS[name]()
        print(table.markdown(), flush=True)
        print(
            f"`python -m benchmarks.tasks {name}`: {(time.monotonic() - started) / 60:.1f} minutes\n",
            flush=True,
        )


if __name__ == "__main__":
    main()
