"""FSCK REPAIR TABLE: removes files of the newest version from the log that are missing in the storage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deltasql.base import pa, pc, session_settings
from deltasql.log import absolute, operations
from deltasql.plan import Alone, LogicalPlan, Reads, TableName
from deltasql.planner import Answer, CommitSpec, Context, Plan, TableChange, plan
from deltasql.schema import BOOLEAN, STRING, StructField, StructType


@dataclass(frozen=True, slots=True)
class Fsck(LogicalPlan):
    """FSCK REPAIR TABLE t [METADATA ONLY] [DRY RUN]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("FSCK REPAIR TABLE", Alone.MENDS)

    table: TableName
    dry_run: bool


FSCK_COLUMNS = StructType(
    (
        StructField("dataFilePath", STRING, False),
        StructField("dataFileMissing", BOOLEAN, False),
        StructField("deletionVectorPath", STRING),
        StructField("deletionVectorFileMissing", BOOLEAN, False),
    )
)


@plan.register
def plan_fsck(statement: Fsck, context: Context) -> Plan:
    """A file with a missing deletion vector is removed too: its live rows are unknown."""
    from deltasql.log import missing_files

    log, snapshot = context.writable(statement.table)
    files = snapshot.files(("path", "deletionVector", "size"))
    gone, unmarked = missing_files(log.store, files)
    broken = pc.or_(gone, unmarked)
    files = files.append_column("gone", gone).append_column("unmarked", unmarked).filter(broken)
    limit = context.setting(session_settings.FSCK_MOST_ROWS)
    answer = Answer(FSCK_COLUMNS, _rows(files.slice(0, limit), snapshot.location))
    if statement.dry_run:
        return answer
    reads = Reads(None, tuple(files["path"].to_pylist()))
    return TableChange(
        CommitSpec(log, snapshot, operations.FSCK, {}, reads=reads), removed=files, skip_if_empty=True, answer=answer
    )


def _rows(files: pa.Table, root: str) -> tuple[tuple[str, bool, str | None, bool], ...]:
    from deltasql.log import vector_location

    columns = [files[name].to_pylist() for name in ("path", "gone", "deletionVector", "unmarked")]
    return tuple(
        (absolute(path, root), gone, vector_location(vector, root), unmarked)
        for path, gone, vector, unmarked in zip(*columns, strict=True)
    )
