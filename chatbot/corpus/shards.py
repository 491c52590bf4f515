"""The work of an import that can be done anywhere, in any order: a shard of conversations at a time.

    conversations -> shards -> Work -> Prepared, in the order of the conversations

The shards are worked on here, by processes on this machine, or by a Dask cluster; what comes out is the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeVar

from chatbot.corpus.clean import Judge, Judged, blanks
from chatbot.corpus.conversation import Conversation, Pair, Turn
from chatbot.corpus.identity import content_id
from chatbot.corpus.privacy.scrub import Scrubber
from chatbot.errors import ChatbotError, OptionError

SHARD_TURNS = 4000
"""Turns of a shard: some tenths of a second of work, so that sending it costs little beside."""

AHEAD = 2
"""Shards for each worker that are under way at once; more would only fill the memory."""

Shard = list[Conversation]


class Prepared(NamedTuple):
    """A conversation ready to be written.

    Args:
        id: not yet unique.
        record: its JSON object without the id, as bytes.
        turns, blank: how many.
        judged: its pairs.
        pairs: their texts, where asked for.
        language: of the conversation, where known.
        scrubbed: how much was replaced, by kind.
    """

    id: str
    record: bytes
    turns: int
    blank: int
    judged: list[Judged]
    pairs: list[Pair]
    language: str | None
    scrubbed: dict[str, int]


@dataclass(frozen=True)
class Work:
    """Scrubs, pairs, judges and writes out the conversations of a shard. It can be sent to another process.

    Args:
        judge: of pairs.
        scrubber: takes personal data out; None: they stay.
        keep: whether the texts of the pairs are wanted.
    """

    judge: Judge
    scrubber: Scrubber | None = None
    keep: bool = False

    def __call__(self, shard: Shard) -> list[Prepared]:
        return [self._prepared(conversation) for conversation in shard]

    def _prepared(self, conversation: Conversation) -> Prepared:
        scrubbed: dict[str, int] = {}
        if self.scrubber is not None:
            conversation, scrubbed = scrub(conversation, self.scrubber)
        pairs = self.judge.pairs(conversation)
        record = conversation.to_json()
        identity = record.pop("id")
        return Prepared(
            identity,
            json.dumps(record, ensure_ascii=False).encode(),
            len(conversation.turns),
            blanks(conversation),
            [self.judge.judge(pair) for pair in pairs],
            pairs if self.keep else [],
            conversation.language,
            scrubbed,
        )


def scrub(conversation: Conversation, scrubber: Scrubber) -> tuple[Conversation, dict[str, int]]:
    """The conversation without personal data, under an id made of what is left; and how much was replaced."""
    scrubber.counts.clear()
    turns = tuple(
        Turn(scrubber.speaker(turn.speaker), scrubber.text(turn.text), turn.time, turn.to)
        for turn in conversation.turns
    )
    found = replace(conversation, id=content_id(turn.text for turn in turns), turns=turns)
    return found, dict(scrubber.counts)


def shards_of(conversations: Iterable[Conversation]) -> Iterator[Shard]:
    """Conversations in shards of about SHARD_TURNS turns."""
    shard: Shard = []
    turns = 0
    for conversation in conversations:
        shard.append(conversation)
        turns += len(conversation.turns)
        if turns >= SHARD_TURNS:
            yield shard
            shard, turns = [], 0
    if shard:
        yield shard


Result = TypeVar("Result")
Workers = Callable[[Callable[[Shard], Result], Iterable[Shard]], Iterator[Result]]
"""Applies a function to shards; the results come in the order of the shards."""


def here(function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
    """In this process, one shard after the other."""
    return map(function, shards)


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes on this machine; none is started for a single shard.

    Args:
        jobs: how many.
    """

    jobs: int

    def __call__(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        iterator = iter(shards)
        first, second = next(iterator, None), next(iterator, None)
        if second is None:
            yield from here(function, [first] if first is not None else [])
            return
        assert first is not None
        pool = ProcessPoolExecutor(self.jobs, get_context("spawn"))
        try:
            yield from _in_order(
                lambda shard: pool.submit(function, shard), _chained(first, second, iterator), self.jobs
            )
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Cluster:
    """The workers of a Dask cluster; each needs this program installed.

    Args:
        address: of its scheduler.
    """

    address: str

    def __call__(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        with _client(self.address) as client:
            workers = len(client.scheduler_info()["workers"])
            if not workers:
                raise ChatbotError(
                    self.address, "the cluster has no worker", "start dask worker on a machine"
                )
            sent = client.scatter(function, broadcast=True)
            yield from _in_order(lambda shard: client.submit(_call, sent, shard, pure=False), shards, workers)


def _call(function: Callable[[Shard], Result], shard: Shard) -> Result:
    return function(shard)


@contextlib.contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise OptionError("--cluster", "needs Dask", "pip install 'chatbot[cluster]'") from None
    try:
        asyncio.run(_reach(address))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OptionError(
            "--cluster", f"no cluster at {address!r} ({reason})", "start dask scheduler"
        ) from None
    client = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    with client:
        yield client


async def _reach(address: str) -> None:
    """Connects and leaves: a client that failed to connect would close itself at any later moment."""
    from distributed.comm.core import connect
    from distributed.security import Security

    arguments = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
    comm = await connect(address, timeout=10, **arguments)  # type: ignore[no-untyped-call]
    await comm.close()


def _in_order(submit: Callable[[Shard], Any], shards: Iterable[Shard], workers: int) -> Iterator[Any]:
    """The results of work under way, in order; only so much is under way at once."""
    waiting: deque[Any] = deque()
    for shard in shards:
        waiting.append(submit(shard))
        if len(waiting) >= AHEAD * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _chained(first: Shard, second: Shard, rest: Iterable[Shard]) -> Iterator[Shard]:
    yield first
    yield second
    yield from rest
