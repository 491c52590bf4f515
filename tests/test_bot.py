"""The front door: questions in, replies out, with what each reply word looked at."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chatbot.bot import Chatbot
from chatbot.build import build_network
from chatbot.config import DecodingOptions, ModelOptions
from chatbot.decoding.engine import BOS, EOS, PAD, UNK, Bias, Candidates
from chatbot.engines.answering import Answering
from chatbot.engines.torch_engine import TorchEngine
from chatbot.errors import CheckpointError, OptionError
from chatbot.reply import Attention, Reply
from chatbot.text.tokenizer import Tokenizer

Exchanges = Sequence[tuple[str, str]]
GREEDY = DecodingOptions(beam=1)
ODD = (
    "",
    "   ",
    "\x00\x07",
    "zyzzyva qwrt?",
    "word " * 300,
    "x" * 5000,
    "<eos> <pad>",
    "😀",
    "ca\udcff",
    "\ufeffhi",
)


class Script:
    """An engine that says the same to every question, and looks where it is told.

    Args:
        replies: token sequences, likeliest first; each is one branch of a tree.
        look: for each token said, the place in the source it looks at; later tokens look at the last one.
    """

    def __init__(self, vocab: int, replies: Sequence[Sequence[int]], look: Sequence[int] = ()) -> None:
        self.vocab = vocab
        self._replies = [tuple(reply) for reply in replies]
        self._look = look

    def start(self, sources: Sequence[Sequence[int]]) -> Rows:
        return Rows([len(source) for source in sources], [() for _ in sources])

    def step(self, tokens: NDArray[np.int64], state: Rows, k: int, bias: Bias | None = None) -> Candidates:
        said = [(*prefix, int(token)) for prefix, token in zip(state.said, tokens, strict=True)]
        scores = np.full((len(said), self.vocab), -50.0, np.float32)
        weights = np.zeros((len(said), max(state.lengths)), np.float32)
        for row, prefix in enumerate(said):
            for rank, reply in enumerate(self._replies):
                if reply[: len(prefix) - 1] == prefix[1:] and len(reply) >= len(prefix):
                    token = reply[len(prefix) - 1]
                    scores[row, token] = max(scores[row, token], -0.1 * (rank + 1))
            weights[row, self._place(len(prefix) - 1, state.lengths[row])] = 1.0
        if bias is not None:
            np.add.at(scores, (bias.rows, bias.tokens), bias.values)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return Candidates(best, np.take_along_axis(scores, best, axis=1), weights, Rows(state.lengths, said))

    def _place(self, step: int, length: int) -> int:
        return min(self._look[step] if step < len(self._look) else length - 1, length - 1)


@dataclasses.dataclass(frozen=True)
class Rows:
    """For each row the length of its source and all it has said."""

    lengths: list[int]
    said: list[tuple[int, ...]]

    def select(self, rows: NDArray[np.int64]) -> Rows:
        return Rows([self.lengths[i] for i in rows], [self.said[i] for i in rows])


def scripted(
    tokenizer: Tokenizer,
    *replies: str | Sequence[int],
    look: Sequence[int] = (),
    context: int = 0,
    **options: Any,
) -> Chatbot:
    """A bot whose engine says these replies; texts are encoded and ended."""
    said = [
        (*tokenizer.encode(reply).ids, EOS) if isinstance(reply, str) else tuple(reply) for reply in replies
    ]
    settings = DecodingOptions(**{"block_ngram": 0} | options)
    engine = Script(tokenizer.vocab, said, look)
    return Chatbot("script", Answering(tokenizer, engine, 40, 24, context=context), settings)


@pytest.fixture(scope="module")
def characters() -> Tokenizer:
    """Every character a token; 你, 😀 and all others not seen are spelt in bytes."""
    return Tokenizer.train("chars", [("abcdefghij klmnopqrstuvwxyz", "ABC' .!?")], 400, "question")


def test_reply_is_the_best_hypothesis_as_text(characters: Tokenizer) -> None:
    reply = scripted(characters, "Hello, you!").reply("hi there")
    assert (reply.question, reply.text) == ("hi there", "Hello, you!")
    assert not reply.fallback
    assert not reply.truncated
    assert [candidate.reply for candidate in reply.candidates] == ["Hello, you!"]
    assert reply.candidates[0].score == reply.score < 0


@pytest.mark.parametrize("blank", ["", "   ", "\x00\x07", "\u200b\ufeff\n"])
def test_blank_question_gets_a_blank_reply(tiny_bot: Chatbot, blank: str) -> None:
    """D22."""
    assert tiny_bot.reply(blank) == Reply(blank, "")
    mixed = tiny_bot.replies([blank, "hello", blank])
    assert [reply.text for reply in mixed] == ["", tiny_bot.reply("hello").text, ""]
    assert tiny_bot.replies([]) == []


@pytest.mark.parametrize("options", [None, GREEDY], ids=["beam", "greedy"])
def test_many_at_once_get_what_each_gets_alone(
    tiny_bot: Chatbot, exchanges: Exchanges, options: DecodingOptions | None
) -> None:
    questions = [question for question, _ in exchanges] + list(ODD)
    together = tiny_bot.replies(questions * 2, options)  # more than one batch takes
    alone = [tiny_bot.reply(question, options=options) for question in questions]
    for one, other in zip(together, alone * 2, strict=True):
        assert one.text == other.text
        assert one.truncated == other.truncated
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert words(one.attention) == words(other.attention)
        assert flat(one.attention) == pytest.approx(flat(other.attention), abs=1e-4)


def words(attention: Attention | None) -> list[object]:
    return [attention.source, attention.reply] if attention else []


def flat(attention: Attention | None) -> list[float]:
    return [weight for row in (*attention.weights, attention.end) for weight in row] if attention else []


def test_attention_that_is_not_asked_for_is_not_there(tiny_bot: Chatbot) -> None:
    (reply,) = tiny_bot.replies(["hello"], attention=False)
    assert reply == dataclasses.replace(tiny_bot.reply("hello"), attention=None)


def test_same_question_gets_the_same_answer(tiny_bot: Chatbot, tiny_checkpoint: Path) -> None:
    """No dropout, no random choice; and a second loading changes nothing."""
    again = Chatbot.load(tiny_checkpoint, device="cpu")
    assert tiny_bot.reply("how are you") == tiny_bot.reply("how are you") == again.reply("how are you")


def test_threads_do_not_disturb_each_other(tiny_bot: Chatbot, exchanges: Exchanges) -> None:
    """Some ask for whole replies, some watch greedy ones being said, a piece at a time."""
    questions = [question for question, _ in exchanges] * 2
    with ThreadPoolExecutor(6) as pool:
        whole = pool.map(tiny_bot.reply, questions)
        said = pool.map(lambda question: "".join(tiny_bot.stream(question)), questions)
        found, heard = list(whole), list(said)
    assert found == [tiny_bot.reply(question) for question in questions]
    assert heard == [tiny_bot.reply(question, options=GREEDY).text for question in questions]


@pytest.mark.parametrize("kind", ["bpe", "words", "chars"])
@pytest.mark.parametrize("options", [GREEDY, DecodingOptions(beam=5)], ids=["greedy", "beam"])
def test_untrained_network_says_nothing_a_terminal_would_obey(kind: str, options: DecodingOptions) -> None:
    tokenizer = Tokenizer.train(kind, [("hello there", "hi you"), ("bye", "see you")], 300, "question")
    network = build_network(ModelOptions(embed=8, hidden=8), tokenizer.vocab, seed=2)
    engine = TorchEngine(network, tokenizer.vocab, torch.device("cpu"))
    bot = Chatbot("wild", Answering(tokenizer, engine, 40, 24), options)
    for reply in bot.replies(["hello", "you", *ODD], candidates=options.beam):
        for text in (reply.text, *(candidate.reply for candidate in reply.candidates)):
            assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
            assert not [special for special in ("<pad>", "<unk>", "<bos>", "<eos>") if special in text]


@pytest.mark.parametrize("output", ["pointer-generator", "pointer"])
@pytest.mark.parametrize(
    "options", [GREEDY, DecodingOptions(beam=400, block_ngram=2)], ids=["greedy", "wide"]
)
def test_untrained_network_copies_nothing_a_terminal_would_obey(
    output: str, options: DecodingOptions
) -> None:
    """Every word of these questions is unknown; the beam is wider than all there is to say."""
    tokenizer = Tokenizer.train("words", [("bye", "see you")], 300, "question")
    network = build_network(ModelOptions(embed=8, hidden=8, output=output), tokenizer.vocab, seed=2)
    engine = TorchEngine(network, tokenizer.vocab, torch.device("cpu"))
    bot = Chatbot("wild", Answering(tokenizer, engine, 40, 3, extends=True), options)
    questions = [*ODD, "a\u001b[31mb", "x\u202ey \u2028z"]
    for reply in bot.replies(questions, candidates=min(9, options.beam)):
        for text in (reply.text, *(candidate.reply for candidate in reply.candidates)):
            assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]


def test_special_tokens_and_bytes_a_network_prefers_are_not_said(characters: Tokenizer) -> None:
    """The likeliest path is specials; among bytes, an escape sequence and half a character."""
    escape = [characters.encode(char).ids[-1] for char in "\u001b[31m"[1:]]
    byte = 4 + 0x1B
    half = 4 + 0xE4
    a = characters.encode("a").ids[-1]
    bot = scripted(characters, [PAD, UNK, BOS, EOS], [a, byte, *escape, half, a, 4 + 0x0A, a, EOS])
    assert bot.reply("x").text == "a[31maa"


def test_reply_that_does_not_end_is_cut_at_the_limit(characters: Tokenizer) -> None:
    endless = [characters.encode("ab").ids[-1]] * 30
    reply = scripted(characters, endless, beam=1, max_tokens=5).reply("x")
    assert reply.text == "b" * 5
    assert reply.attention is not None
    assert reply.attention.end == ()


def test_candidates_are_the_best_first_and_read_differently(tiny_bot: Chatbot, exchanges: Exchanges) -> None:
    """D36."""
    options = DecodingOptions(beam=6)
    for reply in tiny_bot.replies([question for question, _ in exchanges], options, candidates=5):
        texts = [candidate.reply for candidate in reply.candidates]
        scores = [candidate.score for candidate in reply.candidates]
        assert texts[0] == reply.text
        assert len(set(texts)) == len(texts) <= 5
        assert len(texts) >= 3
        assert scores[0] == reply.score


def test_replies_that_read_alike_are_named_once(characters: Tokenizer) -> None:
    """Two ways to spell 'a': the token, and its byte."""
    a, space = characters.encode("a").ids[-1], characters.encode(" a").ids[0]
    reply = scripted(characters, [a, EOS], [4 + ord("a"), EOS], [space, a, EOS], "b", beam=4).reply(
        "x", candidates=4
    )
    assert [candidate.reply for candidate in reply.candidates][:2] == ["a", "b"]
    assert len({candidate.reply for candidate in reply.candidates}) == len(reply.candidates)


def test_a_silent_hypothesis_comes_after_those_that_say_something(characters: Tokenizer) -> None:
    reply = scripted(characters, [EOS], "yes", beam=3).reply("x", candidates=3)
    assert reply.text == "yes"
    assert [bool(candidate.reply) for candidate in reply.candidates] == [True, True, False]


@pytest.mark.parametrize("candidates", [-1, 0, 3])
def test_impossible_numbers_of_candidates_are_refused(characters: Tokenizer, candidates: int) -> None:
    bot = scripted(characters, "yes", beam=2)
    with pytest.raises(OptionError):
        bot.reply("x", candidates=candidates)


def test_question_too_long_is_read_from_its_end(characters: Tokenizer) -> None:
    """D23: of more than max_src tokens the last are read; exactly so many are not too long."""
    bot = scripted(characters, "yes")
    fits, cut = "a" * 39, "b " + "a" * 39  # the space in front is a token
    assert not bot.reply(fits).truncated
    reply = bot.reply(cut)
    assert reply.truncated
    assert reply.attention is not None
    assert [(word.text, word.start) for word in reply.attention.source] == [("a" * 39, 2)]


def test_word_longer_than_is_read_is_named_whole(characters: Tokenizer) -> None:
    reply = scripted(characters, "yes").reply("a" * 20_000)
    assert reply.truncated
    assert reply.attention is not None
    assert [(word.start, word.end) for word in reply.attention.source] == [(0, 20_000)]
    assert reply.attention.weights == ((1.0,),)


def test_every_reply_word_looks_at_the_word_it_is_told_to(characters: Tokenizer) -> None:
    """A copy task, D40: the reply repeats the question, and each token looks at its twin."""
    question = "one two internationalizations can be fun"
    length = len(characters.encode(question).ids)
    bot = scripted(characters, question, look=range(length), beam=1, max_tokens=60)
    attention = bot.reply(question).attention
    assert attention is not None
    texts = question.split()
    assert max(map(len, texts)) >= 20
    assert [word.text for word in attention.source] == [word.text for word in attention.reply] == texts
    assert np.array(attention.weights) == pytest.approx(np.eye(6))
    assert attention.end == pytest.approx([0, 0, 0, 0, 0, 1])  # EOS looks at the last piece


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("  Hello\tYOU!! ", ["Hello", "YOU", "!", "!"]),
        ("你好 a", ["你", "好", "a"]),
        ("👨\u200d👩\u200d👧 ok 😀", ["👨\u200d👩\u200d👧", "ok", "😀"]),
        ("\u201cit\u2019s\u201d", ["\u201c", "it\u2019s", "\u201d"]),
        ("\ufeffa\u200b \x07", ["a"]),
        ("re\u00adad", ["re\u00adad"]),
        ("cafe\u0301 x", ["cafe\u0301", "x"]),
        ("\u1112\u1161\u11ab a", ["\u1112\u1161\u11ab", "a"]),
        ("ok\ud83d", ["ok", "\ud83d"]),
    ],
)
@pytest.mark.parametrize("kind", ["bpe", "words", "chars"])
def test_source_words_are_as_typed(kind: str, question: str, source: list[str]) -> None:
    tokenizer = Tokenizer.train(kind, [("hello you", "yes"), ("a", "no")], 300, "question")
    attention = scripted(tokenizer, "yes").reply(question).attention
    assert attention is not None
    assert [word.text for word in attention.source] == source
    assert all(question[word.start : word.end] == word.text for word in attention.source)
    assert [sum(row) for row in attention.weights] == pytest.approx([1.0])
    assert sum(attention.end) == pytest.approx(1)


def test_reply_words_are_as_printed(characters: Tokenizer) -> None:
    text = "I'm 好 😀!"
    reply = scripted(characters, text).reply("x")
    assert reply.text == text
    assert reply.attention is not None
    assert [word.text for word in reply.attention.reply] == ["I'm", "好", "😀", "!"]
    assert all(text[word.start : word.end] == word.text for word in reply.attention.reply)
    assert [sum(row) for row in reply.attention.weights] == pytest.approx([1.0] * 4)


def test_words_one_token_runs_across_are_one_word() -> None:
    tokenizer = Tokenizer.train("words", [("see http://x.org :-)", "yes")], 300, "question")
    attention = scripted(tokenizer, "yes").reply("see http://x.org :-)").attention
    assert attention is not None
    assert [word.text for word in attention.source] == ["see", "http://x.org", ":-)"]


def test_trained_bot_looks_with_all_its_weight(tiny_bot: Chatbot, exchanges: Exchanges) -> None:
    """D38, D40: rows, the end's among them, sum to 1, in a batch whose questions differ in length."""
    for reply in tiny_bot.replies([question for question, _ in exchanges]):
        attention = reply.attention
        assert attention is not None
        for row in (*attention.weights, attention.end):
            assert len(row) == len(attention.source)
            assert sum(row) == pytest.approx(1, abs=1e-5)


