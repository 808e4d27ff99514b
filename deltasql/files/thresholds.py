"""Numbers by which a way to compute rows is chosen: sizes, counts and shares, each measured."""

from __future__ import annotations

TINY_BYTES = 1 << 20
"""Input of Spark below which planning costs more than rows: 3 MB are 300,000 rows already, which want generated code.

On a local disk this process reads and writes so little for Spark: a job of Spark's takes 0.1 s more.
"""


FEW_BYTES = 8 << 20
"""A table of so many bytes is read whole, and rewritten in one pass rather than searched first."""


FEW_FILES = 64
"""Spark rewrites a table of so many files in one pass, and names them in its plans."""


STORE_BYTES = 64 << 20
"""In an object store this process moves so many bytes itself: to start a Spark with connectors takes longer."""


SMALL_FILES_BYTES = 64 << 20
"""Of files that are rewritten side by side, beyond one for each core: more hides the time of requests, not of cores."""


MEMORY_SHARE = 0.5
"""Of the memory that this process may use: the rows that it holds for a statement; the engine needs the other half."""


UNPACKED = 4
"""Rows in memory take so many times the bytes of their Parquet files: 3.2 for TPC-H's lineitem, 4 for short texts."""


CHANGED_PART = 0.5
"""Of the rows of the files that are rewritten: beyond, to copy the others saves less than the search costs."""


FEW_CHANGED_ROWS = 100_000
"""So many rows are computed and written here at any share of their files: less work than a job of the engine."""


GROUPS = 10_000
"""Groups of an aggregate query in this process: each is an object of Python."""


SPLIT_BYTES = 4 << 20
"""One task of Spark reads a file of so many bytes, and so adds its numbers in their order."""


JOINED_PAIRS = 4_000_000
"""Pairs of rows that meet in a join in this process: 0.2 s, and 64 MB of indexes."""


BROADCAST_ROWS = 1_000_000
"""A source of MERGE of so many rows is sent to every task of Spark, and so joined without a shuffle of the target."""


LISTED_ROWS = 20_000
"""So many row indexes come from Spark as a list; beyond, it makes bitmaps of them."""


COUNTED_ROWS = 50_000
"""More rows that a query makes or joins are worth generated code: a GROUP BY of a million takes seven times as long."""


SOURCE_PART = 0.25
"""A source of more than this part of the target's rows leaves out too few of them for its keys to be looked for."""


LEAST_ROWS = 100_000
"""A target of fewer rows is joined sooner than the keys of the source are fetched."""


MOST_BITS = 1 << 26
"""Deleted row indexes are sent to every task of Spark as a bitmap of so many bits, 8 MiB."""


MOST_BROADCAST_ROWS = 2_000_000
"""So many deleted row indexes are sent to every task for a join; of more, both sides are shuffled."""


KEYED_BYTES = 256 << 20
"""In memory: more rows that have one of the source's keys are read by Spark itself."""


SENT_BYTES = 1 << 20
"""In memory: more rows go to Sail by way of a file, which both see."""


FEW_SENT_BYTES = 256 << 10
"""Of files that this process reads for Sail: to copy the rows that stay is faster from 20,000 rows on."""


NUMBERED_FILES = 256
"""So many files are named in SQL by their number, with a comparison for each."""
