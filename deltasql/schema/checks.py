"""Checks of a table's schema, identity columns, and type widening.

Schemas are checked before a commit: names, types, NOT NULL, partition columns, invariants. A schema from a log is
validated, since any writer may have written it. Identity columns are described by the metadata of their column. Source:
Delta protocol, Identity Columns.

Type widening records type changes that need no rewrite of files. Source: Delta protocol, Type Widening.
`deltasql.schema.type_lattice.can_widen` says which changes these are. Spark's Parquet reader gives a narrow file's
values as the wide type for every pair that is allowed, at every depth and with either of its readers; so files of
before and after a change are read together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deltasql.base import DuplicatePlace, errors
from deltasql.schema.json import type_from_json, type_to_json
from deltasql.schema.text import Path, candidates, path_text, suggestion, type_text, walk
from deltasql.schema.type_lattice import Widening, can_widen
from deltasql.schema.types import (
    ID,
    LONG,
    NESTED_IDS,
    PHYSICAL_NAME,
    STORED_SHAPES,
    STRING,
    TIMESTAMP,
    UNSTORED_SHAPES,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    collation_of,
    has_shapes,
    is_shape,
    without_collations,
)

INVARIANTS = "delta.invariants"
"""The key of column metadata for a condition of written rows. Source: Delta protocol, Column Invariants."""

INVALID_CHARACTERS = frozenset(" ,;{}()\n\t=")
"""Not allowed in a column name without column mapping: Parquet schemas cannot hold them."""

CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIMESTAMP = "_change_type", "_commit_version", "_commit_timestamp"
"""Columns of the change data feed. Data files of the same job have the first one as well, empty."""
CHANGE_DATA_COLUMNS = (CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIMESTAMP)
CHANGE_FIELDS = (
    StructField(CHANGE_TYPE, STRING),
    StructField(COMMIT_VERSION, LONG),
    StructField(COMMIT_TIMESTAMP, TIMESTAMP),
)
INTERNAL_COLUMNS = ("__delta_internal_row_index", "__delta_internal_is_row_deleted")
HIDDEN_PREFIX = "__deltasql_"
"""Begins the names of columns of our own while rows are computed."""
RESERVED_NAMES = frozenset(CHANGE_DATA_COLUMNS + INTERNAL_COLUMNS)
"""Lower-case names that ADD and RENAME refuse."""

STORABLE_TYPES = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary"}
    | {"date", "timestamp", "timestamp_ntz", "void", "variant"}
    | STORED_SHAPES
)


def check_table_schema(
    schema: StructType,
    *,
    partitioned_by: Sequence[str] = (),
    column_mapping: bool = False,
    change_data_feed: bool = False,
    where: str = "the table",
) -> tuple[str, ...]:
    """The partition columns as the schema spells them, after every check of a new table's schema.

    `where` names the table in the messages. Each check below says what it raises.
    """
    check_duplicates(schema, "TABLE_SCHEMA", where)
    check_types(schema, where)
    check_voids(schema)
    check_names(schema, column_mapping=column_mapping, change_data_feed=change_data_feed, where=where)
    check_nullability(schema)
    return check_partitioning(schema, partitioned_by, column_mapping=column_mapping, where=where)


def check_schema(
    schema: StructType,
    partition_columns: Sequence[str] = (),
    *,
    column_mapping: bool = False,
    change_data_feed: bool = False,
    where: str = "the table",
) -> None:
    """The checks of a schema that a statement changed; its partition columns must still be there."""
    check_duplicates(schema, "METADATA_UPDATE", where)
    check_types(schema, where)
    check_voids(schema)
    check_names(schema, column_mapping=column_mapping, change_data_feed=change_data_feed, where=where)
    check_nullability(schema)
    check_partitioning(schema, partition_columns, column_mapping=column_mapping, where=where)


def duplicate_columns(schema: StructType) -> list[str]:
    """The paths, at any depth, whose names are equal to an earlier sibling's when case is ignored."""
    return _duplicates(path for path, _ in walk(schema))


def check_duplicates(schema: StructType, clause: DuplicatePlace, where: str) -> None:
    """Raises DuplicateColumnsError of `clause` for names of one struct that are equal when case is ignored."""
    duplicates = duplicate_columns(schema)
    if duplicates:
        raise errors.DuplicateColumnsError(clause, where, duplicates)


