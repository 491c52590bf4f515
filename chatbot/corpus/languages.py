"""Which script and which language a text is in, told from the text alone.

A script that writes one language tells the language; where several share a script, the naive Bayes classifier
of py3langid chooses among them.

Source: Lui and Baldwin 2012, "langid.py: An Off-the-shelf Language Identification Tool". Its model is data in
the package, read without pickle; nothing is asked of a network.
"""

from __future__ import annotations

import copy
import difflib
import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Any

import regex

from chatbot.errors import OptionError

SCRIPTS = tuple(
    re.findall(
        r"\w+",
        """
        Latin Cyrillic Greek Armenian Georgian Hebrew Arabic Syriac Thaana Nko Ethiopic Devanagari Bengali
        Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer
        Mongolian Javanese Balinese Hangul Hiragana Katakana Han Bopomofo Yi Cherokee Canadian_Aboriginal
        Tifinagh Adlam
        """,
    )
)
"""Unicode's names of the scripts in wide use today. Source: UAX 31, tables 5 and 7."""

_GROUPS = {
    "Japanese": ("Han", "Hiragana", "Katakana"),
    "Kana": ("Hiragana", "Katakana"),
    "Korean": ("Hangul", "Han"),
    "Chinese": ("Han", "Bopomofo"),
}
"""Names that people say for what Unicode tells apart."""

_WRITTEN = {
    "Latin": "af Afrikaans, an Aragonese, az Azerbaijani, br Breton, bs Bosnian, ca Catalan, cs Czech,"
    " cy Welsh, da Danish, de German, en English, eo Esperanto, es Spanish, et Estonian, eu Basque,"
    " fi Finnish, fo Faroese, fr French, fy Frisian, ga Irish, gd Gaelic, gl Galician, ha Hausa,"
    " hr Croatian, ht Haitian, hu Hungarian, id Indonesian, ig Igbo, is Icelandic, it Italian,"
    " jv Javanese, ku Kurdish, la Latin, lb Luxembourgish, lg Ganda, ln Lingala, lt Lithuanian,"
    " lv Latvian, mg Malagasy, ms Malay, mt Maltese, nl Dutch, nn Nynorsk, no Norwegian, oc Occitan,"
    " om Oromo, pl Polish, pt Portuguese, qu Quechua, ro Romanian, rw Kinyarwanda, se Sami, sk Slovak,"
    " sl Slovenian, sn Shona, so Somali, sq Albanian, sr Serbian, st Sotho, sv Swedish, sw Swahili,"
    " tk Turkmen, tl Tagalog, tr Turkish, uz Uzbek, vi Vietnamese, wa Walloon, xh Xhosa, yo Yoruba,"
    " zu Zulu",
    "Cyrillic": "ba Bashkir, be Belarusian, bg Bulgarian, kk Kazakh, ky Kyrgyz, mk Macedonian,"
    " mn Mongolian, ru Russian, sr Serbian, tg Tajik, tt Tatar, uk Ukrainian, uz Uzbek",
    "Arabic": "ar Arabic, ary Moroccan, arz Egyptian, az Azerbaijani, fa Persian, ku Kurdish, ps Pashto,"
    " sdh Kurdish, ug Uyghur, ur Urdu, uzs Uzbek",
    "Devanagari": "hi Hindi, mr Marathi, ne Nepali, sa Sanskrit",
    "Bengali": "as Assamese, bn Bengali",
    "Greek": "el Greek",
    "Armenian": "hy Armenian",
    "Georgian": "ka Georgian",
    "Hebrew": "he Hebrew",
    "Ethiopic": "am Amharic",
    "Gurmukhi": "pa Punjabi",
    "Gujarati": "gu Gujarati",
    "Oriya": "or Odia",
    "Tamil": "ta Tamil",
    "Telugu": "te Telugu",
    "Kannada": "kn Kannada",
    "Malayalam": "ml Malayalam",
    "Sinhala": "si Sinhala",
    "Thai": "th Thai",
    "Lao": "lo Lao",
    "Myanmar": "my Burmese",
    "Khmer": "km Khmer",
    "Hangul": "ko Korean",
    "Japanese": "ja Japanese",
    "Han": "zh Chinese",
}
"""The languages told apart, by script. The classifier's creoles and dialects of few speakers are left out:
they drew much plain English, Spanish and Italian chat to them."""

_BY_SCRIPT = {script: dict(one.split() for one in names.split(", ")) for script, names in _WRITTEN.items()}

_SAME = {
    "ary": "ar",
    "arz": "ar",
    "cmn": "zh",
    "fil": "tl",
    "in": "id",
    "iw": "he",
    "nb": "no",
    "nn": "no",
    "sdh": "ku",
    "uzs": "uz",
    "wuu": "zh",
    "yue": "zh",
}
"""Tags that count as another: of one language (old and new), or of one macrolanguage of ISO 639-3."""

LANGUAGES = {tag: name for names in _BY_SCRIPT.values() for tag, name in names.items() if tag not in _SAME}
"""English names of the languages that can be told, by tag."""

LETTERS = 15
"""A shorter text is too short for the classifier."""

OWN_LETTERS = 5
"""A shorter text in a script of one language is too short: a name, or a letter in a face made of signs."""

SURE = 0.8
"""Measured with LETTERS: of 25,600 lines of English chat told, 4 were taken for another language; of
6,200 everyday lines in 25 languages, 5 were, and 4 of these hold English."""

_MAIN_SHARE = 0.8
"""Texts in which the main script has less are mixed: names and code tell nothing of the rest."""

_KANA_SHARE = 0.1
"""Of Japanese; Chinese texts borrow a single kana now and then."""

_LOOKED_AT = 400
"""Characters of a text that are enough to tell."""

