"""The files of a scan, with their locations and deletion vectors, and their rows as Arrow tables, piece by piece.

Missing files are found before Spark reads them: its errors differ, or come after retries. Rows that a statement spells
out become an Arrow table, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from deltasql.base import errors, np, pa
from deltasql.files.reading.file_reader import FileReader, Piece, split_addresses
from deltasql.log import Json, Stores, deleted_rows, is_local, local_path, require_regular
from deltasql.plan import Literals, Scan
from deltasql.schema import (
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    stored_field,
)


def file_numbers(operator: Scan) -> dict[str, int]:
    """The numbers of a scan's files in the places of rows, by location."""
    return {path: number for number, path in enumerate(operator.files.column("location").to_pylist())}


def starts(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The indexes at which another value begins in an array in ascending order.

    np.unique sorts or hashes what is in order: of 15,000,000 values for 2 s.
    """
    return (
        np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if len(values) else np.array([], np.int64)
    )


def rows_by_file(addresses: np.ndarray[Any, Any]) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    """The number of each file that has any of some ascending addresses, and the row indexes in it."""
    numbers, rows = split_addresses(addresses)
    begins = starts(numbers)
    parts = np.split(rows, begins[1:]) if len(begins) else []
    return zip(numbers[begins].tolist(), parts, strict=True)


def file_pieces(
    reader: FileReader,
    paths: Iterable[str],
    *,
    may_be_missing: bool = False,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
) -> Iterator[tuple[str, Piece]]:
    """Paths, each with a piece of its file, in their order, with the reader's columns under their names.

    See `FileReader.pieces`. Raises DataFileNotFoundError for a file that is gone, unless it `may_be_missing`; such a
    file has no rows.
    """
    numbers, empty = file_numbers(reader.operator), reader.schema.empty_table()

    def read(path: str, piece: Piece) -> pa.Table:
        try:
            return piece.read()
        except errors.LostDataFileError:
            if may_be_missing:
                return empty
            raise missing_file(reader.operator, path) from None

    for path in paths:
        try:
            pieces = reader.pieces(path, marked.get(path), numbers[path])
        except errors.LostDataFileError:
            if may_be_missing:
                continue
            raise missing_file(reader.operator, path) from None
        yield from ((path, Piece(piece.size, partial(read, path, piece))) for piece in pieces)


def located(operator: Scan) -> Scan:
    """The scan with the `location` of each file: its absolute path or URL, decoded."""
    from deltasql.log import file_locations

    if "location" in operator.files.column_names:
        return operator
    locations = file_locations(operator.files.column("path"), operator.table.location)
    return replace(operator, files=operator.files.append_column("location", locations))


def deleted_by_file(operator: Scan, paths: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """The deletion vector of each file that has one, by location. Descriptors as in the log."""
    if "deletionVector" not in operator.files.column_names:
        return {}
    read_paths = set(paths)
    column = operator.files.column("deletionVector")
    if column.null_count == len(column):
        return {}
    pairs = zip(operator.files.column("location").to_pylist(), column.to_pylist(), strict=True)
    return {path: vector for path, vector in pairs if path in read_paths and vector and vector.get("storageType")}


def vector_positions(stores: Stores, operator: Scan, vector: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The rows that a deletion vector marks."""
    try:
        return deleted_rows(stores.open(operator.table.location), vector).astype(np.int64)
    except errors.DeletionVectorNotFoundError as error:
        raise missing_vector(operator, vector) from error


def readable_files(operator: Scan, paths: Sequence[str], *, may_be_missing: bool) -> list[str]:
    """The data files, without missing ones if they `may_be_missing`, as a setting of Spark allows.

    Raises DataFileNotFoundError, UnreadableDataFileError for data files on the local disk. An empty file is damaged:
    Spark would pass over it, and its rows be missing from the answer.
    """
    readable = [path for path in paths if not is_local(path) or _is_readable(path)]
    if len(readable) < len(paths) and not (may_be_missing and readable):
        present = set(readable)
        raise missing_file(operator, next(path for path in paths if path not in present))
    return readable


def _is_readable(path: str) -> bool:
    """False for a file that is gone. Raises UnreadableDataFileError."""
    try:
        if require_regular(local_path(path)) == 0:
            raise errors.UnreadableDataFileError(path, "it is empty")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise errors.UnreadableDataFileError(path, error.strerror or str(error)) from None
    return True


def missing_file(operator: Scan, path: str) -> errors.DataFileNotFoundError:
    table = operator.table
    kind = errors.DataFileNotFoundError if path.startswith(f"{table.location}/") else errors.SourceFileNotFoundError
    return (errors.VacuumedFileError if table.asked else kind)("data file", path, table.name, table.version)


def missing_vector(operator: Scan, vector: Mapping[str, Json]) -> errors.DataFileNotFoundError:
    from deltasql.log import vector_location

    location = vector_location(dict(vector), operator.table.location) or ""
    kind = errors.VacuumedFileError if operator.table.asked else errors.DataFileNotFoundError
    return kind("deletion vector file", location, operator.table.name, operator.table.version)


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


def literal_table(rows: Literals, *, physical: bool = False) -> pa.Table:
    """`rows` as an Arrow table; `physical` ones have the names and field ids that data files have."""
    columns = list(zip(rows.schema, rows.columns, strict=True))
    fields = [_field(item, physical=physical) for item, _ in columns]
    arrays = [_array(item.type, values, field.type) for (item, values), field in zip(columns, fields, strict=True)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _field(item: StructField, *, physical: bool) -> pa.Field:
    from deltasql.schema import arrow_type

    kind = arrow_type(item.type)
    return stored_field(item, kind) if physical else pa.field(item.name, kind)


# Arrow arrays from their buffers: `pa.array` imports pandas at its first use, for 0.25 s.


def _array(kind: DataType, values: Sequence[Any], stored: pa.DataType) -> pa.Array:
    if kind == VOID or isinstance(kind, (ArrayType, MapType, StructType)):
        return pa.nulls(len(values), stored)
    gaps = [value is None for value in values]
    valid = pa.py_buffer(np.packbits(~np.array(gaps), bitorder="little")) if any(gaps) else None
    buffers = [pa.py_buffer(buffer) for buffer in _buffers(kind, values)]
    return pa.Array.from_buffers(stored, len(values), [valid, *buffers], sum(gaps))


def _buffers(kind: DataType, values: Sequence[Any]) -> list[bytes | np.ndarray]:
    """The buffers of an array but for the one that says where NULLs are."""
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
