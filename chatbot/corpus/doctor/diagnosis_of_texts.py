"""What the texts of a corpus show, and when that is bad: wrong encodings, mixed languages, personal data."""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.corpus.doctor.facts import Facts
from chatbot.corpus.doctor.findings import (
    GREEN,
    YELLOW,
    Diagnosis,
    Finding,
    finding,
    level_of,
    percent,
    several,
)
from chatbot.corpus.doctor.symptoms import POINTERS
from chatbot.corpus.statistics import Share

MISCODED_YELLOW, MISCODED_RED = 0.001, 0.2
"""Share of the pairs with signs of a wrong encoding: a few were wrong before they came here, and do
no harm."""

UNTALK_YELLOW, UNTALK_RED = 0.01, 0.2
"""Share of the pairs with a link, a path or a placeholder for a side: learned, they are said."""

MIXED_YELLOW = 0.1
"""Share of a second language or script: enough for a bot to answer in it when it was not asked in it."""

ENOUGH_TEXTS = 20
"""Of fewer texts no mixture is told."""

LINKS_YELLOW = 0.01
"""Links and handles for each pair: below it, with nothing else, they are not worth a warning."""

_NAMES = {
    "email": "e-mail addresses",
    "link": "links",
    "phone": "phone numbers",
    "card": "card numbers",
    "bank": "bank accounts",
    "ip": "IP addresses",
    "handle": "handles",
    "key": "keys or passwords",
}
_SECRET = {"card", "bank", "key"}
_HARMLESS = {"link", "handle"}


def _decoding(facts: Facts) -> Finding:
    share = facts.sample.miscoded / facts.sample.pairs
    level = level_of(share, MISCODED_YELLOW, MISCODED_RED)
    what = f"{percent(share)} of the pairs hold signs of a wrong encoding, such as Ã© or U+FFFD"
    if not share:
        what = f"no sign of a wrong one in {several(facts.sample.pairs, 'pair')}"
    remedy = "add it again with --encoding NAME, such as utf-8 or cp1252"
    return finding(level, "encoding", what, remedy)


def _untalk(facts: Facts) -> Finding:
    share = facts.sample.untalk / facts.sample.pairs
    kinds = ", ".join(f"{each.name} {percent(each.share)}" for each in facts.sample.untalk_kinds)
    what = f"{percent(share)} of the pairs are no talk: {kinds}"
    if not share:
        what = f"no link, path or placeholder among {several(facts.sample.pairs, 'pair')}"
    pointers = any(each.name == POINTERS for each in facts.sample.untalk_kinds)
    remedy = (
        "fetch the files themselves: git lfs pull" if pointers else "take these lines out, and add it again"
    )
    return finding(level_of(share, UNTALK_YELLOW, UNTALK_RED), "no talk", what, remedy)


def _languages(facts: Facts) -> Finding | None:
    remedy = "keep one with --languages, or train a bot for each"
    return _mixture("languages", facts.close.languages, remedy)


def _scripts(facts: Facts) -> Finding | None:
    return _mixture("scripts", facts.close.scripts, "keep one with --scripts, or train a bot for each")


def _mixture(name: str, shares: Sequence[Share], remedy: str) -> Finding | None:
    """The finding on a mixture; None where too little is told of too few texts."""
    if sum(each.count for each in shares) < ENOUGH_TEXTS:
        return None
    second = shares[1].share if len(shares) > 1 else 0.0
    shown = [f"{each.name} {percent(each.share)}" for each in shares[:3]]
    return finding(level_of(second, MIXED_YELLOW), name, ", ".join(shown), remedy)


def _personal(facts: Facts) -> Finding:
    found = facts.close.personal
    if not found:
        return Finding(GREEN, "personal data", f"none in {several(facts.close.pairs, 'pair')}")
    told = ", ".join(f"{_NAMES[each.name]} {_estimated(each, facts)}" for each in found)
    if facts.close.pairs < facts.pairs:
        seen = sum(each.count for each in found)
        told += f", estimated from {seen:,} in {facts.close.pairs:,} pairs"
    names = {each.name for each in found}
    if names & _SECRET:
        what = f"suspected secrets, which a bot may tell anybody: {told}"
        return Finding(YELLOW, "personal data", what, "do not train on this: add it again with --scrub first")
    seldom = sum(each.share for each in found) < LINKS_YELLOW
    level = GREEN if names <= _HARMLESS and seldom else YELLOW
    return finding(level, "personal data", f"suspected {told}", "add it again with --scrub")


def _estimated(kind: Share, facts: Facts) -> str:
    """How much there is in all: counted, or estimated from the pairs looked at."""
    if facts.close.pairs >= facts.pairs:
        return f"{kind.count:,}"
    return f"about {round(kind.share * facts.pairs):,}"


DIAGNOSES_OF_TEXTS: tuple[Diagnosis, ...] = (_decoding, _untalk, _languages, _scripts, _personal)
"""Those of a corpus that has pairs, in the order of their findings."""