_ADDRESS = re.compile(r"(?:[A-Za-z]{2,9}://|www\.)[!-~]+|[!-~]{0,64}@[!-~]+")
_NO_LETTERS = bytes(byte for byte in range(128) if not chr(byte).isalpha())
_LETTER = regex.compile("|".join(rf"(?P<{name}>[\p{{L}}&&\p{{{name}}}])" for name in SCRIPTS), regex.V1)
_OTHER_LETTER = regex.compile(r"[\p{L}--\p{Common}--\p{Inherited}]", regex.V1)


def main_script(text: str) -> str:
    """The script most letters are of, one of SCRIPTS, or "Other"; "" where there are no letters."""
    return _commonest(_scripts(text))


def is_written_in(text: str, scripts: frozenset[str]) -> bool:
    """Whether more than half of the letters are of these scripts; true where there are no letters."""
    if "Latin" in scripts and text.isascii():
        return True
    found = _scripts(text)
    return not found or 2 * sum(map(found.__getitem__, scripts)) > found.total()


def parse_scripts(names: str) -> frozenset[str]:
    """The scripts of a list such as "Latin,Han"; upper and lower case are not told apart.

    "Japanese" stands for Han, Hiragana and Katakana, "Korean" for Hangul and Han, "Chinese" for Han and
    Bopomofo, "Kana" for Hiragana and Katakana.

    Raises:
        OptionError: there is none of a name.
    """
    known = {name: (name,) for name in SCRIPTS} | _GROUPS
    by_name = {name.lower(): scripts for name, scripts in known.items()}
    found: set[str] = set()
    for name in _listed(names, "--scripts", "Latin,Han"):
        scripts = by_name.get(re.sub(r"[\s-]+", "_", name.lower()))
        if scripts is None:
            advice = _advice(name, {name: name for name in known}, "Latin,Han")
            raise OptionError("--scripts", f"no script {name!r}", advice)
        found.update(scripts)
    return frozenset(found)


def language_of(text: str) -> str:
    """The language of a text, one of LANGUAGES; "" where it is too short, mixed or otherwise hard to tell."""
    text = text[:_LOOKED_AT]
    if "@" in text or "://" in text or "www." in text:
        text = _ADDRESS.sub(" ", text)
    scripts = _with_japanese(_scripts(text))
    script = _commonest(scripts)
    languages = _BY_SCRIPT.get(script, {})
    if len(languages) == 1:
        return next(iter(languages)) if scripts[script] >= OWN_LETTERS else ""
    if not languages or scripts[script] < max(LETTERS, _MAIN_SHARE * scripts.total()):
        return ""
    language, probability = _classifier(script).classify(text)
    return _SAME.get(language, language) if probability >= SURE else ""


def parse_languages(tags: str) -> frozenset[str]:
    """The languages of a list of BCP 47 tags such as "en,zh-Hant"; only what names the language counts.

    Raises:
        OptionError: a tag is none, or its language is none of LANGUAGES.
    """
    found: set[str] = set()
    for tag in _listed(tags, "--languages", "en,fr"):
        primary = re.split("[-_]", tag.lower())[0]
        primary = _SAME.get(primary, primary)
        if primary not in LANGUAGES:
            advice = _advice(tag, LANGUAGES, "en,fr")
            raise OptionError("--languages", f"no language {tag!r} that can be told from a text", advice)
        found.add(primary)
    return frozenset(found)


def _listed(names: str, option: str, example: str) -> list[str]:
    found = [name.strip() for name in names.split(",") if name.strip()]
    if not found:
        raise OptionError(option, "names none", f"give names such as {example}")
    return found


def _advice(name: str, known: Mapping[str, str], example: str) -> str:
    """The known names that are near a name, or near what they are the short form of."""
    spelled = {spelling.lower(): short for short, full in known.items() for spelling in (full, short)}
    near = dict.fromkeys(spelled[one] for one in difflib.get_close_matches(name.lower(), spelled, n=3))
    if not near:
        return f"give names such as {example}"
    told = [short if known[short] == short else f"{short} ({known[short]})" for short in near]
    return f"did you mean {' or '.join(told)}"


def _scripts(text: str) -> Counter[str]:
    """How many letters there are of each script."""
    if text.isascii():
        letters = len(text.encode().translate(None, _NO_LETTERS))
        return Counter({"Latin": letters} if letters else {})
    scripts = Counter(map(_script_of, text))
    del scripts[""]
    return scripts


@functools.lru_cache(maxsize=1 << 16)
def _script_of(char: str) -> str:
    """The script of a letter; "" for signs and for letters that many scripts share."""
    char = unicodedata.normalize("NFKC", char)[0]  # letters in fancy styles are plain letters
    found = _LETTER.match(char)
    if found is not None:
        return str(found.lastgroup)
    return "Other" if _OTHER_LETTER.match(char) else ""


def _with_japanese(scripts: Counter[str]) -> Counter[str]:
    """Kana, and Han where kana is among it, counted as Japanese."""
    kana = scripts["Hiragana"] + scripts["Katakana"]
    if kana == 0 or kana < _KANA_SHARE * (kana + scripts["Han"]):
        return scripts
    merged = Counter({name: count for name, count in scripts.items() if name not in _GROUPS["Japanese"]})
    merged["Japanese"] = kana + scripts["Han"]
    return merged


def _commonest(scripts: Counter[str]) -> str:
    """The first that no other exceeds."""
    return max(scripts, key=scripts.__getitem__, default="")


@functools.cache
def _classifier(script: str) -> Any:
    """A classifier that chooses among the languages of one script."""
    classifier = copy.copy(_every_language())
    classifier.set_languages(_BY_SCRIPT[script].keys() & set(classifier.labels))
    return classifier


@functools.cache
def _every_language() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
