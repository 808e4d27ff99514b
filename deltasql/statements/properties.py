"""SET and UNSET TBLPROPERTIES, and COMMENT ON a table, a column or a schema. Properties are pairs of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from deltasql.base import DeltaSqlError, errors, pc, session_settings
from deltasql.log import (
    ENABLEMENT_TAG,
    ROW_TRACKING_FEATURE,
    AddFile,
    DeltaLog,
    Metadata,
    Protocol,
    Snapshot,
    check_compatible,
    check_configuration,
    operations,
    parse_properties,
    properties_of,
    protocol_for,
    table_properties,
    unset_properties,
    with_row_id_columns,
    with_valid_formats,
)
from deltasql.plan import Alone, ColumnPath, LogicalPlan, TableName, make_note
from deltasql.planner import (
    CommitSpec,
    Context,
    Plan,
    SchemaComment,
    Stepwise,
    TableChange,
    plan,
)
from deltasql.schema import check_change_columns, field_to_json, resolve, set_comment
from deltasql.sql import Tree, builds, caret
from deltasql.statements import view as catalog_view
from deltasql.statements.catalog import SetCatalogProperties
from deltasql.statements.describe import table_and_column
from deltasql.statements.source_table import (
    source_change,
    with_comment,
    with_properties,
    without_properties,
)
from deltasql.statements.table import DEFAULT_COLLATION, SetSchemaProperties
from deltasql.statements.table_metadata import (
    check_iceberg_files,
    check_manifest_files,
    check_mapping_change,
    check_still_indexed,
    evolved_metadata,
    mapped_metadata,
    metadata_actions,
)


@dataclass(frozen=True, slots=True)
class SetTableProperties(LogicalPlan):
    """ALTER TABLE t SET TBLPROPERTIES (key = value, …)"""

    table: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetTableProperties(LogicalPlan):
    """ALTER TABLE t UNSET TBLPROPERTIES [IF EXISTS] (key, …)"""

    table: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommentOnTable(LogicalPlan):
    """COMMENT ON {TABLE | VIEW} t IS {'text' | NULL}"""

    table: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class CommentOnColumn(LogicalPlan):
    """COMMENT ON COLUMN t.a IS {'text' | NULL}; `column` begins with the table's name"""

    column: ColumnPath
    comment: str | None


@dataclass(frozen=True, slots=True)
class CommentOnSchema(LogicalPlan):
    """COMMENT ON {SCHEMA | DATABASE} s IS {'text' | NULL}"""

    alone: ClassVar[tuple[str, Alone] | None] = ("COMMENT ON SCHEMA", Alone.CATALOG)

    schema: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class PredictiveOptimization(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | DATABASE | CATALOG} name {ENABLE | DISABLE | INHERIT} PREDICTIVE OPTIMIZATION

    `kind` and `mode` are words in capitals.
    """

    kind: str
    name: TableName
    mode: str


@builds("set_default_collation")
def _default_collation(children: list[Any], tree: Tree, text: str) -> SetTableProperties:
    """ALTER TABLE … DEFAULT COLLATION: a property, as that of CREATE TABLE."""
    table, collation = children
    return SetTableProperties(table, ((DEFAULT_COLLATION, collation),))


@builds("comment_text")
def _comment_text(children: list[Any], tree: Tree, text: str) -> str | None:
    """Strings that stand side by side are one, as in a query; NULL is None."""
    return None if children == [None] else "".join(children)


@builds("optimization_mode")
def _optimization_mode(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0]).upper()


@builds("table_optimization", "view_optimization", "schema_optimization", "catalog_optimization")
def _optimization(children: list[Any], tree: Tree, text: str) -> PredictiveOptimization:
    return PredictiveOptimization(tree.name.removesuffix("_optimization").upper(), *children)


@builds("property")
def _property(children: list[Any], tree: Tree, text: str) -> tuple[str, str]:
    return children[0], children[1]


@builds("secret_property")
def _secret_property(children: list[Any], tree: Tree, text: str) -> tuple[str, str]:
    """The value stays the call of secret: only a format that reads the option could look it up."""
    key, *_ = children
    return key, "secret(…)"


@builds("property_pairs")
def _properties(children: list[Any], tree: Tree, text: str) -> tuple[tuple[str, str], ...]:
    """Raises DuplicateKeyError, at the second, for a key that is given twice."""
    seen: set[str] = set()
    for (key, _), node in zip(children, tree.children, strict=True):
        if key in seen:
            raise errors.DuplicateKeyError(key=key).at(caret(node, text))
        seen.add(key)
    return tuple(children)


@builds("property_key")
def _key(children: list[Any], tree: Tree, text: str) -> str:
    return ".".join(children)


@builds("property_value")
def _value(children: list[Any], tree: Tree, text: str) -> str:
    """A string's value; a number as it is written; a boolean in small letters."""
    first = tree.children[0]
    if first.name == "STRING":
        return str(children[0])
    written = "".join(text[token.start : token.end] for token in tree.children)
    return written.lower() if first.name in {"TRUE", "FALSE"} else written


