"""Training as a person sees it on stderr: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from chatbot.corpus.clean import Cleaning
from chatbot.display.text import visible
from chatbot.training.card import attention_in_words
from chatbot.training.events import (
    Evaluated,
    Event,
    Finished,
    Looked,
    Prepared,
    Reported,
    Sampled,
    Stepped,
    Warned,
)

PLAIN_SECONDS = 15.0
"""On no terminal a line at least so often."""

READING = "reading the corpora ..."

WINDOW = 200
"""Steps that loss and words a second are averaged over."""


def stderr_console() -> Console:
    """The console a run is drawn on."""
    return Console(stderr=True, highlight=False)


def note(console: Console, message: str) -> None:
    """A notice above whatever is being drawn; a signal handler may call this too."""
    console.print(_note(message), soft_wrap=not console.is_terminal)


def show(events: Iterable[Event], quiet: bool, console: Console) -> bool:
    """Consume a run's events and draw them.

    Returns:
        Whether the run was interrupted.
    """
    view = View(console)
    interrupted = False
    live = console.is_terminal and not console.is_dumb_terminal and not quiet
    if live:
        with Live(view.render(), console=console, refresh_per_second=4, transient=True) as screen:
            for event in events:
                interrupted |= isinstance(event, Finished) and event.reason == "interrupted"
                for line in view.take(event):
                    screen.console.print(line)
                screen.update(view.render())
        return interrupted
    if not quiet:
        console.print(READING, soft_wrap=True)
    for event in events:
        interrupted |= isinstance(event, Finished) and event.reason == "interrupted"
        for line in [*view.take(event), *view.plain(event)] if not quiet else []:
            console.print(line, soft_wrap=True)
    return interrupted


class View:
    """What is known of a run so far, and how it looks."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._steps: deque[tuple[float, int, float]] = deque(maxlen=WINDOW)  # seconds, words, loss
        self._last: Stepped | None = None
        self._evaluated: Evaluated | None = None
        self._looked: Looked | None = None
        self._samples: tuple[tuple[str, str], ...] = ()
        self._printed = time.monotonic()

    def take(self, event: Event) -> list[RenderableType]:
        """Note an event; the lines that stay on the screen for it."""
        if isinstance(event, Stepped):
            self._steps.append((event.seconds, event.words, event.loss))
            self._last = event
        elif isinstance(event, Evaluated):
            self._evaluated = event
        elif isinstance(event, Looked):
            self._looked = event
        elif isinstance(event, Sampled):
            self._samples = event.samples
        elif isinstance(event, Warned):
            return [_note(event.text)]
        elif isinstance(event, Prepared):
            return _prepared(event)
        elif isinstance(event, Finished):
            return [Text(_ended(event))]
        elif isinstance(event, Reported):
            return _reported(event)
        return []

    def plain(self, event: Event) -> list[RenderableType]:
        """Lines that only a display without a live part needs."""
        if isinstance(event, Evaluated):
            self._printed = time.monotonic()
            return [Text(f"{self._progress()}; {_validation(event)}")]
        if isinstance(event, Looked):
            return _attention(attention_in_words(dataclasses.asdict(event)))
        if isinstance(event, Sampled):
            return list(self._sample_lines())
        if isinstance(event, Stepped) and time.monotonic() - self._printed > PLAIN_SECONDS:
            self._printed = time.monotonic()
            return [Text(self._progress())]
        return []

    def render(self) -> RenderableType:
        """The live part: bar, figures, last validation, samples."""
        if self._last is None:
            return Text(READING)
        width = max(10, min(40, self._console.width - 2))
        bar = ProgressBar(total=1.0, completed=self._last.progress, width=width)
        parts: list[RenderableType] = [Padding(bar), Text(self._progress())]  # a bar alone ends no line
        if self._evaluated:
            parts.append(Text(_validation(self._evaluated)))
        if self._looked:
            parts += _attention(_short(self._looked))
        return Group(*parts, *self._sample_lines())

    def _progress(self) -> str:
        step = self._last
        if step is None:
            return "step 0"
        loss = sum(loss for _, _, loss in self._steps) / len(self._steps)
        seconds = self._steps[-1][0] - self._steps[0][0]
        rate = sum(words for _, words, _ in list(self._steps)[1:]) / seconds if seconds > 0 else 0.0
        left = step.seconds * (1 - step.progress) / step.progress if step.progress > 0.002 else None
        remaining = "" if left is None else f", {_clock(left)} left"
        return (
            f"{step.progress:4.0%} step {step.step:,}, epoch {step.epoch:.1f}, loss {loss:.3f}, "
            f"{rate:,.0f} words/s{remaining}"
        )

    def _sample_lines(self) -> Iterable[Text]:
        for question, reply in self._samples:
            yield Text(f"  {visible(question)[:200]}")
            yield Text(f"    -> {visible(reply)[:200]}", style="cyan")


