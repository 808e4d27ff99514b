"""Join key values of a MERGE source, by which target rows without a match are filtered before the join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from deltasql.datafiles.reading.file_reader import widest
from deltasql.engines.spark.rewrites.row_actions import ActedRows
from deltasql.engines.spark.session.spark_types import spark_type
from deltasql.engines.thresholds import LEAST_ROWS, SOURCE_PART
from deltasql.log.actions.record_count import live_rows
from deltasql.plan.operators import EqualKey, Scan
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.lengths import declared_type, has_lengths
from deltasql.schema.types import StructField
from deltasql.sql.references import column_references

if TYPE_CHECKING:
    import pyarrow as pa

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
    from pyspark.sql import functions as F

    key_columns = rows.source_rows().select(*(F.expr(key.source).alias(f"k{at}") for at, (_, key) in enumerate(keys)))
    for item, column, (field, _) in zip(key_columns.schema, key_columns.toArrow().columns, keys, strict=True):
        kinds = {item.dataType.simpleString(), spark_type(field.type).simpleString()}
        if len(kinds) == 1 or kinds <= _INTEGERS:
            yield physical_name(field), widest(column).unique().drop_null()
