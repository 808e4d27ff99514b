"""WHERE of statements that choose whole partitions: OPTIMIZE, REORG."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.statements.optimize import NonPartitionPredicateError, PartitionPredicateError
from deltasql.lazy import pa
from deltasql.log.actions.bin_packing import first_rows, partition_numbers, rows_with
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import SqlText, quote
from deltasql.plan.hidden import PARTITION_NUMBER, PARTITIONS
from deltasql.planner.context import Context
from deltasql.schema.literals import sql_literal
from deltasql.schema.text import sql_text
from deltasql.skipping.pruning import matches_partition
from deltasql.sql.references import column_references, has_subquery, is_deterministic
from deltasql.sql.text_edits import Replacement, splice


def chosen_files(files: pa.Table, predicate: str | None, snapshot: Snapshot, context: Context) -> pa.Table:
    """The files of the partitions for which `predicate`, as `partition_predicate` gives it, is TRUE."""
    if predicate is None:
        return files
    chosen = matches_partition(
        files, predicate, snapshot.schema, snapshot.partition_columns, timezone=context.time_zone
    )
    return _evaluated(files, predicate, snapshot, context) if chosen is None else chosen


def partition_predicate(predicate: SqlText | None, snapshot: Snapshot, context: Context) -> str | None:
    """A condition on partition columns, with the values of session variables in it.

    Raises PartitionPredicateError, and NonPartitionPredicateError at the first column that is none of the partition's.
    """
    if predicate is None:
        return None
    _refuse_unsteady(predicate, snapshot, context)
    variables: list[Replacement] = []
    for reference in column_references(predicate.text):
        field = snapshot.schema.find(reference.parts[0])
        if field is not None and len(reference.parts) == 1 and field.name in snapshot.partition_columns:
            continue
        column = ".".join(quote(part) for part in reference.parts)
        value = _variable(column, context) if field is None else None
        if value is None:
            partitions = ", ".join(snapshot.partition_columns) or "none"
            caret = context.caret(predicate.start + reference.start, predicate.start + reference.end)
            raise NonPartitionPredicateError(column, snapshot.table, partitions).at(caret)
        variables.append((reference.start, reference.end, value))
    return splice(predicate.text, variables).sql if variables else predicate.text


def _refuse_unsteady(predicate: SqlText, snapshot: Snapshot, context: Context) -> None:
    """Raises PartitionPredicateError for a condition that is more than one of a partition's values."""
    if has_subquery(predicate.text) or not is_deterministic(predicate.text):
        caret = context.caret(predicate.start, predicate.end)
        raise PartitionPredicateError(table=snapshot.table, predicate=predicate.text).at(caret)


def _variable(name: str, context: Context) -> str | None:
    """SQL of the value of a session variable, of its type; None where there is none, as without Spark."""
    if not context.analyst.started:
        return None
    try:
        kind, text = context.analyst.value(f"struct(typeof({name}), CAST({name} AS STRING))")
    except DeltaSqlError:
        return None
    return f"CAST({sql_literal(text)} AS {kind})"


def _evaluated(files: pa.Table, predicate: str, snapshot: Snapshot, context: Context) -> pa.Table:
    """The files of partitions in which a predicate is TRUE that only Spark understands: it is asked once for each."""
    numbers = partition_numbers(files)
    firsts = first_rows(numbers)
    if not firsts:
        return files
    fields = [field for name in snapshot.partition_columns if (field := snapshot.schema.find(name))]
    rows = files.column("partitionValues").take([row for _, row in firsts]).to_pylist()
    texts = [
        ", ".join([str(number), *(f"CAST({sql_literal(row[f.name] or None)} AS {sql_text(f.type)})" for f in fields)])
        for (number, _), row in zip(firsts, rows, strict=True)
    ]
    columns = ", ".join([PARTITION_NUMBER, *(quote(field.name) for field in fields)])
    values = ", ".join(f"({text})" for text in texts)
    value = context.analyst.value(
        f"(SELECT collect_list({PARTITION_NUMBER}) FROM VALUES {values} AS {PARTITIONS}({columns}) WHERE {predicate})"
    )
    return files.take(rows_with(numbers, value))
