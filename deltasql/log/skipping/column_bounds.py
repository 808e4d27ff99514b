"""Column bounds from the statistics of many files at once, and conditions on data columns that they decide.

Source: Delta protocol, Per-file Statistics.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from deltasql.base import np, pa, pc
from deltasql.log.actions.action_fields import parsed_object, read_objects
from deltasql.log.skipping.conditions import INTEGRAL, BoundedColumn, Comparison, Leaf, Like, NullTest, OneOf, Unknown
from deltasql.log.skipping.partition_conditions import combined
from deltasql.schema import DecimalType
from deltasql.sql import EXACT, Value, clock_time, date_days, moment, single

if TYPE_CHECKING:
    from deltasql.log.skipping.partition_conditions import FileMask


_CHUNK = 65_536
_RECORDS, _TIGHT = ("numRecords",), ("tightBounds",)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of one column, as arrays with one value per file; null if unknown.

    `low` ≤ each value ≤ `high`; `nulls` and `rows` are counts. Dates are days, timestamps microseconds, decimals have
    38 digits; `high` is null where a float may be NaN.
    """

    low: pa.ChunkedArray
    high: pa.ChunkedArray
    nulls: pa.ChunkedArray
    rows: pa.ChunkedArray


def read_bounds(stats: pa.ChunkedArray, columns: Sequence[BoundedColumn]) -> dict[BoundedColumn, Bounds]:
    """Bounds of `columns` from statistics as JSON; null where they are missing or violate the protocol."""
    chunks = list(_chunks(stats))
    if len(chunks) > 1:
        # Arrow's reader runs outside the interpreter's lock.
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            parts = list(threads.map(lambda chunk: parse_statistics(chunk, columns), chunks))
    else:
        parts = [parse_statistics(stats.cast(pa.string()).combine_chunks(), columns)]
    return bounds_of(columns, [pa.chunked_array(pieces) for pieces in zip(*parts, strict=True)])


def statistics_of(column: BoundedColumn) -> list[tuple[str, ...]]:
    """Paths of the fields in a file's statistics that give the bounds of a column."""
    edges = ("minValues", "maxValues") if _field(column) is not None else ()
    return [_RECORDS, *(_path(name, column) for name in (*edges, "nullCount"))]


def parse_statistics(stats: pa.Array, columns: Sequence[BoundedColumn]) -> list[pa.StructArray]:
    """For each column an array of structs (low, high, nulls, rows), from JSON text or from structs of a checkpoint."""
    fields: dict[tuple[str, ...], _Field] = {}
    for column in columns:
        field = _field(column)
        for path in statistics_of(column):
            fields[path] = field if field is not None and path[0] in {"minValues", "maxValues"} else _COUNT
    arrays = _read(stats, fields) if pa.types.is_string(stats.type) else _read_typed(stats, fields)
    return [_bounds_struct(column, arrays, len(stats)) for column in columns]


@dataclass(frozen=True, slots=True)
class Fact:
    """A selection of unadjusted statistics: of a column, or of the file if `column` is None.

    `with_tight` also selects `tightBounds` of the file.
    """

    column: BoundedColumn | None
    with_tight: bool = False


def fields_of(fact: Fact) -> list[tuple[str, ...]]:
    """Paths of the fields in a file's statistics that a Fact selects."""
    if fact.column is not None:
        return statistics_of(fact.column)[1:]
    return [_RECORDS, _TIGHT] if fact.with_tight else [_RECORDS]


def parse_facts(stats: pa.Array, facts: Sequence[Fact]) -> list[pa.StructArray]:
    """For each fact an array of structs, from JSON text or structs: (low, high, nulls) of a column, (rows, tight) of a
    file.
    """
    fields: dict[tuple[str, ...], _Field] = {}
    for fact in facts:
        field = None if fact.column is None else _field(fact.column)
        for path in fields_of(fact):
            fields[path] = (
                field
                if field is not None and path[0] in {"minValues", "maxValues"}
                else _FLAG
                if path == _TIGHT
                else _COUNT
            )
    arrays = _read(stats, fields) if not _is_struct(stats) else _read_typed(stats, fields)
    return [_fact_struct(fact, arrays, len(stats)) for fact in facts]


def _is_struct(stats: pa.Array) -> bool:
    return bool(pa.types.is_struct(stats.type))


