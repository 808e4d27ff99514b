"""Databases and tables of a metastore, the interface of its clients, and the records of Delta tables.

A record is as delta-spark writes and finds it. The schema is in Spark's properties, and in columns with Hive's types.
Properties are those of the user, and those of Hive and Spark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from deltasql.base import errors
from deltasql.catalog.entries import TableEntry
from deltasql.catalog.external.routing import MirroredTable
from deltasql.log import hadoop_location, plain_location, table_location, table_uri
from deltasql.schema import (
    EMPTY_METADATA,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    length_of,
    parsed_type,
    plain_field,
    schema_from_json,
    schema_to_json,
    type_text,
)

EXTERNAL = "EXTERNAL_TABLE"
MANAGED = "MANAGED_TABLE"
VIEW = "VIRTUAL_VIEW"


@dataclass(frozen=True, slots=True)
class MetastoreDatabase:
    """A database, which is a schema in SQL. `created_at` is milliseconds since the epoch, 0 if unknown.

    `original` is the record of the client that it was made of.
    """

    name: str
    comment: str | None = None
    location: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    created_at: int = 0
    original: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MetastoreColumn:
    """A column; its type is a text of Hive."""

    name: str
    type: str
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Storage:
    """The files of a table: their place, Hive's classes for their format, and the parameters of its serde."""

    location: str | None = None
    input_format: str | None = None
    output_format: str | None = None
    serde: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetastoreTable:
    """A table or view. `kind` is EXTERNAL, MANAGED, VIEW, or another type of tables that the metastore has.

    `texts` are the query of a view as it was written, and with all names in full. `original` is the record of the
    client that it was made of; a change keeps those of its fields that are not here.
    """

    database: str
    name: str
    kind: str
    storage: Storage = Storage()
    columns: tuple[MetastoreColumn, ...] = ()
    partition_columns: tuple[MetastoreColumn, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, str] | None = None
    created_at: int = 0
    original: object = field(default=None, compare=False, repr=False)


class ChangedMeanwhileError(Exception):
    """The table is no longer the one that a change was made for; nothing was changed."""


class Metastore(Protocol):
    """A client of a metastore. Names are in lower case.

    Conflicts are those of `catalog.store`: NameMissingError, NameTakenError, SchemaInUseError. What else is wrong is a
    DeltaSqlError.
    """

    def databases(self) -> Sequence[MetastoreDatabase]:
        """All databases, in no order."""

    def database(self, name: str) -> MetastoreDatabase | None:
        """One database, or None."""

    def create_database(self, database: MetastoreDatabase) -> None:
        """Creates a database. Raises NameTakenError."""

    def change_database(self, database: MetastoreDatabase) -> None:
        """Replaces a database that was read. Raises NameMissingError."""

    def drop_database(self, name: str, cascade: bool) -> None:
        """Removes a database, with `cascade` also what is left in it. Raises NameMissingError, SchemaInUseError."""

    def tables(self, database: str) -> Sequence[MetastoreTable]:
        """The tables and views of a database, in no order. Raises NameMissingError."""

    def table(self, database: str, name: str) -> MetastoreTable | None:
        """One table or view, or None."""

    def create_table(self, table: MetastoreTable) -> None:
        """Creates a table or view. Raises NameTakenError, NameMissingError for the database."""

    def change_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        """Replaces a table that was read by one of the same name. Raises ChangedMeanwhileError, NameMissingError."""

    def rename_table(self, old: MetastoreTable, new: MetastoreTable) -> None:
        """Replaces a table that was read by one of another name, and leaves its files where they are.

        Raises ChangedMeanwhileError, NameTakenError, NameMissingError for the table, then for the new database.
        """

    def drop_table(self, table: MetastoreTable) -> None:
        """Removes a table or view, and no files. Raises NameMissingError."""

    def function_names(self, database: str) -> Sequence[str]:
        """The names of the functions of a database, in no order."""

    def close(self) -> None:
        """Closes connections; a later call opens them again."""


SCHEMA = "spark.sql.sources.schema"
_PARTITIONS = f"{SCHEMA}.partCol."
_PARTITION_COUNT = f"{SCHEMA}.numPartCols"
_LONGEST = 4000
"""Characters of one property, and of the text of one type: what the columns of Hive's own database hold."""

_LONGEST_COMMENT = 255

NO_COLUMNS = (MetastoreColumn("col", "array<string>", "from deserializer"),)
"""The columns that Spark lists for a table whose schema is in its properties alone."""

_HIVE = frozenset({"boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary"})
_HIVE_TYPES = {**{name: name for name in (*_HIVE, "date", "timestamp")}, "timestamp_ntz": "timestamp"}
_SPARK_TYPES = {
    "tinyint": "byte",
    "smallint": "short",
    "int": "integer",
    "bigint": "long",
    "timestampntz": "timestamp_ntz",
    "timestamp with local time zone": "timestamp",
    "real": "float",
    "numeric": "decimal",
}
_PLAIN_NAME = re.compile(r"\w+", re.ASCII)
_DECIMAL = re.compile(r"decimal(?:\((\d+)(?:,(\d+))?\))?", re.ASCII)


