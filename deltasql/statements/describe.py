"""DESCRIBE TABLE and SHOW TABLE EXTENDED: rows on tables, views and schemas from the catalog and the log.

Neither reads rows of a table. SHOW TABLE EXTENDED gives the metadata of each table and view as text. Source: Spark's
format. dbt and other tools search its lines by patterns, so they are exactly those of Spark. AS JSON gives one
document. Source: Spark's reference of DESCRIBE TABLE.

Includes the rows of keys and tags, tables of other formats, views of the catalog, and columns whose names begin with
the name of their table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from deltasql.base import OPEN_SET, DeltaSqlError, errors, meant, shown_pairs, shown_value, similar_names
from deltasql.catalog import UNGOVERNED, Governance, Policy, TableEntry, ViewEntry, sql_name, table_kind
from deltasql.log import (
    LogStore,
    Snapshot,
    clustering_columns,
    column_tags,
    converts_to_iceberg,
    current_metadata,
    is_clustered,
    keys_of,
    read_tags,
    root_uri,
    table_properties,
    table_tags,
    table_uri,
    view_column_tags,
    without_deltasql_properties,
)
from deltasql.plan import ColumnPath, TableName
from deltasql.planner import CURRENT_DEFAULT, Answer, Context, Plan, binding, generation_of, plan, table_snapshot
from deltasql.schema import (
    BOOLEAN,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    declared_type,
    length_of,
    path_text,
    quote_text,
    resolve,
    tree_text,
    type_text,
    with_lengths,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import metric_view
from deltasql.statements.constraints import full_name
from deltasql.statements.create_text import column_text
from deltasql.statements.grants import owner_rows, policy_rows
from deltasql.statements.idempotency import refreshed_rows
from deltasql.statements.inspect import (
    DescribeTable,
    ShowTableExtended,
    ShowTables,
    partition_files,
    partition_text,
    partition_values,
)
from deltasql.statements.table_metadata import RefreshState

Row = tuple[str, str, str | None]


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


def detailed_view_rows(entry: ViewEntry) -> Iterator[Row]:
    """The rows that EXTENDED adds to those of the columns."""
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    yield from ((label, value, "") for label, value in _facts(entry))
    properties = _properties_text(entry)
    if properties:
        yield "Table Properties", properties, ""
    definition = entry.definition
    tags = read_tags(definition.properties.get(table_properties.TAGS))
    yield from _tag_rows(tags, view_column_tags(definition.properties, definition.schema))


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
    yield "Type", _view_kind(entry)
    if entry.governance.owner is not None:
        yield "Owner", entry.governance.owner
    if definition.comment is not None:
        yield "Comment", definition.comment
    if entry.is_built_in:
        return
    yield "View Text", definition.text
    yield "View Original Text", definition.text
    yield "View Schema Mode", definition.mode.value
    yield "View Catalog and Namespace", ".".join(definition.namespace)
    yield "View Query Output Columns", f"[{', '.join(quoted(name) for name in definition.names)}]"


def _view_kind(entry: ViewEntry) -> str:
    return "VIEW" if entry.definition.metrics is None else "METRIC_VIEW"


def quoted(name: str) -> str:
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
        yield "Storage Properties", _source_information_pairs(source.options), ""
    yield "Table Properties", _source_information_pairs(without_deltasql_properties(source.properties)), ""


def _source_information_pairs(properties: Mapping[str, str]) -> str:
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


def constraint_rows(snapshot: Snapshot, name: Sequence[str]) -> Iterator[Row]:
    """The keys of the table, whose name has the parts `name`; no rows where it has none."""
    keys = keys_of(snapshot.metadata)
    if keys:
        yield "", "", ""
        yield "# Constraints", "", ""
    for key in keys:
        yield key.name, key.definition(name, quote=quoted), ""


def tag_rows(snapshot: Snapshot) -> Iterator[Row]:
    """The tags of the table and of its columns; no rows where there are none."""
    yield from _tag_rows(table_tags(snapshot.metadata), column_tags(snapshot.metadata))


def _tag_rows(of_table: Mapping[str, str], of_columns: Mapping[tuple[str, ...], Mapping[str, str]]) -> Iterator[Row]:
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
    tags = read_tags(properties.get(table_properties.TAGS))
    if tags:
        yield "Tags", _pairs(tags)


def _pairs(values: Mapping[str, str]) -> str:
    shown = ", ".join(f"({key},{shown_value(key, value)})" for key, value in sorted(values.items()))
    return f"({shown})" if shown else ""


_BINARY_COLLATION = "UTF8_BINARY"


def table_json(
    name: tuple[str, ...], snapshot: Snapshot, entry: TableEntry | None, *, partition: Mapping[str, str]
) -> str:
    """The JSON of a table; `name` are the parts of its full name, `partition` the values of PARTITION (…)."""
    metadata, governance = snapshot.metadata, UNGOVERNED if entry is None else entry.governance
    view = None if entry is None or entry.refreshed is None else entry.refreshed.view
    return json.dumps(
        _names(name)
        | {"columns": [*_columns(snapshot.schema, column_tags(metadata))]}
        | ({"partition_values": dict(partition)} if partition else {})
        | {"location": table_uri(snapshot.location)}
        | _pair_if_set("created_time", _moment(metadata.created_time))
        | {
            "last_access": "UNKNOWN",
            "type": table_kind(entry),
            "provider": table_properties.provider(metadata.configuration),
        }
        | _pair_if_set("owner", governance.owner)
        | _pair_if_set("comment", metadata.description)
        | {"table_properties": dict(sorted(shown_pairs(without_deltasql_properties(metadata.configuration)).items()))}
        | {"statistics": {"size_in_bytes": snapshot.size_in_bytes}}
        | _pair_if_set("partition_columns", list(snapshot.partition_columns))
        | _pair_if_set("clustering_columns", [path_text(path) for path in clustering_columns(snapshot)])
        | _pair_if_set("table_constraints", _constraints(snapshot, name))
        | _policies(governance)
        | ({} if view is None else {"view_text": view.query, "view_catalog_and_namespace": _namespace(view.namespace)})
        | _pair_if_set("tags", shown_pairs(table_tags(metadata)))
        | {"collation": _BINARY_COLLATION},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _constraints(snapshot: Snapshot, name: tuple[str, ...]) -> str:
    """The keys in one text, as Databricks has them: `[(name,PRIMARY KEY (`id`)), …]`. It is empty without keys."""
    keys = ", ".join(f"({key.name},{key.definition(name, quote=quoted)})" for key in keys_of(snapshot.metadata))
    return f"[{keys}]" if keys else ""


def _policies(governance: Governance) -> dict[str, Any]:
    """The row filter and the masks of columns."""
    policy = governance.row_filter
    masks = [
        {"column_name": column, "function_name": _function(mask)} | _pair_if_set("using_column_names", [*mask.columns])
        for column, mask in governance.masks.items()
    ]
    filtered = None if policy is None else {"function_name": _function(policy), "column_names": [*policy.columns]}
    return _pair_if_set("row_filter", filtered) | _pair_if_set("column_masks", masks)


def _function(policy: Policy) -> dict[str, str]:
    return dict(zip(("catalog_name", "schema_name", "function_name"), policy.function, strict=True))


def view_json(name: tuple[str, ...], schema: StructType, text: str | None, entry: ViewEntry | None) -> str:
    """The JSON of a view; `entry` is None for a temporary one."""
    measures = _measures(entry)
    tags = {} if entry is None else view_column_tags(entry.definition.properties, schema)
    columns = [column | _pair_if_set("is_measure", column["name"] in measures) for column in _columns(schema, tags)]
    document = _names(name) | {"columns": columns}
    if entry is None:
        document |= {"type": "VIEW"} | _pair_if_set("view_text", text)
    else:
        document |= _view_facts(entry)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _view_facts(entry: ViewEntry) -> dict[str, Any]:
    """The fields of a view of the catalog."""
    definition = entry.definition
    properties = definition.properties
    facts = _pair_if_set("created_time", _moment(entry.created_at)) | {"type": _view_kind(entry)}
    facts |= _pair_if_set("owner", entry.governance.owner) | _pair_if_set("comment", definition.comment)
    facts |= {"table_properties": dict(sorted(shown_pairs(without_deltasql_properties(properties)).items()))}
    if not entry.is_built_in:
        facts |= {"view_text": definition.text, "view_original_text": definition.text}
        facts |= {"view_schema_mode": definition.mode.value}
        facts |= {"view_catalog_and_namespace": _namespace(definition.namespace)}
        facts |= {"view_query_output_columns": list(definition.names)}
    return facts | _pair_if_set("tags", shown_pairs(read_tags(properties.get(table_properties.TAGS))))


def _namespace(names: Sequence[str]) -> str:
    return ".".join(map(quote, names))


def _names(name: tuple[str, ...]) -> dict[str, Any]:
    if len(name) < 3:
        return {"table_name": name[-1]}
    catalog, schema, table = name
    return {"table_name": table, "catalog_name": catalog, "namespace": [schema], "schema_name": schema}


def _pair_if_set(key: str, value: Any) -> dict[str, Any]:
    """A pair, where there is something to tell."""
    return {key: value} if value else {}


def _moment(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _columns(schema: StructType, tags: Mapping[tuple[str, ...], Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    for field in schema:
        yield _field(field) | _pair_if_set("tags", shown_pairs(tags.get((field.name,), {})))


def _field(field: StructField) -> dict[str, Any]:
    document: dict[str, Any] = {"name": field.name, "type": _type(declared_type(field)), "nullable": field.nullable}
    document |= _pair_if_set("comment", field.comment)
    document |= _pair_if_set("default", field.metadata.get(CURRENT_DEFAULT))
    return document | _pair_if_set("generation_expression", generation_of(field))


def _type(kind: DataType) -> dict[str, Any]:
    """A type as Spark's JSON names it. Texts are UTF8_BINARY, and TIMESTAMP is the one with the local time zone."""
    length = length_of(kind)
    if length is not None:
        return {"name": length.kind, "length": length.length}
    match kind:
        case StructType(fields):
            return {"name": "struct", "fields": [_field(field) for field in fields]}
        case ArrayType():
            return {
                "name": "array",
                "element_type": _type(kind.element),
                "element_nullable": kind.contains_null,
            }
        case MapType():
            return {
                "name": "map",
                "key_type": _type(kind.key),
                "value_type": _type(kind.value),
                "value_nullable": kind.value_contains_null,
            }
        case DecimalType():
            return {"name": "decimal", "precision": kind.precision, "scale": kind.scale}
        case _:
            return _atomic(type_text(kind))


