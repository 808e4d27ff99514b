"""Metadata of a table before and after a statement: columns, clustering, identity columns, Iceberg, and the actions.

Declared columns become fields of a schema; those of a view are the columns of its query, under the names that were
given. Identity columns get SQL of their numbers, and a mark up to which numbers are used. Tables whose commits are
followed by manifests, and tables that Iceberg reads as well, have requirements on their files; a rewrite meets those of
Iceberg.

Cubes are the files that one OPTIMIZE of a clustered table has ordered together, identified by their tags. The last
refresh of a materialized view or streaming table is part of the commit that changes the rows, so that a refresh happens
once or not at all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote as percent_encoded

from typing_extensions import assert_never

from deltasql.base import DeltaSqlError, errors, pa, pc, session_settings
from deltasql.log import (
    AUTO_PROPERTY,
    CLUSTERING_FEATURE,
    COMPAT_TAG,
    CUBE_COLUMNS,
    CUBE_ID,
    Action,
    DomainMetadata,
    Metadata,
    OnReplace,
    Property,
    Snapshot,
    TableProperties,
    clustering_columns,
    clustering_domain,
    column_tags,
    compat_keys,
    converts_to_iceberg,
    gives_nested_ids,
    index_rule,
    indexed_leaves,
    is_clustered,
    keys_of,
    logical_path,
    marked_files,
    operations,
    physical_path,
    protocol_for,
    stores_partitions,
    switches,
    table_properties,
    table_tags,
    version_of,
    with_column_tags,
    with_keys,
    with_table_tags,
)
from deltasql.plan import ColumnPath, SqlText, base, hidden_names, hidden_view, make_note
from deltasql.planner import (
    CURRENT_DEFAULT,
    GENERATION,
    Answer,
    CommitSpec,
    Context,
    Cubes,
    Plan,
    RowChange,
    TableChange,
    binding,
    check_generation,
    checked_default,
    plan,
    same_type,
    without_comments,
)
from deltasql.schema import (
    ID,
    LONG,
    PHYSICAL_NAME,
    TYPE_KEY,
    ArrayType,
    DataType,
    DecimalType,
    Identity,
    MapType,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    assign_ids,
    check_schema,
    declared_as,
    find_path,
    folded,
    has_lengths,
    identity_of,
    length_of,
    parsed_type,
    path_text,
    plain_field,
    resolve,
    sql_text,
    text_sql,
    type_text,
    with_identities,
    with_lengths,
    without_lengths,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import derived_columns
from deltasql.statements.constraints import KeyConstraint
from deltasql.statements.table import AlterClustering, ClusterBy, ColumnDefinition, CreateTable

MOST_COLUMNS = 4
_BOUNDED = frozenset(
    {"byte", "short", "integer", "long", "float", "double", "string", "date", "timestamp", "timestamp_ntz"}
)


@dataclass(frozen=True, slots=True)
class Clustering:
    """The clustering columns of a table that is created, and the actions that say so."""

    columns: tuple[Path, ...] = ()
    actions: tuple[DomainMetadata, ...] = ()

    @property
    def text(self) -> str:
        """The columns as the history has them: a JSON list of dotted names."""
        return json_list(self.columns)


def new_clustering(
    requested: ClusterBy | None, metadata: Metadata, replaced: Snapshot | None, context: Context
) -> Clustering:
    """The clustering of a table to be: that of a replaced one ends where the statement names none.

    Raises what `checked_columns` raises, and ReplaceClusteredError.
    """
    was_clustered = replaced is not None and is_clustered(replaced)
    if was_clustered and metadata.partition_columns:
        raise errors.ReplaceClusteredError(replaced.table if replaced else "")
    if not needed_features(requested):
        return Clustering((), (clustering_domain(metadata.schema, ()),) if was_clustered else ())
    assert requested is not None
    columns = checked_columns(requested, metadata, "the table", context)
    return Clustering(columns, (clustering_domain(metadata.schema, columns),))


def needed_features(requested: ClusterBy | None) -> tuple[str, ...]:
    """The table feature of a table that is created with this clause."""
    return (CLUSTERING_FEATURE,) if requested is not None and (requested.columns or requested.auto) else ()


def check_same_clustering(requested: ClusterBy, snapshot: Snapshot) -> None:
    """Raises CreatedClusteringDiffersError if a statement declares another clustering than its table has."""
    if requested.auto:
        return
    existing = clustering_columns(snapshot)
    declared = [column.parts for column in requested.columns]
    if [folded(path) for path in declared] != [folded(path) for path in existing]:
        raise errors.CreatedClusteringDiffersError(snapshot.location, comma_list(declared), comma_list(existing))


def automatic(metadata: Metadata, requested: ClusterBy | None) -> Metadata:
    """`metadata` with the property that says whether the columns are to be chosen by the engine: on with AUTO."""
    auto = requested is not None and requested.auto
    if auto:
        make_note("CLUSTER BY AUTO: recorded in the table. deltasql chooses no columns; name some.", is_warning=False)
    if auto == (metadata.configuration.get(AUTO_PROPERTY) == "true"):
        return metadata
    return (
        metadata.with_configuration({AUTO_PROPERTY: "true"}) if auto else metadata.without_properties({AUTO_PROPERTY})
    )


def with_vectors(metadata: Metadata, requested: ClusterBy | None) -> Metadata:
    """`metadata` of a table to be, with deletion vectors where it is clustered, so that writers tell its rows apart.

    Not where the statement or a default of the session says something about them, nor in a table that Iceberg is to
    read, which has none.
    """
    clustered = requested is not None and (requested.columns or requested.auto)
    if not clustered or table_properties.DELETION_VECTORS in metadata.properties or compat_keys(metadata.configuration):
        return metadata
    return metadata.with_configuration({table_properties.DELETION_VECTORS.name: "true"})


def checked_columns(requested: ClusterBy, metadata: Metadata, table: str, context: Context) -> tuple[Path, ...]:
    """The columns as the schema spells them, each error at its column.

    Raises ColumnNotFoundError, DuplicateColumnsError, ClusteringColumnCountError, ClusteringTypeError,
    ClusteringWithoutStatsError.
    """
    paths: list[Path] = []
    for column in requested.columns:
        try:
            paths.append(_checked(column, metadata, table, paths))
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
    if len(paths) > MOST_COLUMNS:
        raise errors.ClusteringColumnCountError(table, MOST_COLUMNS, len(paths))
    check_statistics(paths, metadata, table)
    return tuple(paths)


def _checked(column: ColumnPath, metadata: Metadata, table: str, before: Sequence[Path]) -> Path:
    resolved = resolve(metadata.schema, column.parts, where=table)
    if not _is_bounded(resolved.field.type) or resolved.nested_in_collection:
        raise errors.ClusteringTypeError(str(column), type_text(resolved.field.type))
    if resolved.path in before:
        raise errors.DuplicateColumnsError("CLUSTER_BY", table, [path_text(resolved.path)])
    return resolved.path


def check_statistics(columns: Iterable[Path], metadata: Metadata, table: str) -> None:
    """Raises ClusteringWithoutStatsError if files written with `metadata` would lack statistics of a column."""
    leaves = indexed_leaves(metadata.schema, metadata.partition_columns, index_rule(metadata.configuration))
    names = [leaf.names for leaf in leaves]
    missing = tuple(path_text(path) for path in columns if path not in names)
    if missing:
        raise errors.ClusteringWithoutStatsError(table, missing, tuple(path_text(name) for name in names))


def check_still_indexed(snapshot: Snapshot, metadata: Metadata) -> None:
    """Raises ClusteringWithoutStatsError if the table's clustering columns would lack statistics under `metadata`."""
    # A renamed column keeps its physical name.
    physical = (physical_path(snapshot.schema, path) for path in clustering_columns(snapshot))
    names = (logical_path(metadata.schema, path) for path in physical)
    check_statistics((path for path in names if path is not None), metadata, snapshot.table)


