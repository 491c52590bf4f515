"""E-mail: where mails begin and end, how they are held together, and what is no mail."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats import mailbox, mbox
from chatbot.corpus.formats.mail import Mail, parsed_mail
from chatbot.corpus.formats.mail_threads import base_subject, threads_of
from chatbot.corpus.formats.mailbox import RawMail, raw_mails
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

READING = Reading(lambda notice: None)

CASES = Path(__file__).parent / "mbox"
ENVELOPE = b"From ann@example.org Fri Mar  1 10:00:00 2024\n"


def mail(name: str, *answered: str, subject: str = "s", minute: int | None = 0) -> Mail:
    time = None if minute is None else datetime(2024, 3, 1) + timedelta(minutes=minute)
    return Mail(name, answered, subject, "Ann", name, time, False, False, False, False)


@pytest.mark.parametrize("block", [1, 2, 7, 64])
def test_mails_are_the_same_however_the_file_is_cut_into_blocks(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(CASES / "thread_crlf" / "input.mbox")
    whole = list(raw_mails(part, READING))
    assert len(whole) == 4
    monkeypatch.setattr(mailbox, "BLOCK_BYTES", block)
    assert list(raw_mails(part, READING)) == whole


@given(st.lists(st.lists(st.sampled_from(["From here", "a: b", ">From x", ">>From y", "", "x"])), min_size=1))
def test_mails_come_out_as_they_were_put_in(
    tmp_path_factory: pytest.TempPathFactory, mails: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("mails") / "a.mbox"
    stored = b""
    for lines in mails:
        quoted = [f">{line}" if line.lstrip(">").startswith("From ") else line for line in lines]
        stored += ENVELOPE + "".join(f"{line}\n" for line in quoted).encode() + b"\n"
    path.write_bytes(stored)
    assert [each.data.decode() for each in raw_mails(Part(path), READING)] == [
        "".join(f"{line}\n" for line in lines) + "\n" for lines in mails
    ]


def test_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "BLOCK_BYTES", 100)
    monkeypatch.setattr(mailbox, "LINE_BYTES", 1000)
    path = tmp_path / "a.mbox"
    path.write_bytes(ENVELOPE + b"x" * 5000)
    with pytest.raises(CorpusError, match="a line is longer"):
        list(raw_mails(Part(path), READING))


def test_of_a_mail_with_huge_attachments_only_the_start_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "MAIL_BYTES", 1000)
    path = tmp_path / "a.mbox"
    path.write_bytes((ENVELOPE + b"From: a@b.org\n\nhi\n" + b"QUJD\n" * 5000 + b"\n") * 2)
    mails = list(raw_mails(Part(path), READING))
    assert len(mails) == 2
    assert all(len(each.data) <= 1000 and b"hi\n" in each.data for each in mails)


@pytest.mark.parametrize(
    ("subject", "base", "is_reply"),
    [
        ("Roses", "Roses", False),
        ("Re: Roses", "Roses", True),
        ("RE: AW:  Fwd: Roses", "Roses", True),
        ("回复：玫瑰", "玫瑰", True),
        ("Re[2]: SV: Roses", "Roses", True),
        ("[garden] Re: [garden] Roses", "Roses", True),
        ("[garden] Roses", "Roses", False),
        ("Rent: due", "Rent: due", False),
        ("Re: ", "", True),
        ("", "", False),
    ],
)
def test_subject_without_what_programs_write_before_it(subject: str, base: str, is_reply: bool) -> None:
    assert base_subject(subject) == (base, is_reply)


@given(st.lists(st.lists(st.integers(0, 15).map(str), max_size=2), min_size=1, max_size=12))
def test_threads_are_those_that_a_naive_search_finds(answered: list[list[str]]) -> None:
    mails = [mail(str(at), *names, minute=None) for at, names in enumerate(answered)]
    names = [{one.id, *one.answered} for one in mails]
    together = [{at} for at in range(len(mails))]
    for _ in mails:
        together = [
            {other for other in range(len(mails)) for one in group if names[other] & names[one]}
            for group in together
        ]
    assert {frozenset(places) for places in threads_of(mails)} == {frozenset(group) for group in together}


def test_answers_follow_what_they_answer_whatever_the_clocks_said() -> None:
    mails = [
        mail("c", "b", minute=1),
        mail("b", "a", minute=0),
        mail("d", "a", minute=9),
        mail("a", minute=5),
    ]
    assert list(threads_of(mails)) == [[3, 1, 0, 2]]


def test_mails_that_answer_each_other_in_a_circle_are_in_order() -> None:
    (order,) = threads_of([mail("a", "b"), mail("b", "a"), mail("c", "c", "a")])
    assert sorted(order) == [0, 1, 2]


def test_long_chain_of_answers_takes_no_long_time() -> None:
    mails = [mail(str(at), str(at - 1), minute=at) for at in range(20_000)]
    assert list(threads_of(mails[::-1])) == [list(range(19_999, -1, -1))]


def test_mails_without_sender_and_mails_again_are_told() -> None:
    notices: list[str] = []
    part = Part(CASES / "twice_and_not_mails" / "input.mbox")
    reading = Reading(notices.append)
    list(mbox.read([part], reading))
    assert reading.not_understood == 2
    assert reading.first == f"{part.name}:3: mail 3 has no sender"
    assert notices == [f"{part.name}: 1 mails that are there more than once were read once"]


def test_file_without_mails_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_text("nothing\n")
    with pytest.raises(CorpusError, match="holds no mail"):
        list(mbox.read([Part(path)], Reading(lambda notice: None)))


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Type: text/plain; charset=base64",
        b"Content-Type: text/plain; charset*=x'y'%ff",
        b"Content-Type: text/plain; charset=idna",
        b"Content-Type: text/plain; charset=\xff\xfe",
        b"Content-Type: text",
        b"Content-Type: multipart/mixed",
        b"Content-Transfer-Encoding: x-uuencode",
        b"Content-Transfer-Encoding: base64",
        b"Date: Mon, 99 Foo 99999 99:99:99 +99999999",
        b"Date: Fri, 1 Mar 0001 00:00:00 +1400",
        b"Subject: =?utf-16?B?2D0=?= =?idna?Q?a?= =?utf-8?X?a?=",
        b"References: " + b"<" * 30_000,
        b"Subject: " + b"=?a?q?" * 5_000,
        b"To: " + b"(" * 30_000,
        b"Sender: " + b"(" * 30_000,
        b"X\xff: y",
        b": y",
    ],
)
def test_odd_headers_are_no_obstacle(header: bytes) -> None:
    found = parsed_mail(RawMail(b"", b"From: Ann <a@example.org>\n" + header + b"\n\nhi there, Bob\n"))
    assert found is not None
    assert found.sender == "Ann"


def test_parts_in_parts_without_end_are_no_obstacle() -> None:
    deep = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (at, at) for at in range(3000)
    )
    for count in (10, 100, 3000):
        parsed_mail(RawMail(b"", b"From: a@example.org\n" + deep[: 50 * count]))


@pytest.mark.parametrize(
    "lines",
    [
        ("From: Ann", "Hello", "there"),
        ("From here to there", "it is far"),
        ("Ann: hi", "Bob: hello", "From: nowhere"),
        ("Subject: a", "To: b", "Date: c"),
        ('{"From": "a", "To": "b", "Subject": "c"}',),
        (" From: a", "To: b", "Date: c"),
    ],
)
def test_other_text_does_not_look_like_mail(lines: tuple[str, ...]) -> None:
    assert not mbox.looks_like(Head(Path("a.txt"), lines))
