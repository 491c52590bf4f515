"""Every option of the project, each stated once: default, help, unit, allowed values.

The command line, ``config.json``, ``--config FILE.toml``, ``--dump-config`` and the option tables in
``docs/`` are all made from these fields. No module below this one reads a configuration: networks,
tokenizers and searches take plain numbers.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_type_hints

from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.errors import OptionError
from chatbot.option import option, span

FORMAT = 1
"""Version of the checkpoint layout; a checkpoint of another number is refused."""


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How text becomes ids."""

    tokenizer: str = option(
        "bpe", "kind of tokens: sub-words, words or characters", choices=("bpe", "words", "chars")
    )
    vocabulary: int = option(4096, "most tokens the vocabulary may hold", unit="tokens", low=300, high=65536)
    case: str = option(
        "question",
        "what is lower-cased before it is read: nothing, the question only, or the reply as well",
        choices=("keep", "question", "lower"),
    )
    max_src: int = option(
        40, "longest question read; of a longer one the last tokens are read", unit="tokens", low=1, high=1024
    )
    max_tgt: int = option(
        24,
        "longest reply learned and given; longer ones are left out of training",
        unit="tokens",
        low=1,
        high=512,
    )


AUTO = 0
"""Stands for a size that the run finds out."""

POINTER = "pointer"
COPYING = ("pointer-generator", POINTER)
"""Outputs that copy words of the question; the pointer does nothing else."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The network."""

    attention: str = option(
        "general",
        "how a reply word's query scores the question's words; none: one fixed vector",
        choices=("none", "additive", "dot", "scaled-dot", "general", "cosine", "location", "multi-head"),
        aliases={"bahdanau": "additive", "concat": "additive"},
    )
    align: str = option(
        "global",
        "which positions the scores compete over",
        choices=("global", "local-m", "local-p", "hard", "straight-through", "ntm"),
    )
    ask: str = option(
        "current",
        "when the decoder asks: with its state before a word (Bahdanau), with its current one (Luong), or "
        "with its current one while what it found is fed into the next",
        choices=("current", "previous", "feeding"),
    )
    attention_size: int = option(
        0,
        "hidden units of additive and of multi-head attention; 0: as many as --hidden",
        unit="numbers",
        low=0,
    )
    heads: int = option(
        4,
        "heads of multi-head attention, and of a Transformer's self-attention",
        unit="heads",
        low=1,
        high=64,
    )
    window: int = option(5, "half-width of local-m and local-p", unit="tokens", low=1, high=1024)
    coverage: bool = option(False, "scores know what was looked at before, and looking again has a price")
    output: str = option(
        "softmax",
        "how a word is said: from the vocabulary, from there or copied from the question, or copied only",
        choices=("softmax", *COPYING),
    )
    encoder: str = option("rnn", "what reads the question", choices=("rnn", "snail", "lstmn", "transformer"))
    decoder: str = option("rnn", "what writes the reply", choices=("rnn", "snail", "ntm", "transformer"))
    slots: int = option(32, "slots in the memory of --decoder ntm", unit="slots", low=1, high=4096)
    slot_size: int = option(32, "size of a slot", unit="numbers", low=1, high=4096)
    norm: str = option(
        "pre",
        "where layers of a Transformer are normalised: before what they compute, or after",
        choices=("pre", "post"),
    )
    cell: str = option("lstm", "recurrent cell", choices=("lstm", "gru"))
    embed: int = option(256, "size of a token's embedding", unit="numbers", low=1)
    hidden: int = option(
        256, "size of the decoder's state, and of both encoder directions together", unit="numbers", low=2
    )
    layers: int = option(1, "layers in the encoder and in the decoder", unit="layers", low=1, high=64)
    bidirectional: bool = option(True, "recurrent encoders read backwards as well")
    residual: bool = option(
        False, "a recurrent layer's input is added to its output, from the second layer on"
    )
    self_attention: bool = option(False, "gated self-attention (SAGAN) over the encoder's outputs")
    reverse_source: bool = option(False, "read the question from its end")
    dropout: float = option(0.05, "share of activations dropped in training", low=0.0, high=0.9)
    dropout_kind: str = option(
        "input",
        "what --dropout drops: each number by itself, or the same ones at all steps of a sequence",
        choices=("input", "variational"),
    )
    weight_dropout: float = option(
        0.0, "share of the weights between a recurrent layer's states dropped in training", low=0.0, high=0.9
    )
    tie: bool = option(True, "one embedding table for question, reply and output")
    frozen: bool = option(False, "the vectors of --embeddings stay as they are; needs --no-tie")


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How the network is trained."""

    minutes: float = option(10.0, "time budget the schedule is fitted into; 0: none", unit="minutes", low=0)
    epochs: float = option(0.0, "passes over the training pairs; 0: no limit", unit="epochs", low=0)
    steps: int = option(0, "optimiser updates; 0: no limit", unit="steps", low=0)
    batch_tokens: int = option(
        1024,
        "size of a batch: its pairs times the longest question and reply among them together; auto: as much "
        "as fits the GPU, elsewhere 1024 for each process",
        unit="tokens",
        low=1,
        words={"auto": AUTO},
    )
    accumulate: int = option(
        1, "batches whose gradients make one update together", unit="batches", low=1, high=1024
    )
    lr: float = option(8e-3, "highest learning rate (AdamW)", low=0.0)
    warmup: float = option(0.03, "share of the run over which the learning rate rises", low=0.0, high=1.0)
    schedule: str = option(
        "cosine",
        "how the learning rate falls after its rise: as half a cosine, as an inverse square root, or not",
        choices=("cosine", "inverse-sqrt", "constant"),
    )
    weight_decay: float = option(0.01, "decay of weight matrices (AdamW)", low=0.0)
    label_smoothing: float = option(0.0, "share of probability spread over all tokens", low=0.0, high=0.9)
    scheduled_sampling: float = option(
        0.0,
        "share of the words fed to the decoder that are its own at the end of the run; 0: teacher forcing",
        low=0.0,
        high=1.0,
    )
    sampling_schedule: str = option(
        "linear",
        "how that share grows over the run: ever the same, fast at first, or fast in the middle",
        choices=("linear", "exponential", "inverse-sigmoid"),
    )
    clip: float = option(1.0, "longest gradient, as its norm; 0: no limit", low=0.0)
    eval_every: int = option(0, "steps between validations; 0: about twelve in the run", unit="steps", low=0)
    save_every: int = option(
        0, "steps between saves of the training state; 0: at each validation", unit="steps", low=0
    )
    keep: int = option(
        2,
        "training states kept, the newest ones; an older one is gone on with where the newest is damaged",
        unit="states",
        low=1,
        high=1000,
    )
    patience: int = option(5, "validations without improvement before stopping; 0: never", low=0)
    stop_on: str = option(
        "loss",
        "what a validation must improve, and the best weights are chosen by: loss, or share of right tokens",
        choices=("loss", "accuracy"),
    )
    average: float = option(
        0.0,
        "how much of a moving average of the weights stays at each step; the average is kept where "
        "validation finds it better; 0: none",
        low=0.0,
        high=0.99999,
    )
    embeddings: str = option(
        "", "file of word vectors to start from (GloVe, word2vec or fastText); needs --tokenizer words"
    )
    replay: float = option(
        0.0,
        "share of an epoch's pairs that come from what the checkpoint of --from was trained on, so that it "
        "is not forgotten",
        low=0.0,
        high=0.9,
    )
    freeze: str = option(
        "", "parts that are not learned, separated by commas: embeddings, encoder, decoder, output"
    )
    why: int = option(
        5000,
        "training pairs kept in the checkpoint, so that chat --why can show which are nearest; 0: none",
        unit="pairs",
        low=0,
        high=100_000,
    )
    canaries: int = option(
        0,
        "made-up codes planted among the training pairs, so that chatbot evaluate --audit can tell what "
        "was learned by heart",
        unit="pairs",
        low=0,
        high=10_000,
    )
    reverse: bool = option(
        False,
        "learn to guess a question from its reply, to judge the replies of another bot: "
        "chat --reverse-model; nobody can talk with it",
    )
    tensorboard: str = option(
        "",
        "folder for TensorBoard: the run's figures, its sample replies and pictures of what they looked at "
        "go to a folder of the checkpoint's name in it; without one, nowhere",
    )
    precision: str = option(
        "single",
        "numbers that a GPU computes a step with: of 32 bits, or of 16 where that is exact enough",
        choices=("single", "bf16", "fp16"),
    )
    seed: int = option(0, "random seed")
    device: str = option("auto", "where to compute", choices=("auto", "cpu", "cuda", "mps"))


BEAM, SAMPLE = "beam", "sample"
MOST_SAMPLES = 1024
TEXTS = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecodingOptions:
    """How a reply is searched for."""

    search: str = option(
        BEAM, "how a reply is found: by beam search, or drawn by chance", choices=(BEAM, SAMPLE)
    )
    beam: int = option(4, "hypotheses kept side by side; 1 is greedy search", low=1, high=1024)
    normalize: str = option(
        "wu",
        "what divides a reply's log-probability: the penalty of Wu et al. 2016, or the number of its tokens",
        choices=("wu", "average"),
    )
    length_penalty: float = option(
        1.0, "α of ((5 + length) / 6) ** α, which divides a reply's log-probability", low=0.0, high=5.0
    )
    coverage_penalty: float = option(
        0.0,
        "β, by which a reply is marked down for question words it did not look at (Wu et al. 2016); 0: off",
        low=0.0,
        high=100.0,
    )
    anti_lm: float = option(
        0.6,
        "λ, by which words are marked down that would be likely whatever was asked (Li et al. 2016); 0: off",
        low=0.0,
        high=10.0,
    )
    anti_lm_tokens: int = option(
        10, "γ, the first tokens of a reply that --anti-lm concerns", unit="tokens", low=1, high=1024
    )
    bidi: float = option(
        0.5,
        "of --reverse-model: what guessing the question from the reply counts, and the reply itself the rest",
        low=0.0,
        high=1.0,
    )
    prune: float = option(
        0.0,
        "a token this much less likely than the best one is not tried, and a reply whose score is this much "
        "below the best is not kept; 0: off",
        unit="nats",
        low=0.0,
        high=1000.0,
    )
    beam_groups: int = option(
        1, "parts of the beam that shun each other's words (diverse beam search); 1: off", low=1, high=1024
    )
    diversity: float = option(
        0.5,
        "what a token costs a group for each earlier group's use of it",
        unit="nats",
        low=0.0,
        high=1000.0,
    )
    temperature: float = option(
        0.7, "of --sample: above 1 bolder, below 1 safer; 0 takes the likeliest token", low=0.0, high=100.0
    )
    top_k: int = option(0, "of --sample: only the k likeliest tokens; 0: all", unit="tokens", low=0)
    top_p: float = option(
        0.9,
        "of --sample: only the likeliest tokens that make up this share of probability; 1: all",
        low=0.0,
        high=1.0,
    )
    min_p: float = option(
        0.0, "of --sample: only tokens this share as likely as the likeliest; 0: all", low=0.0, high=1.0
    )
    typical: float = option(
        1.0,
        "of --sample: only the tokens nearest to the expected surprise, to this share of probability; 1: all",
        low=0.0,
        high=1.0,
    )
    sample_seed: int = option(
        0,
        "seed of --sample; with the question it decides the reply",
        low=0,
        flag="seed",
    )
    min_tokens: int = option(0, "shortest reply", unit="tokens", low=0, high=1024)
    max_tokens: int = option(
        0, "longest reply; 0: the longest the checkpoint was trained on", unit="tokens", low=0
    )
    block_ngram: int = option(
        3, "no run of so many tokens occurs twice in a reply; 0: off", unit="tokens", low=0
    )
    block_source_ngram: int = option(
        0, "no run of so many tokens is copied from the question; 0: off", unit="tokens", low=0
    )
    unknown: str = option(
        "avoid",
        "what stands for a word that --tokenizer words left out of the vocabulary: the next best word, or "
        "that of the question's words outside the vocabulary that is looked at most",
        choices=("avoid", "attended"),
    )
    repetition_penalty: float = option(
        1.0,
        "what the log-probability of a token the reply already holds is multiplied by; 1: off",
        low=1.0,
        high=100.0,
    )
    never: tuple[str, ...] = option(
        (), "words and phrases that no reply holds, one a line in a file; case does not matter", lines=True
    )
    must: tuple[str, ...] = option((), "a word or phrase that every reply holds; may be given several times")
    begin: str = option("", "what every reply begins with")
    focus: tuple[str, ...] = option(
        (),
        "a word or phrase of the question, or of the turns before it, that is looked at more; may be given "
        "several times",
    )
    focus_weight: float = option(
        1000.0, "how many times as much --focus lets its words be looked at", low=1.0, high=1e6
    )
    threshold: float = option(
        0.0,
        "a reply that is less likely to be a good one gives way to the fallback; 0: none does",
        unit="probability",
        low=0.0,
        high=1.0,
    )
    fallback: str = option(
        "",
        "what is said instead of a reply that is not sure enough, or to a question of words never met; "
        "without it something neutral in the bot's language",
    )
    guess: bool = option(False, "answer also a question that has no word the bot ever met")

    @property
    def settles(self) -> bool:
        """Whether each token is certain as soon as it is found."""
        return (self.search == SAMPLE or self.beam == 1) and not self.threshold

    @property
    def most_candidates(self) -> int:
        """The most replies to one question that such a search can give."""
        return self.beam if self.search == BEAM else MOST_SAMPLES


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that built a checkpoint, apart from the data itself."""

    reading: ReadingOptions = field(default_factory=ReadingOptions)
    data: DataOptions = field(default_factory=DataOptions)
    text: TextOptions = field(default_factory=TextOptions)
    model: ModelOptions = field(default_factory=ModelOptions)
    training: TrainingOptions = field(default_factory=TrainingOptions)
    decoding: DecodingOptions = field(default_factory=DecodingOptions)

    def to_json(self) -> dict[str, Any]:
        """The sections as plain objects, every option named.

        Lists of texts are lists, as in JSON, and words stand where numbers mean them.
        """
        sections = dataclasses.asdict(self).items()
        return {
            section: {name: said(section, name, value) for name, value in options.items()}
            for section, options in sections
        }

    @classmethod
    def from_json(cls, record: Any, where: str = "config") -> Config:
        """Read sections back; an option not named keeps its default.

        Raises:
            OptionError: an unknown section or option, or a value out of its range.
        """
        config = cls()
        if not isinstance(record, Mapping):
            raise OptionError(where, "holds no sections of options", "sections are " + ", ".join(SECTIONS))
        for section, values in record.items():
            if section not in SECTIONS or not isinstance(values, Mapping):
                known = ", ".join(SECTIONS)
                raise OptionError(where, f"no section [{section}]", f"sections are {known}")
            told = {f"{section}.{name}": value for name, value in values.items()}
            config = config.replace(
                {key: value for key, value in told.items() if not _says_nothing(key, value)}, where
            )
        return config

    def replace(self, changes: Mapping[str, Any], where: str = "") -> Config:
        """A copy with some options changed.

        Args:
            changes: by "section.name", or by the name alone.
            where: what to call the source of the changes in an error.
        """
        parts: dict[str, dict[str, Any]] = {}
        for key, value in changes.items():
            section, name = locate(key, where)
            parts.setdefault(section, {})[name] = check_value(section, name, value, where)
        sections = {s: dataclasses.replace(getattr(self, s), **v) for s, v in parts.items()}
        return dataclasses.replace(self, **sections)


