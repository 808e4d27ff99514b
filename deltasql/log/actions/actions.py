"""Actions of the log: one frozen class each, to and from the JSON of a commit, and counts over live files.

`to_json` gives the one-key object of a line; `from_json` takes the object below that key. Fields that a class does not
know are dropped, except in metaData, which is written back whole. Source: Delta protocol, Actions.

Operations have the names of the history. A commit of another writer may name any other operation: that stays text, see
`operation_named`. Source: Delta's operations. Row counts of files follow from statistics and deletion vectors. Source:
Delta protocol, Per-file Statistics.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias, Union

from deltasql.base import errors, pa
from deltasql.log.protocol import Protocol
from deltasql.log.table_properties import TableProperties
from deltasql.schema import StructType, schema_from_json, schema_to_json

Json: TypeAlias = "dict[str, Any]"

_PARQUET: Mapping[str, Any] = MappingProxyType({"provider": "parquet", "options": {}})
_METADATA_FIELDS = frozenset(
    {"id", "name", "description", "format", "schemaString", "partitionColumns", "configuration", "createdTime"}
)


@dataclass(frozen=True, slots=True)
class DeletionVector:
    """The deleted rows of a file. `path_or_inline` as in the log; `size_in_bytes` is the payload's alone."""

    storage_type: str
    path_or_inline: str
    offset: int | None
    size_in_bytes: int
    cardinality: int

    @property
    def unique_id(self) -> str:
        """The vector's storage type, path and offset as one text, by which two vectors of one file are told apart."""
        location = self.storage_type + self.path_or_inline
        return location if self.offset is None else f"{location}@{self.offset}"

    def to_json(self) -> Json:
        """The descriptor, which is a field of add and remove actions and no action itself."""
        return _present(
            storageType=self.storage_type,
            pathOrInlineDv=self.path_or_inline,
            offset=self.offset,
            sizeInBytes=self.size_in_bytes,
            cardinality=self.cardinality,
        )

    @staticmethod
    def from_json(data: Json) -> DeletionVector:
        return DeletionVector(
            data["storageType"],
            data["pathOrInlineDv"],
            data.get("offset"),
            data["sizeInBytes"],
            data["cardinality"],
        )


@dataclass(frozen=True, slots=True)
class AddFile:
    """A data file of the table. `path` is URI-encoded, as in the log; keys of `partition_values` are physical names."""

    path: str
    partition_values: Mapping[str, str | None]
    size: int
    modification_time: int
    data_change: bool = True
    stats: str | None = None
    tags: Mapping[str, str | None] | None = None
    deletion_vector: DeletionVector | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None
    clustering_provider: str | None = None

    def remove(self, deletion_timestamp_ms: int, data_change: bool = True) -> RemoveFile:
        """The action that takes this file out of the table, with all that is known of it."""
        return RemoveFile(
            self.path,
            deletion_timestamp_ms,
            data_change,
            extended_file_metadata=True,
            partition_values=self.partition_values,
            size=self.size,
            stats=self.stats,
            tags=self.tags,
            deletion_vector=self.deletion_vector,
            base_row_id=self.base_row_id,
            default_row_commit_version=self.default_row_commit_version,
        )

    def to_json(self) -> Json:
        action: Json = {
            "path": self.path,
            "partitionValues": dict(self.partition_values),
            "size": self.size,
            "modificationTime": self.modification_time,
            "dataChange": self.data_change,
        }
        action |= _present(
            stats=self.stats,
            tags=_plain(self.tags),
            deletionVector=_vector_json(self.deletion_vector),
            baseRowId=self.base_row_id,
            defaultRowCommitVersion=self.default_row_commit_version,
            clusteringProvider=self.clustering_provider,
        )
        return {"add": action}

    @staticmethod
    def from_json(data: Json) -> AddFile:
        return AddFile(
            data["path"],
            data.get("partitionValues") or {},
            data["size"],
            data["modificationTime"],
            data.get("dataChange", True),
            data.get("stats"),
            data.get("tags"),
            _vector(data.get("deletionVector")),
            data.get("baseRowId"),
            data.get("defaultRowCommitVersion"),
            data.get("clusteringProvider"),
        )


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """A data file that left the table; a tombstone until its retention ends. `deletion_timestamp` in ms."""

    path: str
    deletion_timestamp: int | None
    data_change: bool = True
    extended_file_metadata: bool | None = None
    partition_values: Mapping[str, str | None] | None = None
    size: int | None = None
    stats: str | None = None
    tags: Mapping[str, str | None] | None = None
    deletion_vector: DeletionVector | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None

    def to_json(self) -> Json:
        action = _present(
            path=self.path,
            deletionTimestamp=self.deletion_timestamp,
            dataChange=self.data_change,
            extendedFileMetadata=self.extended_file_metadata,
            partitionValues=_plain(self.partition_values),
            size=self.size,
            stats=self.stats,
            tags=_plain(self.tags),
            deletionVector=_vector_json(self.deletion_vector),
            baseRowId=self.base_row_id,
            defaultRowCommitVersion=self.default_row_commit_version,
        )
        return {"remove": action}

    @staticmethod
    def from_json(data: Json) -> RemoveFile:
        return RemoveFile(
            data["path"],
            data.get("deletionTimestamp"),
            data.get("dataChange", True),
            data.get("extendedFileMetadata"),
            data.get("partitionValues"),
            data.get("size"),
            data.get("stats"),
            data.get("tags"),
            _vector(data.get("deletionVector")),
            data.get("baseRowId"),
            data.get("defaultRowCommitVersion"),
        )


