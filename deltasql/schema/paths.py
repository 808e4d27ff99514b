"""Column paths in a schema: `a.b`, `arr.element.x`, `m.key`, `m.value.y`; names match without case by default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from deltasql.base import did_you_mean, errors
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    collation_of,
)

Path = tuple[str, ...]

_MOST_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path resolved to a field.

    `path` is spelled as in the schema. `field` is the struct field, or for an array's element and a map's key or value
    a field of that name without metadata. `parent` is the type that contains it.
    """

    path: Path
    field: StructField
    parent: StructType | ArrayType | MapType

    @property
    def nested_in_collection(self) -> bool:
        """Whether the path ends in an array's element or a map's key or value, as opposed to a struct field."""
        return not isinstance(self.parent, StructType)


def folded(names: Iterable[str]) -> Path:
    """Names, or a path, in lower case, for comparison without case."""
    return tuple(name.lower() for name in names)


def resolve(
    schema: StructType, path: Path, *, where: str = "the table", case_sensitive: bool | None = None
) -> ResolvedPath:
    """The field that a non-empty `path` names.

    Raises ColumnNotFoundError for its first name, FieldNotFoundError for a later one, ArrayAccessByNameError and
    MapAccessByNameError for a name below a collection that skips `element`, `key` or `value`, NotAStructError below
    an atomic type. `where` names the table in the messages.
    """
    resolved: ResolvedPath | None = None
    for name in path:
        resolved = _step(schema, resolved, name, where, case_sensitive)
    if resolved is None:
        raise ValueError("a column path has at least one name")
    return resolved


def find_path(schema: StructType, path: Path, *, case_sensitive: bool | None = None) -> ResolvedPath | None:
    """Like `resolve`, but None where there is no such field."""
    resolved: ResolvedPath | None = None
    for name in path:
        holder = schema if resolved is None else resolved.field.type
        field = child(holder, name, case_sensitive=case_sensitive)
        if field is None:
            return None
        assert not isinstance(holder, (PrimitiveType, DecimalType))
        resolved = ResolvedPath((*(resolved.path if resolved else ()), field.name), field, holder)
    return resolved


def fields_at(schema: StructType, names: Sequence[str]) -> list[StructField] | None:
    """The fields that a name like a.b.c goes through, the outermost first; None if one is missing, or in no struct."""
    fields: list[StructField] = []
    current: DataType = schema
    for name in names:
        field = current.find(name) if isinstance(current, StructType) else None
        if field is None:
            return None
        fields.append(field)
        current = field.type
    return fields


def child(data_type: DataType, name: str, *, case_sensitive: bool | None = None) -> StructField | None:
    """The child `name` of a type: a struct's field, an array's `element`, a map's `key` or `value`; else None."""
    if isinstance(data_type, StructType):
        return data_type.find(name, case_sensitive)
    return next((field for field in _parts(data_type) if field.name == name.lower()), None)


def walk(schema: StructType) -> Iterator[tuple[Path, StructField]]:
    """Every struct field at any depth with its path, parents first; paths go through `element`, `key` and `value`."""
    for field in schema:
        yield (field.name,), field
        for path, below in _walk_type(field.type):
            yield (field.name, *path), below


def leaves(schema: StructType) -> Iterator[tuple[Path, StructField]]:
    """Fields that are not structs, at any depth of structs, with paths, in schema order: columns with statistics."""
    for field in schema:
        if isinstance(field.type, StructType):
            yield from (((field.name, *path), leaf) for path, leaf in leaves(field.type))
        else:
            yield (field.name,), field


def collated_paths(data_type: DataType) -> Iterator[Path]:
    """The paths of texts with a collation, at any depth, in schema order."""
    if collation_of(data_type) is not None:
        yield ()
    for part in data_type if isinstance(data_type, StructType) else _parts(data_type):
        yield from ((part.name, *path) for path in collated_paths(part.type))


def replace_type(data_type: DataType, path: Path, change: Callable[[DataType], DataType]) -> DataType:
    """`data_type` with the type at `path` replaced by `change(type)`. `path` is spelled as in the schema."""
    if not path:
        return change(data_type)
    name, rest = path[0], path[1:]
    match data_type:
        case StructType(fields):
            changed = (replace(f, type=replace_type(f.type, rest, change)) if f.name == name else f for f in fields)
            return StructType(tuple(changed))
        case ArrayType(element):
            return replace(data_type, element=replace_type(element, rest, change))
        case MapType(key, value) if name == "key":
            return replace(data_type, key=replace_type(key, rest, change))
        case MapType(key, value):
            return replace(data_type, value=replace_type(value, rest, change))
        case _:
            raise ValueError(f"no type at {path_text(path)}")


def replace_struct(schema: StructType, path: Path, change: Callable[[StructType], StructType]) -> StructType:
    """`schema` with the struct at `path` (() for itself) replaced by `change(struct)`."""

    def narrowed(data_type: DataType) -> DataType:
        assert isinstance(data_type, StructType)
        return change(data_type)

    changed = replace_type(schema, path, narrowed)
    assert isinstance(changed, StructType)
    return changed


def suggestion(name: str, candidates: Iterable[str]) -> str:
    """A sentence, with a leading blank, that suggests the closest of `candidates` in an error; "" if none is close."""
    return did_you_mean(name, candidates, shown=lambda close: path_text((close,)))


def candidates(struct: StructType) -> list[str]:
    """The names of a struct's fields for an error message; a long list is truncated."""
    names = [path_text((name,)) for name in struct.names]
    rest = len(names) - _MOST_CANDIDATES
    return names if rest <= 0 else [*names[:_MOST_CANDIDATES], f"… and {rest} more"]


def _step(
    schema: StructType, parent: ResolvedPath | None, name: str, where: str, case_sensitive: bool | None
) -> ResolvedPath:
    holder: DataType = schema if parent is None else parent.field.type
    path = parent.path if parent else ()
    field = child(holder, name, case_sensitive=case_sensitive)
    match holder:
        case StructType() | ArrayType() | MapType() if field is not None:
            return ResolvedPath((*path, field.name), field, holder)
        case StructType(fields) if not path:
            hint = suggestion(name, holder.names)
            raise errors.ColumnNotFoundError(path_text((name,)), where, hint, candidates(holder))
        case StructType(fields):
            hint = suggestion(name, [f.name for f in fields])
            raise errors.FieldNotFoundError(path_text((name,)), path_text(path), hint, candidates(holder))
        case _:
            raise _wrong_access(path, holder, name)


def _wrong_access(path: Path, holder: DataType, name: str) -> Exception:
    column, field = path_text(path), path_text((name,))
    match holder:
        case ArrayType(element):
            below = (name,) if isinstance(element, StructType) else ()
            return errors.ArrayAccessByNameError(column, field, path_text((*path, "element", *below)))
        case MapType():
            return errors.MapAccessByNameError(column, field, path_text((*path, "key")), path_text((*path, "value")))
        case _:
            return errors.NotAStructError(field, column, type_text(holder))


def _parts(data_type: DataType) -> tuple[StructField, ...]:
    match data_type:
        case ArrayType(element, contains_null):
            return (StructField("element", element, contains_null),)
        case MapType(key, value, contains_null):
            return StructField("key", key, False), StructField("value", value, contains_null)
        case _:
            return ()


def _walk_type(data_type: DataType) -> Iterator[tuple[Path, StructField]]:
    if isinstance(data_type, StructType):
        yield from walk(data_type)
    for part in _parts(data_type):
        for path, field in _walk_type(part.type):
            yield (part.name, *path), field
