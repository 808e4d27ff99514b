"""CACHE, UNCACHE, REFRESH, ANALYZE and REPAIR of tables: statements by which other engines maintain tables.

Each statement reads the log anew, files have their statistics there, and rows are read from files: for Delta tables
these statements only check that the table exists. Relations that only Spark knows are cached by Spark. ANALYZE …
COMPUTE DELTA STATISTICS adds the statistics that files of other writers lack.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from deltasql.base import DeltaSqlError, errors
from deltasql.log import DeltaLog, Snapshot, operations
from deltasql.plan import Alone, ColumnPath, LogicalPlan, SqlText, TableName, make_note
from deltasql.planner import (
    Answer,
    CommitSpec,
    Context,
    Plan,
    SparkCommand,
    TableChange,
    binding,
    plan,
    table_snapshot,
)
from deltasql.schema import resolve
from deltasql.sql import Tree, builds
from deltasql.statements.idempotency import refreshed_kind
from deltasql.statements.refresh import RefreshData
from deltasql.statements.view import CreateView, ViewScope


@dataclass(frozen=True, slots=True)
class CacheTable(LogicalPlan):
    """CACHE [LAZY] TABLE t [OPTIONS (…)] [[AS] query]"""

    table: TableName
    query: SqlText | None


@dataclass(frozen=True, slots=True)
class CacheQuery(LogicalPlan):
    """CACHE query: copies of its files on a local disk, which are not made here"""

    query: SqlText


@dataclass(frozen=True, slots=True)
class UncacheTable(LogicalPlan):
    """UNCACHE TABLE [IF EXISTS] t"""

    if_exists: bool
    table: TableName


@dataclass(frozen=True, slots=True)
class RefreshTable(LogicalPlan):
    """REFRESH [TABLE] t [FULL] [SYNC | ASYNC]"""

    table: TableName
    full: bool
    asynchronous: bool


@dataclass(frozen=True, slots=True)
class AnalyzeTable(LogicalPlan):
    """ANALYZE TABLE t [PARTITION (…)] COMPUTE [DELTA] STATISTICS [NOSCAN | FOR COLUMNS a, … | FOR ALL COLUMNS]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("ANALYZE TABLE", Alone.STATES)

    table: TableName
    delta: bool
    columns: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class SyncMetadata(LogicalPlan):
    """[MSCK] REPAIR TABLE t SYNC METADATA"""

    table: TableName


@dataclass(frozen=True, slots=True)
class AnalyzeTables(LogicalPlan):
    """ANALYZE TABLES [{IN | FROM} s] COMPUTE STATISTICS [NOSCAN]"""

    schema: TableName | None


@dataclass(frozen=True, slots=True)
class BloomFilter(LogicalPlan):
    """CREATE BLOOMFILTER INDEX ON [TABLE] t FOR COLUMNS (c [OPTIONS (…)], …) [OPTIONS (…)]

    and DROP BLOOMFILTER INDEX ON [TABLE] t [FOR COLUMNS (c, …)].
    """

    table: TableName
    columns: tuple[ColumnPath, ...]


@builds("bloom_filter")
def _bloom_filter(children: list[Any], tree: Tree, text: str) -> BloomFilter:
    return BloomFilter(children[0], tuple(item for item in children if isinstance(item, ColumnPath)))


@builds("cache_table")
def _cache_table(children: list[Any], tree: Tree, text: str) -> CacheTable:
    return CacheTable(children[0], children[-1])


@builds("cache_query")
def _cache_query(children: list[Any], tree: Tree, text: str) -> CacheQuery:
    return CacheQuery(children[0])


@builds("analyze_table")
def _analyze_table(children: list[Any], tree: Tree, text: str) -> AnalyzeTable:
    table, *_, delta, columns = children
    return AnalyzeTable(table, delta, tuple(item for item in columns if isinstance(item, ColumnPath)))


@plan.register
def plan_cache_table(statement: CacheTable, context: Context) -> Plan:
    """With a query a temporary view, whose rows are those of its tables when it is read."""
    if statement.query is None:
        return _nothing_to_do(statement.table, context)
    view = CreateView(False, ViewScope.TEMPORARY, False, statement.table, (), statement.query)
    return plan(view, context)


@plan.register
def plan_cache_query(statement: CacheQuery, context: Context) -> Plan:
    """The query is planned, and nothing is read. Raises what is wrong with its tables."""
    binding.query(context, statement.query)
    return Answer()


