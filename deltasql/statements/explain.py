"""EXPLAIN: the effects of a statement, from its plan, without running it.

The sections are the statement's node, one field a line, in words of SQL; the physical plan and the commit; and the
concurrent commits that would conflict with the change. The conflict rules are in `log.commit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from typing_extensions import assert_never

from deltasql.base import Caret, counted, errors, tokens_from, without_secrets_of
from deltasql.log import IsolationLevel, Metadata, operations, table_properties
from deltasql.plan import (
    Check,
    ColumnPath,
    Literals,
    LogicalPlan,
    MemoryRows,
    Number,
    Operator,
    Project,
    PythonFunction,
    Reads,
    Rearrange,
    Rewrite,
    Scan,
    SourceFiles,
    SqlFunction,
    SqlQuery,
    SqlText,
    Supplied,
    TableName,
    UnionAll,
    Write,
    children,
)
from deltasql.planner import (
    Analysis,
    Answer,
    AtomicBlock,
    CatalogChange,
    CloneChange,
    CommitSpec,
    Context,
    FileRemoval,
    FileTransfer,
    FunctionChange,
    LayoutChange,
    LogRows,
    ManifestChange,
    Plan,
    Preview,
    ProcedureCall,
    QueryRows,
    RowChange,
    SettingChange,
    SourceWrite,
    SparkCommand,
    Stepwise,
    TableChange,
    TransactionStep,
    ViewChange,
    plan,
    scans,
)
from deltasql.schema import (
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    path_text,
    type_text,
)
from deltasql.schema import quote_name as quote
from deltasql.statements.columns import AddedColumn
from deltasql.statements.idempotency import refuse_refreshed
from deltasql.statements.insert import PartitionValue, ReplaceWhere
from deltasql.statements.inspect import Explain
from deltasql.statements.merge import (
    DeleteAction,
    InsertAction,
    InsertStarAction,
    MergeAction,
    MergeClause,
    UpdateAction,
    UpdateStarAction,
)
from deltasql.statements.table import ColumnDefinition, PartitionColumn
from deltasql.statements.update import Assignment

TextOf = Callable[[SqlText], str]
"""Gives the text of a part of the statement."""


def logical_lines(node: LogicalPlan, text_of: TextOf) -> list[str]:
    """The statement's node, one field a line, and one line for each clause of MERGE."""
    lines = [type(node).__name__]
    for item in fields(node):  # type: ignore[arg-type]
        value = getattr(node, item.name)
        if value in (None, (), False) or item.name in {"start", "end"}:
            continue
        if isinstance(value, tuple) and isinstance(value[0], MergeClause):
            lines += [f"  {shown(clause, text_of)}" for clause in value]
            continue
        lines.append(f"  {item.name}: {shown(value, text_of)}")
    return lines


def shown(value: Any, text_of: TextOf) -> str:
    """A field's value in the words of the statement."""
    match value:
        case SqlText():
            return " ".join(text_of(value).split())
        case TableName() | ColumnPath():
            return str(value)
        case PrimitiveType() | DecimalType() | ArrayType() | MapType() | StructType():
            return type_text(value)
        case (str(key), str(text)):
            # As it is: what must not be told is looked for in the whole.
            return f"{key} = '{text}'"
        case tuple():
            return f"[{', '.join(shown(item, text_of) for item in value)}]"
        case _ if is_dataclass(value):
            return _part(value, text_of)
        case _:
            return str(getattr(value, "value", value))


def _part(value: Any, text_of: TextOf) -> str:
    """A part of a statement that is a record of its own."""
    match value:
        case Assignment(target, assigned):
            return f"{target} = {_or_default(assigned, text_of)}"
        case PartitionValue(column, constant):
            return str(column) if constant is None else f"{column} = {shown(constant, text_of)}"
        case ReplaceWhere(predicate):
            return f"where {shown(predicate, text_of)}"
        case MergeClause(kind, condition, action):
            when = kind.value if condition is None else f"{kind.value} AND {shown(condition, text_of)}"
            return f"{when} THEN {_action(action, text_of)}"
        case AddedColumn() | ColumnDefinition():
            return " ".join(_column(value, text_of))
        case PartitionColumn(name=name, type=kind):
            return quote(name) if kind is None else f"{quote(name)} {type_text(kind)}"
        case _:
            return _record(value, text_of)


