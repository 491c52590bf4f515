"""Page: attention as one HTML file that needs nothing but itself.

A word of a reply lights up what it looked at, while the pointer is on it or the keyboard has come to it;
a word of the question lights up what looked at it. Nothing is fetched and nothing is sent: the page's own
policy forbids it (W3C, Content Security Policy Level 3), and lets no code run but the one script whose
hash it names. Texts are escaped, so that no reply is taken for markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from chatbot.display.exhibit import Exhibit
from chatbot.display.labels import END, Row, rows_of, shown, turn_name, turn_of, turns_of
from chatbot.display.look import share
from chatbot.display.palette import PALETTES, STEPS, Palette, legible
from chatbot.display.reply import ShownAttention, ShownWord
from chatbot.display.text import printable

LAYOUT = """
body{margin:0 auto;max-width:60rem;padding:1.5rem;background:var(--paper);color:var(--ink);
font:1rem/1.6 system-ui,"Noto Sans","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.25rem;margin:0 0 .25rem}h2{font-size:1rem;margin:0}
.by{color:var(--muted);margin:0 0 .5rem;font-size:.875rem}
section{border-top:1px solid var(--none);padding:1rem 0}
body.abreast{max-width:none;display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr))}
body.abreast>header{grid-column:1/-1}
p{margin:.35rem 0}.who,.turn{color:var(--muted);font-size:.8rem;margin-inline-end:.6rem;
display:inline-block;min-width:4.5em}
.w,.r{border-radius:.25rem;padding:.1rem .12rem}.r{cursor:pointer;border-bottom:2px solid var(--none)}
.r:hover,.r:focus,.w:focus{outline:2px solid var(--ink);outline-offset:1px}
.told{min-height:1.6em;color:var(--muted);font-size:.875rem}
details{margin-top:.25rem}summary{cursor:pointer;color:var(--muted);font-size:.875rem}
.map{overflow-x:auto}table{border-collapse:collapse;font-size:.8125rem}
th{font-weight:400;padding:.15rem .4rem;text-align:start}
td{padding:.15rem .3rem;min-width:1.6rem;text-align:center}
"""

SCRIPT = """
"use strict";
function lit(event, on) {
  const word = event.target.closest ? event.target.closest(".r,.w") : null;
  if (!word) return;
  const box = word.closest("section"), said = word.classList.contains("r");
  const told = box.querySelector(".told");
  for (const other of box.querySelectorAll(said ? ".w" : ".r")) {
    const weights = (said ? word : other).dataset.w.split(" ");
    const weight = Number(weights[(said ? other : word).dataset.j]);
    other.className = other.className.replace(/ s\\d+/, "");
    if (on) other.className += " s" + Math.round(weight * STEPS);
  }
  if (told) told.textContent = on ? word.title : "";
}
for (const name of ["pointerover", "focusin"]) document.addEventListener(name, event => lit(event, true));
for (const name of ["pointerout", "focusout"]) document.addEventListener(name, event => lit(event, false));
""".replace("STEPS", str(STEPS))

LEAST = 0.005
"""A weight that is told."""

MOST = 4
"""Words that are told of a row."""


def page(title: str, exhibits: Sequence[Exhibit], theme: str = "", abreast: bool = False) -> str:
    """The whole page.

    Args:
        theme: light or dark; as the reader's system has it when "".
        abreast: exhibits stand side by side where there is room.
    """
    return opening(title, theme, abreast) + "".join(section(exhibit) for exhibit in exhibits)


def opening(title: str, theme: str = "", abreast: bool = False, by: str = "") -> str:
    """The beginning of a page, after which sections may follow; HTML lets the end tags be left out.

    Args:
        by: a line under the title.
    """
    style, name = _style(theme), _text(title)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(SCRIPT)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="{theme or "light dark"}">\n'
        f"<title>{name}</title>\n<style>{style}</style>\n<script>{SCRIPT}</script>\n"
        f"<body{' class=abreast' * abreast}>\n<header><h1>{name}</h1>\n"
        f'<p class="by">{_text(by)}</p></header>\n'
    )


def section(exhibit: Exhibit) -> str:
    """One exhibit."""
    attention = exhibit.attention
    parts = [f"<section>\n<h2>{_text(exhibit.caption)}</h2>\n"]
    if attention is None or not attention.source:
        parts += [_spoken(turn_name(0), _text(exhibit.question)), _spoken("reply", _text(exhibit.reply))]
        parts += ['<p class="by">This reply has no attention to show.</p>\n'] if exhibit.reply else []
    else:
        rows = rows_of(attention)
        parts += list(_source(exhibit, attention, rows))
        parts += [_spoken("reply", _reply(exhibit, attention, rows))]
        parts += ['<p class="told" aria-live="polite"></p>\n', *_table(attention, rows)]
    return "".join([*parts, "</section>\n"])


def _source(exhibit: Exhibit, attention: ShownAttention, rows: Sequence[Row]) -> Iterator[str]:
    """A paragraph for each turn, its words marked."""
    for turn, places in turns_of(attention):
        marked = []
        for place in places:
            title = f"{_label(attention.source[place])} → {_heaviest(_lookers(rows, place))}"
            facts = {"class": "w", "data-j": str(place), "tabindex": "0", "title": title}
            marked.append((attention.source[place], facts))
        yield _spoken(turn_name(turn), _marked(exhibit.turn(turn), marked))


def _reply(exhibit: Exhibit, attention: ShownAttention, rows: Sequence[Row]) -> str:
    names = [_label(word) for word in attention.source]
    facts = []
    for row in rows:
        looked = _heaviest(zip(names, row.weights, strict=True))
        weights = " ".join(f"{share(weight):.4g}" for weight in row.weights)
        facts.append({"class": "r", "tabindex": "0", "title": f"{row.label} ← {looked}", "data-w": weights})
    words = list(zip(attention.reply, facts, strict=False))
    ends = [_span(END, fact) for fact in facts[len(words) :]]
    return " ".join([_marked(exhibit.reply, words), *ends])


def _marked(text: str, words: Sequence[tuple[ShownWord, Mapping[str, str]]]) -> str:
    """The text with its words in spans; the words alone where the text is not known."""
    parts, done = [], 0
    for word, facts in words:
        if text[word.start : word.end] == word.text and word.start >= done:
            parts.append(_text(text[done : word.start]))
            done = word.end
        else:
            parts.append(" " if parts else "")
        parts.append(_span(word.text, facts))
    return "".join([*parts, _text(text[done:]) if done else ""])


def _table(attention: ShownAttention, rows: Sequence[Row]) -> Iterator[str]:
    """The heat map, folded away."""
    yield '<details><summary>heat map</summary><div class="map"><table>\n<tr><td></td>'
    yield "".join(f'<th scope="col">{_text(_label(word))}</th>' for word in attention.source)
    for row in rows:
        cells = (f'<td class="s{round(share(w) * STEPS)}">{_hundredths(w)}</td>' for w in row.weights)
        yield f'</tr>\n<tr><th scope="row">{_text(row.label)}</th>{"".join(cells)}'
    yield "</tr>\n</table></div></details>\n"


def _label(word: ShownWord) -> str:
    turn = turn_of(word)
    return f"{shown(word.text)} ({turn})" if turn else shown(word.text)


def _lookers(rows: Sequence[Row], place: int) -> Iterator[tuple[str, float]]:
    return ((row.label, row.weights[place]) for row in rows)


def _heaviest(pairs: Iterable[tuple[str, float]]) -> str:
    order = sorted(((share(weight), name) for name, weight in pairs), key=lambda pair: -pair[0])
    told = [f"{name} {weight:.2f}" for weight, name in order[:MOST] if weight >= LEAST]
    return ", ".join(told) or "nothing"


def _hundredths(weight: float) -> str:
    return f"{share(weight) * 100:.0f}" if share(weight) >= LEAST else ""


def _spoken(who: str, marked: str) -> str:
    return f'<p dir="auto"><span class="who">{escape(who)}</span>{marked}</p>\n'


def _span(text: str, facts: Mapping[str, str]) -> str:
    attributes = "".join(f' {name}="{_text(value)}"' for name, value in facts.items())
    return f"<span{attributes}>{_text(text)}</span>"


def _text(text: str) -> str:
    return escape(printable(text))


def _style(theme: str) -> str:
    if theme:
        return _colours(PALETTES[theme]) + LAYOUT
    dark = f"@media (prefers-color-scheme:dark){{{_colours(PALETTES['dark'])}}}"
    return _colours(PALETTES["light"]) + dark + LAYOUT


def _colours(palette: Palette) -> str:
    names = ("paper", "ink", "muted", "none")
    shades = enumerate(palette.shades())
    return (
        ":root{"
        + ";".join(f"--{name}:{getattr(palette, name)}" for name in names)
        + "}"
        + "".join(f".s{step}{{background:{shade};color:{legible(shade)}}}" for step, shade in shades)
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