def check_names(
    schema: StructType, *, column_mapping: bool = False, change_data_feed: bool = False, where: str = "the table"
) -> None:
    """Raises InvalidColumnNameError, InternalColumnNameError, HiddenColumnNameError.

    For a change data feed ChangeDataColumnsError too.
    """
    if not column_mapping:
        wrong = [path_text(path) for path, _ in walk(schema) if INVALID_CHARACTERS & set(path[-1])]
        if wrong:
            raise errors.InvalidColumnNameError(where, wrong)
    for field in schema:
        if field.name.lower() in INTERNAL_COLUMNS:
            raise errors.InternalColumnNameError(path_text((field.name,)))
        if field.name.lower().startswith(HIDDEN_PREFIX):
            raise errors.HiddenColumnNameError(path_text((field.name,)), where, HIDDEN_PREFIX)
    if change_data_feed:
        check_change_columns(schema, where)


def check_change_columns(schema: StructType, where: str) -> None:
    """Raises ChangeDataColumnsError where a column has a name that the change data feed needs itself."""
    clashes = [field.name for field in schema if field.name.lower() in CHANGE_DATA_COLUMNS]
    if clashes:
        raise errors.ChangeDataColumnsError(where, clashes)


def check_types(schema: StructType, where: str = "the table") -> None:
    """Raises UnsupportedTypesError with every column whose type Delta cannot store, such as an interval.

    ShapesWithoutSystemError for GEOMETRY(ANY) and GEOGRAPHY(ANY).
    """
    shapes = [path_text(path) for path, name in unstorable(schema) if name in UNSTORED_SHAPES]
    if shapes:
        raise errors.ShapesWithoutSystemError(where, shapes)
    wrong = [f"{path_text(path)} {name}" for path, name in unstorable(schema)]
    if wrong:
        raise errors.UnsupportedTypesError(where, wrong)


def unstorable(schema: StructType) -> Iterator[tuple[Path, str]]:
    """The columns, at any depth, whose types are none of Delta's, with the names of these types."""
    for path, field in walk(schema):
        for leaf in _atoms(field.type):
            if not _storable(leaf):
                yield path, type_text(leaf)
        for key in _shape_keys(field.type):
            yield path, f"map with keys of {type_text(key)}"


def check_voids(schema: StructType) -> None:
    """Raises NestedVoidError for VOID inside an array or a map: there files cannot leave it out."""
    for path in nested_voids(schema, in_structs=False):
        raise errors.NestedVoidError(column=path_text(path))


def nested_voids(schema: StructType, *, in_structs: bool) -> Iterator[Path]:
    """The paths of VOID below the top level: in arrays and maps, with `in_structs` also in structs outside of these."""
    for field in schema:
        yield from _voids(field.type, (field.name,), inside=False, in_structs=in_structs)


def _voids(data_type: DataType, path: Path, *, inside: bool, in_structs: bool) -> Iterator[Path]:
    match data_type:
        case StructType(fields):
            for field in fields:
                yield from _voids(field.type, (*path, field.name), inside=inside or in_structs, in_structs=in_structs)
        case ArrayType(element):
            yield from _voids(element, (*path, "element"), inside=True, in_structs=in_structs)
        case MapType(key, value):
            yield from _voids(key, (*path, "key"), inside=True, in_structs=in_structs)
            yield from _voids(value, (*path, "value"), inside=True, in_structs=in_structs)
        case _ if inside and data_type == VOID:
            yield path


def check_nullability(schema: StructType) -> None:
    """Every NOT NULL can be enforced: its parents are NOT NULL as well, and none is an array or a map.

    Raises NotNullNestedFieldError and NestedNotNullError.
    """
    for field in schema:
        _check_below(field.type, (field.name,), nullable=field.nullable, kind=None)


