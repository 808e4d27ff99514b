"""Planning that UPDATE, DELETE, MERGE and INSERT share: read sets, conflict detection, retries and the final change.

A read set has files of the target, or all of it where the statement's queries read it as well. Row-level conflict
detection requires deletion vectors, and conditions that depend on their row alone and are deterministic. Source:
Databricks documentation, Row-level concurrency and its limitations.

A statement that lost a race with another writer may be retried only if it is deterministic. Nothing of the first run
was committed, so the second is equivalent; but a user may have seen the values of clock or random functions of the
first run. A table's properties decide how a rewrite records its changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from deltasql.base import DeltaSqlError, pa, session_settings
from deltasql.log import (
    Metadata,
    Partitions,
    Snapshot,
    TableProperties,
    condition,
    file_mask,
    operations,
    rows_of,
    table_properties,
)
from deltasql.plan import (
    NO_ROWS,
    MemoryRows,
    Operator,
    PythonFunction,
    Reads,
    Recording,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    RowReads,
    Scan,
    SqlFunction,
    SqlQuery,
    Supplied,
    TableVersion,
    children,
    evaluated_texts,
    hidden_names,
)
from deltasql.planner.changes import CommitSpec, LayoutChange, Plan, RowChange, TableChange
from deltasql.planner.context import Context
from deltasql.schema import DecimalType, PrimitiveType, identities
from deltasql.sql import (
    Scope,
    column_references,
    end_of_plain_projection,
    has_subquery,
    is_deterministic,
    is_stable,
    stars_spelled,
    subqueries,
    table_references,
)

WHOLE_TABLE = Reads("TRUE", whole_table=True)

PartitionTest = Callable[[Mapping[str, "str | None"]], bool]


def reads_of(operator: Rewrite, predicate: str | None, snapshot: Snapshot, context: Context) -> Reads:
    """The read set of a rewrite: the target's files chosen by `predicate`; all where its queries read the table."""
    target = operator.target
    if reads_otherwise(operator, context):
        return WHOLE_TABLE
    return reads_of_files(target.files, predicate, snapshot, context, operator.target_alias)


def reads_of_files(
    files: pa.Table, predicate: str | None, snapshot: Snapshot, context: Context, alias: str | None = None
) -> Reads:
    """The read set of `files`, chosen by `predicate` (None: all); `alias` may qualify its columns."""
    matches = None if predicate is None else partition_test(snapshot, predicate, alias, context.time_zone)
    return Reads(predicate or "TRUE", tuple(files.column("path").to_pylist()), matches=matches, alias=alias)


def reads_of_itself(rows: Operator, snapshot: Snapshot, context: Context) -> Reads | None:
    """The read set of a query on the table that its rows go to; None where it does not read it."""
    scans = table_scans(rows, snapshot)
    if not scans:
        return None
    if len(scans) > 1:
        return WHOLE_TABLE
    (scan,) = scans
    return reads_of_files(scan.files, scan.pruning.predicate, snapshot, context, scan.pruning.alias)


def partition_test(snapshot: Snapshot, predicate: str, alias: str | None, timezone: str | None) -> PartitionTest | None:
    """Tests whether `predicate` can be TRUE for partition values as in the log; None for a table without partitions.

    A predicate that partition values cannot decide, such as a random function, counts as TRUE.
    """
    columns = snapshot.partition_columns
    if not columns:
        return None

    @cache
    def meets(values: tuple[tuple[str, str | None], ...]) -> bool:
        # Most statements win their race and never ask.

        selection = condition(predicate, snapshot.schema, columns, alias, timezone)
        kind = pa.struct([(name, pa.string()) for name, _ in values])
        file = pa.table({"partitionValues": pa.chunked_array([pa.array([dict(values)], kind)])})
        rows = rows_of(file_mask(selection, Partitions(file, timezone).mask))
        return rows is None or len(rows) > 0

    return lambda values: meets(tuple(values.items()))


