"""Rows of the information schema, and of SHOW and DESCRIBE, in memory, for the query that reads them.

An information schema describes the objects of its catalog; that of `system` describes all catalogs. The columns that
describe a data type are those of Databricks. Source: Databricks, INFORMATION_SCHEMA.COLUMNS.

Primary, unique and foreign keys are listed as not enforced, CHECK constraints as enforced. The grantor of recorded
privileges, row filters and column masks is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from deltasql.base import DeltaSqlError, errors, shown_value
from deltasql.catalog import (
    INFORMATION_SCHEMA,
    SYSTEM,
    Entry,
    FunctionEntry,
    Governance,
    Policy,
    Refreshed,
    SchemaEntry,
    TableEntry,
    ViewEntry,
    VolumeEntry,
    arguments_text,
    table_type,
)
from deltasql.log import (
    Key,
    column_tags,
    keys_of,
    prune,
    read_tags,
    referable_keys,
    table_properties,
    table_tags,
    view_column_tags,
)
from deltasql.plan import MemoryRows, TableName
from deltasql.planner.foreign import ICEBERG, has_certain_columns, source_snapshot
from deltasql.schema import (
    STRING,
    DataType,
    DecimalType,
    PrimitiveType,
    StructField,
    StructType,
    declared_type,
    identity_of,
    kind_text,
    path_text,
    type_text,
)
from deltasql.sql import FunctionText, Parameter, column_references, function_text, parse_type, procedure_text

if TYPE_CHECKING:
    from deltasql.log import Snapshot
    from deltasql.planner.context import Context


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """The use that a query makes of a view: `predicate` holds for all rows that count, by the view's `alias`.

    `columns` are those that the query names, in lower case; None stands for all.
    """

    predicate: str | None = None
    alias: str | None = None
    columns: frozenset[str] | None = None

    def names(self, *columns: str) -> bool:
        """Whether the query names one of these columns."""
        return self.columns is None or not self.columns.isdisjoint(columns)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Catalogs, schemas, tables, views and routines, in the order of their names.

    Objects whose names the query's predicate excludes are left out; the predicate is about the columns of the view, so
    each method takes the columns that hold the parts of the names.
    """

    context: Context
    catalog: str
    asked: Asked

    def catalogs(self, column: str) -> list[str]:
        """Names of catalogs; `column` of the view holds them."""
        known = self.context.catalog.catalogs() if self.catalog == SYSTEM else [self.catalog]
        return self._chosen(known, (column,), lambda name: (name,))

    def schemas(self, columns: tuple[str, str]) -> Iterator[SchemaEntry]:
        """Schemas, among them the information schemas."""
        for catalog in self.catalogs(columns[0]):
            names = [entry.name for entry in self.context.catalog.schemas(catalog=catalog)]
            parts = [(catalog, name) for name in sorted({*names, INFORMATION_SCHEMA})]
            for key in self._chosen(parts, columns, tuple):
                # A schema may be dropped by others meanwhile.
                found = _unless_missing(lambda key=key: self.context.catalog.schema(key))  # type: ignore[misc]
                if found is not None:
                    yield found

    def entries(self, columns: tuple[str, str, str]) -> Iterator[Entry]:
        """Tables and views, among them those of the information schemas."""
        for schema in self.schemas(columns[:2]):
            key = (schema.catalog, schema.name)
            found = _unless_missing(lambda key=key: self.context.catalog.entries(key))  # type: ignore[misc]
            yield from self._chosen(found or (), columns, lambda entry: entry.parts)

    def tables(self, columns: tuple[str, str, str]) -> Iterator[tuple[TableEntry, Snapshot]]:
        """Tables with their snapshots; a table that cannot be read is left out."""
        for entry in self.entries(columns):
            snapshot = self.snapshot(entry) if isinstance(entry, TableEntry) else None
            if snapshot is not None:
                assert isinstance(entry, TableEntry)
                yield entry, snapshot

    def functions(self, columns: tuple[str, str, str]) -> Iterator[FunctionEntry]:
        """Functions of the catalog."""
        return (entry for entry in self.routines(columns) if not entry.definition.is_procedure)

    def routines(self, columns: tuple[str, str, str]) -> Iterator[FunctionEntry]:
        """Functions and procedures of the catalog."""
        for schema in self.schemas(columns[:2]):
            parts = (schema.catalog, schema.name)
            found = [*self.context.catalog.functions(parts), *self.context.catalog.procedures(parts)]
            yield from self._chosen(sorted(found, key=attrgetter("name")), columns, lambda entry: entry.parts)

    def volumes(self, columns: tuple[str, str, str]) -> Iterator[VolumeEntry]:
        """Volumes of the catalog."""
        for schema in self.schemas(columns[:2]):
            if schema.name != INFORMATION_SCHEMA:
                found = self.context.catalog.volumes((schema.catalog, schema.name))
                yield from self._chosen(found, columns, lambda entry: entry.parts)

    def snapshot(self, entry: TableEntry) -> Snapshot | None:
        """The snapshot of a table; None for one whose log cannot be read."""
        with suppress(DeltaSqlError, OSError):
            if entry.source is not None and not has_certain_columns(entry.source):
                return None
            if entry.source is not None:
                return source_snapshot(self.context, entry, str(TableName(entry.parts)), with_files=False)
            found = self.context.snapshot(TableName(entry.parts), entry.location)
            # A snapshot is lazy: the log is read now.
            return found if found.metadata else None
        return None

    def _chosen(self, items: Iterable[T], columns: Sequence[str], parts: Callable[[T], Sequence[str]]) -> list[T]:
        """Those of `items` that the predicate may select, by the parts of their names."""
        found = list(items)
        if self.asked.predicate is None or not found:
            return found
        import pyarrow as pa

        values = [dict(zip(columns, parts(item), strict=True)) for item in found]
        # The parts of a name are to the predicate what partition values are to that of a scan.
        fields = pa.struct([pa.field(column, pa.string()) for column in columns])
        files = pa.table(
            {
                "partitionValues": pa.array(values, fields),
                "stats": pa.nulls(len(found), pa.string()),
                "index": pa.array(range(len(found)), pa.int32()),
            }
        )
        schema = StructType(tuple(StructField(column, STRING) for column in columns))
        kept = prune(files, self.asked.predicate, schema, columns, self.asked.alias)
        return [found[index] for index in kept["index"].to_pylist()]


