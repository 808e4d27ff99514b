"""Statements of Hive tables, which are parsed, and refused if their table exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deltasql.base import Caret, errors
from deltasql.catalog import TableSource
from deltasql.plan import LogicalPlan, TableName
from deltasql.planner import Answer, Context, Plan, plan
from deltasql.sql import Tree, builds


@dataclass(frozen=True, slots=True)
class Refused(LogicalPlan):
    """A statement of Hive tables: `operation` is its name, `advice` says what to write for a Delta table."""

    operation: str
    table: TableName
    advice: str


_ROWS = "A partition comes with its first row and goes with its last: use INSERT and DELETE FROM … WHERE."
_FORMAT = "Delta tables keep Parquet files; their options are table properties: SET TBLPROPERTIES."
_LOG = "The log knows the table's files. To take files out that are gone, run FSCK REPAIR TABLE."
_REFUSED = {
    "add_partition": ("ALTER TABLE ADD PARTITION", _ROWS),
    "drop_partition": ("ALTER TABLE DROP PARTITION", _ROWS),
    "alter_partition": ("ALTER TABLE PARTITION", _ROWS),
    "recover_partitions": ("ALTER TABLE RECOVER PARTITIONS", _LOG),
    "set_serde": ("ALTER TABLE SET SERDE", _FORMAT),
    "set_file_format": ("ALTER TABLE SET FILEFORMAT", _FORMAT),
    "truncate_partition": ("TRUNCATE TABLE PARTITION", "Write DELETE FROM … WHERE with the partition's values."),
    "repair_table": ("MSCK REPAIR TABLE", _LOG),
    "load_data": ("LOAD DATA", "Write INSERT INTO … SELECT * FROM parquet.`/path`."),
}


@builds(*_REFUSED)
def _refused(children: list[Any], tree: Tree, text: str) -> Refused:
    operation, advice = _REFUSED[tree.name]
    (table,) = (child for child in children if isinstance(child, TableName))
    return Refused(operation, table, advice)


_REPAIRS = frozenset({"MSCK REPAIR TABLE", "ALTER TABLE RECOVER PARTITIONS"})
_FOLDERS = "Its partitions are the folders below its location, as they are when it is read. Write or remove files."
_STORED = "Drop it, which leaves the files of an external table, and create it with other clauses."


@plan.register
def plan_refused(statement: Refused, context: Context) -> Plan:
    """Raises HiveStatementError, TruncatePartitionError; first what is wrong with the table's name."""
    caret = context.caret(statement.table.start, statement.table.end)
    foreign = context.foreign(statement.table)
    if foreign is not None and foreign.source is not None:
        return _of_files(statement, foreign.source, caret)
    context.location(statement.table)
    if statement.operation == "TRUNCATE TABLE PARTITION":
        raise errors.TruncatePartitionError(str(statement.table), statement.advice).at(caret)
    raise errors.HiveStatementError(statement.operation, str(statement.table), statement.advice).at(caret)


def _of_files(statement: Refused, source: TableSource, caret: Caret) -> Answer:
    """A table of another format: there is nothing to repair, since folders are listed when it is read."""
    if statement.operation in _REPAIRS:
        return Answer()
    advice = _FOLDERS if "PARTITION" in statement.operation else _STORED
    raise errors.SourceOperationError(statement.operation, str(statement.table), source.format, advice).at(caret)