def _record(value: Any, text_of: TextOf) -> str:
    """A record that has no words of its own."""
    inner = ", ".join(
        f"{item.name}={shown(getattr(value, item.name), text_of)}"
        for item in fields(value)
        if item.name not in {"start", "end", "type_text"} and getattr(value, item.name) not in (None, ())
    )
    return f"{type(value).__name__}({inner})"


def _or_default(value: SqlText | None, text_of: TextOf) -> str:
    return "DEFAULT" if value is None else shown(value, text_of)


def _action(action: MergeAction, text_of: TextOf) -> str:
    match action:
        case DeleteAction():
            return "DELETE"
        case UpdateAction(assignments):
            return f"UPDATE SET {', '.join(shown(item, text_of) for item in assignments)}"
        case UpdateStarAction(excluded):
            return f"UPDATE SET *{_except(excluded)}"
        case InsertStarAction(excluded):
            return f"INSERT *{_except(excluded)}"
        case InsertAction(columns, values):
            names, new_values = ", ".join(map(str, columns)), ", ".join(_or_default(item, text_of) for item in values)
            return f"INSERT ({names}) VALUES ({new_values})"


def _except(columns: tuple[ColumnPath, ...]) -> str:
    return f" EXCEPT ({', '.join(map(str, columns))})" if columns else ""


def _column(column: AddedColumn | ColumnDefinition, text_of: TextOf) -> Iterator[str]:
    yield str(column.path) if isinstance(column, AddedColumn) else quote(column.name)
    yield " ".join(column.type_text.split()) or type_text(column.type)
    if not column.nullable:
        yield "NOT NULL"
    if column.default is not None:
        yield f"DEFAULT {shown(column.default, text_of)}"
    if isinstance(column, ColumnDefinition):
        if column.generated is not None:
            yield f"GENERATED ALWAYS AS ({shown(column.generated, text_of)})"
        if column.identity is not None:
            yield "GENERATED AS IDENTITY"
    if column.comment is not None:
        yield f"COMMENT '{column.comment}'"
    if isinstance(column, AddedColumn):
        if column.first:
            yield "FIRST"
        if column.after is not None:
            yield f"AFTER {quote(column.after)}"


def conflict_lines(change: TableChange | RowChange | LayoutChange) -> list[str]:
    """The read set of the change, and the concurrent commits that conflict with it; none for a new table."""
    snapshot = change.commit.snapshot
    if snapshot is None:
        return []
    return [
        "== Conflicts ==",
        *_explained_statement_read(change.commit.reads, snapshot.version),
        *_judged(change, snapshot.properties[table_properties.ISOLATION_LEVEL]),
    ]


def _explained_statement_read(reads: Reads | None, version: int) -> Iterator[str]:
    if reads is None:
        yield "read: no rows"
        return
    files = counted(len(reads.files), "files")
    predicate = " ".join((reads.predicate or "").split())
    where = f" where {predicate}" if predicate not in {"", "TRUE"} and not reads.whole_table else ""
    yield f"read: {'the whole table' if reads.whole_table else files} of version {version}{where}"


def _judged(change: TableChange | RowChange | LayoutChange, level: str) -> Iterator[str]:
    yield "conflicts with: changes of schema, properties or features"
    if change.commit.reads is None:
        return
    if isinstance(change, LayoutChange):
        yield "conflicts with: removals of these files, as far as their rows cannot be moved after"
        return
    by_rows = isinstance(change, RowChange) and change.rows.probe is not None
    touched = "changes of the same rows" if by_rows else "removals of these files"
    # Whoever writes new metadata has looked at all rows, whatever the level.
    writes_metadata = any(isinstance(action, Metadata) for action in change.commit.actions)
    lenient = level == IsolationLevel.WRITE_SERIALIZABLE.value and not writes_metadata
    appends = f"appends alone do not conflict ({level})" if lenient else "appends too"
    yield f"conflicts with: {touched}, and new rows that it should have read; {appends}"
    if isinstance(change, RowChange) and change.rows.advice:
        yield f"note: {change.rows.advice}"


ANALYZE = "ANALYZE"
PLAN = StructType((StructField("plan", STRING, False),))


