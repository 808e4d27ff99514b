"""Values of CHAR(n) and VARCHAR(n), at any depth of a column: padded and cut where they are written. Source: Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count

from deltasql.plan import marks
from deltasql.plan.base import quote
from deltasql.plan.operators import Constraint
from deltasql.planner.values.alignment import is_path
from deltasql.schema.lengths import TYPE_KEY, Length, declared_type, has_lengths, length_of
from deltasql.schema.partition_values import STORED_AS_NULL
from deltasql.schema.text import text_sql
from deltasql.schema.types import BINARY, STRING, ArrayType, DataType, MapType, StructField, StructType


def stored(field: StructField, sql: str, partitions: Collection[str] = ()) -> str:
    """SQL of the value as it is stored: CHAR is padded with blanks, blanks beyond the length are cut off.

    In one of the columns `partitions` an empty text is stored as NULL, so that every check must see NULL.
    """
    declared = declared_type(field)
    value = _stored(sql, declared, count()) if has_lengths(declared) else sql
    if field.name in partitions and not value.startswith(("NULL", "CAST(NULL AS ")):
        for nothing in _NULL_IN_PARTITIONS.get(field.type, ()):
            value = f"nullif({value}, {nothing})"
    return value


_NULL_IN_PARTITIONS: Mapping[DataType, tuple[str, ...]] = {
    STRING: tuple(map(text_sql, STORED_AS_NULL)),
    BINARY: ("X''",),
}
"""SQL of the values that a partition column stores as NULL."""


def padded(sql: str, length: int) -> str:
    """SQL of a text padded with blanks to a length; a longer one stays as it is."""
    return f"rpad({sql}, greatest(length({sql}), {length}), ' ')"


def length_checks(field: StructField) -> Iterator[Constraint]:
    """The constraints on the length of a column's texts, one for each length in its type."""
    if TYPE_KEY in field.metadata:
        yield from _checks((field.name,), quote(field.name), declared_type(field), lambda condition: condition, count())


def _stored(sql: str, declared: DataType, names: count[int]) -> str:
    length = length_of(declared)
    if length is not None:
        return _fitted(sql, length)
    if not has_lengths(declared):
        return sql
    match declared:
        case StructType():
            return _bound(sql, lambda name: _struct(name, declared, names), names)
        case ArrayType(element):
            item = f"__c{next(names)}"
            return f"transform({sql}, {item} -> {_stored(item, element, names)})"
        case MapType(key, value):
            item = f"__c{next(names)}"
            pair = f"struct({_stored(f'{item}.key', key, names)}, {_stored(f'{item}.value', value, names)})"
            return f"map_from_entries(transform(map_entries({sql}), {item} -> {pair}))"
        case _:
            return sql


def _fitted(sql: str, declared: Length) -> str:
    filled = padded(f"rtrim({sql})", declared.length)
    if declared.kind == "char":
        return filled
    return f"CASE WHEN length({sql}) > {declared.length} THEN {filled} ELSE {sql} END"


def _struct(sql: str, declared: StructType, names: count[int]) -> str:
    pairs = (
        f"{text_sql(field.name)}, {_stored(f'{sql}.{quote(field.name)}', field.type, names)}" for field in declared
    )
    return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({', '.join(pairs)}) END"


def _bound(sql: str, use: Callable[[str], str], names: count[int]) -> str:
    """`use` applied to `sql`, through a lambda if `sql` is no plain path, so that it is computed once."""
    if is_path(sql):
        return use(sql)
    name = f"__c{next(names)}"
    return f"element_at(transform(array({sql}), {name} -> {use(name)}), 1)"


def _checks(
    path: tuple[str, ...], sql: str, declared: DataType, whole: Callable[[str], str], names: count[int]
) -> Iterator[Constraint]:
    """The length constraints of a value of type `declared`.

    `sql` is the part at `path`, or an item of it; `whole` turns a condition on it into one on the column.
    """
    length = length_of(declared)
    if length is not None:
        condition = f"{sql} IS NULL OR length({sql}) <= {length.length}"
        yield Constraint(f"{marks.LENGTH}{'.'.join(map(quote, path))}|{length.length}", whole(condition))
        return
    match declared:
        case StructType():
            for field in declared:
                yield from _checks((*path, field.name), f"{sql}.{quote(field.name)}", field.type, whole, names)
        case ArrayType(element):
            yield from _each((*path, "element"), sql, element, whole, names)
        case MapType(key, value):
            yield from _each((*path, "key"), f"map_keys({sql})", key, whole, names)
            yield from _each((*path, "value"), f"map_values({sql})", value, whole, names)
        case _:
            return


def _each(
    path: tuple[str, ...], sql: str, element: DataType, whole: Callable[[str], str], names: count[int]
) -> Iterator[Constraint]:
    item = f"__c{next(names)}"

    def all_of(condition: str) -> str:
        return whole(f"{sql} IS NULL OR forall({sql}, {item} -> {condition})")

    yield from _checks(path, item, element, all_of, names)
