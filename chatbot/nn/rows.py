"""Rows: what a batch holds, picked apart and put together row by row."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from torch import Tensor


class Rows:
    """A frozen dataclass of tensors whose first dimension is the batch, of other Rows and of tuples of both.

    A search reorders its hypotheses through ``select`` alone, so whatever a network carries from step to
    step must be of this kind. None stands for what a network does without.
    """

    __slots__ = ()

    def select(self, rows: Tensor) -> Self:
        """The same whose row i is this one's row ``rows[i]``; rows may repeat or be left out."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return type(self)(**{field.name: _select(getattr(self, field.name), rows) for field in fields})


def _select(value: Any, rows: Tensor) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_select(each, rows) for each in value)
    return value[rows] if isinstance(value, Tensor) else value.select(rows)
