r"""Output of `\d t`: size of the table, columns with their fields one a line, keys, constraints, properties.

Changes of a table's columns by a statement, one a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from deltasql.base.errors.secrets import shown_value
from deltasql.clients.repl.names import outline
from deltasql.files.render.grid import Grid
from deltasql.files.render.progress import number_text, size_text
from deltasql.log.actions.record_count import live_rows
from deltasql.log.configuration.keys import keys_of
from deltasql.log.properties.property import DELTASQL_PROPERTIES
from deltasql.log.properties.property_registry import CONSTRAINT_PREFIX
from deltasql.log.reading.clustering import clustering_columns
from deltasql.log.replay.snapshot import Snapshot
from deltasql.schema.column_mapping import ID
from deltasql.schema.lengths import declared_type
from deltasql.schema.paths import walk
from deltasql.schema.text import kind_text, path_text, quote_name, quote_text, sql_text
from deltasql.schema.types import STRING, StructField, StructType
from deltasql.statements.show.create_text import column_rules

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


Path = tuple[str, ...]
MOST_LINES = 12


def schema_changes(before: StructType, after: StructType) -> list[str]:
    """Lines for new (`+`), dropped (`-`) and changed (`~`) columns and fields, in the table's order."""
    lines = list(_changes(dict(walk(before)), dict(walk(after))))
    if not lines and _order(before) != _order(after):
        lines = [f"~ order: {', '.join(path_text((name,)) for name in after.names)}"]
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… and {more} more"]


def _changes(old: dict[Path, StructField], new: dict[Path, StructField]) -> Iterator[str]:
    origins = _origins(old, new)
    for path, field in new.items():
        was = origins.get(path)
        if was is not None:
            yield from _change(was, path, old[was], field)
        elif len(path) == 1 or path[:-1] in origins:
            yield f"+ {path_text(path)} {_field_text(field)}"
    gone = old.keys() - origins.values()
    yield from (
        f"- {path_text(path)} {_field_text(old[path])}" for path in old if path in gone and path[:-1] not in gone
    )


def _change(was: Path, path: Path, before: StructField, after: StructField) -> Iterator[str]:
    if was[-1] != path[-1]:
        yield f"~ {path_text(was)} is now {path_text(path)}"
    if _kind(before) != _kind(after) or [*column_rules(before)] != [*column_rules(after)]:
        yield f"~ {path_text(path)} {_field_text(before)} is now {_field_text(after)}"
    elif before.comment != after.comment:
        comment = "without a comment" if after.comment is None else f"COMMENT {quote_text(after.comment)}"
        yield f"~ {path_text(path)} is now {comment}"


def _origins(old: dict[Path, StructField], new: dict[Path, StructField]) -> dict[Path, Path]:
    """The old path of each field that is not new: by its id if it has one, else by its path."""
    ids = {field.metadata[ID]: path for path, field in old.items() if ID in field.metadata}
    origins = {path: ids.get(field.metadata.get(ID), path) for path, field in new.items()}
    return {path: was for path, was in origins.items() if was in old}


def _kind(field: StructField) -> str:
    return kind_text(declared_type(field))


def _field_text(field: StructField) -> str:
    return " ".join([sql_text(declared_type(field)), *column_rules(field)])


def _order(schema: StructType) -> list[Path]:
    return [path for path, _ in walk(schema)]
