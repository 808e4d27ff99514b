"""Plans of CREATE, REPLACE, DROP, RENAME, TRUNCATE and SET LOCATION of tables, and of statements on schemas.

Source: features of Delta, CREATE / REPLACE / CTAS.

Over an existing log, CREATE TABLE only registers a name, and declarations must agree with the log. SET LOCATION changes
the catalog's entry alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import uuid4

from deltasql.base import DeltaSqlError, errors, pa, session_settings
from deltasql.catalog import SESSION, DroppedTable, TableEntry, TableSource, dropped_tables
from deltasql.log import (
    AUTO_PROPERTY,
    Action,
    Metadata,
    Operation,
    Protocol,
    Snapshot,
    TableProperties,
    check_replacement,
    keys_of,
    operations,
    parse_properties,
    protocol_for,
    referable_keys,
    table_properties,
    with_column_mapping,
    with_keys,
    with_valid_formats,
)
from deltasql.plan import (
    SCAN_COLUMNS,
    Check,
    ColumnPath,
    MemoryRows,
    Operator,
    Project,
    SqlText,
    Supplied,
    TableName,
    Write,
)
from deltasql.planner import (
    ICEBERG,
    WHOLE_TABLE,
    Answer,
    CatalogChoice,
    CommitSpec,
    Context,
    Plan,
    Registration,
    Relocation,
    RenameChange,
    RowChange,
    SchemaChoice,
    SchemaCreation,
    SchemaProperties,
    SchemaRemoval,
    TableChange,
    Undropping,
    Unregistration,
    binding,
    listed_files,
    plan,
    refuse_enforced,
    stored,
    tracked_metadata,
)
from deltasql.schema import (
    HIGH_WATER_MARK,
    ID,
    PHYSICAL_NAME,
    TYPE_CHANGES,
    StructField,
    StructType,
    as_nullable,
    check_table_schema,
    declared_texts,
    declared_type,
    folded,
    plain_field,
    tree_text,
    without_metadata,
)
from deltasql.schema import quote_name as quote
from deltasql.statements.constraints import constraints_of, declared_constraints, refuse_referenced, with_declared_keys
from deltasql.statements.create_text import column_text, position_in_create
from deltasql.statements.delete import refuse_append_only
from deltasql.statements.insert_rows import stored_memory_rows
from deltasql.statements.source_table import created_source, is_managed_iceberg, is_other_format
from deltasql.statements.table import (
    DEFAULT_COLLATION,
    ClusterBy,
    CreateSchema,
    CreateTable,
    CreateTemporaryTable,
    DropSchema,
    DropTable,
    RenameTable,
    SetManaged,
    SetSchemaProperties,
    SetTableLocation,
    TruncateTable,
    UndropTable,
    UnsetSchemaProperties,
    UseCatalog,
    UseSchema,
    in_default_collation,
)
from deltasql.statements.table_metadata import (
    Clustering,
    automatic,
    check_same_clustering,
    comment_metadata,
    declared_keys,
    declared_schema,
    keeping_log_properties,
    keeping_tags,
    mapped_metadata,
    needed_features,
    new_clustering,
    reusing_ids,
    with_vectors,
)
from deltasql.statements.target import (
    Target,
    creation_parameters,
    governed_registration,
    is_of_view,
    property_defaults,
    refuse_provider,
    registration,
    required_properties,
    target_of,
)

OF_ONE_TABLE = frozenset(
    {
        AUTO_PROPERTY,
        table_properties.TAGS,
        table_properties.COLUMN_TAGS,
        table_properties.UNITY_TABLE_ID,
        *(item.name for item in table_properties.PROPERTIES.values() if item.of_one_table),
    }
)
"""Properties of one table's own history: they are neither declared nor copied to another table."""
_OF_ONE_COLUMN = frozenset({ID, PHYSICAL_NAME, HIGH_WATER_MARK, TYPE_CHANGES})


@dataclass(frozen=True, slots=True)
class Declared:
    """The table's definition in a statement; None for a part that it does not declare, where the log alone counts."""

    columns: StructType | None = None
    partitioned_by: Sequence[str] | None = None
    clustered_by: ClusterBy | None = None
    properties: Mapping[str, str] | None = None


