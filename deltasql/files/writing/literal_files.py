"""Rows of literals or in memory, written by Arrow as Parquet files like those of Spark, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from deltasql.base.lazy import pa, pc
from deltasql.files.reading.literal_rows import literal_table
from deltasql.files.writing.arrow_files import as_stored, by_directory, directory_name, write_tables
from deltasql.files.writing.staged_files import DIRECTORY_PREFIX, WrittenFile
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.file_shape import ANY_SHAPE, FileShape
from deltasql.plan.hidden import hidden
from deltasql.plan.operators import Literals, MemoryRows
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.partition_values import HIVE_NULL
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField, StructType


def write_literals(
    store: LogStore,
    directory: str,
    rows: Literals,
    partition_columns: Sequence[str],
    *,
    stores_partitions: bool,
    shape: FileShape = ANY_SHAPE,
) -> list[WrittenFile]:
    """Writes `rows` below a new directory of the table: one file, or one for each partition.

    Timestamps in names of directories are in UTC. With `stores_partitions` files hold the partition columns as well.
    """
    tables = (
        (f"{directory}/{partition}".rstrip("/"), literal_table(part, physical=True))
        for partition, part in _parts(rows, partition_columns, stores_partitions)
    )
    return write_tables(store, tables, rows.schema, in_partitions=bool(partition_columns), shape=shape)


def write_memory_rows(
    store: LogStore,
    directory: str,
    rows: MemoryRows,
    partition_columns: Sequence[str],
    *,
    stores_partitions: bool,
    shape: FileShape = ANY_SHAPE,
) -> list[WrittenFile]:
    """As `write_literals`. The partition columns are of types whose values have one spelling."""
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    partitions = {field.name for field in fields}
    table = rows.table
    texts: dict[str, pa.ChunkedArray] = {}
    for field in fields:
        index = table.schema.get_field_index(field.name)
        column = _without_null_name(table.column(index))
        table = table.set_column(index, field.name, column)
        texts[hidden(len(texts))] = column.cast(pa.string())
    in_files = [item for item in rows.schema if stores_partitions or item.name not in partitions]
    data = StructType(tuple(sorted(in_files, key=lambda item: item.name in partitions)))
    stored = as_stored(table.select(data.names).rename_columns([physical_name(item) for item in data]), data)
    for name, column in texts.items():
        stored = stored.append_column(name, column)
    prefix = DIRECTORY_PREFIX if stores_partitions else ""

    def tables() -> Iterator[tuple[str, pa.Table]]:
        for values, part in by_directory(stored, list(texts)):
            named = zip(fields, (values[name] for name in texts), strict=True)
            folder = "/".join(directory_name(f"{prefix}{physical_name(field)}", value) for field, value in named)
            yield f"{directory}/{folder}".rstrip("/"), part

    return write_tables(store, tables(), rows.schema, in_partitions=bool(partition_columns), shape=shape)


def _without_null_name(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """`column`, where the text that names NULL in a directory is NULL."""
    if not pa.types.is_string(column.type):
        return column
    return pc.if_else(pc.equal(column, HIVE_NULL), pa.scalar(None, pa.string()), column)


# Partitions


def _parts(rows: Literals, partition_columns: Sequence[str], stores_partitions: bool) -> Iterator[tuple[str, Literals]]:
    """The rows of each partition, in their order, as its files have them, and its directory."""
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    columns = _with_nulls(dict(zip(rows.schema.names, rows.columns, strict=True)), fields)
    partitions = {field.name for field in fields}
    data = StructType(
        (*(item for item in rows.schema if item.name not in partitions), *(fields if stores_partitions else ()))
    )
    prefix = DIRECTORY_PREFIX if stores_partitions else ""

    def directory_of(number: int) -> str:
        named = ((physical_name(field), _text(field.type, columns[field.name][number])) for field in fields)
        return "/".join(directory_name(f"{prefix}{name}", value) for name, value in named)

    numbers_by_directory: dict[str, list[int]] = {}
    for number in range(rows.rows):
        numbers_by_directory.setdefault(directory_of(number), []).append(number)
    for directory, numbers in numbers_by_directory.items():
        yield directory, Literals(data, tuple(tuple(columns[item.name][number] for number in numbers) for item in data))


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
