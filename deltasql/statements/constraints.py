"""Constraints of tables (keys, CHECK, NOT NULL, column invariants), and the ALTER TABLE statements about them.

Primary, unique and foreign keys inform and are not enforced: to add or drop one changes metadata alone. They forbid
some other changes of their columns and tables. CHECK constraints, NOT NULL and column invariants are conditions in
Spark SQL that every row must satisfy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from deltasql.base import DeltaSqlError, errors, session_settings
from deltasql.catalog import TableEntry
from deltasql.log import (
    DeltaLog,
    Key,
    Metadata,
    References,
    Snapshot,
    TableProperties,
    keys_of,
    operations,
    primary_key,
    protocol_for,
    referable_keys,
    table_properties,
    with_keys,
)
from deltasql.plan import ColumnPath, Constraint, LogicalPlan, SqlQuery, SqlText, TableName, hidden_names, hidden_view
from deltasql.planner import (
    WHOLE_TABLE,
    Answer,
    CommitSpec,
    Context,
    Plan,
    Stepwise,
    TableChange,
    Verification,
    binding,
    length_checks,
    plan,
    same_type,
    types_of,
)
from deltasql.schema import (
    BOOLEAN,
    INVARIANTS,
    DataType,
    StructField,
    StructType,
    column_invariants,
    folded,
    path_text,
    resolve,
    type_text,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    Reason,
    Tree,
    Use,
    bare,
    builds,
    declared_refusal,
    derived_type,
    refers_to,
    refusal,
    stored_refusal,
    translated,
)


@dataclass(frozen=True, slots=True)
class CheckConstraint:
    """[CONSTRAINT name] CHECK (condition) [ENFORCED], in a list or behind a column; with its parentheses."""

    name: str | None
    condition: SqlText


@dataclass(frozen=True, slots=True)
class AddConstraint(LogicalPlan):
    """ALTER TABLE t ADD CONSTRAINT name CHECK (condition) [ENFORCED]"""

    table_words: ClassVar[str] = "ALTER TABLE … ADD CONSTRAINT"

    table: TableName
    name: str
    condition: SqlText


@dataclass(frozen=True, slots=True)
class KeyOption:
    """NOT ENFORCED, RELY, MATCH FULL …: its words in capitals, and where they stand"""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class KeyReferences:
    """REFERENCES t [(columns)]: no columns stand for the primary key of t"""

    table: TableName
    columns: tuple[ColumnPath, ...] | None


@dataclass(frozen=True, slots=True)
class KeyConstraint:
    """[CONSTRAINT name]
    {PRIMARY KEY (a [TIMESERIES], …) | UNIQUE (a, …) | FOREIGN KEY (a, …) REFERENCES t [(b, …)]} {options}

    The one with `references` is a foreign key. `start` and `end` are those of the whole without its options.
    """

    name: str | None
    columns: tuple[ColumnPath, ...]
    timeseries: tuple[ColumnPath, ...]
    references: KeyReferences | None
    options: tuple[KeyOption, ...]
    start: int
    end: int
    is_unique: bool = False


@dataclass(frozen=True, slots=True)
class AddKey(LogicalPlan):
    """ALTER TABLE t ADD [CONSTRAINT name]
    {PRIMARY KEY (columns) | UNIQUE (columns) | FOREIGN KEY (columns) REFERENCES t2} {options}
    """

    table: TableName
    key: KeyConstraint


@dataclass(frozen=True, slots=True)
class DropConstraint(LogicalPlan):
    """ALTER TABLE t DROP CONSTRAINT [IF EXISTS] name [RESTRICT | CASCADE]"""

    table_words: ClassVar[str] = "ALTER TABLE … DROP CONSTRAINT"

    table: TableName
    if_exists: bool
    name: str
    cascade: bool


@dataclass(frozen=True, slots=True)
class DropPrimaryKey(LogicalPlan):
    """ALTER TABLE t DROP PRIMARY KEY [IF EXISTS] [RESTRICT | CASCADE]"""

    table: TableName
    if_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class DropForeignKey(LogicalPlan):
    """ALTER TABLE t DROP FOREIGN KEY [IF EXISTS] (columns)"""

    table: TableName
    if_exists: bool
    columns: tuple[ColumnPath, ...]


class _Definition(NamedTuple):
    columns: tuple[ColumnPath, ...]
    timeseries: tuple[ColumnPath, ...] = ()
    references: KeyReferences | None = None
    is_unique: bool = False


@builds("key_column")
def _key_column(children: list[Any], tree: Tree, text: str) -> tuple[ColumnPath, bool]:
    column, timeseries = children
    return column, timeseries


@builds("primary_key")
def _primary_key(children: list[Any], tree: Tree, text: str) -> _Definition:
    columns: tuple[tuple[ColumnPath, bool], ...] = children[0]
    return _Definition(tuple(column for column, _ in columns), tuple(column for column, marked in columns if marked))


@builds("foreign_key")
def _foreign_key(children: list[Any], tree: Tree, text: str) -> _Definition:
    columns, references = children
    return _Definition(columns, references=references)


@builds("unique_key")
def _unique_key(children: list[Any], tree: Tree, text: str) -> _Definition:
    return _Definition(tuple(children[0]), is_unique=True)


@builds("table_key")
def _table_key(children: list[Any], tree: Tree, text: str) -> KeyConstraint:
    name, definition, options = children
    columns, timeseries, references, is_unique = definition
    return KeyConstraint(name, columns, timeseries, references, options, tree.start, tree.children[1].end, is_unique)


@builds("column_primary_key", "column_unique_key", "column_foreign_key")
def _column_key(children: list[Any], tree: Tree, text: str) -> KeyConstraint:
    """Its column is the one that it stands behind."""
    name, *references = children
    is_unique = tree.name == "column_unique_key"
    return KeyConstraint(name, (), (), references[0] if references else None, (), tree.start, tree.end, is_unique)


@builds("key_option")
def _key_option(children: list[Any], tree: Tree, text: str) -> KeyOption:
    return KeyOption(" ".join(children).upper(), tree.start, tree.end)


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
            twice = errors.ConstraintDeclaredTwiceError if creating else errors.ConstraintExistsError
            raise twice(str(table), quote(key.name), existing).at(context.caret(item.start, item.end))
        metadata = with_keys(metadata, (*keys_of(metadata), key))
    return metadata


def _key(item: KeyConstraint, owner: _Owner) -> Key:
    options = _options(item, owner.context)
    columns = _columns(item, owner)
    if item.is_unique:
        return Key(_name(item, f"{owner.last_name}_unique", owner), columns, None, None, options, True)
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
    return "foreign key" if item.references is not None else "unique key" if item.is_unique else "primary key"


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
            raise errors.KeyDefinitionError(_kind(item), str(owner.table), reason).at(caret)
        if path[0] in names:
            raise errors.KeyDefinitionError(_kind(item), str(owner.table), f"{quote(path[0])} stands in it twice").at(
                caret
            )
        names.append(path[0])
    return tuple(names)


def _check_primary(item: KeyConstraint, columns: tuple[str, ...], owner: _Owner) -> None:
    existing, table, caret = primary_key(owner.metadata), str(owner.table), owner.context.caret
    if existing is not None:
        advice = f"Drop it first: ALTER TABLE {table} DROP PRIMARY KEY."
        if owner.creating:
            advice = "Name all its columns in one: PRIMARY KEY (a, b)."
        error = errors.MultiplePrimaryKeysError(table, quote(existing.name), existing.definition(owner.name), advice)
        raise error.at(caret(item.start, item.end))
    for name, column in zip(columns, item.columns, strict=True):
        if resolve(owner.metadata.schema, (name,)).field.nullable:
            advice = f"Run first: ALTER TABLE {table} ALTER COLUMN {quote(name)} SET NOT NULL."
            raise errors.PrimaryKeyNullableError(quote(name), table, advice).at(caret(column.start, column.end))
    if len(item.timeseries) > 1:
        second = item.timeseries[1]
        reason = "one of its columns at most is TIMESERIES"
        raise errors.KeyDefinitionError(_kind(item), table, reason).at(caret(second.start, second.end))


def _references(references: KeyReferences, columns: tuple[str, ...], owner: _Owner) -> References:
    parent, context = references.table, owner.context
    caret = context.caret(parent.start, parent.end)
    context.refuse_version(parent)
    if context.is_view(parent):
        raise errors.WrongObjectError("REFERENCES", "table", str(parent), "view", "a table with a primary key").at(
            caret
        )
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
        raise errors.ForeignKeyMismatchError(
            ", ".join(map(quote, columns)), str(owner.table), str(target.table), reason
        )
    for key in keys_of(owner.metadata):
        if key.references is not None and set(key.columns) == set(columns):
            reason = f"{quote(key.name)} is one of these columns already"
            raise errors.KeyDefinitionError("foreign key", str(owner.table), reason)


def _mismatch(columns: tuple[str, ...], referenced: tuple[str, ...], owner: _Owner, target: _Owner) -> str | None:
    keys = referable_keys(target.metadata)
    if not keys:
        return f"that has no primary key. Add one first: ALTER TABLE {target.table} ADD PRIMARY KEY (…)"
    lists = [f"({', '.join(map(quote, key.columns))})" for key in keys]
    shown = f"its primary key is {lists[0]}" if keys[0].kind == "PRIMARY KEY" and len(keys) == 1 else ""
    shown = shown or f"its keys are {', '.join(lists)}"
    if not any(sorted(referenced) == sorted(key.columns) for key in keys):
        return shown
    if len(columns) != len(referenced):
        return f"{shown}, with another number of columns"
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
            raise errors.KeyOptionsConflictError(option.text, seen[group].text).at(caret)
        seen[group] = option
        of_foreign = option.text in _OF_FOREIGN_KEYS
        if of_foreign and item.references is None:
            raise errors.KeyOptionError(option.text, _kind(item), "it says what a foreign key does").at(caret)
        if option.text not in _SETTLED and not of_foreign:
            reason = f"keys inform, and nothing checks them. Leave it out, or write {_instead(option.text)}"
            raise errors.KeyOptionError(option.text, _kind(item), reason).at(caret)
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
            raise errors.ConstraintDependentColumnError(operation, path_text(path), name, definition, advice, kind)


def drop_first(table: str, constraint: str) -> str:
    """Advice to drop a constraint before a column is changed that it refers to."""
    return f"Drop the constraint first: ALTER TABLE {table} DROP CONSTRAINT {constraint}."


def refuse_nullable_key(path: tuple[str, ...], snapshot: Snapshot) -> None:
    """Raises PrimaryKeyNullableError if the column, which is to become nullable, is in the primary key."""
    key = primary_key(snapshot.metadata)
    if key is not None and len(path) == 1 and path[0] in key.columns:
        advice = f"Drop the key first: ALTER TABLE {snapshot.table} DROP PRIMARY KEY."
        raise errors.PrimaryKeyNullableError(path_text(path), snapshot.table, advice)


def _referring_to(table: TableName, key: Key, context: Context) -> list[tuple[TableName, Key]]:
    """As `referring`, those that refer to the columns of one key of the table."""
    found = referring(table, context)
    return [
        (name, item)
        for name, item in found
        if item.references is not None and sorted(item.references.columns) == sorted(key.columns)
    ]


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
    for catalog in context.catalog.used_catalogs():
        for schema in context.catalog.schemas(catalog=catalog):
            yield from context.catalog.tables((catalog, schema.name))


def refuse_referenced(table: TableName, operation: str, advice: str, context: Context, *, itself: bool = True) -> None:
    """Raises PrimaryKeyReferencedError if foreign keys refer to `table`: of other tables, with `itself` its own too."""
    references = [(name, key) for name, key in referring(table, context) if itself or name != table]
    _refuse(references, table, operation, advice, context)


def _refuse(
    references: Sequence[tuple[TableName, Key]], table: TableName, operation: str, advice: str, context: Context
) -> None:
    if references:
        keys = ", ".join(f"{quote(key.name)} of {name}" for name, key in references)
        raise errors.PrimaryKeyReferencedError(operation, keys, advice).at(context.caret(table.start, table.end))


@plan.register
def plan_add_key(statement: AddKey, context: Context) -> Plan:
    """No row is read: keys inform."""
    log, snapshot = context.writable(statement.table)
    metadata = with_declared_keys(snapshot.metadata, [statement.key], statement.table, context)
    before = {key.name for key in keys_of(snapshot.metadata)}
    (added,) = (key for key in keys_of(metadata) if key.name not in before)
    parameters = {"name": added.name, "expr": added.definition(full_name(statement.table, context))}
    return TableChange(CommitSpec(log, snapshot, operations.ADD_CONSTRAINT, parameters, (metadata,)))


@plan.register
def plan_drop_primary_key(statement: DropPrimaryKey, context: Context) -> Plan:
    _, snapshot = context.writable(statement.table)
    key = primary_key(snapshot.metadata)
    if key is not None:
        return dropped_key(statement.table, key, statement.cascade, context)
    if statement.if_exists:
        return Answer()
    caret = context.caret(statement.table.start, statement.table.end)
    raise errors.KeyNotFoundError(str(statement.table), "primary key", "PRIMARY KEY").at(caret)


@plan.register
def plan_drop_foreign_key(statement: DropForeignKey, context: Context) -> Plan:
    """The one of these columns in this order."""
    _, snapshot = context.writable(statement.table)
    columns = [folded(column.parts) for column in statement.columns]
    for key in keys_of(snapshot.metadata):
        if key.references is not None and [folded((name,)) for name in key.columns] == columns:
            return dropped_key(statement.table, key, False, context)
    if statement.if_exists:
        return Answer()
    parameter = ", ".join(path_text(column.parts) for column in statement.columns)
    first, last = statement.columns[0], statement.columns[-1]
    error = errors.KeyNotFoundError(str(statement.table), f"foreign key ({parameter})", "FOREIGN KEY")
    raise error.at(context.caret(first.start, last.end))


def dropped_key(table: TableName, key: Key, cascade: bool, context: Context) -> Plan:
    """The change that drops a key; with `cascade`, the foreign keys that refer to its columns go first.

    Raises PrimaryKeyReferencedError where there are such and they are to stay.
    """
    log, snapshot = context.writable(table)
    if key.references is not None:
        return _without(log, snapshot, [key])
    references = _referring_to(table, key, context)
    if not cascade:
        named = f"CONSTRAINT {quote(key.name)}" if key.is_unique else "PRIMARY KEY"
        advice = f"Drop them first, or with it: ALTER TABLE {table} DROP {named} CASCADE."
        kind = "unique key" if key.is_unique else "primary key"
        _refuse(references, table, f"drop the {kind} {quote(key.name)} of {table}", advice, context)
        return _without(log, snapshot, [key])
    own_keys = [item for name, item in references if name == table]
    others = [(name, item) for name, item in references if name != table]
    if not others:
        return _without(log, snapshot, [*own_keys, key])
    return Stepwise("foreign keys that refer to it, then the key", _steps(others, table, [*own_keys, key], context))


def _steps(
    others: Sequence[tuple[TableName, Key]], table: TableName, last: Sequence[Key], context: Context
) -> Iterator[Plan]:
    """One commit for each table; the key goes with the last, so that the statement can be run again."""
    for name in dict.fromkeys(name for name, _ in others):
        log, snapshot = context.writable(name)
        yield _without(log, snapshot, [key for other, key in others if other == name])
    yield _without(*context.writable(table), last)


def _without(log: DeltaLog, snapshot: Snapshot, keys: Sequence[Key]) -> TableChange:
    names = {key.name for key in keys}
    metadata = with_keys(snapshot.metadata, [key for key in keys_of(snapshot.metadata) if key.name not in names])
    last = keys[-1]
    parameters = {"name": last.name, "existed": "true", "expr": last.definition((snapshot.table,))}
    return TableChange(CommitSpec(log, snapshot, operations.DROP_CONSTRAINT, parameters, (metadata,)))


@plan.register
def plan_add_constraint(statement: AddConstraint, context: Context) -> Plan:
    """The condition must be TRUE for every existing row; NULL counts as a violation."""
    log, snapshot = context.writable(statement.table)
    name = statement.name.lower()
    constraints = {key: f"CHECK ({condition})" for key, condition in snapshot.properties.constraints.items()}
    constraints |= {key.name: key.definition((snapshot.table,)) for key in keys_of(snapshot.metadata)}
    if name in constraints:
        raise errors.ConstraintExistsError(snapshot.table, name, constraints[name])
    condition = inside(statement.condition)
    text = condition.text
    check_condition(name, condition, context)
    # Written rows are checked without a name, so that t.a must not be found here either.
    kind = derived_type(condition.text, snapshot.schema)
    if kind is None:
        rows = [(binding.scan(context, snapshot), hidden_names.ROWS)]
        kind = context.analyst.types(rows, [translated(condition.text)])[0]
    check_condition(name, condition, context, snapshot.schema)
    if kind != BOOLEAN:
        raise errors.NonBooleanConstraintError(name, text, type_text(kind)).at(
            context.caret(condition.start, condition.end)
        )
    metadata = snapshot.metadata.with_configuration({f"{table_properties.CONSTRAINT_PREFIX}{name}": text})
    protocol = protocol_for(metadata.schema, metadata.configuration, current=snapshot.protocol, table=snapshot.table)
    changed = () if protocol == snapshot.protocol else (protocol,)
    error = errors.NewCheckViolationError(name, snapshot.table, text)
    spoken = translated(text)
    broken = verification(context, snapshot, f"NOT ({spoken}) OR ({spoken}) IS NULL", error)
    verify = () if broken is None else (broken,)
    return TableChange(
        CommitSpec(
            log,
            snapshot,
            operations.ADD_CONSTRAINT,
            {"name": name, "expr": text},
            (*changed, metadata),
            reads=WHOLE_TABLE,
        ),
        verify=verify,
    )


def inside(brackets: SqlText) -> SqlText:
    """The condition between its parentheses, without a comment at its end, which would hide what follows it in SQL."""
    inner = brackets.tokens[1:-1]
    return SqlText(brackets.text[inner[0].start : inner[-1].end], brackets.start + inner[0].start)


_OF_CHECKS = {
    Reason.AGGREGATE: errors.CheckAggregateError,
    Reason.RANDOM: errors.CheckNotDeterministicError,
    Reason.FUNCTION: errors.CheckFunctionError,
}


def check_condition(name: str, condition: SqlText, context: Context, schema: StructType | None = None) -> None:
    """Raises what forbids that a statement declares this condition: it looks at more than the columns of a row.

    That of a function or a name nobody knows Spark says better: the `schema` of a condition that Spark has looked at.
    """
    # A name that is no column, and that Spark knows, is a variable of the session.
    refused = (
        refusal(condition.text, Use.CHECK) if schema is None else declared_refusal(condition.text, Use.CHECK, schema)
    )
    if refused is not None and (schema is not None or refused.reason is not Reason.FUNCTION):
        advice = "It is a condition of one row, of Spark's own functions, and the same each time."
        error = _OF_CHECKS.get(refused.reason, errors.CheckExpressionError)(refused.part, name, condition.text, advice)
        raise error.at(context.caret(condition.start + refused.start, condition.start + refused.end))


def _stored_condition(name: str, text: str, schema: StructType, remedy: str, kind: str) -> str:
    """SQL of a condition that a table carries. Raises what forbids that it runs; `remedy` says how to get rid of it."""
    refused = stored_refusal(text, Use.CHECK, schema)
    if refused is None:
        return bare(text)
    advice = f"No row is written while it is there: {remedy}."
    raise _OF_CHECKS.get(refused.reason, errors.CheckExpressionError)(refused.part, name, text, advice, kind)


def declared_constraints(
    constraints: Sequence[CheckConstraint | KeyConstraint], schema: StructType, table: str, context: Context
) -> dict[str, str]:
    """The properties that keep the CHECK constraints of a new table, whose rows are still to come.

    One without a name is called check_1, check_2 … Raises ConstraintDeclaredTwiceError, NonBooleanConstraintError.
    """
    declared: dict[str, str] = {}
    names = {item.name.lower() for item in constraints if item.name is not None}
    free = (f"check_{number}" for number in count(1) if f"check_{number}" not in names)
    for item in (item for item in constraints if isinstance(item, CheckConstraint)):
        name, condition = next(free) if item.name is None else item.name.lower(), inside(item.condition)
        key, caret = f"{table_properties.CONSTRAINT_PREFIX}{name}", context.caret(condition.start, condition.end)
        if key in declared:
            raise errors.ConstraintDeclaredTwiceError(table, name, f"CHECK ({declared[key]})").at(caret)
        check_condition(name, condition, context)
        try:
            (kind,) = types_of(schema, [condition.text], context)
        except DeltaSqlError as error:
            raise error.at(caret) from None
        check_condition(name, condition, context, schema)
        if kind != BOOLEAN:
            raise errors.NonBooleanConstraintError(name, condition.text, type_text(kind)).at(caret)
        declared[key] = condition.text
    return declared


@plan.register
def plan_drop_constraint(statement: DropConstraint, context: Context) -> Plan:
    """A commit is made even where IF EXISTS finds nothing, as Delta does."""
    log, snapshot = context.writable(statement.table)
    name = statement.name.lower()
    keys = [key for key in keys_of(snapshot.metadata) if key.name == name]
    if keys:
        return dropped_key(statement.table, keys[0], statement.cascade, context)
    constraints = snapshot.properties.constraints
    if name not in constraints and not (statement.if_exists or context.setting(session_settings.CONSTRAINT_MAY_MISS)):
        raise errors.ConstraintNotFoundError(snapshot.table, name)
    rest = {
        key: value
        for key, value in snapshot.configuration.items()
        if key.lower() != f"{table_properties.CONSTRAINT_PREFIX}{name}"
    }
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(rest))
    parameters = {"name": name, "existed": str(name in constraints).lower()}
    if name in constraints:
        parameters["expr"] = constraints[name]
    return TableChange(CommitSpec(log, snapshot, operations.DROP_CONSTRAINT, parameters, (metadata,)))


def verification(context: Context, snapshot: Snapshot, broken: str, error: DeltaSqlError) -> Verification | None:
    """A check of existing rows: one for which `broken` is TRUE is an error. None for an empty table."""
    if snapshot.is_plainly_empty:
        return None
    scan = binding.scan(context, snapshot, broken)
    if scan.files.num_rows == 0:
        return None
    view = hidden_view()
    # A column that the condition reads anyway: in-process evaluation selects columns alone.
    used = (quote(field.name) for field in snapshot.schema if refers_to(broken, (field.name,)))
    query = f"SELECT {next(used, '1')} FROM {view} AS {hidden_names.ROWS} WHERE {broken} LIMIT 1"
    return Verification(SqlQuery(query, {view: scan}), error)


def refuse_dependent(path: tuple[str, ...], operation: str, snapshot: Snapshot) -> None:
    """Raises ConstraintDependentColumnError if a CHECK constraint or a column invariant refers to the column.

    So it does to what holds the column, and to its fields. A key is in the way of nothing but dropping the column.
    """
    if operation == "drop":
        refuse_key_change(path, operation, snapshot)
    column, table = path_text(path), snapshot.table
    for name, expression in snapshot.properties.constraints.items():
        if refers_to(expression, path):
            raise errors.ConstraintDependentColumnError(operation, column, name, expression, drop_first(table, name))
    for name, expression in column_invariants(snapshot.schema).items():
        if refers_to(expression, path):
            advice = f"No statement removes it; a copy has none: CREATE TABLE … AS SELECT * FROM {table}."
            raise errors.ConstraintDependentColumnError(operation, column, name, expression, advice, "column invariant")


def constraints_of(
    schema: StructType, configuration: Mapping[str, str], table: str, skip: frozenset[str] = frozenset()
) -> tuple[Constraint, ...]:
    """The constraints of a table, NOT NULL first. Columns in `skip` are known to be written as they were read.

    Raises what `_stored_condition` raises.
    """
    drop, keeper = f"ALTER TABLE {table} DROP CONSTRAINT", f"{INVARIANTS} in the metadata of a column of {table}"
    lengths = [check for field in schema if field.name not in skip for check in length_checks(field)]
    not_null = [item for field in schema if field.name not in skip for item in _not_null(field, (), None)]
    checks = [
        Constraint(name, _stored_condition(name, text, schema, f"{drop} {quote(name)}", "CHECK constraint"))
        for name, text in TableProperties(configuration).constraints.items()
    ]
    invariants = [
        Constraint(name, _stored_condition(name, text, schema, keeper, "column invariant"))
        for name, text in column_invariants(schema).items()
    ]
    return (*not_null, *lengths, *sorted(checks, key=lambda item: item.name), *invariants)


def _not_null(field: StructField, parents: tuple[str, ...], parent: str | None) -> Iterator[Constraint]:
    """A field below a NULL struct is not missing: only structs that are not NULL must have it."""
    names = (*parents, field.name)
    path = ".".join(quote(name) for name in names)
    if not field.nullable:
        condition = f"{path} IS NOT NULL"
        condition = condition if parent is None else f"{parent} IS NULL OR {condition}"
        yield Constraint(f"NOT NULL {path}", condition, path)
    if isinstance(field.type, StructType):
        for item in field.type:
            yield from _not_null(item, names, path)