def _fact_struct(fact: Fact, arrays: Mapping[tuple[str, ...], pa.Array], length: int) -> pa.StructArray:
    unknown = pa.nulls(length)
    if fact.column is None:
        fields = {"rows": arrays[_RECORDS], "tight": arrays.get(_TIGHT, pa.nulls(length, pa.bool_()))}
    else:
        low, high = (arrays.get(_path(name, fact.column), unknown) for name in ("minValues", "maxValues"))
        fields = {"low": low, "high": high, "nulls": arrays[_path("nullCount", fact.column)]}
    kind = [pa.field(name, values.type) for name, values in fields.items()]
    return pa.StructArray.from_arrays(list(fields.values()), fields=kind)


def _bounds_struct(column: BoundedColumn, arrays: Mapping[tuple[str, ...], pa.Array], length: int) -> pa.StructArray:
    unknown = pa.nulls(length)
    fields = {
        "low": _moved(column, arrays.get(_path("minValues", column), unknown), -1),
        "high": _widened(column, arrays.get(_path("maxValues", column), unknown)),
        "nulls": arrays[_path("nullCount", column)],
        "rows": arrays[_RECORDS],
    }
    kind = [pa.field(name, values.type) for name, values in fields.items()]
    return pa.StructArray.from_arrays(list(fields.values()), fields=kind)


def bounds_of(columns: Sequence[BoundedColumn], statistics: Sequence[pa.ChunkedArray]) -> dict[BoundedColumn, Bounds]:
    """Bounds by column, from the structs of `parse_statistics`."""
    names = ("low", "high", "nulls", "rows")
    return {
        column: Bounds(*(pc.struct_field(structs, [name]) for name in names))
        for column, structs in zip(columns, statistics, strict=True)
    }


def _path(statistic: str, column: BoundedColumn) -> tuple[str, ...]:
    return (statistic, *column.path)


def _chunks(stats: pa.ChunkedArray) -> Iterable[pa.Array]:
    for chunk in stats.cast(pa.string()).chunks:
        for start in range(0, len(chunk), _CHUNK):
            yield chunk.slice(start, _CHUNK)


_FEWEST_ROUNDED, _MOST_ROUNDED = 15, 17
"""A DOUBLE has any decimal number of 15 digits, and its text has at most 17."""
_ROUNDING = Decimal(2.0**-51)
"""Twice the largest relative error of a DOUBLE: that of the number itself, and that of its text."""
_LIMITS_OF_LONG = frozenset({Decimal(-(2**63)), Decimal(2**63 - 1)})


def _moved(column: BoundedColumn, bounds: pa.Array, sign: int) -> pa.Array:
    """Bounds of a DECIMAL column moved up (1) or down (-1) by as much as a DOUBLE may have been rounded.

    Other writers may have rounded them: delta-rs writes DECIMAL as DOUBLE or LONG. Bounds of few digits, and of more
    than a DOUBLE has, are exact and stay. A limit of LONG is no bound, for it stands for numbers beyond it. Null beyond
    38 digits; bounds of other types stay.
    """
    is_decimal = isinstance(column.type, DecimalType) and column.type.precision > _FEWEST_ROUNDED
    if not is_decimal or not pa.types.is_decimal(bounds.type):
        return bounds
    scale = bounds.type.scale
    units = pc.multiply(pc.abs(bounds.cast(pa.float64())), 10.0**scale)
    doubtful = pc.fill_null(pc.greater_equal(units, 10.0**_FEWEST_ROUNDED), fill_value=False)
    if not pc.any(doubtful).as_py():
        return bounds
    moved = [_outward(bound, scale, sign) for bound in bounds.filter(doubtful).to_pylist()]
    return pc.replace_with_mask(bounds, doubtful, pa.array(moved, bounds.type))


def _outward(bound: Decimal, scale: int, sign: int) -> Decimal | None:
    if bound in _LIMITS_OF_LONG:
        return None
    if len(bound.normalize(EXACT).as_tuple().digits) > _MOST_ROUNDED:
        return bound
    units = int(bound.copy_abs().scaleb(scale, EXACT) * _ROUNDING) + 1
    moved = EXACT.add(bound, Decimal(sign * units).scaleb(-scale, EXACT))
    return moved if moved.adjusted() < 38 - scale else None


def _widened(column: BoundedColumn, high: pa.Array) -> pa.Array:
    from deltasql.schema import integers

    if column.kind not in {"timestamp", "timestamp_ntz"}:
        return _moved(column, high, 1)
    # The log truncates timestamps to milliseconds.
    # A truncated lower bound still holds. Near the end of int64 the sum would wrap around to a low upper bound, which
    # drops the file.
    last, millisecond = integers([2**63 - 1 - 1000, 1000])
    return pc.add(pc.min_element_wise(high, last, skip_nulls=False), millisecond)


