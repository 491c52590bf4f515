"""The formats a file of conversations may be in: one module each, and the table of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from chatbot.corpus.formats import (
    chatterbot,
    conv,
    convokit,
    cornell,
    dailydialog,
    discord,
    irc,
    jsonl,
    line,
    lines,
    mbox,
    messenger,
    parlai,
    qq,
    script,
    signal,
    slack,
    subtitles,
    table,
    telegram,
    tsv,
    ubuntu,
    wechat,
    whatsapp,
)
from chatbot.corpus.formats.format import Format, each
from chatbot.corpus.input.decode import Head, head_of_part
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError, OptionError

FORMATS: dict[str, Format] = {
    "whatsapp": Format(
        each(whatsapp.read),
        whatsapp.looks_like,
        "WhatsApp: an exported chat, as text or as the zip it comes in",
        "31/12/24, 21:25 - Ann: Happy new year!",
    ),
    "telegram": Format(
        each(telegram.read),
        telegram.looks_like,
        "Telegram: result.json of a chat or of a whole account",
        '{"name": "Ann", "type": "personal_chat", "id": 1, "messages": [',
    ),
    "signal": Format(
        each(signal.read), signal.looks_like, "Signal: an exported chat", "[2024-12-31, 21:25] Ann: Hello"
    ),
    "discord": Format(
        each(discord.read),
        discord.looks_like,
        "Discord: JSON of DiscordChatExporter",
        '{"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": [',
    ),
    "slack": Format(
        slack.read,
        slack.looks_like,
        "Slack: an export, as zip or folder",
        '[{"type": "message", "user": "U1", "text": "hello", "ts": "1700000000.1"}]',
        joint=True,
    ),
    "messenger": Format(
        messenger.read,
        messenger.looks_like,
        "Messenger and Instagram: message_1.json and so on, as files, zip or folder",
        '{"participants": [{"name": "Ann"}], "messages": [',
        joint=True,
    ),
    "line": Format(each(line.read), line.looks_like, "LINE: an exported chat", "21:25\tAnn\tHello"),
    "qq": Format(
        each(qq.read), qq.looks_like, "QQ: message history as text", "2024-12-31 21:25:00 Ann(12345678)"
    ),
    "wechat": Format(each(wechat.read), wechat.looks_like, "WeChat: CSV of PyWxDump"),
    "irc": Format(
        each(irc.read), irc.looks_like, "IRC: logs of irssi, weechat, xchat, energymech", "[21:25] <ann> hi"
    ),
    "mbox": Format(mbox.read, mbox.looks_like, "e-mail: an mbox, or single messages", joint=True),
    "subtitles": Format(
        each(subtitles.read),
        subtitles.looks_like,
        "subtitles: SRT or WebVTT",
        "00:01:02,000 --> 00:01:04,500",
    ),
    "cornell": Format(
        cornell.read,
        cornell.looks_like,
        "Cornell movie dialogs: movie_lines and movie_conversations",
        "L1045 +++$+++ u0 +++$+++ m0 +++$+++ ANN +++$+++ They do not!",
        joint=True,
    ),
    "parlai": Format(
        each(parlai.read), parlai.looks_like, "ParlAI", "text:hello\tlabels:hi\tepisode_done:True"
    ),
    "convokit": Format(
        each(convokit.read),
        convokit.looks_like,
        "ConvoKit: utterances.jsonl",
        '{"id": "2", "conversation_id": "1", "reply_to": "1", "speaker": "ann", "text": "hello"}',
    ),
    "dailydialog": Format(
        each(dailydialog.read),
        dailydialog.looks_like,
        "DailyDialog: a dialogue a line",
        "Hello ! __eou__ Hi , Ann . __eou__",
    ),
    "ubuntu": Format(
        each(ubuntu.read),
        ubuntu.looks_like,
        "Ubuntu dialogue corpus: TSV of dialogues, or CSV of contexts",
        "2004-11-23T11:49:00.000Z\tann\tbob\thello",
    ),
    "jsonl": Format(
        each(jsonl.read),
        jsonl.looks_like,
        "JSON or JSON lines: turns, messages, or question and answer",
        '{"turns": ["Hello", "Hi"]}',
    ),
    "conv": Format(each(conv.read), conv.looks_like, "conv: E begins a dialogue, M is a turn", "M hello"),
    "chatterbot": Format(
        each(chatterbot.read), chatterbot.looks_like, "ChatterBot YAML: lists of what was said"
    ),
    "table": Format(
        each(table.read),
        table.looks_like,
        "CSV or TSV with quotes or headings: pairs, or messages with a speaker",
        "question,answer",
    ),
    "tsv": Format(
        each(tsv.read),
        tsv.looks_like,
        "one pair a line: what was said, a tab, the reply",
        "How are you?\tFine, and you?",
    ),
    "script": Format(each(script.read), script.looks_like, "a script: NAME: what is said", "ANN: Hello."),
    "lines": Format(
        each(lines.read), lines.looks_like, "two speakers line by line, a blank line between talks"
    ),
}
"""By name; the first that recognises a file reads it, so the least particular come last."""

PRIVATE = frozenset(
    ("whatsapp", "telegram", "signal", "discord", "slack", "messenger", "line", "qq", "wechat", "irc", "mbox")
)
"""The formats of what people wrote to each other, and not to everybody."""

FALLBACK = "lines"
"""The format that any text is in. In an archive or folder it counts only where nothing else is found."""

NEAREST = 3


def recognise(parts: Sequence[Part], reading: Reading) -> list[tuple[str, list[Part]]]:
    """The parts of an input by format: those of a joint format together, others one by one.

    In an archive or a folder, parts of no known format are left out and told.

    Raises:
        CorpusError: no part is in a known format; the first line is shown, and what it is nearest to.
        OptionError: there is no format of the name that the options give.
    """
    wanted = reading.options.format
    if wanted:
        return _grouped([(checked(wanted), part) for part in parts])
    found: list[tuple[str, Part]] = []
    unknown: list[tuple[Part, CorpusError]] = []
    for part in parts:
        try:
            found.append((_format_of(head_of_part(part, reading.options.encoding), part), part))
        except CorpusError as error:
            unknown.append((part, error))
    found, passed = _without_fallback(found)
    if not found or (unknown and not unknown[0][0].member):
        raise unknown[0][1]
    left = [part.name for part, _ in unknown] + passed
    if left:
        reading.notify(f"{left[0]}: no conversation that could be read; {len(left)} such files were left out")
    return _grouped(found)


def checked(name: str) -> str:
    """The name of a format.

    Raises:
        OptionError: there is none of that name.
    """
    if name not in FORMATS:
        near = difflib.get_close_matches(name, FORMATS, n=NEAREST)
        remedy = "did you mean " + " or ".join(near) if near else "see chatbot corpus formats"
        raise OptionError("--format", f"no format {name!r}", remedy)
    return name


def nearest(line: str) -> list[str]:
    """The formats whose lines look most like a line, by the shape of its letters, digits and signs."""
    shape = _shape(line)
    shapes = {name: _shape(known.example) for name, known in FORMATS.items() if known.example}
    ranked = sorted(shapes, key=lambda name: -difflib.SequenceMatcher(None, shape, shapes[name]).ratio())
    return ranked[:NEAREST]


def _format_of(head: Head, part: Part) -> str:
    for name, known in FORMATS.items():
        if known.looks_like(head):
            return name
    line = "".join(char if char.isprintable() else " " for char in head.lines[0])
    shown = line if len(line) <= 60 else line[:59] + "…"
    near = ", ".join(f"{name} ({FORMATS[name].example})" for name in nearest(line))
    what = f"is in no known format; its first line is {shown!r}; the nearest formats are {near}"
    raise CorpusError(part.name, what, "name one with --format, see chatbot corpus formats")


def _without_fallback(found: list[tuple[str, Part]]) -> tuple[list[tuple[str, Part]], list[str]]:
    """Of members of archives and folders, the ones of a particular format where there are any."""
    if all(name == FALLBACK for name, _ in found):
        return found, []
    kept = [(name, part) for name, part in found if name != FALLBACK or not part.member]
    return kept, [part.name for name, part in found if name == FALLBACK and part.member]


def _grouped(found: Sequence[tuple[str, Part]]) -> list[tuple[str, list[Part]]]:
    groups: list[tuple[str, list[Part]]] = []
    joint: dict[str, list[Part]] = {}
    for name, part in found:
        if name in joint:
            joint[name].append(part)
            continue
        group = [part]
        groups.append((name, group))
        if FORMATS[name].joint:
            joint[name] = group
    return groups


def _shape(line: str) -> str:
    """The first characters of a line, digits as 9 and letters as a, a run of either as one."""
    return re.sub(r"9+", "9", re.sub(r"a+", "a", re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "a", line[:60]))))