def reads_otherwise(operator: Rewrite, context: Context) -> bool:
    """Whether the source or a sub-query of a rewrite also reads its target."""
    table = operator.target.table
    others = [child for child in children(operator) if child is not operator.target]
    if any(_reads(child, table) for child in others):
        return True
    frames = (supplied for child in others for supplied in _supplied(child))
    return any(context.analyst.reads_below(supplied, table.location) for supplied in frames)


def table_scans(rows: Operator, snapshot: Snapshot) -> list[Scan]:
    """The scans of the table, at the version of its snapshot, by a query itself or through views."""
    # An older version does not change any more, so that nothing depends on what others commit.
    version = TableVersion(snapshot.table, snapshot.location, snapshot.version)
    return [scan for scan in scans(rows) if scan.table == version]


def _reads(rows: Operator, table: TableVersion) -> bool:
    return any(scan.table == table for scan in scans(rows))


def _supplied(operator: Operator) -> Iterator[Supplied]:
    """The DataFrames of Spark at or below an operator."""
    if isinstance(operator, Supplied) and not isinstance(operator.frame, MemoryRows):
        yield operator
    for child in children(operator):
        yield from _supplied(child)


def scans(operator: Operator) -> Iterator[Scan]:
    """The scans at or below an operator."""
    if isinstance(operator, Scan):
        yield operator
    for child in children(operator):
        yield from scans(child)


_ROW_LEVEL_VECTORS = (
    "With deletion vectors, changes of other rows do not conflict: "
    "ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')."
)
_REWRITTEN = (
    "Conflicts are found by file, not by row, in a statement that rewrites files: see deletionVectors.persistent."
)
_PARTITIONED = "In a clustered table (CLUSTER BY) instead of a partitioned one, changes of other rows do not conflict."
_IDENTITY = "Conflicts are found by file, not by row, in a table with identity columns."
_ITSELF = "Conflicts are found by file, not by row, in a statement that reads {table} a second time."
_COMPLEX = (
    "Conflicts are found by file, not by row, with a condition on {column}, which is a struct, array or map, "
    "or a part of one."
)
_UNSTABLE = (
    "Conflicts are found by file, not by row, with a condition whose value may change: write a constant instead."
)
_CORRELATED = "Conflicts are found by file, not by row, with a sub-query that depends on the row."
_SUBQUERY = (
    "Conflicts are found by file, not by row, with sub-queries: "
    f"SET {session_settings.ROW_LEVEL_SUBQUERIES.name} = true allows it."
)


def rewritten_rows(operator: Rewrite, snapshot: Snapshot, context: Context) -> RowReads:
    """The rows that UPDATE, DELETE or MERGE depends on."""
    advice = _table_advice(snapshot, context) or _statement_advice(operator, snapshot, context)
    if advice is None and not operator.recording.vectors:
        advice = _REWRITTEN
    return RowReads(operator) if advice is None else RowReads(None, advice)


def inserted_rows(rows: SqlQuery, snapshot: Snapshot, context: Context) -> RowReads:
    """The rows of its own table that INSERT … SELECT depends on: those that its query reads."""
    scans = table_scans(rows, snapshot)
    if not scans:
        return NO_ROWS
    advice = _table_advice(snapshot, context)
    probe = _reading_probe(rows, scans) if advice is None else None
    if probe is None:
        return RowReads(None, advice or _ITSELF.format(table=snapshot.table))
    advice = _row_advice(probe.sql, scans[0].pruning.alias or "", snapshot)
    return RowReads(probe) if advice is None else RowReads(None, advice)


def must_materialize_source(operator: Rewrite) -> bool:
    """Whether the source may give other rows when evaluated again, so that it is materialized until the commit."""
    return operator.source is not None and not _is_pinned(operator.source)


def _table_advice(snapshot: Snapshot, context: Context) -> str | None:
    if not context.setting(session_settings.ROW_LEVEL):
        return f"SET {session_settings.ROW_LEVEL.name} = true finds conflicts by row."
    if not snapshot.properties[table_properties.DELETION_VECTORS]:
        return _ROW_LEVEL_VECTORS.format(table=snapshot.table)
    if snapshot.partition_columns:
        return _PARTITIONED
    return _IDENTITY if identities(snapshot.schema) else None


