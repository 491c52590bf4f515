"""A headless Chromium that is talked to through two pipes, by the DevTools protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def browser() -> str | None:
    """The browser: the one CHROMIUM names, or one of the usual names; None where there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """A page, its events kept as they come."""

    def __init__(self, reads: BinaryIO, writes: BinaryIO) -> None:
        self._reads, self._writes = reads, writes
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **params: Any) -> Any:
        """Send a command and return its result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        message |= {"sessionId": self._session} if self._session else {}
        self._writes.write(json.dumps(message).encode() + b"\0")
        self._writes.flush()
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        raw = bytearray()
        while (byte := self._reads.read(1)) != b"\0":
            assert byte, "the browser is gone"
            raw += byte
        answer: dict[str, Any] = json.loads(raw)
        self.events += [answer] if "method" in answer else []
        return answer

    def open(self, path: Path) -> None:
        """Load a file to its end."""
        self("Page.navigate", url=path.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._receive()

    def value(self, expression: str) -> Any:
        """What a line of JavaScript gives."""
        return self("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def point_at(self, selector: str) -> None:
        """Move the mouse to the middle of an element."""
        box = self.value(
            f"(({{x,y,width,height}})=>[x+width/2,y+height/2])({_element(selector)}.getBoundingClientRect())"
        )
        self("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])

    def requests(self) -> list[str]:
        """What was fetched or tried to."""
        asked = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]

    def complaints(self) -> list[str]:
        """What the console was told, violations of the page's policy among it."""
        return [
            json.dumps(e) for e in self.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")
        ]


def _element(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})"


@contextmanager
def chromium(home: Path) -> Iterator[Tab]:
    """A browser that ends with the block."""
    command, ours, theirs = browser(), os.pipe(), os.pipe()
    assert command is not None

    def hand_over() -> None:  # the protocol has the browser read from 3 and write to 4
        os.dup2(os.dup(ours[0]), 103)
        os.dup2(os.dup(theirs[1]), 104)
        os.dup2(103, 3)
        os.dup2(104, 4)

    line = [command, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    line += ["--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={home}"]
    process = subprocess.Popen(line, preexec_fn=hand_over, close_fds=False, stderr=subprocess.DEVNULL)
    os.close(ours[0])
    os.close(theirs[1])
    with os.fdopen(theirs[0], "rb") as reads, os.fdopen(ours[1], "wb") as writes:
        try:
            yield Tab(reads, writes)
        finally:
            process.kill()
            process.wait()