def check_partitioning(
    schema: StructType, partitioned_by: Sequence[str], *, column_mapping: bool = False, where: str = "the table"
) -> tuple[str, ...]:
    """The partition columns as the schema spells them.

    Raises PartitionColumnNotFoundError, InvalidPartitionColumnNameError, InvalidPartitionColumnTypeError,
    IdentityPartitionError, AllColumnsPartitionError and DuplicateColumnsError.
    """
    fields = [_partition_field(schema, name, where) for name in partitioned_by]
    duplicates = _duplicates((field.name,) for field in fields)
    if duplicates:
        raise errors.DuplicateColumnsError("PARTITION_COLUMNS", where, duplicates)
    invalid = [path_text((field.name,)) for field in fields if INVALID_CHARACTERS & set(field.name)]
    if invalid and not column_mapping:
        raise errors.InvalidPartitionColumnNameError(where, invalid)
    names = tuple(field.name for field in fields)
    if names and len(names) == len(schema):
        raise errors.AllColumnsPartitionError(where, names)
    return names


def _partition_field(schema: StructType, name: str, where: str) -> StructField:
    field = schema.find(name)
    if field is None:
        hint = suggestion(name, schema.names)
        raise errors.PartitionColumnNotFoundError(path_text((name,)), where, hint, candidates(schema))
    # Values that are equal by a collation would be in several directories.
    is_collated = collation_of(field.type) is not None
    is_atomic = not isinstance(field.type, (StructType, ArrayType, MapType)) and field.type != VARIANT
    if not is_atomic or is_collated or is_shape(field.type):
        raise errors.InvalidPartitionColumnTypeError(where, path_text((field.name,)), type_text(field.type))
    if "delta.identity.start" in field.metadata:
        raise errors.IdentityPartitionError(where, path_text((field.name,)))
    return field


def _duplicates(paths: Iterable[Path]) -> list[str]:
    seen: set[Path] = set()
    duplicates = []
    for path in paths:
        folded = tuple(name.lower() for name in path)
        if folded in seen:
            duplicates.append(path_text(path))
        seen.add(folded)
    return duplicates


def _atoms(data_type: DataType) -> Iterator[PrimitiveType | DecimalType]:
    """The atomic types in a type, without those of struct fields, which are columns of their own."""
    match data_type:
        case PrimitiveType() | DecimalType():
            yield data_type
        case ArrayType(element):
            yield from _atoms(element)
        case MapType(key, value):
            yield from _atoms(key)
            yield from _atoms(value)


def _shape_keys(data_type: DataType) -> Iterator[DataType]:
    """The types of keys of maps that have shapes, whose values no key is found by."""
    match data_type:
        case ArrayType(element):
            yield from _shape_keys(element)
        case MapType(key, value):
            yield from (key,) if has_shapes(key) else ()
            yield from _shape_keys(value)


def _storable(data_type: PrimitiveType | DecimalType) -> bool:
    match data_type:
        case DecimalType(precision, scale):
            return 1 <= precision <= 38 and 0 <= scale <= precision
        case PrimitiveType(name):
            return name in STORABLE_TYPES or (collation_of(data_type) or "").replace("_", "a").isalnum()


def _check_below(data_type: DataType, path: Path, *, nullable: bool, kind: str | None) -> None:
    """`nullable`: whether the value at `path` can be null. `kind`: the innermost collection around it, if any."""
    match data_type:
        case StructType(fields):
            for field in fields:
                below = (*path, field.name)
                if not field.nullable and kind is not None:
                    raise errors.NestedNotNullError(kind, path_text(below))
                if not field.nullable and nullable:
                    raise errors.NotNullNestedFieldError(path_text(below), path_text(path))
                _check_below(field.type, below, nullable=field.nullable, kind=kind)
        case ArrayType(element):
            _check_below(element, (*path, "element"), nullable=True, kind="array")
        case MapType(key, value):
            _check_below(key, (*path, "key"), nullable=True, kind="map")
            _check_below(value, (*path, "value"), nullable=True, kind="map")


def column_invariants(schema: StructType) -> dict[str, str]:
    """The conditions of columns and of fields in structs, by the name that Delta gives them.

    Of metadata that cannot be read the text stands for the condition, which nobody can compute either.
    """
    return {f"EXPRESSION({text})": text for text in _conditions(schema)}


def _conditions(schema: StructType) -> Iterator[str]:
    for field in schema:
        if INVARIANTS in field.metadata:
            yield _condition(field)
        if isinstance(field.type, StructType):
            yield from _conditions(field.type)


