from __future__ import annotations

import stat
from pathlib import Path

import pytest

from chatbot.errors import ChatbotError
from chatbot.repl.history import history_path, open_history


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def typed(path: Path) -> list[str]:
    """What a new conversation finds, oldest first."""
    return list(open_history(path).load_history_strings())[::-1]


def test_history_is_kept_for_the_next_conversation(tmp_path: Path) -> None:
    history = open_history(tmp_path / "new" / "history")
    for line in ("hello", "你好", "half \ud800"):
        history.append_string(line)
    assert typed(tmp_path / "new" / "history") == ["hello", "你好", "half \ufffd"]


def test_history_and_its_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "chatbot" / "history"
    open_history(path).append_string("secret")
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_history_file_open_to_others_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.touch(0o644)
    open_history(path)
    assert mode(path) == 0o600


def test_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    open_history(tmp_path / "history")
    assert mode(tmp_path) == 0o755


@pytest.mark.parametrize(
    ("environment", "path"),
    [
        ({"CHATBOT_HISTORY": "/a/b"}, "/a/b"),
        ({"CHATBOT_HISTORY": "", "XDG_STATE_HOME": "/state"}, "/state/chatbot/history"),
        ({"XDG_STATE_HOME": "relative"}, "/home/me/.local/state/chatbot/history"),
        ({}, "/home/me/.local/state/chatbot/history"),
    ],
)
def test_history_is_where_the_environment_says(
    environment: dict[str, str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert history_path(environment) == Path(path)


def test_history_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ChatbotError, match="file"):
        open_history(tmp_path / "file" / "history")
    with pytest.raises(ChatbotError, match="cannot be written"):
        open_history(tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_history_on_a_full_disk_does_not_stop_the_conversation() -> None:
    open_history(Path("/dev/full")).append_string("hello")


def test_history_that_vanished_is_empty(tmp_path: Path) -> None:
    history = open_history(tmp_path / "history")
    (tmp_path / "history").unlink()
    (tmp_path / "history").mkdir()
    assert list(history.load_history_strings()) == []
