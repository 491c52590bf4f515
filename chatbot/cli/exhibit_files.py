"""Files of ``chatbot attend -o FILE``: what is written, by the ending of the name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chatbot.display.exhibit import Exhibit
from chatbot.display.labels import Row, rows_of, turn_of
from chatbot.display.look import Line, Look, Segment, plain
from chatbot.display.maps import MAPS, abreast, columns_abreast
from chatbot.display.terminal import DARK, LIGHT
from chatbot.display.text import printable
from chatbot.errors import ChatbotError, OptionError
from chatbot.files import write_atomically

RECORDED_COLUMNS = 100
"""Columns of the terminal that a recorded map comes from."""

NO_ATTENTION = "(no attention: it looks nowhere)"


@dataclass(frozen=True, slots=True)
class Manner:
    """How exhibits are shown.

    Args:
        map: of the terminal; None where nobody asked for one.
        theme: light or dark; "" where nobody asked.
        side_by_side: they are of several checkpoints, to be compared.
    """

    map: str | None = None
    theme: str = ""
    side_by_side: bool = False


Told = list[str]
"""What there is to say of a file that was written."""

Writer = Callable[[Sequence[Exhibit], Path, Manner], Told]


def lines_of(exhibits: Sequence[Exhibit], look: Look, manner: Manner) -> list[Line]:
    """The exhibits as a terminal shows them; those of one question side by side where there is room."""
    groups: dict[str, list[Exhibit]] = {}
    for exhibit in exhibits:
        groups.setdefault(exhibit.question, []).append(exhibit)
    lines: list[Line] = []
    for question, group in groups.items():
        lines += [(), (Segment(printable(question), strong=True),)] if lines else _heading(question)
        columns = columns_abreast(len(group), look.room) if len(group) > 1 else 0
        if columns:
            lines += abreast([_block(each, Look(columns, look.theme), manner) for each in group], columns)
        else:
            for each in group:
                lines += _block(each, look, manner)
    return lines


def _heading(question: str) -> list[Line]:
    return [(Segment(printable(question), strong=True),)]


def _block(exhibit: Exhibit, look: Look, manner: Manner) -> list[Line]:
    from chatbot.display.width import cut

    head = f"{printable(exhibit.caption)}: {printable(exhibit.reply)}"
    lines: list[Line] = [(Segment(cut(head, look.room)),)]
    if exhibit.attention is None:
        return [*lines, (Segment(cut(f"  {NO_ATTENTION}", look.room)),)] if exhibit.reply else lines
    return lines + MAPS[manner.map or "matrix"](exhibit.attention, look)


def write(exhibits: Sequence[Exhibit], path: Path, manner: Manner) -> Told:
    """Write a file of the kind its name says.

    Returns:
        Notices.

    Raises:
        ChatbotError: it cannot be written or drawn.
    """
    return WRITERS[path.suffix.lower()](exhibits, path, manner)


def check_file(path: Path, manner: Manner) -> None:
    """Refuse a name that says no kind of file, a map where none is drawn, pictures without matplotlib.

    Raises:
        OptionError: what fits.
        ChatbotError: what must be installed.
    """
    kind = path.suffix.lower()
    if kind not in WRITERS:
        what = f"{path.name} is no kind of file this can write"
        raise OptionError("-o", what, "end the name in " + ", ".join(WRITERS))
    if manner.map and kind not in MAPPED:
        raise OptionError("--map", f"is for the terminal, {', '.join(MAPPED)}", f"leave it out with {kind}")
    if manner.theme and kind not in THEMED:
        raise OptionError("--theme", f"there are no colours in {kind}", "leave it out")
    if kind == ".png" or (kind == ".svg" and not manner.map):
        _check_drawing(kind)


def _check_drawing(kind: str) -> None:
    from chatbot.display.drawing import can_draw

    if not can_draw():
        other = "or name a file .html" + (", or add --map matrix" if kind == ".svg" else "")
        raise ChatbotError("-o", f"{kind} needs matplotlib", f"pip install 'chatbot[plots]', {other}")


def _write_picture(exhibits: Sequence[Exhibit], path: Path, manner: Manner) -> Told:
    """Heat maps by matplotlib."""
    from chatbot.display.drawing import undrawable
    from chatbot.display.heatmaps import MOST_MAPS, Map, draw_picture, words_of

    drawn = [each for each in exhibits if each.attention is not None and each.attention.reply]
    if not drawn:
        raise ChatbotError(str(path), "there is no attention to draw", "choose another checkpoint")
    if len(drawn) > MOST_MAPS:
        raise ChatbotError(
            str(path), f"{len(drawn)} maps are too many for a picture", f"ask at most {MOST_MAPS}"
        )
    questions = {each.question for each in drawn}
    headline = questions.copy().pop() if len(questions) == 1 else ""
    maps = [
        Map(_title(each, headline, drawn), *_words(each), [row.weights for row in _rows(each)])
        for each in drawn
    ]
    draw_picture(maps, headline, path, manner.theme or LIGHT)
    told = [f"{each.caption}: has no attention to draw" for each in exhibits if each.attention is None]
    if missing := undrawable(words_of(maps, headline)):
        what = "" if len(missing) < 12 else " and others"
        told.append(
            f"no installed font has {missing[:12]}{what}: boxes stand for them; install a font that has, "
            "such as Noto Sans CJK, or name a file .html"
        )
    return told


def _title(exhibit: Exhibit, headline: str, drawn: Sequence[Exhibit]) -> str:
    """What tells a map from the others: the question, or the checkpoint, or both."""
    several = len({each.caption for each in drawn}) > 1
    parts = [exhibit.question] * (not headline) + [exhibit.caption] * (several or bool(headline))
    return " - ".join(parts)


def _rows(exhibit: Exhibit) -> list[Row]:
    assert exhibit.attention is not None
    return rows_of(exhibit.attention)


def _words(exhibit: Exhibit) -> tuple[list[str], list[str]]:
    """The words across and the words down."""
    assert exhibit.attention is not None
    across = [
        f"{word.text} ({turn_of(word)})" if turn_of(word) else word.text for word in exhibit.attention.source
    ]
    return across, [row.label for row in _rows(exhibit)]


def _write_svg(exhibits: Sequence[Exhibit], path: Path, manner: Manner) -> Told:
    """The heat map by matplotlib, or the terminal's map that was asked for by rich."""
    if manner.map is None:
        return _write_picture(exhibits, path, manner)
    from chatbot.display.terminal import recorded_svg

    theme = manner.theme or DARK
    lines = lines_of(exhibits, Look(RECORDED_COLUMNS, theme), manner)
    write_atomically(path, recorded_svg(lines, theme, "chatbot attend").encode())
    return []