def _condition(field: StructField) -> str:
    rule = field.metadata[INVARIANTS]
    try:
        return str(json.loads(rule)["expression"]["expression"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return str(rule)


START, STEP = "delta.identity.start", "delta.identity.step"
HIGH_WATER_MARK = "delta.identity.highWaterMark"
ALLOW_EXPLICIT = "delta.identity.allowExplicitInsert"
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Identity:
    """The numbers start, start + step, … of a column; those up to `high_water_mark` (None: none) are used up."""

    start: int
    step: int
    allow_explicit: bool
    high_water_mark: int | None = None

    @property
    def next_value(self) -> int:
        """The first number that is free; it may lie beyond 64 bits."""
        mark = self.high_water_mark
        if mark is None or (self.start - mark) * self.step > 0:
            return self.start
        return self.start + ((mark - self.start) // self.step + 1) * self.step

    @property
    def left(self) -> int:
        """How many numbers are free from `next_value` on within 64 bits."""
        room = _HIGHEST - self.next_value if self.step > 0 else self.next_value - _LOWEST
        return max(0, room // abs(self.step) + 1)

    def covering(self, value: int | None) -> Identity:
        """This identity once `value` is used: the mark goes to the next of its own numbers, never backwards."""
        if value is None or (self.start - value) * self.step > 0:
            return self
        # Rounded away from the start: another writer may have put a number between two of ours.
        steps = -((self.start - value) // self.step)
        mark = self.start + steps * self.step
        if self.high_water_mark is not None and (mark - self.high_water_mark) * self.step <= 0:
            return self
        return replace(self, high_water_mark=mark)

    @property
    def in_range(self) -> bool:
        """Whether the mark has 64 bits, as the log needs it."""
        return self.high_water_mark is None or _LOWEST <= self.high_water_mark <= _HIGHEST

    def metadata(self) -> dict[str, Any]:
        """The entries of the column's metadata."""
        entries: dict[str, Any] = {START: self.start, STEP: self.step, ALLOW_EXPLICIT: self.allow_explicit}
        return entries if self.high_water_mark is None else {**entries, HIGH_WATER_MARK: self.high_water_mark}


def identity_of(field: StructField) -> Identity | None:
    """The identity of a column; None for a column that is none."""
    metadata = field.metadata
    if START not in metadata:
        return None
    mark = metadata.get(HIGH_WATER_MARK)
    return Identity(
        int(metadata[START]),
        int(metadata[STEP]),
        bool(metadata.get(ALLOW_EXPLICIT, False)),
        None if mark is None else int(mark),
    )


def identities(schema: StructType) -> dict[str, Identity]:
    """The identity columns of a table by name."""
    return {field.name: identity for field in schema if (identity := identity_of(field)) is not None}


def with_identities(schema: StructType, changed: Mapping[str, Identity]) -> StructType:
    """`schema` with the identities of some columns as they are in `changed`."""
    return StructType(
        tuple(
            replace(field, metadata={**field.metadata, **changed[field.name].metadata()})
            if field.name in changed
            else field
            for field in schema
        )
    )


TYPE_CHANGES = "delta.typeChanges"


@dataclass(frozen=True, slots=True)
class TypeChange:
    """One change of an atomic type; `path` goes through `element`, `key` and `value`."""

    path: tuple[str, ...]
    old: DataType
    new: DataType


def record_type_changes(old: StructField, new: StructField) -> StructField:
    """`new` with its atomic type changes since `old` added to the metadata `delta.typeChanges`.

    Changes inside arrays and maps are recorded here with a `fieldPath`; those inside structs
    belong to their own fields, which must have been recorded before.
    """
    changes = list(_changes(old.type, new.type, ()))
    if not changes:
        return new
    recorded = [*old.metadata.get(TYPE_CHANGES, ()), *changes]
    return replace(new, metadata={**new.metadata, TYPE_CHANGES: recorded})


def unsupported_changes(schema: StructType, widening: Widening = Widening.ALWAYS) -> Iterator[TypeChange]:
    """The recorded type changes that `widening` does not allow: another engine, or another rule, made them."""
    for path, field in walk(schema):
        for change in field.metadata.get(TYPE_CHANGES, ()):
            old, new = type_from_json(change["fromType"]), type_from_json(change["toType"])
            if old != new and not can_widen(old, new, widening):
                below = str(change.get("fieldPath", ""))
                yield TypeChange((*path, *(below.split(".") if below else ())), old, new)


def with_table_version(schema: StructType, version: int) -> StructType:
    """`schema` whose type changes all have a `tableVersion`: `version` where they have none.

    Readers of the feature `typeWidening-preview` ask for it; it is the version of the commit that made the change.
    """
    return StructType(tuple(_versioned(field, version) for field in schema))


def _versioned(field: StructField, version: int) -> StructField:
    changes = [{**change, "tableVersion": change.get("tableVersion", version)} for change in _recorded(field)]
    metadata = {**field.metadata, TYPE_CHANGES: changes} if changes else field.metadata
    return replace(field, type=_versioned_type(field.type, version), metadata=metadata)


def _versioned_type(kind: DataType, version: int) -> DataType:
    match kind:
        case StructType():
            return with_table_version(kind, version)
        case ArrayType(element):
            return replace(kind, element=_versioned_type(element, version))
        case MapType(key, value):
            return replace(kind, key=_versioned_type(key, version), value=_versioned_type(value, version))
        case _:
            return kind


def _recorded(field: StructField) -> list[dict[str, Any]]:
    return list(field.metadata.get(TYPE_CHANGES, ()))


def _changes(old: DataType, new: DataType, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    match old, new:
        case ArrayType(a), ArrayType(b):
            yield from _changes(a, b, (*path, "element"))
        case MapType(a, x), MapType(b, y):
            yield from _changes(a, b, (*path, "key"))
            yield from _changes(x, y, (*path, "value"))
        case (StructType(), _) | (_, StructType()):
            return
        case _ if without_collations(old) != without_collations(new):
            change = {"fromType": type_to_json(old), "toType": type_to_json(new)}
            yield {**change, "fieldPath": ".".join(path)} if path else change


_SHOWN = 80


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _are_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_number, value.values()))


def _are_changes(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) and _is_change(item) for item in value)


def _is_change(item: Mapping[str, Any]) -> bool:
    path, version = item.get("fieldPath", ""), item.get("tableVersion", 0)
    return all(_is_text(text) for text in (item.get("fromType"), item.get("toType"), path)) and _is_number(version)


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(
        ("comment", "CURRENT_DEFAULT", "delta.generationExpression", "__CHAR_VARCHAR_TYPE_STRING", PHYSICAL_NAME),
        (_is_text, "a text"),
    ),
    **dict.fromkeys((ID, START, HIGH_WATER_MARK), (_is_number, "a whole number of 64 bits")),
    STEP: (lambda value: _is_number(value) and value != 0, "a whole number of 64 bits, and not 0"),
    ALLOW_EXPLICIT: (lambda value: isinstance(value, bool), "true or false"),
    NESTED_IDS: (_are_numbers, "an object of whole numbers"),
    TYPE_CHANGES: (_are_changes, "a list of type changes"),
}


def check_foreign(schema: StructType, table: str) -> None:
    """Validates a schema from a log. Raises UnknownTypesError, HiddenColumnNameError and ColumnMetadataError."""
    unknown = [f"{path_text(path)} {_shortened(name)}" for path, name in unstorable(schema)]
    if unknown:
        raise errors.UnknownTypesError(table, unknown)
    for field in schema:
        if field.name.lower().startswith(HIDDEN_PREFIX):
            raise errors.HiddenColumnNameError(path_text((field.name,)), table, HIDDEN_PREFIX)
    for path, field in walk(schema):
        for key, expected in _wrong_metadata(path, field):
            shown = _shortened(repr(field.metadata[key]))
            raise errors.ColumnMetadataError(key.lstrip("_"), path_text(path), table, shown, expected)


def _wrong_metadata(path: Path, field: StructField) -> Iterator[tuple[str, str]]:
    for key, (rule, expected) in _RULES.items():
        # Some writers store null for a missing entry.
        if key in field.metadata and field.metadata[key] is not None and not rule(field.metadata[key]):
            yield key, expected
    if (START in field.metadata) != (STEP in field.metadata):
        yield (START if START in field.metadata else STEP), f"there together with {STEP} and {START}"


def _shortened(text: str) -> str:
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
