"""Writing of Arrow tables as Parquet files like Spark's: one per directory, or more for large tables."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import Any
from uuid import uuid4

from deltasql.base.lazy import np, pa, pc, pq
from deltasql.files.footers.field_ids import has_nested_ids, with_nested_ids
from deltasql.files.statistics.floats import float_bounds
from deltasql.files.statistics.nan_bounds import with_sure_bounds
from deltasql.files.statistics.of_footers import FloatBounds
from deltasql.files.writing.staged_files import CHANGE_DATA, WrittenFile
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.file_shape import ANY_SHAPE, FileShape
from deltasql.plan.hidden import IS_CHANGE
from deltasql.schema.arrow_types import arrow_schema, bare_schema, stored_field
from deltasql.schema.partition_values import HIVE_NULL
from deltasql.schema.types import StructType

_THREADS = 8
_SAMPLE = 1 << 16
"""Rows in the middle of a table that are sampled for repeated values; smaller tables are not sampled."""
_LEAST_REPEATS = 1.25
"""Average number of occurrences of a value from which a dictionary is worthwhile."""
_FILE_BYTES = 128 << 20
"""Most bytes of a file's rows in memory; such a file has about 32 to 64 MB."""
_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^")
"""Characters that Spark escapes in the names of partition directories, besides control characters."""


def write_tables(
    store: LogStore,
    tables: Iterable[tuple[str, pa.Table]],
    schema: StructType,
    *,
    in_partitions: bool = False,
    shape: FileShape = ANY_SHAPE,
) -> list[WrittenFile]:
    """Writes pairs of directory (below the table's root) and rows as data files with the columns `schema`.

    The rows have physical names and field ids. With `in_partitions` the directories are those of partition values,
    which Spark shows in file names.
    """
    files = TableFiles(store, schema, in_partitions=in_partitions, shape=shape)
    pieces = ((directory, piece) for directory, table in tables for piece in _of_size(table, shape))
    numbered = [(number, *item) for number, item in enumerate(pieces)]
    if len(numbered) == 1:
        return [files.write(*numbered[0])]
    with ThreadPoolExecutor(min(_THREADS, max(1, len(numbered)))) as threads:
        return list(threads.map(lambda item: files.write(*item), numbered))