def _statement_advice(operator: Rewrite, snapshot: Snapshot, context: Context) -> str | None:
    if reads_otherwise(operator, context):
        return _ITSELF.format(table=snapshot.table)
    for text in _row_level_conditions(operator):
        advice = _row_advice(text, operator.target_alias, snapshot, operator.join.alias if operator.join else "")
        advice = advice or _query_advice(text, operator.relations, context)
        if advice is not None:
            return advice
    return None


def _row_level_conditions(operator: Rewrite) -> Iterator[str]:
    """The conditions that select rows of the target; that of an INSERT clause sees only the source."""
    if operator.join is not None:
        yield operator.join.on
    for action in operator.actions:
        if action.condition is not None and action.effect is not RowEffect.INSERT:
            yield action.condition


def _row_advice(text: str, alias: str, snapshot: Snapshot, other: str = "") -> str | None:
    """Why a condition rules out row-level detection, or None.

    `alias` qualifies the table's columns, `other` a source's.
    """
    if not is_stable(text):
        return _UNSTABLE
    for reference in column_references(text):
        parts = reference.parts
        qualifier = parts[0].lower() if len(parts) > 1 else None
        is_target = qualifier == alias.lower()
        if qualifier == other.lower() and not is_target:
            continue
        field = snapshot.schema.find(parts[1] if is_target else parts[0])
        if field is not None and not isinstance(field.type, (PrimitiveType, DecimalType)):
            return _COMPLEX.format(column=field.name)
    return None


def _query_advice(text: str, relations: Mapping[str, Operator], context: Context) -> str | None:
    """Why sub-queries rule out row-level detection, or None: they must be deterministic and uncorrelated."""
    queries = list(subqueries(text))
    if queries and not context.setting(session_settings.ROW_LEVEL_SUBQUERIES):
        return _SUBQUERY
    for query in queries:
        if not _is_pinned(SqlQuery(query, relations)):
            return _UNSTABLE
        try:
            # On its own Spark understands only a query that does not look at the row around it.
            context.analyst.schema(SqlQuery(query, relations))
        except DeltaSqlError:
            return _CORRELATED
    return None


def _is_pinned(rows: Operator) -> bool:
    """Whether rows are the same at each evaluation: they come from versions of tables, and from nothing else."""
    match rows:
        case SqlQuery():
            is_bound = all(reference.parts[-1] in rows.relations for reference in table_references(rows.sql))
            return is_bound and is_stable(rows.sql) and all(map(_is_pinned, rows.relations.values()))
        case Scan() | PythonFunction():
            return True
        case Supplied(frame):
            return isinstance(frame, MemoryRows)
        case SqlFunction():
            return rows.stable and all(map(_is_pinned, children(rows)))
        case _:
            return all(map(_is_pinned, children(rows)))


def _reading_probe(rows: SqlQuery, source_reads: list[Scan]) -> SqlQuery | None:
    """A query of the row indexes that a plain SELECT … FROM table WHERE condition reads; None for other queries."""
    if len(source_reads) != 1 or list(rows.relations.values()) != source_reads:
        return None
    start = end_of_plain_projection(rows.sql)
    if start is None or not _is_pinned(rows):
        return None
    (name,) = rows.relations
    # Spark is asked for the columns of the hidden position, in place of those of the SELECT list.
    sql = f"SELECT {hidden_names.ROW_FILE}, {hidden_names.ROW_INDEX} {rows.sql[start:]}"
    return SqlQuery(sql, {name: replace(source_reads[0], identity=True)}, rows.label)


_VECTORS = {
    operations.DELETE: session_settings.DELETE_VECTORS,
    operations.UPDATE: session_settings.UPDATE_VECTORS,
    operations.MERGE: session_settings.MERGE_VECTORS,
}