SECTIONS: dict[str, type] = {
    "reading": ReadingOptions,
    "data": DataOptions,
    "text": TextOptions,
    "model": ModelOptions,
    "training": TrainingOptions,
    "decoding": DecodingOptions,
}

PRESETS: dict[str, dict[str, Any]] = {
    "tiny": {"vocabulary": 1024, "embed": 96, "hidden": 96},
    "small": {},
    "base": {"hidden": 384, "dropout": 0.2, "lr": 4e-3},
}
"""Named sets of options, applied before single ones."""

PAPERS: dict[str, dict[str, Any]] = {
    "sutskever2014": {
        "attention": "none",
        "cell": "lstm",
        "layers": 4,
        "bidirectional": False,
        "reverse_source": True,
        "lr": 4e-3,
    },
    "graves2014": {"decoder": "ntm", "attention": "cosine", "align": "ntm", "cell": "lstm", "lr": 4e-3},
    "bahdanau2015": {"attention": "additive", "ask": "previous", "cell": "gru"},
    "luong2015": {
        "attention": "general",
        "align": "local-p",
        "window": 10,
        "ask": "feeding",
        "cell": "lstm",
        "layers": 4,
        "bidirectional": False,
        "reverse_source": True,
        "dropout": 0.2,
        "lr": 4e-3,
    },
    "xu2015": {"attention": "additive", "align": "hard", "ask": "previous", "cell": "lstm", "lr": 4e-3},
    "vinyals2015": {"attention": "additive", "output": "pointer", "cell": "lstm", "bidirectional": False},
    "cheng2016": {"encoder": "lstmn", "attention": "additive", "bidirectional": False},
    "britz2017": {
        "attention": "additive",
        "cell": "lstm",
        "layers": 4,
        "lr": 4e-3,
        "beam": 10,
        "length_penalty": 1.0,
    },
    "see2017": {"attention": "additive", "coverage": True, "output": "pointer-generator", "cell": "lstm"},
    "vaswani2017": {
        "encoder": "transformer",
        "decoder": "transformer",
        "attention": "multi-head",
        "layers": 2,
        "dropout": 0.1,
        "label_smoothing": 0.1,
        "lr": 2e-3,
        "warmup": 0.1,
    },
    "mishra2018": {
        "encoder": "snail",
        "decoder": "snail",
        "attention": "scaled-dot",
        "layers": 2,
        "lr": 5e-3,
    },
    "zhang2018": {"self_attention": True},
}
"""Options that pair the parts as a paper does, applied after a preset; sizes stay those of the preset.
``docs/papers.md`` says what each takes from its paper."""


