"""WHERE of statements that choose whole partitions: OPTIMIZE, REORG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltasql.errors.statements.optimize import NonPartitionPredicateError, PartitionPredicateError
from deltasql.log.actions.bin_packing import first_rows, partition_numbers, rows_with
from deltasql.plan.base import SqlText, quote
from deltasql.plan.hidden import PARTITION_NUMBER, PARTITIONS
from deltasql.planner.context import Context
from deltasql.schema.literals import sql_literal
from deltasql.schema.text import sql_text
from deltasql.skipping.pruning import matches_partition
from deltasql.sql.references import column_references, has_subquery, is_deterministic

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.replay.snapshot import Snapshot


def chosen_files(files: pa.Table, predicate: SqlText | None, snapshot: Snapshot, context: Context) -> pa.Table:
    """The files of the partitions for which `predicate` is TRUE.

    Raises PartitionPredicateError, and NonPartitionPredicateError at the first column that is none of the partition's.
    """
    if predicate is None:
        return files
    _check(predicate, snapshot, context)
    found = matches_partition(
        files, predicate.text, snapshot.schema, snapshot.partition_columns, timezone=context.time_zone
    )
    return _evaluated(files, predicate.text, snapshot, context) if found is None else found


def _check(predicate: SqlText, snapshot: Snapshot, context: Context) -> None:
    if has_subquery(predicate.text) or not is_deterministic(predicate.text):
        caret = context.caret(predicate.start, predicate.end)
        raise PartitionPredicateError(table=snapshot.table, predicate=predicate.text).at(caret)
    for reference in column_references(predicate.text):
        field = snapshot.schema.find(reference.parts[0]) if len(reference.parts) == 1 else None
        if field is None or field.name not in snapshot.partition_columns:
            column = ".".join(quote(part) for part in reference.parts)
            partitions = ", ".join(snapshot.partition_columns) or "none"
            caret = context.caret(predicate.start + reference.start, predicate.start + reference.end)
            raise NonPartitionPredicateError(column, snapshot.table, partitions).at(caret)


def _evaluated(files: pa.Table, predicate: str, snapshot: Snapshot, context: Context) -> pa.Table:
    """The files of partitions in which a predicate is TRUE that only Spark understands: it is asked once for each."""
    numbers = partition_numbers(files)
    firsts = first_rows(numbers)
    fields = [field for name in snapshot.partition_columns if (field := snapshot.schema.find(name))]
    rows = files.column("partitionValues").take([row for _, row in firsts]).to_pylist()
    texts = [
        ", ".join([str(number), *(f"CAST({sql_literal(row[f.name] or None)} AS {sql_text(f.type)})" for f in fields)])
        for (number, _), row in zip(firsts, rows, strict=True)
    ]
    if not texts:
        return files
    columns = ", ".join([PARTITION_NUMBER, *(quote(field.name) for field in fields)])
    values = ", ".join(f"({text})" for text in texts)
    found = context.analyst.value(
        f"(SELECT collect_list({PARTITION_NUMBER}) FROM VALUES {values} AS {PARTITIONS}({columns}) WHERE {predicate})"
    )
    return files.take(rows_with(numbers, found))