def _atomic(name: str) -> dict[str, Any]:
    text, _, collation = name.partition(" collate ")
    if text == "string":
        return {"name": text, "collation": collation or _BINARY_COLLATION}
    return {"name": "timestamp_ltz" if name == "timestamp" else name}


DESCRIBE = StructType(tuple(StructField(name, STRING) for name in ("col_name", "data_type", "comment")))
INFO = StructType(tuple(StructField(name, STRING) for name in ("info_name", "info_value")))
JSON = StructType((StructField("json_metadata", STRING),))


@plan.register
def plan_describe_table(statement: DescribeTable, context: Context) -> Plan:
    """Columns and partitioning; with EXTENDED details of the table from the catalog and the log."""
    try:
        view = view_schema(statement.table, context)
        schema = table_snapshot(context, statement.table, with_files=False).schema if view is None else view
    except errors.TableNotFoundError as error:
        raise _of_misspelt_word(error, statement) from None
    if statement.as_json:
        return _as_json(statement, view, context)
    if statement.column is not None:
        return _column(statement, statement.column, schema, context)
    rows: list[tuple[str, str, str | None]] = [_described(field) for field in schema]
    if view is not None:
        return Answer(DESCRIBE, (*_view_rows(statement, rows, context),))
    foreign = context.foreign(statement.table)
    snapshot = table_snapshot(context, statement.table, with_files=bool(statement.partition))
    rows += _partition_rows(snapshot)
    rows += _clustering_rows(snapshot)
    if statement.partition:
        rows += _one_partition_rows(statement, snapshot, context)
    elif foreign is not None:
        rows += source_rows(foreign) if statement.extended else ()
    elif statement.extended:
        rows += _detailed_rows(statement.table, context, snapshot)
    return Answer(DESCRIBE, tuple(rows))


