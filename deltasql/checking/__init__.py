"""Checks of SQL that runs nothing: each statement is parsed and planned, on tables without rows."""

from __future__ import annotations

from deltasql.checking.checker import Checker
from deltasql.checking.findings import Finding

__all__ = ["Checker", "Finding"]