@plan.register
def plan_explain(statement: Explain, context: Context) -> Plan:
    """Logical plan, physical operators with the files left after pruning, the commit, and its conflicts.

    A mode adds the SQL of each value and condition, and Spark's own plan of the rows in that mode. ANALYZE also runs
    the statement, up to its commit, and shows the row counts.
    """
    refuse_refreshed(statement.statement, context)
    planned = plan(statement.statement, context)
    lines = [
        "== Logical Plan ==",
        *logical_lines(statement.statement, context.text_with_markers),
        *physical_lines(planned),
    ]
    lines += [*_ways(planned, context), *_movers(planned, context)]
    if isinstance(planned, (RowChange, TableChange, LayoutChange)) and not _changes_nothing(planned):
        lines += conflict_lines(planned)
    mode = "FORMATTED" if statement.mode == ANALYZE else statement.mode
    if mode is not None and isinstance(planned, (QueryRows, Preview, RowChange)):
        lines += _section("Expressions", expressions(planned.operator))
        lines += [line for rows in _computed(planned.operator) for line in _of_spark(rows, mode, context)]
    # A plan tells the statement in words of its own, which positions in the text do not lead to.
    text = without_secrets_of(context.sql, context.bound.without_values("\n".join(lines)))
    if statement.mode != ANALYZE:
        return Answer(PLAN, ((text,),))
    verb = next(tokens_from(context.sql, statement.start))
    return _analysis(planned, text, context.caret(verb.start, verb.end))


def _analysis(planned: Plan, text: str, caret: Caret) -> Plan:
    """The plan that computes the rows of `planned`. Raises NothingToAnalyzeError."""
    match planned:
        case LogRows(rows=rows):
            return Answer(PLAN, ((f"{text}\n== Analysis ==\nrows: {len(rows):,}\nread: no data file",),))
        case QueryRows(operator) | RowChange(operator=operator):
            return Analysis(planned, text, _read(list(scans(operator))))
        case _:
            raise errors.NothingToAnalyzeError().at(caret)


def _read(scans: Sequence[Scan]) -> str:
    """Number and bytes of the files of some scans, with their number before pruning."""
    files, total = sum(item.files.num_rows for item in scans), sum(item.pruning.total_files for item in scans)
    return f"{files:,} of {total:,} files, {sum(map(_size, scans)):,} bytes" if files else "no data file"


def _section(title: str, lines: Iterator[str]) -> list[str]:
    section = list(lines)
    return [f"== {title} ==", *section] if section else []


def _computed(operator: Operator) -> tuple[Operator, ...]:
    """The operators that Spark computes before files are rewritten or written."""
    match operator:
        case Literals() | Write(child=Literals()):
            return ()
        case Write(child=rows):
            return (rows,)
        case Rewrite(source=source):
            return () if source is None else (source,)
        case _:
            return (operator,)


def _of_spark(rows: Operator, mode: str, context: Context) -> list[str]:
    return ["== Spark's Plan ==", *context.analyst.spark_plan(rows, mode.lower()).strip().splitlines()]


def physical_lines(planned: Plan) -> list[str]:  # noqa: C901, PLR0912 - one case per plan
    """The lines of the physical plan and of the commit's actions."""
    match planned:
        case Answer() | LogRows():
            return ["== Physical Plan ==", _answer_text(planned)]
        case QueryRows(operator) | Preview(operator):
            return ["== Physical Plan ==", *tree(operator)]
        case SparkCommand(_, relations):
            inner = [line for operator in relations.values() for line in tree(operator, "  ")]
            return ["== Physical Plan ==", "SparkCommand", *inner]
        case RowChange() | LayoutChange():
            return ["== Physical Plan ==", *tree(planned.operator), "== Actions ==", *_actions(planned)]
        case TableChange():
            return ["== Physical Plan ==", "none: the log alone", "== Actions ==", *_actions(planned)]
        case CloneChange():
            return ["== Physical Plan ==", _copied(planned), "== Actions ==", *_actions(planned)]
        case SourceWrite(operator, _, location, source):
            where = f"Write {source.format.upper()} files below {location}"
            return ["== Physical Plan ==", where, *tree(operator, "  ")]
        case FileRemoval():
            inventory = () if planned.inventory is None else tree(planned.inventory, "  ")
            return ["== Physical Plan ==", _unneeded(planned), *inventory]
        case FileTransfer():
            return [
                "== Physical Plan ==",
                f"{'Remove' if planned.target is None else 'Copy'} one file: {planned.shown}",
            ]
        case ManifestChange():
            return ["== Physical Plan ==", f"Write the manifests of version {planned.snapshot.version}"]
        case Stepwise(label):
            return ["== Physical Plan ==", f"several commits: {label}"]
        case AtomicBlock(statements=statements):
            return ["== Physical Plan ==", f"one commit of {len(statements)} statements, planned one after another"]
        case ProcedureCall(name, arguments=arguments):
            return ["== Physical Plan ==", f"the script of the procedure {name}, with {len(arguments)} arguments"]
        case CatalogChange() | SettingChange() | ViewChange() | FunctionChange() | TransactionStep() | Analysis():
            return ["== Physical Plan ==", f"{type(planned).__name__}: no table changes"]
        case _:
            assert_never(planned)


