"""Names of columns that begin with the name of their table."""

from __future__ import annotations

from deltasql.plan.base import ColumnPath, TableName
from deltasql.planner.context import Context


def table_and_column(name: ColumnPath, context: Context) -> tuple[TableName, tuple[str, ...]]:
    """a.b.c is column c of table a.b, or field b.c of table a: the longest name of a table that there is counts."""
    candidates = [
        TableName(name.parts[:end], name.start, name.end) for end in range(min(3, len(name.parts) - 1), 0, -1)
    ]
    for table in candidates:
        is_relation = table.path is not None or context.is_view(table)
        if is_relation or context.catalog.resolve(table.parts) is not None:
            return table, name.parts[len(table.parts) :]
    # The error names the table that was most likely meant.
    table = candidates[0] if candidates else TableName(name.parts, name.start, name.end)
    return table, name.parts[-1:]
