"""How types relate: which numbers are wider, what two types have in common, which casts exist, which lose nothing.

The only home of such rules. Spark and Delta have several of each, which look alike and differ; here they stand next to
each other, and each says what it is for. Every function is pure, and takes the types as a log or a query has them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    without_collations,
)

BITS: dict[DataType, int] = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
DIGITS: dict[DataType, int] = {BYTE: 3, SHORT: 5, INTEGER: 10, LONG: 20}
"""The digits of the decimal that Spark has in place of an integer."""
INTEGRAL = (BYTE, SHORT, INTEGER, LONG)
"""From the narrowest to the widest."""
INTEGRAL_NAMES = tuple(kind.name for kind in INTEGRAL)
MOMENTS = (DATE, TIMESTAMP, TIMESTAMP_NTZ)
MOST_DIGITS = 38
DIGITS_OF_LONG = 19
_UP_CAST = (*INTEGRAL, FLOAT, DOUBLE)
_PARQUET_INT32 = (BYTE, SHORT, INTEGER)
"""Types with one physical type in Parquet."""


def is_integral(kind: DataType) -> bool:
    """Whether `kind` is an integer of any width."""
    return kind in BITS


def is_number(kind: DataType) -> bool:
    """Whether `kind` is an integer, a decimal, a float or a double."""
    return kind in BITS or kind in (FLOAT, DOUBLE) or isinstance(kind, DecimalType)


def is_atomic(kind: DataType) -> bool:
    """Numbers, texts, times and truth values: what compares with its own kind, and has a text."""
    return is_number(kind) or kind in (STRING, BOOLEAN, *MOMENTS)


def fits(value: int, kind: DataType) -> bool:
    """Whether the integer type `kind` has the value."""
    limit: int = 2 ** (BITS[kind] - 1)
    return -limit <= value < limit


def as_decimal(kind: DataType, digits: int = 0) -> DecimalType | None:
    """The decimal that Spark has in place of an exact number, None for any other type.

    `digits` are those of a whole number that is written out, 0 for any other operand.
    """
    if isinstance(kind, DecimalType):
        return kind
    return DecimalType(digits or DIGITS[kind], 0) if kind in DIGITS else None


def contains_decimal(wide: DecimalType, narrow: DecimalType) -> bool:
    """Whether every value of `narrow` is one of `wide`."""
    return wide.scale >= narrow.scale and wide.precision - wide.scale >= narrow.precision - narrow.scale


def wider_number(left: DataType, right: DataType) -> DataType | None:
    """The type of two numbers in arithmetic that are no decimals; None where that depends on ANSI."""
    if is_integral(left) and is_integral(right):
        return max(left, right, key=BITS.__getitem__)
    if DOUBLE in (left, right):
        return DOUBLE
    # What FLOAT and a whole number give depends on ANSI.
    return FLOAT if left == right == FLOAT else None


def common_of_branches(kinds: Sequence[DataType]) -> DataType | None:
    """The type of a value that may be any of these: of CASE, COALESCE, IF, GREATEST. None where only Spark can tell.

    Unlike `common_of_values` it knows equal types of every shape, and no decimals beside other numbers.
    """
    typed = [kind for kind in kinds if kind != VOID]
    if not typed:
        return VOID if kinds else None
    result = typed[0]
    for kind in typed[1:]:
        wider = result if kind == result else _wider_plain(result, kind)
        if wider is None:
            return None
        result = wider
    return result


def _wider_plain(left: DataType, right: DataType) -> DataType | None:
    """The wider of two numbers, neither of them a decimal."""
    plain = all(is_number(kind) and not isinstance(kind, DecimalType) for kind in (left, right))
    return wider_number(left, right) if plain else None


def common_of_values(kinds: Collection[DataType]) -> DataType | None:
    """The type of a column of VALUES whose literals are of `kinds`. None where only Spark can tell.

    Unlike `common_of_branches` it knows decimals, which literals with a point are, and leaves floats to Spark.
    """
    distinct = set(kinds) - {VOID}
    if len(distinct) < 2:
        return distinct.pop() if distinct else VOID
    if not all(is_number(kind) for kind in distinct) or FLOAT in distinct:
        return None
    if DOUBLE in distinct:
        return DOUBLE
    if distinct <= set(INTEGRAL):
        return max(distinct, key=BITS.__getitem__)
    return _common_decimal([kind for kind in map(as_decimal, distinct) if kind is not None])


def _common_decimal(kinds: Sequence[DecimalType]) -> DecimalType | None:
    scale = max(kind.scale for kind in kinds)
    precision = max(kind.precision - kind.scale for kind in kinds) + scale
    return DecimalType(precision, scale) if precision <= MOST_DIGITS else None


def common_in_parquet(table: DataType, data: DataType) -> DataType | None:
    """The type that a column of the type `table` has for files with `data`, where no cast is meant; None for none.

    Integers that Parquet stores as INT32 have the widest of the two; else the types must be equal.
    """
    if data in (table, VOID) or without_collations(data) == without_collations(table):
        return table
    if table in _PARQUET_INT32 and data in _PARQUET_INT32:
        return max(table, data, key=BITS.__getitem__)
    return None


def can_cast(source: DataType, target: DataType) -> bool:
    """Whether CAST takes `source` to `target` with ANSI on and off: the widest of these rules. No value is looked at.

    Only what is certain: types with parts inside are left to Spark.
    """
    if not isinstance(target, (PrimitiveType, DecimalType)):
        return False
    if source in (VOID, target) or (source in MOMENTS and target in MOMENTS):
        return True
    truths = (BOOLEAN,)
    if (is_number(source) or source in truths) and (is_number(target) or target in truths):
        return True
    return (source == STRING and _has_text(target)) or (target == STRING and _has_text(source))


def _has_text(kind: DataType) -> bool:
    return is_atomic(kind) or kind == BINARY


def can_implicitly_cast(data: DataType, table: DataType) -> bool:
    """Whether Spark casts `data` to `table` by itself: its implicit casts of non-ANSI type coercion.

    Unlike `can_up_cast` these may lose digits, or fail: a text becomes any number, a number any other.
    """
    # A cast between collations changes no value.
    data, table = without_collations(data), without_collations(table)
    match data, table:
        case ArrayType(old), ArrayType(new):
            return can_implicitly_cast(old, new)
        case MapType(old_key, old_value), MapType(new_key, new_value):
            return can_implicitly_cast(old_key, new_key) and can_implicitly_cast(old_value, new_value)
        case _:
            return data == table or _casts_by_itself(data, table)


def _casts_by_itself(data: DataType, table: DataType) -> bool:
    if table in (VOID, VARIANT):
        return False
    if data == VOID or (is_number(data) and is_number(table)) or (data in MOMENTS and table in MOMENTS):
        return True
    if not all(isinstance(kind, (PrimitiveType, DecimalType)) for kind in (data, table)):
        return False
    return (data == STRING and table != BOOLEAN) or (table == STRING and data != VARIANT)


def can_up_cast(source: DataType, target: DataType) -> bool:
    """Whether every value of `source` is a value of `target`, as far as Spark is concerned.

    Spark's up-casts, the only ones of the STRICT store-assignment policy. Unlike `can_widen` they need not be read from
    files: a long becomes a float, and nearly everything a text.
    """
    source, target = without_collations(source), without_collations(target)
    if source in (VOID, target):
        return True
    if target == STRING:
        return isinstance(source, (PrimitiveType, DecimalType)) and source not in (BINARY, VARIANT)
    if isinstance(target, DecimalType):
        exact = as_decimal(source)
        return exact is not None and contains_decimal(target, exact)
    if source in _UP_CAST and target in _UP_CAST:
        return _UP_CAST.index(source) < _UP_CAST.index(target)
    return source in MOMENTS and target in (TIMESTAMP, TIMESTAMP_NTZ)


class Widening(Enum):
    """Which types may widen: in evolution `spark.databricks.delta.typeWidening.allowAutomaticWidening` says it."""

    NEVER = "NEVER"
    ICEBERG = "ICEBERG"
    """Those that Iceberg knows too: no value of the setting, but what a table that both read is held to."""
    SAME_FAMILY_TYPE = "SAME_FAMILY_TYPE"
    ALWAYS = "ALWAYS"


def can_widen(old: DataType, new: DataType, widening: Widening = Widening.ALWAYS) -> bool:
    """Whether files with values of `old` can be read as `new`; equal types are no widening.

    Source: Delta protocol, Type Widening. Unlike `can_up_cast` an integer needs ten digits of a decimal even if it is a
    byte, which is how Parquet stores it, and a long is no double.
    """
    if widening is Widening.NEVER or old == new:
        return False
    if widening is Widening.ICEBERG and not _iceberg_reads(old, new):
        return False
    return _same_family(old, new) or (widening is Widening.ALWAYS and _across_families(old, new))


def _iceberg_reads(old: DataType, new: DataType) -> bool:
    same_scale = not isinstance(old, DecimalType) or (isinstance(new, DecimalType) and old.scale == new.scale)
    return same_scale and new != TIMESTAMP_NTZ


def _same_family(old: DataType, new: DataType) -> bool:
    if is_integral(old) and is_integral(new):
        return BITS[old] < BITS[new]
    if isinstance(old, DecimalType) and isinstance(new, DecimalType):
        return contains_decimal(new, old)
    return (old, new) in ((FLOAT, DOUBLE), (DATE, TIMESTAMP_NTZ))


def _across_families(old: DataType, new: DataType) -> bool:
    if new == DOUBLE:
        return old in _PARQUET_INT32
    if isinstance(new, DecimalType) and is_integral(old):
        return new.precision - new.scale >= max(DIGITS[old], DIGITS[INTEGER])
    return False
