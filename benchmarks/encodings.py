"""How often the guess of an old encoding is wrong, beside charset-normalizer where that is installed.

    python benchmarks/encodings.py [--sample N]

Lines of the chatterbot corpora that are not ASCII are encoded as people's files are; each is guessed alone,
and in bundles of 20. A guess is right where the text comes out as it was.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable

from chatbot.corpus.builtin import read_chatterbot
from chatbot.corpus.input.encodings import guessed_encoding

ENCODINGS = {
    "french": "cp1252",
    "german": "cp1252",
    "spanish": "cp1252",
    "portuguese": "cp1252",
    "italian": "cp1252",
    "swedish": "cp1252",
    "turkish": "cp1254",
    "russian": "cp1251",
    "ukrainian": "cp1251",
    "hebrew": "cp1255",
    "persian": "cp1256",
    "thai": "cp874",
    "chinese": "gb18030",
    "japanese": "cp932",
    "korean": "cp949",
}

Guess = Callable[[bytes], str]


def by_library(data: bytes) -> str:
    """The guess of charset-normalizer."""
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return best.encoding if best is not None else "ascii"


def texts_of(language: str, encoding: str, most: int) -> list[str]:
    """Different lines that need the encoding and can be written in it."""
    found: dict[str, None] = {}
    for talk in read_chatterbot(language, lambda notice: None):
        for turn in talk.turns:
            if not turn.text.isascii() and turn.text.encode(encoding, "ignore").decode(encoding) == turn.text:
                found.setdefault(turn.text)
    every = list(found)
    return every[:: max(1, len(every) // most)][:most]


def wrong(texts: list[str], encoding: str, guess: Guess) -> int:
    """How many texts come out as something else."""
    data = [text.encode(encoding) for text in texts]
    return sum(raw.decode(guess(raw), "replace") != text for raw, text in zip(data, texts, strict=True))


def main() -> None:
    """Print a line a language: wrong guesses of single lines and of bundles, ours and the library's."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=100, help="lines of a language")
    most = parser.parse_args().sample
    guesses: dict[str, Guess] = {"ours": guessed_encoding}
    if importlib.util.find_spec("charset_normalizer"):
        guesses["library"] = by_library
    for language, encoding in ENCODINGS.items():
        lines = texts_of(language, encoding, most)
        bundles = ["\n".join(lines[at : at + 20]) for at in range(0, len(lines) - 19, 20)]
        cells = [
            f"{name} {wrong(lines, encoding, guess)} and {wrong(bundles, encoding, guess)}"
            for name, guess in guesses.items()
        ]
        print(
            f"{language:11} {encoding:8} of {len(lines)} lines and {len(bundles)} bundles: "
            + ", ".join(cells)
        )


if __name__ == "__main__":
    main()