def moment(milliseconds: int | None) -> datetime | None:
    """A point in time of the catalog or a log as a TIMESTAMP."""
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, timezone.utc)


def yes_or_no(value: bool) -> str:
    """A truth value as the information schema has it."""
    return "YES" if value else "NO"


def _unless_missing(look: Callable[[], T]) -> T | None:
    try:
        return look()
    except (errors.SchemaNotFoundError, errors.CatalogNotFoundError):
        return None


Row: TypeAlias = Mapping[str, object]
"""Values by the name of their column; missing ones are NULL."""

TABLE_PARTS = ("table_catalog", "table_schema", "table_name")
TAGGED_PARTS = ("catalog_name", "schema_name", "table_name")
_OF_LOG = ("comment", "last_altered")
"""Columns of `tables` for which the log of each table is read."""


def catalog_rows(inventory: Inventory) -> Iterator[Row]:
    for name in inventory.catalogs("catalog_name"):
        entry = inventory.context.catalog.catalog(name)
        yield {
            "catalog_name": name,
            "comment": entry.comment,
            **_times(entry.created_at),
            "catalog_owner": entry.governance.owner,
        }


def catalog_name_rows(inventory: Inventory) -> Iterator[Row]:
    yield {"catalog_name": inventory.catalog}


def schema_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.schemas(("catalog_name", "schema_name")):
        names = {"catalog_name": entry.catalog, "schema_name": entry.name}
        owner = entry.governance.owner
        yield {**names, "comment": entry.comment, **_times(entry.created_at), "schema_owner": owner}


