"""The options of reading files and of choosing pairs from them."""

from __future__ import annotations

from dataclasses import dataclass

from chatbot.option import option


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files become conversations; a stored corpus was read when it was added."""

    format: str = option("", "format of the files, see chatbot corpus formats; recognised where not given")
    encoding: str = option("", "encoding of the files, such as cp1252; found out where not given")
    columns: str = option(
        "", "columns of a table that hold the question and the reply, as A,B: names or numbers"
    )
    src: str = option("", "file of one question a line; the replies are the lines of --tgt")
    tgt: str = option("", "file of one reply a line, for the questions of --src")
    burst_minutes: float = option(
        60.0,
        "longest pause between messages of one speaker that are one turn; 0: none are joined",
        unit="minutes",
        low=0,
    )
    gap_hours: float = option(12.0, "a longer silence ends a conversation; 0: none does", unit="hours", low=0)
    bots: str = option("", "speakers whose messages are no turns, as NAME,NAME")
    scrub: bool = option(
        False, "replace addresses, numbers, links and names by placeholders before anything is written"
    )
    region: str = option("", "country whose phone numbers are written without +, as two letters; for --scrub")


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Which pairs are learned from."""

    mix: str = option(
        "",
        "how often an epoch shows each pair of a corpus, as NAME=TIMES,NAME=TIMES; 1 where not named",
    )
    validation: float = option(0.05, "share of conversations held out", low=0.0, high=0.5)
    me: str = option("", "speaker who gives the replies; every speaker where not given")
    context: int = option(0, "earlier turns put in front of a question", unit="turns", low=0, high=32)
    min_words: int = option(1, "shortest question and reply", unit="words", low=0)
    max_words: int = option(200, "longest question and reply; 0: no limit", unit="words", low=0)
    reply_cap: int = option(
        50, "how often one reply may occur among a corpus' pairs; 0: no limit", unit="pairs", low=0
    )
    near_duplicates: bool = option(False, "keep pairs that are nearly the same as an earlier one")
    echoes: bool = option(False, "keep longer replies that only repeat the question")
    scripts: str = option("", "keep pairs written in these scripts only, as Latin,Han")
    languages: str = option("", "keep pairs in these languages only, as en,fr; guessed from the text")
