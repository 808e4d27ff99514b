"""Delta tables in a metastore, as delta-spark writes and finds them: the record of a table, and its entry.

Properties of tables in a metastore: those of the user, and those of Hive and Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from deltasql.catalog.entries import TableEntry
from deltasql.catalog.external.metastore.model import EXTERNAL, MANAGED, MetastoreTable, Storage
from deltasql.catalog.external.metastore.schemas import (
    NO_COLUMNS,
    hive_columns,
    is_of_schema,
    schema_properties,
)
from deltasql.catalog.external.mirror import MirroredTable
from deltasql.log.storage.locations import hadoop_location, plain_location, table_location, table_uri
from deltasql.schema.types import StructType

DELTA = "delta"
_PATH = "path"
_FORMAT = "serialization.format"
_VERSION, _TIME = "delta.lastUpdateVersion", "delta.lastCommitTimestamp"
_UNUSED_FORMATS = Storage(
    None,
    "org.apache.hadoop.mapred.SequenceFileInputFormat",
    "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
    "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
)
"""Hive's default classes, which Spark writes for each table that Hive itself cannot read."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The conventions of a type of metastores for the record of a Delta table.

    `lists_columns`: the columns are listed; otherwise the schema is in the properties alone. `hadoop_scheme`: locations
    in S3 are `s3a://`, for Hadoop, not `s3://`. `properties` are further ones that mark a Delta table.
    """

    lists_columns: bool
    hadoop_scheme: bool
    properties: Mapping[str, str] = field(default_factory=dict)

    def uri(self, location: str) -> str:
        """A location as the metastore has it."""
        return table_uri(hadoop_location(location) if self.hadoop_scheme else location)

    def location(self, uri: str) -> str:
        """The canonical form of a location that the metastore has, which does not encode it."""
        return table_location(plain_location(uri))


def provider_of(table: MetastoreTable) -> str | None:
    """The data source of a table, in lower case; None for a table of Hive."""
    provider = table.parameters.get(PROVIDER)
    if provider is None and table.parameters.get("table_type", "").lower() == DELTA:
        return DELTA
    return None if provider is None else provider.lower()


def location_of(table: MetastoreTable) -> str | None:
    """The location of a table's files. The path that Spark reads comes before the place that Hive knows."""
    place = table.storage.parameters.get(_PATH) or table.storage.location
    return None if not place else table_location(plain_location(place))


def entry_of(table: MetastoreTable, catalog: str, location: str) -> TableEntry:
    """The entry of a Delta table."""
    return TableEntry(catalog, table.database, table.name, location, is_managed(table), table.created_at)


def is_managed(table: MetastoreTable) -> bool:
    """Whether DROP TABLE removes the files of a table."""
    return table.kind == MANAGED or STILL_MANAGED in table.parameters


def new_table(entry: TableEntry, dialect: Dialect, described: MirroredTable | None) -> MetastoreTable:
    """The record of a new Delta table."""
    uri = dialect.uri(entry.location)
    storage = replace(_UNUSED_FORMATS, location=uri, parameters={_PATH: uri, _FORMAT: "1"})
    table = MetastoreTable(
        entry.schema,
        entry.name,
        MANAGED,
        storage,
        NO_COLUMNS,
        (),
        {PROVIDER: DELTA, "spark.sql.partitionProvider": "catalog", **dialect.properties},
        created_at=entry.created_at,
    )
    described = described or MirroredTable(-1, 0, StructType())
    return owned(mirrored(table, dialect, described), managed=entry.managed)


def owned(table: MetastoreTable, *, managed: bool) -> MetastoreTable:
    """The record of a table whose files belong to it, or are external."""
    parameters = {key: value for key, value in table.parameters.items() if key not in {EXTERNAL_FLAG, STILL_MANAGED}}
    if not managed:
        parameters[EXTERNAL_FLAG] = "TRUE"
    return replace(table, kind=MANAGED if managed else EXTERNAL, parameters=parameters)


def detached(table: MetastoreTable) -> MetastoreTable:
    """The record of a managed table whose files are not where the metastore expects them: external, with a mark.

    Spark takes the default place of its name for that of a managed table that it renames, whatever it was.
    """
    external = owned(table, managed=False)
    return replace(external, parameters={**external.parameters, STILL_MANAGED: "true"})


def moved(table: MetastoreTable, dialect: Dialect, location: str) -> MetastoreTable:
    """The record of a table that is at another location, and external."""
    uri = dialect.uri(location)
    storage = replace(table.storage, location=uri, parameters={**table.storage.parameters, _PATH: uri})
    return owned(replace(table, storage=storage), managed=False)


def mirrored(table: MetastoreTable, dialect: Dialect, described: MirroredTable) -> MetastoreTable:
    """The record of a table with the schema, comment and properties of its log."""
    replaced = {*described.dropped, *filter(is_of_schema, table.parameters), COMMENT}
    parameters = {key: value for key, value in table.parameters.items() if key not in replaced}
    parameters |= dialect.properties
    parameters |= own_properties(described.comment)
    parameters |= described.properties
    parameters |= schema_properties(described.schema)
    if described.version >= 0:
        parameters |= {_VERSION: str(described.version), _TIME: str(described.timestamp)}
    columns = hive_columns(described.schema) if dialect.lists_columns else ()
    return replace(table, parameters=parameters, columns=columns or NO_COLUMNS, partition_columns=())


def is_mirrored(table: MetastoreTable, dialect: Dialect, described: MirroredTable) -> bool:
    """Whether a record has the schema, comment and properties of the log already; the version may be an older one."""
    changed = mirrored(table, dialect, described)
    ignored = {_VERSION, _TIME}
    before, after = (
        {key: value for key, value in item.parameters.items() if key not in ignored} for item in (table, changed)
    )
    return before == after and table.columns == changed.columns


def is_described(table: MetastoreTable) -> bool:
    """Whether a record has the schema of its log; delta-spark writes none by default."""
    return mirrored_version(table) >= 0


def mirrored_version(table: MetastoreTable) -> int:
    """The version of the log that a record repeats; -1 if it repeats none."""
    text = table.parameters.get(_VERSION, "")
    return int(text) if text.isdecimal() else -1


COMMENT = "comment"
EXTERNAL_FLAG = "EXTERNAL"
CHANGED = "transient_lastDdlTime"
"""The time of the last change, in seconds since the epoch."""
STILL_MANAGED = "deltasql.managed"
"""Marks a table whose files DROP TABLE of deltasql removes, though it is external for others."""
PROVIDER = "spark.sql.sources.provider"

_OF_SYSTEMS = ("spark.sql.", "view.", "delta.lastUpdate", "delta.lastCommit")
_OF_HIVE = frozenset(
    {
        *(COMMENT, EXTERNAL_FLAG, CHANGED, "bucketing_version", "COLUMN_STATS_ACCURATE", "numFiles", "numPartitions"),
        *("numRows", "rawDataSize", "totalSize", "last_modified_by", "last_modified_time", "presto_view"),
        *(STILL_MANAGED, "numFilesErasureCoded", "external.table.purge", "TRANSLATED_TO_EXTERNAL"),
    }
)


def user_properties(parameters: Mapping[str, str]) -> dict[str, str]:
    """Those properties that a user has set."""
    return {
        key: value
        for key, value in parameters.items()
        if key not in _OF_HIVE and not key.startswith(_OF_SYSTEMS) and value is not None
    }


def own_properties(comment: str | None) -> dict[str, str]:
    """The properties that each record has."""
    return {} if comment is None else {COMMENT: comment}
