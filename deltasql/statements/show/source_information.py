"""Answers of DESCRIBE EXTENDED and of SHOW statements about a table of another format than Delta."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltasql.base.errors.secrets import shown_pairs, shown_value
from deltasql.catalog.entries import TableEntry
from deltasql.log.properties.property_registry import without_deltasql_properties
from deltasql.plan.base import quote
from deltasql.schema.text import quote_text, tree_text, with_lengths
from deltasql.schema.types import StructType
from deltasql.statements.show.create_text import column_text


def source_rows(entry: TableEntry) -> Iterator[tuple[str, str, str]]:
    """The rows of DESCRIBE EXTENDED below the columns."""
    source = entry.source
    assert source is not None
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    yield "Name", ".".join(map(quote, entry.parts)), ""
    yield "Type", "MANAGED" if entry.managed else "EXTERNAL", ""
    if source.comment is not None:
        yield "Comment", source.comment, ""
    yield "Location", entry.location, ""
    yield "Provider", source.format, ""
    if source.options:
        yield "Storage Properties", _pairs(source.options), ""
    yield "Table Properties", _pairs(without_deltasql_properties(source.properties)), ""


def _pairs(properties: Mapping[str, str]) -> str:
    return f"[{','.join(f'{key}={value}' for key, value in sorted(shown_pairs(properties).items()))}]"


def source_lines(entry: TableEntry) -> Iterator[str]:
    """The lines of SHOW TABLE EXTENDED from the provider on."""
    source = entry.source
    assert source is not None
    yield f"Provider: {source.format}"
    if source.comment is not None:
        yield f"Comment: {source.comment}"
    pairs = shown_pairs(without_deltasql_properties(source.properties))
    yield f"Table Properties: [{', '.join(f'{key}={value}' for key, value in sorted(pairs.items()))}]"
    yield f"Location: {entry.location}"
    if source.options:
        options = sorted(shown_pairs(source.options).items())
        yield f"Storage Properties: [{', '.join(f'{key}={value}' for key, value in options)}]"
    if source.partition_columns:
        yield f"Partition Columns: [{', '.join(f'`{name}`' for name in source.partition_columns)}]"
    if source.schema is not None:
        yield f"Schema: {tree_text(with_lengths(source.schema), log_names=True)}"


def create_source_statement(entry: TableEntry) -> str:
    """SQL that creates the table, as Spark shows it. Columns that the files say at each read are left out."""
    source = entry.source
    assert source is not None
    columns = ",\n".join(f"  {column_text(field)}" for field in source.schema or StructType())
    table = ".".join(map(quote, entry.parts))
    lines = [f"CREATE TABLE {table} (\n{columns})" if columns else f"CREATE TABLE {table}", f"USING {source.format}"]
    lines += _clause("OPTIONS", sorted(source.options.items()))
    if source.partition_columns:
        lines.append(f"PARTITIONED BY ({', '.join(map(quote, source.partition_columns))})")
    if source.comment is not None:
        lines.append(f"COMMENT {quote_text(source.comment)}")
    if not entry.managed:
        lines.append(f"LOCATION {quote_text(entry.location)}")
    lines += _clause("TBLPROPERTIES", sorted(without_deltasql_properties(source.properties).items()))
    return "\n".join(lines) + "\n"


def _clause(word: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    texts = (f"  {quote_text(key)} = {quote_text(shown_value(key, value))}" for key, value in pairs)
    return [f"{word} (\n" + ",\n".join(texts) + ")"] if pairs else []


def source_properties(entry: TableEntry, key: str | None) -> tuple[tuple[str, str], ...]:
    """The rows of SHOW TBLPROPERTIES; a key that is not set gets a sentence."""
    assert entry.source is not None
    properties = shown_pairs(without_deltasql_properties(entry.source.properties))
    if key is None:
        return tuple(sorted(properties.items()))
    table = ".".join(map(quote, entry.parts))
    return ((key, properties.get(key, f"Table {table} does not have property: {key}")),)