@plan.register
def plan_set_table_properties(statement: SetTableProperties, context: Context) -> Plan:
    """Known `delta.` keys are checked; those that stand for protocol become protocol and are not stored.

    Where this switches row tracking on, the files that are there get row ids first, in commits of their own.
    """
    if context.foreign(statement.table) is not None:
        return source_change(statement.table, with_properties(statement.properties), context)
    log, snapshot = context.writable(statement.table)
    protocol, metadata = _altered(statement, context, snapshot)
    if not starts_tracking(snapshot, metadata):
        return _change(statement, log, snapshot, protocol, metadata)
    refuse_unknown_counts(snapshot)

    def last(current: Snapshot) -> TableChange:
        return properties_change(statement, log, current, context)

    return Stepwise("row ids for the files that lack them, then the properties", enabling_steps(log, snapshot, last))


def properties_change(
    statement: SetTableProperties, log: DeltaLog, snapshot: Snapshot, context: Context
) -> TableChange:
    """The commit of the properties alone, on the table as it is in `snapshot`."""
    return _change(statement, log, snapshot, *_altered(statement, context, snapshot))


def _altered(statement: SetTableProperties, context: Context, snapshot: Snapshot) -> tuple[Protocol, Metadata]:
    """Protocol and metadata as the statement wants them, of files that are as Iceberg wants them."""
    protocol, metadata = altered(statement, context, snapshot)
    check_iceberg_files(snapshot, metadata.configuration)
    check_manifest_files(snapshot, metadata.configuration)
    return protocol, metadata


def altered(statement: SetTableProperties, context: Context, snapshot: Snapshot) -> tuple[Protocol, Metadata]:
    """Protocol and metadata as the statement wants them."""
    arbitrary = context.setting(session_settings.ARBITRARY_PROPERTIES)
    parsed = parse_properties(statement.properties, allow_arbitrary=arbitrary, on_create=False)
    configuration = with_valid_formats(
        {**snapshot.configuration, **parsed.configuration}, snapshot.configuration, snapshot.table
    )
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(configuration))
    if parsed.comment is not None:
        metadata = replace(metadata, description=parsed.comment)
    check_configuration(configuration, table=snapshot.table)
    check_compatible(snapshot.schema, configuration, snapshot.protocol.features, snapshot.table)
    check_mapping_change(snapshot.configuration, configuration, snapshot.table)
    if metadata.properties[table_properties.CHANGE_DATA_FEED]:
        check_change_columns(snapshot.schema, snapshot.table)
    if metadata.properties.maps_columns:
        metadata = mapped_metadata(metadata, preserve_names=True)
        configuration = dict(metadata.configuration)
    check_still_indexed(snapshot, metadata)
    protocol = protocol_for(
        metadata.schema, configuration, parsed=parsed, current=snapshot.protocol, table=snapshot.table
    )
    return protocol, with_row_id_columns(metadata, protocol, snapshot.configuration)


