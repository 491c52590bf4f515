"""Scripts and languages, against sentences written by hand and corpora whose language is known."""

from __future__ import annotations

import pickle
import re
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus import languages
from chatbot.corpus.builtin import LANGUAGES as SAID
from chatbot.corpus.builtin import read_chatterbot
from chatbot.corpus.languages import (
    LANGUAGES,
    SCRIPTS,
    is_written_in,
    language_of,
    main_script,
    parse_languages,
    parse_scripts,
)
from chatbot.errors import OptionError

SENTENCES = {
    "ar": "أريد أن أذهب إلى السوق غدا مع صديقي",
    "bg": "Утре искам да отида на пазара с моя приятел, защото там е евтино",
    "bn": "আমি কাল বন্ধুর সাথে বাজারে যেতে চাই",
    "cs": "Zítra chci jít s kamarádem na trh, protože je tam levně",
    "de": "Morgen möchte ich mit meinem Freund auf den Markt gehen",
    "el": "Αύριο θέλω να πάω στην αγορά",
    "en": "Tomorrow I want to go to the market with my friend",
    "es": "Mañana quiero ir al mercado con mi amigo porque es barato",
    "fa": "می‌خواهم فردا با دوستم به بازار بروم",
    "fi": "Huomenna haluan mennä torille ystäväni kanssa",
    "fr": "Demain je voudrais aller au marché avec mon ami",
    "he": "מחר אני רוצה ללכת לשוק",
    "hi": "मैं कल अपने दोस्त के साथ बाज़ार जाना चाहता हूँ",
    "hu": "Holnap a barátommal szeretnék a piacra menni",
    "it": "Domani vorrei andare al mercato con il mio amico",
    "ja": "明日友達と市場に行きたいです",
    "ko": "내일 친구와 시장에 가고 싶어요",
    "nl": "Morgen wil ik met mijn vriend naar de markt gaan",
    "pl": "Jutro chcę pójść na targ z moim przyjacielem",
    "pt": "Amanhã quero ir ao mercado com o meu amigo, não é longe",
    "ru": "Завтра я хочу пойти на рынок со своим другом",
    "sv": "I morgon vill jag gå till marknaden med min vän",
    "ta": "நான் நாளை சந்தைக்கு செல்ல விரும்புகிறேன்",
    "th": "พรุ่งนี้ฉันอยากไปตลาดกับเพื่อน",
    "tr": "Yarın arkadaşımla pazara gitmek istiyorum",
    "uk": "Завтра я хочу піти на ринок зі своїм другом",
    "ur": "میں کل اپنے دوست کے ساتھ بازار جانا چاہتا ہوں",
    "vi": "Ngày mai tôi muốn đi chợ với bạn của tôi",
    "zh": "明天我想和朋友去市场",
}

KNOWN = re.findall(
    r"\w+",
    """
    bengali chinese dutch english french german italian japanese korean persian portuguese russian spanish
    turkish ukrainian
    """,
)
"""Corpora of one language each. Others are small, or hold much English."""

UNTOLD = [
    "",
    "   ",
    "ok",
    "lol :D",
    "12345 67890 12345 67890",
    "😀😀😀😀😀😀😀😀😀😀",
    "¯\\_(ツ)_/¯",
    "你好",
    "はい",
    "привет",
    "https://example.org/this/is/a/long/address/in/english/words",
    "mail the.person.of.the.market@example.org",
    "我用 Python 写 the hello world program",
    "Iphigenia Xanthippe Zweig",
]


@pytest.mark.parametrize(("tag", "sentence"), SENTENCES.items())
def test_language_of_a_sentence_is_told(tag: str, sentence: str) -> None:
    assert language_of(sentence) == tag


@pytest.mark.parametrize("text", UNTOLD)
def test_language_of_what_tells_nothing_is_left_open(text: str) -> None:
    assert language_of(text) == ""


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("请看 https://example.org/market 谢谢你们", "zh"),
        ("明天我想和朋友去市场の朋友一起去买水果和牛奶面包", "zh"),
        ("TOMORROW I WANT TO GO TO THE MARKET WITH MY FRIEND", "en"),
        ("我想喺聽日同朋友一齊去街市買餸", "zh"),
        ("좋아요 좋아요 OK", "ko"),
    ],
)
def test_language_of_mixed_texts_is_that_of_most_letters(text: str, tag: str) -> None:
    assert language_of(text) == tag


