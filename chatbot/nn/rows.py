"""Rows: what a batch holds, picked apart and put together row by row."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
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
        return self.map(lambda tensor: tensor[rows])

    def map(self, change: Callable[[Tensor], Tensor]) -> Self:
        """The same with every tensor changed, always in the same order."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return type(self)(**{field.name: _map(getattr(self, field.name), change) for field in fields})

    def tensors(self) -> list[Tensor]:
        """All tensors, in the order of ``map``."""
        found: list[Tensor] = []
        self.map(lambda tensor: found.append(tensor) or tensor)  # type: ignore[func-returns-value]
        return found


def _map(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_map(each, change) for each in value)
    return change(value) if isinstance(value, Tensor) else value.map(change)
