"""How many rows this process reads at most where an engine could compute them."""

from __future__ import annotations

from deltasql.engine.reading.scans import scan_size
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.transfer import computes_rows
from deltasql.engine.session.tuning import FEW_BYTES
from deltasql.plan.operators import Scan
from deltasql.sql.cursor import LeftToEngineError

MOST_FILES = 64
MOST_HELD_BYTES = 128 << 20
"""Of files whose rows are held whole: some hundred MB in memory."""
MOST_CHOSEN = 1_000_000
"""Rows that a condition is TRUE for."""


def is_small(scan: Scan) -> bool:
    """Whether the rows of a scan cost less to be read whole than an engine to be asked."""
    return scan_size(scan) <= FEW_BYTES and scan.files.num_rows <= MOST_FILES


def require_held(spark: SparkHandle, location: str, files: int, size: int) -> None:
    """Raises LeftToEngineError where this process may not hold the rows of so many files, and bytes of them."""
    if files > MOST_FILES:
        raise LeftToEngineError(f"{files:,} files are read, more than {MOST_FILES}")
    if size > MOST_HELD_BYTES:
        raise LeftToEngineError(f"{size:,} bytes are read, more than {MOST_HELD_BYTES:,}")
    if size > FEW_BYTES:
        require_searching(spark, location, size)


def require_searching(spark: SparkHandle, location: str, size: int) -> None:
    """Raises LeftToEngineError where the engine, not this process, looks through so many bytes at a location."""
    if not computes_rows(spark, location, size):
        raise LeftToEngineError(f"{size:,} bytes are read, which the engine's executors do side by side")
