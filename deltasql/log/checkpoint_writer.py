"""Writing a classic checkpoint: one Parquet file with the whole state of a version.

The small actions have a row group of their own, so that a reader of the metadata touches a few KB of it.
Source: Delta protocol, Checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltasql.errors.log import CheckpointMismatchError
from deltasql.log.actions import Json, Metadata, SetTransaction
from deltasql.log.file_tables import ADD, REMOVE, STRING_MAP, partition_struct
from deltasql.log.last_checkpoint import LastCheckpoint, write_last_checkpoint
from deltasql.log.paths import checkpoint_path
from deltasql.log.properties import deleted_file_retention_ms, set_transaction_retention_ms
from deltasql.log.snapshot import Snapshot, physical_names
from deltasql.log.stats_struct import parse_partitions, parse_stats, partition_type, stats_type
from deltasql.log.store import LogStore

_TXN = pa.struct([("appId", pa.string()), ("version", pa.int64()), ("lastUpdated", pa.int64())])
_DOMAIN = pa.struct([("domain", pa.string()), ("configuration", pa.string()), ("removed", pa.bool_())])
_PROTOCOL = pa.struct(
    [
        ("minReaderVersion", pa.int32()),
        ("minWriterVersion", pa.int32()),
        ("readerFeatures", pa.list_(pa.string())),
        ("writerFeatures", pa.list_(pa.string())),
    ]
)
_METADATA = pa.struct(
    [
        ("id", pa.string()),
        ("name", pa.string()),
        ("description", pa.string()),
        ("format", pa.struct([("provider", pa.string()), ("options", STRING_MAP)])),
        ("schemaString", pa.string()),
        ("partitionColumns", pa.list_(pa.string())),
        ("configuration", STRING_MAP),
        ("createdTime", pa.int64()),
    ]
)
_GROUP_ROWS = 100_000


def write_checkpoint(store: LogStore, snapshot: Snapshot) -> bool:
    """Writes the checkpoint of the snapshot and the hint to it; False if there is one already.

    Raises CheckpointMismatchError, where the files that would be written are not those that the totals count, and the
    errors of the store.
    """
    schema = _schema(snapshot.metadata)
    now = int(time.time() * 1000)
    removes = _unexpired(snapshot, now)
    small = _small_actions(snapshot, schema, now)
    adds = snapshot.live_adds([name for name in ADD.names if name != "dataChange"])
    known = snapshot.cheap_totals
    if known is not None and known.files != adds.num_rows:
        raise CheckpointMismatchError(snapshot.table, snapshot.version, adds.num_rows, known.files)
    data = _encode(schema, [small, *_add_rows(adds, snapshot.metadata, schema), *_remove_rows(removes, schema)])
    if not store.put_if_absent(checkpoint_path(snapshot.version), data):
        return False
    size = small.num_rows + adds.num_rows + removes.num_rows
    hint = LastCheckpoint(snapshot.version, size, size_in_bytes=len(data), files=adds.num_rows)
    write_last_checkpoint(store, hint)
    return True


def _schema(metadata: Metadata) -> pa.Schema:
    fields = [field for field in ADD if field.name != "stats" or _flag(metadata, "AsJson")]
    stats = stats_type(metadata) if _flag(metadata, "AsStruct") else None
    if stats is not None:
        fields.append(pa.field("stats_parsed", stats))
    if _flag(metadata, "AsStruct") and metadata.partition_columns:
        fields.append(pa.field("partitionValues_parsed", partition_type(metadata)))
    return pa.schema(
        [
            ("txn", _TXN),
            ("add", pa.struct(fields)),
            ("remove", pa.struct(list(REMOVE))),
            ("metaData", _METADATA),
            ("protocol", _PROTOCOL),
            ("domainMetadata", _DOMAIN),
        ]
    )


def _flag(metadata: Metadata, suffix: str) -> bool:
    return metadata.configuration.get(f"delta.checkpoint.writeStats{suffix}", "true").lower() == "true"


def _small_actions(snapshot: Snapshot, schema: pa.Schema, now: int) -> pa.Table:
    state = snapshot.full_state
    rows: list[Json] = [{"protocol": snapshot.protocol.to_json()}, snapshot.metadata.to_json()]
    rows += [item.to_json() for item in _kept(state.transactions or {}, snapshot.configuration, now)]
    rows += [item.to_json() for item in (state.domains or {}).values()]
    return pa.Table.from_pylist(rows, schema=schema)


def _kept(
    transactions: Mapping[str, SetTransaction], configuration: Mapping[str, str], now: int
) -> Iterator[SetTransaction]:
    retention = set_transaction_retention_ms(configuration)
    for item in transactions.values():
        if retention is None or (item.last_updated or 0) > now - retention:
            yield item


def _unexpired(snapshot: Snapshot, now: int) -> pa.Table:
    """The tombstones that a reader of an older version may still need."""
    removes = snapshot.tombstones()
    oldest = now - deleted_file_retention_ms(snapshot.configuration)
    return removes.filter(pc.greater(removes["deletionTimestamp"].fill_null(0), oldest))


def _add_rows(adds: pa.Table, metadata: Metadata, schema: pa.Schema) -> Iterator[pa.Table]:
    kind = schema.field("add").type
    for start in range(0, adds.num_rows, _GROUP_ROWS):
        batch = adds.slice(start, _GROUP_ROWS).combine_chunks()
        columns = {name: _one(batch[name]) for name in batch.column_names}
        columns["dataChange"] = pa.array(np.zeros(batch.num_rows, dtype=bool))
        for field in kind:
            if field.name == "stats_parsed":
                columns[field.name] = parse_stats(columns["stats"], field.type)
            elif field.name == "partitionValues_parsed":
                names = list(metadata.partition_columns)
                values = partition_struct(batch["partitionValues"], physical_names(metadata), names)
                columns[field.name] = parse_partitions(_one(values), field.type)
        actions = pa.StructArray.from_arrays([columns[field.name] for field in kind], fields=list(kind))
        yield _rows("add", actions, schema)


def _remove_rows(removes: pa.Table, schema: pa.Schema) -> Iterator[pa.Table]:
    for start in range(0, removes.num_rows, _GROUP_ROWS):
        batch = removes.slice(start, _GROUP_ROWS)
        arrays = [_one(batch[field.name]) for field in REMOVE]
        yield _rows("remove", pa.StructArray.from_arrays(arrays, fields=list(REMOVE)), schema)


def _rows(kind: str, actions: pa.StructArray, schema: pa.Schema) -> pa.Table:
    columns = [actions if field.name == kind else pa.nulls(len(actions), field.type) for field in schema]
    return pa.table(columns, schema=schema)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.nulls(0, column.type)])


def _encode(schema: pa.Schema, tables: list[pa.Table]) -> bytes:
    sink = pa.BufferOutputStream()
    # Paths and statistics never repeat: a dictionary of them is built only to be thrown away.
    repeated = ["add.partitionValues.key_value.key", "add.partitionValues.key_value.value"]
    with pq.ParquetWriter(sink, schema, compression="snappy", use_dictionary=repeated) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=_GROUP_ROWS)
    data: bytes = sink.getvalue().to_pybytes()
    return data
