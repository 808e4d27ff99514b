"""The rows of `databricks.sql.types`."""

from __future__ import annotations

from deltasql.result import Row

__all__ = ["Row"]