def _change(
    statement: SetTableProperties, log: DeltaLog, snapshot: Snapshot, protocol: Protocol, metadata: Metadata
) -> TableChange:
    changed = () if protocol == snapshot.protocol else (protocol,)
    parameters = {"properties": dict(statement.properties)}
    tags = enabling_tags(snapshot, metadata) if not changed else None
    return TableChange(
        CommitSpec(log, snapshot, operations.SET_PROPERTIES, parameters, (*changed, metadata), tags=tags)
    )


@plan.register
def plan_unset_table_properties(statement: UnsetTableProperties, context: Context) -> Plan:
    """Raises UnsetMissingPropertyError for a key that is not set, unless IF EXISTS or the session passes over it."""
    foreign = context.foreign(statement.table)
    if foreign is not None:
        strict = not statement.if_exists and context.setting(session_settings.STRICT_UNSET)
        return source_change(statement.table, without_properties(statement.keys, foreign, strict=strict), context)
    log, snapshot = context.writable(statement.table)
    lenient = statement.if_exists or not context.setting(session_settings.STRICT_UNSET)
    keys = [key for key in statement.keys if key.lower() != "comment"]
    configuration = unset_properties(snapshot.configuration, keys, if_exists=lenient, table=snapshot.table)
    configuration = with_valid_formats(configuration, snapshot.configuration, snapshot.table)
    check_mapping_change(snapshot.configuration, configuration, snapshot.table)
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(configuration))
    check_still_indexed(snapshot, metadata)
    if len(keys) < len(statement.keys):
        metadata = replace(metadata, description=None)
    parameters = {"properties": list(statement.keys), "ifExists": True}
    return TableChange(CommitSpec(log, snapshot, operations.UNSET_PROPERTIES, parameters, (metadata,)))


PREDICTIVE_OPTIMIZATION = "deltasql.predictiveOptimization"
"""The property that records ENABLE, DISABLE or INHERIT of predictive optimization."""


@plan.register
def plan_predictive_optimization(statement: PredictiveOptimization, context: Context) -> Plan:
    """A property of the object, and a note: nothing is run automatically."""
    make_note(
        "PREDICTIVE OPTIMIZATION: recorded as a property. Nothing is run automatically: run OPTIMIZE and VACUUM, or "
        "set 'delta.autoOptimize.autoCompact'.",
        is_warning=False,
        once=True,
    )
    name, properties = statement.name, ((PREDICTIVE_OPTIMIZATION, statement.mode),)
    match statement.kind:
        case "TABLE":
            return plan(SetTableProperties(name, properties), context)
        case "VIEW":
            return plan(catalog_view.SetViewProperties(name, properties), context)
        case "SCHEMA":
            return plan(SetSchemaProperties(name, properties), context)
        case _:
            return plan(SetCatalogProperties(name, properties), context)


@plan.register
def plan_comment_on_table(statement: CommentOnTable, context: Context) -> Plan:
    """Of a table, or of a view that the catalog keeps."""
    if context.foreign(statement.table) is not None:
        return source_change(statement.table, with_comment(statement.comment), context)
    view = context.catalog_view(statement.table.parts) if statement.table.path is None else None
    if view is not None:
        context.refuse_version(statement.table)
        return catalog_view.with_comment(view, statement.comment)
    log, snapshot = context.writable(statement.table)
    metadata = replace(snapshot.metadata, description=statement.comment)
    parameters = {"properties": {"comment": statement.comment}}
    return TableChange(
        CommitSpec(log, snapshot, operations.SET_PROPERTIES, parameters, metadata_actions(snapshot, metadata))
    )


@plan.register
def plan_comment_on_column(statement: CommentOnColumn, context: Context) -> Plan:
    """COMMENT ON COLUMN commits what ALTER COLUMN … COMMENT does."""
    table, column = table_and_column(statement.column, context)
    view = context.catalog_view(table.parts) if table.path is None else None
    if view is not None:
        try:
            return catalog_view.with_column_comment(view, column, statement.comment)
        except DeltaSqlError as error:
            raise error.at(context.caret(statement.column.start, statement.column.end)) from None
    log, snapshot = context.writable(table)
    try:
        schema = set_comment(snapshot.schema, column, statement.comment, where=snapshot.table)
        field = resolve(schema, column, where=snapshot.table).field
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.column.start, statement.column.end)) from None
    metadata = evolved_metadata(snapshot.metadata, schema, table=snapshot.table)
    described = field_to_json(field) | {"name": ".".join(column)}
    actions = metadata_actions(snapshot, metadata) or (metadata,)
    return TableChange(CommitSpec(log, snapshot, operations.CHANGE_COLUMN, {"column": described}, actions))


