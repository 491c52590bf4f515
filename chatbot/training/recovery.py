"""Recovery: how a run whose numbers have gone wrong goes on from its last state."""

from __future__ import annotations

from chatbot.training.events import Reverted
from chatbot.training.state import Progress

REVERTS = 3
"""How often a run goes back before it gives up, unless a validation beyond the fault is the best so far."""


def revert(place: Progress, faulty: Progress, fault: str, lr: float) -> Reverted:
    """Let a run go on from an earlier place at half the learning rate; the time that has gone by stays.

    Args:
        place: changed in place.
        faulty: where the run was.
        fault: what went wrong there.
        lr: the highest learning rate asked for.
    """
    place.seconds, place.fault_step = faulty.seconds, faulty.step + 1
    place.lr_scale, place.reverts = faulty.lr_scale / 2, faulty.reverts + 1
    highest, left = lr * place.lr_scale, REVERTS - place.reverts
    text = (
        f"step {place.fault_step}: {fault}; going on from step {place.step} with half the learning rate, "
        f"at most {highest:.2g} instead of {highest * 2:.2g} ({left} more {'try' if left == 1 else 'tries'})"
    )
    return Reverted(place.step, text)
