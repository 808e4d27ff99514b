"""Pure edits of a schema, as ALTER TABLE makes them: each returns a new one. REPLACE COLUMNS rewrites no files.

Names are matched without case and keep the schema's spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from deltasql.base import errors
from deltasql.schema.checks import RESERVED_NAMES, check_duplicates, check_nullability, record_type_changes
from deltasql.schema.text import (
    Path,
    ResolvedPath,
    candidates,
    child,
    path_text,
    replace_struct,
    replace_type,
    resolve,
    suggestion,
    type_text,
)
from deltasql.schema.type_lattice import Widening, can_widen
from deltasql.schema.types import (
    EMPTY_METADATA,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    without_collations,
)


def add_column(
    schema: StructType,
    path: Path,
    field: StructField,
    *,
    first: bool = False,
    after: str | None = None,
    where: str = "the table",
) -> StructType:
    """`schema` with a new column at `path`, whose last name is the column's; `field` gives type and metadata.

    It comes last in its struct unless `first`, or `after` names a sibling. Structs in arrays and maps are reached
    through `element`, `key` and `value`. Raises one class per rule: AddNotNullColumnError, AddColumnDefaultError,
    InternalColumnNameError, AddColumnStructNotFoundError, AddColumnParentNotStructError, FieldAlreadyExistsError,
    ArrayAccessByNameError, MapAccessByNameError; ColumnNotFoundError for `after`.
    """
    _check_new_field(path, field, where)
    parent, struct = _parent_of_new(schema, path, where)
    existing = struct.find(path[-1], case_sensitive=False)
    if existing is not None:
        holder = path_text(parent) if parent else where
        raise errors.FieldAlreadyExistsError("add column", path_text(path), holder, path_text((*parent, existing.name)))
    new = replace(field, name=path[-1])
    return replace_struct(
        schema, parent, lambda target: _insert(target, new, parent, first=first, after=after, where=where)
    )


def rename_column(schema: StructType, path: Path, name: str, *, where: str = "the table") -> StructType:
    """`schema` with the field at `path` called `name`. Raises FieldAlreadyExistsError; see `resolve` for the path."""
    resolved = _struct_field(schema, path, where, "rename")
    struct, parent = resolved.parent, resolved.path[:-1]
    assert isinstance(struct, StructType)
    existing = struct.find(name, case_sensitive=False)
    if existing is not None and existing.name != resolved.field.name:
        holder = path_text(parent) if parent else where
        raise errors.FieldAlreadyExistsError(
            f"rename {path_text(resolved.path)} to", path_text((name,)), holder, path_text((*parent, existing.name))
        )
    if name.lower() in RESERVED_NAMES:
        raise errors.InternalColumnNameError(path_text((name,)))
    return _change_field(schema, resolved.path, lambda field: replace(field, name=name))


def drop_column(schema: StructType, path: Path, *, where: str = "the table") -> StructType:
    """`schema` without the field at `path`. Raises DropFromNonStructError and DropOnlyColumnError."""
    resolved = resolve(schema, path, where=where)
    parent = resolved.path[:-1]
    if not isinstance(resolved.parent, StructType):
        raise errors.DropFromNonStructError(path_text(resolved.path), path_text(parent), type_text(resolved.parent))
    if len(resolved.parent) == 1:
        raise errors.DropOnlyColumnError(path_text(resolved.path), path_text(parent) if parent else where)
    dropped = resolved.field.name
    return replace_struct(
        schema, parent, lambda struct: StructType(tuple(field for field in struct if field.name != dropped))
    )


def move_column(
    schema: StructType, path: Path, *, first: bool = False, after: str | None = None, where: str = "the table"
) -> StructType:
    """`schema` with the field at `path` first in its struct, or after a sibling; after itself it stays."""
    resolved = _struct_field(schema, path, where, "move")
    if after is not None and after.lower() == resolved.field.name.lower():
        return schema
    parent = resolved.path[:-1]

    def moved(struct: StructType) -> StructType:
        rest = StructType(tuple(field for field in struct if field.name != resolved.field.name))
        return _insert(rest, resolved.field, parent, first=first, after=after, where=where)

    return replace_struct(schema, parent, moved)


def set_comment(schema: StructType, path: Path, comment: str | None, *, where: str = "the table") -> StructType:
    """`schema` with another comment on the field at `path`, or none. Raises CommentOnElementError."""
    resolved = resolve(schema, path, where=where)
    if resolved.nested_in_collection:
        raise errors.CommentOnElementError(path_text(resolved.path))
    return _change_field(schema, resolved.path, lambda field: with_metadata(field, "comment", comment))


def set_nullable(schema: StructType, path: Path, nullable: bool, *, where: str = "the table") -> StructType:
    """`schema` with the field at `path` nullable or NOT NULL; that its rows have no NULL is the caller's to check.

    Raises NotNullNestedFieldError and NestedNotNullError where NOT NULL could not be enforced.
    """
    resolved = _struct_field(schema, path, where, "change the nullability of")
    changed = _change_field(schema, resolved.path, lambda field: replace(field, nullable=nullable))
    if not nullable:
        check_nullability(changed)
    return changed


def set_metadata(
    schema: StructType, path: Path, key: str, value: object | None, *, where: str = "the table"
) -> StructType:
    """`schema` with one metadata entry of the field at `path` set, or removed for None."""
    resolved = _struct_field(schema, path, where, f"change {key} of")
    return _change_field(schema, resolved.path, lambda field: with_metadata(field, key, value))


def set_type(
    schema: StructType,
    path: Path,
    new: DataType,
    *,
    widening: Widening = Widening.NEVER,
    where: str = "the table",
) -> StructType:
    """`schema` with another type at `path`, recorded in `delta.typeChanges`; the same type changes nothing.

    Legal are the changes that `widening` allows, and any type for void. Raises ChangeColumnError, and for struct,
    array and map CannotUpdateStructError, CannotUpdateArrayError, CannotUpdateMapError.
    """
    resolved = resolve(schema, path, where=where)
    old = resolved.field.type
    if old == new:
        return schema
    _check_type_change(resolved, new, widening)
    owner = _nearest_field(schema, resolved.path)
    changed = replace_type(schema, resolved.path, lambda _: new)
    assert isinstance(changed, StructType)
    if old == VOID or without_collations(new) == without_collations(old):
        return changed
    before = resolve(schema, owner).field
    return _change_field(changed, owner, lambda field: record_type_changes(before, field))


def with_metadata(field: StructField, key: str, value: object | None) -> StructField:
    """`field` with one metadata entry set, or removed for None."""
    rest = {name: old for name, old in field.metadata.items() if name != key}
    return replace(field, metadata=rest if value is None else {**rest, key: value})


def without_metadata(schema: StructType, keys: Collection[str] | None = None) -> StructType:
    """`schema` whose fields, at any depth, lack these keys of metadata; all of them if none are given."""

    def stripped(kind: DataType) -> DataType:
        match kind:
            case StructType():
                return without_metadata(kind, keys)
            case ArrayType(element):
                return replace(kind, element=stripped(element))
            case MapType(key, value):
                return replace(kind, key=stripped(key), value=stripped(value))
            case _:
                return kind

    def plain(field: StructField) -> StructField:
        metadata = {key: value for key, value in field.metadata.items() if keys is not None and key not in keys}
        return replace(field, type=stripped(field.type), metadata=metadata or EMPTY_METADATA)

    return StructType(tuple(map(plain, schema)))


def _check_new_field(path: Path, field: StructField, where: str) -> None:
    column = path_text(path)
    if not field.nullable:
        raise errors.AddNotNullColumnError(column)
    if "CURRENT_DEFAULT" in field.metadata:
        raise errors.AddColumnDefaultError(column)
    if path[-1].lower() in RESERVED_NAMES:
        raise errors.InternalColumnNameError(column)
    inside = StructType((replace(field, name=path[-1]),))
    check_duplicates(inside, "ADDING_COLUMNS", where)
    check_nullability(inside)


def _parent_of_new(schema: StructType, path: Path, where: str) -> tuple[Path, StructType]:
    """The path and the struct that the last name of `path` is to be added to."""
    parent: Path = ()
    holder: DataType = schema
    for name in path[:-1]:
        field = child(holder, name)
        if field is None:
            raise _no_parent(schema, path, (*parent, name), holder, where)
        parent, holder = (*parent, field.name), field.type
    if not isinstance(holder, StructType):
        raise _no_parent(schema, path, (*parent, path[-1]), holder, where)
    return parent, holder


def _no_parent(schema: StructType, path: Path, wrong: Path, holder: DataType, where: str) -> Exception:
    """Why `path` cannot be added: its part `wrong` leads nowhere below the type `holder`."""
    if isinstance(holder, StructType):
        hint = suggestion(wrong[-1], holder.names)
        return errors.AddColumnStructNotFoundError(path_text(path), path_text(wrong), hint)
    if isinstance(holder, (ArrayType, MapType)) and child(holder, wrong[-1]) is None:
        # Names the way through `element`, `key` or `value`.
        resolve(schema, wrong, where=where)
    return errors.AddColumnParentNotStructError(path_text(path), path_text(wrong[:-1]), type_text(holder))


def _struct_field(schema: StructType, path: Path, where: str, change: str) -> ResolvedPath:
    """The struct field at `path`, for a `change`. Raises ChangeElementError for what an array or a map holds."""
    resolved = resolve(schema, path, where=where)
    if resolved.nested_in_collection:
        raise errors.ChangeElementError(path_text(resolved.path), change)
    return resolved


def _change_field(schema: StructType, path: Path, change: Callable[[StructField], StructField]) -> StructType:
    """`schema` with the struct field at `path`, spelled as in the schema, replaced by what `change` makes of it."""

    def changed(struct: StructType) -> StructType:
        return StructType(tuple(change(field) if field.name == path[-1] else field for field in struct))

    return replace_struct(schema, path[:-1], changed)


def _insert(
    struct: StructType, field: StructField, parent: Path, *, first: bool, after: str | None, where: str
) -> StructType:
    """`struct` with `field` at its end, first, or after the sibling `after`."""
    if first:
        return StructType((field, *struct.fields))
    if after is None:
        return StructType((*struct.fields, field))
    sibling = struct.find(after)
    if sibling is None:
        holder = f"{path_text(parent)} of {where}" if parent else where
        raise errors.ColumnNotFoundError(
            path_text((after,)), holder, suggestion(after, struct.names), candidates(struct)
        )
    at = struct.fields.index(sibling) + 1
    return StructType((*struct.fields[:at], field, *struct.fields[at:]))


def _nearest_field(schema: StructType, path: Path) -> Path:
    """The path of the innermost struct field on the way to `path`, which keeps the metadata of what it holds."""
    while path:
        if not resolve(schema, path).nested_in_collection:
            return path
        path = path[:-1]
    raise ValueError("a path starts with a column")


def _check_type_change(resolved: ResolvedPath, new: DataType, widening: Widening) -> None:
    column, old = path_text(resolved.path), resolved.field.type
    match old:
        case StructType():
            raise errors.CannotUpdateStructError(column)
        case ArrayType():
            raise errors.CannotUpdateArrayError(column)
        case MapType():
            raise errors.CannotUpdateMapError(column)
        case _ if old == VOID or can_widen(old, new, widening) or without_collations(new) == without_collations(old):
            return
    if can_widen(old, new):
        reason = "the table does not have 'delta.enableTypeWidening' = 'true'"
    else:
        reason = "values would have to be rewritten; add a new column of that type and copy them"
    raise errors.ChangeColumnError(column, type_text(old), type_text(new), reason)


def replace_columns(
    schema: StructType,
    new: StructType,
    *,
    may_drop: bool = False,
    widening: Widening = Widening.NEVER,
    where: str = "the table",
) -> StructType:
    """The table's schema after REPLACE COLUMNS with `new`: `new`'s columns in its order.

    A column of the same name (without case) keeps its spelling, its metadata and, unless `new` has one, its comment.
    Columns may be added, nullable; dropped with `may_drop`, which column mapping permits; types may widen.
    Raises ReplaceColumnsError, CannotChangeTypeError, AmbiguousChangeError (adds and drops in one struct) and
    DuplicateColumnsError.
    """
    check_duplicates(new, "REPLACING_COLUMNS", where)
    return _Replacement(may_drop, widening).struct(schema, new, ())


class _Replacement:
    """The rules of one statement, applied struct by struct."""

    def __init__(self, may_drop: bool, widening: Widening) -> None:
        self.may_drop = may_drop
        self.widening = widening

    def struct(self, old: StructType, new: StructType, path: Path) -> StructType:
        dropped = [path_text((*path, field.name)) for field in old if new.find(field.name) is None]
        added = [path_text((*path, field.name)) for field in new if old.find(field.name) is None]
        if dropped and not self.may_drop:
            columns = ", ".join(dropped)
            raise errors.ReplaceColumnsError(f"dropping column(s) {columns} needs 'delta.columnMapping.mode' = 'name'")
        if dropped and added:
            raise errors.AmbiguousChangeError(path_text(path) if path else "the columns", added, dropped)
        return StructType(tuple(self.field(old.find(field.name), field, path) for field in new))

    def field(self, old: StructField | None, new: StructField, path: Path) -> StructField:
        column = path_text((*path, new.name))
        if not new.nullable and (old is None or old.nullable):
            raise errors.ReplaceColumnsError(f"column {column} cannot be NOT NULL, because rows may hold NULL in it")
        if old is None:
            return new
        merged = self.type(old.type, new.type, (*path, old.name))
        comment = {} if new.comment is None else {"comment": new.comment}
        field = replace(old, type=merged, nullable=new.nullable, metadata={**old.metadata, **comment})
        return field if old.type == VOID else record_type_changes(old, field)

    def type(self, old: DataType, new: DataType, path: Path) -> DataType:
        match old, new:
            case StructType(), StructType():
                return self.struct(old, new, path)
            case ArrayType(a), ArrayType(b):
                return replace(old, element=self.type(a, b, (*path, "element")))
            case MapType(a, x), MapType(b, y):
                return replace(old, key=self.type(a, b, (*path, "key")), value=self.type(x, y, (*path, "value")))
            case _ if old in (new, VOID) or can_widen(old, new, self.widening):
                return new
            case _:
                raise errors.CannotChangeTypeError(path_text(path), type_text(old), type_text(new))
