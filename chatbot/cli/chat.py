"""``chatbot chat``: a conversation at a terminal, a line for a line on a pipe, or one question."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from chatbot.cli.conflicts import check_given, check_resolved
from chatbot.cli.exits import FAILED, FALLBACK
from chatbot.cli.forms import Form, JsonForm, TextForm
from chatbot.cli.notices import NO_HISTORY, Notices
from chatbot.cli.options import checkpoints_option, config_options, given_options
from chatbot.cli.pipe import Pipe, write_line
from chatbot.cli.questions import json_question, plain_question
from chatbot.cli.streams import text_argument
from chatbot.config import BEAM, SAMPLE, Config, DecodingOptions
from chatbot.errors import OptionError
from chatbot.repl.bot import Bot
from chatbot.repl.memory import Memory

PIPE_COLUMNS = 80
"""What stands for the width of a terminal where there is none."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks for, apart from where the checkpoint is."""

    question: str | None
    history: int
    as_json: bool
    attention: bool
    candidates: int | None
    input_form: str | None
    greedy: bool
    sample: bool
    quiet: bool
    private: bool
    reverse_model: str | None
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
        beam = 1 if self.greedy else self.decoding.get("decoding.beam")
        if beam is not None:
            self._check_candidates(beam)

    def options(self, own: DecodingOptions) -> DecodingOptions:
        """The checkpoint's way to search, changed as asked for.

        Raises:
            OptionError: more candidates are asked for than the search keeps, or two options contradict
                each other.
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
        options = Config(decoding=own).replace(changes | dict(self.decoding)).decoding
        check_resolved(self._given(), options)
        self._check_candidates(options.most_candidates)
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
            return JsonForm(checkpoint, seed, wants, self.attention)
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_COLUMNS
        return TextForm(wants, self.attention, columns)

    def notices(self) -> Notices:
        """What is said about answers."""
        return Notices(self.quiet, self.attention)


@click.command()
@click.argument("checkpoint", required=False)
@click.option("--question", metavar="TEXT", help="Answer this one question and leave; stdin is not read.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
@click.option("--attention", is_flag=True, help="Show which question words each reply word looked at.")
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show the N best replies with their scores; on a pipe with --json only.",
)
@click.option(
    "--history",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Give the bot the N turns before each question, yours and its own; it says so when it reads none.",
    show_default=True,
)
@click.option(
    "--input",
    "input_form",
    type=click.Choice(["text", "jsonl"]),
    help='What a line of stdin is: a question, or {"question": "...", "history": ["...", ...]}.  '
    'A line that is no such object gets an empty answer, or {"error": ...} with --json; the exit '
    "status is then 1.  [default: text]",
)
@click.option("--greedy", is_flag=True, help="Take the likeliest token at each step; the same as --beam 1.")
@click.option("--sample", is_flag=True, help="Draw each reply by chance; --seed draws another.")
@config_options("decoding", default="the checkpoint's", without=("decoding.search",))
@click.option(
    "--reverse-model",
    metavar="CHECKPOINT",
    help="Choose the reply from which this checkpoint of chatbot train --reverse guesses the question best.",
)
@config_options("training.device")
@click.option("--private", is_flag=True, help="Keep nothing of what is typed at the terminal.")
@click.option("--quiet", is_flag=True, help="No greeting and no notices; errors are still told.")
@checkpoints_option
@click.pass_context
def chat(
    context: click.Context, /, checkpoint: str | None, checkpoints: Path, device: str | None, **params: Any
) -> None:
    """Talk with a bot.

    CHECKPOINT is a name under --checkpoints or a path; without one, the newest complete checkpoint
    there answers, or else the starter that comes with the program.

    On a terminal this is a conversation; /help lists its commands. Otherwise each line read gets one
    line, at once and in order: a question gets its reply, a blank line a blank line.
    """
    wishes = Wishes.of(params)
    wishes.check()
    bot = _load(checkpoint, checkpoints, device, wishes.reverse_model)
    options = wishes.options(bot.options)
    bot.check(options)
    if wishes.history and not bot.reads_history:
        wishes.notices().tell(NO_HISTORY)
    if wishes.on_terminal():
        _converse(bot, options, wishes)
    elif wishes.question is not None:
        context.exit(_answer(bot, options, wishes, text_argument(wishes.question)))
    else:
        context.exit(_serve(bot, options, wishes))


def _load(checkpoint: str | None, checkpoints: Path, device: str | None, reverse: str | None) -> Bot:
    from chatbot.checkpoint import find

    path = find(
        checkpoint, checkpoints
    )  # before the network's library is loaded: a wrong name is told at once
    reverse_path = None if reverse is None else find(reverse, checkpoints)
    from chatbot.bot import Chatbot

    return Chatbot.load(path, device or "auto", reverse_path)


def _answer(bot: Bot, options: DecodingOptions, wishes: Wishes, question: str) -> int:
    reply = bot.reply(question, (), options, wishes.candidates or 1)
    wishes.notices().about(reply)
    write_line(sys.stdout.buffer, wishes.form(bot.name, options.sample_seed).answer(reply))
    return FALLBACK if reply.fallback else 0


def _serve(bot: Bot, options: DecodingOptions, wishes: Wishes) -> int:
    pipe = Pipe(
        bot,
        wishes.form(bot.name, options.sample_seed),
        Memory(wishes.history),
        wishes.notices(),
        options,
        wishes.candidates or 1,
        json_question if wishes.input_form == "jsonl" else plain_question,
    )
    return 0 if pipe.run(sys.stdin.buffer, sys.stdout.buffer) else FAILED


def _converse(bot: Bot, options: DecodingOptions, wishes: Wishes) -> None:
    from chatbot.repl.loop import start
    from chatbot.repl.talk import Talk

    talk = Talk(bot, options, wishes.candidates or 1, wishes.attention, Memory(wishes.history))
    start(talk, private=wishes.private, quiet=wishes.quiet)