@pytest.mark.parametrize("name", KNOWN)
def test_languages_of_known_corpora_are_told(name: str) -> None:
    """At most 1 % are wrong, and more than 60 % of what is long enough is told."""
    tag = SAID[name]
    texts = {turn.text for talk in read_chatterbot(name, lambda notice: None) for turn in talk.turns}
    found = [language_of(text) for text in sorted(texts)]
    wrong = [language for language in found if language not in ("", tag)]
    assert len(wrong) <= max(1, 0.01 * len(found))
    sentences = [text for text in texts if sum(map(str.isalpha, text)) >= 30]
    assert sum(language_of(text) == tag for text in sentences) > 0.6 * len(sentences)


@given(st.text())
def test_language_of_any_text_is_known_or_open(text: str) -> None:
    assert language_of(text) in {"", *LANGUAGES}
    assert main_script(text) in {"", "Other", *SCRIPTS}


def test_classifier_is_read_without_pickle_and_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> Any:
        raise AssertionError("must not be used")

    for module, name in ((pickle, "load"), (pickle, "loads"), (pickle, "Unpickler"), (socket, "socket")):
        monkeypatch.setattr(module, name, refuse)
    languages._every_language.cache_clear()
    languages._classifier.cache_clear()
    assert language_of(SENTENCES["en"]) == "en"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("hello да", "Latin"),
        ("привет ok", "Cyrillic"),
        ("你好 hi 吗", "Han"),
        ("ありがとう", "Hiragana"),
        ("ｺｰﾋｰ", "Katakana"),
        ("नमस्ते", "Devanagari"),
        ("안녕", "Hangul"),
        ("ＨＥＬＬＯ", "Latin"),
        ("𝐇𝐞𝐥𝐥𝐨", "Latin"),
        ("𐌰𐌱𐌲", "Other"),
        ("12 :)", ""),
        ("", ""),
    ],
)
def test_main_script_is_what_most_letters_are_of(text: str, script: str) -> None:
    assert main_script(text) == script


@pytest.mark.parametrize(
    ("text", "names", "written"),
    [
        ("hello", "Latin", True),
        ("hello", "Han", False),
        ("你好 ok", "Latin,Han", True),
        ("你好 ok", "Latin", False),  # no more than half
        ("你好 yes", "Latin", True),
        ("123 !?", "Thai", True),
        ("", "Thai", True),
        ("明日友達と行く", "Japanese", True),
        ("안녕하세요", "korean", True),
        ("ありがとう", "Han", False),
        ("𐌰𐌱𐌲", "Latin", False),
    ],
)
def test_is_written_in_wants_more_than_half_of_the_letters(text: str, names: str, written: bool) -> None:
    assert is_written_in(text, parse_scripts(names)) is written


@given(st.text("abcé да你안"))
def test_is_written_in_all_scripts_is_always_true(text: str) -> None:
    assert is_written_in(text, frozenset(SCRIPTS))
    assert is_written_in(text, frozenset()) is not any(map(str.isalpha, text))


def test_parse_scripts_takes_names_as_people_write_them() -> None:
    assert parse_scripts(" latin, HAN ,") == {"Latin", "Han"}
    assert parse_scripts("Japanese") == {"Han", "Hiragana", "Katakana"}
    assert parse_scripts("Korean,Kana") == {"Hangul", "Han", "Hiragana", "Katakana"}
    assert parse_scripts("canadian aboriginal") == {"Canadian_Aboriginal"}


def test_parse_languages_takes_tags() -> None:
    assert parse_languages("en, FR,zh-Hant") == {"en", "fr", "zh"}
    assert parse_languages("nb,iw,pt_BR,yue") == {"no", "he", "pt", "zh"}


@pytest.mark.parametrize(
    ("names", "advice"),
    [
        ("Latn", "Latin"),
        ("Latin,cyrilic", "Cyrillic"),
        ("japanes", "Japanese"),
        ("?", "Latin,Han"),
        (",", "Latin,Han"),
    ],
)
def test_parse_scripts_advises_on_unknown_names(names: str, advice: str) -> None:
    with pytest.raises(OptionError, match=f"^--scripts: .*{advice}"):
        parse_scripts(names)


@pytest.mark.parametrize(
    ("tags", "advice"),
    [("english", r"en \(English\)"), ("en,germn", r"de \(German\)"), ("xx", "en,fr"), (",", "en,fr")],
)
def test_parse_languages_advises_on_unknown_tags(tags: str, advice: str) -> None:
    with pytest.raises(OptionError, match=f"^--languages: .*{advice}"):
        parse_languages(tags)
