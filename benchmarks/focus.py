"""What a focus does: the weight of a random word of an opening, and how many replies change.

.venv/bin/python benchmarks/focus.py [CHECKPOINT]
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

from chatbot import Chatbot
from chatbot.reply import Reply
from chatbot.text.words import word_spans

QUESTIONS, SHORTEST, LONGEST = 100, 4, 10
WEIGHTS = (1, 10, 100, 1_000, 10_000, 100_000)


def openings(checkpoint: Path, rng: random.Random) -> list[tuple[str, str]]:
    """Questions that the checkpoint keeps for --why, and a word of each."""
    lines = (checkpoint / "why.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)[0] for line in lines]
    chosen = rng.sample([text for text in texts if SHORTEST <= len(text.split()) <= LONGEST], QUESTIONS)
    words = [[text[start:end] for start, end in word_spans(text)] for text in chosen]
    return [
        (text, rng.choice([word for word in its if word.isalpha()]))
        for text, its in zip(chosen, words, strict=True)
    ]


def share(reply: Reply, word: str) -> float | None:
    """The mean weight that the words of a reply gave to a word of the question."""
    attention = reply.attention
    if attention is None or not attention.reply:
        return None
    places = [at for at, each in enumerate(attention.source) if each.text.casefold() == word.casefold()]
    return sum(row[place] for row in attention.weights for place in places) / len(attention.weights)


def main(checkpoint: Path) -> None:
    """Print a table row for each weight."""
    bot = Chatbot.load(checkpoint, "cpu")
    plain = replace(bot.options, guess=True)
    asked = openings(checkpoint, random.Random(0))  # noqa: S311  a sample
    without = bot.replies([text for text, _ in asked], plain)
    for weight in WEIGHTS:
        replies = [
            bot.reply(text, options=replace(plain, focus=(word,), focus_weight=float(weight)))
            for text, word in asked
        ]
        shares = [share(reply, word) for reply, (_, word) in zip(replies, asked, strict=True)]
        told = [each for each in shares if each is not None]
        changed = sum(one.text != other.text for one, other in zip(replies, without, strict=True))
        print(f"| {weight:,} | {sum(told) / len(told):.2f} | {changed} |")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "checkpoints/starter"))
