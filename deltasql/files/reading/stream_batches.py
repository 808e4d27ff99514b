"""The rows of a data file as Arrow batches, read by a Spark task of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from deltasql.base.lazy import np, pa, pc, pq
from deltasql.base.timezone import parse_timestamp, zone
from deltasql.files.inspection import readable
from deltasql.log.actions.deletion_vectors import deleted_rows
from deltasql.log.reading.stream_source import StreamFile
from deltasql.log.storage.locations import folder_and_name
from deltasql.log.storage.log_store import LogStore
from deltasql.schema.arrow_types import plain_type
from deltasql.schema.checks import CHANGE_TYPE, COMMIT_TIMESTAMP, COMMIT_VERSION
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.json import typed
from deltasql.schema.types import TIMESTAMP, TIMESTAMP_NTZ, ArrayType, DataType, MapType, StructField, StructType

BATCH_ROWS = 1 << 16


def batches(
    file: StreamFile, schema: StructType, target: pa.Schema, store: LogStore, time_zone: str | None
) -> Iterator[pa.RecordBatch]:
    """The rows of `file` that count, as `target`, which has the columns of `schema` in Arrow's types.

    Columns that the file lacks are partition values, what the file's version says of it, or NULL. Values of narrower
    types are widened. `time_zone` is that of partition values without one.
    """
    constants = _constants(file, schema, time_zone)
    positions = _positions(file, store)
    folder, file_name = folder_and_name(file.path)
    with readable(file.path), pq.ParquetFile(store.at(folder).open_input(file_name)) as opened:
        stored = {name.lower(): name for name in opened.schema_arrow.names}
        stored_columns = [name for item in schema if (name := stored.get(physical_name(item).lower())) is not None]
        at = 0
        for batch in opened.iter_batches(
            BATCH_ROWS, columns=[name for name in stored_columns if name.lower() not in constants]
        ):
            live = _live(batch, at, positions, keep=file.marked is not None)
            at += batch.num_rows
            if not live.num_rows:
                continue
            columns = [
                _column(item, field.type, live, stored, constants) for item, field in zip(schema, target, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=target)


def _live(batch: pa.RecordBatch, at: int, rows: np.ndarray[Any, Any] | None, *, keep: bool) -> pa.RecordBatch:
    """The rows of a batch, whose first stands at position `at` of its file, that count: `rows`, or all but these."""
    if rows is None:
        return batch
    first, last = np.searchsorted(rows, [at, at + batch.num_rows])
    mask = np.full(batch.num_rows, not keep)
    mask[rows[first:last].astype(np.int64) - at] = keep
    return batch.filter(pa.array(mask))


def _positions(file: StreamFile, store: LogStore) -> np.ndarray[Any, Any] | None:
    """The rows that do not count, or of a file with `marked` rows those that do."""
    if file.marked is not None:
        return file.marked
    return None if file.vector is None else deleted_rows(store, file.vector)


def _constants(file: StreamFile, schema: StructType, time_zone: str | None) -> dict[str, Any]:
    """The values that all rows of the file have, by physical name in lower case."""
    constants: dict[str, Any] = {}
    for item in schema:
        name = physical_name(item)
        if name in file.partition_values:
            constants[name.lower()] = _typed(file.partition_values[name], item.type, time_zone)
    if file.change is not None:
        constants[CHANGE_TYPE] = file.change
    constants[COMMIT_VERSION] = file.version
    constants[COMMIT_TIMESTAMP] = datetime.fromtimestamp(file.time_ms / 1000, timezone.utc)
    return constants


def _typed(text: str | None, kind: DataType, time_zone: str | None) -> Any:
    if not text or kind not in {TIMESTAMP, TIMESTAMP_NTZ}:
        return typed(text, kind)
    moment = parse_timestamp(text)
    if moment is None or kind == TIMESTAMP_NTZ:
        return moment
    return moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone))


def _column(
    item: StructField,
    target: pa.DataType,
    rows: pa.RecordBatch,
    stored: Mapping[str, str],
    constants: Mapping[str, Any],
) -> pa.Array:
    name = physical_name(item).lower()
    if name in constants:
        return pa.repeat(pa.scalar(constants[name], target), rows.num_rows)
    if name not in stored:
        return pa.nulls(rows.num_rows, target)
    return fitted(rows.column(stored[name]), item.type, target)


def fitted(values: pa.Array, kind: DataType, target: pa.DataType) -> pa.Array:
    """`values` as `target`, the Arrow type of `kind`: fields of structs by physical name, missing ones NULL.

    Raises ArrowInvalid for values that are no such type's.
    """
    if values.type.equals(target):
        return values
    plain = plain_type(values.type)
    if not values.type.equals(plain):
        values = values.cast(plain)
    if pa.types.is_nested(target) and not _alike(values.type, target):
        raise pa.ArrowInvalid(f"a column holds {values.type}, not {target}")
    match kind:
        case StructType():
            stored = {field.name.lower(): index for index, field in enumerate(values.type)}
            children = []
            for item, field in zip(kind, target, strict=True):
                index = stored.get(physical_name(item).lower())
                child = pa.nulls(len(values), field.type)
                children.append(
                    child if index is None else fitted(pc.struct_field(values, [index]), item.type, field.type)
                )
            return pa.StructArray.from_arrays(children, fields=list(target), mask=pc.is_null(values))
        case ArrayType():
            whole = _compact(values)
            items = fitted(whole.values, kind.element, target.value_type)
            return pa.ListArray.from_arrays(whole.offsets, items, type=target, mask=pc.is_null(whole))
        case MapType():
            whole = _compact(values)
            keys = fitted(whole.keys, kind.key, target.key_type)
            items = fitted(whole.items, kind.value, target.item_type)
            return pa.MapArray.from_arrays(whole.offsets, keys, items, type=target, mask=pc.is_null(whole))
        case _:
            return values.cast(target)


def _alike(stored: pa.DataType, target: pa.DataType) -> bool:
    """Whether both are structs, or lists, or maps."""
    kinds = (pa.types.is_struct, pa.types.is_map, lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind))
    return any(is_kind(stored) and is_kind(target) for is_kind in kinds)


def _compact(values: pa.Array) -> pa.Array:
    """A copy of `values` that begins where its buffers do: a slice keeps offsets into what it was cut from."""
    return values.take(pa.array(np.arange(len(values))))
