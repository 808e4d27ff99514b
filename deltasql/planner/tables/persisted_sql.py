"""Text of views and functions in the catalog: its meaning must not depend on the session or the time.

Enabling of row tracking: at once for a new table; in an existing one after a backfill of row ids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.log import RowIdsWithoutStatisticsError
from deltasql.base.errors.statements.view import StoredParameterError, TemporaryReferenceError
from deltasql.base.lazy import pc
from deltasql.base.settings.session_settings import TIME_ZONE
from deltasql.log.actions import actions
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.configuration.row_ids import (
    ENABLEMENT_TAG,
    ROW_TRACKING_FEATURE,
    with_row_id_columns,
)
from deltasql.log.properties.property_registry import (
    ROW_TRACKING,
    ROW_TRACKING_SUSPENDED,
    TableProperties,
    properties_of,
)
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import SqlText, quote
from deltasql.plan.operators import Scan, SqlQuery
from deltasql.planner.changes import CommitSpec, Plan, TableChange
from deltasql.planner.context import Context
from deltasql.sql.parser.parameters import markers
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import ColumnReference, free_names
from deltasql.sql.stored_expressions import function_calls


def settings_of_text(context: Context) -> dict[str, str]:
    """The settings that change the meaning of a text; the time zone is one even where it is not set."""
    zone = context.time_zone
    return {**({} if zone is None else {TIME_ZONE.name: zone}), **context.meaning}


def refuse_parameters(name: str, text: SqlText, context: Context) -> None:
    """Raises StoredParameterError for a text with parameters, whether values are bound to them or not."""
    for bound in context.bound.values:
        if text.start <= bound.start < text.start + len(text.text):
            raise StoredParameterError(name, bound.marker).at(context.caret(bound.start, bound.end))
    for start, end in markers(text.text):
        caret = context.caret(text.start + start, text.start + end)
        raise StoredParameterError(name, text.text[start:end]).at(caret)


def refuse_temporary(name: str, text: SqlText, context: Context) -> None:
    """Raises TemporaryReferenceError for a text that names a temporary view or function."""
    for reference in table_references(text.text):
        parts = reference.parts
        ours = context.view_key(parts) is not None
        # A table comes before a view that Spark alone knows.
        if reference.arguments is None and (ours or _is_sparks_view(parts, context)):
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise _temporary(name, "view", parts).at(caret)
    for call in function_calls(text.text):
        if context.temporary_function(call.parts) is not None or context.analyst.knows_function(call.parts):
            caret = context.caret(text.start + call.start, text.start + call.end)
            raise _temporary(name, "function", call.parts).at(caret)


def _temporary(name: str, kind: str, parts: tuple[str, ...]) -> TemporaryReferenceError:
    shown = ".".join(map(quote, parts))
    return TemporaryReferenceError(name, kind, shown, f"Make {shown} without TEMPORARY, or {name} with it.")


def refuse_variables(
    name: str, text: SqlText, rows: SqlQuery, context: Context, parameters: Collection[str] | None = None
) -> None:
    """Raises TemporaryReferenceError for a text that names a variable of the session.

    Columns come before variables, and so do the `parameters` of a function; `rows` is then the query of the tables that
    its text reads. For a view, `parameters` is None and `rows` its query: Spark's plan of it shows whether a name is a
    variable.
    """
    if not context.analyst.started:
        return
    proven = parameters is not None
    for reference in _unexplained(text.text, (*(parameters or ()), *_columns(rows))):
        if _is_variable(_variable(reference.parts), context) and (proven or _uses_variable(rows, context)):
            shown = ".".join(map(quote, reference.parts))
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise TemporaryReferenceError(name, "variable", shown, "Write its value.").at(caret)


def _columns(rows: SqlQuery) -> Iterator[str]:
    """The names of the columns of the tables that `rows` reads directly."""
    for scan in rows.relations.values():
        if isinstance(scan, Scan):
            yield from scan.schema.names


def _unexplained(sql: str, columns: Iterable[str]) -> Iterator[ColumnReference]:
    """The first reference to each name that may be a variable, since it is none of `columns`."""
    column_names, variables = {column.lower() for column in columns}, set[str]()
    for reference in free_names(sql):
        variable = _variable(reference.parts).lower()
        if variable not in variables and reference.parts[0].lower() not in column_names:
            variables.add(variable)
            yield reference


def _variable(parts: tuple[str, ...]) -> str:
    """The quoted variable that a dotted name may refer to, without `session`; the parts behind it are fields."""
    folded = [part.lower() for part in parts]
    at = 2 if folded[:2] == ["system", "session"] else 1 if folded[0] == "session" else 0
    return quote(parts[at] if at < len(parts) else parts[0])


def _is_variable(name: str, context: Context) -> bool:
    try:
        context.analyst.schema(SqlQuery(f"SELECT session.{name}", {}, "query"))
    except DeltaSqlError:
        return False
    return True


def _uses_variable(rows: SqlQuery, context: Context) -> bool:
    return "variablereference(" in context.analyst.spark_plan(rows, "extended")


def _is_sparks_view(parts: tuple[str, ...], context: Context) -> bool:
    return len(parts) <= 3 and context.catalog.find(parts) is None and context.analyst.knows_view(parts)


BATCH_FILES = 100_000
"""Files that one commit of a backfill adds again."""


def tracked_metadata(metadata: Metadata, protocol: Protocol, snapshot: Snapshot | None) -> Metadata:
    """The metadata of a created or replaced table, with the properties of row tracking.

    Row ids outlive the rows of a replaced table: one that tracks its rows goes on doing so, unless the statement
    disables it.
    """
    old = TableProperties({} if snapshot is None else snapshot.configuration)
    if old[ROW_TRACKING] and ROW_TRACKING not in metadata.properties:
        metadata = metadata.with_configuration({ROW_TRACKING.name: "true"})
    return with_row_id_columns(metadata, protocol, old.configuration)


def starts_tracking(snapshot: Snapshot, metadata: Metadata) -> bool:
    """Whether `metadata` enable row ids that files of the snapshot may lack."""
    return metadata.properties[ROW_TRACKING] and not snapshot.properties[ROW_TRACKING]


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
    if snapshot.properties[ROW_TRACKING_SUSPENDED]:
        yield _resumption(log, log.snapshot())
    batch = 0
    while files := unnumbered(current := log.snapshot(), BATCH_FILES):
        yield TableChange(CommitSpec(log, current, actions.BACKFILL, {"batchId": str(batch)}, tuple(files)))
        batch += 1
    yield last(log.snapshot())


def unnumbered(snapshot: Snapshot, most: int) -> list[AddFile]:
    """At most `most` files without row ids, as add actions that repeat them."""
    table = snapshot.live_adds(("path", "baseRowId"))
    paths = table.filter(pc.is_null(table["baseRowId"])).column("path").slice(0, most)
    return [replace(add, data_change=False) for add in snapshot.add_files(paths.to_pylist())] if len(paths) else []


def refuse_unknown_counts(snapshot: Snapshot) -> None:
    """Raises RowIdsWithoutStatisticsError, before anything is changed, for a file without a row count."""
    files = snapshot.live_adds(("path", "stats", "baseRowId"))
    counted = pc.fill_null(pc.match_substring(files["stats"], '"numRecords"'), False)
    unknown = files.filter(pc.and_(pc.is_null(files["baseRowId"]), pc.invert(counted)))
    if unknown.num_rows:
        raise RowIdsWithoutStatisticsError(snapshot.table, unknown["path"][0].as_py())


def _upgrade(log: DeltaLog, snapshot: Snapshot) -> TableChange:
    protocol = snapshot.protocol.with_features([ROW_TRACKING_FEATURE])
    listed = protocol.to_json()
    keys = ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures")
    named = {key: listed.get(key) for key in keys}
    return TableChange(CommitSpec(log, snapshot, actions.UPGRADE_PROTOCOL, {"newProtocol": named}, (protocol,)))


def _resumption(log: DeltaLog, snapshot: Snapshot) -> TableChange:
    resumed = {ROW_TRACKING_SUSPENDED.name: "false"}
    metadata = snapshot.metadata.with_configuration(resumed)
    return TableChange(CommitSpec(log, snapshot, actions.SET_PROPERTIES, {"properties": resumed}, (metadata,)))
