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


def test_history_that_is_not_read_is_noted_once(chat: Process, bot: Any) -> None:
    assert chat("--history", "9", stdin="hi\nho\n")[2] == ""
    assert [history for _, history, _, _ in bot.asked] == [(), ("hi", "re hi")]
    assert "9 of the turns" in chat("--history", "10", stdin="hi\n")[2]
    bot.context = 0
    data = '{"question": "a", "history": ["x"]}\n'
    _, _, told = chat("--history", "3", "--input", "jsonl", stdin=data * 2)
    assert told.count("\n") == 1
    assert "single questions" in told


def test_lines_of_a_pipe_are_independent_unless_told(chat: Process, bot: Any) -> None:
    chat(stdin="hi\nho\n")
    assert [history for _, history, _, _ in bot.asked] == [(), ()]


def test_question_shows_why_under_the_reply(chat: Process) -> None:
    lines = ["re hi", "  word for word a reply of the training data", "   0.50  like hi  ->  so"]
    assert chat("--question", "hi", "--why=1") == (0, "\n".join(lines) + "\n", "")
    assert chat("--question", "hi", "--why")[1].count("like hi") == 3


def test_why_on_a_pipe_is_told_in_json(chat: Process) -> None:
    _, out, _ = chat("--json", "--why=2", stdin="hi\n")
    why = json.loads(out)["why"]
    assert why["verbatim"] is True
    assert why["pairs"] == [{"question": "like hi", "reply": "so", "similarity": 0.5}] * 2
    assert "why" not in json.loads(chat("--json", stdin="hi\n")[1])


def test_why_on_a_pipe_of_text_is_wrong_usage(chat: Process) -> None:
    status, out, err = chat("--why=2", stdin="hi\n")
    assert (status, out, chat.loads) == (2, "", [])
    assert "--why: a pipe gets one line for each question; add --json" in err


def test_threshold_the_bot_cannot_judge_by_is_wrong_usage_before_any_answer(chat: Process, bot: Any) -> None:
    status, out, err = chat("--threshold", "0.5", stdin="hi\nho\n")
    assert (status, out, bot.asked) == (2, "", [])
    assert err.count("\n") == 1


def test_fallback_that_nothing_leads_to_is_wrong_usage(chat: Process) -> None:
    status, _, err = chat("--guess", "--fallback", "no idea", stdin="hi\n")
    assert status == 2
    assert err == "Error: --fallback: is never said with --guess alone; give a --threshold too\n"


@pytest.mark.parametrize("value", ["1.01", "-0.1", "nan", "much"])
def test_threshold_that_is_no_probability_is_wrong_usage(chat: Process, value: str) -> None:
    status, _, err = chat(f"--threshold={value}", stdin="hi\n")
    assert status == 2
    assert "from 0 to 1" in err or "finite" in err


@pytest.mark.parametrize(
    ("name", "line"), [("words", "  re  <-  hi 1.00"), ("strip", "  re  hi"), ("matrix", "re @@")]
)
def test_attention_is_drawn_as_asked_for(chat: Process, name: str, line: str) -> None:
    _, out, _ = chat(f"--attention={name}", stdin="hi\n")
    assert line in out.splitlines()
    assert "\x1b" not in out


def test_attention_takes_no_word_that_follows_it(chat: Process) -> None:
    chat("--attention", "mine", stdin="hi\n")
    assert chat.loads[0][0] == "mine"


HEADING = '{"transcript": 1, "checkpoint": "echo", "sha256": "x"}\n'


def talked(chat: Process, path: Path, *args: str, stdin: str = "hi\n\nwhat\x07 now\n") -> str:
    """What a conversation that is written down says on stdout."""
    status, out, err = chat("--transcript", str(path), *args, stdin=stdin)
    assert (status, err) == (0, "")
    return out


def test_transcript_replays_to_the_same_replies(chat: Process, bot: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    said = talked(chat, path, "--history", "2", "--beam", "3", "--seed", "5")
    asked, bot.asked = bot.asked, []
    status, out, err = chat("--replay", str(path))
    assert (status, out) == (0, said.replace("\n\n", "\n"))
    assert err == "Note: 2 replies, none of them different\n"
    assert bot.asked == [each for each in asked if each[0]]
    assert chat.loads[-1][0] == "echo"


def test_replay_tells_where_a_reply_differs(chat: Process, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    talked(chat, path)
    path.write_text(path.read_text("utf-8").replace('"reply": "re hi"', '"reply": "hello"'), "utf-8")
    status, _, err = chat("--replay", str(path))
    assert status == 1
    assert err.splitlines() == [
        f"Error: {path}: line 2: now replies 're hi', then 'hello'",
        "Note: 2 replies, 1 of them different",
    ]


def test_replay_with_another_checkpoint_is_told(chat: Process, bot: Any, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    talked(chat, path)
    bot.fingerprint, bot.name = "aa", "other"
    status, out, err = chat("other", "--replay", str(path))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "was written with another checkpoint than other" in err


def test_transcript_that_a_kill_cut_short_replays_as_far_as_it_goes(chat: Process, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    talked(chat, path)
    path.write_bytes(path.read_bytes()[:-40])
    status, out, err = chat("--replay", str(path))
    assert (status, out) == (0, "re hi\n")
    assert "line 3 is cut short and left out" in err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]\n",
        "nonsense\n",
        '{"transcript": 2}\n',
        '{"question": "a"}\n',
        HEADING + '{"question": 1}\n',
        HEADING + "[[[\n",
        HEADING + '{"question": "a", "reply": "b", "history": [1], '
        '"settings": {"decoding": {}, "candidates": 1}}\n',
        HEADING + '{"question": "a", "reply": "b", "history": [], '
        '"settings": {"decoding": {"beam": 0}, "candidates": 1}}\n',
    ],
)
def test_file_that_is_no_transcript_is_told_in_one_line(chat: Process, tmp_path: Path, text: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(text, "utf-8")
    status, out, err = chat("--replay", str(path))
    assert (status, out, err.count("\n"), chat.loads) == (1, "", 1, [])
    assert err.startswith(f"Error: {path}")


def test_replay_of_no_file_is_told(chat: Process, tmp_path: Path) -> None:
    status, _, err = chat("--replay", str(tmp_path / "gone.jsonl"))
    assert (status, err.count("\n")) == (1, 1)


def test_transcript_is_not_begun_where_the_options_are_wrong(chat: Process, tmp_path: Path) -> None:
    path = tmp_path / "talk.html"
    assert chat("--transcript", str(path), "--json", "--candidates", "9", stdin="hi\n")[0] == 2
    assert not path.exists()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--attention=strip", "--json"), "--attention: =strip draws, and --json holds the weights"),
        (("--attention=bars",), "'words', 'strip', 'matrix'"),
        (("--transcript", "t.html", "--private"), "--private: contradicts --transcript"),
        (("--transcript", "t.doc"), "end the name in .html or .jsonl"),
        (
            ("--replay", "t.jsonl", "--beam", "2", "--question", "hi"),
            "so --question, --beam cannot change it",
        ),
        (("--replay", "t.jsonl", "--transcript", "t.html"), "so --transcript cannot change it"),
    ],
)
def test_files_and_maps_that_do_not_fit_are_refused(args: tuple[str, ...], told: str, chat: Process) -> None:
    status, out, err = chat(*args, stdin="hi\n")
    assert (status, out, chat.loads) == (2, "", [])
    assert told in err
    assert err.count("\n") == 1