@dataclass(frozen=True, slots=True)
class AddCDCFile:
    """A file of change rows, for readers of the change data feed only."""

    path: str
    partition_values: Mapping[str, str | None]
    size: int
    tags: Mapping[str, str | None] | None = None

    def to_json(self) -> Json:
        action: Json = {
            "path": self.path,
            "partitionValues": dict(self.partition_values),
            "size": self.size,
            "dataChange": False,
        }
        return {"cdc": action | _present(tags=_plain(self.tags))}

    @staticmethod
    def from_json(data: Json) -> AddCDCFile:
        return AddCDCFile(data["path"], data.get("partitionValues") or {}, data["size"], data.get("tags"))


@dataclass(frozen=True, slots=True)
class SetTransaction:
    """The last version, by its own count, that an application has written to the table, and when (ms)."""

    app_id: str
    version: int
    last_updated: int | None = None

    def to_json(self) -> Json:
        return {"txn": _present(appId=self.app_id, version=self.version, lastUpdated=self.last_updated)}

    @staticmethod
    def from_json(data: Json) -> SetTransaction:
        return SetTransaction(data["appId"], data["version"], data.get("lastUpdated"))


@dataclass(frozen=True, slots=True)
class DomainMetadata:
    """The configuration of one named domain; `removed` ends the domain and keeps its last configuration."""

    domain: str
    configuration: str
    removed: bool = False

    def to_json(self) -> Json:
        action = {"domain": self.domain, "configuration": self.configuration, "removed": self.removed}
        return {"domainMetadata": action}

    @staticmethod
    def from_json(data: Json) -> DomainMetadata:
        return DomainMetadata(data["domain"], data["configuration"], data.get("removed", False))


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """The commitInfo action, in which a commit describes itself: any JSON object, its fields in order."""

    values: Mapping[str, Any]

    @property
    def operation(self) -> str:
        return str(self.values.get("operation") or "An unnamed operation")

    @property
    def transaction_id(self) -> str | None:
        return self.values.get("txnId")

    @property
    def in_commit_timestamp(self) -> int | None:
        return self.values.get("inCommitTimestamp")

    @property
    def is_blind_append(self) -> bool:
        """Whether the writer says that it read nothing of the table; False where it does not say."""
        return self.values.get("isBlindAppend") is True

    @property
    def read_version(self) -> int | None:
        """The version that the writer has read; None where it does not say."""
        version = self.values.get("readVersion")
        return version if isinstance(version, int) else None

    @property
    def orders_rows(self) -> bool:
        """True for OPTIMIZE … ZORDER BY: `zOrderBy` is the list of its columns, as JSON in a string."""
        parameters = self.values.get("operationParameters")
        columns = parameters.get("zOrderBy") if isinstance(parameters, Mapping) else None
        return columns not in (None, "", "[]", [])

    @property
    def only_raises_identity(self) -> bool:
        """True if the commit's metadata differ from the last only in where identity columns go on."""
        return self._is_tagged("delta.identity.schemaUpdate")

    @property
    def only_enables_row_tracking(self) -> bool:
        """True if the commit's metadata differ from the last only in that rows are tracked."""
        return self._is_tagged("rowTrackingEnablementOnly")

    def _is_tagged(self, tag: str) -> bool:
        tags = self.values.get("tags")
        return isinstance(tags, Mapping) and str(tags.get(tag)).lower() == "true"

    def to_json(self) -> Json:
        return {"commitInfo": dict(self.values)}


