"""SET and RESET of session settings."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, SqlText


@dataclass(frozen=True, slots=True)
class SetSetting(LogicalPlan):
    """SET key = value, SET key, SET [-v]: a missing value reads one setting, a missing key lists all"""

    key: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class ResetSetting(LogicalPlan):
    """RESET [key]"""

    key: str | None


@dataclass(frozen=True, slots=True)
class SetTimeZone(LogicalPlan):
    """SET TIME ZONE { LOCAL | 'zone' | INTERVAL interval }"""

    zone: SqlText
