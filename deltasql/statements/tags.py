"""SET and UNSET of tags: of tables and columns in the table's metadata, of other objects in the catalog."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import VOLUME, Subject, ViewEntry
from deltasql.log import (
    Metadata,
    Operation,
    column_tags,
    operations,
    read_tags,
    table_properties,
    table_tags,
    view_column_tags,
    with_column_tags,
    with_table_tags,
)
from deltasql.plan import ColumnPath, LogicalPlan, TableName
from deltasql.planner import (
    CatalogProperties,
    CommitSpec,
    Context,
    GovernanceChange,
    Plan,
    SchemaProperties,
    TableChange,
    ViewDefining,
    plan,
)
from deltasql.schema import path_text, quote_text, resolve
from deltasql.schema import quote_name as quote
from deltasql.sql import Tree, builds
from deltasql.statements.describe import table_and_column
from deltasql.statements.view import with_changed


class Tagged(Enum):
    """The kind of object that a tag is set on."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    SCHEMA = "SCHEMA"
    CATALOG = "CATALOG"
    COLUMN = "COLUMN"
    VOLUME = "VOLUME"


@dataclass(frozen=True, slots=True)
class TagKey:
    """The key of a tag, and its span in the statement."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NewTag:
    """key [= value]: a key alone has the value ''"""

    key: TagKey
    value: str


@dataclass(frozen=True, slots=True)
class SetTags(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | CATALOG | VOLUME} t [ALTER COLUMN c] SET TAGS ('key' = 'value', …)

    and SET TAG ON {TABLE | VIEW | SCHEMA | CATALOG | VOLUME | COLUMN} t key [= value].
    `name` is the table, view, schema or catalog, `column` None but for a column; of SET TAG ON COLUMN t.c, `column` is
    the whole and `name` None. A `single` tag must be new.
    """

    kind: Tagged
    name: TableName | None
    column: ColumnPath | None
    tags: tuple[NewTag, ...]
    single: bool