@dataclass(frozen=True, slots=True)
class _Field:
    """Conversions of one field of the statistics: `json` is its type for Arrow's JSON reader, `arrow` the final type.

    `convert` converts an array of the JSON reader and raises ArrowInvalid for an invalid value; `scalar` converts one
    value of Python's JSON reader, an invalid one to None. `typed` converts an array of a checkpoint's struct column.
    """

    json: Callable[[], pa.DataType]
    arrow: Callable[[], pa.DataType]
    convert: Callable[[pa.Array], pa.Array]
    scalar: Callable[[Any], Any]
    typed: Callable[[pa.Array], pa.Array]


def _read(stats: pa.Array, fields: Mapping[tuple[str, ...], _Field]) -> dict[tuple[str, ...], pa.Array]:
    if stats.null_count == len(stats):
        return {path: pa.nulls(len(stats), field.arrow()) for path, field in fields.items()}
    try:
        table = read_objects(stats, _struct(fields))
        return {path: field.convert(_nested(table, path)) for path, field in fields.items()}
    except pa.ArrowInvalid:
        # One invalid value fails Arrow's reader for the whole chunk; this reader loses no other value by it.
        return _read_by_python(stats, fields)


def _struct(by_path: Mapping[tuple[str, ...], _Field]) -> list[pa.Field]:
    names = dict.fromkeys(path[0] for path in by_path)
    fields = []
    for name in names:
        below = {path[1:]: field for path, field in by_path.items() if path[0] == name}
        leaf = below.pop((), None)
        if (leaf is None) == (not below):
            raise pa.ArrowInvalid("a field is a value and a struct")
        fields.append(pa.field(name, leaf.json() if leaf is not None else pa.struct(_struct(below))))
    return fields


def _nested(table: pa.Table, path: tuple[str, ...]) -> pa.Array:
    values = table[path[0]]
    values = pc.struct_field(values, list(path[1:])) if len(path) > 1 else values
    return values.combine_chunks()


def _read_by_python(stats: pa.Array, fields: Mapping[tuple[str, ...], _Field]) -> dict[tuple[str, ...], pa.Array]:
    rows = [None if text is None else parsed_object(text) for text in stats.to_pylist()]
    return {
        path: pa.array([_scalar(row, path, field) for row in rows], field.arrow()) for path, field in fields.items()
    }


def _read_typed(stats: pa.StructArray, fields: Mapping[tuple[str, ...], _Field]) -> dict[tuple[str, ...], pa.Array]:
    return {path: _typed(stats, path, field) for path, field in fields.items()}


def _typed(stats: pa.StructArray, path: tuple[str, ...], field: _Field) -> pa.Array:
    values = stats
    for name in path:
        index = values.type.get_field_index(name) if pa.types.is_struct(values.type) else -1
        if index < 0:
            return pa.nulls(len(stats), field.arrow())
        # Not .field, which ignores that a parent struct is null.
        values = pc.struct_field(values, [index])
    try:
        return field.typed(values)
    except pa.ArrowException:
        # A column of another type when the checkpoint was written.
        return pa.nulls(len(stats), field.arrow())


def _scalar(row: Any, path: Sequence[str], field: _Field) -> Any:
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    # In Python `true` is an int, and would pass for the bound 1.
    return None if row is None or isinstance(row, bool) != (field is _FLAG) else field.scalar(row)


# Fields by type of column


def _same(values: pa.Array) -> pa.Array:
    return values


def _integer(value: Any) -> int | None:
    is_whole = isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())
    return int(value) if is_whole and -(2**63) <= value < 2**63 else None


_ROUNDED = 2**53
"""From here on, and below its negative, a DOUBLE lacks whole numbers."""


def _exact_integer(value: Any) -> int | None:
    """A whole number; None for one that another writer may have rounded to a DOUBLE, as its text has an exponent."""
    return None if isinstance(value, Decimal) and abs(value) >= _ROUNDED else _integer(value)


