"""A training command in a process of its own, on a disk that takes its time; for ``test_killing``."""

from __future__ import annotations

import os
import time
from pathlib import Path

SECONDS = 0.01
"""What bringing a file to the disk takes at least, so that many a kill comes while one is being written."""


def train(folder: Path, args: list[str]) -> None:
    """Run ``chatbot train`` in a folder; its output goes nowhere."""
    from chatbot.cli import main

    sync = os.fsync

    def slow(handle: int) -> None:
        time.sleep(SECONDS)
        sync(handle)

    os.fsync = slow
    os.chdir(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    main(["train", *args])