def _measures(entry: ViewEntry | None) -> frozenset[str]:
    """The names of the measures of a metric view; none for any other view."""
    if entry is None or entry.definition.metrics is None:
        return frozenset()
    return frozenset(item.name for item in metric_view(entry.definition.metrics).measures)


def _view_rows(
    statement: DescribeTable, columns: Sequence[tuple[str, str, str | None]], context: Context
) -> Iterator[tuple[str, str, str | None]]:
    """The columns of a view, where measures are marked, and the rows of EXTENDED if the view is in the catalog."""
    entry = context.catalog_view(statement.table.parts)
    measures = _measures(entry)
    yield from ((name, f"{kind} measure" if name in measures else kind, comment) for name, kind, comment in columns)
    if statement.extended and entry is not None:
        yield from detailed_view_rows(entry)


def _column(statement: DescribeTable, column: ColumnPath, schema: StructType, context: Context) -> Answer:
    try:
        field = resolve(schema, column.parts, where=str(statement.table)).field
    except DeltaSqlError as error:
        raise error.at(context.caret(column.start, column.end)) from None
    info = (("col_name", field.name), ("data_type", type_text(field.type)), ("comment", field.comment or "NULL"))
    return Answer(INFO, info)


def _as_json(statement: DescribeTable, view: StructType | None, context: Context) -> Answer:
    table, column = statement.table, statement.column
    if column is not None:
        raise errors.JsonOfColumnError(str(table), str(column)).at(context.caret(column.start, column.end))
    if not statement.extended:
        raise errors.JsonNotExtendedError(str(table)).at(context.caret(table.start, table.end))
    if view is not None:
        found = None if context.view_key(table.parts) is not None else context.catalog_view(table.parts)
        name = (table.parts[-1],) if found is None else found.parts
        text = view_json(name, view, _text_of_view(table, context), found)
    else:
        foreign = context.foreign(table)
        if foreign is not None:
            return Answer(JSON, ((_source_json(statement, foreign, context),),))
        snapshot = context.snapshot(table)
        values: dict[str, str] = {}
        if statement.partition:
            partition_files(statement.partition, table, snapshot, context, needed=True)
            values = partition_values(statement.partition, snapshot)
        entry = None if table.path is not None else context.catalog.resolve(table.parts)
        text = table_json(full_name(table, context), snapshot, entry, partition=values)
    return Answer(JSON, ((text,),))