def _exact_integers(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        is_exact = pc.less(pc.abs(values), float(_ROUNDED))
        values = pc.if_else(is_exact, values, pa.nulls(1, values.type)[0])
    return _integers(values)


def _int64() -> pa.DataType:
    return pa.int64()


def _string() -> pa.DataType:
    return pa.string()


def _float64() -> pa.DataType:
    return pa.float64()


def _to_single(values: pa.Array) -> pa.Array:
    return _numbers(values.cast(pa.float32(), safe=False))


def _double(value: Any) -> float | None:
    if isinstance(value, str):
        return {"Infinity": float("inf"), "-Infinity": float("-inf")}.get(value)
    return float(value) if isinstance(value, (int, Decimal)) else None


def _single(value: Any) -> float | None:
    rounded = _double(value)
    try:
        return None if rounded is None else single(rounded)
    except OverflowError:
        return None


def _integers(values: pa.Array) -> pa.Array:
    return values.cast(pa.int64())


def _numbers(values: pa.Array) -> pa.Array:
    """Doubles, with null for NaN, which is no usable bound."""
    # Every comparison with a NaN bound is false, which would drop the file; null stands for an unknown bound.
    values = values.cast(pa.float64())
    return pc.if_else(pc.is_nan(values), pa.nulls(1, pa.float64())[0], values)


def _texts(values: pa.Array) -> pa.Array:
    return values.cast(pa.string()) if pa.types.is_string(values.type) else pa.nulls(len(values), pa.string())


def _microseconds(values: pa.Array) -> pa.Array:
    zone = values.type.tz if pa.types.is_timestamp(values.type) else None
    return values.cast(pa.timestamp("us", zone)).cast(pa.int64())


def _to_days(values: pa.Array) -> pa.Array:
    return values.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())


def _to_moment(values: pa.Array) -> pa.Array:
    return values.cast(pa.timestamp("us", "UTC")).cast(pa.int64())


def _to_clock_time(values: pa.Array) -> pa.Array:
    return values.cast(pa.timestamp("us")).cast(pa.int64())


def _bool() -> pa.DataType:
    return pa.bool_()


def _flags(values: pa.Array) -> pa.Array:
    return values.cast(pa.bool_())


_COUNT = _Field(_int64, _int64, _same, _integer, _integers)
_FLAG = _Field(_bool, _bool, _same, lambda value: value, _flags)


def _of_text(read: Callable[[str], int | None]) -> Callable[[Any], int | None]:
    return lambda value: read(value) if isinstance(value, str) else None


_FIELDS = {
    **dict.fromkeys(INTEGRAL, _Field(_int64, _int64, _same, _exact_integer, _exact_integers)),
    "double": _Field(_float64, _float64, _numbers, _double, _numbers),
    "float": _Field(_float64, _float64, _to_single, _single, _numbers),
    "string": _Field(_string, _string, _same, lambda value: value if isinstance(value, str) else None, _texts),
    "date": _Field(_string, _int64, _to_days, _of_text(date_days), _to_days),
    "timestamp": _Field(_string, _int64, _to_moment, _of_text(lambda text: moment(text, None)), _microseconds),
    "timestamp_ntz": _Field(_string, _int64, _to_clock_time, _of_text(clock_time), _microseconds),
}


def _field(column: BoundedColumn) -> _Field | None:
    if isinstance(column.type, DecimalType):
        return _decimal_field(column.type.scale)
    return _FIELDS.get(column.kind)


def _decimal_field(scale: int) -> _Field:
    def scalar(value: Any) -> Decimal | None:
        if not isinstance(value, (int, Decimal)):
            return None
        number = Decimal(value)
        digits = number.as_tuple()
        fits = isinstance(digits.exponent, int) and -digits.exponent <= scale and number.adjusted() < 38 - scale
        return number if fits else None

    kind = pa.decimal128(38, scale)
    return _Field(lambda: kind, lambda: kind, _same, scalar, lambda values: values.cast(kind))


_FEW = 16


def may_match(leaf: Leaf, bounds: Bounds, *, ignores_nan: bool = True) -> FileMask:
    """Files of which the bounds do not rule out a row for which `leaf` is TRUE.

    `ignores_nan`: upper bounds of floats may leave out NaN, the greatest value.
    """
    from deltasql.schema import ZERO

    if isinstance(leaf, NullTest) and not leaf.negated:
        return true_if_null(pc.greater(bounds.nulls, ZERO))
    # A comparison is TRUE for no NULL, so a file with NULLs alone is dropped by its counts. Both include deleted rows,
    # which may keep a file too many and never drops one.
    has_values = true_if_null(pc.less(bounds.nulls, bounds.rows))
    if isinstance(leaf, NullTest) or pa.types.is_null(bounds.low.type):
        return has_values
    in_bounds: FileMask
    match leaf:
        case Comparison() if ignores_nan and depends_on_nan(leaf):
            in_bounds = True
        case Comparison():
            in_bounds = _compared(leaf.column, leaf.op, leaf.value, bounds)
        case OneOf():
            in_bounds = _one_of(leaf, bounds)
        case Like():
            in_bounds = _like(leaf, bounds)
    return combined(True, [has_values, in_bounds])


