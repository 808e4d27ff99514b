"""Parser of predicates to conditions on columns for file skipping. Unsupported parts become UNKNOWN.

A term is the part of a predicate that is compared with a constant: a column, or a monotonic function of one column. For
a function f and a constant v, `f(c) op v` becomes a condition on c that is TRUE wherever the comparison is TRUE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Protocol, TypeAlias, Union

from deltasql.base import exp, tokenize
from deltasql.base import zone as session_zone
from deltasql.log.skipping.conditions import (
    ALWAYS,
    FLIPPED,
    INTEGRAL,
    NEGATED,
    NEVER,
    UNKNOWN,
    AllOf,
    AnyOf,
    BoundedColumn,
    Comparison,
    Condition,
    Like,
    NullTest,
    OneOf,
    compare,
    compare_constants,
    least,
)
from deltasql.schema import (
    TYPE_CHANGES,
    TYPE_KEY,
    DecimalType,
    StructField,
    StructType,
    collation_of,
    fields_at,
    physical_name,
)
from deltasql.sql import DAY, EXACT, NULL, Literal, days_of, is_plain, literal, micros_of, parse_expression

FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9999, 12, 31)


@dataclass(frozen=True, slots=True)
class Plain:
    """The column itself."""

    column: BoundedColumn

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        return compare(self.column, op, value, zone)


@dataclass(frozen=True, slots=True)
class Day:
    """The date of a column: TO_DATE(c), CAST(c AS DATE)."""

    column: BoundedColumn

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        days = days_of(value)
        if days is None:
            return UNKNOWN
        return _in_days(self.column, op, days, days + 1, zone)


@dataclass(frozen=True, slots=True)
class Year:
    """YEAR(c)"""

    column: BoundedColumn

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        if not isinstance(value.value, Decimal):
            return UNKNOWN
        first = int(value.value.to_integral_value(ROUND_CEILING, EXACT))
        after = int(value.value.to_integral_value(ROUND_FLOOR, EXACT)) + 1
        if not 1 <= first < after + 1 <= 10_000:
            return UNKNOWN
        start, end = (_day_number(date(year, 1, 1)) for year in (first, after))
        return _in_days(self.column, op, start, end, zone)


@dataclass(frozen=True, slots=True)
class DayText:
    """DATE_FORMAT(c, 'yyyy-MM-dd'), whose texts sort like the dates from year 1000 to 9998."""

    column: BoundedColumn

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        if value.kind != "string" or self.column.partition:
            return UNKNOWN
        inside = Day(self.column).compare(op, value, zone)
        if op == "=" or inside == UNKNOWN:
            return inside
        low, high = _day_number(date(1000, 1, 1)), _day_number(date(9999, 1, 1))
        return AnyOf(
            (inside, _in_days(self.column, "<", low, low, zone), _in_days(self.column, ">=", high, high, zone))
        )


@dataclass(frozen=True, slots=True)
class Truncated:
    """DATE_TRUNC(unit, c) of a timestamp, TRUNC(c, unit) of a date: at most c, and greater than c minus `days`."""

    column: BoundedColumn
    days: int

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        if self.column.partition or op == "<>":
            return UNKNOWN
        # One day more, as clocks that are set back repeat an hour, or in rare years a day.
        length = self.days if self.column.kind == "date" else (self.days + 1) * DAY
        low = compare(self.column, op if ">" in op else ">=", value, zone)
        if not isinstance(low, Comparison) or not isinstance(low.value, int):
            return UNKNOWN
        high = Comparison(self.column, "<", low.value + length)
        return {"=": AllOf((low, high))}.get(op, high if "<" in op else low)


@dataclass(frozen=True, slots=True)
class Prefix:
    """SUBSTRING(c, 1, length), LEFT(c, length)"""

    column: BoundedColumn
    length: int

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        if value.kind != "string":
            return UNKNOWN
        text = str(value.value)
        begins = Like(self.column, f"{text[: self.length]}%", negated=False)
        is_plain = not {"%", "_"} & set(text[: self.length])
        if op == "=":
            if len(text) != self.length:
                return compare(self.column, "=", value, zone) if len(text) < self.length else NEVER
            return begins if is_plain or not self.column.partition else UNKNOWN
        if self.column.partition or op == "<>":
            return UNKNOWN
        # The column is never less than its prefix.
        at_value = compare(self.column, op, value, zone)
        return at_value if ">" in op or (op == "<" and len(text) <= self.length) else AnyOf((at_value, begins))


@dataclass(frozen=True, slots=True)
class Shifted:
    """c + by, or by - c if `mirrored`, in integers of `bits` bits."""

    column: BoundedColumn
    by: int
    mirrored: bool
    bits: int

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        if not isinstance(value.value, Decimal):
            return UNKNOWN
        number = EXACT.subtract(self.by, value.value) if self.mirrored else EXACT.subtract(value.value, self.by)
        inside = compare(self.column, FLIPPED[op] if self.mirrored else op, Literal("number", number), zone)
        beyond = () if inside == UNKNOWN else self._overflows()
        # A condition on a partition column must be exact.
        return UNKNOWN if beyond and self.column.partition else AnyOf((inside, *beyond))

    def _overflows(self) -> tuple[Condition, ...]:
        """Conditions under which the sum overflows: it then fails or wraps around, depending on a setting."""
        last = 2 ** (self.bits - 1) - 1
        low, high = (self.by - last, self.by + last + 1) if self.mirrored else (-last - 1 - self.by, last - self.by)
        limit = 2 ** (8 * 2 ** INTEGRAL.index(self.column.kind) - 1)
        below = (Comparison(self.column, "<", low),) if low > -limit else ()
        above = (Comparison(self.column, ">", high),) if high < limit - 1 else ()
        return (*below, *above)


@dataclass(frozen=True, slots=True)
class Shift:
    """DATE_ADD(c, days) of a date."""

    column: BoundedColumn
    days: int

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        days = days_of(value)
        return UNKNOWN if days is None else Comparison(self.column, op, days - self.days)


@dataclass(frozen=True, slots=True)
class Filled:
    """COALESCE(c, fallback)"""

    column: BoundedColumn
    fallback: Literal

    def compare(self, op: str, value: Literal, zone: tzinfo | None) -> Condition:
        present, missing = compare(self.column, op, value, zone), compare_constants(self.fallback, op, value)
        if missing == UNKNOWN:
            return UNKNOWN
        return AnyOf((present, AllOf((NullTest(self.column, negated=False), missing))))


Term: TypeAlias = Union[Plain, Day, Year, DayText, Truncated, Prefix, Shifted, Shift, Filled]


def _in_days(column: BoundedColumn, op: str, start: int, end: int, zone: tzinfo | None) -> Condition:
    """Condition that the date of a column is `op` the range of days [start, end), taken as one value."""
    begin, next_ = _midnight(column, start, zone), _midnight(column, end, zone)
    if begin is None or next_ is None:
        return UNKNOWN
    (first, latest_first), (after, latest_after) = begin, next_
    # A condition on a partition column must be exact.
    if column.partition and (first != latest_first or after != latest_after):
        return UNKNOWN
    match op:
        case "=":
            if start >= end:
                return NEVER
            return AllOf((Comparison(column, ">=", first), Comparison(column, "<", latest_after)))
        case "<>":
            return AnyOf((Comparison(column, "<", latest_first), Comparison(column, ">=", after)))
        case ">=" | ">":
            return Comparison(column, ">=", first if op == ">=" else after)
    return Comparison(column, "<", latest_first if op == "<" else latest_after)


def _midnight(column: BoundedColumn, day: int, zone: tzinfo | None) -> tuple[int, int] | None:
    """The values of the column from which on its date may be, and certainly is, `day` or later.

    None for a column without dates, or without a time zone.
    """
    match column.kind:
        case "date":
            return day, day
        case "timestamp_ntz":
            return day * DAY, day * DAY
        case "timestamp" if zone is not None:
            return _local_midnight(day, zone)
    return None


def _local_midnight(day: int, zone: tzinfo) -> tuple[int, int] | None:
    if not _day_number(FIRST_DAY) + 3 < day < _day_number(LAST_DAY) - 3:
        return None
    midnight = datetime.combine(date(1970, 1, 1) + timedelta(days=day), time())
    around = {(midnight + timedelta(hours=hours)).replace(tzinfo=zone).utcoffset() for hours in range(-48, 49, 6)}
    instant = micros_of(midnight.replace(tzinfo=zone).astimezone(timezone.utc))
    # Where clocks are put back near midnight, a day can begin twice.
    return (instant, instant) if len(around) == 1 else (instant - 2 * DAY, instant + 2 * DAY)


def _day_number(day: date) -> int:
    return (day - date(1970, 1, 1)).days


class TermReader(Protocol):
    """Resolves parts of a predicate to columns, constants and terms."""

    def column(self, node: exp.Expression) -> BoundedColumn | None:
        """The column that `node` refers to; None for any other expression."""

    def literal(self, node: exp.Expression) -> Literal | None:
        """The value of a constant; None for any other expression."""

    def term(self, node: exp.Expression) -> Term | None:
        """The term of a column, or of a supported function of one; None for any other expression."""


def _argument(reader: TermReader, node: exp.Expression, *kinds: str) -> BoundedColumn | None:
    column = reader.column(node)
    return column if column is not None and column.kind in kinds else None


def _day(reader: TermReader, node: exp.Expression) -> Term | None:
    if isinstance(node, exp.Cast) and str(node.to.this.value) != "DATE":
        return None
    column = _argument(reader, node.this, "date", "timestamp", "timestamp_ntz") if is_plain(node) else None
    return None if column is None else Day(column)


def _year(reader: TermReader, node: exp.Expression) -> Term | None:
    day = reader.term(node.this)
    match day:
        case Day(column) | Plain(column) if column.kind in {"date", "timestamp", "timestamp_ntz"}:
            return Year(column)
    return None


def _day_text(reader: TermReader, node: exp.Expression) -> Term | None:
    # sqlglot's names for yyyy-MM-dd.
    if node.args["format"].name != "%Y-%mstrict-%dstrict":
        return None
    column = _argument(reader, node.this.this, "date", "timestamp", "timestamp_ntz")
    return None if column is None else DayText(column)


_UNITS = {"YEAR": 366, "YYYY": 366, "YY": 366, "QUARTER": 92, "MONTH": 31, "MM": 31, "MON": 31, "WEEK": 7}


def _truncated(reader: TermReader, node: exp.Expression) -> Term | None:
    is_date = isinstance(node, exp.DateTrunc)
    days = (_UNITS if is_date else _UNITS | dict.fromkeys(("DAY", "DD", "HOUR", "MINUTE", "SECOND"), 1)).get(
        node.args["unit"].name.upper()
    )
    column = _argument(reader, node.this, "date" if is_date else "timestamp")
    return None if column is None or days is None else Truncated(column, days)


def _prefix(reader: TermReader, node: exp.Expression) -> Term | None:
    is_left = isinstance(node, exp.Left)
    start = None if is_left else node.args.get("start")
    length = reader.literal(node.expression if is_left else node.args.get("length") or exp.Null())
    column = _argument(reader, node.this, "string")
    begins = is_left or (start is not None and reader.literal(start) == Literal("number", Decimal(1)))
    if column is None or not begins or length is None or not isinstance(length.value, Decimal):
        return None
    is_whole = length.value == length.value.to_integral_value()
    return Prefix(column, int(length.value)) if is_whole and length.value >= 1 else None


def _sum(reader: TermReader, node: exp.Expression) -> Term | None:
    left, right = reader.column(node.this), reader.column(node.expression)
    column, other = (left, node.expression) if left is not None else (right, node.this)
    # A cast would change the type of the sum, and so where it overflows.
    is_constant = isinstance(other, exp.Literal) and re.fullmatch(r"\d{1,18}", str(other.this)) and not other.is_string
    if column is None or not is_constant or column.kind not in INTEGRAL:
        return None
    number, is_difference = int(other.this), isinstance(node, exp.Sub)
    bits = 64 if column.kind == "long" or number >= 2**31 else 32
    mirrored = is_difference and left is None
    return Shifted(column, -number if is_difference and not mirrored else number, mirrored, bits)


def _shift(reader: TermReader, node: exp.Expression) -> Term | None:
    column, amount = _argument(reader, node.this, "date"), node.expression
    sign = 1
    if isinstance(amount, exp.Mul) and isinstance(amount.expression, exp.Neg):
        # DATE_SUB is the sum with days * -1.
        amount, sign = amount.this, -1 if amount.expression.this.name == "1" else 0
    days = reader.literal(amount)
    is_days = node.args.get("unit") is None or node.args["unit"].name.upper() == "DAY"
    if column is None or days is None or not isinstance(days.value, Decimal) or not is_days or sign == 0:
        return None
    is_small = days.value == days.value.to_integral_value() and abs(days.value) < 1_000_000
    return Shift(column, sign * int(days.value)) if is_small else None


def _filled(reader: TermReader, node: exp.Expression) -> Term | None:
    column, fallbacks = reader.column(node.this), [reader.literal(item) for item in node.expressions]
    if column is None or len(fallbacks) != 1 or fallbacks[0] is None or fallbacks[0] == NULL:
        return None
    return Filled(column, fallbacks[0])


FUNCTIONS: dict[str, Callable[[TermReader, exp.Expression], Term | None]] = {
    "TsOrDsToDate": _day,
    "Cast": _day,
    "Year": _year,
    "TimeToStr": _day_text,
    "TimestampTrunc": _truncated,
    "DateTrunc": _truncated,
    "Substring": _prefix,
    "Left": _prefix,
    "Add": _sum,
    "Sub": _sum,
    "TsOrDsAdd": _shift,
    "Coalesce": _filled,
}


_CASTS = {"TINYINT": 0, "SMALLINT": 1, "INT": 2, "BIGINT": 3}


def condition(
    predicate: str,
    schema: StructType,
    partition_columns: Sequence[str],
    alias: str | None = None,
    timezone: str | None = None,
) -> Condition:
    """The condition for `predicate`. Column names are matched without case, and may be qualified by `alias`.

    `timezone` is the session's; without it, timestamps without a zone are UNKNOWN.
    """
    tree = parse_expression(predicate)
    if tree is None:
        return UNKNOWN
    # sqlglot and Spark differ in escapes, and which literals held one cannot be seen in the tree.
    has_escape = any(token.kind == "string" and "\\" in token.text for token in tokenize(predicate))
    zone = None if timezone is None else session_zone(timezone)
    partitions = {name.lower() for name in partition_columns}
    return _Reader(schema, partitions, alias, zone, has_escape).condition(tree, negated=False)


def find_column(parts: tuple[str, ...], schema: StructType, partition_columns: Sequence[str]) -> BoundedColumn | None:
    """The column of an unqualified name; None if there is none, or if its values need special comparison rules."""
    return _Reader(schema, {name.lower() for name in partition_columns}, None, None, has_escape=False).walk(parts)


@dataclass(frozen=True, slots=True)
class _Reader:
    schema: StructType
    partitions: set[str]
    alias: str | None
    zone: tzinfo | None
    has_escape: bool

    def condition(self, node: exp.Expression, negated: bool) -> Condition:
        """The condition under which `node` is TRUE, or FALSE if `negated`."""
        if not is_plain(node):
            return UNKNOWN
        match node:
            case exp.Paren():
                return self.condition(node.this, negated)
            case exp.Not():
                return self.condition(node.this, not negated)
            case exp.And() | exp.Or():
                # Chains of thousands, as programs write them, are no deep trees of ours.
                parts = tuple(self.condition(side, negated) for side in node.flatten(unnest=False))
                return AllOf(parts) if isinstance(node, exp.And) != negated else AnyOf(parts)
            case exp.Boolean():
                return ALWAYS if bool(node.this) != negated else NEVER
            case exp.Null():
                return NEVER
        # sqlglot has NOT LIKE as an option of LIKE.
        return self.leaf(node, negated != bool(node.args.get("negate")))

    def leaf(self, node: exp.Expression, negated: bool) -> Condition:
        match node:
            case exp.Column() | exp.Dot():
                return self.flag(node, negated)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
                op = _OPS[type(node).__name__]
                return self.comparison(node, NEGATED[op] if negated else op)
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                return self.null_safe(node, isinstance(node, exp.NullSafeNEQ) != negated)
            case exp.Is():
                return self.is_test(node, negated)
            case exp.In():
                return self.one_of(node, negated)
            case exp.Between():
                return self.between(node, negated)
            case exp.Like() | exp.StartsWith():
                return self.like(node, negated)
            case exp.Anonymous():
                return self.null_function(node, negated)
        return UNKNOWN

    def null_function(self, node: exp.Expression, negated: bool) -> Condition:
        """ISNULL(c), ISNOTNULL(c)"""
        name = str(node.this).lower()
        column = self.column(node.expressions[0]) if len(node.expressions) == 1 else None
        if column is None or name not in {"isnull", "isnotnull"}:
            return UNKNOWN
        return NullTest(column, (name == "isnotnull") != negated)

    def flag(self, node: exp.Expression, negated: bool) -> Condition:
        column = self.column(node)
        is_boolean = column is not None and column.kind == "boolean"
        return Comparison(column, "=", not negated) if column is not None and is_boolean else UNKNOWN

    def comparison(self, node: exp.Expression, op: str) -> Condition:
        left, right = self.literal(node.this), self.literal(node.expression)
        if NULL in {left, right}:
            return NEVER
        if left is not None and right is not None:
            return compare_constants(left, op, right)
        if right is not None:
            return self.compared(node.this, op, right)
        return self.recent(node, op) if left is None else self.compared(node.expression, FLIPPED[op], left)

    def compared(self, node: exp.Expression, op: str, value: Literal) -> Condition:
        """The condition for `node op value`."""
        if value == TRUE and is_predicate(node):
            # A comparison is TRUE where (p) = TRUE is.
            return self.condition(node, negated=op == "<>") if op in {"=", "<>"} else UNKNOWN
        term = self.term(node)
        return UNKNOWN if term is None else term.compare(op, value, self.zone)

    def recent(self, node: exp.Expression, op: str) -> Condition:
        """The condition for a comparison with the current time, by its lower bound until the query runs."""
        for one, other, direction in ((node.this, node.expression, op), (node.expression, node.this, FLIPPED[op])):
            term, value = self.term(one), least(other, self.zone)
            if term is not None and value is not None and direction in {"=", ">", ">="}:
                return AllOf((term.compare(">=", value, self.zone), UNKNOWN))
        return UNKNOWN

    def null_safe(self, node: exp.Expression, negated: bool) -> Condition:
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            column, value = self.column(one), self.literal(other)
            if column is None or value is None:
                continue
            if value == NULL:
                return NullTest(column, negated)
            if not negated:
                return compare(column, "=", value, self.zone)
            return AnyOf((NullTest(column, negated=False), compare(column, "<>", value, self.zone)))
        return UNKNOWN

    def is_test(self, node: exp.Expression, negated: bool) -> Condition:
        if isinstance(node.expression, exp.Boolean) and is_predicate(node.this):
            # IS NOT TRUE is TRUE for NULL as well, which conditions do not cover.
            return UNKNOWN if negated else self.condition(node.this, negated=not node.expression.this)
        column, value = self.column(node.this), self.literal(node.expression)
        if column is None or value is None:
            return UNKNOWN
        if value == NULL:
            return NullTest(column, negated)
        if value.kind != "bool" or column.kind != "boolean":
            return UNKNOWN
        if not negated:
            return Comparison(column, "=", value.value)
        return AnyOf((NullTest(column, negated=False), Comparison(column, "<>", value.value)))

    def one_of(self, node: exp.Expression, negated: bool) -> Condition:
        term = self.term(node.this)
        values = [self.literal(item) for item in node.expressions]
        if term is None or not values:
            return UNKNOWN
        if negated and NULL in values:
            return NEVER
        parts = [
            UNKNOWN if value is None else term.compare("<>" if negated else "=", value, self.zone)
            for value in values
            if value != NULL
        ]
        if isinstance(term, Plain):
            return _joined(term.column, parts, negated)
        return AllOf(tuple(parts)) if negated else AnyOf(tuple(parts))

    def between(self, node: exp.Expression, negated: bool) -> Condition:
        term = self.term(node.this)
        low, high = self.literal(node.args["low"]), self.literal(node.args["high"])
        if term is None:
            return UNKNOWN
        parts = tuple(
            UNKNOWN if value is None else term.compare(NEGATED[op] if negated else op, value, self.zone)
            for op, value in ((">=", low), ("<=", high))
        )
        return AnyOf(parts) if negated else AllOf(parts)

    def like(self, node: exp.Expression, negated: bool) -> Condition:
        column, value = self.column(node.this), self.literal(node.expression)
        if column is None or value is None or column.kind != "string":
            return UNKNOWN
        if value == NULL:
            return NEVER
        text = str(value.value)
        if value.kind != "string" or (isinstance(node, exp.StartsWith) and re.search("[%_]", text)):
            return UNKNOWN
        return Like(column, f"{text}%" if isinstance(node, exp.StartsWith) else text, negated)

    def literal(self, node: exp.Expression) -> Literal | None:
        value = literal(node, self.zone)
        is_safe = value is None or not self.has_escape or value.kind in {"null", "bool", "number", "double", "float"}
        return value if is_safe else None

    def term(self, node: exp.Expression) -> Term | None:
        """The term of a column, or of a supported function of one; None for any other expression."""
        if isinstance(node, exp.Paren):
            return self.term(node.this)
        column = self.column(node)
        if column is not None:
            return Plain(column)
        read = FUNCTIONS.get(type(node).__name__)
        return read(self, node) if read is not None else None

    def column(self, node: exp.Expression) -> BoundedColumn | None:
        """The column that `node` refers to, through casts that keep all values; None for any other expression."""
        if isinstance(node, exp.Paren):
            return self.column(node.this)
        if type(node) is exp.Cast:
            column = self.column(node.this)
            return column if column is not None and is_plain(node) and _preserves_values(column, node.to) else None
        parts = _parts(node)
        return None if parts is None else self.resolve(parts)

    def resolve(self, parts: tuple[str, ...]) -> BoundedColumn | None:
        qualified = self.alias is not None and len(parts) > 1 and parts[0].lower() == self.alias.lower()
        return (self.walk(parts[1:]) if qualified else None) or self.walk(parts)

    def walk(self, parts: tuple[str, ...]) -> BoundedColumn | None:
        fields = fields_at(self.schema, parts)
        if not fields:
            return None
        # Values of such columns compare by other rules than those of their bytes.
        if collation_of(fields[-1].type) is not None or _is_char(fields[-1]) or _was_float(fields[-1]):
            return None
        name = fields[0].name
        path = tuple(physical_name(item) for item in fields)
        return BoundedColumn(path, fields[-1].type, name if name.lower() in self.partitions else None)


_OPS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}


def _is_char(item: StructField) -> bool:
    return str(item.metadata.get(TYPE_KEY, "")).lower().startswith("char")


def _was_float(item: StructField) -> bool:
    # Old files hold singles: 0.1 in their statistics is 0.10000000149011612 as a double.
    return any(change.get("fromType") == "float" for change in item.metadata.get(TYPE_CHANGES, ()))


def _parts(node: exp.Expression) -> tuple[str, ...] | None:
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        below = _parts(node.this)
        return None if below is None else (*below, node.expression.name)
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        return tuple(part.name for part in node.parts)
    return None


def _joined(column: BoundedColumn, parts: list[Condition], negated: bool) -> Condition:
    """The conditions of an IN list combined: one OneOf for plain comparisons, and the other parts.

    A list without usable values becomes NEVER or IS NOT NULL.
    """
    plain = tuple(part.value for part in parts if isinstance(part, Comparison) and part.op in {"=", "<>"})
    others = [part for part in parts if not isinstance(part, Comparison)]
    lists: list[Condition] = [OneOf(column, plain, negated)] if plain else []
    return AllOf((*lists, *others)) if negated else AnyOf((*lists, *others))


TRUE = Literal("bool", value=True)


def is_predicate(node: exp.Expression) -> bool:
    """Whether `node` is a comparison or a logical combination of comparisons, also in brackets."""
    if isinstance(node, exp.Paren):
        return is_predicate(node.this)
    return isinstance(node, (exp.Predicate, exp.Connector, exp.Not))


def _preserves_values(column: BoundedColumn, target: exp.DataType) -> bool:
    """Whether a cast of the column preserves all values, so that it changes no comparison."""
    name = str(target.this.value)
    if column.kind in INTEGRAL:
        return INTEGRAL.index(column.kind) <= _CASTS.get(name, -1)
    if isinstance(column.type, DecimalType):
        precision, scale = [int(item.name) for item in target.expressions] if len(target.expressions) == 2 else (0, 0)
        whole = column.type.precision - column.type.scale
        return name == "DECIMAL" and scale >= column.type.scale and precision - scale >= whole
    return (column.kind, name) in {("date", "DATE"), ("string", "TEXT"), ("float", "DOUBLE"), ("double", "DOUBLE")}
