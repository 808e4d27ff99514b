"""Nodes of DESCRIBE, SHOW and EXPLAIN, SHOW PARTITIONS, and the choice of whole partitions by a statement.

Statements choose partitions by PARTITION (column = value, …), or by a WHERE as in OPTIMIZE and REORG. SHOW PARTITIONS
reads the values of the partition columns from the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from deltasql.base import DeltaSqlError, errors, pa
from deltasql.log import Snapshot, first_rows, matches_partition, partition_numbers, rows_with
from deltasql.plan import ColumnPath, LogicalPlan, SqlText, TableName, hidden_names
from deltasql.planner import Answer, Context, Plan, check_partitions, plan, refuse_enforced, table_snapshot
from deltasql.schema import StructType, folded, partition_value, sql_literal, sql_text
from deltasql.schema import quote_name as quote
from deltasql.sql import Replacement, Tree, builds, column_references, has_subquery, is_deterministic, splice, unquote
from deltasql.statements.insert import PartitionValue

FILE_COLUMNS = ("path", "partitionValues", "size")


def partition_files(
    spec: Sequence[PartitionValue], table: TableName, snapshot: Snapshot, context: Context, *, needed: bool = False
) -> pa.Table:
    """The files whose partition columns have these values; all files where no column is named.

    Raises ShowPartitionsUnpartitionedError, NotAPartitionColumnError, PartitionWithoutValueError, PolicyTableError, and
    where files are `needed` PartitionNotFoundError.
    """
    if not snapshot.partition_columns:
        raise errors.ShowPartitionsUnpartitionedError(table=snapshot.table).at(context.caret(table.start, table.end))
    refuse_enforced("PARTITION (…)", table, snapshot.location, context)
    predicate = _predicate(spec, snapshot, context)
    files = snapshot.files(FILE_COLUMNS)
    if predicate is not None:
        files = chosen_files(files, partition_predicate(predicate, snapshot, context), snapshot, context)
    if needed and files.num_rows == 0:
        caret = context.caret(spec[0].column.start, spec[-1].column.end) if spec else None
        raise errors.PartitionNotFoundError(str(table), partition_text(spec, snapshot)).at(caret)
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
            raise errors.NotAPartitionColumnError(str(item.column), snapshot.table, columns).at(caret)
        if item.value is None:
            raise errors.PartitionWithoutValueError(str(item.column)).at(caret)
        terms.append(f"{quote(names[parts[0]])} <=> ({item.value.text})")
    return SqlText(" AND ".join(terms), spec[0].column.start) if spec else None


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
            raise errors.NonPartitionPredicateError(column, snapshot.table, partitions).at(caret)
        variables.append((reference.start, reference.end, value))
    return splice(predicate.text, variables).sql if variables else predicate.text


def _refuse_unsteady(predicate: SqlText, snapshot: Snapshot, context: Context) -> None:
    """Raises PartitionPredicateError for a condition that is more than one of a partition's values."""
    if has_subquery(predicate.text) or not is_deterministic(predicate.text):
        caret = context.caret(predicate.start, predicate.end)
        raise errors.PartitionPredicateError(table=snapshot.table, predicate=predicate.text).at(caret)


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
    columns = ", ".join([hidden_names.PARTITION_NUMBER, *(quote(field.name) for field in fields)])
    values = ", ".join(f"({text})" for text in texts)
    value = context.analyst.value(
        f"(SELECT collect_list({hidden_names.PARTITION_NUMBER}) "
        f"FROM VALUES {values} AS {hidden_names.PARTITIONS}({columns}) WHERE {predicate})"
    )
    return files.take(rows_with(numbers, value))


@dataclass(frozen=True, slots=True)
class DescribeTable(LogicalPlan):
    """{DESCRIBE | DESC} [TABLE] [EXTENDED | FORMATTED] t [PARTITION (column = value, …)] [column] [AS JSON]"""

    reads_only: ClassVar[bool] = True

    extended: bool
    table: TableName
    partition: tuple[PartitionValue, ...]
    column: ColumnPath | None
    as_json: bool


@dataclass(frozen=True, slots=True)
class DescribeDetail(LogicalPlan):
    """{DESCRIBE | DESC} DETAIL {t | 'path'}"""

    reads_only: ClassVar[bool] = True

    table: TableName


@dataclass(frozen=True, slots=True)
class DescribeHistory(LogicalPlan):
    """{DESCRIBE | DESC} HISTORY {t | 'path'} [LIMIT n]"""

    reads_only: ClassVar[bool] = True

    table: TableName
    limit: int | None


