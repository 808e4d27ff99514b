"""Primary and foreign keys as statements declare them, and the changes of a table that they forbid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.constraints import (
    ConstraintDeclaredTwiceError,
    ConstraintDependentColumnError,
    ConstraintExistsError,
    ForeignKeyMismatchError,
    KeyDefinitionError,
    KeyOptionError,
    KeyOptionsConflictError,
    MultiplePrimaryKeysError,
    PrimaryKeyNullableError,
    PrimaryKeyReferencedError,
)
from deltasql.base.errors.statements.refused import WrongObjectError
from deltasql.catalog.entries import TableEntry
from deltasql.log.actions.actions import Metadata
from deltasql.log.configuration.keys import Key, References, keys_of, primary_key, with_keys
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import ColumnPath, TableName, quote
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import same_type
from deltasql.schema.paths import folded, resolve
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import DataType
from deltasql.statements.nodes.constraints import KeyConstraint, KeyOption, KeyReferences

_SAID_BY_ALL = "NOT ENFORCED"
_SETTLED: Mapping[str, tuple[str, ...]] = {
    "NOT ENFORCED": (),
    "DEFERRABLE": ("DEFERRABLE",),
    "INITIALLY DEFERRED": ("INITIALLY DEFERRED",),
    "RELY": ("RELY",),
    "NORELY": ("NORELY",),
    "ENABLE NOVALIDATE": ("DEFERRABLE", "INITIALLY DEFERRED"),
}
_OF_FOREIGN_KEYS = ("MATCH FULL", "ON UPDATE NO ACTION", "ON DELETE NO ACTION")
_GROUPS = {"RELY": "rely", "NORELY": "rely", "ENABLE NOVALIDATE": "enforced", "NOT ENFORCED": "enforced"}
_ORDER = ("DEFERRABLE", "INITIALLY DEFERRED", *_OF_FOREIGN_KEYS, "RELY", "NORELY")
"""Options that a key may have, in the order in which they are shown; NOT ENFORCED is implicit."""


def full_name(name: TableName, context: Context) -> tuple[str, ...]:
    """A table's name in a foreign key, independent of the current schema: catalog, schema, table, or its path."""
    return ("delta", name.path) if name.path is not None else context.catalog.full_name(name.parts)


@dataclass(frozen=True, slots=True)
class _Owner:
    """The table that a key is added to; `metadata` has the keys added before."""

    metadata: Metadata
    table: TableName
    context: Context
    creating: bool = False

    @property
    def name(self) -> tuple[str, ...]:
        return full_name(self.table, self.context)

    @property
    def last_name(self) -> str:
        return _last(self.table)

    def named(self) -> dict[str, str]:
        """The definitions of all constraints of the table, by their names."""
        checks = {name: f"CHECK ({condition})" for name, condition in self.metadata.properties.constraints.items()}
        return checks | {key.name: key.definition(self.name) for key in keys_of(self.metadata)}

    def type_of(self, column: str) -> DataType:
        return resolve(self.metadata.schema, (column,)).field.type


def with_declared_keys(
    metadata: Metadata, declared: Sequence[KeyConstraint], table: TableName, context: Context, *, creating: bool = False
) -> Metadata:
    """`metadata` of a table with the declared keys besides those that it has; foreign keys may refer to these.

    Raises ColumnNotFoundError, KeyDefinitionError, MultiplePrimaryKeysError, PrimaryKeyNullableError,
    ForeignKeyMismatchError, KeyOptionError, KeyOptionsConflictError, TableNotFoundError, WrongObjectError,
    ConstraintExistsError, or ConstraintDeclaredTwiceError where the table is made by the statement.
    """
    for item in sorted(declared, key=lambda item: item.references is not None):
        owner = _Owner(metadata, table, context, creating)
        key = _key(item, owner)
        existing = owner.named().get(key.name)
        if existing is not None:
            twice = ConstraintDeclaredTwiceError if creating else ConstraintExistsError
            raise twice(str(table), quote(key.name), existing).at(context.caret(item.start, item.end))
        metadata = with_keys(metadata, (*keys_of(metadata), key))
    return metadata


def _key(item: KeyConstraint, owner: _Owner) -> Key:
    options = _options(item, owner.context)
    columns = _columns(item, owner)
    if item.references is None:
        _check_primary(item, columns, owner)
        marked = [resolve(owner.metadata.schema, column.parts).path[0] for column in item.timeseries]
        return Key(_name(item, f"{owner.last_name}_pk", owner), columns, marked[0] if marked else None, None, options)
    references = _references(item.references, columns, owner)
    name = _name(item, f"{owner.last_name}_{_last(item.references.table)}_fk", owner)
    return Key(name, columns, None, references, options)


