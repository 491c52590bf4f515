"""TOML, as far as a configuration needs it: one level of tables of texts, their lists, numbers, yes or no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Scalar = str | int | float | bool | Sequence[str]

SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def to_toml(tables: Mapping[str, Mapping[str, Scalar]]) -> str:
    """The tables as a TOML document, in their own order.

    Source: TOML 1.0.0, sections "String", "Integer", "Float", "Boolean", "Array" and "Table".
    """
    blocks = []
    for table, values in tables.items():
        lines = [f"[{table}]", *(f"{key} = {_value(value)}" for key, value in values.items())]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _value(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return '"' + "".join(_escaped(char) for char in value) + '"'


def _escaped(char: str) -> str:
    if char in SHORT_ESCAPES:
        return SHORT_ESCAPES[char]
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # half a character, which TOML cannot hold
        return "\ufffd"
    return f"\\u{code:04X}" if code < 0x20 or 0x7F <= code < 0xA0 else char