class TableFiles:
    """Data files of one statement, written by any number of threads."""

    def __init__(
        self, store: LogStore, schema: StructType, *, in_partitions: bool, shape: FileShape = ANY_SHAPE
    ) -> None:
        self._store, self._schema, self._nested = store, schema, has_nested_ids(schema)
        self.shape = shape
        self._behind = "." if in_partitions else "-"
        self._job = uuid4()

    def write_all(self, number: int, directory: str, table: pa.Table) -> list[WrittenFile]:
        """Writes a table to one or more files by its size; to none if it has no rows."""
        return [self.write(number, directory, piece, at) for at, piece in enumerate(_of_size(table, self.shape))]

    def write(self, number: int, directory: str, table: pa.Table, piece: int = 0) -> WrittenFile:
        """Writes a table to one file below the table's root; `number` and `piece` are part of the file name.

        Raises StorageError.
        """
        data = encoded(table, repeating_columns(table), shape=self.shape)
        return self.write_encoded(number, directory, data, float_bounds(table), piece=piece)

    def write_encoded(
        self,
        number: int,
        directory: str,
        data: pa.Buffer,
        floats: Mapping[str, FloatBounds],
        statistics: Mapping[str, Any] | None = None,
        piece: int = 0,
    ) -> WrittenFile:
        """Writes an encoded Parquet file; see WrittenFile for `floats` and `statistics`. Raises StorageError."""
        if self._nested:
            data = pa.py_buffer(with_nested_ids(data.to_pybytes(), self._schema))
        data = with_sure_bounds(data, floats)
        path = f"{directory}/part-{number:05d}-{self._job}{self._behind}c{piece:03d}{self.shape.suffix}"
        self._store.put(path, data)
        footer = pq.read_metadata(pa.BufferReader(data))
        return WrittenFile(PurePosixPath(path), data.size, time.time_ns() // 1_000_000, footer, floats, statistics)


def encoded(
    table: pa.Table,
    dictionaries: Sequence[str] | bool,
    group_rows: int | None = None,
    shape: FileShape = ANY_SHAPE,
) -> pa.Buffer:
    """A table encoded as a Parquet file, with row groups of at most `group_rows` rows (None: Arrow's 1,048,576).

    `dictionaries` are the Parquet paths of the columns to be dictionary-encoded, or True for all.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=group_rows,
        compression=shape.arrow_codec,
        data_page_version=shape.page_version,
        use_dictionary=dictionaries,
        store_decimal_as_integer=True,
        # Arrow's copy of the schema is useless: readers have the table's, or the file's.
        store_schema=False,
    )
    return sink.getvalue()


def repeating_columns(table: pa.Table) -> Sequence[str] | bool:
    """The columns whose values repeat often enough for a dictionary, by a sample; True for all columns.

    Arrow's own attempt at a dictionary costs more than plain encoding. Measured on 5,000,000 rows of five columns, two
    of which hardly repeat: 0.31 s instead of 0.71 s.
    """
    if table.num_rows < _SAMPLE or any(pa.types.is_nested(field.type) for field in table.schema):
        return True
    start = (table.num_rows - _SAMPLE) // 2
    sample = table.slice(start, _SAMPLE)
    return [name for name, column in zip(sample.column_names, sample.columns, strict=True) if _repeats(column)]


def _repeats(sample: pa.ChunkedArray) -> bool:
    if pa.types.is_boolean(sample.type):
        return False
    return bool(pc.count_distinct(sample).as_py() * _LEAST_REPEATS <= len(sample))


def _of_size(table: pa.Table, shape: FileShape) -> Iterator[pa.Table]:
    """Slices of a table that are small enough for one file each."""
    rows = max(1, table.num_rows * _FILE_BYTES // max(table.nbytes, 1))
    rows = min(rows, shape.most_rows or rows)
    return (table.slice(start, rows) for start in range(0, table.num_rows, rows))


def by_directory(table: pa.Table, by: Sequence[str]) -> Iterator[tuple[dict[str, str | None], pa.Table]]:
    """Pairs for each combination of values of the text columns `by`: these values, and its rows without these columns.

    Rows keep their order.
    """
    if not by or not table.num_rows:
        yield {}, table
        return
    codes, columns = np.zeros(table.num_rows, np.int64), {}
    for name in by:
        column = table.column(name).combine_chunks()
        column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
        encoded = column.dictionary_encode(null_encoding="encode")
        names, indexes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        columns[name] = (names, indexes)
        # Renumbered after each column: the number of all possible combinations may exceed 64 bits.
        codes = np.unique(codes * len(names) + indexes, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    starts = np.unique(codes[order], return_index=True)[1]
    data = table.drop_columns(list(by)).take(pa.array(order))
    for start, end in zip(starts, [*starts[1:], table.num_rows], strict=True):
        values = {name: names[indexes[order[start]]] for name, (names, indexes) in columns.items()}
        yield values, data.slice(start, end - start)


def directory_name(column: str, value: str | None) -> str:
    """The directory name of a partition value (`column=value`), escaped as by Spark."""
    return f"{_escaped(column)}={HIVE_NULL if value is None or value == '' else _escaped(value)}"


def _escaped(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if char < " " or char in _ESCAPED else char for char in text)


def directory_of(directory: str, values: Mapping[str, str | None]) -> str:
    """The path, below the table's root, of the partition directory in `directory`; change rows go to _change_data."""
    folder = f"{CHANGE_DATA}/{directory}" if values.get(IS_CHANGE) == "true" else directory
    return "/".join((folder, *(directory_name(name, value) for name, value in values.items() if name != IS_CHANGE)))


def as_stored(table: pa.Table, schema: StructType) -> pa.Table:
    """Rows under physical names, cast to the types and field ids of data files.

    Columns that `schema` lacks are hidden ones, and stay unchanged.
    """
    fields = {field.name: field for field in _file_schema(schema)}
    return table.cast(pa.schema([fields.get(field.name, field) for field in table.schema]))


def _file_schema(schema: StructType) -> pa.Schema:
    kinds = arrow_schema(bare_schema(schema))
    return pa.schema([stored_field(item, kind.type) for item, kind in zip(schema, kinds, strict=True)])