@dataclass(frozen=True, slots=True)
class Metadata:
    """Identity, schema, partitioning and properties of a table. `created_time` in ms.

    Change it with `dataclasses.replace`; the schema's text of the log is kept as long as the schema is the same object.
    """

    id: str
    schema: StructType
    partition_columns: tuple[str, ...] = ()
    configuration: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None
    description: str | None = None
    created_time: int | None = None
    format: Mapping[str, Any] = field(default_factory=lambda: _PARQUET)
    extra: Mapping[str, Any] = field(default_factory=dict)
    _text: tuple[StructType, str] | None = field(default=None, repr=False, compare=False)

    @property
    def schema_string(self) -> str:
        """The schema as the log holds it: JSON of the struct."""
        if self._text is None or self._text[0] is not self.schema:
            object.__setattr__(self, "_text", (self.schema, schema_to_json(self.schema)))
        assert self._text is not None
        return self._text[1]

    @property
    def properties(self) -> TableProperties:
        """The table's properties with their types."""
        return TableProperties(self.configuration)

    def with_configuration(self, changes: Mapping[str, str]) -> Metadata:
        """A copy of the metadata with the properties of `changes` set."""
        return replace(self, configuration={**self.configuration, **changes})

    def without_properties(self, keys: Collection[str]) -> Metadata:
        """A copy of the metadata without the properties `keys`."""
        rest = {key: value for key, value in self.configuration.items() if key not in keys}
        return replace(self, configuration=rest)

    def to_json(self) -> Json:
        action: Json = {"id": self.id} | _present(name=self.name, description=self.description)
        action |= {
            "format": {"provider": self.format.get("provider"), "options": dict(self.format.get("options") or {})},
            "schemaString": self.schema_string,
            "partitionColumns": list(self.partition_columns),
            "configuration": dict(self.configuration),
        }
        return {"metaData": action | _present(createdTime=self.created_time) | dict(self.extra)}

    @staticmethod
    def from_json(data: Json) -> Metadata:
        """The metadata in the body of a `metaData` action; without a schema they are those of a table without columns.

        Raises what `schema_from_json` raises, and InvalidSchemaJsonError for a partition column that the schema lacks.
        """
        text = data.get("schemaString")
        schema = StructType() if text is None else schema_from_json(text)
        if text is not None:
            _require_columns(schema, data.get("partitionColumns") or ())
        return Metadata(
            id=data["id"],
            schema=schema,
            partition_columns=tuple(data.get("partitionColumns") or ()),
            configuration=_with_values(data.get("configuration") or {}),
            name=data.get("name"),
            description=data.get("description"),
            created_time=data.get("createdTime"),
            format=data.get("format") or _PARQUET,
            extra={key: value for key, value in data.items() if key not in _METADATA_FIELDS},
            _text=None if text is None else (schema, text),
        )


@dataclass(frozen=True, slots=True)
class TransactionGroup:
    """The versions of all tables that one transaction has written, ratified together, as pairs of table id and version.

    Readers ignore it. Source: Delta's proposal of multi-table transactions.
    """

    transaction_id: str
    participants: tuple[tuple[str, int], ...]

    def to_json(self) -> Json:
        tables = [{"tableId": table_id, "version": version} for table_id, version in self.participants]
        return {"transactionGroup": {"txnId": self.transaction_id, "participants": tables}}


Action: TypeAlias = Union[
    AddFile, RemoveFile, AddCDCFile, SetTransaction, DomainMetadata, CommitInfo, Metadata, TransactionGroup, "Protocol"
]


def _with_values(properties: Mapping[str, str | None]) -> Mapping[str, str]:
    """The properties that have a value: null is what some writers say in place of nothing."""
    return MappingProxyType({key: value for key, value in properties.items() if value is not None})


