"""E-mail: mbox files, or single mails (.eml), as conversations by threads.

A thread is only known when all mails have been read, and its mails may lie in several files. So of every mail
its sender, time, ids, subject and own words are held in memory, a few hundred bytes for most; never
attachments, quotations and headers.

A mail that went to many at once is no turn unless it takes part in a discussion: it answers a mail, or it
came by a mailing list and was answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chatbot.corpus.formats.mail import Mail, parsed_mail
from chatbot.corpus.formats.mail_threads import base_subject, threads_of
from chatbot.corpus.formats.mailbox import raw_mails
from chatbot.corpus.identity import content_id
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import BOT, MEDIA, SAID, Message, Talk
from chatbot.errors import CorpusError

_FIELD = re.compile(r"([!-9;-~]{1,76})[ \t]*:")
_ENVELOPE = re.compile(r"From \S")
_USUAL = frozenset(
    (
        *("from", "to", "cc", "date", "subject", "message-id", "received", "return-path", "delivered-to"),
        *("mime-version", "content-type", "in-reply-to", "references", "reply-to", "x-mailer", "sender"),
        *("x-gmail-labels", "x-gm-thrid", "status", "x-status", "x-mozilla-status", "dkim-signature"),
    )
)
_FIELDS_OF_MAIL = 3
"""So many usual headers, a sender among them, make a mail."""


def read(parts: Sequence[Part], reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each thread.

    Raises:
        CorpusError: a part cannot be read, or there is no mail.
    """
    mails = _mails(parts, reading)
    if not mails:
        names = ", ".join(part.name for part in parts)
        raise CorpusError(names, "holds no mail", "give a mailbox in mbox format, or single mails")
    answered = {mail.answered[-1] for mail in mails if mail.answered}
    for places in threads_of(mails):
        first = mails[places[0]]
        identity = content_id((first.id or first.sender, first.subject))
        messages = [_message(mails[place], answered) for place in places]
        yield Talk(messages, base_subject(first.subject)[0], id=identity)


def looks_like(head: Head) -> bool:
    """Headers of mails stand at the start, perhaps below the line that parts the mails of an mbox."""
    if not head.lines:
        return False
    lines = head.lines[1:] if _ENVELOPE.match(head.lines[0]) else head.lines
    names: set[str] = set()
    for at, line in enumerate(lines):
        field = _FIELD.match(line)
        if field:
            names.add(field[1].lower())
        elif not at or not (line.startswith((" ", "\t", ">From "))):
            break
    return "from" in names and len(names & _USUAL) >= _FIELDS_OF_MAIL


def _mails(parts: Sequence[Part], reading: Reading) -> list[Mail]:
    """The mails of all parts, each once."""
    mails: list[Mail] = []
    known: set[str] = set()
    again = 0
    for part in parts:
        for number, raw in enumerate(raw_mails(part, reading), start=1):
            reading.lines += raw.data.count(b"\n")
            mail = parsed_mail(raw)
            if mail is None:
                reading.miss(part, number, f"mail {number} has no sender")
            elif mail.id and mail.id in known:
                again += 1
            else:
                mails.append(mail)
                known.add(mail.id)
    if again:
        reading.notify(f"{parts[0].name}: {again:,} mails that are there more than once were read once")
    return mails


def _message(mail: Mail, answered: set[str]) -> Message:
    is_reply = bool(mail.answered) or base_subject(mail.subject)[1]
    in_discussion = is_reply or (mail.is_of_list and mail.id in answered)
    kind = MEDIA if mail.has_attachment and not mail.text.strip() else SAID
    if mail.is_automatic or (mail.is_bulk and not in_discussion):
        kind = BOT
    return Message(
        mail.sender, mail.text, mail.time, kind, mail.id, mail.answered[-1] if mail.answered else ""
    )