def depends_on_nan(leaf: Leaf | Unknown) -> bool:
    """Whether `leaf` is TRUE for NaN."""
    # This includes <>. For < the lower bound decides, which no NaN lowers; NOT IN looks at no bounds of floats.
    return isinstance(leaf, Comparison) and ">" in leaf.op and leaf.column.kind in {"float", "double"}


def true_if_null(mask: pa.ChunkedArray) -> pa.ChunkedArray:
    from deltasql.schema import TRUE

    # An unknown bound rules nothing out: with null as false the file would be lost.
    return pc.fill_null(mask, TRUE)


def constants(values: Sequence[Value], kind: pa.DataType) -> pa.Array:
    """Values of a predicate as they compare with bounds of this type."""
    from deltasql.schema import strings

    texts = [format(value, "f") if isinstance(value, Decimal) else str(value) for value in values]
    return strings(texts).cast(kind)


def _compared(column: BoundedColumn, op: str, value: Value, bounds: Bounds) -> FileMask:
    constant = constants([value], bounds.low.type)[0]
    match op:
        case "=":
            below, above = pc.less_equal(bounds.low, constant), pc.greater_equal(bounds.high, constant)
            return pc.and_(true_if_null(below), true_if_null(above))
        case "<" | "<=":
            return true_if_null((pc.less if op == "<" else pc.less_equal)(bounds.low, constant))
        case ">" | ">=":
            return true_if_null((pc.greater if op == ">" else pc.greater_equal)(bounds.high, constant))
    return _unequal(column, [value], bounds)


def _unequal(column: BoundedColumn, values: Sequence[Value], bounds: Bounds) -> FileMask:
    """Drops files in which every row has one and the same of `values`."""
    # Bounds of floats hide NaN, those of timestamps are cut, and a long string may stand for others.
    exact = [value for value in values if not isinstance(value, str) or len(value) < 32]
    if column.kind not in {*INTEGRAL, "decimal", "date", "string"} or not exact:
        return True
    # NULLs beside the one value do not matter, as <> is not TRUE for them. Rounded bounds of decimals were moved apart,
    # so that they are never equal here.
    is_constant = pc.equal(bounds.low, bounds.high)
    is_listed = pc.is_in(bounds.low, options=pc.SetLookupOptions(constants(exact, bounds.low.type)))
    return true_if_null(pc.invert(pc.and_(is_constant, is_listed)))


def _one_of(leaf: OneOf, bounds: Bounds) -> FileMask:
    """Files whose range holds one of the values."""
    from deltasql.schema import flags

    if leaf.negated:
        return _unequal(leaf.column, leaf.values, bounds)
    if len(leaf.values) <= _FEW:
        return combined(False, [_compared(leaf.column, "=", value, bounds) for value in leaf.values])
    values = sorted(set(leaf.values))
    if pa.types.is_integer(bounds.low.type):
        low, high = (pc.fill_null(edge, value) for edge, value in ((bounds.low, -(2**63)), (bounds.high, 2**63 - 1)))
        numbers = np.array(values, np.int64)
        first = np.searchsorted(numbers, low.to_numpy(), "left")
        last = np.searchsorted(numbers, high.to_numpy(), "right")
        return pa.chunked_array([pa.array(first < last)])
    ranges = zip(bounds.low.to_pylist(), bounds.high.to_pylist(), strict=True)
    return flags([_range_contains(low, high, values) for low, high in ranges])


def _range_contains(low: Any, high: Any, values: Sequence[Any]) -> bool:
    first = 0 if low is None else bisect_left(values, low)
    return first < len(values) and (high is None or values[first] <= high)


def _like(leaf: Like, bounds: Bounds) -> FileMask:
    """Files whose range holds a string that begins as the pattern does."""
    prefix = leaf.prefix
    if leaf.negated or not prefix:
        return True
    if prefix == leaf.pattern:
        return _compared(leaf.column, "=", prefix, bounds)
    constant = constants([prefix], bounds.low.type)[0]
    # The lower bound 'mango' is greater than the prefix 'm' and yet matches 'm%', so only as much of it is compared.
    # No match is less than the prefix, so the upper bound is compared as a whole.
    below = pc.less_equal(pc.utf8_slice_codeunits(bounds.low, 0, len(prefix)), constant)
    return pc.and_(true_if_null(below), true_if_null(pc.greater_equal(bounds.high, constant)))