def adopted(target: Target, declared: Declared) -> Plan:
    """Registers a name for the log at the target's location; nothing is committed.

    Raises UnsupportedFeaturesForReadError, CreatedColumnsDifferError, CreatedPartitioningDiffersError,
    CreatedClusteringDiffersError, CreatedPropertiesDifferError.
    """
    snapshot = target.snapshot
    assert snapshot is not None
    location = target.log.location
    snapshot.check_readable()
    if declared.columns is not None and not same_columns(declared.columns, snapshot.schema):
        raise errors.CreatedColumnsDifferError(
            location=location, differences=_differences(declared.columns, snapshot.schema)
        )
    partitions = declared.partitioned_by
    if partitions is not None and folded(tuple(partitions)) != folded(snapshot.partition_columns):
        raise errors.CreatedPartitioningDiffersError(
            location=location, declared=tuple(partitions), existing=snapshot.partition_columns
        )
    if declared.columns is not None or declared.clustered_by is not None:
        check_same_clustering(declared.clustered_by or ClusterBy(()), snapshot)
    if declared.properties is not None:
        _check_same_properties(location, declared.properties, snapshot.configuration)
    return registration(target) or Answer()


def same_columns(first: StructType, second: StructType) -> bool:
    """Whether two tables have the same columns, in any order: name, type, NOT NULL, comment, generation, default."""
    return _by_name(first) == _by_name(second)


def _by_name(schema: StructType) -> dict[str, StructField]:
    """The columns by name, without the metadata that only the log has."""
    return {field.name: field for field in without_metadata(schema, _OF_ONE_COLUMN)}


def _differences(declared: StructType, existing: StructType) -> str:
    """One line for each column that differs: declared … there …"""
    first, second = _by_name(declared), _by_name(existing)
    pairs = [(first.get(name), second.get(name)) for name in dict.fromkeys((*first, *second))]
    return "\n".join(
        f"declared: {'-' if one is None else column_text(one)}; there: {'-' if other is None else column_text(other)}"
        for one, other in pairs
        if one != other
    )


def _check_same_properties(location: str, declared: Mapping[str, str], existing: Mapping[str, str]) -> None:
    nothing = "(not set)"
    for key in sorted({*declared, *existing} - OF_ONE_TABLE - table_properties.DELTASQL_PROPERTIES):
        first, second = declared.get(key, nothing), existing.get(key, nothing)
        if first != second:
            raise errors.CreatedPropertiesDifferError(location=location, key=key, declared=first, existing=second)


@plan.register
def plan_create_table(statement: CreateTable, context: Context) -> Plan:
    """Creates a table, replaces one, or registers a name for an existing log."""
    if is_managed_iceberg(statement):
        statement = _as_delta(statement)
    if context.is_temporary_table(statement.table):
        # The table of the schema is meant.
        name = replace(statement.table, parts=context.catalog.full_name(statement.table.parts))
        statement = replace(statement, table=name)
    _refuse_clauses(statement, context)
    context.refuse_version(statement.table)
    try:
        if is_other_format(statement):
            return created_source(statement, context)
        return _created(_collated(statement, context), context)
    except DeltaSqlError as error:
        raise error.at(position_in_create(error, statement, context)) from None


def _as_delta(statement: CreateTable) -> CreateTable:
    """A table USING iceberg as one of Delta with metadata of Iceberg. It is clustered by what it is partitioned by."""
    statement = replace(statement, properties=table_properties.of_managed_iceberg(statement.properties))
    partitions = statement.partitioned_by
    if not partitions or statement.cluster_by is not None or any(item.type is not None for item in partitions):
        return statement
    columns = tuple(ColumnPath((item.name,), item.start, item.end) for item in partitions)
    return replace(statement, partitioned_by=(), cluster_by=ClusterBy(columns))


