"""FSCK REPAIR TABLE: the log forgets files that are not there."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class Fsck(LogicalPlan):
    """FSCK REPAIR TABLE t [METADATA ONLY] [DRY RUN]"""

    table: TableName
    dry_run: bool
