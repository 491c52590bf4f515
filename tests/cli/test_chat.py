from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from chatbot.cli import chat as verb
from chatbot.cli import main
from chatbot.config import DecodingOptions

Capture = pytest.CaptureFixture[str]


class Process:
    """The command line of this process, with a bot that needs no checkpoint."""

    def __init__(self, bot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.loads: list[tuple[Any, ...]] = []

        def load(*args: Any) -> Any:
            self.loads.append(args)
            return bot

        monkeypatch.setattr(verb, "_load", load)

    def __call__(self, *args: str, stdin: str = "") -> tuple[int, str, str]:
        """Exit status, stdout and stderr of ``chatbot chat ARGS``."""
        streams = {
            "stdin": io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8"))),
            "stdout": io.TextIOWrapper(io.BytesIO()),
            "stderr": io.TextIOWrapper(io.BytesIO()),
        }
        with self._patch.context() as patch:
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as left:
                main(["chat", *args])
        out, err = (streams[name].buffer.getvalue().decode("utf-8") for name in ("stdout", "stderr"))  # type: ignore[attr-defined]
        assert isinstance(left.value.code, int)
        return left.value.code, out, err


@pytest.fixture
def chat(bot: Any, monkeypatch: pytest.MonkeyPatch) -> Process:
    return Process(bot, monkeypatch)


def test_lines_of_stdin_are_answered(chat: Process) -> None:
    assert chat(stdin="hi\n\nbye") == (0, "re hi\n\nre bye\n", "")


def test_question_wins_over_stdin(chat: Process) -> None:
    assert chat("--question", "hi", stdin="ignored\n") == (0, "re hi\n", "")


def test_question_answered_by_the_fallback_is_status_3(chat: Process) -> None:
    assert chat("--question", "unknown") == (3, "re unknown\n", "")


def test_fallback_on_a_pipe_is_no_failure(chat: Process) -> None:
    assert chat(stdin="unknown\n")[0] == 0


def test_blank_question_gets_a_blank_line(chat: Process) -> None:
    assert chat("--question", " ") == (0, "\n", "")


def test_question_shows_candidates_and_attention_under_the_reply(chat: Process) -> None:
    _, out, _ = chat("--question", "hi", "--candidates", "2", "--attention")
    assert out.splitlines() == ["re hi", "    -1.000  re hi", "    -2.000  other 1", "  re  <-  hi 1.00"]


def test_question_in_json_holds_the_seed(chat: Process) -> None:
    _, out, _ = chat("--question", "hi", "--json", "--seed", "7")
    assert json.loads(out)["seed"] == 7
    assert "candidates" not in json.loads(out)


def test_question_whose_bytes_are_no_ascii_is_read_as_utf8(chat: Process) -> None:
    escaped = "你好".encode().decode("ascii", "surrogateescape")
    assert chat("--question", escaped)[1] == "re 你好\n"


def test_bad_json_line_is_status_1_after_all_others_are_answered(chat: Process) -> None:
    status, out, err = chat("--input", "jsonl", stdin='{"question": "a"}\nx\n{"question": "b"}\n')
    assert (status, out) == (1, "re a\n\nre b\n")
    assert err.startswith("Error: line 2: ")


def test_search_is_the_checkpoints_unless_told(chat: Process, bot: Any) -> None:
    chat("--beam", "2", "--max-tokens", "5", stdin="hi\n")
    chat("--greedy", stdin="hi\n")
    chat(stdin="hi\n")
    options = [options for _, _, options, _ in bot.asked]
    assert [(o.beam, o.max_tokens, o.block_ngram) for o in options] == [(2, 5, 3), (1, 0, 3), (4, 0, 3)]


def test_sampling_is_asked_for_with_its_seed(chat: Process, bot: Any) -> None:
    _, out, _ = chat("--sample", "--temperature", "0.5", "--seed", "7", "--json", stdin="hi\n")
    options = bot.asked[-1][2]
    assert (options.search, options.temperature, options.sample_seed) == ("sample", 0.5, 7)
    assert json.loads(out)["seed"] == 7


def test_samples_may_be_more_than_a_beam_holds(chat: Process) -> None:
    _, out, _ = chat("--sample", "--candidates", "9", "--json", stdin="hi\n")
    assert len(json.loads(out)["candidates"]) == 9


def test_beam_and_greedy_leave_a_checkpoints_sampling(chat: Process, bot: Any) -> None:
    bot.options = DecodingOptions(search="sample", beam=6, beam_groups=3, prune=1.0)
    chat("--beam", "3", stdin="hi\n")
    chat("--greedy", stdin="hi\n")
    chat("--temperature", "0.2", stdin="hi\n")
    asked = [options for _, _, options, _ in bot.asked]
    assert [(o.search, o.beam) for o in asked] == [("beam", 3), ("beam", 1), ("sample", 6)]
    assert (asked[1].beam_groups, asked[1].prune) == (1, 0.0)


def test_option_without_say_beside_the_checkpoints_own_is_refused(chat: Process, bot: Any) -> None:
    status, out, err = chat("--temperature", "0.2", stdin="hi\n")
    assert (status, out, bot.asked) == (2, "", [])
    assert err == "Error: --temperature 0.2: says how to sample; add --sample\n"


def test_words_never_said_are_read_from_a_file(chat: Process, bot: Any, tmp_path: Path) -> None:
    words = tmp_path / "never.txt"
    words.write_bytes("\ufeffdamn\r\n\n shut up \ndamn\n".encode())
    chat("--never", str(words), "--must", "yes", "--must", "oh no", "--begin", "Well,", stdin="hi\n")
    options = bot.asked[-1][2]
    assert (options.never, options.must, options.begin) == (("damn", "shut up"), ("yes", "oh no"), "Well,")
    words.write_bytes(b"\xff\xfe\xfa")
    status, _, err = chat("--never", str(words), stdin="hi\n")
    assert status == 2
    assert f"--never: {words} is no UTF-8 text; save it as UTF-8" in err


def test_checkpoint_folder_and_device_are_passed_on(chat: Process, tmp_path: Path) -> None:
    chat("mine", "--checkpoints", str(tmp_path), "--device", "cpu")
    chat("mine", "--checkpoints", str(tmp_path), "--device", "cpu", "--reverse-model", "back")
    assert chat.loads == [("mine", tmp_path, "cpu", None), ("mine", tmp_path, "cpu", "back")]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--greedy", "--beam", "4"), "--greedy: contradicts --beam 4"),
        (("--candidates", "2"), "add --json"),
        (("--json", "--candidates", "5", "--beam", "3"), "--candidates: 5 wanted, but --beam 3 keeps 3"),
        (("--json", "--candidates", "2", "--greedy"), "--candidates: 2 wanted, but --greedy keeps 1"),
        (("--beam", "0"), "it must be from 1 to 1024"),
        (("--sample", "--beam", "4"), "--sample: contradicts --beam 4; give one of them"),
        (("--greedy", "--must", "yes", "--must", "no"), "--greedy: contradicts --must yes"),
        (("--min-tokens", "5", "--max-tokens", "2"), "--min-tokens 5: is above --max-tokens 2"),
        (("--never", "nowhere.txt"), "--never: nowhere.txt: No such file or directory; name a file"),
        (("--top-p", "1.5"), "--top-p: top_p is 1.5; it must be from 0 to 1"),
        (("--seed", "-1"), "--seed: sample_seed is -1; it must be at least 0"),
        (("--device", "tpu"), "choose one of auto, cpu, cuda, mps"),
        (("--input", "xml"), "'text', 'jsonl'"),
        (("--history", "-1"), "x>=0"),
        (("--candidates", "0"), "x>=1"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_loaded(
    args: tuple[str, ...], told: str, chat: Process
) -> None:
    status, out, err = chat(*args, stdin="hi\n")
    assert (status, out, chat.loads) == (2, "", [])
    assert told in err
    assert err.count("\n") == 1


def test_candidates_beyond_the_checkpoints_beam_are_wrong_usage(chat: Process) -> None:
    status, out, err = chat("--json", "--candidates", "5", stdin="hi\n")
    assert (status, out) == (2, "")
    assert "--candidates: 5 wanted, but --beam 4 keeps 4" in err


def test_quiet_keeps_notices_but_not_errors_from_stderr(chat: Process) -> None:
    assert chat("--quiet", stdin="x" * 200)[2] == ""
    assert chat("--quiet", "--input", "jsonl", stdin="nonsense")[2] != ""
