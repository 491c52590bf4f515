"""Numbers of people in a text: phones, payment cards, bank accounts.

Sources: phone numbers by the plans that the library phonenumbers knows; cards by the checksum of Luhn
(ISO/IEC 7812) and the prefixes of the issuers; IBAN by ISO 13616. Bank numbers that only a country uses count
where a word near them says what they are. The texts come with full-width characters made plain, see
``chatbot.corpus.privacy.personal``.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

from chatbot.corpus.privacy.finding import BANK, CARD, PHONE, Found

_RUN = re.compile(r"(?<![\d.,])\d+(?:[ -]\d+)*(?![.,]?\d)")
_GROUP = re.compile(r"\d+")
_GROUPINGS = re.compile(
    r"\d{13,19}|(?:\d{4} ){3}\d{1,4}|(?:\d{4} ){4}\d{1,3}|\d{4} \d{6} \d{4,5}|\d{6} \d{13}"
)

_ISSUERS = (
    (r"4", {13, 16, 19}),  # Visa
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", {16}),  # Mastercard
    (r"3[47]", {15}),  # American Express
    (r"6011|64[4-9]|65", {16, 19}),  # Discover
    (r"30[0-5]|3[689]", {14, 16}),  # Diners Club
    (r"352[89]|35[3-8]", {16}),  # JCB
    (r"62|81", {16, 17, 18, 19}),  # UnionPay
    (r"220[0-4]", {16, 17, 18, 19}),  # Mir
    (r"50|5[6-9]|6[0-9]", {13, 15, 16, 18, 19}),  # Maestro, RuPay
)
_BY_ISSUER = tuple((re.compile(prefix), lengths) for prefix, lengths in _ISSUERS)

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}")
_WORD_END = re.compile(r"(?<=[A-Za-z0-9])(?![A-Za-z0-9])")

_NATIONAL = (
    (r"\d{9}", re.compile(r"routing|\baba\b|\brtn\b", re.IGNORECASE), "stdnum.us.rtn"),
    (r"\d{4}[ -]?\d{4}[ -]?\d{2}[ -]?\d{10}", re.compile(r"cuenta|\bccc\b", re.IGNORECASE), "stdnum.es.ccc"),
    (r"\d{4}[ .]?\d{2}[ .]?\d{5}", re.compile(r"konto|account", re.IGNORECASE), "stdnum.no.kontonr"),
)
_NEAR = 40  # characters between a number and the word that says what it is

_EXIT = r"(?<![\w.,+/:-])(?<!\d[ )])00"  # before the code of a country, instead of "+"
_INTERNATIONAL = re.compile(
    r"(?:\+[ (]{0,2}|" + _EXIT + r"(?=[1-9]))\d(?:[^\w+]{0,3}\d){6}",
    re.ASCII,
)
_EXIT_CODE = re.compile(rf"{_EXIT}(?=[1-9])", re.ASCII)
_DATE = re.compile(
    r"(?:19|20)\d\d([-/. ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-4])(?:[0-5]\d){1,2})?(?!\d)"
    r"|(?:0?[1-9]|[12]\d|3[01])([-/. ])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)?\d\d(?!\d)(?!\2\d)"
    r"|(?:19|20)\d\d ?- ?(?:19|20)\d\d$"
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[ .]\d{3})+$")
_MONEY_BEFORE = re.compile(r"[$€£¥₽₹]\s?$")
_MONEY_AFTER = re.compile(
    r"\s?(?:[$€£¥₽₹%]|(?:euros?|eur|usd|dollars?|pounds?|francs?|pesos?|руб|元|块)\b)", re.I
)
_OTHER_BEFORE = re.compile(
    r"(?:isbn(?:-1[03])?|issn|ean|upc|imei|order|tracking|track|ticket|invoice|item|article|bestellnummer"
    r"|sendungsnummer|rechnung|commande|facture|suivi|pedido|factura|заказ|订单号?|单号|快递)"
    r"(?:\s?(?:no|nr|number|num|id|code|номер))?\.?\s?[:#№：]?\s?$",
    re.IGNORECASE,
)
_NO_REGION = "ZZ"  # as the library phonenumbers calls it
_LONGEST = 48  # characters of a phone number with the spaces and an extension
_NANP = 1  # the code of North America and the Caribbean
_LEAST_DIGITS = 7
_LEAST_INTERNATIONAL = 9
_LEAST_BARE = 8  # local numbers of seven digits look like any other number of seven digits


def cards(text: str) -> Iterator[Found]:
    """Numbers of payment cards: an issuer's prefix and length, the usual groups, the checksum of Luhn."""
    from stdnum import ean, luhn

    for start, end in _in_groups(text):
        digits = text[start:end].replace(" ", "").replace("-", "")
        is_article = len(digits) == 13 and ean.is_valid(digits)
        if _has_issuer(digits) and luhn.is_valid(digits) and not is_article:
            yield Found(CARD, start, end)


