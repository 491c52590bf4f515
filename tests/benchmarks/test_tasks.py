from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.tasks import names, pointing, scan
from benchmarks.tasks.harness import FIRST, Pair, Recipe, Table, collate, exact, learn
from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.dataset.batches import EOS
from chatbot.nn.seq2seq import UNK, Seq2Seq

TINY = ModelOptions(embed=16, hidden=32, dropout=0.0)

# Lake and Baroni 2018, figure 1.
PUBLISHED = {
    "jump": "JUMP",
    "jump left": "LTURN JUMP",
    "jump around right": "RTURN JUMP RTURN JUMP RTURN JUMP RTURN JUMP",
    "turn left twice": "LTURN LTURN",
    "jump thrice": "JUMP JUMP JUMP",
    "jump opposite left and walk thrice": "LTURN LTURN JUMP WALK WALK WALK",
    "jump opposite left after walk around left": "LTURN WALK " * 4 + "LTURN LTURN JUMP",
    "jump around left twice": "LTURN JUMP " * 7 + "LTURN JUMP",
}


def obeyed(command: str) -> str:
    """The actions of a command, taken apart from its outside in."""
    for joint, order in ((" and ", (0, 1)), (" after ", (1, 0))):
        if joint in command:
            sides = command.split(joint)
            return " ".join(obeyed(sides[side]) for side in order)
    words = command.split()
    if words[-1] in ("twice", "thrice"):
        return " ".join([obeyed(" ".join(words[:-1]))] * (2 if words[-1] == "twice" else 3))
    act = "" if words[0] == "turn" else words[0].upper()
    if len(words) == 1:
        return act
    turn = {"left": "LTURN", "right": "RTURN"}[words[-1]]
    around, opposite = "around" in words, "opposite" in words
    return " ".join(f"{turn} {turn if opposite else ''} {act} ".split() * (4 if around else 1))


@pytest.fixture(scope="module")
def commands() -> dict[str, str]:
    return {" ".join(words): " ".join(actions) for words, actions in scan.commands()}


@pytest.mark.parametrize("command", PUBLISHED)
def test_scan_commands_mean_what_the_paper_says(commands: dict[str, str], command: str) -> None:
    assert commands[command] == obeyed(command) == PUBLISHED[command]


def test_scan_has_every_command_once_with_its_actions(commands: dict[str, str]) -> None:
    assert len(scan.commands()) == len(commands) == 20910
    assert all(actions == obeyed(command) for command, actions in commands.items())


def test_scan_is_as_long_as_published(commands: dict[str, str]) -> None:
    assert max(len(command.split()) for command in commands) == 9
    assert max(len(actions.split()) for actions in commands.values()) == 48


def test_scan_split_is_disjoint_whole_and_the_same_each_time() -> None:
    learning, asked = scan.simple_split()
    assert (len(learning), len(asked)) == (16728, 4182)
    sources = [tuple(source) for source, _ in learning + asked]
    assert len(set(sources)) == 20910
    assert scan.simple_split() == (learning, asked) != scan.simple_split(seed=1)


def naive_hull(points: list[tuple[int, int]]) -> list[int]:
    """From each corner to the one that leaves no point on the right, nor beyond it on their line."""
    after = {}
    for i, j in itertools.permutations(range(len(points)), 2):
        (ax, ay), (bx, by) = points[i], points[j]
        aside = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in points]
        along = [(x - ax) * (x - bx) + (y - ay) * (y - by) <= 0 for x, y in points]  # between the two
        if all(side > 0 or (side == 0 and between) for side, between in zip(aside, along, strict=True)):
            after[i] = j
    cycle = [min(after)]
    while after[cycle[-1]] != cycle[0]:
        cycle.append(after[cycle[-1]])
    return cycle


GRID = st.tuples(st.integers(0, 6), st.integers(0, 6))


@given(st.lists(GRID, min_size=2, max_size=12, unique=True))
def test_hull_is_the_cycle_with_every_point_on_its_left(points: list[tuple[int, int]]) -> None:
    assert pointing.hull(np.array(points, dtype=float)) == naive_hull(points)


def test_hull_goes_counter_clockwise_from_the_corner_that_stands_first() -> None:
    square = [[0.5, 0.5], [1, 1], [0, 0], [1, 0], [0, 1]]
    assert pointing.hull(np.array(square)) == [1, 4, 2, 3]


def test_polygon_is_the_same_from_every_corner_and_either_way() -> None:
    cycle = [1, 4, 2, 3]
    same = [said for said in map(list, itertools.permutations(cycle)) if pointing.same_polygon(said, cycle)]
    turned = [cycle[i:] + cycle[:i] for i in range(4)]
    assert sorted(same) == sorted(turned + [each[::-1] for each in turned])
    assert not any(
        pointing.same_polygon(said, cycle) for said in ([], [1, 4, 2], cycle + cycle, [1, 4, 2, 0])
    )


