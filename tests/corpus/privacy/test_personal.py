"""Personal data is found in many languages, and ordinary numbers, dates and names of files are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.privacy.finding import KINDS
from chatbot.corpus.privacy.personal import PLACEHOLDERS, found, kinds_in

CASES = Path(__file__).parent
MARK = re.compile(r"\{(\w+)\|([^{}]*)\}")
REGIONS = ("", "GB", "US", "DE", "FR", "ES", "CN", "RU")
CARDS = ("4111111111111111", "5555 5555 5555 4444", "378282246310005", "6011-1111-1111-1117")
IBANS = ("DE89 3704 0044 0532 0130 00", "GB33BUKB20201555555555", "ES91 2100 0418 4502 0005 1332")
EMAILS = ("ann@example.org", "bob.b+x@mail.example.co.uk")

words = st.text(st.sampled_from("abcxyzABC äßéñжя"), max_size=30)
anything = st.text(
    st.one_of(st.characters(), st.sampled_from("0123456789 +-.@:/()[]<>aeDEgb_=#，。１２＠")), max_size=80
)


def lines(name: str) -> list[str]:
    text = (CASES / name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("# ")]


def marked() -> Iterator[tuple[str, str]]:
    """The lines of found.txt with their region."""
    region = ""
    for line in lines("found.txt"):
        if line.startswith("="):
            region = line[1:].strip()
        else:
            yield region, line


def shown(text: str, region: str = "") -> list[tuple[str, str]]:
    return [(item.kind, text[item.start : item.end]) for item in found(text, region)]


@pytest.mark.parametrize(("region", "line"), list(marked()))
def test_found_is_what_the_line_marks(region: str, line: str) -> None:
    text = MARK.sub(r"\2", line)
    assert shown(text, region) == MARK.findall(line)
    assert shown(text, region.lower()) == MARK.findall(line)


@pytest.mark.parametrize("line", lines("nothing.txt"))
def test_nothing_is_found_in_ordinary_text(line: str) -> None:
    assert [(region, shown(line, region)) for region in REGIONS] == [(region, []) for region in REGIONS]


def test_cases_are_many_and_cover_all_kinds() -> None:
    cases = list(marked())
    assert len(cases) + len(lines("nothing.txt")) >= 150
    assert {kind for _, line in cases for kind, _ in MARK.findall(line)} == set(KINDS)


def test_placeholders_are_words_in_brackets() -> None:
    assert set(PLACEHOLDERS) == set(KINDS)
    assert all(re.fullmatch(r"\[[a-z]+\]", placeholder) for placeholder in PLACEHOLDERS.values())


def test_kinds_are_counted() -> None:
    text = "ann@example.org or bob@example.org, +44 20 7946 0958"
    assert kinds_in(text) == {"email": 2, "phone": 1}
    assert kinds_in("nothing") == {}


def test_national_number_needs_its_region() -> None:
    assert shown("call 020 7946 0958") == shown("call 020 7946 0958", "US") == []


def test_of_overlapping_findings_the_earliest_and_longest_counts() -> None:
    assert shown("https://example.org/?mail=ann@example.org") == [
        ("link", "https://example.org/?mail=ann@example.org")
    ]
    assert shown("DE89 3704 0044 0532 0130 00") == [("bank", "DE89 3704 0044 0532 0130 00")]


@given(words, st.sampled_from([("card", card) for card in CARDS] + [("bank", iban) for iban in IBANS]), words)
def test_valid_number_is_found_among_words(before: str, number: tuple[str, str], after: str) -> None:
    assert number in shown(f"{before} {number[1]} {after}")


@given(words, st.sampled_from(EMAILS), words)
def test_address_is_found_among_words(before: str, address: str, after: str) -> None:
    assert ("email", address) in shown(f"{before} {address} {after}")


@given(words, st.sampled_from(CARDS + IBANS), st.integers(1, 9), words)
def test_number_with_a_broken_checksum_is_not_found(before: str, number: str, off: int, after: str) -> None:
    last = str((int(number[-1]) + off) % 10)
    kinds = {kind for kind, _ in shown(f"{before} {number[:-1]}{last} {after}")}
    assert not kinds & {"card", "bank"}


@given(anything, st.sampled_from(REGIONS))
def test_findings_are_in_order_and_apart_in_any_text(text: str, region: str) -> None:
    ends = [0]
    for item in found(text, region):
        assert ends[-1] <= item.start < item.end <= len(text)
        assert item.kind in KINDS
        ends.append(item.end)


@pytest.mark.parametrize(
    "unit", ["a.", "a@", "1 ", "1", "+1", "http://", "x)", "@a.", "0:", "a-", "ab12", "«.org/"]
)
def test_long_texts_take_no_long_time(unit: str) -> None:
    found("https://x" + unit * 5_000)
    found(unit * 5_000)
