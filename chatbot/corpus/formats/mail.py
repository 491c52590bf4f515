"""Mail: one e-mail, read from its bytes.

Nothing is taken amiss: what is encoded wrongly is read as well as it goes, U+FFFD where it does not. Text
parts are taken and attachments passed over; of alternatives the plain one, if there is something in it.

Source: RFC 5322, RFC 2045 to 2047, RFC 3676.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message as Parsed
from email.policy import Compat32
from email.utils import parseaddr, parsedate_to_datetime

from chatbot.corpus.formats.mail_html import text_of_html
from chatbot.corpus.formats.mail_text import own_words, unflowed
from chatbot.corpus.formats.mailbox import RawMail
from chatbot.corpus.input.encodings import SAMPLE_BYTES, checked_encoding, guessed_encoding
from chatbot.errors import OptionError

LONGEST_HEADER = 20_000
"""Characters of a header that are read; of ids the last ones count."""
LONGEST_NAME = 2_000
"""Characters of a subject or a sender that are read."""
TEXT_BYTES = 1 << 18
"""Bytes of a text part that are read; nobody writes so much."""
_LONGEST_PARAMETERS = 4000
"""Characters of Content-Type and its kin; the library takes the square of their length."""
_DEEPEST = 20
"""Parts in parts."""

_WIDER = {
    "iso8859-1": "cp1252",
    "ascii": "",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis_620": "cp874",
}
"""Encodings that mails name, and the wider ones that they are in."""

_ID = re.compile(r"<([^<>]{1,998})>")
_VIA = re.compile(r" (?:via|über|par) [^<>]{1,80}$")
_NO_REPLY = re.compile(r"(?:(?:no|do[-_.]?not)[-_.]?reply|mailer-daemon|postmaster)\b[^@]*@", re.IGNORECASE)
_BULK = frozenset(("bulk", "list", "junk"))
_AUTOMATIC = frozenset(("auto_reply", "auto-reply", "autoreply"))


class _Unchanged(Compat32):
    """Gives headers as they are stored, bytes that are no ASCII as halves of surrogate pairs."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value[:_LONGEST_PARAMETERS] if name.lower().startswith("content-") else value


_POLICY = _Unchanged()


@dataclass(frozen=True, slots=True)
class Mail:
    """What of a mail matters.

    Args:
        id: its Message-ID; "" where it has none.
        answered: the ids it refers to, the one it answers last.
        subject: as it is shown.
        sender: display name, else address.
        text: what the sender says in it.
        time: in UTC.
        is_automatic: a program wrote it.
        is_bulk: it went to many at once, by a list or as a newsletter.
        is_of_list: a mailing list passed it on.
        has_attachment: something that is no text came with it.
    """

    id: str
    answered: tuple[str, ...]
    subject: str
    sender: str
    text: str
    time: datetime | None
    is_automatic: bool
    is_bulk: bool
    is_of_list: bool
    has_attachment: bool


def parsed_mail(raw: RawMail) -> Mail | None:
    """The mail of some bytes; None where they are no mail, or it has no sender."""
    try:
        parsed: Parsed = message_from_bytes(raw.data, policy=_POLICY)
        sender = _sender(parsed)
        if not sender:
            return None
        text, has_attachment = _body(parsed)
        ids = _ID.findall(_header(parsed, "Message-ID"))
        return Mail(
            ids[0].strip() if ids else _header(parsed, "Message-ID").strip(),
            _answered(parsed),
            _decoded(_header(parsed, "Subject")),
            sender,
            own_words(text),
            _time(parsed, raw.envelope),
            _is_automatic(parsed),
            bool(
                _header(parsed, "List-Unsubscribe") or _header(parsed, "Precedence").strip().lower() in _BULK
            ),
            bool(_header(parsed, "List-Id")),
            has_attachment,
        )
    except (MessageError, RecursionError, ValueError, LookupError, TypeError, AttributeError):
        return None  # the parser of the standard library is not proof against everything


def _header(parsed: Parsed, name: str) -> str:
    """A header on one line; bytes that are no ASCII as what they most likely are."""
    value = parsed.get(name)
    if not isinstance(value, str):
        return ""
    if len(value) > LONGEST_HEADER:
        value = value[-LONGEST_HEADER:]
    value = value.replace("\r", "").replace("\n", "")
    return value if value.isascii() else _undeclared(value.encode("utf-8", "surrogateescape"))


def _decoded(value: str) -> str:
    """A header with its encoded words decoded."""
    value = value[:LONGEST_NAME]
    if "=?" not in value:
        return value.strip()
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        return value.strip()
    # Text is given as bytes where there are encoded words beside it.
    words = [
        (piece if isinstance(piece, str) else _text(piece, charset) if charset else piece.decode("latin-1"))
        for piece, charset in pieces
    ]
    return re.sub(r"[\x00-\x1f\x7f]+", " ", "".join(words)).strip()