@plan.register
def plan_comment_on_schema(statement: CommentOnSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaComment(statement.schema.parts, statement.comment)


BATCH_FILES = 100_000
"""Files that one commit of a backfill adds again."""


def starts_tracking(snapshot: Snapshot, metadata: Metadata) -> bool:
    """Whether `metadata` enable row ids that files of the snapshot may lack."""
    return metadata.properties[table_properties.ROW_TRACKING] and not snapshot.properties[table_properties.ROW_TRACKING]


def enabling_tags(snapshot: Snapshot, metadata: Metadata) -> dict[str, str] | None:
    """Commit tags that tell concurrent writers that a commit only enables row tracking; None for any other commit."""
    names = {item.name for item in properties_of(ROW_TRACKING_FEATURE)}
    rest = [
        replace(item, configuration={key: value for key, value in item.configuration.items() if key not in names})
        for item in (snapshot.metadata, metadata)
    ]
    return {ENABLEMENT_TAG: "true"} if starts_tracking(snapshot, metadata) and rest[0] == rest[1] else None


def enabling_steps(log: DeltaLog, snapshot: Snapshot, last: Callable[[Snapshot], TableChange]) -> Iterator[Plan]:
    """The commits that enable row tracking: first the feature, so that new files get row ids, then ids for old files.

    `last` plans the commit of the metadata, on the table as it is by then. A commit that loses a race ends the
    statement; earlier ones stay, and the same statement, repeated, resumes there.
    """
    if ROW_TRACKING_FEATURE not in snapshot.protocol.features:
        yield _upgrade(log, snapshot)
    if snapshot.properties[table_properties.ROW_TRACKING_SUSPENDED]:
        yield _resumption(log, log.snapshot())
    batch = 0
    while files := unnumbered(current := log.snapshot(), BATCH_FILES):
        yield TableChange(CommitSpec(log, current, operations.BACKFILL, {"batchId": str(batch)}, tuple(files)))
        batch += 1
    yield last(log.snapshot())


def refuse_unknown_counts(snapshot: Snapshot) -> None:
    """Raises RowIdsWithoutStatisticsError, before anything is changed, for a file without a row count."""
    files = snapshot.live_adds(("path", "stats", "baseRowId"))
    counted = pc.fill_null(pc.match_substring(files["stats"], '"numRecords"'), False)
    unknown = files.filter(pc.and_(pc.is_null(files["baseRowId"]), pc.invert(counted)))
    if unknown.num_rows:
        raise errors.RowIdsWithoutStatisticsError(snapshot.table, unknown["path"][0].as_py())


def _upgrade(log: DeltaLog, snapshot: Snapshot) -> TableChange:
    protocol = snapshot.protocol.with_features([ROW_TRACKING_FEATURE])
    listed = protocol.to_json()
    keys = ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures")
    named = {key: listed.get(key) for key in keys}
    return TableChange(CommitSpec(log, snapshot, operations.UPGRADE_PROTOCOL, {"newProtocol": named}, (protocol,)))


def _resumption(log: DeltaLog, snapshot: Snapshot) -> TableChange:
    resumed = {table_properties.ROW_TRACKING_SUSPENDED.name: "false"}
    metadata = snapshot.metadata.with_configuration(resumed)
    return TableChange(CommitSpec(log, snapshot, operations.SET_PROPERTIES, {"properties": resumed}, (metadata,)))


def unnumbered(snapshot: Snapshot, most: int) -> list[AddFile]:
    """At most `most` files without row ids, as add actions that repeat them."""
    table = snapshot.live_adds(("path", "baseRowId"))
    paths = table.filter(pc.is_null(table["baseRowId"])).column("path").slice(0, most)
    return [replace(add, data_change=False) for add in snapshot.add_files(paths.to_pylist())] if len(paths) else []
