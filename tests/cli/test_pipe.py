from __future__ import annotations

import io
import json
import os
import threading
from typing import Any

import pytest

from chatbot.cli.forms import JsonForm, TextForm
from chatbot.cli.notices import Notices
from chatbot.cli.pipe import TOGETHER, Pipe, write_line
from chatbot.cli.questions import json_question
from chatbot.errors import ChatbotError
from chatbot.repl.memory import Memory

TEXT, JSON = TextForm(), JsonForm("echo", 3)


def answers(
    bot: Any, data: bytes, form: TextForm | JsonForm = TEXT, turns: int = 0, **wishes: Any
) -> list[str]:
    sink = io.BytesIO()
    Pipe(bot, form, Memory(turns), Notices(), **wishes).run(io.BytesIO(data), sink)
    text = sink.getvalue().decode("utf-8")
    assert text == "" or text.endswith("\n")
    return text.split("\n")[:-1]


def test_each_line_gets_one_line_and_a_blank_one_a_blank_one(bot: Any) -> None:
    assert answers(bot, b"hi\n\n   \nbye\n") == ["re hi", "", "", "re bye"]


def test_no_line_gets_no_line(bot: Any) -> None:
    assert answers(bot, b"") == []


def test_reply_that_holds_breaks_and_controls_stays_one_harmless_line(bot: Any) -> None:
    assert answers(bot, "a\x1b[2Jb\u2028c\rd\n".encode()) == ["re a[2Jb c d"]


def test_questions_stand_alone_unless_history_is_asked_for(bot: Any) -> None:
    answers(bot, b"one\ntwo\n")
    assert [history for _, history, _, _ in bot.asked] == [(), ()]


def test_history_holds_the_last_turns_of_both(bot: Any) -> None:
    answers(bot, b"one\n\ntwo\nthree\n", turns=3)
    histories = [history for _, history, _, _ in bot.asked]
    assert histories == [(), ("one", "re one"), ("one", "re one"), ("re one", "two", "re two")]


def test_history_of_a_json_line_takes_the_place_of_the_kept_one(bot: Any) -> None:
    data = b'{"question": "a"}\n{"question": "b", "history": ["x"]}\n'
    answers(bot, data, turns=5, parse=json_question)
    assert [history for _, history, _, _ in bot.asked] == [(), ("x",)]


def test_question_over_several_lines_gets_one_line(bot: Any) -> None:
    assert answers(bot, b'{"question": "a\\nb"}\n', parse=json_question) == ["re a b"]
    assert bot.asked[0][0] == "a\nb"