def _sender(parsed: Parsed) -> str:
    for header in ("From", "Sender", "Reply-To"):
        value = _header(parsed, header)[:LONGEST_NAME]
        if not value.strip():
            continue
        name, address = parseaddr(value)
        name = _decoded(name)
        if _header(parsed, "List-Id"):
            name = _VIA.sub("", name)
        name = name.strip("'\" ")
        if found := name or address or _decoded(value):
            return found
    return ""


def _answered(parsed: Parsed) -> tuple[str, ...]:
    """The ids a mail refers to; last the one it says it answers, else the last one it names."""
    named = [found.strip() for found in _ID.findall(_header(parsed, "References"))]
    direct = [found.strip() for found in _ID.findall(_header(parsed, "In-Reply-To"))]
    last = direct[:1] or named[-1:]
    others = [name for name in dict.fromkeys((*named, *direct)) if name not in last]
    return (*others, *last)


def _time(parsed: Parsed, envelope: bytes) -> datetime | None:
    dates = (_header(parsed, "Date"), " ".join(envelope.decode("latin-1").split()[2:]))
    for date in dates:
        try:
            time = parsedate_to_datetime(date)
            return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
        except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
            continue
    return None


def _is_automatic(parsed: Parsed) -> bool:
    submitted = _header(parsed, "Auto-Submitted").strip().lower()
    if (submitted and not submitted.startswith("no")) or _header(parsed, "X-Autoreply"):
        return True
    if _header(parsed, "Precedence").strip().lower() in _AUTOMATIC:
        return True
    if parsed.get_content_type() == "multipart/report":
        return True
    return bool(_NO_REPLY.match(parseaddr(_header(parsed, "From")[:LONGEST_NAME])[1]))


def _body(parsed: Parsed) -> tuple[str, bool]:
    """The text of a mail, and whether something came with it."""
    attached = False
    texts: list[str] = []
    for part in _shown(parsed, 0):
        kind = part.get_content_type()
        if _is_attached(part) or kind not in _READERS:
            attached = True
        elif text := _READERS[kind](part).strip("\n"):
            texts.append(text)
    return "\n\n".join(texts), attached


def _shown(part: Parsed, depth: int) -> Iterator[Parsed]:
    """The parts that are shown one below the other. Mails within the mail are none."""
    inner = part.get_payload()
    if part.get_content_maintype() != "multipart" or not isinstance(inner, list):
        yield part
        return
    parts = [each for each in inner if isinstance(each, Parsed)]
    if depth >= _DEEPEST:
        return
    if part.get_content_type() == "multipart/alternative":
        yield from _chosen(parts, depth)
        return
    for each in parts[:1] if part.get_content_type() in _FIRST_ONLY else parts:
        yield from _shown(each, depth + 1)


_FIRST_ONLY = frozenset(("multipart/related", "multipart/report", "multipart/signed"))
"""What follows the first part of these belongs to it: pictures, codes, signatures."""


def _chosen(parts: list[Parsed], depth: int) -> Iterator[Parsed]:
    """The first of some alternatives that has plain text in it, else any text."""
    ways = [list(_shown(each, depth + 1)) for each in parts]
    for kind in _READERS:
        for way in ways:
            if any(part.get_content_type() == kind and _READERS[kind](part).strip() for part in way):
                yield from way
                return
    yield from ways[0] if ways else ()


def _is_attached(part: Parsed) -> bool:
    disposition = part.get_content_disposition()
    return disposition == "attachment" or (disposition is not None and part.get_filename() is not None)


def _plain_text(part: Parsed) -> str:
    text = _text_of(part)
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    return unflowed(text, "" if str(part.get_param("delsp", "")).lower() == "yes" else " ")


def _html_text(part: Parsed) -> str:
    return text_of_html(_text_of(part))


_READERS = {"text/plain": _plain_text, "text/html": _html_text}
"""How the text of a part is read, the better kinds first."""


def _text_of(part: Parsed) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    charset = part.get_param("charset", "")
    text = _text(data[:TEXT_BYTES], charset[2] if isinstance(charset, tuple) else str(charset))
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _text(data: bytes, charset: str | None) -> str:
    """Bytes as text: in the encoding that is named, the likeliest where there is no such one."""
    try:
        encoding = checked_encoding((charset or "").strip("'\" ").lower())
    except OptionError:
        return _undeclared(data)
    encoding = _WIDER.get(encoding, encoding)
    return data.decode(encoding, "replace") if encoding else _undeclared(data)


def _undeclared(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
        return data.decode(guessed_encoding(sample[:SAMPLE_BYTES]), "replace")
