"""Wishes: what the command line asks of a conversation, and what of it goes together."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.cli.conflicts import check_given, check_resolved
from chatbot.cli.forms import Form, JsonForm, TextForm
from chatbot.cli.notices import Notices
from chatbot.cli.optional import MAPS
from chatbot.cli.options import given_options
from chatbot.config import BEAM, SAMPLE, Config, DecodingOptions
from chatbot.errors import OptionError
from chatbot.repl.bot import Bot

PIPE_COLUMNS = 80
"""What stands for the width of a terminal where there is none."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks for, apart from where the checkpoint is."""

    question: str | None
    history: int | None
    as_json: bool
    attention: str | None
    candidates: int | None
    why: int | None
    input_form: str | None
    greedy: bool
    sample: bool
    quiet: bool
    private: bool
    reverse_model: str | None
    vi: bool
    transcript: Path | None
    replay: Path | None
    decoding: Mapping[str, Any]

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Wishes:
        """From the parameters of the click command."""
        decoding = given_options(params, "decoding")
        names = [field.name for field in dataclasses.fields(cls) if field.name != "decoding"]
        return cls(**{name: params[name] for name in names}, decoding=decoding)

    def on_terminal(self) -> bool:
        """Whether somebody sits at both ends and wants to be talked to."""
        plain = not self.as_json and self.input_form != "jsonl"
        return self.question is None and plain and sys.stdin.isatty() and sys.stdout.isatty()

    def check(self) -> None:
        """Refuse what does not go together, before anything is loaded.

        Raises:
            OptionError: two options, or an option and a pipe, contradict each other.
        """
        self._check_attention()
        self._check_files()
        check_given(self._given())
        if (
            self.candidates is not None
            and self.question is None
            and not self.as_json
            and not self.on_terminal()
        ):
            raise OptionError(
                "--candidates", "a pipe gets one line for each question", "add --json to see the candidates"
            )
        if self.why is not None and self.question is None and not self.as_json and not self.on_terminal():
            raise OptionError("--why", "a pipe gets one line for each question", "add --json to see it")
        beam = 1 if self.greedy else self.decoding.get("decoding.beam")
        if beam is not None:
            self._check_candidates(beam)

    def _check_attention(self) -> None:
        if self.as_json and self.attention in MAPS[1:]:
            what = f"={self.attention} draws, and --json holds the weights themselves"
            raise OptionError("--attention", what, "give --attention alone with --json")

    def _check_files(self) -> None:
        if self.transcript is not None and self.private:
            raise OptionError("--private", "contradicts --transcript, which keeps all", "give one of them")
        if self.transcript is not None:
            from chatbot.display.transcript import check_transcript

            check_transcript(self.transcript)
        if self.replay is not None and (others := self._besides_replay()):
            what = f"asks what the transcript holds, as it was asked, so {', '.join(others)} cannot change it"
            raise OptionError("--replay", what, "leave them out")

    def _besides_replay(self) -> list[str]:
        """The options given that a replay has no use for."""
        given = {
            "--question": self.question is not None,
            "--history": bool(self.history),
            "--json": self.as_json,
            "--attention": self.attention is not None,
            "--candidates": self.candidates is not None,
            "--input": self.input_form is not None,
            "--greedy": self.greedy,
            "--sample": self.sample,
            "--why": self.why is not None,
            "--transcript": self.transcript is not None,
        }
        names = ["--" + key.rpartition(".")[2].replace("_", "-") for key in self.decoding]
        return [name for name, there in given.items() if there] + names

    def options(self, bot: Bot) -> DecodingOptions:
        """The checkpoint's way to search, changed as asked for.

        Raises:
            OptionError: more candidates are asked for than the search keeps, a fallback that nothing leads
                to, two options that contradict each other, or what the bot cannot do.
        """
        changes: dict[str, Any] = {}
        if self.greedy:
            changes = {
                "decoding.search": BEAM,
                "decoding.beam": 1,
                "decoding.beam_groups": 1,
                "decoding.prune": 0.0,
            }
        elif self.sample:
            changes = {"decoding.search": SAMPLE}
        elif "decoding.beam" in self.decoding:
            changes = {"decoding.search": BEAM}
        options = Config(decoding=bot.options).replace(changes | dict(self.decoding)).decoding
        check_resolved(self._given(), options)
        self._check_candidates(options.most_candidates)
        if self.decoding.get("decoding.fallback") and options.guess and not options.threshold:
            raise OptionError("--fallback", "is never said with --guess alone", "give a --threshold too")
        bot.check(options)
        return options

    def _given(self) -> dict[str, Any]:
        """The ways to search that were asked for, by name."""
        ways = {"greedy": self.greedy, "sample": self.sample, "reverse_model": self.reverse_model is not None}
        named = {key.rpartition(".")[2]: value for key, value in self.decoding.items()}
        return {name: True for name, asked in ways.items() if asked} | named

    def _check_candidates(self, beam: int) -> None:
        if self.candidates is not None and self.candidates > beam:
            kept = "--greedy keeps 1" if self.greedy else f"--beam {beam} keeps {beam}"
            raise OptionError(
                "--candidates",
                f"{self.candidates} wanted, but {kept}",
                "ask for fewer or set a larger --beam",
            )

    def form(self, checkpoint: str, seed: int) -> Form:
        """How answers are written."""
        wants = self.candidates is not None
        if self.as_json:
            return JsonForm(checkpoint, seed, wants, self.attention is not None)
        if self.attention is None or not sys.stdout.isatty():
            return TextForm(wants, self.attention is not None, PIPE_COLUMNS, self.attention or MAPS[0])
        import shutil

        from chatbot.display.terminal import standard_look

        look = standard_look(shutil.get_terminal_size().columns)
        return TextForm(wants, True, look.columns, self.attention, look.theme)

    def notices(self) -> Notices:
        """What is said about answers."""
        return Notices(self.quiet, self.attention is not None)
