"""INSERT … SELECT and CREATE TABLE … AS whose rows and values are certain: this process reads and writes them itself.

Sources are those of `engine.evaluation.sources`, values what `sql/evaluated` reads. Whatever is not certain is left to
an engine. Rows that a statement spells out, or that the caller has in memory, need none either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltasql.engine.evaluation.sources import HereRows, here_rows
from deltasql.engine.evaluation.values import checked_table, rows_of
from deltasql.engine.reading.file_reader import arrow_schema
from deltasql.engine.reading.frames import Frames
from deltasql.engine.reading.plain_scans import are_plain
from deltasql.engine.writing.stage import Stage
from deltasql.plan.operators import Check, Constraint, HeldRows, Literals, Operator, Project, Query, Write
from deltasql.runtime import Staged
from deltasql.schema.types import STRING, StructType
from deltasql.sql.cursor import LeftToSparkError
from deltasql.sql.evaluated.expressions import RowScope, row_condition, value_of

if TYPE_CHECKING:
    import pyarrow as pa

_LONGEST_NAME = 60
"""Bytes of a text that a directory is called after: of longer ones an engine says whether they are too long."""


def written_here(frames: Frames, operator: Write, stage: Stage) -> Staged | None:
    """Stages the rows of `operator`; None, with nothing staged, where an engine is to compute them.

    That is also so where a row breaks a constraint: the engine says which. Raises DataFileNotFoundError,
    UnreadableDataFileError, NothingToHoldError, StorageError.
    """
    match operator.child:
        case Literals() as rows:
            return stage.write_literals(rows)
        case HeldRows() as rows:
            return stage.write_held_rows(rows)
    if not frames.spark.leaves_computing_to_us or operator.single_file or stage.stores_partitions:
        return None
    if not are_plain(operator.output, operator.partition_columns):
        return None
    try:
        table = _rows(frames, operator)
        refuse_long_names(table, operator.output, operator.partition_columns)
    except LeftToSparkError:
        return None
    return stage.write_held_rows(HeldRows(operator.output, table)) if table.num_rows else stage.nothing()


def refuse_long_names(rows: pa.Table, schema: StructType, partition_columns: tuple[str, ...]) -> None:
    """Raises LeftToSparkError where a directory might not be called after a text."""
    import pyarrow.compute as pc

    for name in partition_columns:
        field = schema.find(name)
        if field is None or field.type != STRING:
            continue
        texts = pc.unique(rows.column(field.name)).drop_null()
        longest = pc.max(pc.binary_length(texts)).as_py() or 0
        if longest > _LONGEST_NAME or pc.any(pc.match_substring(texts, "\0")).as_py():
            raise LeftToSparkError


def _rows(frames: Frames, operator: Write) -> pa.Table:
    """The columns of the output. Raises LeftToSparkError where a value is not certain, or breaks a constraint."""
    project, checks = _unchecked(operator.child)
    names = [name for name, _ in project.columns]
    if project.declared or names != list(operator.output.names):
        raise LeftToSparkError
    source = _source(frames, project.child)
    scope, output = RowScope({"": source.schema}), operator.output
    pairs = zip(project.columns, output, strict=True)
    expressions = [value_of(text, field.type, scope) for (_, text), field in pairs]
    conditions = [row_condition(check.condition, RowScope({"": output})) for check in checks]
    return checked_table(expressions, rows_of("", source.read()), arrow_schema(output), conditions)


def _unchecked(operator: Operator) -> tuple[Project, list[Constraint]]:
    """What rows are made of, and what they must satisfy. Raises LeftToSparkError for other operators."""
    checks = list[Constraint]()
    while isinstance(operator, Check):
        checks += operator.conditions
        operator = operator.child
    if not isinstance(operator, Project):
        raise LeftToSparkError
    return operator, checks


def _source(frames: Frames, operator: Operator) -> HereRows:
    """The rows that values are made of. Raises LeftToSparkError where this process has not got them."""
    renaming = operator.renames if isinstance(operator, Query) else None
    if renaming is None:
        return here_rows(frames.spark, operator, frames.parquet_files)
    found = here_rows(frames.spark, renaming.query, frames.parquet_files)
    return found.renamed(renaming.names)
