"""Row ids of the files in a table of add actions, column by column. Source: Delta protocol, Row Tracking."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.base.errors.log import RowIdsWithoutStatisticsError
from deltasql.log.actions.file_tables import canonical_paths, row_counts, with_column


def numbered_adds(adds: pa.Table, highest: int, version: int, table: str) -> tuple[pa.Table, int]:
    """The adds of commit `version` with ids for files that lack them, and the highest id; `highest` is that before.

    Raises RowIdsWithoutStatisticsError for a file whose number of rows is not known.
    """
    adds = adds.combine_chunks()
    base_ids = adds["baseRowId"]
    fresh = pc.is_null(base_ids)
    rows = pc.if_else(fresh, pa.chunked_array([row_counts(adds["stats"])]), 0)
    if rows.null_count:
        path = adds["path"].filter(pc.is_null(rows))[0].as_py()
        raise RowIdsWithoutStatisticsError(table, path)
    ends = pc.add(pc.cumulative_sum(rows), highest)
    first = pc.add(pc.subtract(ends, rows), 1)
    adds = with_column(adds, "baseRowId", pc.if_else(fresh, first, base_ids))
    adds = with_column(adds, "defaultRowCommitVersion", adds["defaultRowCommitVersion"].fill_null(version))
    return adds, max(highest, int(ends[-1].as_py())) if len(adds) else highest


def with_backfilled_ids(adds: pa.Table, backfilled: Mapping[str, tuple[int | None, int | None]], root: str) -> pa.Table:
    """The adds with ids that a backfill gave to their files, where they have none; `backfilled` by canonical path."""
    lacking = pc.is_null(adds["baseRowId"]).to_pylist()
    paths = canonical_paths(adds["path"], root).to_pylist()
    ids = [
        backfilled.get(path, (None, None)) if lacks else (None, None)
        for path, lacks in zip(paths, lacking, strict=True)
    ]
    for number, name in enumerate(("baseRowId", "defaultRowCommitVersion")):
        values = pa.chunked_array([pa.array([pair[number] for pair in ids], pa.int64())])
        adds = with_column(adds, name, pc.coalesce(values, adds[name]))
    return adds
