"""INSERT … SELECT and CREATE TABLE … AS in this process, where every value is known to evaluate as in Spark.

Sources are those of `sources`, values those that `sql/evaluated` reads. Anything else is left to an engine. Rows of
literals, or that the caller has in memory, need no engine either.

Constraints of written rows, checked in this process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import np, pa, pc
from deltasql.engines.choice import ViolatedError, shown_columns, spreads_rows
from deltasql.engines.local.plain_scans import require_plain
from deltasql.engines.local.sources import LocalRows, local_rows
from deltasql.engines.local.values import computed_table, rows_of, true_mask
from deltasql.files.memory import SessionFacts, require_memory
from deltasql.files.reading.file_reader import CORES, Piece, reader_schema
from deltasql.files.stage import FileStage
from deltasql.files.staged import Staged
from deltasql.plan.operators import Check, Constraint, Literals, MemoryRows, Operator, Project, SqlQuery, Write
from deltasql.plan.way import EVALUATED, IN_MEMORY, ComputedBy, Way
from deltasql.schema.types import STRING, StructType
from deltasql.sql.constants import current_micros
from deltasql.sql.evaluated.expressions import RowExpression, RowScope, row_condition, value_of

_MOST_ROWS = 100
"""So many violating rows are compared, to see whether they give one error."""


@dataclass(frozen=True, eq=False, slots=True)
class RowCheck:
    """A constraint of written rows, and its compiled condition over their columns."""

    constraint: Constraint
    condition: RowExpression


def row_checks(constraints: Iterable[Constraint], columns: StructType) -> list[RowCheck]:
    """The checks of rows with `columns`. Raises LeftToEngineError where one may differ from the engine's."""
    scope = RowScope({"": columns})
    return [RowCheck(constraint, row_condition(constraint.condition, scope)) for constraint in constraints]


def require_satisfied(checks: Sequence[RowCheck], table: pa.Table, *, in_order: bool = False) -> None:
    """Raises ViolatedError for rows that violate one of `checks`: for the first of them if rows are written `in_order`.

    Raises LeftToEngineError where several errors are possible, or the error shows a value that JSON may spell otherwise
    than Spark does: the engine then chooses, and shows it.
    """
    rows = rows_of("", table)
    before = np.zeros(rows.count, dtype=bool)
    errors = dict[tuple[int, str], ViolatedError]()
    for check in checks:
        # A row is reported for the first constraint that it violates.
        broken = ~true_mask(check.condition, rows) & ~before
        before |= broken
        indexes = np.flatnonzero(broken)
        if len(indexes) > _MOST_ROWS and check.constraint.column is None:
            raise LeftToEngineError("many rows violate a constraint")
        for index in indexes if check.constraint.column is None else indexes[:1]:
            error = ViolatedError(check.constraint, _shown(check.constraint, table, int(index)))
            errors.setdefault((int(index) if in_order else 0, f"{error.constraint.name} {error.row}"), error)
    if len(errors) > 1 and not in_order:
        raise LeftToEngineError("rows violate constraints in several ways")
    if errors:
        raise errors[min(errors)]


def _shown(constraint: Constraint, table: pa.Table, index: int) -> dict[str, Any]:
    """The values of a row that the error of a constraint shows, as JSON has them. Raises LeftToEngineError."""
    if constraint.column is not None:
        return {}
    names = [name for name in table.column_names if name.lower() not in constraint.masked]
    return {name: _as_json(table.column(name)[index]) for name in shown_columns(names, constraint.condition)}


def _as_json(scalar: pa.Scalar) -> Any:
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError):
        # Dates that Python has not.
        raise LeftToEngineError("a row violates a constraint") from None
    if type(value) is date:
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise LeftToEngineError("a row violates a constraint")


_LONGEST_NAME = 60
"""Bytes of a text that a directory is called after: of longer ones an engine says whether they are too long."""


