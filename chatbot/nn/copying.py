"""Outputs that copy: the pointer network, and the generator that points as well."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.embedding import PAD
from chatbot.nn.output import Output, SoftmaxOutput
from chatbot.nn.precision import single

FLOOR = 1e-30
"""Least probability, -69 nats, of a word that can be said: in single precision a weight may be exactly 0,
whose logarithm is no loss to learn from. Words a row cannot say stay at -inf."""

GENERATE = 2.0
"""Where the gate's bias starts: words are generated with probability 0.88 until copying has proved itself."""


class PointerOutput(Output):
    """Say a word of the source by pointing at it, and nothing else.

        P(y_t = w) = Σ over i with x_i = w of α_i

    Source: Vinyals et al. 2015, section 2.3: the weights are the distribution. Replies are words
    here, not positions, so equal words count together. A reply ends by pointing at the <eos> behind its
    source. The features are not asked; they matter where the decoder feeds them back.

    Args:
        vocab: size of the vocabulary.
    """

    ends_source = True

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.vocab = vocab

    def forward(self, features: Tensor, weights: Tensor, ids: Tensor) -> Tensor:
        """log P of every word; -inf for those that stand nowhere in the source."""
        columns = _columns(ids, self.vocab)
        nothing = single(weights).new_zeros(ids.shape[0], columns)
        said = nothing.scatter_add(1, ids, _shares(weights, ids))
        return _log(said).masked_fill(~_standing(ids, 0, columns), float("-inf"))


class CopyOutput(Output):
    """Generate a word or copy one of the source: the pointer-generator.

        P(w) = p · P_vocab(w) + (1 - p) · Σ over i with x_i = w of α_i,   p = σ(w · o_t + b)

    Source: See et al. 2017, equations 8 and 9. There the gate reads context, state and last word; here it
    reads the features, which every decoder makes of these three, so it works with any of them. Weights that
    sum to less than 1 count as shares of their sum.

    Args:
        table: of the generator, see SoftmaxOutput.
    """

    def __init__(self, table: nn.Embedding) -> None:
        super().__init__()
        self.generator = SoftmaxOutput(table)
        self.gate = nn.Linear(table.embedding_dim, 1)
        nn.init.constant_(self.gate.bias, GENERATE)

    def forward(self, features: Tensor, weights: Tensor, ids: Tensor) -> Tensor:
        """log P of every word, those of the vocabulary first."""
        generated = torch.softmax(single(self.generator(features, weights, ids)), dim=-1)
        vocab = generated.shape[1]
        columns = _columns(ids, vocab)
        gate = single(self.gate(features))  # [positions, 1]
        said = torch.sigmoid(gate) * generated
        copied = torch.sigmoid(-gate) * _shares(weights, ids)
        if columns == vocab:
            return _log(said.scatter_add_(1, ids, copied))
        said = nn.functional.pad(said, (0, columns - vocab))
        logits = _log(said.scatter_add_(1, ids, copied))
        logits[:, vocab:].masked_fill_(~_standing(ids, vocab, columns), float("-inf"))
        return logits

    def set_prior(self, counts: Tensor) -> None:
        """That of the generator."""
        self.generator.set_prior(counts)


def _columns(ids: Tensor, vocab: int) -> int:
    """How many words a batch may say: the vocabulary, and the most that one of its sources adds.

    A traced network cannot look at its ids: there it is the most that sources of this length could add, and
    what none of them does is -inf.
    """
    if torch.onnx.is_in_onnx_export():
        return vocab + ids.shape[1]
    return max(vocab, int(ids.max()) + 1)


def _shares(weights: Tensor, ids: Tensor) -> Tensor:
    """Weights of the real tokens as shares of their sum.

    Shapes: weights, ids [positions, src_len] -> the same
    """
    real = single(weights).masked_fill(ids == PAD, 0.0)
    return real / real.sum(-1, keepdim=True).clamp_min(FLOOR)


def _log(said: Tensor) -> Tensor:
    return said.clamp_min(FLOOR).log()


def _standing(ids: Tensor, first: int, columns: int) -> Tensor:
    """Which of the words from ``first`` on stand in each source; padding does not.

    Shapes: ids [positions, src_len] -> [positions, columns - first]
    """
    places = (ids - first + 1).clamp_min(0).masked_fill(ids == PAD, 0)  # 0: none of them
    there = torch.zeros(ids.shape[0], columns - first + 1, dtype=torch.bool, device=ids.device)
    return there.scatter(1, places, torch.ones_like(places, dtype=torch.bool))[:, 1:]
