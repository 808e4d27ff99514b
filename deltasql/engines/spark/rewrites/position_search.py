"""Search for the rows that the actions of a rewrite change, which reads only the columns of the conditions.

Row indexes that come from Spark, as a list or as bitmaps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from deltasql.base.lazy import F, np, pa, pc
from deltasql.engines.rewriting.outcome import Positions, listed_positions, positions_of
from deltasql.engines.spark.rewrites.row_actions import ActedRows
from deltasql.engines.spark.session.local_rows import frame_of_rows, spark_type
from deltasql.files.memory import LEAST_ROWS, SOURCE_PART
from deltasql.files.reading.file_reader import widest
from deltasql.log.actions.deletion_vectors import inline_vector
from deltasql.log.actions.file_tables import ADD
from deltasql.log.actions.record_count import live_rows
from deltasql.log.storage.locations import decode_path
from deltasql.plan.base import ACTION, ROW_ADDRESS, ROW_FILE, ROW_INDEX, SOURCE_PRESENT, SOURCE_ROW, TARGET_PRESENT
from deltasql.plan.operators import EqualKey, ReadInProcess, Scan
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.text import declared_type, has_lengths
from deltasql.schema.types import StructField
from deltasql.sql.references import column_references

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CHANGES = f"{ACTION} > 0 AND {TARGET_PRESENT}"
"""SQL that is TRUE for the rows of the target that an action changes."""


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Row indexes of the rows that change, and the SOURCE_ROW numbers of source rows that matched a target row.

    `matched` is None if nothing is inserted, or if matches are to be found in another way.
    """

    positions: Positions
    matched: DataFrame | None


def search(rows: ActedRows, *, unique: bool, in_process: bool) -> ChangedRows:
    """Searches all files of the target. Unless `unique`, a row counts once, however many source rows it matches.

    With `in_process` this process may read the files, and may leave out rows without a key of the source: see
    `source_key_values`.
    """
    target = rows.searched
    if in_process and (keys := source_key_values(rows, target)):
        target = replace(rows.narrowed(target), in_process=ReadInProcess(keys))
    if unique and not rows.frames.capabilities.metadata:
        return _by_addresses(rows, target)
    matched = None
    fired = rows.acted(target, rows.how, unique).filter(CHANGES)
    if rows.inserts and rows.source.broadcast:
        pairs = rows.source.cache(rows.acted(target, "inner").select(ROW_FILE, ROW_INDEX, SOURCE_ROW, ACTION))
        fired = fired if rows.by_source or not unique else pairs.filter(f"{ACTION} > 0")
        matched = pairs.select(SOURCE_ROW).distinct()
    return ChangedRows(collect_positions(fired, few=False), matched)


def _by_addresses(rows: ActedRows, target: Scan) -> ChangedRows:
    """Found in rows that this process has read: their places come back as they were sent, eight bytes each."""
    from pyspark.sql.types import LongType
    from pyspark.sql.types import StructType as SparkStruct

    asks = rows.inserts and rows.source.broadcast
    acted = rows.acted(target, rows.how)
    condition = f"{CHANGES} OR ({TARGET_PRESENT} AND {SOURCE_PRESENT})" if asks else CHANGES
    met = acted.filter(condition).select(ROW_ADDRESS, ACTION, *([SOURCE_ROW] if asks else [])).toArrow()
    fired = met.filter(pc.greater(met.column(ACTION), 0))
    paths = target.files.column("location").to_pylist()
    positions = positions_of(fired.column(ROW_ADDRESS).to_numpy(), fired.column(ACTION).to_numpy(), paths)
    if not asks:
        return ChangedRows(positions, None)
    numbers = pa.table({SOURCE_ROW: pc.unique(met.column(SOURCE_ROW))})
    return ChangedRows(positions, frame_of_rows(rows.frames.spark, numbers, SparkStruct().add(SOURCE_ROW, LongType())))


def rows_at_positions(target: Scan, files: pa.Table, positions: Positions) -> Scan:
    """The rows at some positions of `files`, which are the target's, read by this process."""
    by_place = {decode_path(uri): rows for uri, rows in positions.rows.items()}
    vectors = [inline_vector(by_place[path]).to_json() for path in files.column("location").to_pylist()]
    column = pa.array(vectors, ADD.field("deletionVector").type)
    at = files.column_names.index("deletionVector")
    return replace(
        target, files=files.set_column(at, "deletionVector", column), marked_only=True, in_process=ReadInProcess()
    )


_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_COMPARED = frozenset({*_INTEGERS, "date", "string"})
"""Key types (Spark's simple names) for which Arrow and Spark agree on equality."""

Key = tuple[StructField, EqualKey]
"""A data column of the target, and the equality of which it is one whole side."""


def source_key_values(rows: ActedRows, target: Scan) -> dict[str, pa.Array]:
    """The distinct key values of the source by the target's physical column name, for `ReadInProcess`.

    Empty where rows without a match may change, no key is a column that Arrow compares as Spark does, the target is
    small or of unknown size, or the source is large. Of two keys of one column, one is used.
    """
    keys = list(_keys(rows, target))
    if not keys or rows.how != "inner" or not rows.source.broadcast:
        return {}
    counts = live_rows(target.files)
    row_count = sum(count or 0 for count in counts)
    if None in counts or row_count < LEAST_ROWS or (rows.source.count or 0) > SOURCE_PART * row_count:
        return {}
    return dict(_values(rows, keys))


def _keys(rows: ActedRows, target: Scan) -> Iterator[Key]:
    """The join keys that are data columns with types of `_COMPARED`."""
    join = rows.operator.join
    partitions = {name.lower() for name in target.partition_columns}
    for key in () if join is None else join.equal_keys:
        if key.type is None:
            continue
        (reference,) = column_references(key.target)
        field = target.schema.find(reference.parts[-1]) if len(reference.parts) == 2 else None
        if field is None or field.name.lower() in partitions or has_lengths(declared_type(field)):
            continue
        # The type after the statement, which may widen it.
        if spark_type(field.type).simpleString() in _COMPARED:
            yield field, key


def _values(rows: ActedRows, keys: Sequence[Key]) -> Iterator[tuple[str, pa.Array]]:
    """Physical column name and distinct values of each key whose type is that of its column, or both are integers."""
    key_columns = rows.source_rows().select(*(F.expr(key.source).alias(f"k{at}") for at, (_, key) in enumerate(keys)))
    for item, column, (field, _) in zip(key_columns.schema, key_columns.toArrow().columns, keys, strict=True):
        kinds = {item.dataType.simpleString(), spark_type(field.type).simpleString()}
        if len(kinds) == 1 or kinds <= _INTEGERS:
            yield physical_name(field), widest(column).unique().drop_null()


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
