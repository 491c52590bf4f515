"""Personal data in a text: what tells who somebody is or how to reach them.

Each kind has one placeholder, a lower-case word in square brackets, plain text that every tokenizer keeps:

    [email]   an e-mail address                      [phone]    a phone number
    [link]    a URL, or a domain such as example.org [card]     the number of a payment card
    [bank]    an IBAN, or another account number     [ip]       an IPv4 or IPv6 address
    [handle]  @name, @name:server, <@U123>           [key]      a password that programs use

Found is what has a form of its own or a checksum: numbers of accounts and identity papers that have neither
are not, nor is a street or a birthday. Where findings overlap the earliest counts, then the longest.
Full-width letters and digits, digits of other scripts and Unicode dashes count as the ASCII ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

from chatbot.corpus.privacy.addresses import emails, handles, ips, keys, links
from chatbot.corpus.privacy.finding import KINDS, Found
from chatbot.corpus.privacy.numbers import accounts, cards, international_phones, national_phones

PLACEHOLDERS = {kind: f"[{kind}]" for kind in KINDS}
"""What stands for personal data, by kind."""

_ANY = re.compile("[0-9@.\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff20\uff0e\uff10-\uff19]")
_SIGNS = ("://", "(at)", "[at]", "<@")
_MANY_DIGITS = re.compile(r"[0-9](?:[^\w]{0,3}[0-9]){6}")
_DOTTED = re.compile(r"[^\W_]\.[^\W\d_]|://")
_LONG_WORD = re.compile(r"[A-Za-z0-9_-]{20}")
_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")

_Finder = Callable[[str], Iterator[Found]]


def found(text: str, region: str = "") -> list[Found]:
    """The personal data in a text, in order; findings do not overlap.

    Args:
        region: country whose phone numbers are written without "+", as two letters; "": no country's are.
    """
    if _ANY.search(text) is None and not any(sign in text for sign in _SIGNS):
        return []
    plain = _folded(text)
    return apart([item for finder in _finders(plain, region) for item in finder(plain)])


def kinds_in(text: str, region: str = "") -> Counter[str]:
    """How much personal data of each kind a text holds."""
    return Counter(item.kind for item in found(text, region))


def apart(items: list[Found]) -> list[Found]:
    """Of findings that overlap only the earliest, the longest of these, and then the first given."""
    kept: list[Found] = []
    for item in sorted(items, key=lambda item: (item.start, -item.end)):
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _finders(plain: str, region: str) -> Iterator[_Finder]:
    """The finders that may find something; of equal findings the first one's counts."""
    if "@" in plain or "(at)" in plain or "[at]" in plain:
        yield emails
        yield handles
    if _DOTTED.search(plain) is not None:
        yield links
    if "." in plain or ":" in plain:
        yield ips
    if _LONG_WORD.search(plain) is not None:
        yield keys
    if _MANY_DIGITS.search(plain) is not None:
        yield cards
        yield accounts
        yield international_phones if not region else _phones_of(region)


def _phones_of(region: str) -> _Finder:
    return lambda plain: national_phones(plain, region.upper())


class _Folding(dict[int, int]):
    """Characters that stand for an ASCII one; each is looked up once."""

    def __missing__(self, code: int) -> int:
        self[code] = ord(_plain(chr(code)))
        return self[code]


def _plain(char: str) -> str:
    """The one ASCII character that a character is another form of, or the character itself."""
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Pd" or char == "\u2212":
        return "-"
    if category == "Zs":
        return " "
    if _WIDE.match(char) or char in "＠．＋（）＿／":
        return unicodedata.normalize("NFKC", char)
    return char


_FOLDING = _Folding()


def _folded(text: str) -> str:
    """The text in ASCII as far as it can be, every character in its place."""
    return text if text.isascii() else text.translate(_FOLDING)
