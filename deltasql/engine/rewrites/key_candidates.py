"""Rows of the target whose keys the source has, looked for by this process: no engine need join the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from deltasql.engine.reading.driver_rows import PLACE, FileReader, file_tables, spark_uri, split_places
from deltasql.engine.reading.scans import deleted_by_file, located, vector_positions
from deltasql.engine.rewrites.row_actions import ActedRows
from deltasql.engine.rewrites.vector_positions import Positions
from deltasql.engine.session.spark_types import spark_type
from deltasql.engine.writing.stage import count_live_rows
from deltasql.plan.hidden import ROW_PLACE
from deltasql.plan.operators import EqualKey, Scan
from deltasql.schema.column_mapping import physical_schema
from deltasql.schema.lengths import declared_type, has_lengths
from deltasql.schema.types import PrimitiveType, StructField, StructType
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.references import column_references

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_ROWS = 100_000
"""Fewer rows are joined sooner than the source has told its keys."""
LARGEST_SOURCE = 0.25
"""Such a part of the target's rows: of more, too few would be left out."""

_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_COMPARED = frozenset({*_INTEGERS, "date", "string"})
"""Types of keys, as Spark prints them, whose values are equal to Arrow where they are to Spark."""

Key = tuple[StructField, EqualKey]
"""A column of the target's files, and the equality in which it stands alone."""


def candidates(rows: ActedRows, target: Scan) -> Positions | None:
    """Where the rows stand whose keys some row of the source has; others meet none.

    None where that is not told: rows without a match may change, no key is a column that Arrow compares as Spark does,
    the target is small or the source large, or a file has dates of another calendar. Raises what `driver_rows` raises.
    """
    keys = list(_keys(rows, target))
    if not keys or rows.how != "inner" or not rows.source.broadcast:
        return None
    target = located(target)
    there = count_live_rows(rows.frames.stores, target.files)
    if there < LEAST_ROWS or (rows.source.count or 0) > LARGEST_SOURCE * there:
        return None
    wanted = _values(rows, keys)
    if wanted is None:
        return None
    columns = physical_schema(StructType(tuple(field for field, _ in keys)))
    reader = FileReader(rows.frames.spark, target, StructType((*columns, PLACE)))
    paths = target.files.column("location").to_pylist()
    marked = {
        path: partial(vector_positions, rows.frames.spark, target, vector)
        for path, vector in deleted_by_file(target, paths).items()
    }
    try:
        tables = list(file_tables(reader, paths, marked=marked, then=partial(_met, wanted)))
    except LeftToSparkError:
        return None
    found = {spark_uri(path): split_places(table.column(ROW_PLACE).to_numpy())[1] for path, table in tables}
    return Positions({uri: places.astype("uint64") for uri, places in found.items() if len(places)})


def _keys(rows: ActedRows, target: Scan) -> Iterator[Key]:
    """The keys that are columns of files, with types of `_COMPARED`."""
    join = rows.operator.join
    partitions = {name.lower() for name in target.partition_columns}
    for key in () if join is None else join.equal_keys:
        if not isinstance(key.type, PrimitiveType) or spark_type(key.type).simpleString() not in _COMPARED:
            continue
        (reference,) = column_references(key.target)
        field = target.schema.find(reference.parts[-1]) if len(reference.parts) == 2 else None
        if field is not None and field.name.lower() not in partitions and not has_lengths(declared_type(field)):
            yield field, key


def _values(rows: ActedRows, keys: Sequence[Key]) -> list[pa.Array] | None:
    """The values that the source has for each key; None where they are of another type than the column.

    Whole numbers are 64 bits wide, others as the columns are.
    """
    from pyspark.sql import functions as F

    told = rows.source_rows().select(*(F.expr(key.source).alias(f"k{at}") for at, (_, key) in enumerate(keys)))
    for item, (field, _) in zip(told.schema, keys, strict=True):
        kinds = {item.dataType.simpleString(), spark_type(field.type).simpleString()}
        if len(kinds) > 1 and not kinds <= _INTEGERS:
            return None
    return [_wide(column).unique().drop_null() for column in told.toArrow().columns]


def _wide(values: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return values.cast(pa.int64()) if pa.types.is_integer(values.type) else values


def _met(wanted: Sequence[pa.Array], rows: pa.Table) -> pa.Table:
    """`rows` whose first columns have values that are wanted, with their places."""
    import pyarrow.compute as pc

    for at, values in enumerate(wanted):
        column = _wide(rows.column(at))
        rows = rows.filter(pc.is_in(column, value_set=values.cast(column.type), skip_nulls=True))
    return rows.select([ROW_PLACE])
