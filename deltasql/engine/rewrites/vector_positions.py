"""Which rows of which files an action applies to: the content of new deletion vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deltasql.engine.reading.file_reader import spark_uri, split_places
from deltasql.plan.hidden import ACTION, ROW_FILE, ROW_INDEX

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from pyspark.sql import DataFrame

BUCKET_BITS = 32_768
"""Rows that one bitmap of Spark's bitmap_construct_agg covers."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Sorted row positions by file URI, as Spark writes it; rows by 1-based number of their action.

    `fired` counts a row once for every source row that it met.
    """

    rows: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    counts: Mapping[int, int] = field(default_factory=dict)
    fired: int = 0

    @property
    def marked(self) -> int:
        return sum(len(rows) for rows in self.rows.values())

    def counts_of(self, actions: int) -> dict[str, int]:
        """What is counted of acted rows, where nothing is inserted: see `ActedRows.counters`."""
        counts = {f"action{number}": self.counts.get(number, 0) for number in range(1, actions + 1)}
        return {**counts, "source_rows": self.fired}


def listed_positions(found: Iterable[tuple[str, int, int]]) -> Positions:
    """Positions from a list of (file URI, row position, action)."""
    import numpy as np

    rows: dict[str, set[int]] = defaultdict(set)
    counts: Counter[int] = Counter()
    fired = 0
    for file, row, action in found:
        rows[file].add(row)
        counts[action] += 1
        fired += 1
    return Positions({file: np.array(sorted(items), np.uint64) for file, items in rows.items()}, counts, fired)


def collect_positions(fired: DataFrame, *, few: bool) -> Positions:
    """The positions of the rows of `fired`, which has ROW_FILE, ROW_INDEX and ACTION.

    Many come as bitmaps that Spark has made, 4 KiB for 32,768 rows of a file.
    """
    if few:
        return listed_positions(tuple(row) for row in fired.select(ROW_FILE, ROW_INDEX, ACTION).collect())
    # Spark numbers bits from 1: position 0 would fall into a bucket of its own.
    bitmaps = fired.groupBy(ROW_FILE, ACTION, _expr(f"bitmap_bucket_number({ROW_INDEX} + 1) AS bucket")).agg(
        _expr(f"bitmap_construct_agg(bitmap_bit_position({ROW_INDEX} + 1)) AS bits"), _expr("count(1) AS fired")
    )
    return _united(bitmaps.toArrow())


def positions_of(places: np.ndarray[Any, Any], actions: np.ndarray[Any, Any], paths: Sequence[str]) -> Positions:
    """Positions from the places of rows (see ROW_PLACE) and their actions; `paths` are the files by their numbers."""
    import numpy as np

    own, first = np.unique(places, return_index=True)
    numbers, rows = split_places(own)
    files, starts = np.unique(numbers, return_index=True)
    parts = np.split(rows.astype(np.uint64), starts[1:])
    found = {spark_uri(paths[file]): part for file, part in zip(files.tolist(), parts, strict=True)} if len(own) else {}
    kinds, counts = np.unique(actions[first], return_counts=True)
    return Positions(found, dict(zip(kinds.tolist(), counts.tolist(), strict=True)), len(places))


def _united(bitmaps: pa.Table) -> Positions:
    import numpy as np

    parts: dict[str, list[np.ndarray[Any, Any]]] = defaultdict(list)
    counts: Counter[int] = Counter()
    columns = (bitmaps.column(index).to_pylist() for index in range(5))
    fired = 0
    for file, action, bucket, bits, times in zip(*columns, strict=True):
        places = np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")).astype(np.uint64)
        parts[file].append(places + np.uint64((bucket - 1) * BUCKET_BITS))
        counts[action] += len(places)
        fired += times
    return Positions({file: np.unique(np.concatenate(items)) for file, items in parts.items()}, counts, fired)


def _expr(sql: str) -> Any:
    from pyspark.sql import functions as F

    return F.expr(sql)
