"""Launch: which of how many processes this is, as torchrun tells each by its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

UNNAMED = "none"
"""What torchrun calls a launch without --rdzv-id."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A process among those of a run.

    Args:
        rank: its number; 0 leads: it alone writes and tells.
        world: how many there are.
        local_rank, local_world: the same on its machine alone.
        restarts: how often torchrun has started them all anew, since one had died.
        name: what torchrun calls the launch; "" without torchrun, and the same for each restart.
    """

    rank: int = 0
    world: int = 1
    local_rank: int = 0
    local_world: int = 1
    restarts: int = 0
    name: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Launch:
        """What an environment says; one process alone where it says nothing."""
        if "TORCHELASTIC_RUN_ID" not in environment:
            return cls()

        def number(name: str, default: int) -> int:
            return int(environment.get(name, default))

        return cls(
            number("RANK", 0),
            number("WORLD_SIZE", 1),
            number("LOCAL_RANK", 0),
            number("LOCAL_WORLD_SIZE", 1),
            number("TORCHELASTIC_RESTART_COUNT", 0),
            environment["TORCHELASTIC_RUN_ID"],
        )

    @property
    def leads(self) -> bool:
        """Whether this process writes and tells."""
        return self.rank == 0

    @property
    def goes_on(self) -> bool:
        """Whether a run of the same launch may be there already.

        A machine counts its own restarts only, so those of another one show by the name of the launch alone.
        """
        return self.restarts > 0 or self.name not in ("", UNNAMED)

    @property
    def complains(self) -> bool:
        """Whether this process tells its errors: what is wrong on a machine is told once there."""
        return self.local_rank == 0