def _last(table: TableName) -> str:
    return table.parts[-1].rstrip("/").rpartition("/")[2].lower()


def _name(item: KeyConstraint, start: str, owner: _Owner) -> str:
    """The given name, or a generated one that no other constraint has."""
    if item.name is not None:
        return item.name.lower()
    taken = owner.named()
    return next(
        name for name in (start, *(f"{start}_{number}" for number in range(1, len(taken) + 1))) if name not in taken
    )


def _kind(item: KeyConstraint) -> str:
    return "primary key" if item.references is None else "foreign key"


def _columns(item: KeyConstraint, owner: _Owner) -> tuple[str, ...]:
    """The columns of the key, spelled as in the schema."""
    names: list[str] = []
    for column in item.columns:
        caret = owner.context.caret(column.start, column.end)
        try:
            path = resolve(owner.metadata.schema, column.parts, where=str(owner.table)).path
        except DeltaSqlError as error:
            raise error.at(caret) from None
        if len(path) > 1:
            reason = f"{path_text(path)} is a part of column {quote(path[0])}, and a key has whole columns"
            raise KeyDefinitionError(_kind(item), str(owner.table), reason).at(caret)
        if path[0] in names:
            raise KeyDefinitionError(_kind(item), str(owner.table), f"{quote(path[0])} stands in it twice").at(caret)
        names.append(path[0])
    return tuple(names)


def _check_primary(item: KeyConstraint, columns: tuple[str, ...], owner: _Owner) -> None:
    existing, table, caret = primary_key(owner.metadata), str(owner.table), owner.context.caret
    if existing is not None:
        advice = f"Drop it first: ALTER TABLE {table} DROP PRIMARY KEY."
        if owner.creating:
            advice = "Name all its columns in one: PRIMARY KEY (a, b)."
        error = MultiplePrimaryKeysError(table, quote(existing.name), existing.definition(owner.name), advice)
        raise error.at(caret(item.start, item.end))
    for name, column in zip(columns, item.columns, strict=True):
        if resolve(owner.metadata.schema, (name,)).field.nullable:
            advice = f"Run first: ALTER TABLE {table} ALTER COLUMN {quote(name)} SET NOT NULL."
            raise PrimaryKeyNullableError(quote(name), table, advice).at(caret(column.start, column.end))
    if len(item.timeseries) > 1:
        second = item.timeseries[1]
        reason = "one of its columns at most is TIMESERIES"
        raise KeyDefinitionError(_kind(item), table, reason).at(caret(second.start, second.end))


def _references(references: KeyReferences, columns: tuple[str, ...], owner: _Owner) -> References:
    parent, context = references.table, owner.context
    caret = context.caret(parent.start, parent.end)
    context.refuse_version(parent)
    if context.is_view(parent):
        raise WrongObjectError("REFERENCES", "table", str(parent), "view", "a table with a primary key").at(caret)
    name = full_name(parent, context)
    itself = name == owner.name
    target = owner if itself else _Owner(context.snapshot(parent).metadata, parent, context)
    try:
        referenced = _referenced(references.columns, target)
        _check_fit(columns, referenced, owner, target)
    except DeltaSqlError as error:
        raise error.at(caret) from None
    return References(None if itself else name, referenced)


def _referenced(columns: Sequence[ColumnPath] | None, target: _Owner) -> tuple[str, ...]:
    """The columns of the referenced table, by default its primary key; () for none. Raises ColumnNotFoundError."""
    if columns is None:
        key = primary_key(target.metadata)
        return () if key is None else key.columns
    paths = [resolve(target.metadata.schema, path.parts, where=str(target.table)).path for path in columns]
    return tuple(path[0] if len(path) == 1 else path_text(path) for path in paths)


def _check_fit(columns: tuple[str, ...], referenced: tuple[str, ...], owner: _Owner, target: _Owner) -> None:
    """Raises ForeignKeyMismatchError, KeyDefinitionError."""
    reason = _mismatch(columns, referenced, owner, target)
    if reason is not None:
        raise ForeignKeyMismatchError(", ".join(map(quote, columns)), str(owner.table), str(target.table), reason)
    for key in keys_of(owner.metadata):
        if key.references is not None and set(key.columns) == set(columns):
            reason = f"{quote(key.name)} is one of these columns already"
            raise KeyDefinitionError("foreign key", str(owner.table), reason)