def row_change(
    spec: CommitSpec, operator: Rewrite, metadata: Metadata, pruned_by: str | None, context: Context
) -> RowChange:
    """The change whose rows `operator` rewrites. `pruned_by` is the predicate that chose the files of its target.

    Decided here: how changes are recorded in files, what the commit depends on, and whether its rows can be told apart
    from those that others change. Nothing is committed where no row changes.
    """
    assert spec.snapshot is not None
    setting = _VECTORS.get(spec.operation)
    vectors = setting is None or context.setting(setting)
    operator = recorded(_with_columns(operator, context), metadata.properties, vectors=vectors)
    rows = rewritten_rows(operator, spec.snapshot, context)
    if rows.probe is not None and operator.join is not None and must_materialize_source(operator):
        operator = replace(operator, join=replace(operator.join, is_materialized=True))
        rows = replace(rows, probe=operator)
    reads = reads_of(operator, pruned_by, spec.snapshot, context)
    return RowChange(replace(spec, reads=reads), operator, metadata, skip_if_empty=True, rows=rows)


def _with_columns(operator: Rewrite, context: Context) -> Rewrite:
    """`operator` with the columns of the tables in place of each star, which the rows of a rewrite have more of."""
    target: Scope = (operator.target_alias, lambda: operator.target.schema.names)
    join = operator.join
    if join is None:
        return replace(operator, actions=tuple(_spelled(action, [target]) for action in operator.actions))
    source: Scope = (join.alias, partial(_columns, join.source, context))
    scopes = {
        RowKind.MATCHED: [target, source],
        RowKind.NOT_MATCHED: [source],
        RowKind.NOT_MATCHED_BY_SOURCE: [target],
    }
    actions = tuple(_spelled(action, scopes[action.kind]) for action in operator.actions)
    on = _text(join.on, [target, source])
    return replace(operator, actions=actions, join=join if on == join.on else replace(join, on=on))


def _columns(source: Operator, context: Context) -> Sequence[str]:
    return context.analyst.schema(source).names


def _spelled(action: RowAction, scopes: Sequence[Scope]) -> RowAction:
    condition = None if action.condition is None else _text(action.condition, scopes)
    return replace(action, condition=condition, values=tuple(_text(value, scopes) for value in action.values))


def _text(text: str, scopes: Sequence[Scope]) -> str:
    return stars_spelled(text, scopes) if "*" in text else text


def may_repeat(change: Plan, statements: str) -> bool:
    """Whether a change may be planned and run again; `statements` are DETERMINISTIC ones, ALL or NONE."""
    match change:
        case TableChange() | RowChange() | LayoutChange() if change.commit.operation.may_repeat:
            if not isinstance(change, RowChange) or statements != "DETERMINISTIC":
                return statements != "NONE"
            return all(map(is_deterministic, evaluated_texts(change.operator)))
    return False


def recorded(operator: Rewrite, properties: TableProperties, *, vectors: bool = True) -> Rewrite:
    """`operator` with the way in which a table with these properties records its changes.

    Without `vectors` none are written, even if the table has them.

    The change feed needs files of its own where it cannot be derived: what a deletion vector newly marks was deleted,
    and what a new file holds was inserted.
    """
    effects = {action.effect for action in operator.actions}
    vectors = vectors and properties[table_properties.DELETION_VECTORS]
    derived = effects <= ({RowEffect.DELETE, RowEffect.INSERT} if vectors else {RowEffect.INSERT})
    recording = Recording(vectors, properties[table_properties.CHANGE_DATA_FEED] and not derived)
    volatile = any(has_subquery(text) or not is_stable(text) for text in _conditions(operator))
    volatile = volatile or any(isinstance(item, SqlFunction) for item in operator.relations.values())
    return replace(operator, recording=recording, volatile=volatile)


def _conditions(operator: Rewrite) -> Iterator[str]:
    if operator.join is not None:
        yield operator.join.on
    yield from (action.condition for action in operator.actions if action.condition is not None)
