"""Work on shards comes back in order and the same, wherever it is done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.corpus.adding import Adding
from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.importing import Import
from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.corpus.shards import SHARD_TURNS, Cluster, Processes, Shard, here, shards_of
from chatbot.errors import CorpusError, OptionError


def talks(count: int, turns: int = 1000) -> Iterator[Conversation]:
    for number in range(count):
        yield Conversation(str(number), "", tuple(Turn("A", "x") for _ in range(turns)))


def names(shard: Shard) -> list[str]:
    """What a worker does in these tests; it must be importable there."""
    return [conversation.id for conversation in shard]


def refuse(shard: Shard) -> list[str]:
    raise CorpusError("a.txt:1", "is refused", "")


def test_shards_hold_about_so_many_turns_and_all_conversations() -> None:
    shards = list(shards_of(talks(10)))
    assert [len(shard) for shard in shards] == [SHARD_TURNS // 1000, SHARD_TURNS // 1000, 2]
    assert [name for shard in shards for name in names(shard)] == [str(number) for number in range(10)]


def test_processes_give_results_in_order() -> None:
    shards = list(shards_of(talks(40)))
    assert list(Processes(2)(names, shards)) == list(here(names, shards))


def test_shards_are_not_read_far_ahead_of_the_work() -> None:
    read: list[int] = []

    def shards() -> Iterator[Shard]:
        for number in range(50):
            read.append(number)
            yield list(talks(1, turns=1))

    next(Processes(2)(names, shards()))
    assert len(read) <= 6


def test_error_of_a_worker_is_the_error_of_the_import() -> None:
    with pytest.raises(CorpusError, match=r"a\.txt:1: is refused"):
        list(Processes(2)(refuse, shards_of(talks(20))))


def test_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # a client that could not connect would close itself at any later moment, in any thread
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", None)
    with pytest.raises(OptionError, match="no cluster at"):
        list(Cluster("tcp://127.0.0.1:9")(names, shards_of(talks(1))))
    with pytest.raises(OptionError, match="no cluster at"):
        list(Cluster("nonsense")(names, shards_of(talks(1))))


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
            )
        )
        yield cluster.scheduler_address


@pytest.mark.slow
@pytest.mark.parametrize("scrubbed", [False, True])
def test_cluster_of_two_workers_gives_the_bytes_of_one_machine(
    scheduler: str, scrubbed: bool, tmp_path: Path
) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(
        "".join(
            f"{at % 28 + 1:02}/{at // 28 % 12 + 1:02}/{20 + at // 336 % 5}, 18:{at % 60:02} - "
            f"{'Ann' if at % 2 else 'Bo'}: question {at % 7000} of Ann, mail bo@example.org\n"
            for at in range(20_000)
        )
    )
    contents = []
    for name, workers in (("one", here), ("many", Cluster(scheduler))):
        imported = Import([path], ReadingOptions(scrub=scrubbed), lambda notice: None)
        folder = Adding(imported, DataOptions(), workers).write(tmp_path / name).folder
        contents.append({each.name: each.read_bytes() for each in folder.iterdir()})
    assert contents[0] == contents[1]
