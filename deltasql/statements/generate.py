"""GENERATE symlink_format_manifest: writes texts that name the files of the newest version, without a commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deltasql.base import errors
from deltasql.log import marked_files
from deltasql.plan import Alone, ColumnPath, LogicalPlan, TableName
from deltasql.planner import Context, ManifestChange, Plan, plan


@dataclass(frozen=True, slots=True)
class Generate(LogicalPlan):
    """GENERATE symlink_format_manifest FOR TABLE t"""

    alone: ClassVar[tuple[str, Alone] | None] = ("GENERATE", Alone.STATES)

    mode: ColumnPath
    table: TableName


_MODE = "symlink_format_manifest"


@plan.register
def plan_generate(statement: Generate, context: Context) -> Plan:
    name = statement.table
    context.refuse_version(name)
    caret = context.caret(name.start, name.end)
    mode = statement.mode
    if ".".join(mode.parts).lower() != _MODE:
        raise errors.ManifestModeError(mode=str(mode)).at(context.caret(mode.start, mode.end))
    if context.is_view(name):
        raise errors.WrongObjectError(
            "GENERATE", "table", str(name), "view", "GENERATE … FOR the table that it reads"
        ).at(caret)
    log, snapshot = context.log(name), context.snapshot(name)
    snapshot.check_readable()
    if snapshot.properties.maps_columns:
        raise errors.MappedManifestError(table=snapshot.table).at(caret)
    files = snapshot.live_adds(("deletionVector",))
    if files.filter(marked_files(files)).num_rows:
        raise errors.ManifestVectorsError(table=snapshot.table).at(caret)
    return ManifestChange(log, snapshot)
