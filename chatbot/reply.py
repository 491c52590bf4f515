"""Reply: what a bot answers, with what each of its words looked at; as a whole, or while it is being said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.reading import Source
from chatbot.text.tokenizer import EOS, Tokenizer
from chatbot.trust.why import Why


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question or reply, with character offsets into the text as typed or printed.

    Args:
        turn: what it is of: 0 the question or the reply itself, -1 the turn before the question, and so on.
    """

    text: str
    start: int
    end: int
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Attention:
    """How much each reply word looked at each word of the question and of the turns before it, oldest first.

    Pieces of words are merged: weights are summed over the pieces of a source word and averaged over
    the pieces of a reply word, so that a row still sums to 1 (or less, where the attention does).

    Shapes: weights [len(reply), len(source)]; end [len(source)] is what the end of the reply looked
    at (empty when the reply was cut at its maximum length).
    """

    source: tuple[Word, ...]
    reply: tuple[Word, ...]
    weights: tuple[tuple[float, ...], ...]
    end: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several replies the search considered, best first."""

    reply: str
    score: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot answers.

    Args:
        question: as asked.
        text: the reply; "" for a blank question.
        score: the length-normalised log-probability it was chosen by.
        fallback: the reply is the fallback text, not the model's: its own was not sure enough, or the
            question has no word that the bot ever met. ``candidates`` still are the model's; in the second
            case, in which it was not asked, there are none.
        truncated: the question was longer than the model reads; only its end was read.
        history: the turns before it of which something was read, oldest first; the oldest maybe in part.
            ``history[-1]`` is turn -1 of the attention's words.
        candidates: the n best, the chosen one first.
        attention: None where the model has none (``--attention none``) or said nothing that is given.
        confidence: the probability that the model's reply is a good one; None where the checkpoint cannot
            tell, or the model was not asked.
        why: where the reply comes from, where that was asked for.
    """

    question: str
    text: str
    score: float = 0.0
    fallback: bool = False
    truncated: bool = False
    candidates: tuple[Candidate, ...] = ()
    attention: Attention | None = None
    history: tuple[str, ...] = ()
    confidence: float | None = None
    why: Why | None = None


class ReplyStream:
    """A reply that is being said: an iterator of its text, piece by piece, and at the end the Reply.

    Pieces are whole characters, none is taken back, and joined they are ``reply.text``. Leaving it before its
    end stops the search.
    """

    def __init__(self, parts: Iterator[str | Reply]) -> None:
        self._parts = parts
        self._reply: Reply | None = None

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._reply is None:
            part = next(self._parts)
            if isinstance(part, str):
                return part
            self._reply = part
        raise StopIteration

    @property
    def reply(self) -> Reply:
        """The whole reply; what has not been said yet is said first."""
        for _ in self:
            pass
        assert self._reply is not None
        return self._reply


def attention_between(
    question: str, read: Source, text: str, pieces: Sequence[tuple[int, int]], hypothesis: Hypothesis
) -> Attention:
    """Weights between words; only words of which the model read something are columns.

    Args:
        read: what was read of the question.
        text: the reply.
        pieces: character ranges in ``text`` of the hypothesis' tokens, without its end.
    """
    from chatbot.text.words import assign, merge_weights, read_words, word_spans  # not loaded in vain

    ended = len(hypothesis.tokens) > len(pieces)
    reply = read_words(pieces, word_spans(text))
    source, owners = _source_words(question, read)
    weights = hypothesis.weights
    rows = merge_weights(weights[: len(pieces)], assign(pieces, reply), owners, len(reply), len(source))
    end = merge_weights(weights[len(pieces) :], [0] * ended, owners, int(ended), len(source))
    return Attention(
        source,
        _words(text, reply),
        tuple(tuple(row) for row in rows.tolist()),
        tuple(end[0].tolist()) if ended else (),
    )


def attention_of(tokenizer: Tokenizer, question: str, read: Source, hypothesis: Hypothesis) -> Attention:
    """What the words of a reply that a model said looked at.

    Args:
        read: what was read of the question.
    """
    said = hypothesis.tokens[:-1] if hypothesis.tokens[-1:] == (EOS,) else hypothesis.tokens
    decoded = tokenizer.decode_with_offsets(said, read.words)
    shift = len(decoded.text) - len(decoded.text.lstrip())
    pieces = [(max(0, start - shift), max(0, end - shift)) for start, end in decoded.offsets]
    return attention_between(question, read, decoded.text.strip(), pieces, hypothesis)


def _source_words(question: str, read: Source) -> tuple[tuple[Word, ...], list[int]]:
    """The words that were read, oldest turn first, and for each token the place of its word or -1."""
    from chatbot.text.words import assign, read_words, word_spans

    turns = (*read.history, question)
    words: list[Word] = []
    owners: list[int] = []
    for turn, text in enumerate(turns, start=1 - len(turns)):
        pieces = [(place.start, place.end) for place in read.places if place.turn == turn]
        spans = read_words(pieces, word_spans(text))
        owners += [owner + len(words) if owner >= 0 else -1 for owner in assign(pieces, spans)]
        words += _words(text, spans, turn)
    return tuple(words), owners


def _words(text: str, spans: Sequence[tuple[int, int]], turn: int = 0) -> tuple[Word, ...]:
    return tuple(Word(text[start:end], start, end, turn) for start, end in spans)
