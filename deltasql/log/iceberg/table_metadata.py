"""The metadata file of an Iceberg table, derived from its predecessor and a snapshot of the log.

Schemas and partition columns of Delta become those of Iceberg. Field ids are the ids of column mapping.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from pyiceberg import types as iceberg
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadataUtil, TableMetadataV2
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRef, SnapshotRefType
from pyiceberg.table.snapshots import MetadataLogEntry, Operation, Snapshot, SnapshotLogEntry, Summary
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.transforms import IdentityTransform

from deltasql.base import errors
from deltasql.log.actions.actions import Metadata
from deltasql.log.iceberg.current_metadata import DELTA_TIMESTAMP, DELTA_VERSION, CurrentMetadata
from deltasql.log.table_properties import (
    DELETED_FILE_RETENTION,
    MAX_COLUMN_ID,
    UNIVERSAL_FORMATS,
    TableProperties,
)
from deltasql.schema import (
    ID,
    NESTED_IDS,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    physical_name,
    type_text,
)

if TYPE_CHECKING:
    from deltasql.log.iceberg.manifests import SnapshotCounts
    from deltasql.log.replay import snapshot as delta


_PRIMITIVES: Mapping[str, iceberg.PrimitiveType] = {
    "boolean": iceberg.BooleanType(),
    "byte": iceberg.IntegerType(),
    "short": iceberg.IntegerType(),
    "integer": iceberg.IntegerType(),
    "long": iceberg.LongType(),
    "float": iceberg.FloatType(),
    "double": iceberg.DoubleType(),
    "string": iceberg.StringType(),
    "binary": iceberg.BinaryType(),
    "date": iceberg.DateType(),
    "timestamp": iceberg.TimestamptzType(),
    "timestamp_ntz": iceberg.TimestampType(),
}


def iceberg_schema(metadata: Metadata, table: str, schema_id: int = 0) -> Schema:
    """The schema of a table in Iceberg's types.

    Raises IcebergTypeError for a type that Iceberg lacks, IcebergIdError for a field without an id.
    """
    return Schema(*(_field(field, table) for field in metadata.schema), schema_id=schema_id)


def iceberg_spec(metadata: Metadata, table: str, spec_id: int = 0) -> PartitionSpec:
    """The partition columns by their values, in order. Field ids are those of a first spec."""
    fields = []
    for number, name in enumerate(metadata.partition_columns):
        column = metadata.schema.find(name)
        assert column is not None
        fields.append(
            PartitionField(
                source_id=_id(column, table),
                field_id=PARTITION_FIELD_ID_START + number,
                transform=IdentityTransform(),
                name=column.name,
            )
        )
    return PartitionSpec(*fields, spec_id=spec_id)


def leaf_ids(schema: StructType, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], int]:
    """The ids of the columns that have statistics, by their physical path; none are inside arrays and maps."""
    ids: dict[tuple[str, ...], int] = {}
    for field in schema:
        path = (*above, physical_name(field))
        match field.type:
            case StructType():
                ids |= leaf_ids(field.type, path)
            case ArrayType() | MapType():
                pass
            case _:
                ids[path] = int(field.metadata[ID])
    return ids


def _field(field: StructField, table: str) -> iceberg.NestedField:
    return iceberg.NestedField(
        field_id=_id(field, table),
        name=field.name,
        field_type=_type(field.type, _FieldPath(field, physical_name(field), table)),
        required=not field.nullable,
        doc=field.comment,
    )


class _FieldPath:
    """A field, and the way from it to one of its elements, keys or values."""

    def __init__(self, field: StructField, path: str, table: str) -> None:
        self.field, self.path, self.table = field, path, table

    def inner(self, part: str) -> _FieldPath:
        return _FieldPath(self.field, f"{self.path}.{part}", self.table)

    @property
    def id(self) -> int:
        ids: Mapping[str, int] = self.field.metadata.get(NESTED_IDS, {})
        if self.path not in ids:
            raise errors.IcebergIdError(self.table, self.field.name)
        return ids[self.path]


def _type(kind: DataType, path: _FieldPath) -> iceberg.IcebergType:
    match kind:
        case StructType():
            return iceberg.StructType(*(_field(field, path.table) for field in kind))
        case ArrayType(element, contains_null):
            inner = path.inner("element")
            return iceberg.ListType(inner.id, _type(element, inner), element_required=not contains_null)
        case MapType(key, value, contains_null):
            keys, values = path.inner("key"), path.inner("value")
            types = _type(key, keys), _type(value, values)
            return iceberg.MapType(keys.id, types[0], values.id, types[1], value_required=not contains_null)
        case DecimalType(precision, scale):
            return iceberg.DecimalType(precision, scale)
        case PrimitiveType(name) if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        case _:
            name, why = path.field.name, "Iceberg has no such type"
            raise errors.IcebergTypeError(path.table, "Iceberg", name, type_text(kind), why, UNIVERSAL_FORMATS.name)


def _id(field: StructField, table: str) -> int:
    if ID not in field.metadata:
        raise errors.IcebergIdError(table, field.name)
    return int(field.metadata[ID])


def same_types(old: Schema, new: Schema) -> bool:
    """Whether every field that both schemas have is of one type."""
    before = {field_id: str(field.field_type) for field_id, field in _primitives(old).items()}
    return all(
        before.get(key, str(field.field_type)) == str(field.field_type) for key, field in _primitives(new).items()
    )


def _primitives(schema: Schema) -> dict[int, iceberg.NestedField]:
    from pyiceberg.schema import index_by_id

    return {key: field for key, field in index_by_id(schema).items() if field.field_type.is_primitive}


def find_schema(schemas: Sequence[Schema], sought: Schema) -> Schema | None:
    """The schema among `schemas` whose fields are those of `sought`; None if there is none."""
    return next((schema for schema in schemas if schema.fields == sought.fields), None)


MOST_SNAPSHOTS = 100
"""Most snapshots and metadata files that are kept: every commit writes the list of them anew."""
_CONFIGURED = "delta.universalformat.config.iceberg."
_TOTALS = {"total-data-files": "files", "total-records": "rows", "total-files-size": "bytes"}


def parse_metadata(current: CurrentMetadata) -> TableMetadataV2:
    """The parsed text of a metadata file. Raises ValueError for another format version than 2."""
    metadata = TableMetadataUtil.parse_raw(current.data.decode())
    if not isinstance(metadata, TableMetadataV2):
        raise ValueError(f"{current.path} has format version {metadata.format_version}, not 2")
    return metadata


def with_table_state(base: TableMetadataV2 | None, table: delta.Snapshot, location: str) -> TableMetadataV2:
    """`base`, or a new table, with the columns, partitions and properties of a version of the log."""
    metadata = table.metadata
    schema = iceberg_schema(metadata, table.table)
    spec = iceberg_spec(metadata, table.table)
    now = table.timestamp_ms
    properties = _configured(metadata.configuration)
    properties |= {DELTA_VERSION: str(table.version), DELTA_TIMESTAMP: str(now)}
    if base is None:
        return TableMetadataV2(
            location=location,
            table_uuid=_uuid(metadata.id),
            last_updated_ms=now,
            last_column_id=_highest(schema, metadata.properties),
            schemas=[schema],
            current_schema_id=schema.schema_id,
            partition_specs=[spec],
            default_spec_id=spec.spec_id,
            last_partition_id=max(spec.last_assigned_field_id, PARTITION_FIELD_ID_START - 1),
            sort_orders=[UNSORTED_SORT_ORDER],
            default_sort_order_id=UNSORTED_SORT_ORDER.order_id,
            properties=properties,
        )
    schema = _numbered_schema(base.schemas, schema)
    specs, spec_id = _specs(base.partition_specs, spec)
    return base.model_copy(
        update={
            "location": location,
            "last_updated_ms": max(now, base.last_updated_ms),
            "last_column_id": max(base.last_column_id, _highest(schema, metadata.properties)),
            "schemas": [*(item for item in base.schemas if item.schema_id != schema.schema_id), schema],
            "current_schema_id": schema.schema_id,
            "partition_specs": specs,
            "default_spec_id": spec_id,
            "last_partition_id": max(base.last_partition_id or 0, spec.last_assigned_field_id),
            "properties": properties,
        }
    )


def _configured(configuration: Mapping[str, str]) -> dict[str, str]:
    """Iceberg properties from table properties with the prefix `_CONFIGURED`, which is case-insensitive."""
    return {key[len(_CONFIGURED) :]: text for key, text in configuration.items() if key.lower().startswith(_CONFIGURED)}


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return uuid4()


def _highest(schema: Schema, properties: TableProperties) -> int:
    return max(int(schema.highest_field_id), properties[MAX_COLUMN_ID])


def _numbered_schema(schemas: Sequence[Schema], schema: Schema) -> Schema:
    """`schema` with the id of the equal one in `schemas`, or else with the next id."""
    existing = find_schema(schemas, schema)
    if existing is not None:
        return existing
    number = max(item.schema_id for item in schemas) + 1
    return Schema(*schema.fields, schema_id=number)


def _specs(specs: Sequence[PartitionSpec], spec: PartitionSpec) -> tuple[list[PartitionSpec], int]:
    """The specs including `spec`, and its id. An existing spec of the same columns gets their current names.

    Otherwise a renamed column's old name would stay in the spec, and no new column could ever have it.
    """
    sources = [field.source_id for field in spec.fields]
    for existing in specs:
        if [field.source_id for field in existing.fields] == sources:
            named = PartitionSpec(*spec.fields, spec_id=existing.spec_id)
            return [named if item is existing else item for item in specs], existing.spec_id
    number = max(item.spec_id for item in specs) + 1
    return [*specs, PartitionSpec(*spec.fields, spec_id=number)], number


@dataclass(frozen=True, slots=True)
class SnapshotTotals:
    """Total files, rows and bytes of a snapshot."""

    files: int = 0
    rows: int = 0
    bytes: int = 0


def snapshot_totals(metadata: TableMetadataV2) -> SnapshotTotals:
    """The totals of the newest snapshot, from its summary; zeros without one."""
    snapshot = metadata.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return SnapshotTotals()
    values = {name: int(snapshot.summary[key] or 0) for key, name in _TOTALS.items()}
    return SnapshotTotals(**values)


def snapshot_operation(counts: SnapshotCounts, *, only_layout: bool) -> Operation:
    if not counts.deleted_files:
        return Operation.APPEND
    if only_layout:
        return Operation.REPLACE
    return Operation.OVERWRITE if counts.added_files else Operation.DELETE


def with_snapshot(
    metadata: TableMetadataV2, snapshot_id: int, manifest_list: str, kind: Operation, counts: SnapshotCounts
) -> TableMetadataV2:
    """The metadata with a new current snapshot, whose added and deleted files are `counts`."""
    before = snapshot_totals(metadata)
    summary = {
        "added-data-files": counts.added_files,
        "added-records": counts.added_rows,
        "added-files-size": counts.added_bytes,
        "deleted-data-files": counts.deleted_files,
        "deleted-records": counts.deleted_rows,
        "removed-files-size": counts.deleted_bytes,
    }
    texts = {key: str(number) for key, number in summary.items() if number}
    after = {
        "total-data-files": before.files + counts.added_files - counts.deleted_files,
        "total-records": before.rows + counts.added_rows - counts.deleted_rows,
        "total-files-size": before.bytes + counts.added_bytes - counts.deleted_bytes,
        "total-delete-files": 0,
        "total-position-deletes": 0,
        "total-equality-deletes": 0,
    }
    sequence = metadata.last_sequence_number + 1
    snapshot = Snapshot(
        snapshot_id=snapshot_id,
        parent_snapshot_id=metadata.current_snapshot_id,
        sequence_number=sequence,
        timestamp_ms=metadata.last_updated_ms,
        manifest_list=manifest_list,
        summary=Summary(kind, **texts, **{key: str(number) for key, number in after.items()}),
        schema_id=metadata.current_schema_id,
    )
    entry = SnapshotLogEntry(snapshot_id=snapshot_id, timestamp_ms=snapshot.timestamp_ms)
    return metadata.model_copy(
        update={
            "last_sequence_number": sequence,
            "current_snapshot_id": snapshot_id,
            "snapshots": [*metadata.snapshots, snapshot],
            "snapshot_log": [*metadata.snapshot_log, entry],
            "refs": {MAIN_BRANCH: SnapshotRef(snapshot_id=snapshot_id, snapshot_ref_type=SnapshotRefType.BRANCH)},
        }
    )


@dataclass(frozen=True, slots=True)
class ExpiredMetadata:
    """Objects that the metadata no longer name: snapshots, oldest first, and locations of metadata files."""

    snapshots: list[Snapshot]
    metadata: list[str]


def without_old(
    metadata: TableMetadataV2, table: delta.Snapshot, previous: MetadataLogEntry | None
) -> tuple[TableMetadataV2, ExpiredMetadata]:
    """The metadata without expired snapshots, and the expired objects.

    A snapshot expires when VACUUM may have deleted its files, or beyond the newest MOST_SNAPSHOTS.
    """
    cutoff = int(time.time() * 1000) - table.properties[DELETED_FILE_RETENTION]
    snapshots = metadata.snapshots
    ends = [*(item.timestamp_ms for item in snapshots[1:]), cutoff]
    first = max(0, len(snapshots) - MOST_SNAPSHOTS)
    while first < len(snapshots) and ends[first] < cutoff:
        first += 1
    retained_ids = {item.snapshot_id for item in snapshots[first:]}
    log = [*metadata.metadata_log, *([previous] if previous else [])]
    update = {
        "snapshots": snapshots[first:],
        "snapshot_log": [item for item in metadata.snapshot_log if item.snapshot_id in retained_ids],
        "metadata_log": log[-MOST_SNAPSHOTS:],
    }
    expired = ExpiredMetadata(snapshots[:first], [item.metadata_file for item in log[:-MOST_SNAPSHOTS]])
    return metadata.model_copy(update=update), expired