def table_rows(inventory: Inventory) -> Iterator[Row]:
    reads_log = inventory.asked.names(*_OF_LOG)
    for entry in inventory.entries(TABLE_PARTS):
        row = {**named(entry), "commit_action": "PRESERVE", "created": moment(entry.created_at)}
        row["table_owner"] = entry.governance.owner
        if isinstance(entry, ViewEntry):
            kind = "VIEW" if entry.definition.metrics is None else "METRIC_VIEW"
            view = {"table_type": kind, "is_insertable_into": "NO", "comment": entry.definition.comment}
            yield {**row, **view, "last_altered": row["created"]}
            continue
        writable = "YES" if entry.refreshed is None else "NO"
        row |= {"table_type": table_type(entry), "is_insertable_into": writable}
        row |= {"data_source_format": "DELTA", "storage_path": entry.location}
        if entry.source is not None:
            is_written = yes_or_no(entry.source.format != ICEBERG)
            row |= {"data_source_format": entry.source.format.upper(), "is_insertable_into": is_written}
            yield {**row, "comment": entry.source.comment, "last_altered": row["created"]}
            continue
        snapshot = inventory.snapshot(entry) if reads_log else None
        if snapshot is not None:
            row["comment"] = snapshot.metadata.description
            with suppress(DeltaSqlError, OSError):
                row["last_altered"] = moment(snapshot.timestamp_ms)
        yield row


def view_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TABLE_PARTS):
        if isinstance(entry, ViewEntry):
            flags = {"is_updatable": "NO", "is_insertable_into": "NO", "is_materialized": "FALSE"}
            text = entry.definition.text or None
            yield {**named(entry), "view_definition": text, "check_option": "NONE", **flags}
        elif entry.refreshed is not None and entry.refreshed.kind is Refreshed.MATERIALIZED_VIEW:
            flags = {"is_updatable": "NO", "is_insertable_into": "NO", "is_materialized": "TRUE"}
            text = entry.refreshed.view.query
            yield {**named(entry), "view_definition": text, "check_option": "NONE", **flags}


def volume_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.volumes(_VOLUME_PARTS):
        yield {
            **dict(zip(_VOLUME_PARTS, entry.parts, strict=True)),
            "volume_owner": entry.governance.owner,
            "volume_type": "MANAGED" if entry.managed else "EXTERNAL",
            "comment": entry.comment,
            "created": moment(entry.created_at),
            "storage_location": entry.location,
        }


_VOLUME_PARTS = ("volume_catalog", "volume_schema", "volume_name")
_TAGGED_VOLUME_PARTS = ("catalog_name", "schema_name", "volume_name")


def volume_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.volumes(_VOLUME_PARTS):
        names = dict(zip(_VOLUME_PARTS, entry.parts, strict=True))
        yield from _inherited(names, entry.parts, entry.governance, inventory)


def volume_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.volumes(_TAGGED_VOLUME_PARTS):
        yield from _tags(dict(zip(_TAGGED_VOLUME_PARTS, entry.parts, strict=True)), entry.governance.tags)


def column_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TABLE_PARTS):
        if isinstance(entry, ViewEntry):
            yield from _columns(entry, entry.definition.schema, ())
            continue
        snapshot = inventory.snapshot(entry)
        if snapshot is not None:
            yield from _columns(entry, snapshot.schema, snapshot.partition_columns)


def _columns(entry: Entry, schema: StructType, partitions: tuple[str, ...] | list[str]) -> Iterator[Row]:
    places = {name: place for place, name in enumerate(partitions, start=1)}
    for position, field in enumerate(schema, start=1):
        yield {
            **named(entry),
            "column_name": field.name,
            "ordinal_position": position,
            **field_facts(field),
            **_values(field),
            "is_nullable": yes_or_no(field.nullable),
            "is_updatable": yes_or_no(isinstance(entry, TableEntry) and entry.source is None),
            "is_system_time_period_start": "NO",
            "is_system_time_period_end": "NO",
            "partition_ordinal_position": places.get(field.name),
            "comment": field.comment,
        }


def _values(field: StructField) -> Row:
    """Facts on a column that gives its values itself: its default, its identity, its generation."""
    identity, expression = identity_of(field), field.metadata.get("delta.generationExpression")
    facts: dict[str, object] = {
        "column_default": field.metadata.get("CURRENT_DEFAULT"),
        "is_identity": yes_or_no(identity is not None),
        "is_generated": yes_or_no(expression is not None),
        "generation_expression": expression,
    }
    if identity is not None:
        facts |= {
            "identity_generation": "BY DEFAULT" if identity.allow_explicit else "ALWAYS",
            "identity_start": str(identity.start),
            "identity_increment": str(identity.step),
            "identity_cycle": "NO",
        }
    return facts