def _source_json(statement: DescribeTable, entry: TableEntry, context: Context) -> str:
    """The JSON of a table of another format. Raises TableOnlyOperationError for one of its partitions."""
    name, source = statement.table, entry.source
    assert source is not None
    if statement.partition:
        raise context.delta_only(name, entry, "DESCRIBE … PARTITION … AS JSON").at(context.caret(name.start, name.end))
    return json.dumps(
        _names(entry.parts)
        | {"columns": [*_columns(table_snapshot(context, name, with_files=False).schema, {})]}
        | {"location": table_uri(entry.location)}
        | _pair_if_set("created_time", _moment(entry.created_at))
        | {"last_access": "UNKNOWN", "type": table_kind(entry), "provider": source.format}
        | _pair_if_set("owner", entry.governance.owner)
        | _pair_if_set("comment", source.comment)
        | {"table_properties": dict(sorted(shown_pairs(without_deltasql_properties(source.properties)).items()))}
        | _pair_if_set("storage_properties", dict(sorted(shown_pairs(source.options).items())))
        | _pair_if_set("partition_columns", list(source.partition_columns)),
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _text_of_view(name: TableName, context: Context) -> str | None:
    """The query of a view; None for one that only Spark knows."""
    key, entry = context.view_key(name.parts), context.catalog_view(name.parts)
    if key is not None:
        return context.views[key].query
    return None if entry is None else entry.definition.query


def _one_partition_rows(
    statement: DescribeTable, snapshot: Snapshot, context: Context
) -> Iterator[tuple[str, str, str | None]]:
    """The details of one partition for EXTENDED, from the log; a partition need not have a directory."""
    files = partition_files(statement.partition, statement.table, snapshot, context, needed=True)
    if not statement.extended:
        return
    yield "", "", ""
    yield "# Detailed Partition Information", "", ""
    yield "Name", name_in_catalog(statement.table, context) or f"delta.`{snapshot.location}`", ""
    yield "Partition Values", partition_text(statement.partition, snapshot), ""
    yield "Location", snapshot.location, ""
    yield "Number of Files", str(files.num_rows), ""
    yield "Size in Bytes", str(sum(files.column("size").to_pylist())), ""


def _of_misspelt_word(error: errors.TableNotFoundError, statement: DescribeTable) -> DeltaSqlError:
    """The error of DESCRIBE HISTROY t, which reads as column t of a table HISTROY, with the likely keyword."""
    words = ("HISTORY", "DETAIL", "EXTENDED", "FORMATTED", "SCHEMA", "TABLE")
    close = similar_names(str(statement.table), words, cutoff=OPEN_SET)
    if statement.column is None or not close or error.similar:
        return error
    return errors.TableNotFoundError(error.table, meant([f"DESCRIBE {close[0]} {statement.column}"])).at(error.caret)


def _described(field: StructField) -> tuple[str, str, str | None]:
    return field.name, type_text(declared_type(field)), field.comment


def _partition_rows(snapshot: Snapshot) -> Iterator[tuple[str, str, str | None]]:
    if not snapshot.partition_columns:
        return
    yield "# Partition Information", "", ""
    yield "# col_name", "data_type", "comment"
    for name in snapshot.partition_columns:
        field = snapshot.schema.find(name)
        if field is not None:
            yield _described(field)


def _clustering_rows(snapshot: Snapshot) -> Iterator[tuple[str, str, str | None]]:
    columns = clustering_columns(snapshot)
    if not columns:
        return
    yield "# Clustering Information", "", ""
    yield "# col_name", "data_type", "comment"
    for path in columns:
        _, kind, comment = _described(resolve(snapshot.schema, path).field)
        yield path_text(path), kind, comment


def _detailed_rows(name: TableName, context: Context, snapshot: Snapshot) -> Iterator[tuple[str, str, str | None]]:
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    properties = ",".join(f"{key}={value}" for key, value in all_properties(snapshot))
    yield from constraint_rows(snapshot, full_name(name, context))
    yield from tag_rows(snapshot)
    governance = UNGOVERNED if entry is None else entry.governance
    yield from policy_rows(governance)
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    yield "Name", name_in_catalog(name, context) or f"delta.`{snapshot.location}`", ""
    yield "Type", table_kind(entry), ""
    if snapshot.metadata.description is not None:
        yield "Comment", snapshot.metadata.description, ""
    yield "Location", snapshot.location, ""
    yield "Provider", table_properties.provider(snapshot.configuration), ""
    yield from owner_rows(governance)
    yield "Table Properties", f"[{properties}]", ""
    if entry is not None and entry.refreshed is not None:
        last = RefreshState.of(snapshot)
        rows = refreshed_rows(entry, last.mode if last else None, last.time if last else None)
        yield from ((key, value, "") for key, value in rows)
    if converts_to_iceberg(snapshot.configuration):
        yield from _iceberg_rows(context.log(name).store)


def _iceberg_rows(store: LogStore) -> Iterator[tuple[str, str, str | None]]:
    """The location of the Iceberg metadata, and the version of the table that it shows."""
    current = current_metadata(store)
    if current is None:
        return
    version, moment = current.converted
    yield "", "", ""
    yield "# Delta Uniform Iceberg", "", ""
    yield "Metadata location", f"{root_uri(store.root)}/{current.path}", ""
    yield "Converted delta version", str(version), ""
    yield (
        "Converted delta timestamp",
        datetime.fromtimestamp(moment / 1000, timezone.utc).isoformat(" ", "milliseconds"),
        "",
    )


_COLUMNS = StructType(
    tuple(
        StructField(name, kind)
        for name, kind in (
            ("namespace", STRING),
            ("tableName", STRING),
            ("isTemporary", BOOLEAN),
            ("information", STRING),
        )
    )
)


@plan.register
def plan_show_table_extended(statement: ShowTableExtended, context: Context) -> Plan:
    """A row for each table and view that SHOW TABLES LIKE lists; with PARTITION what the log says of its files."""
    listed = plan(ShowTables(statement.schema, statement.pattern), context)
    assert isinstance(listed, Answer)
    qualifier = () if statement.schema is None else statement.schema.parts[:-1]
    if statement.partition:
        tables = [(row, TableName((*qualifier, *row[:2]))) for row in listed.rows if row[0]]
        return Answer(_COLUMNS, tuple((*row, _of_partition(statement, name, context)) for row, name in tables))
    rows = ((*row, _information((*qualifier, *row[:2]), context)) for row in listed.rows)
    return Answer(_COLUMNS, tuple(rows))


def _of_partition(statement: ShowTableExtended, table: TableName, context: Context) -> str:
    """Raises what `partition_files` raises: such a statement is about one table."""
    snapshot = table_snapshot(context, table)
    files = partition_files(statement.partition, table, snapshot, context, needed=True)
    size = sum(files.column("size").to_pylist())
    return (
        f"Partition Values: {partition_text(statement.partition, snapshot)}\n"
        f"Location: {snapshot.location}\nPartition Statistics: {size} bytes\n"
    )


def _information(parts: tuple[str, ...], context: Context) -> str:
    """The lines on a table or view; a temporary view is in the schema called ''."""
    entry = context.catalog.find(parts) if parts[-2] else None
    match entry:
        case None:
            lines = _view_lines(parts[-1], context)
        case ViewEntry():
            lines = view_lines(entry)
        case _:
            lines = _table_lines(entry, context)
    return "".join(f"{line}\n" for line in lines)


def _view_lines(name: str, context: Context) -> Iterator[str]:
    """Its columns are left out: for these Spark would have to start. Of a DataFrame's view there is no text."""
    view = context.views.get(name)
    yield f"Table: {name}"
    yield "Type: VIEW"
    if view is None:
        return
    yield f"View Text: {view.query}"
    if view.columns:
        yield f"View Query Output Columns: [{', '.join(map(quote, view.columns))}]"


def _table_lines(entry: TableEntry, context: Context) -> Iterator[str]:
    """Without the lines that need the log, where that cannot be read: one bad table does not hide the others."""
    yield f"Catalog: {entry.catalog}"
    yield f"Database: {entry.schema}"
    yield f"Table: {entry.name}"
    created = datetime.fromtimestamp(entry.created_at / 1000, timezone.utc)
    yield f"Created Time: {created:%a %b %d %H:%M:%S} UTC {created.year}"
    # Databricks writes the word in capitals here, which its clients look for.
    yield f"{'Type' if entry.refreshed is None else 'TYPE'}: {table_kind(entry)}"
    if entry.source is not None:
        yield from source_lines(entry)
        return
    yield "Provider: delta"
    try:
        # All of them are read before the first is told.
        lines = list(_log_lines(context.snapshot(TableName(entry.parts))))
    except (DeltaSqlError, OSError) as error:
        lines = [f"Location: {entry.location}", f"Error: {str(error).splitlines()[0]}"]
    yield from lines


def _log_lines(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.metadata.description is not None:
        yield f"Comment: {snapshot.metadata.description}"
    properties = ", ".join(
        f"{key}={value}"
        for key, value in sorted(shown_pairs(without_deltasql_properties(snapshot.configuration)).items())
    )
    yield f"Table Properties: [{properties}]"
    yield f"Statistics: {snapshot.size_in_bytes} bytes"
    yield f"Location: {snapshot.location}"
    if snapshot.partition_columns:
        yield f"Partition Columns: [{', '.join(f'`{name}`' for name in snapshot.partition_columns)}]"
    yield f"Schema: {tree_text(with_lengths(snapshot.schema), log_names=True)}"
