"""Whole conversations with the command line, as a shell and as a person at a terminal have them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

COMMAND = [sys.executable, "-m", "chatbot"]
SECONDS = 60
"""A process may take this long on a busy machine, loading included."""

Environment = dict[str, str]
Ran = subprocess.CompletedProcess[bytes]


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """That of a person who has never used the program, in a UTF-8 locale."""
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("CHATBOT", "COLUMNS", "LC_", "NO_COLOR"))
    }
    return kept | {"HOME": str(tmp_path), "LANG": "C.UTF-8", "CHATBOT_HISTORY": str(tmp_path / "history")}


def run(environment: Environment, *args: str | Path, stdin: bytes = b"") -> Ran:
    """One run of the command line to its end."""
    line = [*COMMAND, *map(str, args)]
    return subprocess.run(
        line, input=stdin, capture_output=True, env=environment, timeout=SECONDS, check=False
    )


def shell(environment: Environment, line: str, *args: str | Path) -> Ran:
    """A line of shell in which "$@" is the command."""
    words = ["bash", "-c", line, "bash", *COMMAND, *map(str, args)]
    return subprocess.run(words, capture_output=True, env=environment, timeout=SECONDS, check=False)


def test_each_line_gets_one_line_however_lines_end(tiny_checkpoint: Path, environment: Environment) -> None:
    plain = run(environment, "chat", tiny_checkpoint, stdin=b"hi\n\n   \nq\nbye\n")
    windows = run(environment, "chat", tiny_checkpoint, stdin=b"\xef\xbb\xbfhi\r\n\r\n   \r\nq\r\nbye")
    assert (plain.returncode, plain.stderr) == (0, b"")
    assert [bool(line) for line in plain.stdout.split(b"\n")] == [True, False, False, True, True, False]
    assert windows.stdout == plain.stdout
    assert b"\x1b" not in plain.stdout
    assert b"\r" not in plain.stdout


def test_reply_arrives_before_the_next_question_is_sent(
    tiny_checkpoint: Path, environment: Environment
) -> None:
    line = [*COMMAND, "chat", str(tiny_checkpoint)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        watchdog = threading.Timer(
            SECONDS, process.kill
        )  # a reply that never comes ends the test, not the patience
        watchdog.start()
        assert process.stdin is not None
        assert process.stdout is not None
        for question in (b"hello\n", b"how are you\n"):
            process.stdin.write(question)
            process.stdin.flush()
            assert process.stdout.readline().strip()
        process.stdin.close()
        assert process.wait(SECONDS) == 0
        watchdog.cancel()


def test_questions_no_training_prepared_for_are_answered(
    tiny_checkpoint: Path, environment: Environment
) -> None:
    questions = ["zyzzyva qwrt?", "word " * 500, "x" * 20_000, "<eos> <pad>", "\x00\x07", "😀", "ca\udcff"]
    stdin = b"".join(question.encode("utf-8", "surrogateescape") + b"\n" for question in questions)
    ran = run(environment, "chat", tiny_checkpoint, "--guess", stdin=stdin)
    assert ran.returncode == 0
    assert ran.stdout.count(b"\n") == len(questions)
    assert not re.search(rb"<(pad|unk|bos|eos)>", ran.stdout)
    notes = ran.stderr.decode().splitlines()
    assert [int(re.match(r"Note: line (\d+): ", note)[1]) for note in notes] == [2, 3, 7]  # type: ignore[index]


def test_locale_changes_no_byte(tiny_checkpoint: Path, environment: Environment) -> None:
    ascii_only = environment | {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    question = "你好 café 😀"
    args = ("chat", tiny_checkpoint, "--json", "--attention")
    runs = [
        run(ascii_only, *args, stdin=question.encode()),
        run(environment, *args, stdin=question.encode()),
        run(ascii_only, *args, "--question", question),
    ]
    assert runs[0].stdout == runs[1].stdout == runs[2].stdout
    assert json.loads(runs[0].stdout)["question"] == question


def test_json_line_is_as_documented(tiny_checkpoint: Path, environment: Environment) -> None:
    args = ("--json", "--attention", "--candidates", "3", "--beam", "3", "--seed", "5")
    ran = run(environment, "chat", tiny_checkpoint, *args, stdin=b"how are you today?\n\n")
    first, second = map(json.loads, ran.stdout.splitlines())
    names = "question reply score confidence fallback truncated candidates attention checkpoint seed"
    assert list(first) == list(second) == names.split()
    assert (first["checkpoint"], first["seed"]) == (tiny_checkpoint.name, 5)
    assert (second["question"], second["reply"]) == ("", "")
    assert first["candidates"][0] == {"reply": first["reply"], "score": first["score"]}
    assert len({candidate["reply"] for candidate in first["candidates"]}) == 3
    attention = first["attention"]
    assert [word["text"] for word in attention["source"]][:3] == ["how", "are", "you"]
    for side, text in (("source", first["question"]), ("reply", first["reply"])):
        assert all(text[word["start"] : word["end"]] == word["text"] for word in attention[side])
    assert len(attention["weights"]) == len(attention["reply"])
    assert all(len(row) == len(attention["source"]) for row in attention["weights"])
    assert all(sum(row) == pytest.approx(1, abs=1e-4) for row in attention["weights"])


def test_reader_that_leaves_is_left_in_peace(tiny_checkpoint: Path, environment: Environment) -> None:
    line = 'yes hi | head -1000 | "$@" | head -1; echo "${PIPESTATUS[2]}"'
    ran = shell(environment, line, "chat", tiny_checkpoint)
    assert ran.stderr == b""
    reply, status = ran.stdout.splitlines()
    assert reply
    assert status in {b"141", b"0"}


def test_help_whose_reader_leaves_says_nothing(environment: Environment) -> None:
    ran = shell(environment, '"$@" | true; "$@" | head -1', "chat", "--help")
    assert (ran.stderr, ran.stdout.count(b"\n")) == (b"", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_full_disk_is_told_in_one_line(tiny_checkpoint: Path, environment: Environment) -> None:
    ran = shell(environment, 'echo hi | "$@" > /dev/full', "chat", tiny_checkpoint)
    assert ran.returncode == 1
    assert re.fullmatch(rb"Error: [^\n]*No space left on device[^\n]*\n", ran.stderr)


def test_closed_streams_are_no_fault(tiny_checkpoint: Path, environment: Environment) -> None:
    ran = shell(environment, '"$@" <&- && echo hi | "$@" >&- 2>&-', "chat", tiny_checkpoint)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_control_c_while_waiting_for_a_question_is_quiet(
    tiny_checkpoint: Path, environment: Environment
) -> None:
    line = [*COMMAND, "chat", str(tiny_checkpoint)]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"hi\n")
        process.stdin.flush()
        process.stdout.readline()  # it is up, and waits for the next line
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (130, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_file_of_questions_is_given_up_quietly(
    number: signal.Signals, tiny_checkpoint: Path, environment: Environment, tmp_path: Path
) -> None:
    """While lines are being answered, and more are being read and wait."""
    (tmp_path / "questions").write_bytes(b"hello\n" * 200_000)
    line = [*COMMAND, "chat", str(tiny_checkpoint)]
    pipe = subprocess.PIPE
    with (
        open(tmp_path / "questions", "rb") as questions,
        subprocess.Popen(line, stdin=questions, stdout=pipe, stderr=pipe, env=environment) as process,
    ):
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (130, b"")
    assert out.count(b"\n") < 199_999


def test_one_question_gets_one_answer(tiny_checkpoint: Path, environment: Environment) -> None:
    ran = run(environment, "chat", tiny_checkpoint, "--question", "hello", "--attention", stdin=b"not read\n")
    reply, *attention = ran.stdout.decode().splitlines()
    assert ran.returncode in {0, 3}
    assert reply
    assert all(re.fullmatch(r"  \S+ +<-  hello 1\.00", line) for line in attention)
    assert len(attention) == len(reply.split()) or len(attention) > 1


@pytest.mark.parametrize("name", ["no/such/place", "nobody", "evil\x1b[2J"])
def test_missing_checkpoint_is_told_in_one_line(name: str, tmp_path: Path, environment: Environment) -> None:
    ran = run(environment, "chat", name, "--checkpoints", tmp_path, stdin=b"hi\n")
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert re.fullmatch(rb"Error: [^\n\x1b]+\n", ran.stderr)


class Person:
    """Somebody at a terminal, who sees what the terminal shows."""

    ROWS, COLUMNS = 60, 80

    def __init__(self, environment: Environment, *args: str | Path) -> None:
        size = (self.ROWS, self.COLUMNS)
        words = [*COMMAND[1:], *map(str, args)]
        self._child = pexpect.spawn(COMMAND[0], words, env=environment, encoding="utf-8", dimensions=size)
        self._child.delaybeforesend = None
        self._screen = pyte.Screen(self.COLUMNS, self.ROWS)
        self._stream = pyte.Stream(self._screen)
        self._prompts = 0
        self.raw = ""

    def types(self, keys: str) -> None:
        """Type when the next prompt is there."""
        self._prompts += 1
        self._watch(lambda lines: lines[-1:] == ["you:"] and self._prompts == count(lines, "you:"))
        self._child.send(keys)

    def leaves(self) -> int:
        """Wait for the end; the exit status."""
        self._watch(lambda lines: False)
        self._child.close()
        assert self._child.exitstatus is not None, "ended by a signal"
        return int(self._child.exitstatus)

    def lines(self) -> list[str]:
        """What the terminal shows, blank lines left out."""
        return [line.rstrip() for line in self._screen.display if line.strip()]

    def close(self) -> None:
        self._child.close(force=True)

    def _watch(self, satisfied: Callable[[list[str]], bool]) -> None:
        """Look until what is shown satisfies, or the program is gone."""
        while not satisfied(self.lines()):
            try:
                text = self._child.read_nonblocking(4096, SECONDS)
            except pexpect.EOF:
                return
            self.raw += text
            self._stream.feed(text)


def count(lines: list[str], start: str) -> int:
    """How many lines begin so."""
    return sum(line.startswith(start) for line in lines)


@pytest.fixture
def person(tiny_checkpoint: Path, environment: Environment) -> Iterator[Person]:
    """Somebody who talks with the tiny checkpoint."""
    terminal = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    somebody = Person(environment | terminal, "chat", tiny_checkpoint)
    yield somebody
    somebody.close()


def test_conversation_at_a_terminal(person: Person, tiny_checkpoint: Path, environment: Environment) -> None:
    left, control_c, control_d = "\x1b[D", "\x03", "\x04"
    for keys in (
        "hello\r",
        "/help\r",
        f"hxlo{left}{left}\x7f{left}\x1b[Cel\r",
        f"never sent{control_c}",
        "/attention on\r",
        "hello\r",
        control_d,
    ):
        person.types(keys)
    assert person.leaves() == 0
    lines = person.lines()
    assert tiny_checkpoint.name in lines[0]
    assert count(lines, "/quit") == 1
    assert lines.count("you: hello") == 3
    answers = [line for line in lines if line.startswith("bot: ")]
    assert len(answers) == 3
    assert len(set(answers)) == 1
    assert any(re.match(r"  \S+ +<-  hello", line) for line in lines)
    assert "Traceback" not in person.raw
    history = Path(environment["CHATBOT_HISTORY"])
    assert "hello" in history.read_text("utf-8")
    assert history.stat().st_mode & 0o777 == 0o600


def test_plain_terminal_gets_no_escape_codes(tiny_checkpoint: Path, environment: Environment) -> None:
    plain = environment | {"TERM": "dumb", "NO_COLOR": "1"}
    somebody = Person(plain, "chat", tiny_checkpoint, "--private")
    somebody.types("hello\r")
    somebody.types("/quit\r")
    assert somebody.leaves() == 0
    assert count(somebody.lines(), "bot: ") == 1
    assert "\x1b" not in somebody.raw
    assert not Path(environment["CHATBOT_HISTORY"]).exists()


def test_conversation_that_is_killed_has_all_but_its_last_exchange_on_disk(
    tiny_checkpoint: Path, environment: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "talk.jsonl"
    line = [*COMMAND, "chat", str(tiny_checkpoint), "--transcript", str(path)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        watchdog = threading.Timer(SECONDS, process.kill)
        watchdog.start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"hello\nbye\n")
        process.stdin.flush()
        said = [process.stdout.readline() for _ in range(2)]
        process.kill()
        watchdog.cancel()
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(path.read_bytes().splitlines()) == 3
    replayed = run(environment, "chat", tiny_checkpoint, "--replay", path)
    assert (replayed.returncode, replayed.stdout) == (0, b"".join(said))


def test_terminal_shows_the_map_asked_for_and_writes_the_page(
    tiny_checkpoint: Path, environment: Environment, tmp_path: Path
) -> None:
    page = tmp_path / "talk.html"
    person = Person(environment, "chat", tiny_checkpoint, "--attention=matrix", "--transcript", page)
    person.types("how are you\r")
    person.types("/quit\r")
    assert person.leaves() == 0
    assert any(line.startswith("weight 0 ") for line in person.lines())
    assert page.read_text("utf-8").count("</section>") == 1
