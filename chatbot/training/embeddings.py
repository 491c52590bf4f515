"""Embeddings that start from pretrained vectors."""

from __future__ import annotations

from pathlib import Path

import torch

from chatbot.checkpoint import Checkpoint
from chatbot.config import Config
from chatbot.errors import OptionError
from chatbot.nn.embedding import set_rows
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.vectors import read_vectors


def check_embeddings(config: Config, base: Checkpoint | None) -> None:
    """Whether ``--embeddings`` and ``--frozen`` fit the rest.

    Args:
        base: the checkpoint a run starts from, if any.

    Raises:
        OptionError: they do not.
    """
    what = ""
    if config.training.embeddings and base:
        what, remedy = "the words of the checkpoint have vectors already", "leave one of the two out"
    elif config.training.embeddings and config.text.tokenizer != "words":
        what, remedy = "has vectors of words, and these tokens are none", "add --tokenizer words"
    elif config.model.frozen and not config.training.embeddings and not base:
        raise OptionError("--frozen", "there is no vector to keep", "give a file of them with --embeddings")
    if what:
        raise OptionError("--embeddings", what, remedy)


def start_from_vectors(network: Seq2Seq, tokenizer: Tokenizer, config: Config) -> str:
    """Let the embeddings start from the file of ``--embeddings``.

    Returns:
        What was found, in a sentence.

    Raises:
        CorpusError: the file holds no vectors.
        OptionError: they are of another size.
    """
    where = config.training.embeddings
    vectors = read_vectors(Path(where), tokenizer.words())
    size = vectors.matrix.shape[1]
    if size != config.model.embed:
        what = f"{where} has vectors of {size} numbers, not {config.model.embed}"
        raise OptionError("--embeddings", what, f"add --embed {size}")
    if vectors.found.any():
        rows, which = torch.from_numpy(vectors.matrix), torch.from_numpy(vectors.found)
        for table in {network.src_embedding, network.tgt_embedding}:
            set_rows(table, rows, which)
    found = f"{where}: {vectors.format}; {int(vectors.found.sum())} of {vectors.words} words"
    skipped = f"; {vectors.skipped} lines that are no vector were skipped" if vectors.skipped else ""
    return f"{found} ({vectors.share:.0%}) start from it{skipped}"
