"""A naive twin: Seq2Seq with attention as tutorials write it, to measure the step of ours against.

Dot attention that does not mask padding, the decoder one word at a time, a softmax over the vocabulary of
every position, padded or not, then its logarithm. The encoder is as large as ours.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.dataset.batches import PAD, Batch


class Tutorial(nn.Module):
    """GRU encoder and decoder of two layers.

    Args:
        vocab: words.
        hidden: numbers of an embedding, of the decoder's state and of both encoder directions together.
    """

    def __init__(self, vocab: int, hidden: int) -> None:
        super().__init__()
        self.src_embedding = nn.Embedding(vocab, hidden)
        self.tgt_embedding = nn.Embedding(vocab, hidden)
        self.encoder = nn.GRU(hidden, hidden // 2, 2, dropout=0.1, bidirectional=True, batch_first=True)
        self.decoder = nn.GRU(hidden, hidden, 2, dropout=0.1, batch_first=True)
        self.combine = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, vocab)
        self.dropout = nn.Dropout(0.1)

    def step(self, word: Tensor, state: Tensor, outputs: Tensor) -> tuple[Tensor, Tensor]:
        """Probabilities [batch, vocab] of the next word."""
        made, state = self.decoder(self.dropout(self.tgt_embedding(word)), state)
        weights = torch.softmax(made @ outputs.transpose(1, 2), dim=-1)
        features = torch.tanh(self.combine(torch.cat([made, weights @ outputs], dim=-1)))
        return torch.softmax(self.out(features[:, 0]), dim=-1), state


def tutorial_loss(network: Tutorial, batch: Batch) -> Tensor:
    """Mean negative log-likelihood of the real target words, word by word."""
    packed = nn.utils.rnn.pack_padded_sequence(
        network.src_embedding(batch.src), (batch.src != PAD).sum(1), batch_first=True, enforce_sorted=False
    )
    outputs, finals = network.encoder(packed)
    outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
    layers, rows, half = finals.shape[0] // 2, finals.shape[1], finals.shape[2]
    state = finals.view(layers, 2, rows, half).transpose(1, 2).reshape(layers, rows, 2 * half)
    total = outputs.new_zeros(())
    for t in range(batch.tgt_in.shape[1]):
        said, state = network.step(batch.tgt_in[:, t : t + 1], state, outputs)
        gold = batch.tgt_out[:, t]
        total = total - said.gather(1, gold[:, None]).squeeze(1).log()[gold != PAD].sum()
    return total / (batch.tgt_out != PAD).sum()
