from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from chatbot.cli.options import dump_config
from chatbot.cli.toml import to_toml
from chatbot.config import Config

SCALARS = st.text() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans()
KEYS = st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True)


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, SCALARS)))
def test_toml_reads_back_as_written(tables: dict[str, dict[str, str | int | float | bool]]) -> None:
    read = tomllib.loads(to_toml(tables))
    assert read == tables
    types = [[type(value) for value in table.values()] for table in tables.values()]
    assert [[type(value) for value in table.values()] for table in read.values()] == types


def test_toml_holds_no_half_characters() -> None:
    assert to_toml({"a": {"b": "x\ud800"}}) == '[a]\nb = "x\ufffd"\n'


def test_dump_of_the_defaults_reads_back() -> None:
    assert Config.from_json(tomllib.loads(dump_config(Config()))) == Config()


def test_dump_holds_the_sections_asked_for() -> None:
    assert list(tomllib.loads(dump_config(Config(), "model", "text"))) == ["model", "text"]


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_lists_of_texts_read_back_as_written(texts: list[str]) -> None:
    assert tomllib.loads(to_toml({"a": {"b": tuple(texts)}})) == {"a": {"b": texts}}
