"""Rows that a statement spells out, as Parquet files like those that Spark writes: without Spark, by Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.engine.reading.literal_rows import literal_table
from deltasql.engine.writing.staged_files import DIRECTORY_PREFIX, HIVE_NULL
from deltasql.plan.operators import Literals
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField, StructType

if TYPE_CHECKING:
    pass

_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^")
"""What Spark does not write into the name of a directory as it is, besides control characters."""


def write_literals(
    directory: Path, rows: Literals, partition_columns: Sequence[str], *, stores_partitions: bool
) -> None:
    """Writes `rows` below a new directory: one file, or one for each partition.

    Timestamps in names of directories are in UTC. With `stores_partitions` files hold the partition columns as well.
    """
    import pyarrow.parquet as pq

    job = uuid4()
    for place, part in _parts(rows, partition_columns, stores_partitions):
        target = directory / place
        target.mkdir(parents=True)
        name = f"part-00000-{job}{'.' if partition_columns else '-'}c000.snappy.parquet"
        pq.write_table(
            literal_table(part, physical=True),
            target / name,
            compression="snappy",
            store_decimal_as_integer=True,
            # Arrow's own copy of the schema is of no use: the table's is in the log.
            store_schema=False,
        )


# Partitions


def _parts(rows: Literals, partition_columns: Sequence[str], stores_partitions: bool) -> Iterator[tuple[str, Literals]]:
    """The rows of each partition, in their order, as its files have them, and its directory."""
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    columns = _with_nulls(dict(zip(rows.schema.names, rows.columns, strict=True)), fields)
    own = {field.name for field in fields}
    data = StructType((*(item for item in rows.schema if item.name not in own), *(fields if stores_partitions else ())))
    prefix = DIRECTORY_PREFIX if stores_partitions else ""

    def place_of(number: int) -> str:
        named = ((physical_name(field), _directory(field.type, columns[field.name][number])) for field in fields)
        return "/".join(f"{prefix}{name}={value}" for name, value in named)

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


def _directory(kind: DataType, value: Any) -> str:
    """A partition value in the name of a directory."""
    if value is None or value == "":
        return HIVE_NULL
    return "".join(f"%{ord(char):02X}" if char < " " or char in _ESCAPED else char for char in _text(kind, value))


def _text(kind: DataType, value: Any) -> str:
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
