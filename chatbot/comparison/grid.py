"""Grid: options with several values each, whose product is compared, and single variants beside them.

    attention = ["none", "additive", "dot"]     # axes: every value with every other
    layers = [1, 2]
    steps = 2000                                # one value: the same for all

    [[variant]]                                 # one more, by name
    label = "wide"
    hidden = 512

    [[variant]]
    like = "bahdanau2015"                       # the options of --like, and its name for a label

Such a file is ``--grid FILE.toml``; options may also stand in the sections of ``--dump-config``.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatbot.comparison.variant import DECODING, Variant, label_of, make_variants
from chatbot.config import PAPERS, SECTIONS, Config, check_value, locate
from chatbot.errors import OptionError

Axes = Mapping[str, tuple[Any, ...]]
"""Values by "section.name", at least one each."""

LIMITS = ("training.minutes", "training.epochs", "training.steps")

MOST = 1000
"""Variants that a grid may have: more is a slip of the pen."""

VARIANT, LABEL, LIKE = "variant", "label", "like"


@dataclass(frozen=True, slots=True)
class Named:
    """A single variant: its label ("" makes one) and its options by "section.name"."""

    label: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grid:
    """What is compared.

    Args:
        axes: an option with one value has it in all variants.
        named: variants beside the product of the axes.
        where: what to call the grid in an error.
    """

    axes: Axes = field(default_factory=dict)
    named: tuple[Named, ...] = ()
    where: str = "grid"

    def changed(self, axes: Axes) -> Grid:
        """The grid with the values of some options replaced."""
        return Grid({**self.axes, **axes}, self.named, self.where)

    def several(self) -> list[str]:
        """The options with more than one value."""
        return [key for key, values in self.axes.items() if len(values) > 1]

    def variants(self, base: Config) -> tuple[Variant, ...]:
        """Every point of the product, then the named ones.

        Without an option of several values the named ones are all there is.

        Args:
            base: the options that the grid does not name.

        Raises:
            OptionError: two variants are the same, or there are far too many.
        """
        fixed = {key: values[0] for key, values in self.axes.items() if len(values) == 1}
        asked = [*self._points(), *self.named]
        return make_variants(
            [
                (
                    one.label or label_of(one.options),
                    one.label or label_of(one.options, [key for key in one.options if _trains(key)]),
                    base.replace(_with_limits({**fixed, **one.options}), self.where),
                )
                for one in asked
            ],
            self.where,
        )

    def _points(self) -> list[Named]:
        keys = self.several()
        count = math.prod(len(self.axes[key]) for key in keys)
        if count > MOST:
            raise OptionError(self.where, f"{count:,} variants", f"{MOST:,} at most; leave out some values")
        if self.named and not keys:
            return []
        products = itertools.product(*(self.axes[key] for key in keys))
        return [Named("", dict(zip(keys, values, strict=True))) for values in products]


def read_grid(path: Path) -> Grid:
    """The grid in a TOML file.

    Raises:
        OptionError: it cannot be read, or names an option or a value that does not exist.
    """
    where = str(path)
    record = _read_toml(path)
    tables = record.pop(VARIANT, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise OptionError(where, f"{VARIANT} is no list of tables", f"write [[{VARIANT}]] above each")
    return Grid(_axes(record, where), tuple(_named(table, where) for table in tables), where)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise OptionError(str(path), error.strerror or str(error), "name a file for --grid") from error
    except UnicodeDecodeError as error:
        raise OptionError(str(path), "is no UTF-8 text", "save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise OptionError(
            str(path), f"is no TOML: {error}", "write lines as: cell = ['lstm', 'gru']"
        ) from error


def _axes(record: Mapping[str, Any], where: str) -> dict[str, tuple[Any, ...]]:
    axes: dict[str, tuple[Any, ...]] = {}
    for key, value in _flat(record, where).items():
        section, name = locate(key, where)
        values = value if isinstance(value, list) else [value]
        if not values:
            raise OptionError(where, f"{name} has no value", "name at least one")
        checked = [check_value(section, name, one, where) for one in values]
        axes[f"{section}.{name}"] = tuple(dict.fromkeys(checked))
    return axes


def _named(table: Mapping[str, Any], where: str) -> Named:
    own = {key: value for key, value in table.items() if key not in (LABEL, LIKE)}
    found = _located(own, where)
    label, like = table.get(LABEL, ""), table.get(LIKE)
    if not isinstance(label, str):
        raise OptionError(where, f"{LABEL} is {label!r}", "it must be a text")
    if like is None:
        return Named(" ".join(label.split()), found)
    if not isinstance(like, str) or like not in PAPERS:
        raise OptionError(where, f"no {LIKE} {like!r}", "choose one of " + ", ".join(PAPERS))
    label = label or "-".join([like, *([label_of(found)] if found else [])])
    return Named(" ".join(label.split()), _located(PAPERS[like], where) | found)


def _located(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """One value each, checked, by "section.name"."""
    found: dict[str, Any] = {}
    for key, value in _flat(record, where).items():
        section, name = locate(key, where)
        found[f"{section}.{name}"] = check_value(section, name, value, where)
    return found


def _flat(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Options by name, those in sections by "section.name"."""
    options: dict[str, Any] = {}
    for key, value in record.items():
        if not isinstance(value, dict):
            options[key] = value
        elif key in SECTIONS:
            options |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            raise OptionError(where, f"no section [{key}]", "sections are " + ", ".join(SECTIONS))
    return options


def _with_limits(options: dict[str, Any]) -> dict[str, Any]:
    """A limit of the run that is given is the only one."""
    given = any(limit in options for limit in LIMITS)
    return (dict.fromkeys(LIMITS, 0) | options) if given else options


def _trains(key: str) -> bool:
    """Whether training hangs on an option."""
    return not key.startswith(f"{DECODING}.")
