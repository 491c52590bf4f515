"""Variant: one set of options among those compared, with a short name and the folder it is trained in."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chatbot.config import Config, DecodingOptions, option_field
from chatbot.errors import OptionError

ONLY = "bot"
"""The name of a variant, or of its folder, where no option tells it from the others."""

LONGEST = 60
"""Characters of a folder's name, so that it fits into a path with others."""

DECODING = "decoding"


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the things compared.

    Args:
        label: a short name, different from those of the others.
        config: every option.
        options: by name, those of the options that are not the same in all variants.
        folder: name of its checkpoint; variants that differ in decoding alone share one.
    """

    label: str
    config: Config
    options: Mapping[str, Any]
    folder: str


def make_variants(named: Sequence[tuple[str, str, Config]], where: str) -> tuple[Variant, ...]:
    """The variants of a comparison.

    Args:
        named: of each a label, a label without options of decoding, and the options.
        where: what to call their source in an error.

    Raises:
        OptionError: two have one label, or are the same.
    """
    _check_different([(label, config) for label, _, config in named], where)
    differing = differences([config for _, _, config in named])
    folders: dict[Config, str] = {}
    taken: set[str] = set()
    for _, trained_label, config in named:
        if trained_as(config) not in folders:
            folders[trained_as(config)] = _free(slug(trained_label), taken)
    return tuple(
        Variant(label, config, _picked(config, differing), folders[trained_as(config)])
        for label, _, config in named
    )


def trained_as(config: Config) -> Config:
    """The options that training hangs on: how replies are searched for is not among them."""
    return dataclasses.replace(config, decoding=DecodingOptions())


def differences(configs: Sequence[Config]) -> list[tuple[str, str]]:
    """Section and name of each option that is not the same in all."""
    records = [config.to_json() for config in configs]
    return [
        (section, name)
        for section, options in records[0].items()
        for name in options
        if any(record[section][name] != options[name] for record in records)
    ]


def label_of(options: Mapping[str, Any], keys: Iterable[str] | None = None) -> str:
    """A label of values: ``additive-lstm-beam-4-no-tie``.

    Args:
        options: by "section.name".
        keys: those to tell; all when None.
    """
    chosen = list(options if keys is None else keys)
    return "-".join(_value_label(key, options[key], options) for key in chosen) or ONLY


def slug(text: str) -> str:
    """A text as the name of a folder: letters and digits of any script, and dashes."""
    return re.sub(r"[^\w.+]+", "-", text)[:LONGEST].strip("-.") or ONLY


def _value_label(key: str, value: Any, options: Mapping[str, Any]) -> str:
    name = key.rpartition(".")[2].replace("_", "-")
    if isinstance(value, bool):
        return name if value else f"no-{name}"
    if isinstance(value, str):
        owners = [other for other in options if value in _choices(other)]
        return value if owners == [key] else f"{name}-{slug(value)}" if value else f"no-{name}"
    return f"{name}-{value:g}" if isinstance(value, float) else f"{name}-{value}"


def _choices(key: str) -> tuple[str, ...]:
    section, _, name = key.partition(".")
    choices: tuple[str, ...] = option_field(section, name).metadata["choices"]
    return choices


def _check_different(variants: Sequence[tuple[str, Config]], where: str) -> None:
    labels: set[str] = set()
    configs: dict[Config, str] = {}
    for label, config in variants:
        if label in labels:
            raise OptionError(where, f"two variants are called {label!r}", "give one another label")
        if config in configs:
            what = f"{label!r} and {configs[config]!r} have the same options"
            raise OptionError(where, what, "leave one of them out")
        labels.add(label)
        configs[config] = label


def _picked(config: Config, keys: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {name: getattr(getattr(config, section), name) for section, name in keys}


def _free(name: str, taken: set[str]) -> str:
    """The name, or the name with a number; names that differ in case alone are one folder on some systems."""
    number, free = 2, name
    while free.casefold() in taken:
        number, free = number + 1, f"{name}-{number}"
    taken.add(free.casefold())
    return free
