"""INSERT → new files, and for OVERWRITE the files that go. Source: features of Delta, INSERT."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deltasql.errors.write import (
    DuplicateInsertColumnError,
    NotPartitionColumnError,
    ReplaceWhereClauseError,
)
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.insert import Insert
from deltasql.plan.operators import ORDINAL, SCAN_COLUMNS, Check, Query, Write
from deltasql.planner.changes import Outcome, Plan, RowChange
from deltasql.planner.constraints import constraints_of
from deltasql.planner.context import Context
from deltasql.planner.defaults import default_keywords, replace_defaults
from deltasql.planner.delete import refuse_append_only, whole_partitions
from deltasql.planner.generated import generated_checks
from deltasql.planner.insert_columns import (
    Given,
    column_values,
    evolved_schema,
    left_to_the_table,
    matched_columns,
    refuse_explicit_identities,
    refuse_twice,
    table_rows,
    written_fields,
)
from deltasql.planner.metadata import evolved_metadata, metadata_actions
from deltasql.planner.partitions import partition_value
from deltasql.planner.reads import WHOLE_TABLE, reads_of_files, reads_table
from deltasql.planner.replace_where import checked_rows, replacing
from deltasql.planner.rule import plan
from deltasql.planner.settings import AUTO_MERGE, PARTITION_OVERWRITE_MODE
from deltasql.schema.text import sql_text

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.snapshot import Snapshot


@plan.register
def _(statement: Insert, context: Context) -> Plan:
    """By position unless a column list or BY NAME says otherwise."""
    log, snapshot = context.writable(statement.table)
    evolution = statement.schema_evolution or context.is_on(AUTO_MERGE)
    _refuse_clauses(statement, context)
    if statement.overwrite or statement.replace_where is not None:
        refuse_append_only(snapshot)
    static = _static_partitions(statement, snapshot, context)
    rows, given, left_out = _query(statement, context, snapshot, static)
    matched = matched_columns(statement, context, snapshot.schema, given, set(static), evolution)
    matched = [match for index, match in enumerate(matched) if index not in left_out]
    refuse_twice(matched, statement, context, set(static))
    refuse_explicit_identities(matched, statement, context)
    schema = evolved_schema(snapshot, matched, context) if evolution else snapshot.schema
    metadata = evolved_metadata(snapshot.metadata, schema, table=snapshot.table)
    schema = metadata.schema
    columns = column_values(statement, context, schema, matched, static, evolution)
    child = table_rows(rows, columns, schema, few=_is_values(statement.query))
    numbered = tuple(name for name, sql in columns if ORDINAL in sql)
    given_names = [name for name, _ in columns]
    constraints = constraints_of(schema, metadata.configuration, skip=frozenset(numbered))
    constraints = (*constraints, *generated_checks(schema, given_names))
    if constraints:
        child = Check(child, constraints)
    if statement.replace_where is not None:
        child = checked_rows(child, statement.table, statement.replace_where, context)
    write = Write(child, schema, snapshot.partition_columns, single_file=_is_values(statement.query))
    change = RowChange(
        log,
        snapshot,
        "WRITE",
        _parameters(statement, evolution),
        write,
        metadata,
        Outcome.INSERT,
        actions=metadata_actions(snapshot, metadata),
        identities=numbered,
    )
    if statement.replace_where is not None:
        return _replacing(change, write, snapshot, statement.table, statement.replace_where, context)
    own = WHOLE_TABLE if reads_table(rows, snapshot) else None
    if not statement.overwrite:
        # An append whose query does not read the table depends on nothing.
        return replace(change, reads=own, skip_if_empty=True)
    if _is_dynamic(context, snapshot, static):
        parameters = {**change.parameters, "isDynamicPartitionOverwrite": True}
        return replace(change, parameters=parameters, dynamic_overwrite=True, reads=WHOLE_TABLE)
    removed = _replaced_files(snapshot, static, context)
    if static:
        named = " AND ".join(f"({quote(name)} <=> {value})" for name, value in static.items())
        change = replace(change, parameters={**change.parameters, "predicate": named})
    return replace(change, removed=removed, reads=own or reads_of_files(removed, "TRUE"))


def _replacing(
    change: RowChange, write: Write, snapshot: Snapshot, table: TableName, predicate: SqlText, context: Context
) -> RowChange:
    """REPLACE WHERE: whole files go where the log can tell, else the files of the range are rewritten."""
    removed = whole_partitions(snapshot, predicate.text, None, context)
    if removed is not None:
        own = WHOLE_TABLE if reads_table(write, snapshot) else None
        return replace(change, removed=removed, reads=own or reads_of_files(removed, predicate.text))
    operator, reads = replacing(write, snapshot, table, predicate, context)
    return replace(change, operator=operator, reads=reads, skip_if_empty=True)


def _query(
    statement: Insert, context: Context, snapshot: Snapshot, static: dict[str, str]
) -> tuple[Query, list[Given], frozenset[int]]:
    """The query's rows under names of our own, since two of its columns may have the same name.

    Last the columns, by number, that say DEFAULT and whose values come from the table itself.
    """
    fields = written_fields(statement, snapshot.schema, static)
    keywords, count = default_keywords(statement.query.text)
    left_out = left_to_the_table(keywords, count, fields)
    text = SqlText(replace_defaults(statement.query.text, fields), statement.query.start)
    query = context.query(text, statement.ctes)
    schema = context.analyst.schema(query)
    names = [f"__deltasql_{index}" for index in range(len(schema))]
    renamed = Query(
        f"SELECT * FROM (\n{query.sql}\n) AS __deltasql_query({', '.join(names)})", query.relations, query.label
    )
    return renamed, [Given(field.name, name, field.type) for field, name in zip(schema, names, strict=True)], left_out


def _refuse_clauses(statement: Insert, context: Context) -> None:
    """REPLACE WHERE says itself which rows go: neither OVERWRITE nor PARTITION can say it as well."""
    predicate = statement.replace_where
    if predicate is not None and (statement.overwrite or statement.partition):
        clause = "PARTITION" if statement.partition else "OVERWRITE"
        raise ReplaceWhereClauseError(clause=clause).at(context.caret(predicate.start, predicate.end))


def _static_partitions(statement: Insert, snapshot: Snapshot, context: Context) -> dict[str, str]:
    """SQL of the constants of PARTITION (p = v, …) by column. Raises NotPartitionColumnError."""
    values: dict[str, str] = {}
    known: dict[tuple[str, ...], str] = {(name.lower(),): name for name in snapshot.partition_columns}
    seen: set[str] = set()
    for item in statement.partition:
        caret = context.caret(item.column.start, item.column.end)
        name = known.get(tuple(part.lower() for part in item.column.parts))
        if name is None:
            raise NotPartitionColumnError(
                column=str(item.column), table=str(statement.table), columns=snapshot.partition_columns
            ).at(caret)
        if name in seen:
            raise DuplicateInsertColumnError(column=str(item.column)).at(caret)
        seen.add(name)
        if item.value is not None:
            values[name] = item.value.text
    return values


def _is_dynamic(context: Context, snapshot: Snapshot, static: dict[str, str]) -> bool:
    """Whether only the partitions that the rows fall into are replaced; not where the statement names them all."""
    return context.choice(PARTITION_OVERWRITE_MODE) == "DYNAMIC" and len(static) < len(snapshot.partition_columns)


def _replaced_files(snapshot: Snapshot, static: dict[str, str], context: Context) -> pa.Table:
    """The files that a static overwrite replaces: all, or those of the named partitions."""
    import pyarrow as pa

    files = snapshot.files(SCAN_COLUMNS)
    if not static:
        return files
    fields = [field for name in static if (field := snapshot.schema.find(name))]
    values = [context.analyst.value(f"CAST({static[field.name]} AS {sql_text(field.type)})") for field in fields]
    # An empty string is stored as the partition of NULL.
    wanted = tuple(None if value == "" else value for value in values)
    rows = files.column("partitionValues").to_pylist()
    return files.filter(pa.array([partition_value(row, fields) == wanted for row in rows], pa.bool_()))


def _parameters(statement: Insert, evolution: bool) -> dict[str, Any]:
    replaces = statement.overwrite or statement.replace_where is not None
    parameters: dict[str, Any] = {"mode": "Overwrite" if replaces else "Append", "partitionBy": "[]"}
    if statement.replace_where is not None:
        parameters["predicate"] = statement.replace_where.text
    if evolution:
        parameters["canMergeSchema"] = True
    return parameters


def _is_values(query: SqlText) -> bool:
    """A handful of literal rows belong into one file."""
    return re.match(r"\(*\s*VALUES\b", query.text, re.IGNORECASE) is not None
