"""SCAN: commands of a small grammar and the actions they stand for, made from the grammar itself.

    C -> S and S | S after S | S            [a and b] = [a] [b],  [a after b] = [b] [a]
    S -> V twice | V thrice | V             [a twice] = [a] [a]
    V -> D opposite LEFT-RIGHT | D around LEFT-RIGHT | D | U
    D -> U left | U right | turn left | turn right,   U -> walk | look | run | jump

Source: Lake and Baroni 2018, section 2 and figures 6 and 7: 20,910 commands; the simple split keeps a
random fifth for testing. Of their networks the best on it was right on 99.8 % (section 3, experiment 1).
"""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.tasks.harness import FIRST, Pair, Recipe, Table, learn, replies
from chatbot.config import ModelOptions

ACTIONS = {"walk": ["WALK"], "look": ["LOOK"], "run": ["RUN"], "jump": ["JUMP"], "turn": []}
TURNS = {"left": "LTURN", "right": "RTURN"}
TIMES = {"": 1, "twice": 2, "thrice": 3}

Command = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a command and its actions."""


def commands() -> list[Command]:
    """Every command with its actions, each once."""
    sentences = [
        (words + ((often,) if often else ()), actions * times)
        for words, actions in _verbs()
        for often, times in TIMES.items()
    ]
    joined = itertools.product(sentences, ("and", "after"), sentences)
    return sentences + [
        ((*first, word, *second), (said + then) if word == "and" else (then + said))
        for (first, said), word, (second, then) in joined
    ]


def _verbs() -> list[Command]:
    """Every V: a plain action, a turned one, one opposite and one all around."""
    found: list[Command] = [((name,), tuple(acts)) for name, acts in ACTIONS.items() if acts]
    for (name, acts), (side, turn) in itertools.product(ACTIONS.items(), TURNS.items()):
        found += [
            ((name, side), (turn, *acts)),
            ((name, "opposite", side), (turn, turn, *acts)),
            ((name, "around", side), (turn, *acts) * 4),
        ]
    return found


def vocabulary() -> dict[str, int]:
    """The id of every word and action."""
    words = {word for command, _ in commands() for word in command}
    actions = {action for _, acts in commands() for action in acts}
    return {name: FIRST + i for i, name in enumerate([*sorted(words), *sorted(actions)])}


def simple_split(seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """All commands as ids: four fifths to learn from, a random fifth to be asked."""
    ids = vocabulary()
    pairs = [([ids[word] for word in said], [ids[act] for act in acts]) for said, acts in commands()]
    order = np.random.default_rng(seed).permutation(len(pairs))
    cut = len(pairs) * 4 // 5
    return [pairs[i] for i in order[:cut]], [pairs[i] for i in order[cut:]]


def run() -> Table:
    """Networks that learn from four fifths of all commands, asked the rest, every one."""
    learning, asked = simple_split()
    vocab = FIRST + len(vocabulary())
    rows: list[tuple[str | float, ...]] = []
    for attention in ("general", "none"):
        options = ModelOptions(attention=attention, cell="lstm", embed=64, hidden=128, dropout=0.1)
        learned = learn(options, vocab, lambda random: learning[random.integers(len(learning))], Recipe(5000))
        said = replies(learned.network, vocab, [source for source, _ in asked], 50)
        right = sum(found == wanted for found, (_, wanted) in zip(said, asked, strict=True))
        rows.append((attention, f"{right} of {len(asked):,}", right / len(asked)))
    return Table(
        "SCAN, simple split",
        "All 20,910 commands of the published grammar; a random fifth is asked for. Lake and Baroni 2018, "
        "section 3: 99.8 % with their best network, a two-layer LSTM without attention; 5,000 steps of 64 "
        "here.",
        ("attention", "right", "share"),
        tuple(rows),
    )