def _write_html(exhibits: Sequence[Exhibit], path: Path, manner: Manner) -> Told:
    """The page one can point at, or the terminal's map that was asked for by rich."""
    if manner.map is None:
        from chatbot.display.page import page

        title = exhibits[0].question if len({each.question for each in exhibits}) == 1 else "Attention"
        write_atomically(path, page(title, exhibits, manner.theme, manner.side_by_side).encode())
        return []
    from chatbot.display.terminal import recorded_html

    theme = manner.theme or DARK
    lines = lines_of(exhibits, Look(RECORDED_COLUMNS, theme), manner)
    write_atomically(path, recorded_html(lines, theme).encode())
    return []


def _write_text(exhibits: Sequence[Exhibit], path: Path, manner: Manner) -> Told:
    lines = lines_of(exhibits, Look(RECORDED_COLUMNS), manner)
    write_atomically(path, "".join(plain(line) + "\n" for line in lines).encode())
    return []


def _table(name: str) -> Writer:
    """A writer of one of ``chatbot.display.tables``, which are imported when one is wanted."""

    def write_table(exhibits: Sequence[Exhibit], path: Path, manner: Manner) -> Told:
        from chatbot.display import tables

        to_bytes: Callable[[Sequence[Exhibit]], bytes] = getattr(tables, name)
        write_atomically(path, to_bytes(exhibits))
        return []

    return write_table


WRITERS: dict[str, Writer] = {
    ".png": _write_picture,
    ".svg": _write_svg,
    ".html": _write_html,
    ".txt": _write_text,
    ".csv": _table("csv_bytes"),
    ".json": _table("json_bytes"),
    ".npz": _table("npz_bytes"),
}
MAPPED = (".svg", ".html", ".txt")
THEMED = (".png", ".svg", ".html")
