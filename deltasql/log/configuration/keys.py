"""Primary, unique and foreign keys, and tags of a table and its columns, stored in table properties.

Keys are informational, and not enforced. Column references in stored properties have physical names too, so that they
stay valid when other engines rename the columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.log.actions.actions import Metadata
from deltasql.log.table_properties import (
    COLUMN_TAGS,
    KEYS,
    TAGS,
)
from deltasql.schema import (
    StructType,
    find_path,
    is_mapped,
    physical_name,
    quote_name,
    walk,
)


@dataclass(frozen=True, slots=True)
class References:
    """Parent of a foreign key: the table by its full name, or None for the table that has the key, and its columns."""

    table: tuple[str, ...] | None
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A primary key, a unique one, or with `references` a foreign key.

    `name` is in lower case, `options` are words of SQL.
    """

    name: str
    columns: tuple[str, ...]
    timeseries: str | None = None
    references: References | None = None
    options: tuple[str, ...] = ()
    is_unique: bool = False

    @property
    def kind(self) -> str:
        """`PRIMARY KEY`, `UNIQUE` or `FOREIGN KEY`."""
        return "FOREIGN KEY" if self.references is not None else "UNIQUE" if self.is_unique else "PRIMARY KEY"

    def definition(self, table: Sequence[str], quote: Callable[[str], str] = quote_name) -> str:
        """The key in SQL without its options; `table` are the parts of the name of the table that has it."""
        columns = ", ".join(quote(name) + (" TIMESERIES" if name == self.timeseries else "") for name in self.columns)
        if self.references is None:
            return f"{self.kind} ({columns})"
        parent = ".".join(map(quote, self.references.table or table))
        return f"FOREIGN KEY ({columns}) REFERENCES {parent} ({', '.join(map(quote, self.references.columns))})"

    def clause(self, table: Sequence[str]) -> str:
        """The key as CREATE TABLE takes it."""
        words = " ".join(("NOT ENFORCED", *self.options))
        return f"CONSTRAINT {quote_name(self.name)} {self.definition(table)} {words}"


def keys_of(metadata: Metadata) -> tuple[Key, ...]:
    """The keys of a table: the primary key, then unique and foreign ones by name, with the present names of columns.

    A key with a dropped column is left out; there are no keys if another writer has damaged the property's JSON.
    """
    text = metadata.configuration.get(KEYS)
    if text is None:
        return ()
    try:
        keys = list(_read(json.loads(text), metadata.schema))
    except (ValueError, TypeError, AttributeError, KeyError):
        return ()
    return tuple(sorted(keys, key=lambda key: (key.references is not None, key.is_unique, key.name)))


def primary_key(metadata: Metadata) -> Key | None:
    """The primary key of a table."""
    return next((key for key in keys_of(metadata) if key.kind == "PRIMARY KEY"), None)


def referable_keys(metadata: Metadata) -> tuple[Key, ...]:
    """The keys that foreign keys may refer to: the primary key first, then the unique ones."""
    return tuple(key for key in keys_of(metadata) if key.references is None)


def with_keys(metadata: Metadata, keys: Sequence[Key]) -> Metadata:
    """`metadata` with exactly these keys, whose columns must exist."""
    if not keys:
        return metadata.without_properties({KEYS})
    return metadata.with_configuration(
        {KEYS: json.dumps([_written(key, metadata.schema) for key in keys], ensure_ascii=False)}
    )


def _read(stored: Sequence[Mapping[str, Any]], schema: StructType) -> Iterator[Key]:
    for item in stored:
        columns = [current_column(column, schema) for column in item["columns"]]
        names = [path[0] for path in columns if path is not None and len(path) == 1]
        if len(names) < len(columns):
            continue
        marked = [name for name, column in zip(names, item["columns"], strict=True) if column.get("timeseries")]
        parent = item.get("references")
        references = None
        if parent is not None:
            table = parent.get("table")
            references = References(None if table is None else tuple(table), tuple(parent["columns"]))
        options = tuple(map(str, item.get("options", ())))
        is_unique = item.get("unique") is True
        yield Key(str(item["name"]), tuple(names), marked[0] if marked else None, references, options, is_unique)


