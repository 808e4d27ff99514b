"""Auto compaction: which files of a table a write puts together. Source: features of Delta, auto compaction."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.base.lazy import pa, pc
from deltasql.base.settings.session_settings import (
    AUTO_COMPACT,
    AUTO_COMPACT_MAX_FILE_SIZE,
    AUTO_COMPACT_MIN_FILE_SIZE,
    AUTO_COMPACT_MIN_FILES,
    AUTO_COMPACT_WRITTEN_ONLY,
    SessionSettings,
)
from deltasql.log.actions import actions
from deltasql.log.actions.bin_packing import alike, joined_numbers, numbers_of, packed, partition_numbers
from deltasql.log.properties.property_registry import AUTO_COMPACT as TABLE_COMPACTS
from deltasql.log.properties.property_registry import AUTO_OPTIMIZE, TARGET_FILE_SIZE, TableProperties
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.planner.changes import Plan
from deltasql.planner.context import Context
from deltasql.statements.clustering_columns import cube_ids
from deltasql.statements.rules.files.optimize import layout_of

_PARAMETERS = {"predicate": "[]", "zOrderBy": "[]", "clusterBy": "[]", "auto": True}


def compacts(properties: TableProperties, settings: SessionSettings) -> bool:
    """Whether writes to a table put its small files together: the session's setting, else the table's properties."""
    given = (settings[AUTO_COMPACT], properties[TABLE_COMPACTS], properties[AUTO_OPTIMIZE])
    return next((value for value in given if value is not None), False)


def auto_compaction(log: DeltaLog, written: Collection[tuple[str | None, ...]], context: Context) -> Plan | None:
    """The plan that puts small files together, in each partition with enough of them; None where there is none.

    `written` are the partitions that were written to, as values in the order of the partition columns, as the log
    spells them. A file stays in its cube. Files of a table that an external catalog arranges are left to it.
    """
    if context.catalog.external.manager(log.location) is not None:
        return None
    snapshot = log.snapshot()
    limit = context.setting(AUTO_COMPACT_MAX_FILE_SIZE)
    if context.settings.stored(AUTO_COMPACT_MAX_FILE_SIZE.name) is None:
        limit = snapshot.metadata.properties[TARGET_FILE_SIZE] or limit
    least = context.setting(AUTO_COMPACT_MIN_FILE_SIZE) or limit // 2
    files = snapshot.files(("size", "partitionValues"))
    small = files.filter(pc.less(files.column("size"), least))
    if small.num_rows < context.setting(AUTO_COMPACT_MIN_FILES):
        return None
    layout = layout_of(log, snapshot, actions.OPTIMIZE, _PARAMETERS, None, context)
    files = layout.files.filter(pc.less(layout.files.column("size"), least))
    numbers = partition_numbers(files)
    enough = alike(numbers) >= context.setting(AUTO_COMPACT_MIN_FILES)
    if context.setting(AUTO_COMPACT_WRITTEN_ONLY):
        enough &= _are_in(files, written)
    files, numbers = files.filter(pa.array(enough)), numbers[enough]
    groups = joined_numbers([numbers, numbers_of(cube_ids(files))], files.num_rows)
    return layout.change(*packed(files, groups, limit, singles=False))


def _are_in(files: pa.Table, partitions: Collection[tuple[str | None, ...]]) -> list[bool]:
    """For each file, whether it is in one of the partitions."""
    rows = files.column("partitionValues").to_pylist()
    return [tuple(None if value is None else str(value) for value in row.values()) in partitions for row in rows]