@dataclass(frozen=True, slots=True)
class UnsetTags(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | CATALOG | VOLUME} t [ALTER COLUMN c] UNSET TAGS ('key', …)

    and UNSET TAG ON {TABLE | VIEW | SCHEMA | CATALOG | VOLUME | COLUMN} t key.
    `name` and `column` are those of SetTags. A `single` tag must be there.
    """

    kind: Tagged
    name: TableName | None
    column: ColumnPath | None
    keys: tuple[TagKey, ...]
    single: bool


_KINDS = {kind.value.lower(): kind for kind in Tagged}
_SET = {f"set_{kind}_{form}": (kind, form == "tag") for kind in _KINDS for form in ("tags", "tag")}
_UNSET = {f"un{name}": value for name, value in _SET.items()}


@builds("tag_key")
def _key(children: list[Any], tree: Tree, text: str) -> TagKey:
    return TagKey(children[0], tree.start, tree.end)


@builds("tag_value")
def _value(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0])


@builds("new_tag")
def _new_tag(children: list[Any], tree: Tree, text: str) -> NewTag:
    key, value = children
    return NewTag(key, value or "")


def _target(children: list[Any]) -> tuple[TableName | None, ColumnPath | None]:
    table = next((child for child in children if isinstance(child, TableName)), None)
    return table, next((child for child in children if isinstance(child, ColumnPath)), None)


@builds(*_SET)
def _set_tags(children: list[Any], tree: Tree, text: str) -> SetTags:
    kind, single = _SET[tree.name]
    *target, tags = children
    return SetTags(_KINDS[kind], *_target(target), (tags,) if single else tags, single)


@builds(*_UNSET)
def _unset_tags(children: list[Any], tree: Tree, text: str) -> UnsetTags:
    kind, single = _UNSET[tree.name]
    *target, keys = children
    return UnsetTags(_KINDS[kind], *_target(target), (keys,) if single else keys, single)


Tags: TypeAlias = Mapping[str, str]
Change: TypeAlias = Callable[[Tags, "_Owner"], dict[str, str]]


@dataclass(frozen=True, slots=True)
class _Owner:
    """The owner of tags: its description in messages, and the ALTER statement that names it."""

    name: str
    altered: str


@plan.register
def plan_set_tags(statement: SetTags, context: Context) -> Plan:
    """A key that is set gets the new value; SET TAG takes a new one only. Raises TagExistsError, DuplicateTagError."""

    def change(tags: Tags, owner: _Owner) -> dict[str, str]:
        added: dict[str, str] = {}
        for tag in statement.tags:
            key, caret = tag.key.text, context.caret(tag.key.start, tag.key.end)
            if key in added:
                raise errors.DuplicateTagError(quote_text(key)).at(caret)
            if statement.single and key in tags:
                pair = f"{quote_text(key)} = {quote_text(tag.value)}"
                raise errors.TagExistsError(owner.name, quote_text(key), owner.altered, pair).at(caret)
            added[key] = tag.value
        return {**tags, **added}

    parameter = {tag.key.text: tag.value for tag in statement.tags}
    return _changed(statement, change, operations.SET_TAGS, {"tags": parameter}, context)


@plan.register
def plan_unset_tags(statement: UnsetTags, context: Context) -> Plan:
    """A key that is not set is ignored, except by UNSET TAG. Raises TagNotFoundError."""

    def change(tags: Tags, owner: _Owner) -> dict[str, str]:
        for key in statement.keys:
            if statement.single and key.text not in tags:
                others = f"Its tags: {', '.join(map(quote_text, sorted(tags)))}." if tags else "It has none."
                error = errors.TagNotFoundError(owner.name, quote_text(key.text), others)
                raise error.at(context.caret(key.start, key.end))
        gone = {key.text for key in statement.keys}
        return {key: value for key, value in tags.items() if key not in gone}

    parameter = [key.text for key in statement.keys]
    return _changed(statement, change, operations.UNSET_TAGS, {"tags": parameter}, context)


def _changed(
    statement: SetTags | UnsetTags,
    change: Change,
    operation: Operation,
    parameters: Mapping[str, object],
    context: Context,
) -> Plan:
    if statement.kind is Tagged.SCHEMA:
        assert statement.name is not None
        return _of_schema(statement.name, change, context)
    if statement.kind is Tagged.CATALOG:
        assert statement.name is not None
        return _of_catalog(statement.name, change, context)
    if statement.kind is Tagged.VOLUME:
        assert statement.name is not None
        return _of_volume(statement.name, change, context)
    if statement.kind is Tagged.VIEW:
        assert statement.name is not None
        return _of_view(statement.name, change, context)
    table, column = _table_and_column(statement, context)
    view = None if column is None or context.is_temporary_view(table) else context.catalog_view(table.parts)
    if view is not None and column is not None:
        return _of_view_column(view, table, column, change, context)
    log, snapshot = context.writable(table)
    if column is None:
        metadata = _of_table(snapshot.metadata, table, change)
    else:
        try:
            path = resolve(snapshot.schema, column.parts, where=snapshot.table).path
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
        metadata = _of_column(snapshot.metadata, table, path, change)
        parameters = {**parameters, "column": path_text(path)}
    return TableChange(CommitSpec(log, snapshot, operation, parameters, (metadata,)))


def _table_and_column(statement: SetTags | UnsetTags, context: Context) -> tuple[TableName, ColumnPath | None]:
    """The table, and its column or None; SET TAG ON COLUMN gives both in one name."""
    if statement.name is not None:
        return statement.name, statement.column
    assert statement.column is not None
    table, parts = table_and_column(statement.column, context)
    return table, ColumnPath(parts, statement.column.start, statement.column.end)


def _of_view(name: TableName, change: Change, context: Context) -> ViewDefining:
    """Tags of a view of the catalog. Raises WrongObjectError for a temporary view, which stores none."""
    context.refuse_version(name)
    temporary = context.is_temporary_view(name)
    entry = None if temporary or name.path is not None else context.catalog_view(name.parts)
    if entry is None:
        kind, advice = "table", f"ALTER TABLE {name} SET TAGS"
        if temporary:
            kind, advice = "temporary view", "SET TAGS of the tables that it reads"
        else:
            context.location(name)
        raise errors.WrongObjectError("ALTER VIEW … TAGS", "view of the catalog", str(name), kind, advice).at(
            context.caret(name.start, name.end)
        )
    owner = _Owner(f"View {name}", f"ALTER VIEW {name}")

    def tagged(properties: Tags) -> Tags:
        tags = change(read_tags(properties.get(table_properties.TAGS)), owner)
        return {**{key: properties[key] for key in properties if key != table_properties.TAGS}, **_tags_property(tags)}

    tagged(entry.definition.properties)
    return with_changed(entry, tagged)


def _of_view_column(
    entry: ViewEntry, view: TableName, column: ColumnPath, change: Change, context: Context
) -> ViewDefining:
    """Tags of a column of a view, which the view's properties store by its name."""
    context.refuse_information(view)
    place = context.caret(column.start, column.end)
    try:
        path = resolve(entry.definition.schema, column.parts, where=str(view)).path
    except DeltaSqlError as error:
        raise error.at(place) from None
    if len(path) > 1:
        advice = f"Set the tag on the column {quote(path[0])}."
        raise errors.UnsupportedStatementError("SET TAGS of a field of a view", advice).at(place)
    owner = _Owner(f"Column {path_text(path)} of {view}", f"ALTER TABLE {view} ALTER COLUMN {path_text(path)}")

    def tagged(properties: Tags) -> Tags:
        key = table_properties.COLUMN_TAGS
        by_column = {name: tags for (name,), tags in view_column_tags(properties, entry.definition.schema).items()}
        by_column[path[0]] = change(by_column.get(path[0], {}), owner)
        stored = {name: dict(sorted(tags.items())) for name, tags in sorted(by_column.items()) if tags}
        others = {name: value for name, value in properties.items() if name != key}
        return {**others, key: json.dumps(stored, ensure_ascii=False)} if stored else others

    tagged(entry.definition.properties)
    return with_changed(entry, tagged)


