"""Command-line options made from the fields of ``chatbot.config``, and the options verbs share.

Precedence, lowest first: defaults, ``--preset``, ``--like``, ``--config FILE.toml``, single options.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from chatbot.cli.streams import text_argument
from chatbot.config import (
    PAPERS,
    PRESETS,
    SECTIONS,
    TEXTS,
    Config,
    check_value,
    locate,
    option_field,
    option_type,
)
from chatbot.errors import OptionError
from chatbot.option import span

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]

METAVARS = {int: "INTEGER", float: "NUMBER", str: "TEXT"}
PATHS = {"src": "FILE", "tgt": "FILE", "embeddings": "FILE", "tensorboard": "DIR"}
"""Options that name files, and what their values are called: they stay as the system spells them."""

SEED_OF_SAMPLING = "decoding.sample_seed"
"""It is typed as --seed, which means another seed where one trains."""

ASKED_OF_A_TALK = ("decoding.must", "decoding.begin", "decoding.focus", "decoding.focus_weight")
"""Options of decoding that make sense where one talks, and not for all that a checkpoint will say."""

NUMBER_NAMES = {int: "whole number", float: "number"}


def field_parser(section: str, name: str) -> Callable[[Any], Any]:
    """A click type that parses and checks as the option's field does, so that both say the same.

    It raises OptionError where the value is no number, out of range or not among the choices.
    """
    kind = option_type(section, name)

    def parse(value: Any) -> Any:
        if isinstance(value, str) and kind in NUMBER_NAMES:
            value = _number(section, name, value)
        elif isinstance(value, str) and name not in PATHS:
            value = text_argument(value)
        return check_value(section, name, value)

    return parse


def option_name(section: str, name: str) -> str:
    """What is typed for an option: ``--label-smoothing``."""
    flag: str = option_field(section, name).metadata["flag"]
    return "--" + (flag or name.replace("_", "-"))


def config_options(*wanted: str, default: str = "", without: Sequence[str] = ()) -> Decorator:
    """A decorator that gives a click command the options of configuration fields.

    A parameter is None when its option was not given, so that a default can be told from a wish;
    ``given_options`` picks the given ones.

    Args:
        wanted: sections ("model") and single options ("training.seed"), in the order of the help.
        default: what the help calls the default, where that is not the field's ("the checkpoint's").
        without: single options left out.
    """
    left_out = [locate(name) for name in without]
    names = [pair for item in wanted for pair in _fields(item) if pair not in left_out]

    def decorate(command: Function) -> Function:
        for section, name in reversed(names):
            command = _option(section, name, default)(command)
        return command

    return decorate


def given_options(params: Mapping[str, Any], *wanted: str) -> dict[str, Any]:
    """Of a command's parameters, the configuration options that were given, by "section.name".

    Args:
        wanted: as for ``config_options``; every section when none is named.
    """
    pairs = [pair for item in wanted or SECTIONS for pair in _fields(item)]
    return {f"{section}.{name}": params[name] for section, name in pairs if params.get(name) is not None}


def resolve_config(
    base: Config,
    preset: str | None,
    config_file: Path | None,
    set_options: Mapping[str, Any],
    like: str | None = None,
) -> Config:
    """The configuration after everything the user said.

    Args:
        base: where to start: the defaults, or the configuration of a checkpoint.
        preset: a name among ``PRESETS``.
        config_file: TOML with the sections of ``--dump-config``; options may be left out.
        set_options: by "name" or "section.name"; None stands for "not given".
        like: a name among ``PAPERS``.

    Raises:
        OptionError: an unknown preset, paper or option, a value out of range, an unreadable file.
    """
    config = base
    for kind, name, known in (("preset", preset, PRESETS), ("like", like, PAPERS)):
        if name is not None:
            if name not in known:
                raise OptionError(f"--{kind}", f"no {kind} {name!r}", "choose one of " + ", ".join(known))
            config = config.replace(known[name], f"--{kind} {name}")
    if config_file is not None:
        config = config.replace(_read_file(config_file), str(config_file))
    return config.replace({name: value for name, value in set_options.items() if value is not None})


def dump_config(config: Config, *sections: str) -> str:
    """The configuration as TOML that ``--config`` reads; all sections when none is named."""
    from chatbot.cli.toml import to_toml

    tables = config.to_json()
    return to_toml({name: tables[name] for name in sections or tables})


def corpora_option(command: Function) -> Function:
    """``--corpora DIR``."""
    return _folder_option("corpora", "Folder of the corpora.")(command)


def checkpoints_option(command: Function) -> Function:
    """``--checkpoints DIR``."""
    return _folder_option("checkpoints", "Folder of the checkpoints.")(command)


def config_file_option(command: Function) -> Function:
    """``--config FILE.toml``, passed as ``config_file``."""
    return click.option(
        "--config",
        "config_file",
        type=click.Path(path_type=Path),
        metavar="FILE.toml",
        help="Options from a file, in the form --dump-config prints; single options win.  [default: no file]",
    )(command)


def dump_config_option(command: Function) -> Function:
    """``--dump-config``, passed as ``wants_dump``."""
    return click.option(
        "--dump-config", "wants_dump", is_flag=True, help="Print the options as TOML and do nothing else."
    )(command)


def preset_option(command: Function) -> Function:
    """``--preset NAME``."""
    return click.option(
        "--preset",
        metavar=f"[{'|'.join(PRESETS)}]",
        help="A set of options to start from; --config and single options win.  [default: small]",
    )(command)


def like_option(command: Function) -> Function:
    """``--like PAPER``."""
    return click.option(
        "--like",
        metavar="PAPER",
        help="The pairing of a paper: "
        + ", ".join(PAPERS)
        + "; --config and single options win.  [default: none]",
    )(command)


def _number(section: str, name: str, text: str) -> Any:
    kind, metadata = option_type(section, name), option_field(section, name).metadata
    if text in metadata["words"]:
        return metadata["words"][text]
    try:
        number = kind(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return number
    allowed = span(metadata)
    remedy = f"it must be {allowed}" if allowed else ""
    raise OptionError(option_name(section, name), f"{text!r} is no {NUMBER_NAMES[kind]}", remedy)


def _folder_option(name: str, help_text: str) -> Decorator:
    return click.option(
        f"--{name}",
        type=click.Path(path_type=Path),
        default=Path(name),
        envvar=f"CHATBOT_{name.upper()}",
        metavar="DIR",
        show_default=True,
        show_envvar=True,
        help=help_text,
    )


def _fields(wanted: str) -> list[tuple[str, str]]:
    if wanted in SECTIONS:
        return [(wanted, field.name) for field in dataclasses.fields(SECTIONS[wanted])]
    return [locate(wanted)]


def _option(section: str, name: str, default: str) -> Decorator:
    flag = option_name(section, name)
    help_text = _help(section, name, default)
    if option_type(section, name) is bool:
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=help_text)
    if option_type(section, name) == TEXTS:
        return _texts_option(section, name, help_text)
    metadata = option_field(section, name).metadata
    metavar = f"[{'|'.join(metadata['choices'])}]"
    if not metadata["choices"]:
        kind = PATHS.get(name) or METAVARS[option_type(section, name)]
        metavar = "|".join((kind, *metadata["words"]))
    return click.option(
        flag, name, type=field_parser(section, name), default=None, metavar=metavar, help=help_text
    )


def _texts_option(section: str, name: str, help_text: str) -> Decorator:
    """A list of texts: a file of lines, or an option that may be given again."""
    flag = option_name(section, name)
    if option_field(section, name).metadata["lines"]:

        def read(context: click.Context, param: click.Parameter, path: Path | None) -> Any:
            return None if path is None else check_value(section, name, _read_lines(flag, path))

        kind = click.Path(path_type=Path)
        return click.option(flag, name, type=kind, callback=read, metavar="FILE", help=help_text)

    def gather(context: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> Any:
        return check_value(section, name, [text_argument(text) for text in texts]) if texts else None

    return click.option(flag, name, multiple=True, callback=gather, metavar="TEXT", help=help_text)


def _read_lines(flag: str, path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8-sig").splitlines()
    except OSError as error:
        what = f"{path}: {error.strerror or error}"
        raise OptionError(flag, what, "name a file of words and phrases, one a line") from error
    except UnicodeDecodeError as error:
        raise OptionError(flag, f"{path} is no UTF-8 text", "save it as UTF-8") from error


def _help(section: str, name: str, default: str) -> str:
    field = option_field(section, name)
    sentence: str = field.metadata["help"]
    shown = default or _shown(section, name)
    allowed, unit = span(field.metadata), field.metadata["unit"]
    if default and unit:  # the default does not say what is counted
        allowed = f"{allowed} {unit}" if allowed else f"in {unit}"
    facts = [f"default: {shown}", *([allowed] if allowed else [])]
    text = (sentence[0].upper() if sentence[0].isascii() else sentence[0]) + sentence[1:] + "."
    return f"{text}  [{'; '.join(facts)}]"


def _shown(section: str, name: str) -> str:
    field = option_field(section, name)
    value, unit = field.default, field.metadata["unit"]
    if isinstance(value, bool):
        flag = option_name(section, name)[2:]
        return flag if value else f"no-{flag}"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip() if text else "none"


def _read_file(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise OptionError(str(path), error.strerror or str(error), "name a file for --config") from error
    except UnicodeDecodeError as error:
        raise OptionError(str(path), "is no UTF-8 text", "save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise OptionError(str(path), f"is no TOML: {error}", "see --dump-config for the form") from error
    options: dict[str, Any] = {}
    for key, value in tables.items():
        if not isinstance(value, dict):
            options[key] = value
        elif key in SECTIONS:
            options |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            raise OptionError(str(path), f"no section [{key}]", "sections are " + ", ".join(SECTIONS))
    return options