def test_bot_without_attention_shows_none(characters: Tokenizer) -> None:
    engine = Script(characters.vocab, [(*characters.encode("yes").ids, EOS)])
    bot = Chatbot("blind", Answering(characters, engine, 40, 24, attends=False), GREEDY)
    assert bot.reply("x") == Reply("x", "yes", bot.reply("x").score, candidates=bot.reply("x").candidates)
    assert bot.reply("x").attention is None


def test_device_that_is_not_there_is_an_option_error(tiny_checkpoint: Path) -> None:
    with pytest.raises(OptionError, match="--device"):
        Chatbot.load(tiny_checkpoint, device="abacus")


def test_history_changes_nothing_for_a_bot_of_single_questions(tiny_bot: Chatbot) -> None:
    assert not tiny_bot.reads_history
    assert tiny_bot.reply("hello", ["good night", "bye"]) == tiny_bot.reply("hello")


# Turns before the question


def test_words_of_earlier_turns_say_which_turn_they_are_of(characters: Tokenizer) -> None:
    """Each character of the reply looks at one token: that of a turn's sign counts for its first word."""
    history, question = ["is it", "no, not"], "so"
    sign = "\ue000"
    length = len(characters.encode(f"{sign} is it {sign} no, not {sign} so", src=True).ids)
    bot = scripted(characters, "a b c d", look=[0, 0, length - 2, length - 1, 3, 4, 0, 0], context=5)
    reply = bot.reply(question, history)
    assert reply.history == ("is it", "no, not")
    assert reply.attention is not None
    turns = {0: question, -1: history[1], -2: history[0]}
    assert [(word.text, word.turn) for word in reply.attention.source] == [
        ("is", -2), ("it", -2), ("no", -1), (",", -1), ("not", -1), ("so", 0),
    ]  # fmt: skip
    assert all(turns[word.turn][word.start : word.end] == word.text for word in reply.attention.source)
    assert [sum(row) for row in (*reply.attention.weights, reply.attention.end)] == pytest.approx([1.0] * 5)
    looked = [int(np.argmax(row)) for row in reply.attention.weights]
    assert [reply.attention.source[place].turn for place in looked][:2] == [-2, 0]
    assert {word.turn for word in reply.attention.reply} == {0}


