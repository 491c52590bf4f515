"""Inspection at the pairs of a sample: characters, signs of a wrong encoding, languages, personal data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from chatbot.corpus.doctor.facts import CloseInspection, Inspection
from chatbot.corpus.doctor.sampling import Sampled
from chatbot.corpus.doctor.symptoms import is_miscoded, untalk
from chatbot.corpus.languages import LANGUAGES, language_of, main_script
from chatbot.corpus.privacy.personal import PLACEHOLDERS, found, kinds_in
from chatbot.corpus.statistics import Share, reply_statistics

RARE = 5
"""A character that occurs less often than this cannot be learned."""

_KANA = ("Hiragana", "Katakana")
_KANA_SHARE = 0.1
"""Texts of kana among those of kana and Han, from which on all are Japanese."""


def inspect(sample: Sequence[Sampled]) -> Inspection:
    """What the pairs of a sample show."""
    characters: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    miscoded = odd = 0
    for _, question, reply in sample:
        characters.update(question)
        characters.update(reply)
        miscoded += is_miscoded(question) or is_miscoded(reply)
        seen = {kind for kind in (untalk(question), untalk(reply)) if kind}
        kinds.update(seen)
        odd += bool(seen)
    replies = reply_statistics(each.reply for each in sample)
    return Inspection(
        pairs=len(sample),
        characters=len(characters),
        rare=sum(count < RARE for count in characters.values()),
        miscoded=miscoded,
        untalk=odd,
        untalk_kinds=_shares(kinds, len(sample)),
        distinct1=replies.distinct1,
        distinct2=replies.distinct2,
    )


def inspect_closely(sample: Sequence[Sampled]) -> CloseInspection:
    """What a closer look shows: languages, scripts, personal data."""
    texts = [text for _, question, reply in sample for text in (question, reply)]
    scripts = _with_japanese(_told(main_script, texts))
    languages = _told(lambda text: LANGUAGES.get(language_of(text), ""), texts)
    personal: Counter[str] = Counter()
    for text in texts:
        personal.update(kinds_in(text))
    return CloseInspection(
        pairs=len(sample),
        languages=_shares(languages, languages.total()),
        scripts=_shares(scripts, scripts.total()),
        personal=_shares(personal, len(sample)),
    )


def without_personal(text: str) -> str:
    """The text with placeholders where personal data is suspected."""
    for item in reversed(found(text)):
        text = text[: item.start] + PLACEHOLDERS[item.kind] + text[item.end :]
    return text


def _told(tell: Callable[[str], str], texts: Iterable[str]) -> Counter[str]:
    """How many texts are told to be what; those of which nothing can be told are left out."""
    counts = Counter(map(tell, texts))
    del counts[""]
    return counts


def _with_japanese(scripts: Counter[str]) -> Counter[str]:
    """Texts of kana, and those of Han among them, counted as Japanese."""
    kana = sum(scripts[name] for name in _KANA)
    if kana == 0 or kana < _KANA_SHARE * (kana + scripts["Han"]):
        return scripts
    rest = Counter({name: count for name, count in scripts.items() if name not in (*_KANA, "Han")})
    rest["Japanese"] = kana + scripts["Han"]
    return rest


def _shares(counts: Counter[str], total: int) -> tuple[Share, ...]:
    """The commonest first, equally common ones by name."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Share(name, count, count / total) for name, count in ranked)


def hint_of(texts: Sequence[str]) -> str:
    """What most of a few texts look like when they are no talk: a kind of ``untalk``, or ""."""
    kinds = [kind for text in texts if (kind := untalk(text))]
    return max(kinds, key=kinds.count) if 2 * len(kinds) > len(texts) else ""
