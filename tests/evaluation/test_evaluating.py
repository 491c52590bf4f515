"""Whole evaluations of systems whose figures are known."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from chatbot.corpus.conversation import Pair
from chatbot.evaluation.evaluating import Evaluation, Evaluator
from chatbot.evaluation.material import Material, Memory, Questions
from chatbot.evaluation.system import System

COUNT = 60
PAIRS = [Pair((f"question w{n}",), f"reply w{n} w{n * 7 % COUNT}", "talk") for n in range(COUNT)]


def evaluated(system: System, train: Sequence[Pair] = PAIRS, pairs: Sequence[Pair] = PAIRS) -> Evaluation:
    material = Material((("talk", pairs),), (train,) if train else (), True)
    questions = Questions(tuple(pairs), ("talk",) * len(pairs), 0, 0)
    memory = Memory(material) if train else None
    return Evaluator(material, questions, memory, 0, lambda stage, done, total: None).evaluate(system)


def figure(found: Evaluation, name: str) -> Any:
    return next(each for each in found.figures() if each.name == name)


def test_uniform_model_over_v_words_has_a_perplexity_of_v(make_system: Any) -> None:
    system = make_system(PAIRS)
    found = figure(evaluated(system), "perplexity_per_word")
    vocab = system.tokenizer.vocab
    assert found.value == pytest.approx(vocab, rel=1e-5)
    assert found.interval == pytest.approx((vocab, vocab), rel=1e-5)
    assert found.baselines["uniform"] == pytest.approx(vocab)
    assert found.n == COUNT


def test_perplexity_per_character_spreads_the_same_nats_over_characters(make_system: Any) -> None:
    system = make_system(PAIRS)
    found = figure(evaluated(system), "perplexity_per_character")
    nats = math.log(system.tokenizer.vocab) * 4 * COUNT
    assert found.value == pytest.approx(math.exp(nats / sum(len(pair.tgt) + 1 for pair in PAIRS)), rel=1e-5)


def test_model_that_finds_all_alike_ranks_by_chance(make_system: Any) -> None:
    found = evaluated(make_system(PAIRS))
    assert figure(found, "hits_at_1").value == pytest.approx(1 / 20, abs=1e-9)
    assert figure(found, "hits_at_5").value == pytest.approx(5 / 20, abs=1e-9)


def test_bot_that_gives_the_true_replies_overlaps_wholly(make_system: Any) -> None:
    found = evaluated(make_system(PAIRS))
    assert figure(found, "chrf").value == pytest.approx(100)
    assert figure(found, "length_ratio").value == 1
    assert figure(found, "training_copied").value == 1
    assert figure(found, "commonest_reply").value == pytest.approx(1 / COUNT)
    assert figure(found, "commonest_reply").baselines["commonest"] == 1
    assert [worth for _, worth in found.coverage] == pytest.approx([100] * len(found.coverage))


def test_unknown_tokens_are_counted_on_each_side(make_system: Any) -> None:
    system = make_system(PAIRS[:40])
    pairs = [*PAIRS[:30], *(Pair((f"question z{n}",), f"reply z{n}", "talk") for n in range(10))]
    answering = make_system(pairs)
    system = System(
        "toy", system.checkpoint, system.tokenizer, system.network, system.device, answering.answer
    )
    found = evaluated(system, pairs=pairs)
    assert figure(found, "unknown_in_questions").value == pytest.approx(10 / (2 * 40))
    assert figure(found, "unknown_in_replies").value == pytest.approx(10 / (3 * 30 + 2 * 10))


def test_without_training_pairs_there_are_no_baselines_of_them(make_system: Any) -> None:
    found = evaluated(make_system(PAIRS), train=())
    assert set(figure(found, "perplexity_per_word").baselines) == {"uniform"}
    assert set(figure(found, "chrf").baselines) == set()
    assert "training_copied" not in {each.name for each in found.figures()}
    assert found.ngram_order is None


def test_too_few_replies_to_rank_leave_hits_out(make_system: Any) -> None:
    found = evaluated(make_system(PAIRS[:10]), PAIRS[:10], PAIRS[:10])
    assert "finding" not in found.sections


@pytest.mark.parametrize(("missing", "sure_by"), [(False, "confidence"), (True, "score")])
def test_surest_replies_are_by_confidence_where_all_have_one(
    make_system: Any, missing: bool, sure_by: str
) -> None:
    """The surest half is right, the other says something else."""
    replies = {}
    for n, pair in enumerate(PAIRS):
        right = n % 2 == 0
        given = type(make_system(PAIRS).answer(PAIRS[:1])[0])
        sure = None if missing and n == 0 else float(right)
        replies[pair.src[-1]] = given(pair.tgt if right else "?", score=-float(right), confidence=sure)
    found = evaluated(make_system(PAIRS, replies))
    worth = dict(found.coverage)
    assert found.sure_by == sure_by
    assert worth[0.5] == pytest.approx(0 if missing else 100, abs=1e-6)


def test_evaluation_is_one_json_object_of_plain_numbers(make_system: Any) -> None:
    record = json.loads(json.dumps(evaluated(make_system(PAIRS)).to_json(), allow_nan=False))
    assert record["predicting"]["perplexity_per_word"]["n"] == COUNT
    assert record["signatures"]["bleu"].startswith("nrefs:1|")


def test_evaluation_replays_with_its_seed(make_system: Any) -> None:
    first, again = (evaluated(make_system(PAIRS)).to_json() for _ in range(2))
    del first["speed"], again["speed"]
    assert first == again
