"""In-process evaluation of INSERT … SELECT and CREATE TABLE … AS.

For few rows a request to the engine takes longer than their computation; many rows take longer to send than to compute.
Every expression must be known to evaluate as in Spark (see `sql.evaluated`), and sources are those of `sources`. Any
other statement is left to an engine. Rows of literals, or that the caller has in memory, need no engine either.
"""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base import LeftToEngineError, pa
from deltasql.engines.choice import spreads_rows
from deltasql.engines.local.rewrites import refuse_long_names, require_satisfied, row_checks
from deltasql.engines.local.selections import (
    computed_table,
    require_plain,
    rows_of,
)
from deltasql.engines.local.sources import LocalRows, local_rows
from deltasql.files import (
    CORES,
    FileStage,
    Piece,
    SessionFacts,
    Staged,
    reader_schema,
    require_memory,
)
from deltasql.plan import (
    EVALUATED,
    IN_MEMORY,
    Check,
    ComputedBy,
    Constraint,
    Literals,
    MemoryRows,
    Operator,
    Project,
    SqlQuery,
    Way,
    Write,
)
from deltasql.sql import (
    RowScope,
    current_micros,
    value_of,
)


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
