"""ALTER TABLE … columns: pure edits of the schema, committed as metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias, Union

from typing_extensions import assert_never

from deltasql.base import Caret, DeltaSqlError, errors
from deltasql.log import (
    DeltaLog,
    Metadata,
    Operation,
    Snapshot,
    clustering_columns,
    operations,
    referable_keys,
    table_properties,
)
from deltasql.plan import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.planner import (
    CURRENT_DEFAULT,
    WHOLE_TABLE,
    Answer,
    CommitSpec,
    Context,
    GovernanceChange,
    Plan,
    Stepwise,
    TableChange,
    Verification,
    checked_default,
    declared_widening,
    plan,
    refuse_base_change,
    refuse_dependent_types,
)
from deltasql.schema import (
    TYPE_CHANGES,
    DataType,
    Length,
    StructField,
    StructType,
    add_column,
    collation_of,
    declared_as,
    declared_text,
    drop_column,
    field_to_json,
    find_path,
    identities,
    identity_of,
    length_of,
    move_column,
    path_text,
    plain_type,
    rename_column,
    replace_columns,
    replace_type,
    resolve,
    set_comment,
    set_metadata,
    set_nullable,
    set_type,
    type_text,
    walk,
    with_default_collation,
    with_lengths,
    with_metadata,
    without_lengths,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import Clause, Tree, builds, collect, spelled_collation
from deltasql.statements.constraints import (
    refuse_dependent,
    refuse_key_change,
    refuse_nullable_key,
    refuse_referenced,
    verification,
)
from deltasql.statements.governance import ColumnMask
from deltasql.statements.grants import declared_policies, refuse_policy_change, table_subject
from deltasql.statements.table import DEFAULT_COLLATION, ColumnDefinition
from deltasql.statements.table_metadata import (
    declared_field,
    evolved_metadata,
    field_metadata,
    metadata_actions,
    refuse_value_clauses,
    synchronized,
    with_current_names,
)


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """path type [NOT NULL] [DEFAULT expr] [COMMENT 'text'] [MASK f [USING COLUMNS (…)]] [FIRST | AFTER name]

    `position` is None (at the end), "FIRST", or the name of the sibling that it follows in `after`.
    """

    path: ColumnPath
    type: DataType
    type_text: str
    nullable: bool = True
    default: SqlText | None = None
    comment: str | None = None
    first: bool = False
    after: str | None = None
    mask: ColumnMask | None = None


@dataclass(frozen=True, slots=True)
class Retyped:
    """TYPE type. `type_text` is the type as it was declared: CHAR and VARCHAR are strings to `type`."""

    type: DataType
    type_text: str


@dataclass(frozen=True, slots=True)
class Commented:
    """COMMENT 'text'"""

    comment: str


@dataclass(frozen=True, slots=True)
class Moved:
    """FIRST, or AFTER the sibling of that name."""

    first: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Nullability:
    """DROP NOT NULL (`nullable`) or SET NOT NULL"""

    nullable: bool


@dataclass(frozen=True, slots=True)
class Defaulted:
    """SET DEFAULT expression, or DROP DEFAULT: None."""

    default: SqlText | None


@dataclass(frozen=True, slots=True)
class Synchronized:
    """SYNC IDENTITY"""


Alteration: TypeAlias = Union[Retyped, Commented, Moved, Nullability, Defaulted, Synchronized]


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """path alteration …

    Several alterations are made in a fixed order. The Hive form, path name type [NOT NULL] [DEFAULT expr]
    [COMMENT 'text'] [FIRST | AFTER name], has `name`, which must be the column's own.
    """

    path: ColumnPath
    alterations: tuple[Alteration, ...]
    name: str | None = None


@dataclass(frozen=True, slots=True)
class AlterColumns(LogicalPlan):
    """ALTER TABLE t {ALTER | CHANGE} [COLUMN] path change …, …"""

    table_words: ClassVar[str] = "ALTER TABLE … ALTER COLUMN"

    table: TableName
    changes: tuple[ColumnChange, ...]

    def table_change(self) -> str:
        """Empty if only comments of columns change."""
        comments = all(
            change.name is None and all(isinstance(item, Commented) for item in change.alterations)
            for change in self.changes
        )
        return "" if comments else self.table_words


@dataclass(frozen=True, slots=True)
class ReplaceColumns(LogicalPlan):
    """ALTER TABLE t REPLACE COLUMNS (name type [COMMENT 'text'], …)"""

    table_words: ClassVar[str] = "ALTER TABLE … REPLACE COLUMNS"

    table: TableName
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class RenameColumn(LogicalPlan):
    """ALTER TABLE t RENAME COLUMN path TO name"""

    table_words: ClassVar[str] = "ALTER TABLE … RENAME COLUMN"

    table: TableName
    column: ColumnPath
    name: str


@dataclass(frozen=True, slots=True)
class DropColumns(LogicalPlan):
    """ALTER TABLE t DROP {COLUMN | COLUMNS} [IF EXISTS] (path, …)"""

    table_words: ClassVar[str] = "ALTER TABLE … DROP COLUMNS"

    table: TableName
    if_exists: bool
    columns: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class AddColumns(LogicalPlan):
    """ALTER TABLE t ADD {COLUMN | COLUMNS} (path type [COMMENT 'text'] [FIRST | AFTER name], …)"""

    table_words: ClassVar[str] = "ALTER TABLE … ADD COLUMNS"

    table: TableName
    columns: tuple[AddedColumn, ...]


@builds("added_column")
def _added_column(children: list[Any], tree: Tree, text: str) -> AddedColumn:
    path, data_type, *options = children
    values = collect(options, tree.children[2:], text)
    values.update(values.pop("position", {}))
    return AddedColumn(path, plain_type(data_type), declared_text(data_type), **values)


@builds("not_null_option")
def _not_null(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("nullable", False)


@builds("default_option")
def _default(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("default", children[0])


@builds("comment_option")
def _comment(children: list[Any], tree: Tree, text: str) -> Clause:
    """Strings that stand side by side are one text."""
    return Clause("comment", "".join(children))


@builds("first_option")
def _first(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("position", {"first": True})


@builds("after_option")
def _after(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("position", {"after": children[0]})


@builds("column_change")
def _column_change(children: list[Any], tree: Tree, text: str) -> ColumnChange:
    path, *changes = children
    return ColumnChange(path, _alterations(collect(changes, tree.children[1:], text)))


@builds("change_column")
def _change_column(children: list[Any], tree: Tree, text: str) -> AlterColumns:
    """CHANGE COLUMN, Hive's form: all properties of a column at once."""
    table, path, name, data_type, *options = children
    retyped = _retyped(data_type)
    values = {"type": retyped, **collect(options, tree.children[4:], text)}
    return AlterColumns(table, (ColumnChange(path, _alterations(values), name),))