def test_bot_reads_as_many_turns_as_it_was_trained_to(characters: Tokenizer) -> None:
    bot = scripted(characters, "yes", context=2)
    assert bot.context == 2
    assert bot.reads_history
    assert bot.reply("x", ["a", "b", "c"]).history == ("b", "c")
    assert [reply.history for reply in bot.replies(["x", "y"], histories=[["a"], []])] == [("a",), ()]
    with pytest.raises(OptionError, match="1 for 2 questions"):
        bot.replies(["x", "y"], histories=[["a"]])


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory, train_tiny: Any) -> Chatbot:
    """A bot that is asked what it was told two turns ago."""
    folder = tmp_path_factory.mktemp("listener")
    things = ("cat", "house", "river")
    lines = []
    for number, thing in enumerate(things):
        turns = [("A", f"a {thing}"), ("B", "ok"), ("A", "what was it"), ("B", f"it was a {thing}")]
        lines.append({"id": str(number), "turns": [{"speaker": who, "text": text} for who, text in turns]})
    corpus = folder / "talk.jsonl"
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    train_tiny(folder / "bot", corpus, steps=150, context=2, me="B", attention="general")
    return Chatbot.load(folder / "bot", "cpu")


def test_what_was_said_before_decides_the_reply(listener: Chatbot) -> None:
    assert listener.context == 2
    for thing in ("cat", "house", "river"):
        reply = listener.reply("what was it", [f"a {thing}", "ok"])
        assert reply.text == f"it was a {thing}"
        assert reply.history == (f"a {thing}", "ok")


