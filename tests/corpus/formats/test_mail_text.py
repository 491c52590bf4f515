"""What somebody says in a mail, and what is quoted there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats.mail_html import text_of_html
from chatbot.corpus.formats.mail_text import own_words, unflowed

ATTRIBUTIONS = (
    "On Fri, Mar 1, 2024 at 10:00 AM Ann Smith <ann@example.org> wrote:",
    "On Fri, Mar 1, 2024 at 10:00 AM Ann Smith\n<ann@example.org> wrote:",
    "On Fri, Mar 1, 2024 at 10:00 AM Ann Smith <ann@example.org>\nwrote:",
    "On 01/03/2024 10:00, Ann Smith wrote:",
    "Ann Smith <ann@example.org> writes:",
    "Ann Smith wrote:",
    "Am 01.03.24 um 10:00 schrieb Ann Smith:",
    "Am Fr., 1. März 2024 um 10:00 Uhr schrieb Ann Smith <\nann@example.org>:",
    "Le ven. 1 mars 2024 à 10:00, Ann Smith <ann@example.org> a écrit :",
    "El vie, 1 mar 2024 a las 10:00, Ann Smith (<ann@example.org>) escribió:",
    "Il giorno ven 1 mar 2024 alle ore 10:00 Ann Smith <ann@example.org> ha scritto:",
    "Em sex., 1 de mar. de 2024 às 10:00, Ann Smith <ann@example.org>\nescreveu:",
    "Op vr 1 mrt 2024 om 10:00 schreef Ann Smith <ann@example.org>:",
    "Den fre 1 mars 2024 kl 10:00 skrev Ann Smith <ann@example.org>:",
    "pe 1. maalisk. 2024 klo 10.00 Ann Smith (ann@example.org) kirjoitti:",
    "pt., 1 mar 2024 o 10:00 Ann Smith <ann@example.org> napisał(a):",
    "pá 1. 3. 2024 v 10:00 odesílatel Ann Smith <ann@example.org> napsal:",
    "пт, 1 мар. 2024 г. в 10:00, Ann Smith <ann@example.org>:",
    "01.03.2024 10:00, Ann Smith пишет:",
    "пт, 1 бер. 2024 р. о 10:00 Ann Smith <ann@example.org> пише:",
    "Ann Smith <ann@example.org> ezt írta (időpont: 2024. márc. 1., P, 10:00):",
    "În vin., 1 mar. 2024 la 10:00, Ann Smith <ann@example.org> a scris:",
    "Ann Smith <ann@example.org>, 1 Mar 2024 Cum, 10:00 tarihinde şunu yazdı:",
    "Στις Παρ 1 Μαρ 2024 στις 10:00 π.μ., ο/η Ann Smith <ann@example.org> έγραψε:",
    "Ann Smith <ann@example.org> 于2024年3月1日周五 10:00写道：",
    "在 2024/3/1 10:00, Ann Smith 写道:",
    "Ann Smith <ann@example.org> 於 2024年3月1日 週五 上午10:00寫道：",
    "2024年3月1日(金) 10:00 Ann Smith <ann@example.org>:",
    "2024년 3월 1일 (금) 오전 10:00, Ann Smith <ann@example.org>님이 작성:",
    "Vào Th 6, 1 thg 3, 2024 vào lúc 10:00 Ann Smith <ann@example.org> đã viết:",
    "Pada tanggal Jum, 1 Mar 2024 pukul 10:00 Ann Smith <ann@example.org> menulis:",
    "بتاريخ الجمعة، 1 مارس 2024 في 10:00 كتب Ann Smith <ann@example.org>:",
    "‫בתאריך יום ו׳, 1 במרץ 2024 ב-10:00 מאת ‪Ann Smith‬‏ <‪ann@example.org‬‏>:‬",
)

COPIES = (
    "-----Original Message-----\nFrom: Ann Smith [mailto:ann@example.org]\nSent: Friday",
    "-----Ursprüngliche Nachricht-----\nVon: Ann Smith\nGesendet: Freitag, 1. März 2024 10:00\nAn: Bob",
    "---------- Forwarded message ---------\nFrom: Ann Smith <ann@example.org>\nDate: Fri, Mar 1, 2024",
    "-------- Message transféré --------\nSujet : Rosen\nDate : Fri, 1 Mar 2024",
    "________________________________\nFrom: Ann <ann@example.org>\nSent: Friday, March 1, 2024\nTo: Bob",
    "Von: Ann Smith <ann@example.org>\nDatum: Freitag, 1. März 2024 um 10:00\nAn: Bob",
    "De : Ann Smith\nEnvoyé : vendredi 1 mars 2024 10:00\nÀ : Bob\nObjet : Roses",
    "*From:* Ann Smith\n*Sent:* Friday\n*To:* Bob",
    "От: Ann Smith\nОтправлено: 1 марта 2024 г.\nКому: Bob",
    "发件人： Ann Smith\n发送时间： 2024年3月1日\n收件人： Bob",
    "差出人: Ann Smith\n送信日時: 2024年3月1日\n宛先: Bob",
    "------------------ 原始邮件 ------------------\n发件人: Ann",
    "Begin forwarded message:\n\nFrom: Ann Smith",
    "----- Mensaje de Ann Smith -----\nDe: Ann Smith",
)


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_attribution_goes_with_the_lines_that_it_quotes(attribution: str) -> None:
    assert own_words(f"{attribution}\n> Roses?\n>\n> Ann\n\nYes.") == "Yes."
    assert own_words(f"Fine.\n\n{attribution}\n\n> Roses?\n> Ann") == "Fine."


@pytest.mark.parametrize("attribution", ATTRIBUTIONS[:4] + ATTRIBUTIONS[6:17])
def test_attribution_with_a_date_ends_a_mail_where_the_quotation_bears_no_mark(attribution: str) -> None:
    assert own_words(f"Fine.\n\n{attribution}\n\nRoses?\nAnn") == "Fine."


@pytest.mark.parametrize("copy", COPIES)
def test_copy_of_another_mail_ends_what_is_said(copy: str) -> None:
    assert own_words(f"Fine.\nThanks.\n\n{copy}\nSubject: Roses\n\nRoses?") == "Fine.\nThanks."


def test_answers_between_quotations_are_kept() -> None:
    text = "Ann wrote:\n> one?\nYes.\n\n> two?\n> three?\nNo.\nNo.\n"
    assert own_words(text) == "Yes.\n\nNo.\nNo."


@pytest.mark.parametrize(
    "end", ["-- \nBob\nRose Street", "--\nBob", "Sent from my telephone", "_" * 47 + "\nA list"]
)
def test_what_stands_below_a_mail_is_no_part_of_it(end: str) -> None:
    assert own_words(f"Fine.\n\n{end}") == "Fine."
    assert own_words(f"Fine.\n\n{end}\n\n> Roses?") == "Fine."


@pytest.mark.parametrize(
    "text",
    [
        "Dear Bob,\n\nhere is what I bought:\n\n- roses\n- water",
        "He wrote: never again",
        "My sister wrote:\nthe roses are red",
        "From: now on we water\nat eight",
        "a -- b\n--- cut here ---\nc",
        "In 2024 she wrote 3 letters:\none, two, three",
        "On Friday 1 March we met at 10:00\nand said:",
        "1 > 0\nx | y",
        "I sent it.\nSent\nDate: unknown",
    ],
)
def test_text_that_quotes_nobody_stays(text: str) -> None:
    assert own_words(text) == text


@given(st.text("ab \n>-_:：|<@.写道wrote0129Fom*=", max_size=300))
def test_own_words_are_lines_of_the_mail_in_order(text: str) -> None:
    lines = iter(line.rstrip(" ") for line in text.split("\n"))
    assert all(line.rstrip(" ") in lines for line in own_words(text).split("\n") if line)


def test_flowed_lines_join_within_one_depth_of_quotation() -> None:
    assert unflowed("a \nb\n>c \n>>d\n-- \ne \n f") == "a b\n> c \n>> d\n-- \ne f"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("<p>a</p>\n<p>b  c\nd</p>", "a\n\nb c d"),
        ("<pre>a  b\n c</pre>", "a  b\n c"),
        ("<style>x</style><script>if (a<b) {}</script>c", "c"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>c", "> a\n>\n> > b\n\nc"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("&lt;b&gt; &amp;amp; &eacute; &#x1F339;", "<b> &amp; é 🌹"),
        ("<!-- no --><![if !mso]>a<![endif]><!DOCTYPE x>b", "ab"),
        ("a <b", "a"),
        ("1 < 2 <i>and</i> 3 > 2", "1 < 2 and 3 > 2"),
        ('<a title="a > b">c</a> <a title=">d</a>', "c d"),
        ("&#" + "9" * 5000 + ";", "&#" + "9" * 5000 + ";"),
        ("a<STYLE><!-- x --></STYLE>b", "ab"),
        ("", ""),
    ],
)
def test_html_is_read_as_a_browser_shows_it(markup: str, text: str) -> None:
    assert text_of_html(markup) == text


@given(st.text("<>/!-[]ab&;#x \n\"'=?", max_size=200))
def test_any_markup_is_text(markup: str) -> None:
    assert isinstance(text_of_html(markup), str)


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<!",
        "<!--",
        "<a ",
        "<a b='",
        "&#",
        "<![",
        "<?",
        "</",
        "<blockquote>",
        "<td>x",
        "<script>",
        "<a '\"",
        "<head>",
        "<pre>\n",
    ],
)
def test_odd_markup_comes_to_an_end(piece: str) -> None:
    """A reader that goes back for each sign would take hours."""
    assert isinstance(text_of_html(piece * (400_000 // len(piece))), str)


@pytest.mark.parametrize(
    "piece", [">", "> x\n", "x:\n", "wrote 10:00:\n", "From: \n", "a@", "-- \n", "--", "_", "| x\n", "\n"]
)
def test_odd_text_comes_to_an_end(piece: str) -> None:
    assert isinstance(own_words(piece * (100_000 // len(piece)) + ":"), str)
