"""Add actions as the data files of a manifest. Statistics and partition values are parsed and encoded by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.typedef import Record
from pyiceberg.utils.decimal import decimal_to_bytes

from deltasql.base import errors
from deltasql.log.actions.actions import Metadata
from deltasql.log.iceberg.table_metadata import leaf_ids
from deltasql.log.replay.stats_struct import parse_partitions, parse_stats, partition_type, stats_type

_CHUNK = 20_000
_MILLISECOND = 1000
_LAST = 2**63 - 1

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class AddedFiles:
    """Files to list, as columns: where they are, bytes, texts of statistics, and a struct of texts per partition."""

    locations: Sequence[str]
    sizes: Sequence[int]
    stats: pa.Array
    partitions: pa.StructArray

    def __len__(self) -> int:
        return len(self.locations)


def manifest_data_files(added: AddedFiles, metadata: Metadata, spec_id: int, table: str) -> Iterator[DataFile]:
    """The entries of some files for a manifest, in order, with bounds and null counts by field id.

    Raises IcebergStatisticsError for a file without a row count.
    """
    for start in range(0, len(added), _CHUNK):
        end = min(start + _CHUNK, len(added))
        part = AddedFiles(
            added.locations[start:end],
            added.sizes[start:end],
            added.stats.slice(start, end - start),
            added.partitions.slice(start, end - start),
        )
        yield from _described_files(part, metadata, spec_id, table)


def _described_files(added: AddedFiles, metadata: Metadata, spec_id: int, table: str) -> Iterator[DataFile]:
    kind = stats_type(metadata) or pa.struct([("numRecords", pa.int64())])
    statistics = parse_stats(added.stats, kind)
    counts = pc.struct_field(statistics, "numRecords").to_pylist()
    if None in counts:
        raise errors.IcebergStatisticsError(added.locations[counts.index(None)], table, "Iceberg metadata")
    columns = _column_statistics(statistics, leaf_ids(metadata.schema))
    partitions = _partition_rows(added.partitions, metadata)
    for row, (location, size, rows) in enumerate(zip(added.locations, added.sizes, counts, strict=True)):
        nulls = _of_row(columns.null_counts, row)
        file = DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=location,
            file_format=FileFormat.PARQUET,
            partition=Record(*partitions[row]),
            record_count=rows,
            file_size_in_bytes=size,
            value_counts=dict.fromkeys(nulls, rows),
            null_value_counts=nulls,
            lower_bounds=_of_row(columns.lows, row),
            upper_bounds=_of_row(columns.highs, row),
        )
        file.spec_id = spec_id
        yield file


@dataclass(frozen=True, slots=True)
class _ColumnStatistics:
    """Statistics by column: its field id, and a value per file, None where the file has none."""

    null_counts: list[tuple[int, list[int | None]]]
    lows: list[tuple[int, list[bytes | None]]]
    highs: list[tuple[int, list[bytes | None]]]


def _column_statistics(statistics: pa.StructArray, ids: dict[tuple[str, ...], int]) -> _ColumnStatistics:
    nulls = _columns(statistics, "nullCount", ids)
    lows, highs = (_columns(statistics, name, ids) for name in ("minValues", "maxValues"))
    return _ColumnStatistics(
        [(number, values.to_pylist()) for number, values in nulls],
        [(number, _encoded(values)) for number, values in lows],
        [(number, _encoded(_widened(values))) for number, values in highs],
    )


def _of_row(columns: Sequence[tuple[int, list[_Value | None]]], row: int) -> dict[int, _Value]:
    """One file's values by column, without those that it lacks."""
    return {number: value for number, values in columns if (value := values[row]) is not None}


def _columns(statistics: pa.StructArray, name: str, ids: dict[tuple[str, ...], int]) -> list[tuple[int, pa.Array]]:
    """One statistic of every column that has it, by the column's id."""
    index = statistics.type.get_field_index(name)
    if index < 0:
        return []
    root = pc.struct_field(statistics, [index])
    return [(number, values) for path, number in ids.items() if (values := _at(root, path)) is not None]


def _at(values: pa.Array, path: tuple[str, ...]) -> pa.Array | None:
    for name in path:
        index = values.type.get_field_index(name) if pa.types.is_struct(values.type) else -1
        if index < 0:
            return None
        values = pc.struct_field(values, [index])
    return values


def _widened(values: pa.Array) -> pa.Array:
    """Upper bounds: those of timestamps are cut to milliseconds in the log."""
    if not pa.types.is_timestamp(values.type):
        return values
    moments = values.cast(pa.int64())
    near_the_end = pc.greater(moments, _LAST - _MILLISECOND)
    return pc.if_else(near_the_end, moments, pc.add(pc.min_element_wise(moments, _LAST - _MILLISECOND), _MILLISECOND))


def _encoded(values: pa.Array) -> list[bytes | None]:
    """Values in Iceberg's single-value serialization; NaN orders nothing and is none."""
    kind = values.type
    if pa.types.is_decimal(kind):
        return [None if value is None else decimal_to_bytes(value) for value in values.to_pylist()]
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        texts: list[bytes | None] = values.cast(pa.binary()).to_pylist()
        return texts
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.nulls(1, kind)[0], values)
    elif pa.types.is_integer(kind) and kind.bit_width < 64:
        values = values.cast(pa.int32())
    width = values.type.bit_width // 8
    numbers = pa.concat_arrays([values])
    fixed = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(numbers), numbers.buffers(), null_count=numbers.null_count, offset=numbers.offset
    )
    encoded: list[bytes | None] = fixed.to_pylist()
    return encoded


def _partition_rows(values: pa.StructArray, metadata: Metadata) -> list[tuple[Any, ...]]:
    """Partition values as Avro takes them: dates are days, timestamps microseconds."""
    if not metadata.partition_columns:
        return [()] * len(values)
    typed = parse_partitions(values, partition_type(metadata))
    return list(zip(*(_plain(typed.field(index)) for index in range(typed.type.num_fields)), strict=True))


def _plain(values: pa.Array) -> list[Any]:
    if pa.types.is_date(values.type):
        values = values.cast(pa.int32())
    elif pa.types.is_timestamp(values.type):
        values = values.cast(pa.int64())
    plain: list[Any] = values.to_pylist()
    return plain