# Replies that are watched while they are said

CHARACTERS = [*"aB c.!'", "好", "😀", "é", "\u0301", "👨\u200d👩"]
SAYABLE = st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join)


@given(text=SAYABLE, tail=st.sampled_from([[EOS], [4 + 0xE4, EOS], [4 + 0xE4, 4 + 0x41, EOS], []]))
def test_pieces_are_whole_characters_and_make_up_the_reply(
    text: str, tail: list[int], characters: Tokenizer
) -> None:
    """Characters that are not in the vocabulary are three or four tokens; a tail is half of one."""
    said = [*characters.encode(text).ids, *tail]
    bot = scripted(characters, said, beam=1, max_tokens=max(1, len(said)))
    stream = bot.stream("x")
    pieces = list(stream)
    assert all(pieces)
    assert "\ufffd" not in "".join(pieces)
    assert "".join(pieces) == stream.reply.text
    assert stream.reply == bot.reply("x")


def test_piece_comes_before_the_next_is_searched_for(characters: Tokenizer) -> None:
    bot = scripted(characters, "ab好c", beam=1)
    engine = bot._answering.engine
    steps: list[int] = []
    real = engine.step
    engine.step = lambda *args: steps.append(1) or real(*args)  # type: ignore[method-assign, func-returns-value]
    taken = [(piece, len(steps)) for piece in bot.stream("x")]
    tokens = [len(characters.encode("ab好c"[:end]).ids) for end in (1, 2, 3, 4)]
    assert taken == list(zip("ab好c", tokens, strict=True))