def _answer_text(planned: Answer | LogRows) -> str:
    return (
        planned.explain_text
        if isinstance(planned, LogRows)
        else f"Answer: {len(planned.rows)} rows from the log and the catalog"
    )


def _ways(planned: Plan, context: Context) -> list[str]:
    """The section on the engine that computes the rows, with the reason."""
    match planned:
        case QueryRows(operator) | RowChange(operator=operator) | LayoutChange(operator=operator):
            is_idle = not isinstance(planned, QueryRows) and _changes_nothing(planned)
            return [] if is_idle else ["== Rows ==", f"computed {context.analyst.way(operator)}"]
        case _:
            return []


def _movers(planned: Plan, context: Context) -> list[str]:
    """The section on driver or executors as the movers of data files; none for Spark on a local disk."""
    if not isinstance(planned, (QueryRows, RowChange, LayoutChange)):
        return []
    moved = {
        f"read {item.table.name}": context.analyst.mover(item, item.table.location)
        for item in scans(planned.operator)
        if item.files.num_rows
    }
    if not isinstance(planned, QueryRows) and not _changes_nothing(planned):
        log = planned.commit.log
        moved[f"write {log.table}"] = context.analyst.mover(planned.operator, log.location)
    parts = [f"{what}: by the {who}" for what, who in moved.items() if who is not None]
    return ["== Files ==", *parts] if parts else []


def _copied(clone: CloneChange) -> str:
    if not len(clone.files.data) and not clone.files.vectors:
        return "none: the log alone"
    vectors = f" and {len(clone.files.vectors)} of deletion vectors" if clone.files.vectors else ""
    return f"Copy: {clone.files.copied.files} data files, {clone.files.copied.size} bytes{vectors}"


def _unneeded(removal: FileRemoval) -> str:
    hours = removal.retention_ms / 3_600_000
    verb = "List" if removal.dry_run else "Delete"
    return f"{verb}: {removal.candidates.value}, but for those that a version of the last {hours:g} hours needs"


def tree(operator: Operator, indent: str = "") -> Iterator[str]:
    """An operator and those below it, one a line."""
    yield f"{indent}{describe(operator)}"
    for child in children(operator):
        yield from tree(child, indent + "  ")


def expressions(operator: Operator) -> Iterator[str]:
    """SQL of the values and conditions in an operator and in those below it, one a line."""
    match operator:
        case Project(columns=columns):
            yield from (f"{quote(name)} := {sql}" for name, sql in columns)
        case Check(conditions=conditions):
            yield from (f"check {item.name}: {item.condition}" for item in conditions)
        case Rewrite():
            names = operator.output.names
            for action in operator.actions:
                yield f"{action.kind.value}: {action.effect.value}"
                yield from (f"  {quote(name)} := {sql}" for name, sql in zip(names, action.values, strict=False))
            yield from (f"check {item.name}: {item.condition}" for item in operator.checks)
        case (
            Scan()
            | SourceFiles()
            | UnionAll()
            | SqlQuery()
            | SqlFunction()
            | PythonFunction()
            | Supplied()
            | MemoryRows()
            | Literals()
            | Number()
            | Write()
            | Rearrange()
        ):
            pass
        case _:
            assert_never(operator)
    for child in children(operator):
        yield from expressions(child)