def _require_columns(schema: StructType, names: Iterable[str]) -> None:
    """Raises InvalidSchemaJsonError for a partition column that the schema lacks."""
    for name in names:
        if schema.find(name) is None:
            raise errors.InvalidSchemaJsonError(f"the partition column {name} is none of its columns")


def _present(**values: Any) -> Json:
    return {key: value for key, value in values.items() if value is not None}


def _plain(values: Mapping[str, str | None] | None) -> Json | None:
    return None if values is None else dict(values)


def _vector(data: Json | None) -> DeletionVector | None:
    return None if data is None else DeletionVector.from_json(data)


def _vector_json(vector: DeletionVector | None) -> Json | None:
    return None if vector is None else vector.to_json()


_KB, _MB, _GB = 1 << 10, 1 << 20, 1 << 30


def _boundaries() -> tuple[int, ...]:
    small = [0, *(_KB * (8 << step) for step in range(7))]
    middle = [1, 2, 4, *range(8, 44, 4), *range(48, 128, 8), *range(124, 148, 4), *range(160, 592, 16)]
    large = [*range(640, 1472, 64), *range(1536, 2176, 128), *range(2304, 4352, 256)]
    return (*small, *(_MB * item for item in middle + large), *(_GB * (8 << step) for step in range(6)))


# Delta's default bins of file sizes: each begins at its boundary, in bytes.
BOUNDARIES = _boundaries()


@dataclass(frozen=True, slots=True)
class FileTotals:
    """Sums over the live files: bytes, and per size bin of `BOUNDARIES` the files and their bytes."""

    files: int = 0
    bytes: int = 0
    bin_files: tuple[int, ...] | None = (0,) * len(BOUNDARIES)
    bin_bytes: tuple[int, ...] | None = (0,) * len(BOUNDARIES)
    vectors: int | None = 0
    deleted_rows: int | None = 0

    def after(self, adds: Iterable[Json], removes: Iterable[Json]) -> FileTotals | None:
        """The totals once some files are added and removed; None if a removed file's size is not known."""
        counts, sizes = list(self.bin_files or ()), list(self.bin_bytes or ())
        files, total, vectors, rows = self.files, self.bytes, 0, 0
        for sign, actions in ((1, adds), (-1, removes)):
            for action in actions:
                size = action.get("size")
                if size is None:
                    return None
                files += sign
                total += sign * size
                if counts:
                    index = bisect_right(BOUNDARIES, size) - 1
                    counts[index] += sign
                    sizes[index] += sign * size
                vector = action.get("deletionVector")
                if vector is not None:
                    vectors += sign
                    rows += sign * vector["cardinality"]
        return FileTotals(
            files,
            total,
            tuple(counts) or None,
            tuple(sizes) or None,
            None if self.vectors is None else self.vectors + vectors,
            None if self.deleted_rows is None else self.deleted_rows + rows,
        )

    @property
    def is_plausible(self) -> bool:
        """Whether no sum is below zero, as one is once a file was removed that had not been counted."""
        return self.files >= 0 and self.bytes >= 0 and min(self.bin_files or (0,)) >= 0


# Cheaper than to parse all bounds of a file; the first field can only be its own.
_FIRST_FIELD = re.compile(r'\s*\{\s*"numRecords"\s*:\s*(\d+)\s*[,}]')


def record_count(stats: str | None) -> int | None:
    """Physical rows of a file, from the text of its statistics; None where they do not tell."""
    if not stats:
        return None
    match = _FIRST_FIELD.match(stats)
    if match is not None:
        return int(match[1])
    try:
        count = json.loads(stats).get("numRecords")
    except (ValueError, AttributeError, RecursionError):
        # Statistics are optional: damaged ones tell nothing.
        return None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def live_rows(files: pa.Table) -> list[int | None]:
    """Rows of each file that are not deleted, from the log's statistics; None for a file without them."""
    counts = map(record_count, files.column("stats").to_pylist())
    return [None if rows is None else rows - gone for rows, gone in zip(counts, deleted_counts(files), strict=True)]


def deleted_counts(files: pa.Table) -> list[int]:
    """Rows of each file that its deletion vector marks."""
    if "deletionVector" not in files.column_names:
        return [0] * files.num_rows
    return [(vector or {}).get("cardinality") or 0 for vector in files.column("deletionVector").to_pylist()]
