"""How many rows data files have: from the statistics in the log, else from their footers."""

from __future__ import annotations

from deltasql.datafiles.inspection import footer
from deltasql.lazy import pa
from deltasql.log.actions.actions import AddFile
from deltasql.log.actions.record_count import deleted_counts, live_rows, record_count
from deltasql.log.storage.paths import absolute
from deltasql.log.storage.stores import Stores


def row_count(stores: Stores, add: AddFile, root: str) -> int:
    """Rows in a data file, deleted ones too: from the log's statistics, else from the file's footer."""
    rows = record_count(add.stats)
    return footer(stores, absolute(add.path, root)).num_rows if rows is None else rows


def count_live_rows(stores: Stores, files: pa.Table) -> int:
    """Live rows in some data files of the table: from the log's statistics, else from the files' footers."""
    counts = zip(files.column("location").to_pylist(), live_rows(files), deleted_counts(files), strict=True)
    return sum(footer(stores, path).num_rows - gone if rows is None else rows for path, rows, gone in counts)
