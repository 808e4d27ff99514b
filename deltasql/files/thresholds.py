"""Numbers by which a way to compute rows is chosen: sizes, counts and shares, each measured."""

from __future__ import annotations

TINY_BYTES = 1 << 20
"""Input of an engine below which planning costs more than rows: 3 MB are 300,000 rows already, which want generated
code.

On a local disk this process reads and writes so little for Spark: a job of Spark's takes 0.1 s more.
"""


FEW_BYTES = 8 << 20
"""A table of so many bytes is read whole, and rewritten in one pass rather than searched first."""


FEW_FILES = 64
"""Spark rewrites a table of so many files in one pass, names them in its plans, and by numbers in SQL."""


STORE_BYTES = 64 << 20
"""In an object store this process moves so many bytes itself: to start a Spark with connectors takes longer.

Files that are rewritten side by side, beyond one for each core, have so many: more hides the time of requests only.
"""


MEMORY_SHARE = 0.5
"""Of the memory that this process may use: the rows that it holds for a statement; the engine needs the other half."""


UNPACKED = 4
"""Rows in memory take so many times the bytes of their Parquet files: 3.2 for TPC-H's lineitem, 4 for short texts."""


FEW_ROWS = 50_000
"""So many rows are listed, joined and changed by this process for the engine: a job of the engine takes longer."""


LARGE_PART = 0.5
"""Of the rows of a table, or of the files that are rewritten: to leave out the others saves less than it costs."""


BROADCAST_ROWS = 1_000_000
"""So many rows of a source, or deleted row indexes, are sent to every task of Spark, which then shuffles no target."""


KEYED_BYTES = 256 << 20
"""In memory: more rows that have one of the source's keys are read by Spark itself."""
