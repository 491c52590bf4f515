"""Wording: what a reply must, must never and does begin to say, from words to tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.config import DecodingOptions
from chatbot.decoding.blocking import repeats_itself
from chatbot.decoding.demands import Demand, Demands
from chatbot.decoding.terms import Rule
from chatbot.engines.never import Forbidden, Never
from chatbot.errors import OptionError
from chatbot.text.normalizer import invisible_removed
from chatbot.text.phrases import Phrases
from chatbot.text.tokenizer import EOS, UNK, Tokenizer
from chatbot.text.words import is_letter

JOINING = "'-"
"""What makes another word of the one before it, where a letter follows; here it always counts as such."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of some options, as a search takes them.

    Args:
        begin: tokens every reply begins with.
        demands: what every reply holds; None where nothing is demanded.
        forbidden: what no reply holds; None where nothing is.
    """

    begin: tuple[int, ...] = ()
    demands: Demands | None = None
    forbidden: Forbidden | None = None

    def rules(self, words: Sequence[Sequence[str]]) -> tuple[Rule, ...]:
        """The rules of one search.

        Args:
            words: for each source, the words of it that the vocabulary lacks.
        """
        return () if self.forbidden is None else (Never(self.forbidden, words),)

    def forbids(self, text: str) -> bool:
        """Whether a text holds what no reply holds."""
        return self.forbidden is not None and self.forbidden.phrases.held(text)


def wording(tokenizer: Tokenizer, options: DecodingOptions) -> Wording:
    """The words of options in the tokens of a checkpoint.

    Raises:
        OptionError: a word the checkpoint cannot say, or two options that contradict each other.
    """
    phrases = Phrases(options.never)
    for flag, texts in (("--must", options.must), ("--begin", (options.begin,))):
        for text in texts:
            if phrases.held(tokenizer.normalize(text)):
                raise OptionError(flag, f"{text!r} holds what --never forbids", "give one of them")
    return Wording(
        tokenizer.encode(_sayable(tokenizer, "--begin", options.begin)).ids,
        Demands(tuple(_demand(tokenizer, text, options) for text in options.must)) if options.must else None,
        Forbidden(phrases, tokenizer) if phrases.texts else None,
    )


def _sayable(tokenizer: Tokenizer, flag: str, text: str) -> str:
    """A text, if the checkpoint has tokens for all of it.

    Raises:
        OptionError: it has not.
    """
    encoded = tokenizer.encode(text)
    if UNK in encoded.ids:
        start, end = encoded.offsets[encoded.ids.index(UNK)]
        word = text[start:end].strip()
        raise OptionError(flag, f"this checkpoint does not know the word {word!r}", "choose another")
    return text


def _demand(tokenizer: Tokenizer, text: str, options: DecodingOptions) -> Demand:
    """A word as typed, or with a capital letter.

    Raises:
        OptionError: the checkpoint cannot say it.
    """
    texts = dict.fromkeys((_sayable(tokenizer, "--must", text), text[:1].upper() + text[1:]))
    spellings = [tokenizer.encode(each).ids for each in texts]
    if not is_letter(text[0]):  # it may stand right behind another word
        spellings += [_closely(tokenizer, each) for each in texts]
    ngram = options.block_ngram
    usable = [ids for ids in spellings if ids and UNK not in ids and not repeats_itself(ids, ngram)]
    if not usable:
        raise OptionError("--must", f"--block-ngram {ngram} forbids {text!r}", "add --block-ngram 0")
    return Demand(tuple(dict.fromkeys(usable)), _joins(tokenizer) if is_letter(text[-1]) else frozenset())


def _closely(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    """Tokens that spell a text with no space in front, as few as taking the longest each time gives."""
    ids = {spelling: token for token, spelling in enumerate(tokenizer.spellings()) if spelling}
    rest, found = tokenizer.normalize(text).encode(), []
    while rest:
        length = next((n for n in range(len(rest), 0, -1) if rest[:n] in ids), 0)
        if not length:
            return ()
        found.append(ids[rest[:length]])
        rest = rest[length:]
    return tuple(found)


def _joins(tokenizer: Tokenizer) -> frozenset[int]:
    """Tokens behind which a word may turn out to be longer: those that begin with a letter, those that show
    nothing, and bytes that only begin a character.
    """
    texts = [invisible_removed(text.decode("utf-8", "replace"))[:1] for text in tokenizer.spellings()]
    return frozenset(
        token
        for token, first in enumerate(texts)
        if token != EOS and (not first or is_letter(first) or first in JOINING or first == "\ufffd")
    )
