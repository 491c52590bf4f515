"""Write docs/options.md from the fields of ``chatbot.config``, where every option is stated once.

.venv/bin/python docs/make_options.py
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from chatbot.config import PRESETS, SECTIONS

PAGE = Path(__file__).with_name("options.md")

OPENING = """\
# Options

<!-- Written by docs/make_options.py from chatbot/config.py; change the fields there, not this page. -->

Each option is stated once, as a field of a dataclass in `chatbot/config.py`; the command line, a
checkpoint's `config.json`, `--config FILE.toml` and this page come from it. In a TOML file the options
stand in sections of the names below:

    [training]
    minutes = 30

What is no property of a run or a reply (`--name`, `--resume`, `--json` and the like) is listed by
`chatbot train --help` and `chatbot chat --help` alone.

"""

USED_BY = {
    "reading": "Options of `chatbot corpus add`, and of `chatbot train` for files.",
    "data": "Options of `chatbot train`.",
    "text": "Options of `chatbot train`; a checkpoint keeps them.",
    "model": "Options of `chatbot train`; a checkpoint keeps them.",
    "training": "Options of `chatbot train`.",
    "decoding": "Options of `chatbot train`, kept by a checkpoint; `chatbot chat` changes them once.\n"
    "`--seed`, `--must` and `--begin` are of `chatbot chat` alone, where `--sample` stands for `--search\n"
    "sample`. [search.md](search.md) explains them.",
}


def page() -> str:
    """The whole page."""
    tables = [f"## {name}\n\n{USED_BY[name]}\n\n{table(options)}" for name, options in SECTIONS.items()]
    return OPENING + "\n".join([*tables, presets()])


def table(options: type) -> str:
    """One section's options, a row each."""
    rows = ["| option | default | allowed | unit | what it is |", "|---|---|---|---|---|"]
    for field in dataclasses.fields(options):
        flag = field.metadata["flag"] or field.name.replace("_", "-")
        names = f"`--{flag}`, `--no-{flag}`" if isinstance(field.default, bool) else f"`--{flag}`"
        cells = [names, value(field.default), allowed(field), field.metadata["unit"]]
        rows.append("| " + " | ".join([*cells, field.metadata["help"].replace("|", "\\|")]) + " |")
    return "\n".join(rows) + "\n"


def presets() -> str:
    """The presets, as the options they change."""
    rows = ["## presets\n", "`--preset NAME` sets these before single options are read.\n"]
    rows += ["| preset | options |", "|---|---|"]
    for name, options in PRESETS.items():
        words = ", ".join(f"{option.replace('_', '-')} {value(v)}" for option, v in options.items())
        rows.append(f"| `{name}` | {words or 'the defaults'} |")
    return "\n".join(rows) + "\n"


def value(default: Any) -> str:
    """A value as a person types it."""
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, tuple):
        return ", ".join(f"`{text}`" for text in default) or "none"
    if isinstance(default, str):
        return f"`{default}`" if default else "none"
    return f"{default:g}"


def allowed(field: dataclasses.Field[Any]) -> str:
    """The choices or the range of an option; "" where anything goes."""
    choices, low, high = (field.metadata[key] for key in ("choices", "low", "high"))
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    if high is not None:
        return f"{low:g} to {high:g}"
    return "" if low is None else f"at least {low:g}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
