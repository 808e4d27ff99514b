"""Rows of DESCRIBE EXTENDED for keys and tags.

Properties and tags of a schema or a catalog, as DESCRIBE … EXTENDED shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltasql.base.errors.secrets import shown_value
from deltasql.log.configuration.keys import column_tags, keys_of, read_tags, table_tags
from deltasql.log.properties.property_registry import TAGS, without_deltasql_properties
from deltasql.log.replay.snapshot import Snapshot
from deltasql.schema.text import path_text

Row = tuple[str, str, str | None]


def constraint_rows(snapshot: Snapshot, name: Sequence[str]) -> Iterator[Row]:
    """The keys of the table, whose name has the parts `name`; no rows where it has none."""
    keys = keys_of(snapshot.metadata)
    if keys:
        yield "", "", ""
        yield "# Constraints", "", ""
    for key in keys:
        yield key.name, key.definition(name), ""


def tag_rows(snapshot: Snapshot) -> Iterator[Row]:
    """The tags of the table and of its columns; no rows where there are none."""
    of_table, of_columns = table_tags(snapshot.metadata), column_tags(snapshot.metadata)
    if of_table:
        yield "", "", ""
        yield "# Tags", "", ""
    for key, value in sorted(of_table.items()):
        yield key, shown_value(key, value), ""
    if of_columns:
        yield "", "", ""
        yield "# Column Tags", "", ""
    for path, tags in of_columns.items():
        for key, value in sorted(tags.items()):
            yield path_text(path), key, shown_value(key, value)


def property_rows(properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A row with the properties, and one with the tags if there are any."""
    yield "Properties", _pairs(without_deltasql_properties(properties))
    tags = read_tags(properties.get(TAGS))
    if tags:
        yield "Tags", _pairs(tags)


def _pairs(values: Mapping[str, str]) -> str:
    shown = ", ".join(f"({key},{shown_value(key, value)})" for key, value in sorted(values.items()))
    return f"({shown})" if shown else ""
