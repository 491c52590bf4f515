from __future__ import annotations

import pytest
from rich.cells import cell_len

from chatbot.display.words import attention_lines
from chatbot.reply import Attention, Word


def attention(source: str, reply: str, *weights: tuple[float, ...]) -> Attention:
    """Over the blank-separated words of two texts; display reads no offsets here."""
    first, second = (tuple(Word(word, 0, len(word)) for word in text.split(" ")) for text in (source, reply))
    return Attention(first, second, weights)


PLAIN = attention("how are you", "i am fine", (0.9, 0.06, 0.04), (0.1, 0.3, 0.6), (0.25, 0.62, 0.13))
WIDE = attention(
    "你好 吗 😀 antidisestablishmentarianism",
    "很好 👨\u200d👩\u200d👧 incomprehensibilities ok",
    (0.7, 0.2, 0.1, 0.0),
    (0.1, 0.2, 0.3, 0.4),
    (0.25, 0.62, 0.1, 0.03),
    (0.0, 0.0, 1.0, 0.0),
)


def test_attention_lines_name_the_strongest_words_first() -> None:
    assert attention_lines(PLAIN) == [
        "  i     <-  how 0.90  are 0.06",
        "  am    <-  you 0.60  are 0.30  how 0.10",
        "  fine  <-  are 0.62  how 0.25  you 0.13",
    ]


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_attention_lines_fit_and_align(columns: int) -> None:
    lines = attention_lines(WIDE, columns)
    assert len(lines) == 4
    assert max(map(cell_len, lines)) <= columns
    assert len({cell_len(line.partition("<-")[0]) for line in lines}) == 1
    assert len({cell_len(line.partition(".")[0]) for line in lines}) == 1


def test_attention_lines_at_40_columns_keep_every_strongest_word_legible() -> None:
    lines = attention_lines(WIDE, 40)
    assert [line.partition("<-")[2].split()[0][:4] for line in lines] == ["你好", "anti", "吗", "😀"]


def test_attention_lines_hold_no_control_codes() -> None:
    lines = attention_lines(attention("a\x1b[2Jb c", "d\ne", (0.5, 0.5)))
    assert lines == ["  d e  <-  a[2Jb 0.50  c 0.50"]


def test_attention_lines_of_nothing_are_none() -> None:
    assert attention_lines(Attention((), (), ())) == []