def _collated(statement: CreateTable, context: Context) -> CreateTable:
    """The statement with the default collation of the table's schema, where it has none itself."""
    if statement.table.path is not None or not statement.columns:
        return statement
    key = context.catalog.full_name(statement.table.parts)
    if context.catalog.external.type_of(key[0]) is not None:
        return statement
    collation = context.catalog.schema(key[:2]).properties.get(DEFAULT_COLLATION)
    return statement if collation is None else in_default_collation(statement, collation)


def _created(statement: CreateTable, context: Context, rows: Operator | None = None) -> Plan:
    """Plan of CREATE TABLE. `rows` replace the statement's query, for rows that no SQL text describes."""
    if is_of_view(statement.table, statement.mode, context, if_not_exists=statement.if_not_exists):
        return Answer()
    target = target_of(statement.table, statement.location, context, defines_columns=_defines_columns(statement))
    exists = target.exists
    if exists and statement.mode == "create" and statement.if_not_exists:
        return Answer()
    _refuse_existence(statement, exists)
    if not exists and target.snapshot is not None and statement.mode == "create":
        return _adopt(statement, context, target)
    if statement.query is not None:
        return _from_query(statement, context, target, rows or _own_rows(statement, statement.query, context))
    if statement.columns is None and statement.mode != "create":
        raise errors.SchemaNotProvidedError(table=str(statement.table))
    return _defined(statement, context, target)


def _own_rows(statement: CreateTable, query: SqlText, context: Context) -> Operator:
    if statement.columns is not None:
        raise errors.ColumnListWithQueryError(table=str(statement.table))
    return binding.query(context, query)


def _refuse_existence(statement: CreateTable, exists: bool) -> None:
    """Raises TableAlreadyExistsError, CannotReplaceMissingTableError."""
    if exists and statement.mode == "create":
        raise errors.TableAlreadyExistsError(table=str(statement.table))
    if not exists and statement.mode == "replace":
        raise errors.CannotReplaceMissingTableError(table=str(statement.table))


def _defined(statement: CreateTable, context: Context, target: Target) -> TableChange:
    """A table without rows, as its columns are declared."""
    metadata, protocol = _definition(statement, context, target, declared_schema(statement, context))
    clustering = new_clustering(statement.cluster_by, metadata, target.snapshot, context)
    spec = _creation(target, _EMPTY[statement.mode], metadata, protocol, clustering)
    change = TableChange(spec, removed=_replaced(target.snapshot))
    return change.committing(register=governed_registration(statement, target, metadata.schema, context))


def _creation(
    target: Target, operation: Operation, metadata: Metadata, protocol: Protocol, clustering: Clustering
) -> CommitSpec:
    """The commit that creates or replaces a table. A replacement reads all of the old one, so any commit conflicts."""
    return CommitSpec(
        target.log,
        target.snapshot,
        operation,
        creation_parameters(metadata, managed=target.managed, clustering=clustering.text),
        _creation_actions(metadata, protocol, target.snapshot, clustering),
        reads=None if target.snapshot is None else WHOLE_TABLE,
    )


def created_from_rows(statement: CreateTable, context: Context, rows: Operator) -> Plan:
    """CREATE TABLE … AS of rows that no SQL text describes."""
    _refuse_clauses(statement, context)
    return _created(statement, context, rows)


def _from_query(statement: CreateTable, context: Context, target: Target, query: Operator) -> RowChange:
    """CREATE TABLE … AS SELECT: the query's columns, all nullable, or those that are declared for its rows."""
    if any(column.type is not None for column in statement.partitioned_by):
        raise errors.ColumnListWithQueryError(table=str(statement.table))
    in_memory = query.frame if isinstance(query, Supplied) and isinstance(query.frame, MemoryRows) else None
    schema = context.analyst.schema(query) if in_memory is None else in_memory.schema
    if not len(schema):
        raise errors.EmptyQuerySchemaError(table=str(statement.table))
    columns = declared_schema(statement, context) if statement.columns else StructType(tuple(map(_of_query, schema)))
    metadata, protocol = _definition(statement, context, target, columns)
    clustering = new_clustering(statement.cluster_by, metadata, target.snapshot, context)
    values = tuple(
        (field.name, stored(field, quote(field.name), metadata.partition_columns)) for field in metadata.schema
    )
    constraints = constraints_of(metadata.schema, metadata.configuration, str(statement.table))
    literals = None if constraints else _stored_memory_rows(in_memory, metadata, context)
    child: Operator = literals or Project(query, values, declared_texts(metadata.schema))
    if constraints:
        child = Check(child, constraints)
    spec = _creation(target, _FROM_ROWS[statement.mode], metadata, protocol, clustering)
    return RowChange(
        replace(spec, register=governed_registration(statement, target, metadata.schema, context)),
        Write(child, metadata.schema, metadata.partition_columns),
        metadata,
        removed=_replaced(target.snapshot),
    )