@pytest.mark.parametrize(("output", "most"), [("pointer network", 12), ("LSTM with attention", 10)])
def test_only_the_pointer_can_say_positions_never_trained(output: str, most: int) -> None:
    torch.manual_seed(0)
    network = pointing.PointNetwork(2, pointing.OUTPUTS[output](10))
    batch = pointing.ask(pointing.TASKS["convex hull"], np.random.default_rng(0).random((64, 12, 2)))
    decoded, source = network(batch.src, batch.tgt_in)
    reached = torch.isfinite(network.logits(decoded, source))[:, FIRST:]
    assert reached.shape[1] == most
    assert reached.all()


@pytest.mark.parametrize("output", pointing.OUTPUTS)
def test_answers_are_what_teacher_forcing_finds_likeliest(output: str) -> None:
    """Also where positions are said that the question lacks."""
    torch.manual_seed(0)
    network = pointing.PointNetwork(1, pointing.OUTPUTS[output](10))
    questions = np.random.default_rng(0).random((32, 6, 1))
    said = pointing.answers(network, questions)
    forced = collate([([EOS], [FIRST + place for place in row]) for row in said])
    decoded, source = network(torch.from_numpy(questions).float(), forced.tgt_in)
    best = network.logits(decoded, source).argmax(-1).view(forced.tgt_in.shape)
    for row, places in zip(best.tolist(), said, strict=True):
        ended = [*(FIRST + place for place in places), EOS]
        assert row[: min(len(ended), 7)] == ended[:7]


def test_point_network_reads_points_and_not_positions() -> None:
    """Moving the first point changes what is said after pointing at it, and after no other."""
    torch.manual_seed(0)
    network = pointing.PointNetwork(2, pointing.OUTPUTS["pointer network"](10))
    points = torch.rand(1, 5, 2)
    moved = points.clone()
    moved[0, 0] += 1
    tables = [network.encode(each)[0].table[0] for each in (points, moved)]
    changed = (tables[0] != tables[1]).any(1)
    assert changed.nonzero().flatten().tolist() == [FIRST]


def test_names_beyond_the_vocabulary_get_the_ids_behind_it() -> None:
    ids = {"hi": FIRST, "is": FIRST + 1}
    question, reply = names.encode(["anna", "is", "berta", "is", "anna"], ["hi", "berta"], ids)
    assert question == [FIRST + 2, FIRST + 1, FIRST + 3, FIRST + 1, FIRST + 2]
    assert reply == [FIRST, FIRST + 3]


def test_names_never_seen_are_in_no_training_pair() -> None:
    known, rare, new = map(set, names.names())
    assert len(known | rare | new) == len(known) + len(rare) + len(new) == 16**3
    assert not (rare | new) & set(names.vocabulary(sorted(known)))


def test_names_in_replies_stand_in_the_question_or_are_unknown() -> None:
    known, rare, _ = names.names()
    ids = names.vocabulary(known)
    vocab, plain = FIRST + len(ids), {ids[word] for word in names.vocabulary([])}
    make, random = names.making(ids, rare), np.random.default_rng(0)
    without = names.without_copies(make, vocab)
    for _ in range(200):
        question, reply = make(random)
        assert all(token in question for token in reply if token not in plain)
        assert any(token >= vocab for token in reply)
        assert UNK in without(random)[1]


def test_collate_pads_and_shifts_as_worked_by_hand() -> None:
    batch = collate([([7, 8, 9], [5]), ([6], [4, 5])])
    assert batch.src.tolist() == [[7, 8, 9], [6, 0, 0]]
    assert batch.tgt_in.tolist() == [[2, 5, 0], [2, 4, 5]]
    assert batch.tgt_out.tolist() == [[5, 3, 0], [4, 5, 3]]
    assert batch.words == 5


def always(token: int) -> Seq2Seq:
    """A network that says one token whatever it is asked."""
    network = build_network(TINY, 8, seed=0)
    with torch.no_grad():
        network.output.bias[token] = 1e3
    return network


def test_exact_counts_replies_right_to_their_end() -> None:
    def make(random: np.random.Generator) -> Pair:
        return [7], [[], [4], [4, 4]][random.integers(3)]

    random = np.random.default_rng(1)
    silent = sum(make(random)[1] == [] for _ in range(100)) / 100
    assert exact(always(EOS), 8, make, 100) == silent
    assert exact(always(4), 8, make, 100) == 0.0  # right so far, and never ends


def test_learning_makes_replies_exact() -> None:
    def make(random: np.random.Generator) -> Pair:
        source = random.integers(FIRST, 8, random.integers(1, 3)).tolist()
        return source, source[::-1]

    assert exact(build_network(TINY, 8, seed=0), 8, make, 100) < 0.5
    assert exact(learn(TINY, 8, make, Recipe(60, batch=32, lr=0.03)).network, 8, make, 100) >= 0.95


def test_table_shows_shares_in_per_cent() -> None:
    lines = Table("Copy", "A claim.", ("task", "right"), (("copy", 0.9751),)).markdown().splitlines()
    assert lines == ["### Copy", "", "A claim.", "", "| task | right |", "| --- | --- |", "| copy | 97.5% |"]
