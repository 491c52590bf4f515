"""``chatbot chat``: a conversation at a terminal, a line for a line on a pipe, or one question."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli.completion import complete_checkpoint
from chatbot.cli.exits import FAILED, FALLBACK
from chatbot.cli.notices import LESS_HISTORY, Notices
from chatbot.cli.optional import MAPS, AloneCommand
from chatbot.cli.options import checkpoints_option, config_options, corpora_option
from chatbot.cli.pipe import Pipe, write_line
from chatbot.cli.questions import json_question, plain_question
from chatbot.cli.streams import text_argument
from chatbot.cli.wishes import Wishes
from chatbot.config import DecodingOptions
from chatbot.repl.bot import Bot
from chatbot.repl.memory import Memory

if TYPE_CHECKING:
    from chatbot.repl.talk import Places


@click.command(cls=AloneCommand)
@click.argument("checkpoint", required=False, shell_complete=complete_checkpoint)
@click.option(
    "--question",
    metavar="TEXT",
    help="Answer this one question and leave; stdin is not read.  [default: questions from stdin]",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
@click.option(
    "--attention",
    type=click.Choice(MAPS),
    metavar="[=" + "|".join(MAPS) + "]",
    help="Show which question words each reply word looked at: in words, as the question shaded a reply word "
    "each, or as a heat map; alone: in words.  [default: not shown]",
)
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show the N best replies with their scores; on a pipe with --json only.  [default: the best alone]",
)
@click.option(
    "--why",
    type=click.IntRange(min=0, max=1000),
    metavar="[=N]",
    help="Show how sure each reply is, whether it is word for word a training reply, and the N training "
    "pairs nearest to the question (3 where N is left out); on a pipe with --json only.  "
    "[default: not shown]",
)
@click.option(
    "--history",
    type=click.IntRange(min=0),
    metavar="N",
    help="Give the bot the N turns before each question, yours and its own; it says so when it reads fewer.  "
    "[default: as many as it reads at a terminal, 0 on a pipe]",
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
    help="Choose the reply from which this checkpoint of chatbot train --reverse guesses the question best.  "
    "[default: none]",
)
@config_options("training.device")
@click.option(
    "--transcript",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the conversation and its attention to a new file as it goes on: a page (.html), or the lines "
    "that --replay reads (.jsonl).  [default: not written]",
)
@click.option(
    "--replay",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help="Ask the questions of a transcript again, as they were asked, and tell where a reply differs; the "
    "exit status is then 1.  [default: none]",
)
@click.option("--private", is_flag=True, help="Keep nothing of what is typed at the terminal.")
@click.option("--quiet", is_flag=True, help="No greeting and no notices; errors are still told.")
@click.option("--vi", is_flag=True, help="Edit with vi's keys, not emacs'; F4 changes between them.")
@checkpoints_option
@corpora_option
@click.pass_context
def chat(
    context: click.Context,
    /,
    checkpoint: str | None,
    checkpoints: Path,
    corpora: Path,
    device: str | None,
    **params: Any,
) -> None:
    """Talk with a bot.

    CHECKPOINT is a name under --checkpoints or a path; without one, the newest complete checkpoint
    there answers, or else the starter that comes with the program.

    On a terminal this is a conversation; /help lists its commands. Otherwise each line read gets one
    line, at once and in order: a question gets its reply, a blank line a blank line.
    """
    wishes = Wishes.of(params)
    wishes.check()
    if wishes.replay is not None:
        context.exit(_replay(wishes, wishes.replay, checkpoint, checkpoints, device))
    bot = _load(checkpoint, checkpoints, device, wishes.reverse_model)
    options = wishes.options(bot)
    bot = _recorded(bot, wishes)
    notices = wishes.notices()
    _check_history(bot, wishes.history or 0, notices)
    if wishes.on_terminal():
        from chatbot.repl.talk import Places

        places = Places(checkpoints, corpora, lambda name: _load(name, checkpoints, device))
        _converse(bot, options, wishes, places)
    elif wishes.question is not None:
        context.exit(_answer(bot, options, wishes, notices))
    else:
        context.exit(_serve(bot, options, wishes, notices))


def _load(checkpoint: str | None, checkpoints: Path, device: str | None, reverse: str | None = None) -> Bot:
    # numpy's own products are few and small; threads for them take longer to start than to be of use.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from chatbot.checkpoint import find

    path = find(checkpoint, checkpoints)  # before an engine is loaded: a wrong name is told at once
    reverse_path = None if reverse is None else find(reverse, checkpoints)
    from chatbot.bot import Chatbot

    return Chatbot.load(path, device or "auto", reverse_path)


def _check_history(bot: Bot, turns: int, notices: Notices) -> None:
    """Say that the bot reads fewer turns than it is to be given."""
    if turns and not bot.reads_history:
        notices.unread()
    elif turns > bot.context:
        notices.tell(LESS_HISTORY.format(bot.context))


def _recorded(bot: Bot, wishes: Wishes) -> Bot:
    """The bot, writing down what is said where that is asked for."""
    if wishes.transcript is None or wishes.on_terminal():  # there it may change, see repl/filing.py
        return bot
    from chatbot.display.transcript import open_transcript
    from chatbot.repl.recorded import Recorded, heading_of

    return Recorded(bot, open_transcript(wishes.transcript, heading_of(bot)))


def _replay(wishes: Wishes, path: Path, checkpoint: str | None, checkpoints: Path, device: str | None) -> int:
    from chatbot.cli.replay import Replay
    from chatbot.repl.recording import read_transcript

    tell = wishes.notices().tell
    read = read_transcript(path, tell)
    replay = Replay(read, lambda name: _load(name, checkpoints, device), checkpoint)
    return replay.run(sys.stdout.buffer, tell)


def _answer(bot: Bot, options: DecodingOptions, wishes: Wishes, notices: Notices) -> int:
    reply = bot.reply(text_argument(wishes.question or ""), (), options, wishes.candidates or 1)
    notices.about(reply)
    reply = reply if wishes.why is None else bot.explained(reply, wishes.why)
    write_line(sys.stdout.buffer, wishes.form(bot.name, options.sample_seed).answer(reply))
    return FALLBACK if reply.fallback else 0


def _serve(bot: Bot, options: DecodingOptions, wishes: Wishes, notices: Notices) -> int:
    pipe = Pipe(
        bot,
        wishes.form(bot.name, options.sample_seed),
        Memory(wishes.history or 0 if bot.reads_history else 0),
        notices,
        options,
        wishes.candidates or 1,
        json_question if wishes.input_form == "jsonl" else plain_question,
        wishes.why,
    )
    return 0 if pipe.run(sys.stdin.buffer, sys.stdout.buffer) else FAILED


def _converse(bot: Bot, options: DecodingOptions, wishes: Wishes, places: Places) -> None:
    from chatbot.repl.loop import start
    from chatbot.repl.talk import OFF, Shown, Talk

    turns = bot.context if wishes.history is None else wishes.history
    shown = Shown(wishes.attention or OFF, wishes.candidates or 1, wishes.why)
    talk = Talk(bot, options, places, shown, turns, private=wishes.private)
    start(talk, quiet=wishes.quiet, vi=wishes.vi, transcript=wishes.transcript)
