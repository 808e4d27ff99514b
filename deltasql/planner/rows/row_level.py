"""Row-level conflict detection: whether a statement allows it, and the query of the rows that it depends on.

It requires deletion vectors, and conditions that depend on their row alone and are deterministic. Source: Databricks
documentation, Row-level concurrency and its limitations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.settings.session_settings import ROW_LEVEL, ROW_LEVEL_SUBQUERIES
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.hidden import ROW_FILE, ROW_INDEX
from deltasql.plan.operators import (
    MemoryRows,
    Operator,
    PythonFunction,
    Rewrite,
    RowEffect,
    Scan,
    SqlFunction,
    SqlQuery,
    Supplied,
    children,
)
from deltasql.plan.reads import NO_ROWS, RowReads
from deltasql.planner.context import Context
from deltasql.planner.rows.read_set import reads_otherwise, table_scans
from deltasql.schema.identity import identities
from deltasql.schema.types import DecimalType, PrimitiveType
from deltasql.sql.queries.projections import end_of_plain_projection
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import column_references, is_stable, subqueries

_VECTORS = (
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
    f"Conflicts are found by file, not by row, with sub-queries: SET {ROW_LEVEL_SUBQUERIES.name} = true allows it."
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
    if not context.setting(ROW_LEVEL):
        return f"SET {ROW_LEVEL.name} = true finds conflicts by row."
    if not snapshot.properties[DELETION_VECTORS]:
        return _VECTORS.format(table=snapshot.table)
    if snapshot.partition_columns:
        return _PARTITIONED
    return _IDENTITY if identities(snapshot.schema) else None


def _statement_advice(operator: Rewrite, snapshot: Snapshot, context: Context) -> str | None:
    if reads_otherwise(operator, context):
        return _ITSELF.format(table=snapshot.table)
    for text in _conditions(operator):
        advice = _row_advice(text, operator.target_alias, snapshot, operator.join.alias if operator.join else "")
        advice = advice or _query_advice(text, operator.relations, context)
        if advice is not None:
            return advice
    return None


def _conditions(operator: Rewrite) -> Iterator[str]:
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
    if queries and not context.setting(ROW_LEVEL_SUBQUERIES):
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
    sql = f"SELECT {ROW_FILE}, {ROW_INDEX} {rows.sql[start:]}"
    return SqlQuery(sql, {name: replace(source_reads[0], identity=True)}, rows.label)