def describe(operator: Operator) -> str:  # noqa: C901, PLR0912 - one case per operator
    """One operator in one line."""
    match operator:
        case Scan() | SourceFiles():
            return _input(operator)
        case UnionAll(inputs):
            return f"UnionAll of {len(inputs)}"
        case PythonFunction(name):
            return f"Function of Python ({name})"
        case SqlQuery() | SqlFunction():
            kind = "Query" if isinstance(operator, SqlQuery) else "Function"
            return f"{kind} ({operator.label or 'SQL'})"
        case Supplied():
            return "Supplied (DataFrame)"
        case Literals() | MemoryRows():
            return f"{type(operator).__name__} [{', '.join(operator.schema.names)}] rows: {operator.rows}"
        case Project():
            return f"Project [{', '.join(name for name, _ in operator.columns)}]"
        case Number():
            return f"Number{' in one task' if operator.single else ''}"
        case Check():
            return f"Check [{'; '.join(item.name for item in operator.conditions)}]"
        case Rewrite():
            actions = ", ".join(
                f"{action.kind.value}{f' AND {action.condition}' if action.condition else ''}: {action.effect.value}"
                for action in operator.actions
            )
            on = f" ON {operator.join.on}" if operator.join else ""
            vectors = ", deletion vectors" if operator.recording.vectors else ""
            changes = ", change data" if operator.recording.changes else ""
            return f"Rewrite{on} [{actions}]{vectors}{changes}"
        case Write():
            by = f" partitioned by ({', '.join(operator.partition_columns)})" if operator.partition_columns else ""
            return f"Write [{', '.join(operator.output.names)}]{by}"
        case Rearrange():
            names = ", ".join(path_text(path) for path in operator.columns)
            order = "rows in their order" if operator.curve is None else f"{operator.curve.value} by ({names})"
            return f"Rearrange [{order}] bins: {operator.bins[-1].as_py() + 1 if len(operator.bins) else 0}"
        case _:
            assert_never(operator)


def _input(operator: Scan | SourceFiles) -> str:
    if isinstance(operator, SourceFiles):
        return f"SourceFiles {operator.format.upper()} of {operator.root} files: {len(operator.files)}"
    selected, pruned = operator.files.num_rows, operator.pruning.total_files - operator.files.num_rows
    columns = ", ".join(operator.schema.names)
    why = "" if operator.pruning.predicate is None else f" where {' '.join(operator.pruning.predicate.split())}"
    read = f"{selected} read ({_size(operator):,} bytes)" if selected else "0 read"
    return f"Scan {operator.table.name}@v{operator.table.version} [{columns}] files: {read}, {pruned} pruned{why}"


def _size(operator: Scan) -> int:
    """Bytes of the files that are read."""
    return sum(size or 0 for size in operator.files.column("size").to_pylist())


def _reason(commit: CommitSpec) -> str:
    """The mode of a refresh, and the reason for it."""
    if commit.operation is not operations.REFRESH:
        return ""
    return f" {commit.parameters['mode']}: {commit.parameters['reason']}"


def _actions(change: TableChange | RowChange | LayoutChange | CloneChange) -> Iterator[str]:
    """The actions of the commit, as far as they are known before the rows are."""
    if _changes_nothing(change):
        yield "no commit: nothing can change"
        return
    version = 0 if change.commit.snapshot is None else change.commit.snapshot.version + 1
    yield f"version {version}: {change.commit.operation.name}{_reason(change.commit)}"
    if isinstance(change, LayoutChange):
        yield f"  remove: {change.operator.target.files.num_rows} files"
        yield "  add: the files written"
        return
    for name, number in Counter(_name(action) for action in change.commit.actions).items():
        yield f"  {name}" if number == 1 else f"  {name}: {number}"
    if isinstance(change, CloneChange):
        yield f"  remove: {change.files.removed.num_rows} files"
        yield f"  add: {change.files.added.num_rows} files"
        return
    if change.removed is not None:
        yield f"  remove: {change.removed.num_rows} files"
    if isinstance(change, RowChange):
        if change.load is not None:
            yield f"  txn: {len(change.load.new)} files are loaded"
        if isinstance(change.operator, Rewrite):
            yield f"  remove: up to {change.operator.target.files.num_rows} files"
        yield "  add: the files written"


def _changes_nothing(change: TableChange | RowChange | LayoutChange | CloneChange) -> bool:
    """Whether it is certain before any row is read that no version will be committed."""
    match change:
        case TableChange(skip_if_empty=True):
            return not change.commit.actions and (change.removed is None or not change.removed.num_rows)
        case RowChange(skip_if_empty=True, operator=Rewrite() as operator):
            return not change.commit.actions and operator.source is None and not operator.target.files.num_rows
        case _:
            return False


def _name(action: object) -> str:
    names = {"Metadata": "metaData", "Protocol": "protocol", "AddFile": "add", "RemoveFile": "remove"}
    return names.get(type(action).__name__, type(action).__name__)