def test_bad_json_line_keeps_its_place_and_stops_no_other(
    bot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b'{"question": "a"}\nnonsense\n{"question": "b"}\n'
    assert answers(bot, data, parse=json_question) == ["re a", "", "re b"]
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith("Error: line 2: ")


def test_bad_json_line_gets_an_error_object_with_json(bot: Any) -> None:
    first, second = answers(bot, b"nonsense\n\n", JSON, parse=json_question)
    assert list(json.loads(first)) == ["error"]
    assert json.loads(first)["error"].startswith("line 1: ")
    assert json.loads(second)["reply"] == ""


def test_refusal_of_the_bot_stops_no_other_line_and_is_reported(bot: Any) -> None:
    sink = io.BytesIO()
    assert not Pipe(bot, TEXT, Memory(), Notices()).run(io.BytesIO(b"refuse\nhi\n"), sink)
    assert sink.getvalue() == b"\nre hi\n"


def test_json_line_holds_what_was_asked_for(bot: Any) -> None:
    form = JsonForm("echo", 3, candidates=True, attention=True)
    record = json.loads(answers(bot, b"hi\n", form, candidates=2)[0])
    assert record["candidates"] == [{"reply": "re hi", "score": -1.0}, {"reply": "other 1", "score": -2.0}]
    assert record["attention"]["source"] == [{"text": "hi", "start": 0, "end": 2}]
    assert (record["question"], record["reply"], record["seed"]) == ("hi", "re hi", 3)


def test_attention_in_text_is_under_the_reply(bot: Any) -> None:
    assert answers(bot, b"hi\n\n", TextForm(attention=True)) == ["re hi", "  re  <-  hi 1.00", ""]


def test_notice_of_a_cut_question_names_its_line(bot: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(answers(bot, b"hi\n" + b"x" * 20_000 + b"\n")) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].startswith("Note: line 2: ")


def test_missing_attention_is_noted_once(bot: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from chatbot.reply import Reply

    notices = Notices(attention=True)
    for _ in range(2):
        notices.about(Reply("hi", "ho"))
    assert capsys.readouterr().err.count("no attention") == 1


def test_line_that_is_no_utf8_is_noted_once_among_the_other_notes(
    bot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answers(bot, b"ok\nca\xff\xfe\nrefuse\n" + b"x" * 200 + b"\n")[:2] == [
        "re ok",
        "re ca\ufffd\ufffd",
    ]
    told = [line.split(":")[1] for line in capsys.readouterr().err.splitlines()]
    assert told == [" line 2", " line 3", " line 4"]


def test_lines_that_are_there_are_answered_together_and_in_order(bot: Any) -> None:
    questions = [f"question {number}" for number in range(2000)]
    assert answers(bot, "\n".join(questions).encode()) == [f"re {question}" for question in questions]
    assert len(bot.asked) == len(questions)
    assert max(bot.batches) <= TOGETHER
    assert bot.batches[-1] > 1


def test_lines_that_hang_on_each_other_are_answered_one_by_one(bot: Any) -> None:
    answers(bot, b"one\ntwo\nthree\n", turns=1)
    assert bot.batches == [1, 1, 1]


def test_refusal_of_many_together_concerns_the_one_alone(
    bot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    data = "".join(f"q{number}\n" for number in range(300)).encode()
    found = answers(bot, data + b"refuse\n" + data)
    assert found == [
        *(f"re q{number}" for number in range(300)),
        "",
        *(f"re q{number}" for number in range(300)),
    ]
    assert capsys.readouterr().err == "Error: line 301: refuse: not today; ask another time\n"


def test_answer_is_there_while_the_next_line_is_not(bot: Any) -> None:
    """Through a real pipe, whose other end asks again only when it was answered."""
    (asks, asked), (answered, hears) = os.pipe(), os.pipe()
    with open(asks, "rb") as source, open(hears, "wb") as sink:
        thread = threading.Thread(target=Pipe(bot, TEXT, Memory(), Notices()).run, args=(source, sink))
        thread.start()
        with open(asked, "wb", buffering=0) as questions, open(answered, "rb") as replies:
            for question in (b"one", b"", b"two"):
                questions.write(question + b"\n")
                assert replies.readline() == (b"re " + question if question else b"") + b"\n"
            questions.write(b"no end of line")
            questions.close()
            assert replies.readline() == b"re no end of line\n"
        thread.join()


def test_history_of_a_line_is_noted_once_where_none_is_read(
    bot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bot.context = 0
    data = b'{"question": "a", "history": ["x"]}\n' * 3
    assert answers(bot, data, parse=json_question) == ["re a"] * 3
    assert capsys.readouterr().err.count("single questions") == 1


def test_full_disk_is_told_and_a_closed_pipe_is_not() -> None:
    class Failing(io.BytesIO):
        def __init__(self, error: OSError) -> None:
            super().__init__()
            self.error = error

        def flush(self) -> None:
            raise self.error

    with pytest.raises(ChatbotError, match="standard output: No space left"):
        write_line(Failing(OSError(28, "No space left on device")), "hi")  # type: ignore[arg-type]
    with pytest.raises(BrokenPipeError):
        write_line(Failing(BrokenPipeError()), "hi")