def catalog_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for name in inventory.catalogs("catalog_name"):
        entry = inventory.context.catalog.catalog(name)
        yield from _tags({"catalog_name": name}, read_tags(entry.properties.get(table_properties.TAGS)))


def schema_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.schemas(("catalog_name", "schema_name")):
        names = {"catalog_name": entry.catalog, "schema_name": entry.name}
        yield from _tags(names, read_tags(entry.properties.get(table_properties.TAGS)))


def table_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TAGGED_PARTS):
        names = dict(zip(TAGGED_PARTS, entry.parts, strict=True))
        if isinstance(entry, ViewEntry):
            yield from _tags(names, read_tags(entry.definition.properties.get(table_properties.TAGS)))
            continue
        snapshot = inventory.snapshot(entry)
        if snapshot is not None:
            yield from _tags(names, table_tags(snapshot.metadata))


def column_tag_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TAGGED_PARTS):
        names = dict(zip(TAGGED_PARTS, entry.parts, strict=True))
        for path, tags in _column_tags(entry, inventory).items():
            yield from _tags({**names, "column_name": path[0] if len(path) == 1 else path_text(path)}, tags)


def _column_tags(entry: Entry, inventory: Inventory) -> Mapping[tuple[str, ...], Mapping[str, str]]:
    if isinstance(entry, ViewEntry):
        return view_column_tags(entry.definition.properties, entry.definition.schema)
    snapshot = inventory.snapshot(entry)
    return {} if snapshot is None else column_tags(snapshot.metadata)


def _tags(names: Row, tags: Mapping[str, str]) -> Iterator[Row]:
    for key, value in sorted(tags.items()):
        yield {**names, "tag_name": key, "tag_value": shown_value(key, value)}


def named(entry: Entry) -> dict[str, object]:
    """The name of a table or view."""
    return dict(zip(TABLE_PARTS, entry.parts, strict=True))


def _times(created_at: int) -> Row:
    """The catalog stores when an object was created, and no later changes of it."""
    return {"created": moment(created_at), "last_altered": moment(created_at)}


_NAMES = {"tinyint": "BYTE", "smallint": "SHORT", "bigint": "LONG"}
"""Types that the information schema calls otherwise than SQL."""
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64, "float": 32, "double": 64}
_FRACTIONS = frozenset({"float", "double"})
_TIME_DIGITS = {"date": 0, "timestamp": 3, "timestamp_ntz": 3}

TypeFacts = Mapping[str, object]
"""Values by the name of their column; missing ones are NULL."""


def field_facts(field: StructField) -> TypeFacts:
    """The facts of a column's type, with the length that a CHAR or VARCHAR is declared with."""
    return {**type_facts(field.type), "full_data_type": type_text(declared_type(field))}


def type_facts(kind: DataType) -> TypeFacts:
    """The facts of a type."""
    name = kind_text(kind)
    facts: dict[str, object] = {"data_type": _simple_name(kind, name), "full_data_type": type_text(kind)}
    if isinstance(kind, DecimalType):
        return facts | {
            "numeric_precision": kind.precision,
            "numeric_precision_radix": 10,
            "numeric_scale": kind.scale,
        }
    if not isinstance(kind, PrimitiveType):
        return facts
    if kind.name in _BITS:
        facts |= {"numeric_precision": _BITS[kind.name], "numeric_precision_radix": 2}
        facts |= {} if kind.name in _FRACTIONS else {"numeric_scale": 0}
    if kind.name in _TIME_DIGITS:
        facts["datetime_precision"] = _TIME_DIGITS[kind.name]
    if kind.name.startswith("interval"):
        unit = kind.name.removeprefix("interval").strip().upper()
        facts |= {"interval_type": unit or None, "datetime_precision": 3 if unit.endswith("SECOND") else 0}
    return facts


def text_facts(written: str | None) -> TypeFacts:
    """The facts of a type in SQL; only its text where it is a type that Delta tables do not have."""
    if not written:
        return {}
    try:
        return type_facts(parse_type(written))
    except DeltaSqlError:
        words = " ".join(written.lower().split())
        if words.startswith("interval"):
            return type_facts(PrimitiveType(words))
        return {"data_type": written.partition("(")[0].partition("<")[0].strip().upper(), "full_data_type": written}