def schema_properties(schema: StructType, partition_columns: Sequence[str] = ()) -> dict[str, str]:
    """The properties in which Spark keeps a schema; a long one is in several parts."""
    text = schema_to_json(schema)
    found = dict(_split(SCHEMA, text))
    if partition_columns:
        found[_PARTITION_COUNT] = str(len(partition_columns))
        found |= {f"{_PARTITIONS}{number}": name for number, name in enumerate(partition_columns)}
    return found


def _split(key: str, text: str) -> Iterator[tuple[str, str]]:
    if len(text) <= _LONGEST:
        yield key, text
        return
    parts = [text[start : start + _LONGEST] for start in range(0, len(text), _LONGEST)]
    yield f"{key}.numParts", str(len(parts))
    yield from ((f"{key}.part.{number}", part) for number, part in enumerate(parts))


def is_of_schema(key: str) -> bool:
    """Whether a property is one of those of `schema_properties`."""
    return key == SCHEMA or key.startswith(f"{SCHEMA}.")


def stored_schema(table: MetastoreTable) -> StructType | None:
    """The schema of a table, from its properties or else its columns; None if it has none. Raises ValueError."""
    text = table.parameters.get(SCHEMA) or _joined(table.parameters)
    if text:
        try:
            return schema_from_json(text)
        except errors.InvalidSchemaJsonError as error:
            raise ValueError(str(error)) from error
    columns = (*table.columns, *table.partition_columns)
    if not columns or table.columns == NO_COLUMNS:
        return None
    return StructType(tuple(map(_field, columns)))


def _joined(parameters: Mapping[str, str]) -> str:
    try:
        count = int(parameters.get(f"{SCHEMA}.numParts", "0"))
        return "".join(parameters[f"{SCHEMA}.part.{number}"] for number in range(count))
    except KeyError as error:
        raise ValueError(f"the property {error} is missing") from error


def stored_partition_columns(table: MetastoreTable) -> tuple[str, ...]:
    """The names of the partition columns, from the properties or else the columns. Raises ValueError."""
    count = table.parameters.get(_PARTITION_COUNT)
    if count is None:
        return tuple(column.name for column in table.partition_columns)
    try:
        return tuple(table.parameters[f"{_PARTITIONS}{number}"] for number in range(int(count)))
    except KeyError as error:
        raise ValueError(f"the property {error} is missing") from error


def _field(column: MetastoreColumn) -> StructField:
    kind = spark_type(column.type)
    metadata = EMPTY_METADATA if not column.comment else {"comment": column.comment}
    return plain_field(StructField(column.name, kind, True, metadata))


def spark_type(text: str) -> DataType:
    """The type that Hive's text of a type names, with the lengths of CHAR and VARCHAR. Raises ValueError."""
    simple = _SPARK_TYPES.get(" ".join(text.lower().split()))
    parsed = PrimitiveType(simple) if simple else parsed_type(text)
    if parsed is None:
        raise ValueError(f"{text} is no type")
    return _spark(parsed)


def _spark(kind: DataType) -> DataType:
    match kind:
        case StructType(fields):
            return StructType(tuple(replace(field, type=_spark(field.type)) for field in fields))
        case ArrayType(element):
            return replace(kind, element=_spark(element))
        case MapType(key, value):
            return replace(kind, key=_spark(key), value=_spark(value))
        case PrimitiveType(name):
            found = _DECIMAL.fullmatch(_SPARK_TYPES.get(name, name))
            if found is not None:
                return DecimalType(int(found[1] or 10), int(found[2] or 0))
            return PrimitiveType(_SPARK_TYPES.get(name, name))
        case _:
            return kind


def hive_columns(schema: StructType) -> tuple[MetastoreColumn, ...]:
    """The columns of a schema with Hive's types; a type that Hive does not have is a string there.

    Comments are one line, as long as a metastore takes.
    """
    return tuple(MetastoreColumn(field.name, _hive_type(field.type), _line(field.comment)) for field in schema)


def _line(comment: str | None) -> str | None:
    return None if comment is None else " ".join(comment.split())[:_LONGEST_COMMENT]


def _hive_type(kind: DataType) -> str:
    if not _is_hives(kind):
        return "string"
    text = type_text(_in_hive(kind))
    return text if len(text) <= _LONGEST else "string"


def _is_hives(kind: DataType) -> bool:
    match kind:
        case StructType(fields):
            return all(_PLAIN_NAME.fullmatch(field.name) and _is_hives(field.type) for field in fields)
        case ArrayType(element):
            return _is_hives(element)
        case MapType(key, value):
            return _is_hives(key) and _is_hives(value)
        case DecimalType():
            return True
        case _:
            return type_text(kind) in _HIVE_TYPES or length_of(kind) is not None


def _in_hive(kind: DataType) -> DataType:
    match kind:
        case StructType(fields):
            return StructType(tuple(replace(field, type=_in_hive(field.type)) for field in fields))
        case ArrayType(element):
            return replace(kind, element=_in_hive(element))
        case MapType(key, value):
            return replace(kind, key=_in_hive(key), value=_in_hive(value))
        case DecimalType():
            return kind
        case _:
            return STRING if kind == STRING else PrimitiveType(_HIVE_TYPES.get(type_text(kind), type_text(kind)))


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
