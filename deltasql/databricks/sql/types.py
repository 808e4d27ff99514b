"""The rows of `databricks.sql.types`."""

from __future__ import annotations

from deltasql.files import Row

__all__ = ["Row"]