def _stored_memory_rows(rows: MemoryRows | None, metadata: Metadata, context: Context) -> MemoryRows | None:
    """Rows in memory as the new table stores them; None where Spark must do it."""
    if rows is None:
        return None
    indexes = {field.name.lower(): index for index, field in enumerate(metadata.schema)}
    return stored_memory_rows(rows, metadata.schema, metadata.partition_columns, indexes, context)


def _of_query(field: StructField) -> StructField:
    """The table column for a column of a query: its type and comment, without NOT NULL."""
    metadata = comment_metadata(field.comment)
    return plain_field(StructField(field.name, as_nullable(declared_type(field)), metadata=metadata))


def _adopt(statement: CreateTable, context: Context, target: Target) -> Plan:
    """Registers a name for an existing log."""
    if statement.query is not None:
        raise errors.NonEmptyLocationError(location=target.log.location)
    columns = declared_schema(statement, context) if statement.columns else None
    names = tuple(column.name for column in statement.partitioned_by)
    arbitrary = context.setting(session_settings.ARBITRARY_PROPERTIES)
    parsed = parse_properties(statement.stored_properties, allow_arbitrary=arbitrary, on_create=True)
    constraints = declared_constraints(statement.constraints, columns or StructType(), str(statement.table), context)
    # Properties that only speak of the protocol are met or not by what is there, which nothing lowers or raises here.
    properties = {**parsed.configuration, **constraints} or None
    partitions = names if names or columns is not None else None
    plan_of_name = adopted(target, Declared(columns, partitions, statement.cluster_by, properties))
    _check_same_keys(statement, target, context)
    assert target.snapshot is not None
    register = governed_registration(statement, target, target.snapshot.schema, context)
    if isinstance(plan_of_name, Registration) and register is not None:
        return replace(plan_of_name, governance=register.governance)
    return plan_of_name


def _check_same_keys(statement: CreateTable, target: Target, context: Context) -> None:
    """Raises CreatedPropertiesDifferError where keys are declared that the existing table lacks."""
    keys = declared_keys(statement)
    if not keys or target.snapshot is None:
        return
    existing = target.snapshot.metadata
    declared = with_declared_keys(with_keys(existing, ()), keys, statement.table, context, creating=True)
    first, second = (
        ", ".join(f"{key.kind} ({', '.join(map(quote, key.columns))})" for key in keys_of(item))
        for item in (declared, existing)
    )
    if first != second:
        raise errors.CreatedPropertiesDifferError(target.log.location, "keys", first, second or "(none)")


def _defines_columns(statement: CreateTable) -> bool:
    declares = statement.columns is not None or any(column.type is not None for column in statement.partitioned_by)
    return declares or statement.query is not None or statement.mode != "create"


def _refuse_clauses(statement: CreateTable, context: Context) -> None:
    caret = context.caret(statement.table.start, statement.table.end)
    if not is_other_format(statement) and not is_managed_iceberg(statement):
        try:
            refuse_provider(statement.provider, statement.table)
        except DeltaSqlError as error:
            raise error.at(position_in_create(error, statement, context)) from None
    if statement.external and statement.location is None and statement.table.path is None:
        raise errors.ExternalWithoutLocationError(table=str(statement.table)).at(caret)
    if statement.cluster_by is not None and statement.cluster_by.columns and statement.partitioned_by:
        raise errors.ClusterAndPartitionError(table=str(statement.table)).at(caret)


