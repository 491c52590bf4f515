"""Gated self-attention: the layer of SAGAN, over what an encoder gives.

Source: Zhang et al. 2019 (Self-Attention Generative Adversarial Networks), section 3.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from chatbot.nn.aligns import masked_softmax
from chatbot.nn.encoder import Encoded, Encoder


class GatedSelfAttention(nn.Module):
    """Add to every position, through a gate that starts shut, what it finds at all of them.

        β_ji = exp(f(x_i) · g(x_j)) / Σ_k exp(f(x_k) · g(x_j))
        o_j = v(Σ_i β_ji h(x_i)),   y_j = γ o_j + x_j

    Source: Zhang et al. 2019, equations 1 to 3. f, g, h and v are matrices (1 x 1 convolutions there); the
    first three map to an eighth of the numbers. Each is divided by its largest singular value, kept up to
    date by one power iteration a training step (spectral normalisation, Miyato et al. 2018); its two
    vectors are buffers, so a checkpoint holds them. γ starts at 0.

    Shapes: values [batch, src_len, size], mask [batch, src_len] -> [batch, src_len, size]
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        inner = max(1, size // 8)
        self.f = spectral_norm(nn.Linear(size, inner, bias=False))
        self.g = spectral_norm(nn.Linear(size, inner, bias=False))
        self.h = spectral_norm(nn.Linear(size, inner, bias=False))
        self.v = spectral_norm(nn.Linear(inner, size, bias=False))
        self.gamma = nn.Parameter(torch.zeros(1))

    def weights(self, values: Tensor, mask: Tensor) -> Tensor:
        """β [batch, src_len, src_len]: how much each position looks at each; exactly 0 at padding."""
        return masked_softmax(self.g(values) @ self.f(values).transpose(1, 2), mask[:, None])

    def forward(self, values: Tensor, mask: Tensor) -> Tensor:
        """The values, and what was found."""
        found: Tensor = self.v(self.weights(values, mask) @ self.h(values))
        return values + self.gamma * found


class GatedEncoder(Encoder):
    """An encoder whose outputs look at each other through a gate; at first it gives what that one gives.

    The finals stay the encoder's: the gate works on what attention reads.

    Source: Zhang et al. 2019, section 3.

    Args:
        size: of the encoder's outputs.
    """

    def __init__(self, encoder: Encoder, size: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.look = GatedSelfAttention(size)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        encoded: Encoded = self.encoder(embedded, mask)
        return Encoded(self.look(encoded.outputs, mask), encoded.finals)