def _simple_name(kind: DataType, name: str) -> str:
    if isinstance(kind, DecimalType):
        return "DECIMAL"
    return _NAMES.get(name, name.partition(" ")[0].partition("(")[0].upper())


_CONSTRAINT = ("constraint_catalog", "constraint_schema", "constraint_name")


@dataclass(frozen=True, slots=True)
class _Constraint:
    """A constraint of a table: a key, or a `check` with its SQL."""

    table: TableEntry
    snapshot: Snapshot
    name: str
    key: Key | None
    check: str = ""

    @property
    def kind(self) -> str:
        return "CHECK" if self.key is None else self.key.kind

    @property
    def names(self) -> dict[str, object]:
        """Constraints are named within the schema of their table."""
        return dict(zip(_CONSTRAINT, (self.table.catalog, self.table.schema, self.name), strict=True))

    def referenced(self, inventory: Inventory) -> TableEntry | None:
        """The table that the constraint refers to: the parent of a foreign key, else its own."""
        references = None if self.key is None else self.key.references
        if references is None or references.table is None:
            return self.table
        return inventory.context.catalog.resolve(references.table)

    def referenced_columns(self) -> Sequence[str]:
        """Columns of the table that the constraint refers to."""
        if self.key is not None:
            return self.key.columns if self.key.references is None else self.key.references.columns
        named = {reference.parts[0].lower() for reference in column_references(self.check)}
        return [name for name in self.snapshot.schema.names if name.lower() in named]


def constraint_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory, TABLE_PARTS):
        yield {
            **item.names,
            **_table(item.table),
            "constraint_type": item.kind,
            "is_deferrable": yes_or_no(item.key is not None),
            "initially_deferred": "NO",
            "enforced": yes_or_no(item.key is None),
        }


def check_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        if item.key is None:
            yield {**item.names, "check_clause": item.check}


def key_column_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory, TABLE_PARTS):
        if item.key is None:
            continue
        places = _places_in_parent(item, inventory)
        for position, column in enumerate(item.key.columns, start=1):
            yield {
                **item.names,
                **_table(item.table),
                "column_name": column,
                "ordinal_position": position,
                "position_in_unique_constraint": places[position - 1],
            }


def _places_in_parent(item: _Constraint, inventory: Inventory) -> Sequence[int | None]:
    """The place of each column of a foreign key in the key that it refers to; None where that is unknown."""
    assert item.key is not None
    columns = item.referenced_columns() if item.key.references is not None else ()
    parent = _parent_key(item, inventory) if columns else None
    if parent is None:
        return [None] * len(item.key.columns)
    order = [name.lower() for name in parent[1].columns]
    return [order.index(name.lower()) + 1 if name.lower() in order else None for name in columns]


def referential_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        parent = _parent_key(item, inventory) if item.kind == "FOREIGN KEY" else None
        if parent is None:
            continue
        table, key = parent
        yield {
            **item.names,
            "unique_constraint_catalog": table.catalog,
            "unique_constraint_schema": table.schema,
            "unique_constraint_name": key.name,
            "match_option": "FULL",
            "update_rule": "NO ACTION",
            "delete_rule": "NO ACTION",
        }


def constraint_table_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        table = item.referenced(inventory)
        if table is not None:
            yield {**_table(table), **item.names}


def constraint_column_rows(inventory: Inventory) -> Iterator[Row]:
    for item in _constraints(inventory):
        table = item.referenced(inventory)
        for column in item.referenced_columns() if table is not None else ():
            assert table is not None
            yield {**_table(table), "column_name": column, **item.names}


def _constraints(inventory: Inventory, columns: tuple[str, str, str] | None = None) -> Iterator[_Constraint]:
    """The constraints of all tables, table by table. `columns` hold the name of the table, if the view has them."""
    # The name of the table is none of the view's columns: a column of no view stands for it.
    parts = columns or ("constraint_catalog", "constraint_schema", "")
    for table, snapshot in inventory.tables(parts):
        for key in keys_of(snapshot.metadata):
            yield _Constraint(table, snapshot, key.name, key)
        for name, check in snapshot.metadata.properties.constraints.items():
            yield _Constraint(table, snapshot, name, None, check)