def _definition(
    statement: CreateTable, context: Context, target: Target, schema: StructType
) -> tuple[Metadata, Protocol]:
    """Metadata and protocol of the table to be. A replaced table gets a new id; its protocol never goes down."""
    defaults = property_defaults(target, context)
    # What the statement gives comes last, so that it counts.
    given = (*required_properties(target, context).items(), *statement.stored_properties)
    arbitrary = context.setting(session_settings.ARBITRARY_PROPERTIES)
    parsed = parse_properties(given, allow_arbitrary=arbitrary, on_create=True, defaults=defaults)
    configuration = with_valid_formats(with_column_mapping(parsed.configuration), {}, str(statement.table))
    parsed = replace(parsed, configuration=configuration)
    partitions = check_table_schema(
        schema,
        partitioned_by=[column.name for column in statement.partitioned_by],
        column_mapping=TableProperties(parsed.configuration).maps_columns,
        change_data_feed=TableProperties(parsed.configuration)[table_properties.CHANGE_DATA_FEED],
        where=str(statement.table),
    )
    if target.snapshot is not None:
        check_replacement(target.snapshot.partition_columns, partitions, parsed.configuration, str(statement.table))
    constraints = declared_constraints(statement.constraints, schema, str(statement.table), context)
    metadata = Metadata(
        id=str(uuid4()),
        schema=schema,
        partition_columns=partitions,
        configuration=MappingProxyType({**parsed.configuration, **constraints, **_provider(statement)}),
        description=statement.comment or parsed.comment,
        created_time=int(time.time() * 1000),
    )
    if target.snapshot is not None and metadata.properties.maps_columns:
        # The ids of the columns that go are never used again.
        metadata = metadata.with_configuration(
            {table_properties.MAX_COLUMN_ID.name: str(target.snapshot.properties[table_properties.MAX_COLUMN_ID])}
        )
        if (
            target.snapshot.properties[table_properties.COLUMN_MAPPING_MODE]
            == metadata.properties[table_properties.COLUMN_MAPPING_MODE]
        ):
            metadata = replace(metadata, schema=reusing_ids(metadata.schema, target.snapshot.schema))
    if target.snapshot is not None:
        metadata = keeping_log_properties(metadata, target.snapshot.configuration)
        metadata = keeping_tags(metadata, target.snapshot.metadata)
    metadata = automatic(mapped_metadata(metadata, preserve_names=False), statement.cluster_by)
    metadata = with_vectors(metadata, statement.cluster_by)
    metadata = with_declared_keys(metadata, declared_keys(statement), statement.table, context, creating=True)
    protocol = protocol_for(
        metadata.schema,
        metadata.configuration,
        parsed=parsed,
        explicit_features=needed_features(statement.cluster_by),
        current=target.snapshot.protocol if target.snapshot else None,
        creating=True,
        table=str(statement.table),
    )
    return tracked_metadata(metadata, protocol, target.snapshot), protocol


def _provider(statement: CreateTable) -> Mapping[str, str]:
    """The property of a table that is not declared as one of Delta."""
    return {table_properties.PROVIDER: ICEBERG} if is_managed_iceberg(statement) else {}


def _creation_actions(
    metadata: Metadata, protocol: Protocol, snapshot: Snapshot | None, clustering: Clustering
) -> tuple[Action, ...]:
    same = snapshot is not None and snapshot.protocol == protocol
    return (*(() if same else (protocol,)), metadata, *clustering.actions)


_EMPTY: Mapping[str, Operation] = {
    "create": operations.CREATE_TABLE,
    "create_or_replace": operations.CREATE_OR_REPLACE_TABLE,
    "replace": operations.REPLACE_TABLE,
}
_FROM_ROWS: Mapping[str, Operation] = {
    "create": operations.CREATE_TABLE_AS_SELECT,
    "create_or_replace": operations.CREATE_OR_REPLACE_TABLE_AS_SELECT,
    "replace": operations.REPLACE_TABLE_AS_SELECT,
}
"""The operations of CREATE by mode, with rows of a query; `_EMPTY` has those without."""