EARLIER_SWITCHES = ("training.tensorboard",)
"""Options that name something now and were switches once; what a checkpoint says of such a switch is passed
over."""


def _says_nothing(key: str, value: Any) -> bool:
    return key in EARLIER_SWITCHES and isinstance(value, bool)


def locate(key: str, where: str = "") -> tuple[str, str]:
    """The section and field name of an option given as "section.name", "name" or "some-name".

    Raises:
        OptionError: there is no such option.
    """
    section, _, name = key.rpartition(".")
    name = name.replace("-", "_")
    for candidate, options in SECTIONS.items():
        if section in ("", candidate) and name in {f.name for f in dataclasses.fields(options)}:
            return candidate, name
    raise OptionError(where or key, f"no option {key!r}", "see chatbot train --dump-config for all of them")


def option_field(section: str, name: str) -> dataclasses.Field[Any]:
    """The dataclass field behind an option."""
    return next(f for f in dataclasses.fields(SECTIONS[section]) if f.name == name)


def option_type(section: str, name: str) -> type:
    """The Python type of an option's value."""
    kind: type = get_type_hints(SECTIONS[section])[name]
    return kind


def said(section: str, name: str, value: Any) -> Any:
    """The value of an option as a file says it: a list of texts as a list, a word where a number means it."""
    if isinstance(value, tuple):
        return list(value)
    words = option_field(section, name).metadata["words"]
    return next((word for word, number in words.items() if number == value), value)