def accounts(text: str) -> Iterator[Found]:
    """Numbers of bank accounts: IBAN, and those of a country where a word says that they are."""
    from stdnum import iban

    for match in _IBAN.finditer(text):
        ends = [match.start() + end.start() for end in _WORD_END.finditer(match.group())]
        for end in reversed(ends):
            if iban.is_valid(text[match.start() : end], check_country=False):
                yield Found(BANK, match.start(), end)
                break
    for form, word, module in _NATIONAL:
        if word.search(text) is not None:
            yield from _national_accounts(text, form, word, module)


def international_phones(text: str) -> Iterator[Found]:
    """Phone numbers that start with "+" or 00 and the code of a country."""
    for sign in _INTERNATIONAL.finditer(text):
        start = max(0, sign.start() - 1)
        for item in _phones(text[start : sign.start() + _LONGEST], _NO_REGION, "POSSIBLE"):
            if not text[start + item.end : start + item.end + 1].isdigit():
                yield Found(PHONE, start + item.start, start + item.end)
            break  # what follows is found from its own sign


def national_phones(text: str, region: str) -> Iterator[Found]:
    """Phone numbers as they are dialled in a country, and international ones."""
    yield from international_phones(text)
    yield from _phones(text, region, "VALID")


def _in_groups(text: str) -> Iterator[tuple[int, int]]:
    """Where 13 to 19 digits stand, together or in groups as on a card."""
    for run in _RUN.finditer(text):
        groups = [group.span() for group in _GROUP.finditer(text, *run.span())]
        for first, (start, _) in enumerate(groups):
            for _, end in groups[first : first + 5]:
                if end - start > 12 and _GROUPINGS.fullmatch(text[start:end].replace("-", " ")):
                    yield start, end


def _has_issuer(digits: str) -> bool:
    return any(len(digits) in lengths and prefix.match(digits) for prefix, lengths in _BY_ISSUER)


def _national_accounts(text: str, form: str, word: re.Pattern[str], module: str) -> Iterator[Found]:
    bank = importlib.import_module(module)
    for run in re.finditer(rf"(?<!\d)(?:{form})(?!\d)", text):
        near = text[max(0, run.start() - _NEAR) : run.end() + _NEAR]
        if word.search(near) is not None and bank.is_valid(run.group()):
            yield Found(BANK, *run.span())


def _phones(text: str, region: str, leniency: str) -> Iterator[Found]:
    """Phone numbers by the library's leniency: POSSIBLE asks for the length alone, VALID for the plan too.

    New ranges of numbers come before the library knows them; "+" tells enough to do without the plan.
    """
    from phonenumbers import Leniency, PhoneNumberMatcher

    dialled = _EXIT_CODE.sub(" +", text)  # as long as before, so that the places stay
    for match in PhoneNumberMatcher(dialled, region, getattr(Leniency, leniency)):
        start, end = match.start, match.end
        if text[max(0, start - 1) : start + 1] == "00":
            start -= 1
        number = text[start:end]
        grouped = match.number.country_code != _NANP or _in_nanp(number)
        if grouped and (_is_international(number) or _is_phone(text, start, end)):
            yield Found(PHONE, start, end)


def _is_international(number: str) -> bool:
    digits = sum(char.isdigit() for char in number)
    return number.startswith(("+", "(+", "00")) and digits >= _LEAST_INTERNATIONAL


def _in_nanp(number: str) -> bool:
    """Whether a North American number is grouped as they all are; "800 2200 300" counts something."""
    groups = [group.group() for group in _GROUP.finditer(number)]
    sizes = [len(group) for group in groups[groups[0] == "1" and len(groups) > 1 :]]
    return sizes[:3] == [3, 3, 4] or sizes[:2] == [3, 7] or max(sizes) > 9


def _is_phone(text: str, start: int, end: int) -> bool:
    """Whether what could be a phone number is no date, price, article or order number."""
    number = text[start:end]
    digits = sum(char.isdigit() for char in number)
    before, after = text[max(0, start - 30) : start], text[end : end + 8]
    refused = (
        digits < _LEAST_DIGITS
        or sum(len(group) == 1 for group in _GROUP.findall(number)) > 1  # "4 8 15 16 23 42" counts
        or "+" in number
        or (number.isdigit() and digits < _LEAST_BARE and number[0] != "0")
        or _DATE.match(number)
        or (_THOUSANDS.match(number) and "." in number)
        or _MONEY_BEFORE.search(before)
        or _MONEY_AFTER.match(after)
        or _OTHER_BEFORE.search(before)
    )
    return not refused
