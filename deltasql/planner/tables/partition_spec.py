"""PARTITION (column = value, …) of statements that select partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deltasql.errors.statements.inspect import (
    NotAPartitionColumnError,
    PartitionNotFoundError,
    PartitionWithoutValueError,
    ShowPartitionsUnpartitionedError,
)
from deltasql.lazy import pa
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.statements.insert import PartitionValue
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import refuse_enforced
from deltasql.planner.selected_files import check_partitions
from deltasql.planner.tables.partition_filter import chosen_files, partition_predicate
from deltasql.schema.partition_values import partition_value
from deltasql.schema.paths import folded
from deltasql.schema.types import StructType
from deltasql.sql.constants import unquote

FILE_COLUMNS = ("path", "partitionValues", "size")


def partition_files(
    spec: Sequence[PartitionValue], table: TableName, snapshot: Snapshot, context: Context, *, needed: bool = False
) -> pa.Table:
    """The files whose partition columns have these values; all files where no column is named.

    Raises ShowPartitionsUnpartitionedError, NotAPartitionColumnError, PartitionWithoutValueError, PolicyTableError, and
    where files are `needed` PartitionNotFoundError.
    """
    if not snapshot.partition_columns:
        raise ShowPartitionsUnpartitionedError(table=snapshot.table).at(context.caret(table.start, table.end))
    refuse_enforced("PARTITION (…)", table, snapshot.location, context)
    predicate = _predicate(spec, snapshot, context)
    files = snapshot.files(FILE_COLUMNS)
    if predicate is not None:
        files = chosen_files(files, partition_predicate(predicate, snapshot, context), snapshot, context)
    if needed and files.num_rows == 0:
        caret = context.caret(spec[0].column.start, spec[-1].column.end) if spec else None
        raise PartitionNotFoundError(str(table), partition_text(spec, snapshot)).at(caret)
    return files


def partition_rows(files: pa.Table, snapshot: Snapshot) -> tuple[StructType, tuple[tuple[Any, ...], ...]]:
    """The partition columns, and the distinct tuples of their values in order, NULL first.

    Raises PartitionTextError.
    """
    check_partitions(files, snapshot)
    fields = [field for name in snapshot.partition_columns if (field := snapshot.schema.find(name))]
    rows = {partition_value(row, fields) for row in files.column("partitionValues").to_pylist()}
    ordered = sorted(rows, key=lambda row: [(value is not None, value) for value in row])
    return StructType(tuple(fields)), tuple(ordered)


def partition_values(spec: Sequence[PartitionValue], snapshot: Snapshot) -> dict[str, str]:
    """The values as they were written, without quotes, by the names of the columns."""
    names = {name.lower(): name for name in snapshot.partition_columns}
    return {names[item.column.parts[-1].lower()]: _bare(item.value.text) for item in spec if item.value is not None}


def partition_text(spec: Sequence[PartitionValue], snapshot: Snapshot) -> str:
    """The partition as Spark shows it: `[p=1, q=x]`."""
    return f"[{', '.join(f'{name}={value}' for name, value in partition_values(spec, snapshot).items())}]"


def _bare(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in {"'", '"'}
    return unquote(value) if quoted else value


def _predicate(spec: Sequence[PartitionValue], snapshot: Snapshot, context: Context) -> SqlText | None:
    """A condition on the columns, which NULL meets where it is the value that is named."""
    names = {name.lower(): name for name in snapshot.partition_columns}
    terms: list[str] = []
    for item in spec:
        caret = context.caret(item.column.start, item.column.end)
        parts = folded(item.column.parts)
        if len(parts) != 1 or parts[0] not in names:
            columns = ", ".join(map(quote, snapshot.partition_columns))
            raise NotAPartitionColumnError(str(item.column), snapshot.table, columns).at(caret)
        if item.value is None:
            raise PartitionWithoutValueError(str(item.column)).at(caret)
        terms.append(f"{quote(names[parts[0]])} <=> ({item.value.text})")
    return SqlText(" AND ".join(terms), spec[0].column.start) if spec else None
