"""Many sessions of one process, in threads: small statements on tables of their own, and on one that all share.

No peer: the question is whether sessions get into each other's way, and whether memory grows with statements.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles

import deltasql
from benchmarks.bench import Bench, note
from benchmarks.figures import GIB, Figure

SESSIONS = 16
STATEMENTS = 10_000
FEW_STATEMENTS = 320
WARM = 0.2
"""Share of the statements after which memory is compared: caches are full by then."""
MOST_SPREAD = 5.0
"""Times that the slowest hundredth may take longer than the median."""
MOST_GROWTH = 0.03
"""GiB that a process may grow meanwhile: what the allocators of Python and Arrow keep."""

_UPSERT = (
    "MERGE INTO {table} AS t USING (SELECT * FROM VALUES ({id}, {value}) AS q (id, v)) AS s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
)


@dataclass
class Crowd:
    """Seconds of each statement by its kind, seconds of all together, and bytes in memory when warm and at the end."""

    seconds: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(map(len, self.times.values()))


def figures(bench: Bench) -> list[Figure]:
    """Throughput beside that of one session, the slowest hundredth of each kind of statement, and memory."""
    total = bench.sizes.some(STATEMENTS, FEW_STATEMENTS)
    note(f"1 session, then {SESSIONS}: {total} statements")
    alone = in_process(played, str(bench.folder("session")), 1, total // SESSIONS)
    crowd = in_process(played, str(bench.folder("sessions")), SESSIONS, total)
    label = f"{SESSIONS} sessions"
    found = [
        Figure(f"{label}: per statement, all together", "s", crowd.seconds / crowd.count),
        Figure("1 session: per statement", "s", alone.seconds / alone.count),
    ]
    for kind, times in sorted(crowd.times.items()):
        spread = quantiles(times, n=100)[-1] / median(times)
        found.append(Figure(f"{label}, {kind}: median", "s", median(times)))
        found.append(Figure(f"{label}, {kind}: slowest hundredth by median", "×", spread, at_most=MOST_SPREAD))
    growth = (crowd.memory[-1] - crowd.memory[0]) / 2**30
    found.append(Figure(f"{label}: growth over {total:,} statements", GIB, growth, at_most=MOST_GROWTH))
    return found


def in_process(work: Callable[..., Crowd], *arguments: object) -> Crowd:
    """The result of `work` in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def played(folder: str, sessions: int, total: int) -> Crowd:
    """Runs `total` statements in so many sessions at once; three quarters of them on tables that one session has."""
    crowd, lock = Crowd(), threading.Lock()
    warm = int(total * WARM)

    with deltasql.connect(folder) as first:
        # Changes of different rows of one file do not conflict with vectors.
        first.sql("CREATE TABLE shared (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
        first.sql("INSERT INTO shared VALUES " + ", ".join(f"({number}, 0)" for number in range(sessions)))

        def work(number: int) -> None:
            with first.another() as session:
                session.sql(f"CREATE TABLE own_{number} (id INT, v INT)")
                for value in range(total // sessions):
                    table = "shared" if value % 8 >= 6 else f"own_{number}"
                    name = "MERGE" if value % 2 else "SELECT"
                    sql = _UPSERT if value % 2 else "SELECT * FROM {table} WHERE id = {id}"
                    start = time.perf_counter()
                    session.sql(sql.format(table=table, id=number, value=value)).collect()
                    taken = time.perf_counter() - start
                    kind = f"{name} of {'the shared' if table == 'shared' else 'its own'} table"
                    with lock:
                        crowd.times.setdefault(kind, []).append(taken)
                        if crowd.count in {warm, total}:
                            crowd.memory.append(resident())

        start = time.perf_counter()
        with ThreadPoolExecutor(sessions) as threads:
            for done in [threads.submit(work, number) for number in range(sessions)]:
                done.result()
        crowd.seconds = time.perf_counter() - start
    return crowd


def resident(process: int | str = "self") -> int:
    """Bytes of a process in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096
