"""VACUUM: removes files that no retained version needs."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class Vacuum(LogicalPlan):
    """VACUUM {t | 'path'} [LITE | FULL] [USING INVENTORY {t | (query)}] [RETAIN n HOURS] [DRY RUN]

    `lite` is None where neither LITE nor FULL was said. `retain_hours` is a number as text.
    """

    table: TableName
    lite: bool | None
    inventory: SqlText | None
    retain_hours: SqlText | None
    dry_run: bool
