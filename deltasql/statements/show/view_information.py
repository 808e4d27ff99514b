"""Rows on a view of the catalog for DESCRIBE, SHOW TBLPROPERTIES and SHOW TABLE EXTENDED, in Spark's words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from deltasql.base.errors.secrets import shown_pairs
from deltasql.catalog.entries import ViewEntry, sql_name
from deltasql.log.configuration.keys import read_tags
from deltasql.log.properties.property_registry import TAGS, without_deltasql_properties
from deltasql.schema.text import tree_text, with_lengths


def detailed_view_rows(entry: ViewEntry) -> Iterator[tuple[str, str, str]]:
    """The rows that EXTENDED adds to those of the columns."""
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    yield from ((label, value, "") for label, value in _facts(entry))
    properties = _properties_text(entry)
    if properties:
        yield "Table Properties", properties, ""
    tags = read_tags(entry.definition.properties.get(TAGS))
    if tags:
        yield "", "", ""
        yield "# Tags", "", ""
        yield from ((key, value, "") for key, value in sorted(shown_pairs(tags).items()))


def view_lines(entry: ViewEntry) -> Iterator[str]:
    """The lines of SHOW TABLE EXTENDED."""
    facts = dict(_facts(entry))
    yield from (f"{label}: {value}" for label, value in facts.items())
    properties = _properties_text(entry)
    if properties:
        yield f"Table Properties: {properties}"
    yield f"Schema: {tree_text(with_lengths(entry.definition.schema), log_names=True)}"


def _facts(entry: ViewEntry) -> Iterator[tuple[str, str]]:
    definition = entry.definition
    created = datetime.fromtimestamp(entry.created_at / 1000, timezone.utc)
    yield "Catalog", entry.catalog
    yield "Database", entry.schema
    yield "Table", entry.name
    yield "Created Time", f"{created:%a %b %d %H:%M:%S} UTC {created.year}"
    yield "Type", "VIEW"
    if entry.governance.owner is not None:
        yield "Owner", entry.governance.owner
    if definition.comment is not None:
        yield "Comment", definition.comment
    if entry.is_built_in:
        return
    yield "View Text", definition.query
    yield "View Original Text", definition.query
    yield "View Schema Mode", definition.mode.value
    yield "View Catalog and Namespace", ".".join(definition.namespace)
    yield "View Query Output Columns", f"[{', '.join(_quoted(name) for name in definition.names)}]"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _properties_text(entry: ViewEntry) -> str:
    pairs = sorted(shown_pairs(without_deltasql_properties(entry.definition.properties)).items())
    return f"[{', '.join(f'{key}={value}' for key, value in pairs)}]" if pairs else ""


def view_properties(entry: ViewEntry, key: str | None) -> tuple[tuple[str, str], ...]:
    """The properties of a view, or the one called `key`: Spark's sentence as its value where it is not set."""
    properties = shown_pairs(without_deltasql_properties(entry.definition.properties))
    if key is None:
        return tuple(sorted(properties.items()))
    return ((key, properties.get(key, f"Table {sql_name(entry.parts)} does not have property: {key}")),)
