"""Row indexes that come from Spark, as a list or as bitmaps."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from deltasql.engines.rewriting.positions import Positions, listed_positions
from deltasql.lazy import F, np, pa
from deltasql.plan.hidden import ACTION, ROW_FILE, ROW_INDEX

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BUCKET_BITS = 32_768
"""Rows that one bitmap of Spark's bitmap_construct_agg covers."""


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


def _united(bitmaps: pa.Table) -> Positions:
    parts: dict[str, list[np.ndarray[Any, Any]]] = defaultdict(list)
    counts: Counter[int] = Counter()
    columns = (bitmaps.column(index).to_pylist() for index in range(5))
    fired = 0
    for file, action, bucket, bits, times in zip(*columns, strict=True):
        row_indexes = np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")).astype(np.uint64)
        parts[file].append(row_indexes + np.uint64((bucket - 1) * BUCKET_BITS))
        counts[action] += len(row_indexes)
        fired += times
    return Positions({file: np.unique(np.concatenate(items)) for file, items in parts.items()}, counts, fired)


def _expr(sql: str) -> Any:
    return F.expr(sql)
