"""Chatbot: text in, Reply out. The library's front door."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.checkpoint import Checkpoint, load
from chatbot.config import DecodingOptions
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.search import search
from chatbot.errors import OptionError
from chatbot.text.tokenizer import EOS, Tokenizer
from chatbot.text.words import assign, merge_weights, read_words, word_spans

if TYPE_CHECKING:
    from chatbot.decoding.engine import Engine


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question or reply, with character offsets into the text as typed or printed."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Attention:
    """How much each reply word looked at each question word.

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
        fallback: the reply is the fallback text, not the model's.
        truncated: the question was longer than the model reads; only its end was read.
        candidates: the n best, the chosen one first.
        attention: None where the model has none (``--attention none``) or the question is blank.
    """

    question: str
    text: str
    score: float = 0.0
    fallback: bool = False
    truncated: bool = False
    candidates: tuple[Candidate, ...] = ()
    attention: Attention | None = None


BATCH = 64
"""Questions answered together by ``replies``."""

SPARE = 4
"""Further hypotheses asked for, since two may read alike."""


class Chatbot:
    """A trained bot.

    Args:
        name: of its checkpoint.
        tokenizer, engine: made from the same checkpoint.
        max_src: longest question read, in tokens.
        max_tgt: longest reply, in tokens, unless the options say otherwise.
        options: how replies are searched for unless a call says otherwise.
        attends: whether the weights of the engine mean anything.
    """

    def __init__(
        self,
        name: str,
        tokenizer: Tokenizer,
        engine: Engine,
        max_src: int,
        max_tgt: int,
        options: DecodingOptions,
        attends: bool = True,
    ) -> None:
        self.name = name
        self.options = options
        self._tokenizer = tokenizer
        self._engine = engine
        self._max_src = max_src
        self._max_tgt = max_tgt
        self._attends = attends
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | Path, device: str = "auto") -> Chatbot:
        """A bot from a checkpoint folder.

        Args:
            device: auto, cpu, cuda or mps.

        Raises:
            CheckpointError: the folder is no complete, undamaged checkpoint.
            OptionError: the device is not there.
        """
        checkpoint = load(Path(path))
        tokenizer = checkpoint.tokenizer()
        engine = _torch_engine(checkpoint, tokenizer.vocab, device)
        config = checkpoint.config
        return cls(
            checkpoint.name,
            tokenizer,
            engine,
            config.text.max_src,
            config.text.max_tgt,
            config.decoding,
            config.model.attention != "none",
        )

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        """Answer one question.

        Args:
            text: the question; a blank one gets a blank reply.
            history: the turns before it, oldest first; a bot trained on single questions reads none.
            options: how to search; the checkpoint's way when None.
            candidates: how many of the best replies to name, at most the beam.

        Raises:
            OptionError: no candidates asked for, or more than the beam holds.
        """
        return self.replies([text], options, candidates)[0]

    def replies(
        self, texts: Sequence[str], options: DecodingOptions | None = None, candidates: int = 1
    ) -> list[Reply]:
        """Answer many questions, each as ``reply`` would, in batches."""
        if candidates < 1:
            raise OptionError("candidates", f"is {candidates}", "it must be at least 1")
        chosen = options or self.options
        answered: list[Reply] = []
        for start in range(0, len(texts), BATCH):
            answered += self._answer(texts[start : start + BATCH], chosen, candidates)
        return answered

    def _answer(self, texts: Sequence[str], options: DecodingOptions, candidates: int) -> list[Reply]:
        encoded = [self._tokenizer.encode(text, src=True) for text in texts]
        asked = [row for row, source in enumerate(encoded) if source.ids]
        sources = [encoded[row].ids[-self._max_src :] for row in asked]
        found: list[list[Hypothesis]] = []
        if sources:
            with self._lock:
                found = search(
                    self._engine,
                    sources,
                    beam=options.beam,
                    n_best=max(candidates, min(options.beam, candidates + SPARE)),
                    max_length=(options.max_tokens or self._max_tgt) + 1,
                    length_penalty=options.length_penalty,
                    block_ngram=options.block_ngram,
                )
        replies = [Reply(text, "") for text in texts]
        for row, hypotheses in zip(asked, found, strict=True):
            offsets = encoded[row].offsets[-self._max_src :]
            cut = len(encoded[row].ids) > self._max_src
            replies[row] = self._reply(texts[row], offsets, hypotheses, candidates, cut)
        return replies

    def _reply(
        self,
        question: str,
        offsets: Sequence[tuple[int, int]],
        hypotheses: Sequence[Hypothesis],
        candidates: int,
        truncated: bool,
    ) -> Reply:
        """The best hypothesis as a reply; hypotheses that read alike count once, silent ones last."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            texts.setdefault(self._tokenizer.decode(hypothesis.tokens).strip(), hypothesis)
        ranked = sorted(texts.items(), key=lambda item: not item[0])  # stable: the best that says something
        text, best = ranked[0]
        named = tuple(Candidate(said, hypothesis.score) for said, hypothesis in ranked[:candidates])
        attention = self._attention(question, offsets, best) if self._attends else None
        return Reply(question, text, best.score, False, truncated, named, attention)

    def _attention(
        self, question: str, offsets: Sequence[tuple[int, int]], hypothesis: Hypothesis
    ) -> Attention:
        """Weights between words; only words of which the model read something are columns."""
        ended = hypothesis.tokens[-1:] == (EOS,)
        said = hypothesis.tokens[:-1] if ended else hypothesis.tokens
        decoded = self._tokenizer.decode_with_offsets(said)
        text = decoded.text.strip()
        shift = len(decoded.text) - len(decoded.text.lstrip())
        pieces = [(max(0, start - shift), max(0, end - shift)) for start, end in decoded.offsets]
        source, reply = read_words(offsets, word_spans(question)), read_words(pieces, word_spans(text))
        owners = assign(offsets, source)
        weights = hypothesis.weights
        rows = merge_weights(weights[: len(said)], assign(pieces, reply), owners, len(reply), len(source))
        end = merge_weights(weights[len(said) :], [0] * ended, owners, int(ended), len(source))
        return Attention(
            _words(question, source),
            _words(text, reply),
            tuple(tuple(row) for row in rows.tolist()),
            tuple(end[0].tolist()) if ended else (),
        )


def _words(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Word, ...]:
    return tuple(Word(text[start:end], start, end) for start, end in spans)


def _torch_engine(checkpoint: Checkpoint, vocab: int, device: str) -> Engine:
    from chatbot.engines.loading import load_engine

    return load_engine(checkpoint, vocab, device)
