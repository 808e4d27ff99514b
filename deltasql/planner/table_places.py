"""The location of what a query names as a table."""

from __future__ import annotations

from deltasql.plan.base import TableName
from deltasql.planner.context import Context
from deltasql.sql.queries.relations import TableReference


def location_of(context: Context, name: TableName) -> str | None:
    """The location of a table of the catalog; None for one of Spark. Raises TableNotFoundError for other names."""
    if name.path is not None:
        return context.catalog.located(name.path)
    entry = context.catalog.resolve(name.parts) if len(name.parts) <= 3 else None
    if entry is not None:
        return entry.location
    if is_files(name) or context.analyst.knows(name.parts):
        return None
    return context.catalog.require(name.parts, context.views if len(name.parts) == 1 else ()).location


def is_files(name: TableName | TableReference) -> bool:
    """Whether a name stands for files, as `` parquet.`/path` `` does: Spark reads them."""
    return len(name.parts) == 2 and name.parts[0].lower() in FILE_FORMATS


FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "binaryfile", "xml"})
