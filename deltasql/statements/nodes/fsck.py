"""FSCK REPAIR TABLE: removes missing files from the log."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class Fsck(LogicalPlan):
    """FSCK REPAIR TABLE t [METADATA ONLY] [DRY RUN]"""

    table: TableName
    dry_run: bool
