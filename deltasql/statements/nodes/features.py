"""ALTER TABLE … DROP FEATURE."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class FeatureName:
    """A table feature as the statement spells it, and where."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DropFeature(LogicalPlan):
    """ALTER TABLE t DROP FEATURE f [TRUNCATE HISTORY]"""

    table: TableName
    feature: FeatureName
    truncate_history: bool
