"""How the time of a statement grows with the rows of its table, of its source, and the share of them that it changes.

No peer: the question is whether a curve has a step. Doubling the rows may cost at most 2.5 times, wherever that is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.bench import OURS, Bench, note
from benchmarks.figures import Figure
from benchmarks.workers import Worker

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000)
FEW_ROWS = (1_000, 2_000, 4_000)
MOST_STEP = 2.5
"""Times that a statement may take longer for twice as many rows."""
LEAST_SECONDS = 0.2
"""Steps of shorter times are not judged: a busy moment of the machine is as long."""
ROUNDS = 3
LARGE = 10_000_000
"""Rows from which on a table is measured once: a moment of the machine no longer counts."""
FILES = 8

_ON = "MERGE INTO {table} AS t USING parquet.`{source}` AS s ON t.id = s.id AND t.part = s.part"
_UPSERT = f"{_ON} WHEN MATCHED THEN UPDATE SET amount = s.amount WHEN NOT MATCHED THEN INSERT *"


class Curve(NamedTuple):
    """A statement over tables of growing size, made with `clauses`; its source has a share of the rows.

    Of the source's rows a share has keys of the table, which are `scattered` over it or stand together.
    """

    sql: str
    clauses: str = ""
    source: float = 0.0
    matched: float = 0.5
    scattered: bool = True


_BY_SOURCE = "WHEN NOT MATCHED BY SOURCE AND t.id % 50 = 1 THEN DELETE"
_VECTORS = " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
_FEED = " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
CURVES = {
    "UPDATE of 1 %": Curve("UPDATE {table} SET amount = amount + 1 WHERE id % 100 = 3"),
    "UPDATE of 1 %, vectors": Curve("UPDATE {table} SET amount = amount + 1 WHERE id % 100 = 3", _VECTORS),
    "UPDATE of 50 %": Curve("UPDATE {table} SET amount = amount + 1 WHERE id % 2 = 1"),
    "DELETE of 50 %": Curve("DELETE FROM {table} WHERE id % 2 = 1"),
    "DELETE of 50 %, partitions": Curve("DELETE FROM {table} WHERE id % 2 = 1", " PARTITIONED BY (part)"),
    "MERGE of 2 %, scattered, half new": Curve(_UPSERT, source=0.02),
    "MERGE of 2 %, together, half new": Curve(_UPSERT, source=0.02, scattered=False),
    "MERGE of 2 %, scattered, vectors": Curve(_UPSERT, _VECTORS, source=0.02),
    "MERGE of 2 %, scattered, change data feed": Curve(_UPSERT, _FEED, source=0.02),
    "MERGE of 10 %, all match": Curve(_UPSERT, source=0.1, matched=1.0),
    "MERGE of 10 %, none match": Curve(_UPSERT, source=0.1, matched=0.0),
    "MERGE, NOT MATCHED BY SOURCE": Curve(
        f"{_UPSERT} WHEN NOT MATCHED BY SOURCE AND t.id % 50 = 1 THEN DELETE", source=0.02
    ),
    "SELECT … GROUP BY": Curve("SELECT part, sum(amount), count(*) FROM {table} GROUP BY part"),
    "SELECT … ORDER BY … LIMIT": Curve("SELECT id, amount FROM {table} WHERE id % 10 = 7 ORDER BY amount LIMIT 10"),
}
SOURCES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
TARGET = 3_000_000


def figures(bench: Bench) -> list[Figure]:
    """Seconds by rows of the table, then by rows of the source, and of each curve its worst step."""
    found: list[Figure] = []
    with bench.workers(OURS) as workers:
        (worker,) = workers.values()
        for name, curve in CURVES.items():
            note(f"growth: {name}")
            points = {rows: _seconds(bench, worker, curve, rows, int(rows * curve.source)) for rows in _sizes(bench)}
            found += _figures(name, "rows", points)
        note("growth: rows of the source")
        target = bench.sizes.some(TARGET, FEW_ROWS[-1])
        sources = [count for count in SOURCES if count <= target]
        points = {
            count: _seconds(bench, worker, CURVES["MERGE of 10 %, all match"], target, count) for count in sources
        }
        found += _figures(f"MERGE into {target:,} rows", "source rows", points)
    return found


def _sizes(bench: Bench) -> tuple[int, ...]:
    return FEW_ROWS if bench.sizes.sample else ROWS


def _figures(name: str, unit: str, points: Mapping[int, float]) -> Iterator[Figure]:
    for count, seconds in points.items():
        yield Figure(f"{count:,} {unit}: {name}", "s", seconds)
    yield Figure(f"{name}: twice as many {unit} at the worst step", "×", worst_step(points), at_most=MOST_STEP)


def worst_step(points: Mapping[int, float]) -> float:
    """The most times that a time grows with twice the size, between two sizes that stand side by side; 1 at least."""
    sizes = sorted(points)
    steps = [
        (points[more] / points[some]) ** (math.log(2) / math.log(more / some))
        for some, more in itertools.pairwise(sizes)
        if points[more] >= LEAST_SECONDS
    ]
    worst: float = max([1.0, *steps])
    return worst


def _seconds(bench: Bench, worker: Worker, curve: Curve, rows: int, changes: int) -> float:
    """The median of some runs, each on a new table; one run for a large one."""
    data = _data(bench.cache, rows)
    source = "" if not curve.source else str(_source(bench.cache, curve, rows, changes))
    times = []
    for number in range(1 if rows >= LARGE else bench.sizes.some(ROUNDS)):
        table = f"growth_{number}"
        worker.run("sql", sql=f"CREATE OR REPLACE TABLE {table}{curve.clauses} AS SELECT * FROM parquet.`{data}`")
        times.append(worker.run("sql", sql=curve.sql.format(table=table, source=source)).seconds)
        worker.run("drop", table=table)
    return median(times)


def _data(cache: Path, rows: int) -> Path:
    """A folder of FILES files, `rows` rows in all: keys in no order, so that every file has keys from everywhere."""
    import numpy as np
    import pyarrow.parquet as pq

    folder = cache / f"growth-{rows}"
    if not folder.exists():
        unfinished = folder.with_name(folder.name + ".part")
        unfinished.mkdir(parents=True, exist_ok=True)
        keys = np.random.default_rng(rows).permutation(rows)
        for number, some in enumerate(np.array_split(keys, FILES)):
            pq.write_table(_table(some), unfinished / f"{number}.parquet")
        unfinished.rename(folder)
    return folder


def _source(cache: Path, curve: Curve, rows: int, changes: int) -> Path:
    """A folder with a file of `changes` rows, whose keys are new but for the share that matches."""
    import numpy as np
    import pyarrow.parquet as pq

    place = "scattered" if curve.scattered else "together"
    folder = cache / f"growth-{rows}-{changes}-{curve.matched:g}-{place}"
    if not folder.exists():
        folder.mkdir(parents=True)
        matched = int(changes * curve.matched)
        random = np.random.default_rng(changes)
        keys = random.choice(rows, matched, replace=False) if curve.scattered else np.arange(matched)
        pq.write_table(_table(np.concatenate([keys, np.arange(changes - matched) + rows])), folder / "0.parquet")
    return folder


def _table(keys: object) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    ids = np.asarray(keys, np.int64)
    texts = np.char.add("text of row ", (ids % 100_000).astype(str))
    return pa.table({"id": ids, "part": (ids % 8).astype(np.int32), "amount": ids * 3, "name": texts, "note": texts})
