"""Encodings are told from short samples of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.input.encodings import checked_encoding, guessed_encoding, shown_encoding, wide_encoding
from chatbot.errors import OptionError

RUSSIAN = """Привет, как дела?
Я приду завтра вечером.
Нормально, а у тебя что нового?
Давай встретимся у метро в семь
НЕ КРИЧИ НА МЕНЯ
Ладно, до завтра!
Ты уже купила билеты в кино?
Спасибо большое, очень выручил"""
UKRAINIAN = """Привіт, як справи?
Дякую, у мене все добре
Зустрінемось завтра біля школи її брата"""
GREEK = """Καλημέρα, τι κάνεις;
Είμαι πολύ καλά, ευχαριστώ
Θα έρθεις αύριο στο σπίτι μας;"""
HEBREW = "שלום, מה שלומך היום?\nאני בסדר, תודה רבה"
ARABIC = "مرحبا كيف حالك اليوم؟\nأنا بخير والحمد لله"
THAI = "สวัสดีครับ วันนี้เป็นอย่างไรบ้าง\nสบายดี ขอบคุณมาก"
FRENCH = """Ça va très bien, merci.
Où étais-tu hier à midi ?
J’ai oublié la clé chez ma mère…
Tu as déjà mangé ?"""
GERMAN = """Grüß dich, schön dass du da bist
Hast du Zeit für einen Kaffee?
Ich weiß nicht, vielleicht später
Äpfel und Öl sind übrig"""
SPANISH = """¿Qué tal estás?
Mañana voy a la montaña
Sí, claro, ¡qué ilusión!"""
PORTUGUESE = "Não sei, você já comeu?\nAmanhã à tarde então, está bem"
SWEDISH = "Hur mår du i dag?\nJag är trött, vi ses på måndag"
POLISH = """Cześć, jak się masz?
Będę jutro później
Dziękuję, wszystko w porządku
Może pójdziemy do kina? Świetnie!"""
CZECH = """Dobrý den, jak se máš?
Přijdu zítra večer, děkuji
Žádný problém, těším se"""
HUNGARIAN = (
    "Szia, hogy vagy? Köszönöm, jól\nHolnap később érkezem, jó lesz így?\nNagyon örülök, hogy jössz, őszintén"
)
TURKISH = "Merhaba, nasılsın bugün?\nTeşekkür ederim, iyiyim\nYarın akşam görüşürüz"
LITHUANIAN = """Labas, kaip tau sekasi šiandien?
Ačiū, viskas gerai, rytoj būsiu vėliau
Iki pasimatymo, mano mažoji žvaigždė"""
JAPANESE = """こんにちは、元気ですか。
明日は雨です。
うん、昨日カラオケに行ったよ
ごめん、遅れる！"""
SIMPLIFIED = """你好吗\t我很好
今天下午一起去喝咖啡吧
明天见，别忘了带伞
哈哈哈哈真的吗？"""
TRADITIONAL = """你好嗎？我今天很好。
下午要不要一起喝咖啡
明天見，別忘記帶傘
真的假的啦"""
KOREAN = """안녕하세요, 잘 지내요?
오늘 저녁에 뭐 먹을까
내일 봐요 ㅎㅎ
네 알겠습니다"""

TEXTS = [
    ("cp1252", FRENCH),
    ("cp1252", GERMAN),
    ("cp1252", SPANISH),
    ("cp1252", PORTUGUESE),
    ("cp1252", SWEDISH),
    ("cp1252", "it’s co\u00adop"),
    ("cp1252", "naïve"),
    ("cp1252", "That was £5, or 6 €"),
    ("cp1252", "“Why?” – don’t ask"),
    ("cp1250", POLISH),
    ("cp1250", CZECH),
    ("cp1250", HUNGARIAN),
    ("iso8859_2", POLISH),
    ("cp1254", TURKISH),
    ("cp1257", LITHUANIAN),
    ("cp1251", RUSSIAN),
    ("cp1251", UKRAINIAN),
    ("koi8_u", RUSSIAN),
    ("cp866", RUSSIAN),
    ("iso8859_5", RUSSIAN),
    ("cp1253", GREEK),
    ("cp1255", HEBREW),
    ("cp1256", ARABIC),
    ("cp874", THAI),
    ("gb18030", SIMPLIFIED),
    ("gb18030", TRADITIONAL),
    ("big5hkscs", TRADITIONAL),
    ("cp932", JAPANESE),
    ("euc_jp", JAPANESE),
    ("cp949", KOREAN),
]
LINES = [(encoding, line) for encoding, text in TEXTS for line in text.split("\n")]
TWENTY = [(encoding, "\n".join((text.split("\n") * 20)[:20])) for encoding, text in TEXTS]

# Lines of few letters that are as likely something else: read with their neighbours they are told apart.
AMBIGUOUS = {
    ("koi8_u", "НЕ КРИЧИ НА МЕНЯ"),
    ("iso8859_2", "Może pójdziemy do kina? Świetnie!"),
    ("cp1257", "Labas, kaip tau sekasi šiandien?"),
    ("cp1257", "Ačiū, viskas gerai, rytoj būsiu vėliau"),
}


@pytest.mark.parametrize(("encoding", "line"), LINES)
def test_one_line_tells_its_encoding(encoding: str, line: str) -> None:
    raw = line.encode(encoding)
    read = raw.decode(guessed_encoding(raw))
    assert (read == line) != ((encoding, line) in AMBIGUOUS)


@pytest.mark.parametrize(("encoding", "text"), TWENTY)
def test_twenty_lines_tell_their_encoding(encoding: str, text: str) -> None:
    raw = text.encode(encoding)
    assert raw.decode(guessed_encoding(raw)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [FRENCH, RUSSIAN, SIMPLIFIED, KOREAN, "Hello\nHi\n", "你好\n", "一一 一\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf16_is_told_with_and_without_a_mark(encoding: str, text: str, mark: str) -> None:
    assert wide_encoding((mark + text).encode(encoding)) == encoding


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_utf32_is_told_by_its_mark(encoding: str) -> None:
    assert wide_encoding(("\ufeff" + FRENCH).encode(encoding)) == encoding


@pytest.mark.parametrize(
    "data", [b"", b"Hello\nHi\n", b"Hello\0there\nHi\n", b"Hello\n" * 99 + b"\0\n", b"\0" * 99]
)
def test_other_bytes_are_not_wide(data: bytes) -> None:
    assert wide_encoding(data) == ""


@given(st.binary())
def test_any_bytes_have_some_encoding(data: bytes) -> None:
    assert shown_encoding(guessed_encoding(data))
    assert isinstance(wide_encoding(data), str)


@pytest.mark.parametrize("name", ["", "nonsense", "rot13", "hex", "undefined", "idna", "\0", "ü", "../x"])
def test_unknown_encoding_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="no encoding"):
        checked_encoding(name)


@pytest.mark.parametrize("name", ["utf-8", "UTF8", "latin1", "cp1252", "Shift_JIS", "utf-16", "big5"])
def test_known_encoding_is_taken(name: str) -> None:
    assert checked_encoding(name)
