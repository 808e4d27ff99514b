r"""Output of `\d t`: size of the table, columns with their fields one a line, keys, constraints, properties."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from deltasql.errors.secrets import shown_value
from deltasql.log.actions.record_count import live_rows
from deltasql.log.configuration.keys import keys_of
from deltasql.log.properties.property import DELTASQL_PROPERTIES
from deltasql.log.properties.property_registry import CONSTRAINT_PREFIX
from deltasql.log.reading.clustering import clustering_columns
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.show.create_text import column_rules
from deltasql.render.grid import Grid
from deltasql.render.progress import number_text, size_text
from deltasql.repl.names import outline
from deltasql.schema.lengths import declared_type
from deltasql.schema.paths import walk
from deltasql.schema.text import path_text, quote_name
from deltasql.schema.types import STRING, StructField, StructType

COLUMNS = StructType(tuple(StructField(name, STRING) for name in ("column", "type", "rules", "comment")))


def headline(name: str, snapshot: Snapshot) -> Iterator[str]:
    """The lines before the columns: name and version, comment, size."""
    at = datetime.fromtimestamp(snapshot.timestamp_ms / 1000)
    yield f"Table {name}, version {snapshot.version} of {at:%Y-%m-%d %H:%M:%S}"
    if snapshot.metadata.description:
        yield snapshot.metadata.description
    rows = row_count(snapshot)
    counted = "" if rows is None else f"{_counted(rows, 'row')} in "
    yield f"{counted}{_counted(snapshot.num_files, 'file')}, {size_text(snapshot.size_in_bytes)}, {snapshot.location}"


def columns_grid(snapshot: Snapshot) -> Grid:
    """A row for each column, and for each field, element, key and value within it."""
    rows = [
        (
            "  " * (len(path) - 1) + path_text(path),
            outline(declared_type(field)),
            " ".join(column_rules(field)),
            field.comment or "",
        )
        for path, field in walk(snapshot.schema)
    ]
    return Grid(COLUMNS, rows)


def footer(name: str, snapshot: Snapshot) -> Iterator[str]:
    """The lines after the columns: layout, keys, constraints, properties, features."""
    if snapshot.partition_columns:
        yield f"Partitioned by: {', '.join(map(quote_name, snapshot.partition_columns))}"
    if columns := clustering_columns(snapshot):
        yield f"Clustered by: {', '.join(map(path_text, columns))}"
    for key in keys_of(snapshot.metadata):
        yield f"Key {key.name}: {key.definition(name.split('.'))}"
    for constraint, condition in snapshot.properties.constraints.items():
        yield f"Constraint {constraint}: CHECK ({condition})"
    for name_of, value in sorted(snapshot.configuration.items()):
        if name_of not in DELTASQL_PROPERTIES and not name_of.startswith(CONSTRAINT_PREFIX):
            yield f"Property {name_of} = {shown_value(name_of, value)}"
    if snapshot.protocol.features:
        yield f"Features: {', '.join(sorted(snapshot.protocol.features))}"


def row_count(snapshot: Snapshot) -> int | None:
    """The number of live rows of a version; None if the log lacks statistics."""
    counts = live_rows(snapshot.files(("stats", "deletionVector")))
    return None if None in counts else sum(count for count in counts if count is not None)


def rows_text(rows: int) -> str:
    """`1 row`, `12 rows`, `3.4 M rows`."""
    return _counted(rows, "row")


def _counted(number: int, what: str) -> str:
    shown = str(number) if number < 100_000 else number_text(number)
    return f"{shown} {what}{'' if number == 1 else 's'}"
