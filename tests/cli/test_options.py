from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest

from chatbot.cli.options import (
    checkpoints_option,
    config_options,
    corpora_option,
    given_options,
    resolve_config,
)
from chatbot.config import Config, DecodingOptions
from chatbot.errors import OptionError

Params = dict[str, Any]


@click.command()
@config_options("text", "model", "training.seed")
@corpora_option
@checkpoints_option
def command(**params: Any) -> Params:
    return params


def parsed(*args: str) -> Params:
    result: Params = command.main(list(args), standalone_mode=False)
    return result


def help_text(defined: click.Command = command) -> str:
    return " ".join(defined.get_help(click.Context(defined, max_content_width=200)).split())


def test_options_not_given_are_none() -> None:
    assert given_options(parsed()) == {}


def test_given_options_are_typed_and_named_by_section() -> None:
    params = parsed("--hidden", "64", "--dropout", "0", "--cell", "gru", "--no-tie", "--seed", "-3")
    wanted = {"hidden": 64, "dropout": 0.0, "cell": "gru", "tie": False}
    assert given_options(params) == {f"model.{k}": v for k, v in wanted.items()} | {"training.seed": -3}


def test_default_value_given_is_told_from_not_given() -> None:
    assert given_options(parsed("--hidden", "256")) == {"model.hidden": 256}


def test_given_options_keep_to_the_sections_wanted() -> None:
    assert given_options({"attention": True, "beam": 2}, "decoding") == {"decoding.beam": 2}


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--hidden", "1"), "--hidden: hidden is 1; it must be at least 2"),
        (("--layers", "99"), "--layers: layers is 99; it must be from 1 to 64"),
        (("--dropout", "nan"), "--dropout: 'nan' is no number; it must be from 0 to 0.9"),
        (("--embed", "1e3"), "--embed: '1e3' is no whole number; it must be at least 1"),
        (("--cell", "lstn"), "--cell: no cell 'lstn'; choose one of lstm, gru"),
    ],
)
def test_value_not_allowed_is_refused_with_what_is(args: tuple[str, ...], told: str) -> None:
    with pytest.raises(OptionError) as caught:
        parsed(*args)
    assert str(caught.value) == told
    assert caught.value.exit_code == 2


def test_help_names_default_unit_range_and_choices() -> None:
    text = help_text()
    assert "[default: 4096 tokens; from 300 to 65536]" in text
    assert "--cell [lstm|gru]" in text
    assert "--tie / --no-tie" in text
    assert "[default: tie]" in text


def test_help_names_another_default_where_told() -> None:
    @click.command()
    @config_options("decoding", default="the checkpoint's")
    def chat(**params: Any) -> None: ...

    assert help_text(chat).count("[default: the checkpoint's") == len(fields(DecodingOptions))


def test_folders_come_from_option_then_environment_then_here(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parsed()["checkpoints"] == Path("checkpoints")
    monkeypatch.setenv("CHATBOT_CHECKPOINTS", "/far")
    assert parsed()["checkpoints"] == Path("/far")
    assert parsed("--checkpoints", "near")["checkpoints"] == Path("near")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "options.toml"


def test_single_options_win_over_file_over_preset_over_base(file: Path) -> None:
    file.write_text("[model]\nembed = 100\nhidden = 100\n[training]\nlr = 1\n", "utf-8")
    base = Config(decoding=DecodingOptions(beam=9))
    config = resolve_config(base, "tiny", file, {"hidden": 50, "layers": None})
    assert (config.text.vocabulary, config.model.embed, config.model.hidden) == (1024, 100, 50)
    assert (config.training.lr, config.decoding.beam, config.model.layers) == (1.0, 9, 1)


def test_file_may_leave_out_sections_and_use_dashes(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfmax-src = 7\r\n")
    assert resolve_config(Config(), None, file, {}).text.max_src == 7


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[model]\nhiden = 3\n", "no option"),
        (b"[modell]\nhidden = 3\n", "no section [modell]"),
        (b"[model]\nhidden = 1\n", "at least 2"),
        (b"[model]\nhidden = 'big'\n", "must be int"),
        (b"[model]\ntie = 1\n", "must be bool"),
        (b"[model\n", "is no TOML"),
        (b"a = '\xff'\n", "is no UTF-8 text"),
    ],
)
def test_bad_file_is_refused_by_name(content: bytes, told: str, file: Path) -> None:
    file.write_bytes(content)
    with pytest.raises(OptionError) as caught:
        resolve_config(Config(), None, file, {})
    assert str(caught.value).startswith(f"{file}: ")
    assert told in str(caught.value)


def test_missing_file_is_refused_by_name(file: Path) -> None:
    with pytest.raises(OptionError, match=r"options\.toml: No such file"):
        resolve_config(Config(), None, file, {})


def test_unknown_preset_is_refused_with_the_known() -> None:
    with pytest.raises(OptionError, match="choose one of tiny, small, base"):
        resolve_config(Config(), "huge", None, {})
