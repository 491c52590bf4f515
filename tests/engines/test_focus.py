"""Focus, judged by the formula applied to the weights without it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.bot import Chatbot
from chatbot.config import DecodingOptions
from chatbot.decoding.engine import BOS
from chatbot.decoding.forced import forced
from chatbot.engines.answering import Answering
from chatbot.engines.focus import Focused, can_focus, raised, spans_of
from chatbot.engines.loading import load_engine
from chatbot.engines.onnx_engine import OnnxEngine
from chatbot.engines.reading import Reader, Source
from chatbot.errors import OptionError
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.turns import Place

SOURCES = [[5, 6, 7, 8], [9], [4, 4, 10, 11, 12, 5, 6]]
WANTED = [[0.0, 2.0, 0.0, 0.0], [1.0], [0.0, 0.0, 0.0, 3.0, 3.0]]
"""Nats a token; what is not named of the last source gets none."""

KINDS: list[dict[str, Any]] = [
    {"attention": "general"},
    {"attention": "location"},
    {"attention": "additive", "coverage": True, "ask": "previous", "cell": "gru"},
    {"attention": "dot", "align": "local-m", "window": 2},
    {"attention": "cosine", "align": "local-p", "window": 2},
    {"attention": "dot", "align": "hard"},
    {"attention": "cosine", "align": "ntm", "ask": "previous"},
    {"attention": "multi-head", "encoder": "transformer", "decoder": "transformer", "layers": 2},
    {"attention": "general", "reverse_source": True},
    {"attention": "general", "output": "pointer"},
    {"attention": "general", "output": "pointer-generator"},
]


def named(options: dict[str, Any]) -> str:
    return "-".join(map(str, options.values()))


def first_step(engine: Any) -> Any:
    return engine.step(np.full(3, BOS), engine.start(SOURCES), 5)


def test_weights_of_a_step_are_those_of_the_formula(make_both: Any) -> None:
    both = make_both(attention="general")
    for engine in (both.torch, both.onnx):
        plain, focused = (first_step(each).weights for each in (engine, Focused(engine, WANTED, 30)))
        for row, source in enumerate(SOURCES):
            times = np.ones(len(source))
            times[: len(WANTED[row])] = np.exp(WANTED[row])
            weighted = plain[row, : len(source)] * times
            np.testing.assert_allclose(
                focused[row, : len(source)], weighted / weighted.sum(), atol=1e-5, rtol=1e-4
            )
            assert (focused[row, len(source) :] == 0).all()


@pytest.mark.parametrize("options", KINDS, ids=named)
def test_both_engines_look_alike_whatever_the_attention(make_both: Any, options: dict[str, Any]) -> None:
    both = make_both(**options)
    engines = [Focused(engine, WANTED, 30) for engine in (both.torch, both.onnx)]
    found = [forced(engine, SOURCES, [[4, 5, 9, 3], [9, 9], [12, 3]]) for engine in engines]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-3)


@pytest.mark.parametrize("options", [each for each in KINDS if each.get("align") != "ntm"], ids=named)
def test_focus_never_takes_weight_from_its_tokens(make_both: Any, options: dict[str, Any]) -> None:
    engine = make_both(**options).torch
    plain, focused = (first_step(each).weights for each in (engine, Focused(engine, WANTED, 30)))
    assert (focused[0, 1] >= plain[0, 1] - 1e-6).all()
    assert (focused[2, 3:5].sum() >= plain[2, 3:5].sum() - 1e-6).all()


def test_focus_of_nothing_changes_nothing(make_both: Any) -> None:
    both = make_both(attention="general")
    for engine in (both.torch, both.onnx):
        plain, focused = (first_step(each) for each in (engine, Focused(engine, [[], [], []], 30)))
        np.testing.assert_array_equal(plain.log_probs, focused.log_probs)


def test_rows_keep_their_focus_when_a_search_reorders_them(make_both: Any) -> None:
    both = make_both(attention="general")
    order = np.array([2, 0, 0])
    for engine in (both.torch, both.onnx):
        focused = Focused(engine, WANTED, 30)
        state = first_step(focused).state.select(order)
        weights = focused.step(np.full(3, 7), state, 5).weights
        straight = focused.step(np.full(3, 7), first_step(focused).state, 5).weights
        np.testing.assert_allclose(weights, straight[order], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("I am so tired today", ["TIRED"], ["tired"]),
        ("art of the start", ["art"], ["art"]),
        ("how are you, you two?", ["you"], ["you", "you"]),
        ("a red car and a red bus", ["red  bus"], ["red bus"]),
        ("你好吗", ["好"], ["好"]),
        ("really?", ["?"], ["?"]),
        ("hello", ["", "bye"], []),
    ],
)
def test_words_are_found_whole_and_in_any_case(text: str, words: list[str], found: list[str]) -> None:
    assert [text[start:end] for start, end in spans_of(text, words)] == found


@given(
    st.lists(st.sampled_from(["red", "blue", "car"]), min_size=1, max_size=8), st.sampled_from(["red", "car"])
)
def test_each_word_of_a_text_is_found_as_often_as_it_stands_there(said: list[str], word: str) -> None:
    assert len(spans_of(" ".join(said), [word])) == said.count(word)


def test_tokens_of_a_word_are_raised_in_whatever_turn_it_stands() -> None:
    places = (Place(-1, 0, 3), Place(-1, 3, 7), Place(0, 0, 2), Place(0, 2, 6), Place(0, 6, 10))
    source = Source((4, 5, 6, 7, 8), places, ("red car",), question="hi car now")
    assert raised(source, ["car"], math.e) == [0.0, 1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_trained_bot_looks_where_it_is_told(tiny_checkpoint: Path, device: str) -> None:
    bot = Chatbot.load(tiny_checkpoint, device)
    options = DecodingOptions(beam=2, focus=("how",), focus_weight=1e4)
    plain, focused = (bot.reply("how are you today?", options=each) for each in (None, options))
    assert share(focused, "how") > 0.9 > share(plain, "how")
    said = bot.given("how are you today?", plain.text, options=options)
    assert share(said, "how") > 0.9


def test_trained_bot_looks_alike_in_both_engines(tiny_checkpoint: Path) -> None:
    from chatbot.checkpoint import load
    from chatbot.engines.network import load_network
    from chatbot.engines.torch_engine import TorchEngine, choose_device

    found = load(tiny_checkpoint)
    tokenizer = found.tokenizer()
    network = TorchEngine(load_network(found, tokenizer.vocab), tokenizer.vocab, choose_device("cpu"))
    options = DecodingOptions(beam=1, focus=("today",), focus_weight=100.0)
    said = []
    for engine in (load_engine(found, tokenizer.vocab, "auto"), network):
        answering = Answering.of(found.config, tokenizer, engine, found.context)
        said.append(answering.answers(["how are you today?"], options)[0])
    assert said[0].text == said[1].text
    np.testing.assert_allclose(said[0].ranked[0][1].weights, said[1].ranked[0][1].weights, atol=1e-3)


def test_stream_looks_as_the_whole_reply_does(tiny_bot: Chatbot) -> None:
    options = DecodingOptions(beam=1, focus=("today",), focus_weight=1e4)
    stream = tiny_bot.stream("how are you today?", options=options)
    assert stream.reply == tiny_bot.reply("how are you today?", options=options)
    assert share(stream.reply, "today") > 0.9


def share(reply: Any, word: str) -> float:
    """The mean weight of a word of the question over the reply's words."""
    place = [each.text for each in reply.attention.source].index(word)
    return float(np.mean([row[place] for row in reply.attention.weights]))


class OldGraphs(OnnxEngine):
    """Graphs that an older version wrote."""

    def __init__(self) -> None:
        self.vocab, self.focuses = 300, False


def test_graphs_that_cannot_focus_say_how_to_renew_them() -> None:
    tokenizer = Tokenizer.train("words", [("a red car", "yes")] * 2, 300, "question")
    old = Answering(tokenizer, OldGraphs(), 9, 9)
    assert not can_focus(old.engine)
    old.check(DecodingOptions())
    with pytest.raises(OptionError, match="chatbot checkpoint export NAME writes them anew"):
        old.check(DecodingOptions(focus=("red",)))
    with pytest.raises(OptionError, match="no attention to draw anywhere"):
        Answering(tokenizer, OldGraphs(), 9, 9, attends=False).check(DecodingOptions(focus=("red",)))


def test_words_that_a_question_lacks_change_nothing() -> None:
    tokenizer = Tokenizer.train("words", [("a red car", "yes")] * 2, 300, "question")
    source = Reader(tokenizer, 9).read("a red car")
    assert source is not None
    assert raised(source, ["blue"], 100.0) == [0.0] * 3