def json_list(columns: Iterable[Path]) -> str:
    """Dotted names as a JSON list: how the history and the tags of files name columns."""
    return json.dumps([path_text(path) for path in columns], separators=(",", ":"))


def comma_list(columns: Iterable[Path]) -> str:
    return ",".join(path_text(path) for path in columns)


def _is_bounded(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or (isinstance(kind, PrimitiveType) and kind.name in _BOUNDED)


@dataclass(frozen=True, slots=True)
class CubeChoice:
    """The files to order anew, and the files that were considered."""

    files: pa.Table
    cubes: Cubes


def chosen_for_clustering(files: pa.Table, columns: str, full_size: int, *, full: bool) -> CubeChoice:
    """Files without a cube, and those of cubes below `full_size` bytes; with `full` all files of the table.

    `columns` is the present CUBE_COLUMNS: cubes of others are only taken by `full`. Nothing is chosen where one cube of
    the present columns is all there would be.
    """
    ids = cube_ids(files)
    in_cube, current = pc.is_valid(ids), pc.fill_null(pc.equal(_tag(files, CUBE_COLUMNS), columns), False)
    counted = in_cube if full else pc.and_(in_cube, current)
    sizes = _sizes(ids.filter(counted), files.filter(counted))
    cubes = Cubes(_total(files.filter(counted)), _total(files.filter(pc.invert(counted))), len(sizes))
    if full:
        single = len(sizes) == 1 and pc.all(pc.and_(in_cube, current)).as_py()
        return CubeChoice(files.slice(0, 0) if single else files, cubes)
    small = pc.and_(current, pc.is_in(ids, _names(size for size in sizes.items() if size[1] < full_size)))
    chosen = files.filter(pc.or_(small, pc.invert(in_cube)))
    nothing_new = pc.all(in_cube, min_count=0).as_py() and len(pc.unique(cube_ids(chosen))) < 2
    return CubeChoice(chosen.slice(0, 0) if nothing_new else chosen, cubes)


def cube_ids(files: pa.Table) -> pa.ChunkedArray:
    """The cube of each file, null for one in none."""
    return _tag(files, CUBE_ID)


def _tag(files: pa.Table, key: str) -> pa.ChunkedArray:
    values = pc.map_lookup(files.column("tags"), key, "first")
    return values.cast(pa.string())


def _sizes(ids: pa.ChunkedArray, files: pa.Table) -> dict[str, int]:
    """Bytes by cube."""
    table = pa.table({"id": ids, "size": files.column("size")}).group_by("id").aggregate([("size", "sum")])
    pairs = zip(table.column("id").to_pylist(), table.column("size_sum").to_pylist(), strict=True)
    return {cube: size for cube, size in pairs if cube is not None}


def _names(sizes: Iterable[tuple[str, int]]) -> pa.Array:
    return pa.array([cube for cube, _ in sizes], pa.string())


def _total(files: pa.Table) -> tuple[int, int]:
    return files.num_rows, int(pc.sum(files.column("size")).as_py() or 0)


def evolved_metadata(metadata: Metadata, schema: StructType, *, table: str = "the table") -> Metadata:
    """`metadata` with a new schema, its new fields mapped if the table maps columns; itself when nothing changed.

    Raises what `check_schema` raises.
    """
    if schema == metadata.schema:
        return metadata
    schema = without_lengths(with_lengths(schema))
    check_schema(
        schema,
        metadata.partition_columns,
        column_mapping=metadata.properties.maps_columns,
        change_data_feed=metadata.properties[table_properties.CHANGE_DATA_FEED],
        where=table,
    )
    return mapped_metadata(replace(metadata, schema=schema), preserve_names=False)


def mapped_metadata(metadata: Metadata, *, preserve_names: bool) -> Metadata:
    """`metadata` whose fields all have ids and physical names, if its column mapping mode asks for that."""
    if not metadata.properties.maps_columns:
        return metadata
    highest = metadata.properties[table_properties.MAX_COLUMN_ID]
    nested = gives_nested_ids(metadata.configuration)
    schema, highest = assign_ids(metadata.schema, highest, preserve_names=preserve_names, nested=nested)
    configuration = {**metadata.configuration, table_properties.MAX_COLUMN_ID.name: str(highest)}
    return replace(metadata, schema=schema, configuration=MappingProxyType(configuration))


def reusing_ids(schema: StructType, old: StructType) -> StructType:
    """`schema` of a replacement, where a column that `old` has by that name, with that type, keeps its id.

    So do fields of structs whose other fields change. Readers by id go on finding what did not change.
    """

    def reused(field: StructField, old_struct: StructType) -> StructField:
        old_field = old_struct.find(field.name)
        if old_field is None:
            return field
        ids = {key: old_field.metadata[key] for key in (ID, PHYSICAL_NAME) if key in old_field.metadata}
        metadata = {**field.metadata, **(ids if same_type(old_field.type, field.type) else {})}
        return replace(field, type=inside(field.type, old_field.type), metadata=metadata)

    def inside(kind: DataType, before: DataType) -> DataType:
        match kind, before:
            case StructType(), StructType():
                return StructType(tuple(reused(field, before) for field in kind))
            case ArrayType(), ArrayType():
                return replace(kind, element=inside(kind.element, before.element))
            case MapType(), MapType():
                return replace(kind, key=inside(kind.key, before.key), value=inside(kind.value, before.value))
            case _:
                return kind

    return StructType(tuple(reused(field, old) for field in schema))


def keeping_log_properties(metadata: Metadata, old: Mapping[str, str]) -> Metadata:
    """`metadata` of a table that replaces one with the properties `old`, which say how to read the log before it.

    Else travelling in time would go by the times of files, and the clean-up could delete a checkpoint behind which a
    dropped feature has left traces. Whether deletion vectors are written stays, as with delta-spark.
    """
    before, both = TableProperties(old), TableProperties({**old, **metadata.configuration})

    def stays(item: Property[Any]) -> bool:
        match item.on_replace:
            case OnReplace.GOES:
                return False
            case OnReplace.STAYS:
                return item not in metadata.properties
            case OnReplace.STAYS_WHILE_ON:
                return all(before[switch] and both[switch] for switch in switches() if switch.feature == item.feature)
            case _:
                assert_never(item.on_replace)

    retained = {
        item.name: old[item.name] for item in table_properties.PROPERTIES.values() if item in before and stays(item)
    }
    return metadata.with_configuration(retained)


def with_current_names(metadata: Metadata, before: Metadata | None = None) -> Metadata:
    """`metadata` whose keys and tags name the columns as they are called now, and as their files call them.

    `before` are the metadata whose columns, by the same names, had other names in files.
    """
    before = before or metadata
    if table_properties.KEYS in metadata.configuration:
        metadata = with_keys(metadata, keys_of(before))
    if table_properties.COLUMN_TAGS in metadata.configuration:
        metadata = with_column_tags(metadata, column_tags(before))
    return metadata


def keeping_tags(metadata: Metadata, old: Metadata) -> Metadata:
    """`metadata` of a table that replaces one, with the tags of `old`: they are about the name, not about the columns.

    A column that is not there any more takes its tags along.
    """
    metadata = with_table_tags(metadata, table_tags(old))
    retained = {path: tags for path, tags in column_tags(old).items() if find_path(metadata.schema, path) is not None}
    return with_column_tags(metadata, retained)


def check_mapping_change(old: Mapping[str, str], new: Mapping[str, str], table: str) -> None:
    """Raises ColumnMappingModeError for a change of mode that an existing table cannot make."""
    before, after = (
        TableProperties(old)[table_properties.COLUMN_MAPPING_MODE],
        TableProperties(new)[table_properties.COLUMN_MAPPING_MODE],
    )
    if before != after and (before, after) != ("none", "name"):
        raise errors.ColumnMappingModeError(table, before, after)


def metadata_actions(snapshot: Snapshot, metadata: Metadata) -> tuple[Action, ...]:
    """The actions that turn the snapshot's metadata into `metadata`: none, metaData, or protocol and metaData."""
    if metadata is snapshot.metadata:
        return ()
    check_still_indexed(snapshot, metadata)
    protocol = protocol_for(metadata.schema, metadata.configuration, current=snapshot.protocol, table=snapshot.table)
    changed = () if protocol == snapshot.protocol else (protocol,)
    return (*changed, metadata)


def check_manifest_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises ManifestExistingVectorsError where manifests are switched on and files have deletion vectors."""
    starts = (
        TableProperties(configuration)[table_properties.MANIFESTS]
        and not snapshot.properties[table_properties.MANIFESTS]
    )
    if not starts or not snapshot.num_files:
        return
    files = snapshot.live_adds(("deletionVector",))
    if files.filter(marked_files(files)).num_rows:
        raise errors.ManifestExistingVectorsError(table=snapshot.table)


def check_iceberg_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises IcebergVectorsError, IcebergFilesError if Iceberg cannot read the existing files.

    They are looked at when the compatibility or the format is switched on; from then on all writers obey.
    """
    keys, old = compat_keys(configuration), snapshot.configuration
    starts = not compat_keys(old)
    converts = converts_to_iceberg(configuration) and not converts_to_iceberg(old)
    if not keys or not (starts or converts) or not snapshot.num_files:
        return
    files = snapshot.live_adds(("deletionVector", "tags"))
    if files.filter(marked_files(files)).num_rows:
        raise errors.IcebergVectorsError(snapshot.table, version_of(keys[0]))
    number = keys[0][-1]
    lacks_partitions = bool(snapshot.partition_columns) and not stores_partitions(snapshot.protocol, old)
    if lacks_partitions or converts:
        count = len(files) if lacks_partitions else len(files.filter(untagged_files(files, number)))
        if count:
            raise errors.IcebergFilesError(count, snapshot.table, number)


def untagged_files(files: pa.Table, version: str) -> pa.ChunkedArray:
    """Which files, whose tags are a column of maps, were not written for a version of the compatibility."""
    tags = pc.map_lookup(files["tags"], COMPAT_TAG, "first")
    return pc.invert(pc.fill_null(pc.equal(tags, version), False))


@dataclass(frozen=True, slots=True)
class RefreshState:
    """A refresh: the id of the definition, the versions of the tables that it has read, by their ids, and its mode.

    `time` is in ms since the epoch.
    """

    definition: str
    sources: Mapping[str, int] = field(default_factory=dict)
    mode: str = "FULL"
    time: int = 0

    @classmethod
    def of(cls, snapshot: Snapshot) -> RefreshState | None:
        """The refresh that a version of the table has recorded; None where there is none that can be read."""
        try:
            value = json.loads(snapshot.configuration.get(table_properties.REFRESH) or "null")
            sources = {str(key): int(version) for key, version in value["sources"].items()}
            return cls(str(value["definition"]), sources, str(value["mode"]), int(value["time"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def recorded(self, change: RowChange, **spec: Any) -> RowChange:
        """A change of the table's rows that records this refresh; `spec` are other fields of its commit."""
        value = {"definition": self.definition, "sources": dict(self.sources), "mode": self.mode}
        text = json.dumps({**value, "time": time.time_ns() // 1_000_000})
        configuration = MappingProxyType({**change.metadata.configuration, table_properties.REFRESH: text})
        metadata = replace(change.metadata, configuration=configuration)
        others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
        return replace(change, metadata=metadata).committing(actions=(*others, metadata), **spec)


@plan.register
def plan_alter_clustering(statement: AlterClustering, context: Context) -> Plan:
    """The log alone: OPTIMIZE arranges the rows. NONE keeps the feature; AUTO keeps the columns that there are."""
    log, snapshot = context.writable(statement.table)
    caret = context.caret(statement.table.start, statement.table.end)
    if snapshot.partition_columns:
        raise errors.ClusterPartitionedTableError(snapshot.table, snapshot.partition_columns).at(caret)
    old = clustering_columns(snapshot)
    requested = statement.cluster_by
    if not requested.columns and not requested.auto and not is_clustered(snapshot):
        return Answer()
    columns = old if requested.auto else checked_columns(requested, snapshot.metadata, snapshot.table, context)
    parameters = {"oldClusteringColumns": comma_list(old), "newClusteringColumns": comma_list(columns)}
    metadata = automatic(snapshot.metadata, requested)
    protocol = snapshot.protocol.with_features((CLUSTERING_FEATURE,))
    changed: list[Action] = [] if protocol == snapshot.protocol else [protocol]
    changed += [] if metadata is snapshot.metadata else [metadata]
    actions = (*changed, clustering_domain(snapshot.schema, columns))
    return TableChange(CommitSpec(log, snapshot, operations.CLUSTER_BY, parameters, actions))


def identity_sql(field: StructField, identity: Identity, ordinal: str = hidden_names.ORDINAL) -> str:
    """SQL of a new row's number; `ordinal` is SQL of the row's own number, from 0."""
    report = text_sql(f"{base.IDENTITY_OVERFLOW}{percent_encoded(field.name)}|")
    overflow = f"CAST(raise_error({report}) AS BIGINT)"
    if identity.left == 0:
        return overflow
    # Every session computes within bounds, so that spark.sql.ansi.enabled does not matter.
    value = f"{identity.next_value}L + {identity.step}L * {ordinal}"
    return f"CASE WHEN {ordinal} < {min(identity.left, 2**63 - 1)}L THEN {value} ELSE {overflow} END"


def refuse_explicit(field: StructField) -> None:
    """Raises ExplicitIdentityError if rows cannot bring their own values for the column."""
    identity = identity_of(field)
    if identity is not None and not identity.allow_explicit:
        raise errors.ExplicitIdentityError(quote(field.name))


def refuse_update(field: StructField | None) -> None:
    """Raises IdentityUpdateError for an identity column that is assigned."""
    if field is not None and identity_of(field) is not None:
        raise errors.IdentityUpdateError(quote(field.name))


def synchronized(schema: StructType, path: tuple[str, ...], snapshot: Snapshot, context: Context) -> StructType:
    """SYNC IDENTITY: `schema` with a mark that covers every number in the table. Reads the column.

    Raises NoIdentityError, and IdentityOverflowError for a mark that would be no BIGINT.
    """
    resolved = resolve(schema, path, where=snapshot.table)
    identity = identity_of(resolved.field)
    if identity is None or len(resolved.path) > 1:
        raise errors.NoIdentityError(path_text(resolved.path))
    scan = binding.scan(context, snapshot)
    if scan.files.num_rows == 0:
        return schema
    extreme = "max" if identity.step > 0 else "min"
    view = hidden_view()
    value = context.analyst.value(f"(SELECT {extreme}({quote(resolved.field.name)}) FROM {view})", {view: scan})
    covered = identity.covering(value)
    if not covered.in_range:
        raise errors.IdentityOverflowError(path_text(resolved.path))
    return with_identities(schema, {resolved.field.name: covered})


def declared_schema(statement: CreateTable, context: Context) -> StructType:
    """The columns of the list, and those that PARTITIONED BY declares with a type.

    Primary key columns are NOT NULL implicitly.
    """
    fields = [declared_field(column, context) for column in statement.columns or ()]
    fields += [
        plain_field(StructField(column.name, column.type, metadata=comment_metadata(column.comment)))
        for column in statement.partitioned_by
        if column.type is not None
    ]
    schema = _with_primary_key(fields, declared_keys(statement))
    for definition in statement.columns or ():
        field = schema.find(definition.name)
        if definition.generated is not None and field is not None:
            check_generation(field, without_comments(definition.generated), schema, context)
    return schema


def _with_primary_key(fields: Sequence[StructField], keys: Sequence[KeyConstraint]) -> StructType:
    primary = (key for key in keys if key.references is None and not key.is_unique)
    never_null = {folded(column.parts) for key in primary for column in key.columns}
    return StructType(
        tuple(replace(field, nullable=False) if folded((field.name,)) in never_null else field for field in fields)
    )


def declared_keys(statement: CreateTable) -> tuple[KeyConstraint, ...]:
    """The primary, unique and foreign keys of the list and of its columns."""
    return tuple(item for item in statement.constraints if isinstance(item, KeyConstraint))


def declared_field(column: ColumnDefinition, context: Context) -> StructField:
    """The field that a column of a CREATE TABLE or REPLACE COLUMNS list declares.

    Raises what `_check_clauses` and `checked_default` raise.
    """
    try:
        _check_clauses(column)
    except DeltaSqlError as error:
        raise error.at(context.caret(column.start, column.end)) from None
    metadata = dict(field_metadata(column.type_text, column.comment))
    if column.identity is not None:
        metadata |= Identity(column.identity.start, column.identity.step, not column.identity.always).metadata()
    if column.generated is not None:
        metadata[GENERATION] = without_comments(column.generated).text
    if column.default is not None:
        metadata[CURRENT_DEFAULT] = checked_default(
            column.default, (column.name,), column.type, context, length_of(declared_as(column.type, column.type_text))
        )
    return StructField(column.name, column.type, column.nullable, MappingProxyType(metadata))


def _check_clauses(column: ColumnDefinition) -> None:
    """Raises the error of clauses of a column that exclude each other or its type."""
    name = quote(column.name)
    if column.default is not None and column.generated is not None:
        raise errors.GeneratedWithDefaultError(name)
    if column.identity is None:
        return
    if column.default is not None:
        raise errors.IdentityWithDefaultError(name)
    if column.generated is not None:
        raise errors.IdentityWithExpressionError(name)
    if column.type != LONG:
        raise errors.IdentityTypeError(name, sql_text(column.type))
    if column.identity.step == 0:
        raise errors.IdentityStepError(name)
    for number in (column.identity.start, column.identity.step):
        if not -(2**63) <= number < 2**63:
            raise errors.IdentityRangeError(name, number)


def field_metadata(type_text: str, comment: str | None) -> MappingProxyType[str, Any]:
    """The metadata of a declared column: its comment, and its type text if that has CHAR(n) or VARCHAR(n)."""
    metadata: dict[str, Any] = {}
    if comment is not None:
        metadata["comment"] = comment
    declared = parsed_type(type_text)
    if declared is not None and has_lengths(declared):
        metadata[TYPE_KEY] = type_text
    return MappingProxyType(metadata)


def comment_metadata(comment: str | None) -> MappingProxyType[str, Any]:
    """The metadata of a field that has a comment (or None) and nothing else."""
    return MappingProxyType({} if comment is None else {"comment": comment})


def refuse_value_clauses(columns: Sequence[ColumnDefinition], context: Context) -> None:
    """Raises ColumnClauseError for a column of REPLACE COLUMNS with a clause that defines its values."""
    for column in columns:
        for present, clause, advice in (
            (column.default, "DEFAULT", f"Leave it out, then run: ALTER COLUMN {quote(column.name)} SET DEFAULT …."),
            (column.generated, "GENERATED ALWAYS AS", "Only CREATE TABLE makes generated columns."),
            (column.identity, "AS IDENTITY", "Only CREATE TABLE makes identity columns."),
            (column.constraints or None, "CONSTRAINT", "Leave it out, then run: ALTER TABLE … ADD CONSTRAINT …."),
            (column.mask, "MASK", f"Leave it out, then run: ALTER COLUMN {quote(column.name)} SET MASK …."),
        ):
            if present is not None:
                error = errors.ColumnClauseError(clause, quote(column.name), "REPLACE COLUMNS", advice)
                raise error.at(context.caret(column.start, column.end))


def query_columns(query: SqlText, context: Context) -> StructType:
    """The columns of a view's query. Raises what is wrong with the query."""
    bound = binding.query(context, query)
    # The time zone changes no type.
    plain = context.analyst.is_plain and set(context.meaning) <= {session_settings.TIME_ZONE.name}
    derived = derived_columns(query.text, bound)
    if derived is not None and plain:
        return derived
    schema = context.analyst.schema(bound)
    if derived is None or derived.names != schema.names:
        return schema
    # Spark does not tell the comments of a table's columns.
    commented = zip(schema, derived, strict=True)
    return StructType(
        tuple(replace(field, metadata={**field.metadata, **column.metadata}) for field, column in commented)
    )