def _tags_property(tags: Tags) -> dict[str, str]:
    """The property of a view or a schema that stores its tags; empty without tags."""
    return {table_properties.TAGS: json.dumps(dict(sorted(tags.items())), ensure_ascii=False)} if tags else {}


def _of_table(metadata: Metadata, table: TableName, change: Change) -> Metadata:
    owner = _Owner(str(table), f"ALTER TABLE {table}")
    return with_table_tags(metadata, change(table_tags(metadata), owner))


def _of_column(metadata: Metadata, table: TableName, path: tuple[str, ...], change: Change) -> Metadata:
    tags_by_column, column = column_tags(metadata), path_text(path)
    owner = _Owner(f"Column {column} of {table}", f"ALTER TABLE {table} ALTER COLUMN {column}")
    return with_column_tags(metadata, {**tags_by_column, path: change(tags_by_column.get(path, {}), owner)})


def _of_schema(name: TableName, change: Change, context: Context) -> SchemaProperties:
    context.refuse_version(name)
    entry = context.catalog.schema(name.parts)
    owner = _Owner(f"Schema {quote(entry.name)}", f"ALTER SCHEMA {quote(entry.name)}")
    tags = change(read_tags(entry.properties.get(table_properties.TAGS)), owner)
    if not tags:
        return SchemaProperties(name.parts, removed=(table_properties.TAGS,))
    return SchemaProperties(name.parts, added=tuple(_tags_property(tags).items()))


def _of_volume(name: TableName, change: Change, context: Context) -> GovernanceChange:
    """Tags of a volume. Raises VolumeNotFoundError, at the name."""
    try:
        entry = context.catalog.volume(name.parts)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    owner = _Owner(f"Volume {name}", f"ALTER VOLUME {name}")
    change(entry.governance.tags, owner)
    return GovernanceChange(Subject(VOLUME, entry.parts), lambda found: replace(found, tags=change(found.tags, owner)))


def _of_catalog(name: TableName, change: Change, context: Context) -> CatalogProperties:
    context.refuse_version(name)
    catalog = context.require_catalog(name)
    entry = context.catalog.catalog(catalog)
    owner = _Owner(f"Catalog {quote(entry.name)}", f"ALTER CATALOG {quote(entry.name)}")
    tags = change(read_tags(entry.properties.get(table_properties.TAGS)), owner)
    if not tags:
        return CatalogProperties(catalog, removed=(table_properties.TAGS,))
    return CatalogProperties(catalog, added=tuple(_tags_property(tags).items()))