def _written(key: Key, schema: StructType) -> dict[str, Any]:
    columns = [
        stored_column((name,), schema) | ({"timeseries": True} if name == key.timeseries else {})
        for name in key.columns
    ]
    written: dict[str, Any] = {"name": key.name, "columns": columns}
    if key.is_unique:
        written["unique"] = True
    if key.references is not None:
        table = key.references.table
        written["references"] = {
            "table": None if table is None else list(table),
            "columns": list(key.references.columns),
        }
    return written | ({"options": list(key.options)} if key.options else {})


Path = tuple[str, ...]


def stored_column(path: Path, schema: StructType) -> dict[str, Any]:
    """A column as a property keeps it: its name, and that of its files where it differs."""
    physical = _physical(path, schema)
    return {"column": list(path)} | ({} if physical == path else {"physical": list(physical)})


def current_column(stored: Mapping[str, Any], schema: StructType) -> Path | None:
    """The column of `schema` that was stored, as it is called now; None where it is gone.

    It goes by the names of files, which a rename leaves alone; by its own where the table maps no columns any more.
    """
    name = _parts(stored.get("column"))
    physical = (_parts(stored.get("physical")) or name) if is_mapped(schema) else name
    return next((path for path, _ in walk(schema) if physical and _physical(path, schema) == physical), None)


def _parts(value: object) -> Path:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _physical(path: Path, schema: StructType) -> Path:
    return tuple(_physical_names(path, schema))


def _physical_names(path: Path, schema: StructType) -> Iterator[str]:
    """The physical name of each struct field on the way; `element`, `key` and `value` stay."""
    for length in range(1, len(path) + 1):
        column_path = find_path(schema, path[:length])
        yield path[length - 1] if column_path is None else physical_name(column_path.field)


Tags = dict[str, str]
"""Values by key; a tag that is a key alone has the value ""."""


def read_tags(text: str | None) -> Tags:
    """The tags in the text of a property; empty without a text, or if it is damaged."""
    return _texts(_loaded(text))


def table_tags(metadata: Metadata) -> Tags:
    """The tags of the table."""
    return read_tags(metadata.configuration.get(TAGS))


def column_tags(metadata: Metadata) -> dict[Path, Tags]:
    """The tags of each column that has some, in the order of the columns' names."""
    return dict(sorted(_of_columns(metadata)))


def view_column_tags(properties: Mapping[str, str], schema: StructType) -> dict[Path, Tags]:
    """The tags of a view's columns, which its properties store as JSON by name; without those of other columns."""
    stored = _loaded(properties.get(COLUMN_TAGS))
    by_name = sorted(stored.items()) if isinstance(stored, dict) else ()
    return {(name,): _texts(tags) for name, tags in by_name if name in schema.names}


def with_table_tags(metadata: Metadata, tags: Mapping[str, str]) -> Metadata:
    """`metadata` with exactly these tags of the table."""
    return _with(metadata, TAGS, dict(sorted(tags.items())))


def with_column_tags(metadata: Metadata, tags: Mapping[Path, Mapping[str, str]]) -> Metadata:
    """`metadata` with exactly these tags of its columns."""
    stored = [
        stored_column(path, metadata.schema) | {"tags": dict(sorted(column_tags.items()))}
        for path, column_tags in sorted(tags.items())
        if column_tags
    ]
    return _with(metadata, COLUMN_TAGS, stored)


def _with(metadata: Metadata, key: str, value: object) -> Metadata:
    if not value:
        return metadata.without_properties({key})
    return metadata.with_configuration({key: json.dumps(value, ensure_ascii=False)})


def _of_columns(metadata: Metadata) -> Iterator[tuple[Path, Tags]]:
    stored = _loaded(metadata.configuration.get(COLUMN_TAGS))
    for item in stored if isinstance(stored, list) else ():
        path = current_column(item, metadata.schema) if isinstance(item, dict) else None
        if path is not None:
            yield path, _texts(item.get("tags"))


def _loaded(text: str | None) -> Any:
    """The parsed JSON; None without a text, or if another writer has damaged it."""
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


def _texts(value: object) -> Tags:
    return {str(key): str(item) for key, item in value.items()} if isinstance(value, dict) else {}
