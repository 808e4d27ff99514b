"""How many rows this process reads at most where an engine could compute them."""

from __future__ import annotations

from deltasql.engine.reading.scans import scan_size
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.transfer import computes_rows
from deltasql.engine.session.tuning import FEW_BYTES
from deltasql.plan.operators import Scan

MOST_FILES = 64
MOST_HELD_BYTES = 128 << 20
"""Of files whose rows are held whole: some hundred MB in memory."""
MOST_CHOSEN = 1_000_000
"""Rows that a condition is TRUE for."""


def is_small(scan: Scan) -> bool:
    """Whether the rows of a scan cost less to be read whole than an engine to be asked."""
    return scan_size(scan) <= FEW_BYTES and scan.files.num_rows <= MOST_FILES


def may_be_held(spark: SparkHandle, scan: Scan) -> bool:
    """Whether this process may hold all rows of a scan."""
    return is_held(spark, scan.table.location, scan.files.num_rows, scan_size(scan))


def is_held(spark: SparkHandle, location: str, files: int, size: int) -> bool:
    """Whether this process may hold the rows of so many files at a location, and bytes of them."""
    if files > MOST_FILES or size > MOST_HELD_BYTES:
        return False
    return size <= FEW_BYTES or computes_rows(spark, location, size)
