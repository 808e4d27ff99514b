"""Facts on a table for several statements: its properties, its name in the catalog, the columns of a view."""

from __future__ import annotations

import json
from collections.abc import Iterator

from deltasql.errors.secrets import shown_pairs
from deltasql.log.properties.deltasql_properties import without_deltasql_properties
from deltasql.log.reading.clustering import clustering_columns, is_clustered
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import TableName, quote
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
