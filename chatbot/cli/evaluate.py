"""``chatbot evaluate``: how good a checkpoint is on held-out text, with intervals and baselines."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli.options import (
    SEED_OF_SAMPLING,
    checkpoints_option,
    config_options,
    corpora_option,
    given_options,
)
from chatbot.config import Config
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError, OptionError

if TYPE_CHECKING:
    from chatbot.checkpoint import Checkpoint
    from chatbot.cli.evaluate_progress import Telling
    from chatbot.corpus.conversation import Pair
    from chatbot.evaluation.evaluating import Evaluation
    from chatbot.evaluation.material import Material, Questions
    from chatbot.evaluation.system import System

LIMIT = 5000
"""Questions looked at unless told otherwise: an interval of perplexity is then some 2 % wide."""


@click.command()
@click.argument("checkpoint", required=False)
@click.option(
    "--on",
    metavar="CORPUS|FILE",
    help="Evaluate on the pairs of this corpus or file.  [default: what was held out of its own corpora]",
)
@click.option(
    "--against",
    metavar="CHECKPOINT",
    help="Lay another checkpoint beside it, with paired tests.  [default: none]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=LIMIT,
    metavar="N",
    show_default=True,
    help="Look at N pairs at most, spread evenly over all; 0: at all.",
)
@click.option("--audit", is_flag=True, help="Measure what it knows by heart, not how good it is.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option("--quiet", is_flag=True, help="No progress and no notices; errors are still told.")
@config_options("reading")
@config_options("decoding", default="the checkpoint's", without=(SEED_OF_SAMPLING,))
@config_options("training.seed", "training.device")
@corpora_option
@checkpoints_option
def evaluate(checkpoint: str | None, corpora: Path, checkpoints: Path, quiet: bool, **params: Any) -> None:
    """Measure how good a bot is.

    CHECKPOINT is a name under --checkpoints or a path; without one, the newest complete checkpoint, else the
    starter. It is asked what was held out of its own corpora when it was trained, or the pairs of --on.
    Figures stand beside those of cheap baselines, each with its 95 % interval over the pairs. With --audit it
    is measured instead what the bot knows by heart, see chatbot train --canaries.
    """
    on, against = params["on"], params["against"]
    reading = _reading(params, on)
    if params["audit"] and against is not None:
        raise OptionError("--audit", "looks at one checkpoint", "leave --against out")
    from chatbot.checkpoint import find, load

    names = [checkpoint] if against is None else [checkpoint, against]
    loaded = [load(find(name, checkpoints)) for name in names]
    from chatbot.cli.evaluate_progress import Telling
    from chatbot.training.held_out import HeldOut

    with Telling(quiet) as telling, ExitStack() as spools:
        telling.tell("reading the corpora", 0, 0)
        source = HeldOut(loaded, corpora, telling.note, spools, Path(tempfile.gettempdir()))
        material = source.own() if on is None else source.other(on, reading)
        systems = [_system(each, params) for each in loaded]
        print_it = (_audited if params["audit"] else _evaluated)(systems, material, params, telling)
    print_it()


def _evaluated(
    systems: Sequence[System], material: Material, params: Mapping[str, Any], telling: Telling
) -> Callable[[], None]:
    """Evaluate; what prints the outcome."""
    from chatbot.evaluation.evaluating import Evaluator
    from chatbot.evaluation.material import Memory

    questions, seed = _questions(systems, material, params["limit"]), params["seed"] or 0
    memory = Memory(material) if material.train else None
    evaluator = Evaluator(material, questions, memory, seed, telling.tell)
    found = [evaluator.evaluate(system) for system in systems]
    record = _record(found, questions, material, seed)
    if params["as_json"]:
        return lambda: click.echo(json.dumps(record, ensure_ascii=False))
    from chatbot.cli.evaluate_tables import show_evaluations

    return lambda: show_evaluations(found, record)


def _audited(
    systems: Sequence[System], material: Material, params: Mapping[str, Any], telling: Telling
) -> Callable[[], None]:
    """Audit; what prints the outcome."""
    from chatbot.evaluation.audit import audit, personal_pairs
    from chatbot.evaluation.material import Memory

    (system,) = systems
    questions = _questions(systems, material, params["limit"])
    memory = Memory(material) if material.train else None
    personal = personal_pairs(material.training_pairs())
    found = audit(system, questions.pairs, memory, personal, params["seed"] or 0, telling.tell)
    if params["as_json"]:
        return lambda: click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    from chatbot.cli.evaluate_tables import show_audit

    return lambda: show_audit(found)


def _reading(params: Mapping[str, Any], on: str | None) -> ReadingOptions:
    """How the file of --on is read.

    Raises:
        OptionError: an option says how to read a file, and none is named.
    """
    given = given_options(params, "reading")
    if given and on is None:
        flag = "--" + next(iter(given)).partition(".")[2].replace("_", "-")
        raise OptionError(flag, "says how to read a file, and none is named", "add --on FILE")
    return Config().replace(given).reading


def _system(checkpoint: Checkpoint, params: Mapping[str, Any]) -> System:
    """A checkpoint that answers as ``chatbot chat`` does."""
    from chatbot.bot import Chatbot
    from chatbot.evaluation.system import System

    device = params["device"] or "auto"
    bot = Chatbot.load(checkpoint.path, device)
    options = Config(decoding=bot.options).replace(given_options(params, "decoding")).decoding
    return System.of(
        checkpoint,
        device,
        lambda pairs: bot.replies(
            [pair.src[-1] for pair in pairs], options, histories=[pair.src[:-1] for pair in pairs]
        ),
    )


def _questions(systems: Sequence[System], material: Material, limit: int) -> Questions:
    """The pairs that every system can read and say.

    Raises:
        CorpusError: there are none.
    """
    from chatbot.evaluation.material import chosen

    def fits(pairs: Sequence[Pair]) -> list[bool]:
        return [all(each) for each in zip(*(system.fits(pairs) for system in systems), strict=True)]

    questions = chosen(material, fits, limit)
    if not questions.pairs:
        names = ", ".join(system.name for system in systems)
        longest = min(system.checkpoint.config.text.max_tgt for system in systems)
        what = f"can say none of {questions.left_out:,} replies: they are empty or over {longest} tokens"
        raise CorpusError(names, what, "name another text by --on CORPUS|FILE")
    return questions


def _record(
    found: Sequence[Evaluation], questions: Questions, material: Material, seed: int
) -> dict[str, Any]:
    """The object of --json."""
    record = {
        **found[0].to_json(),
        "n": len(questions.pairs),
        "left_out": questions.left_out,
        "passed_over": questions.passed_over,
        "held_out": material.held_out,
        "seed": seed,
    }
    if len(found) > 1:
        theirs = {figure.name: figure for figure in found[1].figures()}
        tests = {
            figure.name: figure.against(theirs[figure.name], seed)
            for figure in found[0].figures()
            if figure.name in theirs
        }
        record["against"] = found[1].to_json()
        record["p"] = {name: p for name, p in tests.items() if p is not None}
    return record