T = TypeVar("T")


@functools.lru_cache(maxsize=64)
def check_options(section: str, options: object) -> None:
    """Check each option of a section as ``check_value`` does.

    Raises:
        OptionError: a value that is not allowed.
    """
    for each in dataclasses.fields(SECTIONS[section]):
        check_value(section, each.name, getattr(options, each.name), each.name)


def check_value(section: str, name: str, value: Any, where: str = "") -> Any:
    """The value in its option's type, if it is allowed.

    Raises:
        OptionError: it is of another type, not among the choices or out of range.
    """
    meta = option_field(section, name).metadata
    kind = option_type(section, name)
    label = where or "--" + (meta["flag"] or name.replace("_", "-"))
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < 2**1000 else math.inf
    value = (meta["aliases"] | meta["words"]).get(value, value) if isinstance(value, str) else value
    if kind == TEXTS:
        return _check_texts(label, name, value)
    if type(value) is not kind:
        raise OptionError(label, f"{name} must be {kind.__name__}, not {value!r}")
    if meta["choices"] and value not in meta["choices"]:
        raise OptionError(label, f"no {name} {value!r}", "choose one of " + ", ".join(meta["choices"]))
    if isinstance(value, float) and not math.isfinite(value):
        raise OptionError(label, f"{name} is {value!r}", "it must be a finite number")
    low, high = meta["low"], meta["high"]
    outside = (low is not None and value < low) or (high is not None and value > high)
    if outside and value not in meta["words"].values():
        raise OptionError(label, f"{name} is {value!r}", f"it must be {span(meta)}")
    return value


def _check_texts(label: str, name: str, value: Any) -> tuple[str, ...]:
    """A list of texts, without white space around them; blank ones are left out, and each counts once."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) for text in value):
        raise OptionError(label, f"{name} must be a list of texts, not {value!r}")
    return tuple(dict.fromkeys(text.strip() for text in value if text.strip()))