def _mismatch(columns: tuple[str, ...], referenced: tuple[str, ...], owner: _Owner, target: _Owner) -> str | None:
    key = primary_key(target.metadata)
    if key is None:
        return f"that has no primary key. Add one first: ALTER TABLE {target.table} ADD PRIMARY KEY (…)"
    names = ", ".join(map(quote, key.columns))
    if sorted(referenced) != sorted(key.columns):
        return f"its primary key is ({names})"
    if len(columns) != len(referenced):
        return f"its primary key is ({names}), with another number of columns"
    for column, other in zip(columns, referenced, strict=True):
        kind, expected = owner.type_of(column), target.type_of(other)
        if not same_type(kind, expected):
            return f"{quote(column)} is {type_text(kind)}, and {quote(other)} there is {type_text(expected)}"
    return None


def _options(item: KeyConstraint, context: Context) -> tuple[str, ...]:
    """The options of a key in the order in which they are shown. Raises KeyOptionError, KeyOptionsConflictError."""
    seen: dict[str, KeyOption] = {}
    options: set[str] = set()
    for option in item.options:
        caret = context.caret(option.start, option.end)
        group = _GROUPS.get(option.text, option.text)
        if group in seen:
            raise KeyOptionsConflictError(option.text, seen[group].text).at(caret)
        seen[group] = option
        of_foreign = option.text in _OF_FOREIGN_KEYS
        if of_foreign and item.references is None:
            raise KeyOptionError(option.text, _kind(item), "it says what a foreign key does").at(caret)
        if option.text not in _SETTLED and not of_foreign:
            reason = f"keys inform, and nothing checks them. Leave it out, or write {_instead(option.text)}"
            raise KeyOptionError(option.text, _kind(item), reason).at(caret)
        options |= {option.text} if of_foreign else set(_SETTLED[option.text])
    return tuple(option for option in _ORDER if option in options)


def _instead(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    if first == "ON":
        return " ".join((*text.split()[:2], "NO ACTION"))
    supported = {"MATCH": "MATCH FULL", "INITIALLY": "INITIALLY DEFERRED", "NOT": "DEFERRABLE"}
    return supported.get(first, _SAID_BY_ALL)


def refuse_key_change(path: tuple[str, ...], operation: str, snapshot: Snapshot) -> None:
    """Raises ConstraintDependentColumnError if the column at `path` is in a key of the table."""
    for key in keys_of(snapshot.metadata):
        if len(path) == 1 and path[0] in key.columns:
            definition = key.definition((snapshot.table,))
            kind = key.kind.lower()
            name = quote(key.name)
            advice = drop_first(snapshot.table, name)
            raise ConstraintDependentColumnError(operation, path_text(path), name, definition, advice, kind)


def drop_first(table: str, constraint: str) -> str:
    """Advice to drop a constraint before a column is changed that it refers to."""
    return f"Drop the constraint first: ALTER TABLE {table} DROP CONSTRAINT {constraint}."


def refuse_nullable_key(path: tuple[str, ...], snapshot: Snapshot) -> None:
    """Raises PrimaryKeyNullableError if the column, which is to become nullable, is in the primary key."""
    key = primary_key(snapshot.metadata)
    if key is not None and len(path) == 1 and path[0] in key.columns:
        advice = f"Drop the key first: ALTER TABLE {snapshot.table} DROP PRIMARY KEY."
        raise PrimaryKeyNullableError(path_text(path), snapshot.table, advice)


def referring(table: TableName, context: Context) -> Iterator[tuple[TableName, Key]]:
    """The foreign keys that refer to a table, its own first, then those of each table in all catalogs."""
    name_sought = folded(full_name(table, context))
    for key in keys_of(context.snapshot(table).metadata):
        if key.references is not None and key.references.table is None:
            yield table, key
    for entry in _all_tables(context):
        if folded(entry.parts) == name_sought:
            continue
        try:
            metadata = context.logs(entry.location, ".".join(map(quote, entry.parts))).snapshot().metadata
        except (DeltaSqlError, OSError):
            # A table that cannot be read refers to nothing.
            continue
        for key in keys_of(metadata):
            if key.references is not None and folded(key.references.table or ()) == name_sought:
                yield TableName(entry.parts), key


def _all_tables(context: Context) -> Iterator[TableEntry]:
    for catalog in context.catalog.catalogs():
        for schema in context.catalog.schemas(catalog=catalog):
            yield from context.catalog.tables((catalog, schema.name))


def refuse_referenced(table: TableName, operation: str, advice: str, context: Context, *, itself: bool = True) -> None:
    """Raises PrimaryKeyReferencedError if foreign keys refer to `table`: of other tables, with `itself` its own too."""
    references = [(name, key) for name, key in referring(table, context) if itself or name != table]
    if references:
        keys = ", ".join(f"{quote(key.name)} of {name}" for name, key in references)
        raise PrimaryKeyReferencedError(operation, keys, advice).at(context.caret(table.start, table.end))