def test_reply_of_a_stream_that_nobody_watched_is_the_whole_one(
    tiny_bot: Chatbot, exchanges: Exchanges
) -> None:
    for question, _ in exchanges:
        assert tiny_bot.stream(question).reply == tiny_bot.reply(question, options=GREEDY)
    stream = tiny_bot.stream("hello")
    first = next(stream)
    assert stream.reply.text.startswith(first)
    assert list(stream) == []
    assert tiny_bot.stream("  ").reply == Reply("  ", "")


def test_cut_reply_is_streamed_to_where_it_is_cut(characters: Tokenizer) -> None:
    endless = [characters.encode("ab").ids[-1]] * 30
    stream = scripted(characters, endless, beam=1, max_tokens=5).stream("x")
    assert "".join(stream) == stream.reply.text == "b" * 5


@pytest.mark.parametrize("changes", [{"beam": 2}, {"beam": 0}, {"beam": 1, "unknown": "?"}])
def test_options_no_stream_can_have_are_refused(tiny_bot: Chatbot, changes: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        tiny_bot.stream("hello", options=DecodingOptions(**changes))


@pytest.mark.parametrize("changes", [{"beam": 0}, {"beam": "4"}, {"length_penalty": float("nan")}])
def test_options_out_of_their_range_are_refused(tiny_bot: Chatbot, changes: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        tiny_bot.reply("hello", options=dataclasses.replace(tiny_bot.options, **changes))


def test_checkpoint_is_found_by_name(tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATBOT_CHECKPOINTS", str(tiny_checkpoint.parent))
    assert Chatbot.load("tiny").name == Chatbot.load(device="cpu").name == "tiny"
    with pytest.raises(CheckpointError, match="did you mean tiny"):
        Chatbot.load("tinny")


# Fallbacks and where replies come from


def test_question_of_words_never_met_gets_the_fallback_unless_guessing(tiny_bot: Chatbot) -> None:
    reply = tiny_bot.reply("zyzzyva qwrt?")
    assert reply.fallback
    assert reply.text == "Sorry, I don't know what to say to that."
    assert (reply.candidates, reply.attention, reply.confidence) == ((), None, None)
    own = dataclasses.replace(tiny_bot.options, fallback="No idea!")
    assert tiny_bot.reply("zyzzyva qwrt?", options=own).text == "No idea!"
    guessed = tiny_bot.reply("zyzzyva qwrt?", options=dataclasses.replace(tiny_bot.options, guess=True))
    assert not guessed.fallback
    assert guessed.candidates


def test_fallbacks_and_replies_keep_their_places_in_a_batch(tiny_bot: Chatbot, exchanges: Exchanges) -> None:
    texts = ["zyzzyva", "thanks", "", "qwrt", "good night 😀", "?!"]
    found = tiny_bot.replies(texts)
    assert [reply.fallback for reply in found] == [True, False, False, True, False, False]
    assert [reply.question for reply in found] == texts
    assert [found[row].text for row in (1, 4)] == ["you are welcome", "sweet dreams 😴"]


def test_everyday_typing_is_answered_by_the_bot_itself(tiny_bot: Chatbot) -> None:
    questions = ("HELLO!", "hello", "thanks!!!", "你好", "привет", "…", "🙂 hello", "what?")
    assert not any(tiny_bot.reply(question).fallback for question in questions)


def test_why_of_a_training_question_is_its_own_pair(tiny_bot: Chatbot, exchanges: Exchanges) -> None:
    for question, answer in exchanges:
        reply = tiny_bot.reply(question, why=2)
        assert reply.why is not None
        near = reply.why.pairs[0]
        assert (near.question, near.reply) == (question.lower(), answer)
        assert near.similarity > 0.99
        assert reply.why.verbatim == (reply.text in {given for _, given in exchanges})


def test_why_can_be_asked_afterwards(tiny_bot: Chatbot) -> None:
    reply = tiny_bot.reply("hello")
    assert reply.why is None
    assert tiny_bot.explained(reply, 2) == tiny_bot.reply("hello", why=2)
    blank = tiny_bot.reply(" ", why=2).why
    assert blank is not None
    assert blank.pairs == ()


def test_given_reply_is_attended_to_as_the_bots_own(tiny_bot: Chatbot) -> None:
    own = tiny_bot.reply("how are you today?")
    given = tiny_bot.given("how are you today?", own.text)
    assert own.attention is not None
    assert given.attention is not None
    assert given.attention.reply == own.attention.reply
    assert given.attention.source == own.attention.source
    np.testing.assert_allclose(given.attention.weights, own.attention.weights, atol=1e-5)
    np.testing.assert_allclose(given.attention.end, own.attention.end, atol=1e-5)


def test_given_reply_may_be_any_and_its_words_are_those_typed(tiny_bot: Chatbot) -> None:
    reply = tiny_bot.given("hello", "  Zyzzyva, 你好 😀!")
    assert reply.attention is not None
    assert [word.text for word in reply.attention.reply] == ["Zyzzyva", ",", "你", "好", "😀", "!"]
    assert all(reply.text[word.start : word.end] == word.text for word in reply.attention.reply)
    np.testing.assert_allclose(np.sum(reply.attention.weights, axis=1), 1.0, atol=1e-5)
    assert reply.score < tiny_bot.given("hello", "hi there").score


@pytest.mark.parametrize(("text", "reply"), [("", "hi"), ("hi", " "), ("", "")])
def test_given_nothing_is_refused(tiny_bot: Chatbot, text: str, reply: str) -> None:
    with pytest.raises(OptionError, match="must have words"):
        tiny_bot.given(text, reply)


def test_head_of_a_bot_that_has_one_is_refused(tiny_checkpoint: Path) -> None:
    with pytest.raises(OptionError, match="--head: 2, but this checkpoint looks with 1 head"):
        Chatbot.load(tiny_checkpoint, "cpu", head=2)


def test_fingerprint_is_that_of_the_files(tiny_bot: Chatbot, tiny_checkpoint: Path) -> None:
    manifest = (tiny_checkpoint / "manifest.json").read_bytes()
    assert tiny_bot.fingerprint == hashlib.sha256(manifest).hexdigest()
