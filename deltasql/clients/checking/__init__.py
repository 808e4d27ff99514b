"""Checks of SQL that run nothing: each statement is parsed and planned, on tables without rows.

Rules of statements are the planner's, and columns of expressions are those of `sql.queries`; neither is repeated here.
"""

from __future__ import annotations

from deltasql.clients.checking.checker import Checker, Finding

__all__ = ["Checker", "Finding"]
