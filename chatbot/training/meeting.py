"""Meeting: how the processes of a launch find each other, by the store that torchrun keeps for them."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from chatbot.errors import OptionError
from chatbot.training.launch import Launch
from chatbot.training.processes import Alone, Processes, Several

PATIENCE = timedelta(days=1)
"""How long a process waits for another: the leading one may encode a large corpus meanwhile. One that has
died is noticed at once, since its connection is closed."""


GREETING_SECONDS = 0.02
"""How long the leading process waits before it looks again who has come."""


@contextlib.contextmanager
def processes_of(launch: Launch, device: torch.device) -> Iterator[Processes]:
    """The processes of a launch, as long as the block lasts.

    Args:
        device: of this process; gradients go over gloo from CPU to CPU, over NCCL from GPU to GPU.
    """
    if launch.world == 1:
        yield Alone()
        return
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    store, _, _ = next(rendezvous("env://", launch.rank, launch.world, timeout=PATIENCE))
    store = PrefixStore(met(store, launch.rank, launch.world), store)
    dist.init_process_group(backend, store=store, rank=launch.rank, world_size=launch.world, timeout=PATIENCE)
    try:
        yield Several(launch)
    finally:
        dist.destroy_process_group()


def met(store: Store, rank: int, world: int) -> str:
    """A name that the processes of this start share, and none of an earlier start has.

    torchrun keeps one store for all starts of a launch, where a process may find the address of one that is
    dead; how often each machine has started says nothing, since only that counts where one died. So each
    process greets with a word of its own, and the leading one answers with the name until all have thanked.
    """
    word = uuid.uuid4().hex
    if rank:
        store.set(f"greeting/{rank}", word)
        name: str = store.get(f"answer/{word}").decode()
        store.set(f"{name}/thanks/{rank}", word)
        return name
    waiting = set(range(1, world))
    while waiting:
        for other in sorted(waiting):
            if store.check([f"greeting/{other}"]):
                store.set(f"answer/{store.get(f'greeting/{other}').decode()}", word)
            if store.check([f"{word}/thanks/{other}"]):
                waiting.remove(other)
        time.sleep(GREETING_SECONDS)
    return word


def own_device(device: torch.device, launch: Launch) -> torch.device:
    """The device of a process: each has a GPU of its own where GPUs are computed on.

    Raises:
        OptionError: there are not as many.
    """
    if launch.world == 1 or device.type == "cpu":
        return device
    there = torch.cuda.device_count() if device.type == "cuda" else 1
    if launch.local_world > there:
        what = f"{there} of {device.type} for {launch.local_world} processes on this machine"
        raise OptionError("--device", what, f"torchrun --nproc-per-node={there}, or --device cpu")
    if device.type == "cuda":
        torch.cuda.set_device(launch.local_rank)
        return torch.device("cuda", launch.local_rank)
    return device