@plan.register
def plan_refresh_table(statement: RefreshTable, context: Context) -> Plan:
    """Of a streaming table or a materialized view its refresh; for other tables there is nothing to do."""
    name = statement.table
    context.refuse_version(name)
    kind = refreshed_kind(name, context)
    if kind is not None:
        return plan(RefreshData(kind, name, statement.full, statement.asynchronous), context)
    done = _nothing_to_do(name, context)
    if statement.full or statement.asynchronous:
        found, words = "view" if context.is_view(name) else "table", "FULL" if statement.full else "ASYNC"
        wanted = "materialized view or a streaming table"
        error = errors.WrongObjectError(f"REFRESH TABLE … {words}", wanted, str(name), found, f"REFRESH TABLE {name}")
        raise error.at(context.caret(name.start, name.end))
    return done


@plan.register
def plan_sync_metadata(statement: SyncMetadata, context: Context) -> Plan:
    """The catalog keeps names and places alone, so that it has nothing that the log could contradict."""
    name = statement.table
    if context.is_view(name):
        advice = "MSCK REPAIR TABLE of the table that it reads"
        error = errors.WrongObjectError("MSCK REPAIR TABLE", "table", str(name), "view", advice)
        raise error.at(context.caret(name.start, name.end))
    return _nothing_to_do(name, context)


@plan.register
def plan_uncache_table(statement: UncacheTable, context: Context) -> Plan:
    if statement.if_exists and not context.knows(statement.table):
        return Answer()
    return _nothing_to_do(statement.table, context)


@plan.register
def plan_analyze_table(statement: AnalyzeTable, context: Context) -> Plan:
    name = statement.table
    caret = context.caret(name.start, name.end)
    if context.is_view(name):
        advice = f"ANALYZE TABLE of the tables that {name} reads"
        raise errors.WrongObjectError("ANALYZE TABLE", "table", str(name), "view", advice).at(caret)
    if context.is_sparks(name):
        return SparkCommand(context.sql, {})
    log, snapshot = context.writable(name) if statement.delta else (None, context.snapshot(name))
    _require_columns(statement.columns, snapshot, name, context)
    return Answer() if log is None else _computed(log, snapshot, context)


@plan.register
def plan_bloom_filter(statement: BloomFilter, context: Context) -> Plan:
    """Nothing to do, and a warning: no reader of Delta tables but that of Databricks knows such an index."""
    _, snapshot = context.writable(statement.table)
    _require_columns(statement.columns, snapshot, statement.table, context)
    make_note(_NO_BLOOM_FILTER.format(table=statement.table), is_warning=True)
    return Answer()


_NO_BLOOM_FILTER = (
    "{table} has no Bloom filter index, and needs none: files are skipped by the statistics in the log. CLUSTER BY, or "
    "OPTIMIZE … ZORDER BY, puts like rows together."
)


def _require_columns(columns: Sequence[ColumnPath], snapshot: Snapshot, table: TableName, context: Context) -> None:
    """Raises ColumnNotFoundError, at the name, for a column that the table does not have."""
    for column in columns:
        try:
            resolve(snapshot.schema, column.parts, where=str(table))
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None


def _computed(log: DeltaLog, snapshot: Snapshot, context: Context) -> TableChange:
    """The files whose statistics are not what their rows say, stated anew; none of them is read by a query's Spark."""
    from deltasql.files import recomputed

    paths = snapshot.live_adds(("path",)).column("path").to_pylist()
    adds = snapshot.add_files(paths)
    statistics = recomputed(context.analyst.stores, snapshot, adds)
    changed = [
        replace(add, stats=stats, data_change=False)
        for add, stats in zip(adds, statistics, strict=True)
        if not _says_the_same(add.stats, stats)
    ]
    return TableChange(
        CommitSpec(log, snapshot, operations.COMPUTE_STATISTICS, {}, tuple(changed)),
        skip_if_empty=True,
    )


def _says_the_same(before: str | None, after: str) -> bool:
    try:
        return before is not None and json.loads(before) == json.loads(after)
    except ValueError:
        return False


@plan.register
def plan_analyze_tables(statement: AnalyzeTables, context: Context) -> Plan:
    if statement.schema is not None:
        context.catalog.schema(statement.schema.parts)
    return Answer()


def _nothing_to_do(name: TableName, context: Context) -> Plan:
    """Raises TableNotFoundError, and what is wrong with the table's log."""
    context.refuse_version(name)
    if context.is_view(name):
        return Answer()
    if context.is_sparks(name):
        return SparkCommand(context.sql, {})
    table_snapshot(context, name, with_files=False)
    return Answer()
