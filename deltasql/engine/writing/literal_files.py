"""Rows that a statement spells out, as Parquet files like those that Spark writes: without Spark, by Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.engine.writing.staged_files import DIRECTORY_PREFIX, HIVE_NULL
from deltasql.plan.operators import Literals
from deltasql.schema.column_mapping import ID, physical_name
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructField, StructType

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^")
"""What Spark does not write into the name of a directory as it is, besides control characters."""
_NUMBERS = {
    "byte": "int8",
    "short": "int16",
    "integer": "int32",
    "long": "int64",
    "float": "float32",
    "double": "float64",
    "date": "int32",
    "timestamp": "int64",
    "timestamp_ntz": "int64",
}
"""NumPy's types of what is stored as a number."""


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


def literal_table(rows: Literals, *, physical: bool = False) -> pa.Table:
    """`rows` as an Arrow table; `physical` ones have the names and field ids that data files have."""
    import pyarrow as pa

    arrays = [_array(item.type, values) for item, values in zip(rows.schema, rows.columns, strict=True)]
    fields = [
        _physical(item, array.type) if physical else pa.field(item.name, array.type)
        for item, array in zip(rows.schema, arrays, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _physical(item: StructField, kind: pa.DataType) -> pa.Field:
    import pyarrow as pa

    metadata = {"PARQUET:field_id": str(item.metadata[ID])} if ID in item.metadata else None
    return pa.field(physical_name(item), kind, metadata=metadata)


# Partitions


def _parts(rows: Literals, partition_columns: Sequence[str], stores_partitions: bool) -> Iterator[tuple[str, Literals]]:
    """The rows of each partition, in their order, as its files have them, and its directory."""
    columns = dict(zip(rows.schema.names, rows.columns, strict=True))
    fields = [field for name in partition_columns if (field := rows.schema.find(name)) is not None]
    for field in fields:
        # The text that names NULL in a directory is NULL.
        columns[field.name] = tuple(None if value == HIVE_NULL else value for value in columns[field.name])
    own = {field.name for field in fields}
    data = StructType((*(item for item in rows.schema if item.name not in own), *(fields if stores_partitions else ())))
    prefix = DIRECTORY_PREFIX if stores_partitions else ""
    places: dict[str, list[int]] = {}
    for number in range(rows.rows):
        parts = (
            f"{prefix}{physical_name(field)}={_directory(field.type, columns[field.name][number])}" for field in fields
        )
        places.setdefault("/".join(parts), []).append(number)
    for place, numbers in places.items():
        yield place, Literals(data, tuple(tuple(columns[item.name][number] for number in numbers) for item in data))


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


# Arrow arrays from their buffers: `pa.array` imports pandas at its first use, for 0.25 s.


def _array(kind: DataType, values: Sequence[Any]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    gaps = [value is None for value in values]
    valid = pa.py_buffer(np.packbits(~np.array(gaps), bitorder="little")) if any(gaps) else None
    buffers = [pa.py_buffer(buffer) for buffer in _buffers(kind, values)]
    return pa.Array.from_buffers(_arrow_type(kind), len(values), [valid, *buffers], sum(gaps))


def _buffers(kind: DataType, values: Sequence[Any]) -> list[bytes | np.ndarray]:
    """The buffers of an array but for the one that says where NULLs are."""
    import numpy as np

    match kind:
        case DecimalType():
            return [b"".join(_unscaled(value).to_bytes(16, "little", signed=True) for value in values)]
        case PrimitiveType("boolean"):
            return [np.packbits([bool(value) for value in values], bitorder="little")]
        case PrimitiveType("string" | "binary"):
            pieces = [value.encode() if isinstance(value, str) else value or b"" for value in values]
            return [np.cumsum([0, *map(len, pieces)], dtype=np.int32), b"".join(pieces)]
        case PrimitiveType(name):
            return [np.array([value or 0 for value in values], dtype=_NUMBERS[name])]
    raise AssertionError(f"literals of {kind} are left to Spark")


def _unscaled(value: Decimal | None) -> int:
    """The digits of a decimal, which has its column's scale, as a whole number."""
    if value is None:
        return 0
    sign, digits, _ = value.as_tuple()
    return int("".join(map(str, digits))) * (-1 if sign else 1)


def _arrow_type(kind: DataType) -> pa.DataType:
    import pyarrow as pa

    if isinstance(kind, DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    assert isinstance(kind, PrimitiveType)
    known: Mapping[str, Callable[[], pa.DataType]] = {
        "boolean": pa.bool_,
        "string": pa.string,
        "binary": pa.binary,
        "date": pa.date32,
        "byte": pa.int8,
        "short": pa.int16,
        "integer": pa.int32,
        "long": pa.int64,
        "float": pa.float32,
        "double": pa.float64,
        "timestamp": lambda: pa.timestamp("us", "UTC"),
        "timestamp_ntz": lambda: pa.timestamp("us"),
    }
    return known[kind.name]()
