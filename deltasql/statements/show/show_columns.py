"""Facts on a table for several statements: its properties, its name in the catalog, the columns of a view.

Names of columns that begin with the name of their table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from deltasql.base.errors.secrets import shown_pairs
from deltasql.log.properties.property_registry import without_deltasql_properties
from deltasql.log.reading.change_feed import clustering_columns, is_clustered
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import ColumnPath, TableName, quote
from deltasql.planner import binding
from deltasql.planner.context import Context
from deltasql.schema.types import StructType


def view_schema(name: TableName, context: Context) -> StructType | None:
    """The columns of a view or of an object that only Spark knows; None for a Delta table."""
    known_view = context.is_view(name)
    if not known_view and (name.path is not None or context.catalog.resolve(name.parts) is not None):
        return None
    if not known_view and not context.analyst.started:
        return None
    return binding.columns_of(context, name)


def all_properties(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The properties that users see, then those from other parts of the log: clustering, versions, features."""
    protocol = snapshot.protocol
    yield from sorted(shown_pairs(without_deltasql_properties(snapshot.configuration)).items())
    if is_clustered(snapshot):
        columns = [list(path) for path in clustering_columns(snapshot)]
        yield "clusteringColumns", json.dumps(columns, separators=(",", ":"))
    yield "delta.minReaderVersion", str(protocol.min_reader_version)
    yield "delta.minWriterVersion", str(protocol.min_writer_version)
    for name in sorted(protocol.explicit_features):
        yield f"delta.feature.{name}", "supported"


def name_in_catalog(name: TableName, context: Context) -> str | None:
    """catalog.schema.table of a table in the catalog; None for a path."""
    if name.path is not None or context.catalog.resolve(name.parts) is None:
        return None
    return ".".join(quote(part) for part in context.catalog.full_name(name.parts))


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