def _parent_key(item: _Constraint, inventory: Inventory) -> tuple[TableEntry, Key] | None:
    """The table that a foreign key refers to with the key of these columns; None where either is gone."""
    table = item.referenced(inventory)
    snapshot = None if table is None else inventory.snapshot(table)
    keys = () if snapshot is None else referable_keys(snapshot.metadata)
    named = sorted(map(str.lower, item.referenced_columns()))
    key = next((key for key in keys if sorted(map(str.lower, key.columns)) == named), None)
    return None if table is None or key is None else (table, key)


def _table(entry: TableEntry) -> Row:
    return dict(zip(TABLE_PARTS, entry.parts, strict=True))


_SCHEMA_PARTS = ("catalog_name", "schema_name")
_ROUTINE_PARTS = ("specific_catalog", "specific_schema", "specific_name")


def catalog_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for name in inventory.catalogs("catalog_name"):
        entry = inventory.context.catalog.catalog(name)
        yield from _grants({"catalog_name": name}, entry.governance)


def schema_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.schemas(_SCHEMA_PARTS):
        names = {"catalog_name": entry.catalog, "schema_name": entry.name}
        yield from _grants(names, entry.governance)
        yield from _grants(names, _of_catalog(inventory, entry.catalog), "CATALOG")


def table_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TABLE_PARTS):
        yield from _inherited(named(entry), entry.parts, entry.governance, inventory)


def routine_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.routines(_ROUTINE_PARTS):
        names = dict(zip(_ROUTINE_PARTS, entry.parts, strict=True))
        names |= dict(zip(("routine_catalog", "routine_schema", "routine_name"), entry.parts, strict=True))
        yield from _inherited(names, entry.parts, entry.governance, inventory)


def row_filter_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in _tables(inventory):
        policy = entry.governance.row_filter
        if policy is not None:
            yield {**named(entry), **_function("filter", policy), "target_columns": arguments_text(policy)}


def column_mask_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in _tables(inventory):
        for column, policy in entry.governance.masks.items():
            using = arguments_text(policy) or None
            yield {**named(entry), "column_name": column, **_function("mask", policy), "using_columns": using}


def _function(kind: str, policy: Policy) -> Row:
    """Catalog, schema and name of a policy's function. The name is the full one, which clients compare."""
    catalog, schema, _ = policy.function
    return {f"{kind}_catalog": catalog, f"{kind}_schema": schema, f"{kind}_name": ".".join(policy.function)}


def _tables(inventory: Inventory) -> Iterator[Entry]:
    return (entry for entry in inventory.entries(TABLE_PARTS) if isinstance(entry, TableEntry))


def _inherited(names: Row, parts: tuple[str, str, str], governance: Governance, inventory: Inventory) -> Iterator[Row]:
    """The privileges on an object, and those on its schema and its catalog."""
    yield from _grants(names, governance)
    schema = inventory.context.catalog.schema(parts[:2])
    yield from _grants(names, schema.governance, "SCHEMA")
    yield from _grants(names, _of_catalog(inventory, parts[0]), "CATALOG")


def _of_catalog(inventory: Inventory, name: str) -> Governance:
    return inventory.context.catalog.catalog(name).governance


def _grants(names: Row, governance: Governance, inherited_from: str = "NONE") -> Iterator[Row]:
    common = {"grantor": "", "is_grantable": "NO", "inherited_from": inherited_from}
    for grantee, privileges in governance.grants.items():
        for privilege in privileges:
            yield {**names, **common, "grantee": grantee, "privilege_type": privilege.replace(" ", "_")}


_PARTS = ("specific_catalog", "specific_schema", "specific_name")


def routine_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.routines(_PARTS):
        created = moment(entry.created_at)
        yield {
            **_named(entry),
            **dict(zip(("routine_catalog", "routine_schema", "routine_name"), entry.parts, strict=True)),
            "routine_owner": entry.governance.owner,
            **(_of_procedure(entry) if entry.definition.is_procedure else _of_function(entry)),
            "parameter_style": "SQL",
            "is_null_call": "YES",
            "as_locator": "NO",
            "created": created,
            "last_altered": created,
        }