def _note(message: str) -> Text:
    return Text(f"Note: {visible(message)}", style="yellow")


def _prepared(event: Prepared) -> list[RenderableType]:
    summary = event.summary
    cleaning, counts = summary["cleaning"], summary["corpora"]
    reasons = [f"{count:,} {why}" for why, count in Cleaning(**cleaning).left_out().items()]
    left_out = "left out " + ", ".join(reasons) if reasons else "none left out"
    lines = [
        f"{cleaning['conversations']:,} conversations, {cleaning['turns']:,} turns: "
        f"{cleaning['kept']:,} pairs; {left_out}; "
        f"{cleaning['one_turn']:,} conversations without a reply"
    ]
    for corpus in summary["mix"]:
        parts = counts[corpus["name"]].values()
        long, empty, foreign = (
            sum(part.get(reason, 0) for part in parts) for reason in ("too_long", "empty", "not_in_question")
        )
        pointed = f", {foreign:,} with a word their question lacks" if foreign else ""
        lines.append(
            f"  {visible(corpus['name'])} x {corpus['times']:g}: {corpus['train']:,} pairs to train on, "
            f"{corpus['valid']:,} held out; left out {long:,} replies too long, {empty:,} empty{pointed}"
        )
    replies = summary["replies"]
    lines.append(
        f"  replies: distinct-1 {replies['distinct1']:.3f}, distinct-2 {replies['distinct2']:.3f}; "
        + _commonest(replies)
    )
    lines.append(f"  vocabulary: {summary['vocab']:,} tokens")
    return [Text(line) for line in lines]


def _commonest(replies: Mapping[str, Any]) -> str:
    """Which reply is the commonest, and its share; there is at least one."""
    text, share = replies["commonest"][0]
    return f'the commonest is "{visible(text)}", {share:.1%} of them'


def _validation(event: Evaluated) -> str:
    corpora = ", ".join(f"{visible(name)} {value:.1f}" for name, value in event.corpora.items())
    best = ", the best so far" if event.best else ""
    averaged = ", averaged weights" if event.averaged else ""
    return f"validation: perplexity per word {event.perplexity:.1f} ({corpora}){averaged}{best}"


def _attention(words: str) -> list[RenderableType]:
    """What attention did, where anything was measured."""
    return [Text(f"attention: {words}")] if words else []


def _short(event: Looked) -> str:
    """What attention did, for a display that must not fill the screen."""
    words = {
        "entropy": "entropy {:.2f}",
        "heaviest": "heaviest {:.0%}",
        "moved": "moved {:.0%}",
        "gain": "question saves {:.2f} nats",
    }
    found = ((text, getattr(event, name)) for name, text in words.items())
    return ", ".join(text.format(value) for text, value in found if value is not None)


def _ended(event: Finished) -> str:
    words = {
        "done": "done",
        "early stop": "stopped early: validation no longer improves",
        "interrupted": "interrupted",
        "diverged": "stopped: the loss went out of bounds",
    }
    kept = f"best weights of step {event.best_step:,}" if event.best_step >= 0 else "no validation yet"
    return f"{words[event.reason]} after {event.step:,} steps, {_clock(event.seconds)}; {kept}"


def _reported(event: Reported) -> list[RenderableType]:
    report = event.report
    title = (
        "Perplexity per word, held out"
        if report["held_out"]
        else "Perplexity per word, on the training pairs"
    )
    table = Table(title=title, title_justify="left")
    table.add_column("corpus")
    for column in ("pairs", "this bot", f"n-gram ({report['ngram_order']})", "ratio"):
        table.add_column(column, justify="right")
    rows = [*report["corpora"].items(), *([("all", report["all"])] if len(report["corpora"]) > 1 else [])]
    for name, row in rows:
        figures = (f"{row['perplexity']:.1f}", f"{row['ngram_perplexity']:.1f}", f"{row['ratio']:.2f}")
        table.add_row(Text(visible(name)), f"{row['pairs']:,}", *figures)
    replies, asked = report["variety"], "held-out" if report["held_out"] else "training"
    line = (
        f"{replies['questions']} replies to {asked} questions: distinct-2 {replies['distinct2']:.3f}; "
        + _commonest(replies)
    )
    return [
        table,
        *_attention(attention_in_words(report["attention"])),
        Text(line),
        Text(_confidence(report["confidence"])),
    ]


def _confidence(report: Mapping[str, Any]) -> str:
    if "missing" in report:
        return f"no confidence in replies: {report['missing']}"
    return (
        f"confidence on {report['pairs']:,} held-out pairs: {report['good']:.0%} good replies, calibration "
        f"error {report['calibration_error']:.3f}, "
        f"the better of two replies told in {report['separation']:.0%}"
    )


def _clock(seconds: float) -> str:
    whole = int(seconds + 0.5)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
