"""The help of every command."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import click
import pytest

from chatbot.cli import group
from chatbot.config import SECTIONS

Explained = tuple[str, click.Option, str]


def commands(context: click.Context) -> Iterator[click.Context]:
    """The commands that do something themselves."""
    assert isinstance(context.command, click.Group)
    for name in context.command.list_commands(context):
        command = context.command.get_command(context, name)
        assert command is not None
        child = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from commands(child)
        else:
            yield child


def options() -> Iterator[Explained]:
    """Every option with its command and its help."""
    for context in commands(click.Context(group, info_name="chatbot")):
        for parameter in context.command.get_params(context):
            if isinstance(parameter, click.Option):
                record = parameter.get_help_record(context)
                assert record is not None, parameter.name
                yield context.command_path, parameter, record[1]


EXPLAINED = list(options())
UNITS = {
    field.name: field.metadata["unit"]
    for section in SECTIONS.values()
    for field in dataclasses.fields(section)
    if field.metadata["unit"]
}


@pytest.mark.parametrize("command", sorted({command for command, _, _ in EXPLAINED}))
def test_every_option_that_takes_a_value_says_what_holds_without_it(command: str) -> None:
    silent = [
        option.opts[0]
        for name, option, text in EXPLAINED
        if name == command and not (option.is_flag or option.required)
        if not re.search(r"\[(.*; )?default: \S", text)
    ]
    assert silent == []


def test_every_option_of_a_configuration_says_what_it_counts() -> None:
    counted = [(command, option, text) for command, option, text in EXPLAINED if option.name in UNITS]
    assert {option.name for _, option, _ in counted} == set(UNITS)
    silent = [
        f"{command} {option.opts[0]}"
        for command, option, text in counted
        if UNITS[str(option.name)].rstrip("s") not in text
    ]
    assert silent == []


def test_every_help_is_a_sentence_with_its_default_behind_it() -> None:
    for command, option, text in EXPLAINED:
        assert text[0].isupper() or not text[0].isascii(), (command, option.opts)
        assert text.partition("  [")[0].endswith("."), (command, option.opts)
        assert text.count("[default:") <= 1, (command, option.opts)
