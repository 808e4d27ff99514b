"""Bounds of floating-point columns in the footers of Parquet files, none of which may leave out NaN.

Arrow writes them without NaN, and Spark takes NaN for the greatest number: it would pass over row groups with NaN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from deltasql.base import pa, pq
from deltasql.files.footers import (
    CHUNKS,
    KEY,
    KEYS,
    META,
    ROW_GROUPS,
    VALUE,
    ending,
    footer_of,
    together,
)
from deltasql.files.inspection import NAN_SAFE_KEY, float_leaves
from deltasql.files.statistics.of_footers import FloatBounds
from deltasql.log import Struct

# Fields of ColumnMetaData and Statistics, by their numbers.
_STATISTICS = 12
_BOUNDS = (1, 2, 5, 6, 7, 8)


def with_sure_bounds(data: pa.Buffer, floats: Mapping[str, FloatBounds]) -> pa.Buffer:
    """A Parquet file, whole, without bounds of the floating-point columns that have NaN, or are not in `floats`.

    What a row group was copied with need not be true of all its values.
    """
    metadata = pq.read_metadata(pa.BufferReader(data))
    leaves = float_leaves(metadata)
    if not leaves:
        return data
    start, footer = footer_of(memoryview(data))
    unsure = _unsure(metadata, leaves, floats)
    if unsure:
        footer.put_structs(ROW_GROUPS, [_without_bounds(group, unsure) for group in footer.structs(ROW_GROUPS)])
    entry = Struct()
    entry.put_text(KEY, NAN_SAFE_KEY)
    entry.put_text(VALUE, "none")
    entries = [item for item in footer.structs(KEYS) if item.text(KEY) != NAN_SAFE_KEY]
    footer.put_structs(KEYS, [*entries, entry])
    return together([memoryview(data)[:start], ending(footer)])


def _unsure(metadata: pq.FileMetaData, leaves: Collection[int], floats: Mapping[str, FloatBounds]) -> set[int]:
    """The numbers of the leaves that are not known to be without NaN."""
    paths = [metadata.schema.column(at).path for at in range(metadata.num_columns)]
    # A dot may be part of a name, so that two leaves can have one path.
    shared = Counter(paths)
    return {at for at in leaves if shared[paths[at]] > 1 or floats.get(paths[at], (None, None))[1] is None}


def _without_bounds(group: Struct, leaves: Collection[int]) -> Struct:
    """A row group that says nothing of the least and the greatest values of some leaves."""
    chunks = group.structs(CHUNKS)
    for at in leaves:
        meta = chunks[at].struct(META)
        if _STATISTICS in meta:
            statistics = meta.struct(_STATISTICS)
            statistics.drop(*_BOUNDS)
            meta.put_struct(_STATISTICS, statistics)
            chunks[at].put_struct(META, meta)
    group.put_structs(CHUNKS, chunks)
    return group
