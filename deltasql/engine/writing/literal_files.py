"""Rows that a statement spells out, as Parquet files like those that Spark writes: without Spark, by Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from deltasql.engine.reading.literal_rows import literal_table
from deltasql.engine.writing.driver_files import directory_name, write_tables
from deltasql.engine.writing.staged_files import DIRECTORY_PREFIX, HIVE_NULL, WrittenFile
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.operators import Literals
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField, StructType


def write_literals(
    store: LogStore, directory: str, rows: Literals, partition_columns: Sequence[str], *, stores_partitions: bool
) -> list[WrittenFile]:
    """Writes `rows` below a new directory of the table: one file, or one for each partition.

    Timestamps in names of directories are in UTC. With `stores_partitions` files hold the partition columns as well.
    """
    tables = (
        (f"{directory}/{place}".rstrip("/"), literal_table(part, physical=True))
        for place, part in _parts(rows, partition_columns, stores_partitions)
    )
    return write_tables(store, tables, rows.schema, in_partitions=bool(partition_columns))


# Partitions


def _parts(rows: Literals, partition_columns: Sequence[str], stores_partitions: bool) -> Iterator[tuple[str, Literals]]:
    """The rows of each partition, in their order, as its files have them, and its directory."""
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    columns = _with_nulls(dict(zip(rows.schema.names, rows.columns, strict=True)), fields)
    own = {field.name for field in fields}
    data = StructType((*(item for item in rows.schema if item.name not in own), *(fields if stores_partitions else ())))
    prefix = DIRECTORY_PREFIX if stores_partitions else ""

    def place_of(number: int) -> str:
        named = ((physical_name(field), _text(field.type, columns[field.name][number])) for field in fields)
        return "/".join(directory_name(f"{prefix}{name}", value) for name, value in named)

    places: dict[str, list[int]] = {}
    for number in range(rows.rows):
        places.setdefault(place_of(number), []).append(number)
    for place, numbers in places.items():
        yield place, Literals(data, tuple(tuple(columns[item.name][number] for number in numbers) for item in data))


def _with_nulls(
    columns: Mapping[str, tuple[Any, ...]], partitions: Sequence[StructField]
) -> dict[str, tuple[Any, ...]]:
    """`columns`, where the text that names NULL in a directory is NULL."""
    nulled = {field.name: tuple(None if v == HIVE_NULL else v for v in columns[field.name]) for field in partitions}
    return {**columns, **nulled}


def _text(kind: DataType, value: Any) -> str | None:
    """A partition value as Spark casts it to text."""
    if value is None:
        return None
    match kind:
        case DecimalType():
            return f"{value:f}"
        case PrimitiveType("boolean"):
            return "true" if value else "false"
        case PrimitiveType("date"):
            return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
        case PrimitiveType("timestamp"):
            return (
                f"{(datetime(1970, 1, 1) + timedelta(microseconds=value)).isoformat(sep=' ', timespec='microseconds')}Z"
            )
        case _:
            return str(value)