def _replaced(snapshot: Snapshot | None) -> pa.Table | None:
    """All files of a table that is replaced. Raises AppendOnlyError for one from which no row may go."""
    if snapshot is None:
        return None
    if snapshot.num_files:
        refuse_append_only(snapshot)
    return snapshot.files(SCAN_COLUMNS)


@plan.register
def plan_create_temporary_table(statement: CreateTemporaryTable, context: Context) -> Plan:
    """A managed table in the schema of the session."""
    name, definition = statement.table, statement.definition
    caret, last = context.caret(name.start, name.end), TableName(name.parts[-1:])
    if name.path is not None or len(name.parts) > 1 or name.temporal is not None:
        raise errors.TemporaryTableNameError(str(name), f"CREATE TEMPORARY TABLE {last}").at(caret)
    _refuse_of_temporary(definition, context)
    exists = context.is_temporary_table(name)
    if context.is_temporary_view(name) or (exists and definition.mode == "create" and not definition.if_not_exists):
        raise errors.TableAlreadyExistsError(table=str(name)).at(caret)
    if exists and definition.if_not_exists:
        return Answer()
    if definition.mode == "replace" and not exists:
        raise errors.CannotReplaceMissingTableError(table=str(name)).at(caret)
    return plan(replace(definition, table=replace(name, parts=(*SESSION, *name.parts))), context)


def _refuse_of_temporary(definition: CreateTable, context: Context) -> None:
    """Raises TemporaryTableError for a location, a row filter or a mask."""
    name = definition.table
    if definition.location is not None:
        operation, advice = "LOCATION", f"Leave it out, or write CREATE TABLE {name} … LOCATION."
    elif definition.row_filter is not None or any(column.mask is not None for column in definition.columns or ()):
        operation, advice = "A row filter or a mask", "Leave it out: no other session reads the table."
    else:
        return
    raise errors.TemporaryTableError(str(name), operation, advice).at(context.caret(name.start, name.end))


@plan.register
def plan_drop_table(statement: DropTable, context: Context) -> Plan:
    """A managed table is dropped with its files, an external one only from the catalog. Works without a log."""
    name = statement.table
    context.refuse_version(name)
    if name.path is not None:
        advice = f"The catalog has no name for it. Remove its folder, or its rows: DELETE FROM {name}."
        raise errors.UnsupportedStatementError("DROP TABLE of a path", advice).at(context.caret(name.start, name.end))
    context.refuse_information(name)
    if context.is_view(name):
        raise errors.WrongObjectError("DROP TABLE", "table", str(name), "view", f"DROP VIEW {name}").at(
            context.caret(name.start, name.end)
        )
    is_other = statement.temporary and not context.is_temporary_table(name)
    entry = None if is_other else context.catalog.resolve(name.parts)
    if entry is None:
        if statement.if_exists:
            return Answer()
        if is_other:
            advice = "SHOW TABLES lists the temporary ones with isTemporary true."
            raise errors.TableNotFoundError(table=str(name), advice=advice).at(context.caret(name.start, name.end))
        context.location(name)
    assert entry is not None
    is_gone = statement.purge or context.is_temporary_table(name)
    return Unregistration(name.parts, 0 if is_gone else context.setting(session_settings.DROPPED_DAYS))


@plan.register
def plan_undrop_table(statement: UndropTable, context: Context) -> Plan:
    """The table of a name that was dropped last, or the one of an id.

    Raises DroppedTableNotFoundError, TableAlreadyExistsError, SchemaNotFoundError.
    """
    dropped = _dropped(statement, context)
    context.catalog.schema(dropped.entry.parts[:2])
    if context.catalog.find(dropped.entry.parts) is not None:
        raise errors.TableAlreadyExistsError(table=".".join(map(quote, dropped.entry.parts)))
    return Undropping(dropped)


