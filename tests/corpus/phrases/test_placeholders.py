"""Placeholders: what an application writes in place of words, and sentences that only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.message import BLANK, DELETED, KINDS, LINK, MEDIA, SAID, SYSTEM
from chatbot.corpus.phrases.media import media_phrases
from chatbot.corpus.phrases.notices import (
    call_kinds,
    call_phrases,
    deleted_phrases,
    deleted_starts,
    notice_ends,
    notice_starts,
)
from chatbot.corpus.phrases.placeholders import kind_of, without_media

MARK = "\u200e"

MEDIA_TEXTS = [
    "<Media omitted>",
    "<media omitted>",
    "<Medien ausgeschlossen>",
    "<Médias omis>",
    "<Multimedia omitido>",
    "<Arquivo de mídia oculto>",
    "<Media omessi>",
    "<Media weggelaten>",
    "<Без медиафайлов>",
    "<Медіафайли пропущено>",
    "<pominięto multimedia>",
    "<Medya dahil edilmedi>",
    "<Media jätettiin pois>",
    "<Media har utelämnats>",
    "<Media utelatt>",
    "<Medier udeladt>",
    "<Média vynechána>",
    "<Hiányzó médiafájl>",
    "<Conținut media omis>",
    "<Εξαίρεση πολυμέσων>",
    "<تم استبعاد الوسائط>",
    "<המדיה לא נכללה>",
    "<मीडिया छोड़ा गया>",
    "<Media tidak disertakan>",
    "<メディアは含まれていません>",
    "<미디어 파일 제외됨>",
    "<省略影音内容>",
    "<省略多媒體檔案>",
    "image omitted",
    "GIF omitted",
    f"{MARK}image omitted",
    "Bild weggelassen",
    "<attached: 00000012-PHOTO.jpg>",
    "< attached: x.jpg >",
    f"{MARK}<Anhang: 00000012-PHOTO.jpg>",
    "IMG-20240115-WA0001.jpg (file attached)",
    f"{MARK}IMG-20240115-WA0001.jpg (Datei angehängt)",
    "VID-1.mp4 (archivo adjunto)",
    "x.jpg <attached>",
    f"report.pdf • {MARK}3 pages {MARK}<attached: 00000013-report.pdf>",
    f"report.pdf • {MARK}3 pages {MARK}document omitted",
    "[Photo]",
    "[スタンプ]",
    "[图片]",
    "[图片][图片]",
    "Location: https://maps.example/?q=1,2",
]

DELETED_TEXTS = [
    "This message was deleted",
    "This message was deleted.",
    "You deleted this message",
    "This message was deleted by admin Ann.",
    "Diese Nachricht wurde gelöscht.",
    "Ce message a été supprimé",
    "Se eliminó este mensaje",
    "Mensagem apagada",
    "Questo messaggio è stato eliminato",
    "Dit bericht is verwijderd",
    "Данное сообщение удалено",
    "Це повідомлення видалено",
    "Ta wiadomość została usunięta",
    "Bu mesaj silindi",
    "Tämä viesti poistettiin",
    "Det här meddelandet togs bort",
    "Denne meldingen ble slettet",
    "Denne besked blev slettet",
    "Tato zpráva byla odstraněna",
    "Ezt az üzenetet törölték",
    "Acest mesaj a fost șters",
    "Αυτό το μήνυμα διαγράφηκε",
    "تم حذف هذه الرسالة",
    "הודעה זו נמחקה",
    "यह मैसेज हटा दिया गया",
    "Pesan ini telah dihapus",
    "このメッセージは削除されました",
    "삭제된 메시지입니다.",
    "此消息已删除",
    "此訊息已刪除",
]

SYSTEM_TEXTS = [
    "Messages and calls are end-to-end encrypted. No one outside of this chat can read them.",
    "Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt. Niemand außerhalb kann sie lesen.",
    "Missed voice call",
    "Missed video call at 10:30",
    f"Missed voice call, {MARK}Tap to call back",
    f"{MARK}Voice call, {MARK}3 min",
    "☎ Call time 0:35",
    "通话时长 03:12",
    "Ann joined the group.",
    "あんがグループに参加しました。",
    "阿博撤回了一条消息",
    "你撤回了一条消息",
    "小安加入本群。",
]

SAID_TEXTS = [
    "the image omitted the cat",
    "image omitted, sorry",
    "This message was deleted, why?",
    "you deleted this message, didn't you",
    "I joined the group.",
    "We left the group.",
    "Yesterday, Ann joined the group.",
    "my patience left the chat.",
    "voice call",
    "video call at 5?",
    "video call at 5",
    "Voice calls are bad.",
    "a missed voice call is rude",
    "no answer",
    "see https://example.com",
    "https://example.com look",
    "httpd is down",
    "[lol]",
    "[图片]好看",
    "[图片][lol]",
    "(file attached)",
    "I read it (file attached)",
    "IMG-1.jpg (file attached)\nin front of the house",
    f"in front of the house {MARK}<attached: 1.jpg>",
    "photo",
    "☎ me at noon",
    "Photo",
    "<3",
    "🙂",
    "...",
    "?",
    "他撤回了一条消息，为什么",
    "hello\u200e there",
    "لا",
]


@pytest.mark.parametrize("text", MEDIA_TEXTS)
def test_medium_is_told(text: str) -> None:
    assert kind_of(text) == MEDIA


@pytest.mark.parametrize("text", DELETED_TEXTS)
def test_deleted_message_is_told(text: str) -> None:
    assert kind_of(text) == DELETED


@pytest.mark.parametrize("text", SYSTEM_TEXTS)
def test_note_of_the_application_is_told(text: str) -> None:
    assert kind_of(text) == SYSTEM


@pytest.mark.parametrize("text", SAID_TEXTS)
def test_words_stay_words(text: str) -> None:
    assert kind_of(text) == SAID


@pytest.mark.parametrize(
    "text",
    ["https://example.com", "http://a.example/b?c=d https://e.example\nwww.f.example", "WWW.G.EXAMPLE"],
)
def test_links_alone_are_links(text: str) -> None:
    assert kind_of(text) == LINK


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b", "\ufe0f", "\u200e\u200f", "\u3164", "\u2800 \u2800", "\ufeff"]
)
def test_text_that_shows_nothing_is_blank(text: str) -> None:
    assert kind_of(text) == BLANK


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IMG-1.jpg (file attached)\nin front of the house", "in front of the house"),
        ("<attached: 1.jpg>\nin front", "in front"),
        ("<attached: 1.jpg> in front", "in front"),
        (f"in front {MARK}<attached: 1.jpg>", "in front"),
        (f"in front\nof it {MARK}image omitted", "in front\nof it"),
        ("IMG-1.jpg (Datei angehängt)\nvor dem Haus\n(hinten)", "vor dem Haus\n(hinten)"),
        ("nothing (of the kind)", "nothing (of the kind)"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("the image omitted the cat", "the image omitted the cat"),
    ],
)
def test_caption_is_what_is_written_with_a_medium(text: str, words: str) -> None:
    assert without_media(text) == words


def test_phrases_are_in_small_letters_as_they_are_compared() -> None:
    tables = (
        media_phrases,
        deleted_phrases,
        deleted_starts,
        call_phrases,
        call_kinds,
        notice_starts,
        notice_ends,
    )
    phrases = [phrase for table in tables for phrase in table()]
    assert [phrase for phrase in phrases if phrase != phrase.lower() or phrase != phrase.strip()] == []


@given(st.text())
def test_any_text_has_a_kind_and_white_space_around_it_changes_nothing(text: str) -> None:
    kind = kind_of(text)
    assert kind in KINDS
    assert kind_of(f" {text}\n") == kind
    assert without_media(without_media(text)) == without_media(text)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,!?", min_size=1).filter(str.strip))
def test_words_before_a_placeholder_make_it_a_message(words: str) -> None:
    assert kind_of(f"{words.strip()} x image omitted") == SAID