def _of_function(entry: FunctionEntry) -> Row:
    text = function_text(entry.definition.text)
    return {
        "routine_type": "FUNCTION",
        **_returned(text),
        "routine_body": "SQL" if text.language in {None, "SQL"} else "EXTERNAL",
        "routine_definition": text.body or (text.python and text.python.code),
        "external_language": None if text.language == "SQL" else text.language,
        "is_deterministic": yes_or_no(text.deterministic),
        "sql_data_access": text.data_access,
        "security_type": "DEFINER",
        "comment": text.comment,
    }


def _of_procedure(entry: FunctionEntry) -> Row:
    text = procedure_text(entry.definition.text)
    return {
        "routine_type": "PROCEDURE",
        "routine_body": "SQL",
        "routine_definition": text.body,
        "is_deterministic": yes_or_no(text.deterministic),
        "sql_data_access": text.data_access or "MODIFIES SQL DATA",
        "security_type": text.security or "DEFINER",
        "comment": text.comment,
    }


def parameter_rows(inventory: Inventory) -> Iterator[Row]:
    flags = {"is_result": "NO", "as_locator": "NO"}
    for entry in inventory.routines(_PARTS):
        text, is_procedure = entry.definition.text, entry.definition.is_procedure
        parameters = procedure_text(text).parameters if is_procedure else function_text(text).parameters
        for item, row in zip(parameters, _routines_columns(entry, parameters, "parameter_name"), strict=True):
            yield {**row, **flags, "parameter_mode": item.mode}


def routine_column_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.functions(_PARTS):
        yield from _routines_columns(entry, function_text(entry.definition.text).columns or (), "column_name")


def _routines_columns(entry: FunctionEntry, items: Sequence[Parameter], column: str) -> Iterator[Row]:
    for position, item in enumerate(items, start=1):
        yield {
            **_named(entry),
            "ordinal_position": position,
            column: item.name,
            **text_facts(item.type),
            "parameter_default": item.default,
            "comment": item.comment,
        }


def _returned(text: FunctionText) -> TypeFacts:
    return {"data_type": "TABLE", "full_data_type": "TABLE"} if text.is_table else text_facts(text.returns)


def _named(entry: FunctionEntry) -> Row:
    return dict(zip(_PARTS, entry.parts, strict=True))


_ROWS: Mapping[str, Callable[[Inventory], Iterator[Row]]] = {
    "catalog_privileges": catalog_privilege_rows,
    "catalog_tags": catalog_tag_rows,
    "catalogs": catalog_rows,
    "check_constraints": check_rows,
    "column_masks": column_mask_rows,
    "column_tags": column_tag_rows,
    "columns": column_rows,
    "constraint_column_usage": constraint_column_rows,
    "constraint_table_usage": constraint_table_rows,
    "information_schema_catalog_name": catalog_name_rows,
    "key_column_usage": key_column_rows,
    "parameters": parameter_rows,
    "referential_constraints": referential_rows,
    "routine_columns": routine_column_rows,
    "routine_privileges": routine_privilege_rows,
    "routines": routine_rows,
    "row_filters": row_filter_rows,
    "schema_privileges": schema_privilege_rows,
    "schema_tags": schema_tag_rows,
    "schemata": schema_rows,
    "table_constraints": constraint_rows,
    "table_privileges": table_privilege_rows,
    "table_tags": table_tag_rows,
    "tables": table_rows,
    "views": view_rows,
    "volume_privileges": volume_privilege_rows,
    "volume_tags": volume_tag_rows,
    "volumes": volume_rows,
}


def information_rows(context: Context, view: ViewEntry, asked: Asked) -> MemoryRows:
    """The rows of a built-in view, as the catalog and the logs of its tables are now."""
    schema = view.definition.schema
    rows = list(_ROWS[view.name](Inventory(context, view.catalog, asked)))
    return memory_rows(schema, [[row.get(field.name) for row in rows] for field in schema])


def memory_rows(schema: StructType, columns: Sequence[Sequence[Any]]) -> MemoryRows:
    """Rows in memory: the values of each column of `schema`."""
    import pyarrow as pa

    from deltasql.schema import arrow_type

    arrays = [pa.array(values, arrow_type(field.type)) for values, field in zip(columns, schema, strict=True)]
    return MemoryRows(schema, pa.table(arrays, names=list(schema.names)))
