"""What a case gets: sizes, a work folder, and workers, ours and the peers' turn by turn."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.workers import Timing, Worker, WorkFailedError

OURS, DELTA_SPARK, DELTA_RS = "deltasql", "delta-spark", "delta-rs"
SAIL = "sail"
"""deltasql on Sail, where that is installed."""
EXECUTORS = "executors"
"""deltasql with all rows and files computed, read and written by Spark's executors."""
PEERS = (DELTA_SPARK, DELTA_RS, SAIL)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything: files of the big log, commits of the long one, rows of the big table, and rounds;
    `processes` are new ones for a figure of a whole process.

    So many writers at once update and append, each so often; and a commit comes behind so many winners. The peer's
    writers update less often: they take long, and a rate needs no more. `plain_rows` are what loads read.
    `logs` are the files of the logs that make a curve, `scale` is TPC-H's. A `sample` shows that cases run, no
    more.
    """

    files: int
    commits: int
    rows: int
    changes: int
    warm_ups: int
    rounds: int
    big_rounds: int
    processes: int
    updaters: int
    updates: int
    peer_updates: int
    appenders: int
    appends: int
    winners: int
    plain_rows: tuple[int, ...]
    logs: tuple[int, ...]
    scale: float | None
    sample: bool = False

    def some(self, number: int, few: int = 1) -> int:
        """The `number` of a case's own things; `few` of them in a sample."""
        return min(number, few) if self.sample else number

    def scale_or(self, default: float) -> float:
        """The scale of TPC-H's data that the command asks for, or the default of a case."""
        return default if self.scale is None else self.scale

    def even(self, number: int) -> int:
        """The rounds of two who are first `by_turns`, so that each is first as often as the other; one in a sample."""
        return 1 if self.sample else number + number % 2


FULL = Sizes(
    files=1_000_000,
    commits=20_000,
    rows=5_000_000,
    changes=100_000,
    warm_ups=6,
    rounds=11,
    big_rounds=3,
    processes=5,
    updaters=8,
    updates=100,
    peer_updates=10,
    appenders=16,
    appends=20,
    winners=1000,
    plain_rows=(5_000_000, 50_000_000),
    logs=(10_000, 100_000, 1_000_000, 10_000_000),
    scale=None,
)
QUICK = Sizes(
    files=10_000,
    commits=500,
    rows=50_000,
    changes=1_000,
    warm_ups=0,
    rounds=1,
    big_rounds=1,
    processes=1,
    updaters=2,
    updates=2,
    peer_updates=1,
    appenders=2,
    appends=3,
    winners=50,
    plain_rows=(50_000,),
    logs=(1_000, 10_000),
    scale=0.01,
    sample=True,
)


class Bench:
    """`cache` keeps generated inputs from run to run; `scratch` is emptied by the driver.

    With `shares` all cases have the same workers, so that a short run starts one JVM an engine; what is said to be cold
    is warm then. Whoever opens a Bench closes it.
    """

    def __init__(
        self, sizes: Sizes, cache: Path, scratch: Path, without: Sequence[str] = (), *, shares: bool = False
    ) -> None:
        self.sizes, self.cache, self.scratch = sizes, cache, scratch
        self._without, self._shares = without, shares
        self._shared: dict[str, Worker] = {}
        self._open = ExitStack()

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._shared.clear()
        self._open.close()

    @contextmanager
    def warm_workers(self, *engines: str) -> Iterator[dict[str, Worker]]:
        """Like `new_workers`, but they may have worked for other cases before, and may go on afterwards."""
        if not self._shares:
            with self.new_workers(*engines) as started:
                yield started
            return
        for engine in engines:
            if engine not in self._shared:
                # In a place of its own: new workers of the same engine empty theirs.
                self._shared |= self._open.enter_context(self.new_workers(engine, place="warm-worker"))
        yield {engine: self._shared[engine] for engine in engines if engine in self._shared}

    def folder(self, name: str) -> Path:
        """A new empty folder."""
        path = self.scratch / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def workers(self, *engines: str) -> AbstractContextManager[dict[str, Worker]]:
        """Like `new_workers`, for what is measured from the start of a process; in a short run they are warm."""
        return self.warm_workers(*engines) if self._shares else self.new_workers(*engines)

    @contextmanager
    def new_workers(self, *engines: str, place: str = "worker") -> Iterator[dict[str, Worker]]:
        """A worker per engine, by name; a peer that cannot start is left out, and stderr says why."""
        with ExitStack() as stack:
            started: dict[str, Worker] = {}
            for engine in engines:
                if engine in self._without:
                    continue
                try:
                    started[engine] = stack.enter_context(Worker(engine, self.folder(f"{place}-{engine}")))
                except WorkFailedError as error:
                    if engine not in PEERS:
                        raise
                    print(f"without {error}", file=sys.stderr)
            yield started

    @contextmanager
    def crowd(self, engine: str, number: int) -> Iterator[list[Worker]]:
        """So many workers of one engine; none if it is a peer that cannot start, and stderr says why."""
        with ExitStack() as stack:
            started: list[Worker] = []
            if self._shares:
                started += stack.enter_context(self.warm_workers(engine)).values()
            for index in range(len(started), 0 if engine in self._without else number):
                try:
                    worker = Worker(engine, self.folder(f"worker-{engine}-{index}"))
                except WorkFailedError as error:
                    if engine == OURS:
                        raise
                    print(f"without {error}", file=sys.stderr)
                    break
                started.append(stack.enter_context(worker))
            yield started


def note(text: str) -> None:
    """Progress for whoever waits, with the seconds since the start."""
    print(f"… {text} (after {time.monotonic() - _START:.0f} s)", file=sys.stderr, flush=True)


_START = time.monotonic()


Round = Callable[[Worker, int], dict[str, Timing]]
"""Plays one round, by its number, and gives the timings by work."""

Kept = dict[str, dict[str, list[Timing]]]
"""Timings by engine and work."""


def turn_by_turn(workers: Mapping[str, Worker], play: Round, warm_ups: int, rounds: int) -> Kept:
    """Timings by engine and work, of the rounds after the warm-ups.

    Engines take turns, so that what the machine does meanwhile falls on all of them alike.
    """
    kept: Kept = {engine: {} for engine in workers}
    for number in range(warm_ups + rounds):
        for engine, worker in workers.items():
            timings = play(worker, number)
            if number < warm_ups:
                continue
            for work, timing in timings.items():
                kept[engine].setdefault(work, []).append(timing)
    return kept


def by_turns(number: int, one: str, other: str) -> tuple[str, str]:
    """Both, in this round's order: whoever goes first pays for what the other finds there, generated code and pages."""
    return (one, other) if number % 2 else (other, one)


def typical(kept: Kept, engine: str, work: str) -> float | None:
    """The median seconds of a piece of work; None for an engine that did not run."""
    timings = kept.get(engine, {}).get(work)
    return median(item.seconds for item in timings) if timings else None


def typical_peak(kept: Kept, engine: str, work: str) -> float | None:
    """The median of the most memory during a piece of work, in bytes; None for an engine that did not run."""
    timings = kept.get(engine, {}).get(work)
    return median(item.tree_peak for item in timings) if timings else None
