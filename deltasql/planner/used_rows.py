"""The rows and columns of its relations that a query uses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from deltasql.planner.information.inventory import Asked
from deltasql.sql.queries.named_columns import named_columns
from deltasql.sql.queries.query_filters import scan_filters, scan_limits

if TYPE_CHECKING:
    from deltasql.sql.queries.relations import TableReference


class UsedRows:
    """The rows and columns that a query uses, by the offset of a relation's name; read from its text on demand."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    @cached_property
    def filters(self) -> Mapping[int, str]:
        """See `scan_filters`."""
        return scan_filters(self._sql)

    @cached_property
    def limits(self) -> Mapping[int, int]:
        """See `scan_limits`."""
        return scan_limits(self._sql)

    @cached_property
    def columns(self) -> frozenset[str] | None:
        """See `named_columns`."""
        return named_columns(self._sql)

    def asked(self, reference: TableReference) -> Asked:
        """The use of a view of an information schema."""
        return Asked(self.filters.get(reference.start), reference.alias or reference.parts[-1], self.columns)