def _dropped(statement: UndropTable, context: Context) -> DroppedTable:
    """Raises DroppedTableNotFoundError, at the name."""
    name, days = statement.table, context.setting(session_settings.DROPPED_DAYS)
    parts = None if name is None else _parts(name, context)
    catalog = context.catalog.current_catalog if parts is None else parts[0]
    for table in dropped_below(catalog, days, context):
        is_meant = table.id == statement.id if parts is None else table.entry.parts == parts
        if is_meant and not (statement.is_view and table.entry.refreshed is None):
            return table
    end = len(context.sql.rstrip("; \n"))
    place = context.caret(0, end) if name is None else context.caret(name.start, name.end)
    raise errors.DroppedTableNotFoundError(str(statement.id if name is None else name), str(days)).at(place)


def _parts(name: TableName, context: Context) -> tuple[str, str, str]:
    context.refuse_version(name)
    if name.path is not None:
        raise errors.UnsupportedStatementError("UNDROP TABLE of a path", "Name the table.").at(
            context.caret(name.start, name.end)
        )
    return context.catalog.full_name(name.parts)


def dropped_below(catalog: str, days: int, context: Context) -> list[DroppedTable]:
    """The dropped tables of a catalog, the latest first."""
    if context.catalog.external.type_of(catalog) is not None:
        return []
    folders = {schema.location for schema in context.catalog.schemas(catalog=catalog) if schema.location}
    found = dropped_tables(folders, days)
    # One that is registered came back, and was interrupted then.
    return [table for table in found if table.entry.parts[0] == catalog and not _is_back(table, context)]


def _is_back(table: DroppedTable, context: Context) -> bool:
    entry = context.catalog.find(table.entry.parts)
    return isinstance(entry, TableEntry) and entry.location == table.folder


@plan.register
def plan_rename_table(statement: RenameTable, context: Context) -> Plan:
    for name in (statement.table, statement.name):
        if name.path is not None:
            error = errors.UnsupportedStatementError(
                "RENAME TO of a path", "Give it a name: CREATE TABLE … LOCATION '/path'."
            )
            raise error.at(context.caret(name.start, name.end))
    if context.foreign(statement.table) is None:
        context.location(statement.table)
        _refuse_referenced_table(statement, context)
    return RenameChange(statement.table.parts, statement.name.parts)


def _refuse_referenced_table(statement: RenameTable, context: Context) -> None:
    """Raises PrimaryKeyReferencedError where foreign keys of other tables refer to this one by its name."""
    try:
        has_key = bool(referable_keys(context.snapshot(statement.table).metadata))
    except (DeltaSqlError, OSError):
        # A name can be changed whatever has become of its table.
        return
    if has_key:
        advice = "Drop these first, and add them again afterwards."
        refuse_referenced(statement.table, f"rename {statement.table}", advice, context, itself=False)


@plan.register
def plan_truncate_table(statement: TruncateTable, context: Context) -> Plan:
    """Removes all files; an empty table stays as it is."""
    log, snapshot = context.writable(statement.table)
    refuse_append_only(snapshot)
    refuse_enforced("TRUNCATE TABLE", statement.table, snapshot.location, context)
    return TableChange(
        CommitSpec(log, snapshot, operations.TRUNCATE, {}, reads=WHOLE_TABLE),
        removed=_replaced(snapshot),
        skip_if_empty=True,
    )


