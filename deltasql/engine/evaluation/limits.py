"""How many rows this process reads at most where an engine could compute them."""

from __future__ import annotations

from deltasql.engine.reading.scans import scan_size
from deltasql.engine.session.tuning import FEW_BYTES
from deltasql.plan.operators import Scan

MOST_FILES = 64
MOST_HELD_BYTES = 64 << 20
"""Of files whose rows are held while they are looked up: a few hundred MB in memory."""


def is_small(scan: Scan) -> bool:
    """Whether the rows of a scan cost less to be read whole than an engine to be asked."""
    return scan_size(scan) <= FEW_BYTES and scan.files.num_rows <= MOST_FILES


def may_be_held(scan: Scan) -> bool:
    """Whether all rows of a scan fit beside those that they are compared with."""
    return scan_size(scan) <= MOST_HELD_BYTES and scan.files.num_rows <= MOST_FILES