def write_in_process(session: SessionFacts, operator: Write, stage: FileStage) -> Staged:
    """Stages the rows of `operator`. Raises LeftToEngineError, with nothing staged, where an engine computes them.

    Raises ViolatedError, DataFileNotFoundError, UnreadableDataFileError, NothingToHoldError, StorageError.
    """
    match operator.child:
        case Literals() as rows:
            return stage.write_literals(rows)
        case MemoryRows() as rows:
            return stage.write_memory_rows(rows)
    require_writable(session, operator)
    if stage.stores_partitions:
        raise LeftToEngineError("the table keeps partition values in its files")
    source = _rows(session, operator)
    if source.pieces is not None:
        return _streamed(session, source.pieces(), operator, stage)
    table = source.read()
    refuse_long_names(table, operator.output, operator.partition_columns)
    return stage.write_memory_rows(MemoryRows(operator.output, table)) if table.num_rows else stage.nothing()


def _streamed(session: SessionFacts, pieces: Iterator[Piece], operator: Write, stage: FileStage) -> Staged:
    def limited() -> Iterator[Piece]:
        for piece in pieces:
            require_memory(session, CORES * piece.size)
            yield piece

    try:
        return stage.write_pieces(limited(), operator.output)
    except LeftToEngineError:
        stage.discard()
        raise


def planned_write(session: SessionFacts, operator: Write) -> Way:
    """The way of a write, this process or the engine, as far as it is decided before rows are read."""
    if isinstance(operator.child, (Literals, MemoryRows)):
        return Way(ComputedBy.PROCESS, IN_MEMORY)
    try:
        require_writable(session, operator)
        _rows(session, operator)
    except LeftToEngineError as left:
        return Way(ComputedBy.ENGINE, left.reason)
    return Way(ComputedBy.PROCESS, EVALUATED)


def require_writable(session: SessionFacts, operator: Write) -> None:
    """Raises LeftToEngineError where the session, or the columns, leave the rows to the engine."""
    session.require_computing()
    require_plain(operator.output, operator.partition_columns)
    if spreads_rows(operator.child):
        raise LeftToEngineError("a hint of the query says how rows are spread over files")


def refuse_long_names(rows: pa.Table, schema: StructType, partition_columns: tuple[str, ...]) -> None:
    """Raises LeftToEngineError where a directory might not be called after a text."""
    for name in partition_columns:
        field = schema.find(name)
        if field is None or field.type != STRING:
            continue
        texts = pc.unique(rows.column(field.name)).drop_null()
        longest = pc.max(pc.binary_length(texts)).as_py() or 0
        if longest > _LONGEST_NAME or pc.any(pc.match_substring(texts, "\0")).as_py():
            raise LeftToEngineError(f"a value of {name} is too long to be the name of a directory")


def _rows(session: SessionFacts, operator: Write) -> LocalRows:
    """The rows of the output. Reading them raises ViolatedError or LeftToEngineError if one violates a constraint.

    Raises LeftToEngineError at once for a value that this process does not evaluate.
    """
    project, checks = _unchecked(operator.child)
    names = [name for name, _ in project.columns]
    if project.declared:
        raise LeftToEngineError("a column is CHAR or VARCHAR")
    if names != list(operator.output.names):
        raise LeftToEngineError("the columns are not those of the table")
    # Rows of many partitions in pieces would be as many files of each partition.
    streams = not operator.partition_columns and not operator.single_file
    source = _source(session, project.child, streams=streams)
    scope, output = RowScope({"": source.schema}, current_micros()), operator.output
    pairs = zip(project.columns, output, strict=True)
    expressions = [value_of(text, field.type, scope) for (_, text), field in pairs]
    compiled, schema = row_checks(checks, output), reader_schema(output)

    def written(rows: pa.Table) -> pa.Table:
        table = computed_table(expressions, rows_of("", rows), schema)
        require_satisfied(compiled, table, in_order=operator.single_file)
        return table

    return source.mapped(output, written)


def _unchecked(operator: Operator) -> tuple[Project, list[Constraint]]:
    """The projection and the constraints of a write. Raises LeftToEngineError for other operators."""
    checks = list[Constraint]()
    while isinstance(operator, Check):
        checks += operator.conditions
        operator = operator.child
    if not isinstance(operator, Project):
        raise LeftToEngineError("the rows are numbered, or come from several queries")
    return operator, checks


def _source(session: SessionFacts, operator: Operator, *, streams: bool) -> LocalRows:
    """The rows that values are made of. Raises LeftToEngineError where this process has not got them."""
    renaming = operator.renames if isinstance(operator, SqlQuery) else None
    if renaming is None:
        return local_rows(session, operator, streams=streams)
    return local_rows(session, renaming.query, streams=streams).renamed(renaming.names)