@plan.register
def plan_create_schema(statement: CreateSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    clauses = (statement.comment, statement.location, statement.if_not_exists)
    properties = (*_collation_of_catalog(statement.schema, context), *statement.properties)
    return SchemaCreation(statement.schema.parts, *clauses, properties)


def _collation_of_catalog(schema: TableName, context: Context) -> tuple[tuple[str, str], ...]:
    """The default collation that a new schema takes from its catalog, as a property; none if there is no catalog."""
    name = schema.parts[0] if len(schema.parts) == 2 else context.catalog.current_catalog
    if context.catalog.external.type_of(name) is not None or name.lower() not in context.catalog.catalogs():
        return ()
    collation = context.catalog.catalog(name).properties.get(DEFAULT_COLLATION)
    return () if collation is None else ((DEFAULT_COLLATION, collation),)


@plan.register
def plan_set_schema_properties(statement: SetSchemaProperties, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaProperties(statement.schema.parts, added=statement.properties)


@plan.register
def plan_unset_schema_properties(statement: UnsetSchemaProperties, context: Context) -> Plan:
    """A key that is not set is ignored, as in Spark."""
    context.refuse_version(statement.schema)
    return SchemaProperties(statement.schema.parts, removed=statement.keys)


@plan.register
def plan_drop_schema(statement: DropSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaRemoval(statement.schema.parts, statement.cascade, statement.if_exists)


@plan.register
def plan_use_schema(statement: UseSchema, context: Context) -> Plan:
    """The schema of this name; else, as in Spark, the catalog."""
    context.refuse_version(statement.schema)
    parts, catalog = statement.schema.parts, context.catalog
    if len(parts) == 1 and parts[0].lower() in catalog.catalogs() and not catalog.has_schema(parts):
        return CatalogChoice(parts[0])
    return SchemaChoice(parts)


@plan.register
def plan_use_catalog(statement: UseCatalog, context: Context) -> Plan:
    catalogs = context.catalog.catalogs()
    if statement.catalog.lower() not in catalogs:
        name = [token for token in context.tokens if token.key != ";"][-1]
        error = errors.CatalogNotFoundError(catalog=quote(statement.catalog), known=tuple(catalogs))
        raise error.at(context.caret(name.start, name.end))
    return CatalogChoice(statement.catalog)


@plan.register
def plan_set_table_location(statement: SetTableLocation, context: Context) -> Plan:
    """There must be a table with the same columns and partitions at the new place, unless the session says otherwise.

    A table whose own log is gone can be moved to any place that has one.
    """
    name = statement.table
    context.refuse_version(name)
    try:
        if name.path is not None:
            raise errors.SetLocationOfPathError(table=str(name))
        if context.is_view(name):
            raise errors.WriteIntoViewError(view=str(name))
        foreign = context.foreign(name)
        if foreign is not None and foreign.source is not None:
            return _source_moved(statement, foreign.source, context)
        new_snapshot = context.logs(statement.location, str(name)).snapshot()
        current = context.log(name)
        if current.exists() and not context.setting(session_settings.BYPASS_LOCATION_CHECK):
            _check_same_table(current.snapshot(), new_snapshot)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return Relocation(name.parts, new_snapshot.location)


@plan.register
def plan_set_managed(statement: SetManaged, context: Context) -> Plan:
    """A table that is managed already, or external already, stays as it is.

    Raises UnsupportedStatementError where files would have to be moved.
    """
    name = statement.table
    place = context.caret(name.start, name.end)
    location = context.location(name)
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    if entry is not None and entry.managed == statement.managed:
        return Answer()
    words = "SET MANAGED" if statement.managed else "UNSET MANAGED"
    wanted = "" if statement.managed else " LOCATION '/path'"
    advice = f"The files of {name} stay at {location}. Copy them: CREATE TABLE new_name DEEP CLONE {name}{wanted}."
    raise errors.UnsupportedStatementError(words, advice).at(place)


def _source_moved(statement: SetTableLocation, source: TableSource, context: Context) -> Relocation:
    """Another folder for a table of another format; its columns stay. Raises DeltaLocationError."""
    location = context.catalog.located(statement.location)
    if source.format == ICEBERG and context.logs(location, str(statement.table)).exists():
        raise errors.DeltaLocationError(location, ICEBERG)
    if source.format != ICEBERG:
        listed_files(context, source, location)
    return Relocation(statement.table.parts, location)


def _check_same_table(current: Snapshot, location: Snapshot) -> None:
    same_partitions = folded(current.partition_columns) == folded(location.partition_columns)
    if same_columns(current.schema, location.schema) and same_partitions:
        return
    raise errors.SetLocationSchemaError(
        table=current.table, location=location.location, current=_shown(current), found=_shown(location)
    )


def _shown(snapshot: Snapshot) -> str:
    partitions = ", ".join(snapshot.partition_columns)
    text = tree_text(snapshot.schema)
    return f"{text}\npartitioned by ({partitions})" if partitions else text
