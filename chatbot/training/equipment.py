"""Equipment: what a trained network gets besides its weights, so that a reply can be judged and traced.

Made at the end of training, or for a checkpoint that is there already (``equip``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chatbot import checkpoint
from chatbot.checkpoint import CONFIDENCE, SEEN, WHY_PAIRS, WHY_VECTORS
from chatbot.config import Config, DecodingOptions
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import joined, take
from chatbot.engines.answering import Answering
from chatbot.errors import CheckpointError
from chatbot.evaluation.confidence import confidence_report
from chatbot.evaluation.goodness import good_replies, meaning
from chatbot.evaluation.logistic import cross_fitted, fit_logistic
from chatbot.text.tokenizer import SPECIALS, UNK, Tokenizer
from chatbot.training.card import with_confidence
from chatbot.training.data import TrainingData, prepare
from chatbot.training.reply_model import model_of
from chatbot.trust.confidence import Confidence
from chatbot.trust.features import ALONE, SEVERAL, features
from chatbot.trust.nearest import PairIndex
from chatbot.trust.seen import Seen

LEAST = 50
"""Held-out pairs without which there is no confidence: fewer say nothing of six weights."""

MOST = 1000
"""Held-out pairs that confidence is fitted on, spread evenly over all."""

UNKNOWN = "\u2026"
"""Stands for a word that the vocabulary lacks in the texts of an index."""


@dataclass(frozen=True, slots=True)
class Equipment:
    """Files of a checkpoint and what was measured while making them.

    Args:
        files: by name.
        report: of confidence: how well it is calibrated, or under "missing" why there is none.
    """

    files: dict[str, bytes]
    report: dict[str, Any]


def equipment(
    data: TrainingData, seen: Seen, answering: Answering, decoding: DecodingOptions, why: int
) -> Equipment:
    """Fit confidence, store words, replies and the pairs of an index.

    Args:
        seen: what the network met, in an earlier training as well.
        decoding: how replies are searched for.
        why: most pairs in the index; 0: none.
    """
    files = {SEEN: seen.to_bytes()}
    confidence, report = fitted(data, seen, answering, decoding)
    if confidence is not None:
        files[CONFIDENCE] = confidence.to_bytes()
    if why and (pairs := kept_pairs(data, why)):
        index = PairIndex.of(pairs, answering.vectors([question for question, _ in pairs]))
        files[WHY_VECTORS], files[WHY_PAIRS] = index.to_bytes()
    return Equipment(files, report)


def fitted(
    data: TrainingData, seen: Seen, answering: Answering, decoding: DecodingOptions
) -> tuple[Confidence | None, dict[str, Any]]:
    """The confidence fitted on held-out pairs, and its report.

    The report is of probabilities that fits to other pairs give (five folds); what is kept is fitted on all.
    Training pairs are no substitute for held-out ones: the network knows them by heart.
    """
    held_out = [corpus.valid for corpus in data.corpora if corpus.times and len(corpus.valid)]
    pairs = take(joined(held_out), MOST) if held_out else None
    count = 0 if pairs is None else len(pairs)
    if pairs is None or count < LEAST:
        return None, {"pairs": count, "missing": f"{count} held-out pairs are too few, {LEAST} are needed"}
    questions, truths = texts_of(pairs, data.tokenizer)
    answers = answering.answers(questions, decoding)
    rows = [row for row, answer in enumerate(answers) if answer.found]
    known = [seen.known(questions[row]) for row in rows]
    meant = meaning(truths, seen)
    good = good_replies([answers[row].text for row in rows], [truths[row] for row in rows], meant)
    found = [features(answers[row].found, share) for row, share in zip(rows, known, strict=True)]
    first = [features(answers[row].found[:1], share) for row, share in zip(rows, known, strict=True)]
    many = [row for row, values in enumerate(found) if len(values) == len(SEVERAL)]
    alone = fit_logistic(ALONE, first, good)
    sure, several = cross_fitted(ALONE, first, good), None
    if len(many) >= LEAST:
        some = [found[row] for row in many]
        several = fit_logistic(SEVERAL, some, good[many])
        sure[many] = cross_fitted(SEVERAL, some, good[many])
    return Confidence(several, alone, meant), {"good_means": meant, **confidence_report(sure, good)}


def kept_pairs(data: TrainingData, most: int) -> list[tuple[str, str]]:
    """Pairs for an index, each once: of the corpora that an epoch shows most often first.

    So many corpora are taken as hold ``most`` pairs; of those the pairs are spread evenly.
    """
    chosen: list[EncodedPairs] = []
    for corpus in sorted(data.corpora, key=lambda corpus: -corpus.times):
        if corpus.times and len(corpus.train) and sum(map(len, chosen)) < most:
            chosen.append(corpus.train)
    if not chosen:
        return []
    pairs = zip(*texts_of(take(joined(chosen), most), data.tokenizer), strict=True)
    return [(question, reply) for question, reply in dict.fromkeys(pairs) if question.strip()]


def texts_of(pairs: EncodedPairs, tokenizer: Tokenizer) -> tuple[list[str], list[str]]:
    """Questions and replies as the network reads and says them."""

    def text(ids: Sequence[int]) -> str:
        return tokenizer.decode(ids).strip().replace(SPECIALS[UNK], UNKNOWN)

    sides = [pairs.pair(row) for row in range(len(pairs))]
    return [text(src.tolist()) for src, _ in sides], [text(tgt.tolist()) for _, tgt in sides]


def equip(
    folder: Path, library: Path, why: int, notify: Callable[[str], None], device: str = "auto"
) -> dict[str, Any]:
    """Give a complete checkpoint what the end of training gives one, without training it again.

    Its config.json and model card tell of it; the weights stay as they are.

    Args:
        library: the folder of corpora; those that it was trained on must be as they were.
        why: most pairs in the index; 0: none.

    Returns:
        The report of confidence.

    Raises:
        CheckpointError: it is not complete, or a corpus is not as it was.
        CorpusError: a corpus is not there.
    """
    from chatbot.engines.network import load_network
    from chatbot.engines.torch_engine import TorchEngine, choose_device

    found = checkpoint.load(folder)
    data = _same_data(found, library, notify)
    model = model_of(data, found.config)
    vocab = data.tokenizer.vocab
    engine = TorchEngine(load_network(found, vocab), vocab, choose_device(device))
    answering = Answering.of(found.config, data.tokenizer, engine, found.context, lambda: model)
    made = equipment(data, data.seen, answering, found.config.decoding, why)
    record = {**found.record, "report": {**found.record.get("report", {}), "confidence": made.report}}
    card = (found.home / checkpoint.CARD).read_text(encoding="utf-8")
    files = {
        checkpoint.CONFIG: checkpoint.to_json(record),
        checkpoint.CARD: with_confidence(card, made.report).encode(),
    }
    if model is not None:
        files[checkpoint.REPLIES] = checkpoint.replies_file(model)
    stale = {CONFIDENCE, WHY_PAIRS, WHY_VECTORS, checkpoint.REPLIES} - {*made.files, *files}
    checkpoint.update(folder, {**files, **made.files}, stale)
    return made.report


def _same_data(found: checkpoint.Checkpoint, library: Path, notify: Callable[[str], None]) -> TrainingData:
    """What a checkpoint was trained on, encoded with its own tokenizer.

    Raises:
        CheckpointError: a corpus is not as it was.
    """
    corpora = found.record.get("corpora", [])
    config = Config.from_json({**found.config.to_json(), "training": {}})
    names = [corpus["name"] for corpus in corpora if not corpus.get("replayed")]
    old = {corpus["name"]: corpus["times"] for corpus in corpora if corpus.get("replayed")}
    data = prepare(names, library, config, notify, found.tokenizer(), old)
    for corpus, was in zip(data.corpora, corpora, strict=True):
        if corpus.sha256 != was["sha256"]:
            what = f"its corpus {corpus.name} is not as it was"
            raise CheckpointError(str(found.path), what, "restore the corpus, or train again")
    pairs = zip(data.corpora, corpora, strict=True)
    return replace(data, corpora=tuple(replace(each, times=float(was["times"])) for each, was in pairs))
