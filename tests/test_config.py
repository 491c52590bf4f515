from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest

from chatbot.config import (
    AUTO,
    PRESETS,
    SECTIONS,
    Config,
    TrainingOptions,
    check_value,
    locate,
    option_field,
    option_type,
)
from chatbot.errors import OptionError

EVERY = [(section, field.name) for section, kind in SECTIONS.items() for field in dataclasses.fields(kind)]


def test_names_of_options_are_unique_so_that_a_name_alone_will_do() -> None:
    names = [name for _, name in EVERY]
    assert len(set(names)) == len(names)
    assert all(locate(name) == (section, name) for section, name in EVERY)


@pytest.mark.parametrize(("section", "name"), EVERY)
def test_default_is_allowed_and_told_in_a_sentence_without_its_stop(section: str, name: str) -> None:
    field = option_field(section, name)
    assert check_value(section, name, field.default) == field.default
    assert field.metadata["help"].strip()
    assert not field.metadata["help"].endswith(".")


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_is_allowed_and_changes_what_it_names_alone(preset: str) -> None:
    config = Config().replace(PRESETS[preset])
    changed = {
        name
        for section, name in EVERY
        if getattr(getattr(config, section), name) != getattr(getattr(Config(), section), name)
    }
    assert changed == set(PRESETS[preset])


def test_config_survives_json() -> None:
    config = Config().replace({"lr": 1, "model.tie": False, "mix": "a=1", "steps": 7})
    assert Config.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert config.training.lr == 1.0
    assert isinstance(config.training.lr, float)


def test_options_left_out_keep_their_defaults() -> None:
    assert Config.from_json({"model": {"hidden": 10}}) == Config().replace({"hidden": 10})


def test_replace_leaves_the_original_alone() -> None:
    config = Config()
    config.replace({"hidden": 10})
    assert config == Config()


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"modell": {}}, "here: no section [modell]"),
        ({"model": 3}, "here: no section [model]"),
        ({"model": {"hiden": 3}}, "here: no option 'model.hiden'"),
        ({"model": {"hidden": "3"}}, "here: hidden must be int, not '3'"),
        ({"model": {"hidden": True}}, "here: hidden must be int, not True"),
        ({"model": {"tie": 1}}, "here: tie must be bool, not 1"),
        ({"model": {"cell": None}}, "here: cell must be str, not None"),
        ({"model": {"cell": "rnn"}}, "here: no cell 'rnn'; choose one of lstm, gru"),
        ({"model": {"hidden": 1}}, "here: hidden is 1; it must be at least 2"),
        ({"model": {"dropout": 0.95}}, "here: dropout is 0.95; it must be from 0 to 0.9"),
        ({"training": {"lr": math.nan}}, "here: lr is nan; it must be a finite number"),
        ({"training": {"lr": math.inf}}, "here: lr is inf; it must be a finite number"),
        ({"training": {"lr": 10**400}}, "here: lr is inf; it must be a finite number"),
        ([], "here: holds no sections of options"),
    ],
)
def test_record_that_is_none_is_refused_with_what_is_wrong(record: Any, told: str) -> None:
    with pytest.raises(OptionError) as caught:
        Config.from_json(record, "here")
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("key", ["hiden", "model.lr", "training.model.hidden", "", ".", "model."])
def test_unknown_option_is_refused(key: str) -> None:
    with pytest.raises(OptionError, match="no option"):
        locate(key)


def test_dashes_are_underscores() -> None:
    assert locate("label-smoothing") == ("training", "label_smoothing")
    assert locate("text.max-src") == ("text", "max_src")


def test_error_names_the_option_as_typed_when_nothing_else_is_named() -> None:
    with pytest.raises(OptionError, match=r"^--label-smoothing: label_smoothing is 2\.0"):
        check_value("training", "label_smoothing", 2)


def test_whole_number_may_stand_for_a_number_but_not_the_other_way_round() -> None:
    assert check_value("training", "minutes", 3) == 3.0
    with pytest.raises(OptionError, match="must be int"):
        check_value("training", "steps", 3.0)


def test_types_are_those_written_down() -> None:
    kinds = {name: option_type("training", name) for name in ("lr", "steps", "device")}
    assert kinds == {"lr": float, "steps": int, "device": str}
    assert {type(getattr(TrainingOptions(), name)) for name in kinds} == set(kinds.values())


def test_sections_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().model.hidden = 3  # type: ignore[misc]


def test_other_names_of_a_choice_become_the_choice() -> None:
    assert check_value("model", "attention", "bahdanau") == check_value("model", "attention", "additive")
    with pytest.raises(OptionError, match="must be str"):
        check_value("model", "attention", ["dot"])


def test_lists_of_texts_survive_json_and_are_tidied() -> None:
    config = Config().replace({"must": ["yes", " no ", "", "yes"]})
    assert config.decoding.must == ("yes", "no")
    assert Config.from_json(json.loads(json.dumps(config.to_json()))) == config


@pytest.mark.parametrize("value", ["yes", 1, ["yes", 2], None])
def test_what_is_no_list_of_texts_is_refused(value: Any) -> None:
    with pytest.raises(OptionError, match="must must be a list of texts"):
        Config().replace({"must": value})


def test_most_candidates_are_those_of_the_way_to_search() -> None:
    assert Config().replace({"beam": 7}).decoding.most_candidates == 7
    assert Config().replace({"beam": 7, "search": "sample"}).decoding.most_candidates > 7


@pytest.mark.parametrize("said", ["auto", 0])  # 0 is how earlier versions wrote it
def test_word_stands_for_a_number_and_is_what_files_say(said: object) -> None:
    config = Config.from_json({"training": {"batch_tokens": said}})
    assert config.training.batch_tokens == AUTO
    assert config.to_json()["training"]["batch_tokens"] == "auto"
    assert Config.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_word_is_no_number_of_another_option() -> None:
    with pytest.raises(OptionError, match="must be int, not 'auto'"):
        check_value("training", "steps", "auto")
    with pytest.raises(OptionError, match=r"batch_tokens is -1; it must be auto or at least 1$"):
        check_value("training", "batch_tokens", -1)


@pytest.mark.parametrize("switch", [True, False])
def test_switch_that_names_a_folder_now_is_passed_over_in_an_old_checkpoint(switch: bool) -> None:
    old = Config().to_json()
    old["training"]["tensorboard"] = switch
    assert Config.from_json(old) == Config()
    with pytest.raises(OptionError, match="must be str"):
        Config().replace({"training.tensorboard": switch})