@builds("type_option")
def _type(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("type", _retyped(children[0]))


def _retyped(declared: DataType) -> Retyped:
    """The default collation of a table is for new columns: STRING is STRING COLLATE UTF8_BINARY here."""
    kind = with_default_collation(declared, None)
    return Retyped(plain_type(kind), declared_text(kind))


@builds("set_not_null_option", "drop_not_null_option")
def _nullability(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("nullable", tree.name == "drop_not_null_option")


@builds("drop_default_option")
def _drop_default(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("drop_default", True)


@builds("sync_identity_option")
def _sync_identity(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("sync_identity", True)


_ALTERATIONS: dict[str, Callable[[Any], Alteration]] = {
    "sync_identity": lambda _: Synchronized(),
    "type": lambda retyped: retyped,
    "comment": Commented,
    "position": lambda place: Moved(**place),
    "nullable": Nullability,
    "default": Defaulted,
    "drop_default": lambda _: Defaulted(None),
}
"""The alteration for each clause, in the order in which alterations are made."""


def _alterations(values: dict[str, Any]) -> tuple[Alteration, ...]:
    return tuple(alteration(values[key]) for key, alteration in _ALTERATIONS.items() if key in values)


def refuse_change(field: StructField, change: ColumnChange) -> None:
    """Raises AlterIdentityError for a change that an identity column does not take."""
    if identity_of(field) is None:
        return
    for alteration in change.alterations:
        retyped = isinstance(alteration, Retyped) and alteration.type != field.type
        if retyped or isinstance(alteration, (Nullability, Defaulted)):
            raise errors.AlterIdentityError(quote(field.name))


@plan.register
def plan_add_columns(statement: AddColumns, context: Context) -> Plan:
    """Columns are added one after another, so that a later one may stand AFTER an earlier one. Masks follow them."""
    log, snapshot = context.writable(statement.table)
    schema = with_lengths(snapshot.schema)
    for column in statement.columns:
        try:
            schema = _added(schema, column, snapshot)
        except DeltaSqlError as error:
            raise error.at(_caret_in_added(error, column, context)) from None
    parameters = {"columns": [_described(column, snapshot) for column in statement.columns]}
    change = _change(log, snapshot, schema, operations.ADD_COLUMNS, parameters)
    masked = [column for column in statement.columns if column.mask is not None]
    return _masked(change, masked, schema, statement.table, context) if masked else change


def _masked(
    change: Plan, columns: Sequence[AddedColumn], schema: StructType, table: TableName, context: Context
) -> Plan:
    """`change`, which adds columns, and then their masks. Raises what is wrong with these before."""
    subject = table_subject(table, context)
    try:
        for column in columns:
            # Fields of structs have no masks.
            resolve(schema, (".".join(column.path.parts),), where=str(table))
        masks = [(column.path.parts[0], column.mask) for column in columns if column.mask is not None]
        policies = declared_policies(None, masks, schema, table, context)
    except DeltaSqlError as error:
        raise error.at(_caret_in_added(error, columns[0], context)) from None
    if policies.is_empty:
        return change
    record = GovernanceChange(subject, lambda found: replace(found, masks={**found.masks, **policies.masks}))
    return Stepwise("the columns, then their masks", iter((change, record)))


@plan.register
def plan_alter_columns(statement: AlterColumns, context: Context) -> Plan:
    """One or several changes, one after another. SET NOT NULL checks the existing rows.

    A column that is given the type it has is no change, and makes no commit.
    """
    log, snapshot = context.writable(statement.table)
    schema = with_lengths(snapshot.schema)
    checks: list[Verification] = []
    for change in statement.changes:
        try:
            if any(isinstance(item, Retyped) for item in change.alterations) and not _has_type(change, snapshot.schema):
                refuse_policy_change(change.path.parts, "retyped", statement.table, snapshot.location, context)
            schema = _altered(schema, change, snapshot, context)
            check = _null_check(change, snapshot, context)
            checks += [check] if check else []
        except DeltaSqlError as error:
            raise error.at(context.caret(change.path.start, change.path.end)) from None
    if all(_has_type(change, snapshot.schema) for change in statement.changes):
        return TableChange(CommitSpec(log, snapshot, operations.CHANGE_COLUMN, {}), skip_if_empty=True)
    planned = _changed_columns(log, snapshot, without_lengths(schema), statement.changes)
    # What holds for the rows that are there must hold for those that others add meanwhile. SYNC IDENTITY looks, too.
    looks = any(_forbids_null(change) or _synchronizes(change) for change in statement.changes)
    return replace(planned, verify=tuple(checks)).committing(reads=WHOLE_TABLE if looks else None)


@plan.register
def plan_replace_columns(statement: ReplaceColumns, context: Context) -> Plan:
    """The given columns in the given order; files stay as they are."""
    log, snapshot = context.writable(statement.table)
    if identities(snapshot.schema):
        raise errors.ReplaceIdentityColumnsError(snapshot.table)
    refuse_value_clauses(statement.columns, context)
    declared = StructType(tuple(declared_field(column, context) for column in statement.columns))
    new = _in_collation(declared, snapshot)
    may_drop = snapshot.properties.maps_columns
    widening = declared_widening(snapshot.configuration)
    schema = replace_columns(snapshot.schema, new, may_drop=may_drop, widening=widening, where=snapshot.table)
    refuse_dependent_types(schema, snapshot)
    for path, _ in walk(snapshot.schema):
        resolved = find_path(schema, path)
        if resolved is None:
            refuse_key_change(path, "drop", snapshot)
            refuse_policy_change(path, "dropped", statement.table, snapshot.location, context)
            refuse_base_change(path, "drop", schema, snapshot.table)
        elif resolved.field.nullable:
            refuse_nullable_key(path, snapshot)
    columns = [field_to_json(field) for field in new]
    return _change(log, snapshot, schema, operations.REPLACE_COLUMNS, {"columns": columns})


@plan.register
def plan_rename_column(statement: RenameColumn, context: Context) -> Plan:
    """Metadata alone: data files go by the physical name."""
    log, snapshot = context.writable(statement.table)
    caret = context.caret(statement.column.start, statement.column.end)
    try:
        resolved = resolve(snapshot.schema, statement.column.parts, where=snapshot.table)
        if not snapshot.properties.maps_columns:
            raise errors.RenameColumnNeedsMappingError(str(statement.table))
        refuse_dependent(resolved.path, "rename", snapshot)
        refuse_policy_change(resolved.path, "renamed", statement.table, snapshot.location, context)
        refuse_base_change(resolved.path, "rename", snapshot.schema, snapshot.table)
        _refuse_referenced_column(statement.table, resolved.path, snapshot, context)
        schema = rename_column(with_lengths(snapshot.schema), resolved.path, statement.name, where=snapshot.table)
    except DeltaSqlError as error:
        raise error.at(caret) from None
    new_path = (*resolved.path[:-1], statement.name)
    parameters = {"oldColumnPath": path_text(resolved.path), "newColumnPath": path_text(new_path)}
    partitions = snapshot.partition_columns
    if len(resolved.path) == 1:
        partitions = tuple(statement.name if name == resolved.path[0] else name for name in partitions)
    metadata = replace(snapshot.metadata, partition_columns=partitions)
    metadata = _renamed_statistics(evolved_metadata(metadata, schema, table=snapshot.table), resolved.path, new_path)
    metadata = with_current_names(metadata)
    return TableChange(
        CommitSpec(log, snapshot, operations.RENAME_COLUMN, parameters, metadata_actions(snapshot, metadata))
    )


@plan.register
def plan_drop_columns(statement: DropColumns, context: Context) -> Plan:
    """Metadata alone: the data stay in the files, unread. Under IF EXISTS there may be nothing to commit."""
    log, snapshot = context.writable(statement.table)
    schema, names = with_lengths(snapshot.schema), list[str]()
    for column in statement.columns:
        if statement.if_exists and find_path(schema, column.parts) is None:
            continue
        try:
            schema = _dropped(schema, column, snapshot)
            refuse_policy_change(column.parts, "dropped", statement.table, snapshot.location, context)
        except DeltaSqlError as error:
            raise error.at(context.caret(column.start, column.end)) from None
        names.append(path_text(column.parts))
    if not names:
        return Answer()
    return _change(log, snapshot, schema, operations.DROP_COLUMNS, {"columns": names})


def _change(
    log: DeltaLog, snapshot: Snapshot, schema: StructType, operation: Operation, parameters: Mapping[str, object]
) -> TableChange:
    """The commit that gives a table another schema. It is made even when nothing changed, as Delta does."""
    metadata = evolved_metadata(snapshot.metadata, schema, table=snapshot.table)
    actions = metadata_actions(snapshot, metadata) or (metadata,)
    return TableChange(CommitSpec(log, snapshot, operation, parameters, actions))


def _changed_columns(
    log: DeltaLog, snapshot: Snapshot, schema: StructType, changes: Sequence[ColumnChange]
) -> TableChange:
    """The commit of ALTER COLUMN, which tells of one column or of several."""
    # Delta tells of SYNC IDENTITY what the column was.
    described = [
        _described_change(snapshot.schema if _synchronizes(change) else schema, change, snapshot.schema)
        for change in changes
    ]
    if len(described) == 1:
        position = _moved_to(changes[0])
        return _change(log, snapshot, schema, operations.CHANGE_COLUMN, {"column": described[0], **position})
    described = [item | _moved_to(change) for item, change in zip(described, changes, strict=True)]
    return _change(log, snapshot, schema, operations.CHANGE_COLUMNS, {"columns": described})


def _altered(schema: StructType, change: ColumnChange, snapshot: Snapshot, context: Context) -> StructType:
    """`schema` after what one change does to one column."""
    resolved = resolve(schema, change.path.parts, where=snapshot.table)
    if change.name is not None and change.name != resolved.field.name:
        new = next(item.type_text for item in change.alterations if isinstance(item, Retyped))
        raise errors.ChangeColumnError(
            path_text(resolved.path), type_text(resolved.field.type), new, "it is renamed by RENAME COLUMN"
        )
    refuse_change(resolved.field, change)
    for alteration in change.alterations:
        schema = _columns_after(schema, change.path.parts, alteration, snapshot, context)
    return schema


def _columns_after(
    schema: StructType, path: tuple[str, ...], alteration: Alteration, snapshot: Snapshot, context: Context
) -> StructType:
    """`schema` after one alteration of the column at `path`."""
    table = snapshot.table
    match alteration:
        case Synchronized():
            return synchronized(schema, path, snapshot, context)
        case Retyped():
            return _columns_retyped(schema, path, alteration, snapshot)
        case Commented(comment):
            return set_comment(schema, path, comment, where=table)
        case Moved(first, after):
            return move_column(schema, path, first=first, after=after, where=table)
        case Nullability(nullable):
            if nullable:
                refuse_nullable_key(resolve(schema, path, where=table).path, snapshot)
            return set_nullable(schema, path, nullable, where=table)
        case Defaulted(default):
            return _with_default(schema, path, default, snapshot, context)
        case _:
            assert_never(alteration)


def _with_default(
    schema: StructType, path: tuple[str, ...], default: SqlText | None, snapshot: Snapshot, context: Context
) -> StructType:
    """SET and DROP DEFAULT. Existing rows are unchanged."""
    resolved = resolve(schema, path, where=snapshot.table)
    sql = None
    if default is not None:
        if len(resolved.path) > 1:
            raise errors.NestedDefaultError(path_text(resolved.path), path_text(resolved.path[:1]))
        plain = plain_type(resolved.field.type)
        sql = checked_default(default, resolved.path, plain, context, length_of(resolved.field.type))
    return set_metadata(schema, resolved.path, CURRENT_DEFAULT, sql, where=snapshot.table)


def _columns_retyped(schema: StructType, path: tuple[str, ...], new_type: Retyped, snapshot: Snapshot) -> StructType:
    """CHAR and VARCHAR are strings whose length may grow or go; other types follow the rules of `set_type`."""
    table = snapshot.table
    resolved = resolve(schema, path, where=table)
    declared = declared_as(new_type.type, new_type.type_text)
    old, new = length_of(resolved.field.type), length_of(declared)
    differs = new_type.type != plain_type(resolved.field.type)
    if differs or (old is None and new is None):
        if differs:
            refuse_dependent(resolved.path, "change the type of", snapshot)
            refuse_base_change(resolved.path, "change the type of", schema, table)
            if collation_of(declared) is not None and resolved.path in clustering_columns(snapshot):
                raise errors.ClusteringTypeError(path_text(resolved.path), type_text(declared))
        widening = declared_widening(snapshot.configuration)
        return set_type(schema, path, declared, widening=widening, where=table)
    if new is not None and not _has_room(old, new):
        text = old.text if old else type_text(resolved.field.type)
        raise errors.ChangeColumnError(path_text(resolved.path), text, new.text, "its values could be too long")
    changed = replace_type(schema, resolved.path, lambda _: declared)
    assert isinstance(changed, StructType)
    return changed


def _has_room(old: Length | None, new: Length) -> bool:
    """Whether every text of the old length fits the new one as it is stored: CHAR is filled up, VARCHAR is not."""
    if old is None or new.length < old.length:
        return False
    return new.kind == old.kind or new.kind != "char"


def _dropped(schema: StructType, column: ColumnPath, snapshot: Snapshot) -> StructType:
    resolved = resolve(schema, column.parts, where=snapshot.table)
    if not snapshot.properties.maps_columns:
        raise errors.DropColumnNeedsMappingError(snapshot.table)
    if len(resolved.path) == 1 and resolved.path[0] in snapshot.partition_columns:
        raise errors.DropPartitionColumnError(path_text(resolved.path), snapshot.table)
    if any(path[: len(resolved.path)] == resolved.path for path in clustering_columns(snapshot)):
        raise errors.DropClusteringColumnError(path_text(resolved.path), snapshot.table)
    refuse_dependent(resolved.path, "drop", snapshot)
    refuse_base_change(resolved.path, "drop", schema, snapshot.table)
    return drop_column(schema, resolved.path, where=snapshot.table)


def _null_check(change: ColumnChange, snapshot: Snapshot, context: Context) -> Verification | None:
    """SET NOT NULL of a column that may hold NULL: no row may."""
    resolved = resolve(snapshot.schema, change.path.parts, where=snapshot.table)
    if not _forbids_null(change) or not resolved.field.nullable:
        return None
    column = path_text(resolved.path)
    parents = [f"{path_text(resolved.path[:length])} IS NOT NULL" for length in range(1, len(resolved.path))]
    condition = " AND ".join([*parents, f"{column} IS NULL"])
    return verification(context, snapshot, condition, errors.NewNotNullViolationError(column, snapshot.table))


def _renamed_statistics(metadata: Metadata, old: tuple[str, ...], new: tuple[str, ...]) -> Metadata:
    """The property that names the columns with statistics follows a rename."""
    columns = metadata.properties[table_properties.STATS_COLUMNS]
    if not columns:
        return metadata
    folded = tuple(name.lower() for name in old)
    renamed = [
        (*new, *path[len(old) :]) if tuple(name.lower() for name in path[: len(old)]) == folded else path
        for path in columns
    ]
    return metadata.with_configuration(
        {table_properties.STATS_COLUMNS.name: ",".join(path_text(path) for path in renamed)}
    )


def _refuse_referenced_column(table: TableName, path: tuple[str, ...], snapshot: Snapshot, context: Context) -> None:
    """Raises PrimaryKeyReferencedError for a new name of a column that foreign keys know by its name."""
    for key in referable_keys(snapshot.metadata):
        if len(path) == 1 and path[0] in key.columns:
            kind = "unique key" if key.is_unique else "primary key"
            operation = f"rename {path_text(path)}, which is in the {kind} {quote(key.name)} of {table}"
            refuse_referenced(table, operation, "Drop these first, and add them again afterwards.", context)


def _added(schema: StructType, column: AddedColumn, snapshot: Snapshot) -> StructType:
    if not column.nullable:
        raise errors.AddNotNullColumnError(str(column.path))
    if column.default is not None:
        raise errors.AddColumnDefaultError(str(column.path))
    field = _field(column, snapshot)
    return add_column(schema, column.path.parts, field, first=column.first, after=column.after, where=snapshot.table)


def _caret_in_added(error: DeltaSqlError, column: AddedColumn, context: Context) -> Caret:
    """The name after AFTER, if `error` is about that, else the column."""
    if isinstance(error, errors.ColumnNotFoundError) and column.after is not None:
        for word, name in pairwise(context.tokens):
            if word.key == "AFTER" and word.start >= column.path.end and name.name.lower() == column.after.lower():
                return context.caret(name.start, name.end)
    return context.caret(column.path.start, column.path.end)


def _has_type(change: ColumnChange, schema: StructType) -> bool:
    """Whether all that `change` says is the type that the column has."""
    field = resolve(with_lengths(schema), change.path.parts).field
    match change.alterations:
        case (Retyped(kind, text),):
            return declared_as(kind, text) == field.type
    return False


def _forbids_null(change: ColumnChange) -> bool:
    return Nullability(False) in change.alterations


def _synchronizes(change: ColumnChange) -> bool:
    return Synchronized() in change.alterations


def _moved_to(change: ColumnChange) -> dict[str, str]:
    """Where the column is moved to, as commitInfo shows it."""
    moves = [item for item in change.alterations if isinstance(item, Moved)]
    return _position(moves[0]) if moves else {}


def _described_change(schema: StructType, change: ColumnChange, old: StructType) -> dict[str, Any]:
    """The column after the change, as commitInfo shows it: the record of its types is still the one of before."""
    recorded = resolve(old, change.path.parts).field.metadata.get(TYPE_CHANGES)
    field = with_metadata(resolve(schema, change.path.parts).field, TYPE_CHANGES, recorded)
    return field_to_json(field) | {"name": ".".join(change.path.parts)}


def _position(column: AddedColumn | Moved) -> dict[str, str]:
    if column.first:
        return {"position": "FIRST"}
    return {} if column.after is None else {"position": f"AFTER {column.after}"}


def _field(column: AddedColumn, snapshot: Snapshot) -> StructField:
    metadata = field_metadata(column.type_text, column.comment)
    field = StructField(column.path.parts[-1], column.type, True, metadata)
    return _in_collation(StructType((field,)), snapshot).fields[0]


def _in_collation(columns: StructType, snapshot: Snapshot) -> StructType:
    """New columns of a table: STRING without COLLATE has the default collation; CHAR and VARCHAR have none."""
    default = snapshot.configuration.get(DEFAULT_COLLATION)
    collation = None if default is None else spelled_collation(default)
    fields = with_default_collation(with_lengths(columns), collation)
    assert isinstance(fields, StructType)
    return without_lengths(fields)


def _described(column: AddedColumn, snapshot: Snapshot) -> dict[str, Any]:
    """The column as commitInfo shows it."""
    return {
        "column": field_to_json(_field(column, snapshot)) | {"name": ".".join(column.path.parts)},
        **_position(column),
    }
