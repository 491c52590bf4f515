"""Names: replies that repeat a word of the question, whether it was ever seen before or not.

Networks read words. A name of the vocabulary is a word like any other; of a name that the vocabulary lacks
they know only where it stands, which is enough to copy it.

Source: See et al. 2017, section 2.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from benchmarks.tasks.harness import FIRST, Make, Pair, Recipe, Table, exact, learn
from chatbot.config import COPYING, ModelOptions
from chatbot.nn.seq2seq import UNK

NAME, OTHER = "NAME", "OTHER"

TALK = (
    ("my name is NAME", "hi NAME"),
    ("i am NAME", "hello NAME"),
    ("people call me NAME", "nice to meet you NAME"),
    ("NAME is my name", "hi NAME"),
    ("i am not OTHER i am NAME", "hello NAME"),
    ("NAME and not OTHER is my name", "hi NAME"),
    ("my brother OTHER calls me NAME", "hello NAME and hello OTHER"),
    ("OTHER told me that NAME is here", "where is NAME"),
)
"""Questions and replies; NAME and OTHER are two different names."""

FILLERS = ("well", "so", "today", "please", "then", "really", "now", "just", "maybe", "again")
MOST_FILLERS = 3
"""Fillers that stand at random places of a question."""

SYLLABLES = ("ba", "di", "fo", "ga", "hu", "ki", "lo", "mi", "nu", "pe", "ra", "so", "ta", "vi", "we", "zo")
KNOWN, RARE = 100, 1000
"""Names of the vocabulary; names met in training that it lacks, as it lacks rare words of any corpus."""

RARELY = 0.2
"""Share of rare names in training."""

STEPS = 1500


def names(seed: int = 0) -> tuple[list[str], list[str], list[str]]:
    """Names of the vocabulary, rare ones and all others, which training never shows."""
    made = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]
    mixed = np.random.default_rng(seed).permutation(made).tolist()
    return mixed[:KNOWN], mixed[KNOWN : KNOWN + RARE], mixed[KNOWN + RARE :]


def vocabulary(known: Sequence[str]) -> dict[str, int]:
    """The id of every word that is no name, and of the names it has."""
    words = {word for exchange in TALK for text in exchange for word in text.split()} - {NAME, OTHER}
    return {word: FIRST + i for i, word in enumerate([*sorted(words | set(FILLERS)), *known])}


def encode(question: Sequence[str], reply: Sequence[str], ids: dict[str, int]) -> Pair:
    """Ids of words; those that the vocabulary lacks get the ones behind it, in the question's order."""
    extended = dict(ids)
    for word in question:
        extended.setdefault(word, FIRST + len(extended))
    return [extended[word] for word in question], [extended[word] for word in reply]


def making(ids: dict[str, int], usual: Sequence[str], rare: Sequence[str] = ()) -> Make:
    """Makes exchanges about usual names, and as often as RARELY says about rare ones."""

    def name(random: np.random.Generator) -> str:
        pool = rare if rare and random.random() < RARELY else usual
        return pool[int(random.integers(len(pool)))]

    def make(random: np.random.Generator) -> Pair:
        question, reply = (text.split() for text in TALK[random.integers(len(TALK))])
        for filler in random.choice(FILLERS, random.integers(MOST_FILLERS + 1)).tolist():
            question.insert(int(random.integers(len(question) + 1)), filler)
        named = {NAME: name(random), OTHER: name(random)}
        source, said = ([named.get(word, word) for word in words] for words in (question, reply))
        return encode(source, said, ids)

    return make


def without_copies(make: Make, vocab: int) -> Make:
    """The same exchanges for an output that has the vocabulary's words alone: it learns <unk> for others."""

    def known(random: np.random.Generator) -> Pair:
        question, reply = make(random)
        return question, [token if token < vocab else UNK for token in reply]

    return known


def run() -> Table:
    """An output that copies and one that cannot, asked with names of the vocabulary and with new ones."""
    known, rare, new = names()
    ids = vocabulary(known)
    vocab, rows = FIRST + len(ids), []
    for output in ("softmax", "pointer-generator"):
        options = ModelOptions(output=output, cell="lstm", embed=64, hidden=128, dropout=0.0)
        learning = making(ids, known, rare)
        make = learning if output in COPYING else without_copies(learning, vocab)
        network = learn(options, vocab, make, Recipe(STEPS)).network
        rows.append((output, *(exact(network, vocab, making(ids, pool), 1000) for pool in (known, new))))
    return Table(
        "Names",
        f"Replies such as *hi NAME*, right to their end; {STEPS:,} steps of 64. Training shows {KNOWN} names "
        f"of the vocabulary, and in {RARELY:.0%} of the places one of {RARE:,} that it lacks. See et al. "
        "2017, section 2.2: a pointer-generator can say words that its vocabulary lacks; a softmax over the "
        "vocabulary never can.",
        ("output", "names of the vocabulary", "names never seen"),
        tuple(rows),
    )