@dataclass(frozen=True, slots=True)
class DescribeSchema(LogicalPlan):
    """{DESCRIBE | DESC} {SCHEMA | DATABASE} [EXTENDED] s"""

    reads_only: ClassVar[bool] = True

    extended: bool
    schema: TableName


@dataclass(frozen=True, slots=True)
class ShowTables(LogicalPlan):
    """SHOW TABLES [{IN | FROM} s] [[LIKE] 'pattern']"""

    reads_only: ClassVar[bool] = True

    schema: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowDroppedTables(LogicalPlan):
    """SHOW TABLES DROPPED [{IN | FROM} s] [LIMIT n]"""

    reads_only: ClassVar[bool] = True

    schema: TableName | None
    limit: int | None


@dataclass(frozen=True, slots=True)
class ShowTableExtended(LogicalPlan):
    """SHOW TABLE EXTENDED [{IN | FROM} s] [[LIKE] 'pattern'] [PARTITION (column = value, …)]"""

    reads_only: ClassVar[bool] = True

    schema: TableName | None
    pattern: str | None
    partition: tuple[PartitionValue, ...]


@dataclass(frozen=True, slots=True)
class ShowViews(LogicalPlan):
    """SHOW VIEWS [{IN | FROM} s] [[LIKE] 'pattern']"""

    reads_only: ClassVar[bool] = True

    schema: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowSchemas(LogicalPlan):
    """SHOW {SCHEMAS | DATABASES} [{IN | FROM} c] [[LIKE] 'pattern']; the catalog is written like a table's name"""

    reads_only: ClassVar[bool] = True

    catalog: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowCurrentSchema(LogicalPlan):
    """SHOW CURRENT {NAMESPACE | SCHEMA | DATABASE}"""

    reads_only: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ShowCatalogs(LogicalPlan):
    """SHOW CATALOGS [[LIKE] 'pattern']"""

    reads_only: ClassVar[bool] = True

    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowColumns(LogicalPlan):
    """SHOW COLUMNS {IN | FROM} t [{IN | FROM} s]; the schema is already joined to the table's name"""

    reads_only: ClassVar[bool] = True

    table: TableName


@dataclass(frozen=True, slots=True)
class ShowTableProperties(LogicalPlan):
    """SHOW TBLPROPERTIES t [(key)]"""

    reads_only: ClassVar[bool] = True

    table: TableName
    key: str | None


@dataclass(frozen=True, slots=True)
class ShowCreateTable(LogicalPlan):
    """SHOW CREATE TABLE t"""

    reads_only: ClassVar[bool] = True

    table: TableName


@dataclass(frozen=True, slots=True)
class ShowPartitions(LogicalPlan):
    """SHOW PARTITIONS t [PARTITION (column = value, …)]"""

    reads_only: ClassVar[bool] = True

    table: TableName
    partition: tuple[PartitionValue, ...]


@dataclass(frozen=True, slots=True)
class Explain(LogicalPlan):
    """EXPLAIN [EXTENDED | FORMATTED | CODEGEN | COST | ANALYZE] statement, whose own text is that from `start` on"""

    reads_only: ClassVar[bool] = True

    mode: str | None
    statement: LogicalPlan
    start: int


@builds("show_columns")
def _show_columns(children: list[Any], tree: Tree, text: str) -> ShowColumns:
    """The schema given apart comes before the table's own name, in place of the schema that it names."""
    table, schema = children
    if schema is None:
        return ShowColumns(table)
    return ShowColumns(TableName((*schema.parts, table.parts[-1]), table.start, schema.end))


@builds("explain_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0]).upper()


@builds("explain")
def _explain(children: list[Any], tree: Tree, text: str) -> Explain:
    mode, statement = children
    return Explain(mode, statement, tree.children[1].start)


@plan.register
def plan_show_partitions(statement: ShowPartitions, context: Context) -> Plan:
    """The distinct tuples of partition values, each column with its own type, in order."""
    table = statement.table
    if context.is_view(table):
        raise errors.ShowPartitionsOfViewError(view=str(table)).at(context.caret(table.start, table.end))
    snapshot = table_snapshot(context, table)
    refuse_enforced("SHOW PARTITIONS", table, snapshot.location, context)
    files = partition_files(statement.partition, table, snapshot, context)
    return Answer(*partition_rows(files, snapshot))
