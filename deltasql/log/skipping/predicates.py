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
    later,
    least_now,
)
from deltasql.schema import (
    TYPE_CHANGES,
    TYPE_KEY,
    DataType,
    DecimalType,
    PrimitiveType,
    StructField,
    StructType,
    collation_of,
    fields_at,
    physical_name,
    types,
)
from deltasql.sql import (
    DAY,
    EXACT,
    NULL,
    Binary,
    Brackets,
    CallNode,
    CastTo,
    ColumnNode,
    ComparisonNode,
    Extract,
    IntervalNode,
    IsWord,
    Literal,
    Logic,
    Member,
    Node,
    Not,
    Written,
    condition_tree,
    days_of,
    interval_days,
    literal,
    micros_of,
)

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

    def column(self, node: Node) -> BoundedColumn | None:
        """The column that `node` refers to; None for any other expression."""

    def literal(self, node: Node) -> Literal | None:
        """The value of a constant; None for any other expression."""

    def term(self, node: Node) -> Term | None:
        """The term of a column, or of a supported function of one; None for any other expression."""


def _argument(reader: TermReader, node: Node, *kinds: str) -> BoundedColumn | None:
    column = reader.column(node)
    return column if column is not None and column.kind in kinds else None


def _text(reader: TermReader, node: Node) -> str:
    """The text of a constant, in capitals; "" for any other expression."""
    constant = reader.literal(node)
    return str(constant.value).upper() if constant is not None and constant.kind == "string" else ""


def _whole(reader: TermReader, node: Node) -> int | None:
    """The number of a constant without a fraction; None for any other expression."""
    constant = reader.literal(node)
    if constant is None or not isinstance(constant.value, Decimal):
        return None
    return int(constant.value) if constant.value == constant.value.to_integral_value() else None


def _day(reader: TermReader, value: Node) -> Term | None:
    column = _argument(reader, value, "date", "timestamp", "timestamp_ntz")
    return None if column is None else Day(column)


def _year(reader: TermReader, value: Node) -> Term | None:
    day = reader.term(value)
    match day:
        case Day(column) | Plain(column) if column.kind in {"date", "timestamp", "timestamp_ntz"}:
            return Year(column)
    return None


def _day_text(reader: TermReader, value: Node, written: Node) -> Term | None:
    constant = reader.literal(written)
    if constant is None or constant.value != "yyyy-MM-dd":
        return None
    column = _argument(reader, value, "date", "timestamp", "timestamp_ntz")
    return None if column is None else DayText(column)


_UNITS = {"YEAR": 366, "YYYY": 366, "YY": 366, "QUARTER": 92, "MONTH": 31, "MM": 31, "MON": 31, "WEEK": 7}
_TIME_UNITS = _UNITS | dict.fromkeys(("DAY", "DD", "HOUR", "MINUTE", "SECOND"), 1)


def _truncated(reader: TermReader, value: Node, unit: Node) -> Term | None:
    """TRUNC(value, unit)"""
    column, days = _argument(reader, value, "date"), _UNITS.get(_text(reader, unit))
    return None if column is None or days is None else Truncated(column, days)


def _truncated_time(reader: TermReader, unit: Node, value: Node) -> Term | None:
    """DATE_TRUNC(unit, value)"""
    column, days = _argument(reader, value, "timestamp"), _TIME_UNITS.get(_text(reader, unit))
    return None if column is None or days is None else Truncated(column, days)


def _left(reader: TermReader, value: Node, length: Node) -> Term | None:
    column, number = _argument(reader, value, "string"), _whole(reader, length)
    return None if column is None or number is None or number < 1 else Prefix(column, number)


def _prefix(reader: TermReader, value: Node, start: Node, length: Node) -> Term | None:
    """SUBSTRING(value, start, length)"""
    return _left(reader, value, length) if _whole(reader, start) == 1 else None


def _sum(reader: TermReader, node: Binary) -> Term | None:
    left, right = reader.column(node.left), reader.column(node.right)
    column, other = (left, node.right) if left is not None else (right, node.left)
    # A cast would change the type of the sum, and so where it overflows.
    is_constant = isinstance(other, Written) and re.fullmatch(r"\d{1,18}", other.tokens[0].text)
    if column is None or not is_constant or column.kind not in INTEGRAL:
        return None
    assert isinstance(other, Written)
    number, is_difference = int(other.tokens[0].text), node.operator == "-"
    bits = 64 if column.kind == "long" or number >= 2**31 else 32
    mirrored = is_difference and left is None
    return Shifted(column, -number if is_difference and not mirrored else number, mirrored, bits)


def _later(reader: TermReader, value: Node, days: Node) -> Term | None:
    """DATE_ADD(value, days)"""
    column, number = _argument(reader, value, "date"), _whole(reader, days)
    return None if column is None or number is None or abs(number) >= 1_000_000 else Shift(column, number)


def _earlier(reader: TermReader, value: Node, days: Node) -> Term | None:
    """DATE_SUB(value, days)"""
    later = _later(reader, value, days)
    return Shift(later.column, -later.days) if isinstance(later, Shift) else None


def _filled(reader: TermReader, value: Node, fallback: Node) -> Term | None:
    column, constant = reader.column(value), reader.literal(fallback)
    return None if column is None or constant is None or constant == NULL else Filled(column, constant)


FUNCTIONS: dict[tuple[str, int], Callable[..., Term | None]] = {
    ("date", 1): _day,
    ("to_date", 1): _day,
    ("year", 1): _year,
    ("date_format", 2): _day_text,
    ("date_trunc", 2): _truncated_time,
    ("trunc", 2): _truncated,
    ("substring", 3): _prefix,
    ("substr", 3): _prefix,
    ("left", 2): _left,
    ("date_add", 2): _later,
    ("dateadd", 2): _later,
    ("date_sub", 2): _earlier,
    ("coalesce", 2): _filled,
    ("ifnull", 2): _filled,
    ("nvl", 2): _filled,
}
"""Functions with a term, by name and number of arguments, which come after the reader."""


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
    zone = None if timezone is None else session_zone(timezone)
    partitions = {name.lower() for name in partition_columns}
    try:
        return _Reader(schema, partitions, alias, zone).condition(condition_tree(predicate), negated=False)
    except RecursionError:
        # Brackets are too deep.
        return UNKNOWN


def find_column(parts: tuple[str, ...], schema: StructType, partition_columns: Sequence[str]) -> BoundedColumn | None:
    """The column of an unqualified name; None if there is none, or if its values need special comparison rules."""
    return _Reader(schema, {name.lower() for name in partition_columns}, None, None).walk(parts)


@dataclass(frozen=True, slots=True)
class _Reader:
    schema: StructType
    partitions: set[str]
    alias: str | None
    zone: tzinfo | None

    def condition(self, node: Node, negated: bool) -> Condition:
        """The condition under which `node` is TRUE, or FALSE if `negated`."""
        match node:
            case Brackets(value):
                return self.condition(value, negated)
            case Not(value):
                return self.condition(value, not negated)
            case Logic(operator, parts):
                sides = tuple(self.condition(side, negated) for side in parts)
                return AllOf(sides) if (operator == "AND") != negated else AnyOf(sides)
            case ComparisonNode("<=>", left, right):
                return self.null_safe(left, right, negated)
            case ComparisonNode(op, left, right):
                return self.comparison(left, NEGATED[op] if negated else op, right)
            case IsWord(value, word, denied):
                return self.is_test(value, word, denied != negated)
            case Member(value, word, others, denied):
                return self.member(value, word, others, denied != negated)
            case Written():
                return self.constant(node, negated)
            case ColumnNode():
                return self.flag(node, negated)
            case CallNode():
                return self.called(node, negated)
            case _:
                return UNKNOWN

    def constant(self, node: Node, negated: bool) -> Condition:
        value = self.literal(node)
        if value == NULL:
            return NEVER
        if value is None or value.kind != "bool":
            return UNKNOWN
        return ALWAYS if value.value != negated else NEVER

    def called(self, node: CallNode, negated: bool) -> Condition:
        """ISNULL(c), ISNOTNULL(c), STARTSWITH(c, text)"""
        match node:
            case CallNode(arguments=(value,)) if node.name in {"isnull", "isnotnull"}:
                column = self.column(value)
                return UNKNOWN if column is None else NullTest(column, (node.name == "isnotnull") != negated)
            case CallNode(arguments=(value, begin)) if node.name == "startswith":
                text = self.literal(begin)
                is_pattern = text is not None and text.kind == "string" and re.search("[%_]", str(text.value))
                return UNKNOWN if is_pattern else self.like(value, text, negated, "%")
        return UNKNOWN

    def member(self, value: Node, word: str, others: tuple[Node, ...], negated: bool) -> Condition:
        match word:
            case "IN":
                return self.one_of(value, others, negated)
            case "BETWEEN":
                return self.between(value, others[0], others[1], negated)
            case "LIKE":
                return self.like(value, self.literal(others[0]), negated)
        return UNKNOWN

    def flag(self, node: Node, negated: bool) -> Condition:
        column = self.column(node)
        is_boolean = column is not None and column.kind == "boolean"
        return Comparison(column, "=", not negated) if column is not None and is_boolean else UNKNOWN

    def comparison(self, left: Node, op: str, right: Node) -> Condition:
        one, other = self.literal(left), self.literal(right)
        if NULL in {one, other}:
            return NEVER
        if one is not None and other is not None:
            return compare_constants(one, op, other)
        if other is not None:
            return self.compared(left, op, other)
        return self.recent(left, op, right) if one is None else self.compared(right, FLIPPED[op], one)

    def compared(self, node: Node, op: str, value: Literal) -> Condition:
        """The condition for `node op value`."""
        if value == TRUE and is_predicate(node):
            # A comparison is TRUE where (p) = TRUE is.
            return self.condition(node, negated=op == "<>") if op in {"=", "<>"} else UNKNOWN
        term = self.term(node)
        return UNKNOWN if term is None else term.compare(op, value, self.zone)

    def recent(self, left: Node, op: str, right: Node) -> Condition:
        """The condition for a comparison with the current time, by its lower bound until the query runs."""
        for one, other, direction in ((left, right, op), (right, left, FLIPPED[op])):
            term, value = self.term(one), self.least(other)
            if term is not None and value is not None and direction in {"=", ">", ">="}:
                return AllOf((term.compare(">=", value, self.zone), UNKNOWN))
        return UNKNOWN

    def null_safe(self, left: Node, right: Node, negated: bool) -> Condition:
        for one, other in ((left, right), (right, left)):
            column, value = self.column(one), self.literal(other)
            if column is None or value is None:
                continue
            if value == NULL:
                return NullTest(column, negated)
            if not negated:
                return compare(column, "=", value, self.zone)
            return AnyOf((NullTest(column, negated=False), compare(column, "<>", value, self.zone)))
        return UNKNOWN

    def is_test(self, value: Node, word: str, negated: bool) -> Condition:
        if word != "NULL" and is_predicate(value):
            # IS NOT TRUE is TRUE for NULL as well, which conditions do not cover.
            return UNKNOWN if negated else self.condition(value, negated=word == "FALSE")
        column = self.column(value)
        if column is None:
            return UNKNOWN
        if word == "NULL":
            return NullTest(column, negated)
        if column.kind != "boolean":
            return UNKNOWN
        if not negated:
            return Comparison(column, "=", word == "TRUE")
        return AnyOf((NullTest(column, negated=False), Comparison(column, "<>", word == "TRUE")))

    def one_of(self, value: Node, items: tuple[Node, ...], negated: bool) -> Condition:
        term = self.term(value)
        values = [*map(self.literal, items)]
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

    def between(self, value: Node, low: Node, high: Node, negated: bool) -> Condition:
        term = self.term(value)
        if term is None:
            return UNKNOWN
        parts = tuple(
            UNKNOWN if bound is None else term.compare(NEGATED[op] if negated else op, bound, self.zone)
            for op, bound in ((">=", self.literal(low)), ("<=", self.literal(high)))
        )
        return AnyOf(parts) if negated else AllOf(parts)

    def like(self, node: Node, pattern: Literal | None, negated: bool, end: str = "") -> Condition:
        column = self.column(node)
        if column is None or pattern is None or column.kind != "string":
            return UNKNOWN
        if pattern == NULL:
            return NEVER
        return Like(column, f"{pattern.value}{end}", negated) if pattern.kind == "string" else UNKNOWN

    def literal(self, node: Node) -> Literal | None:
        return literal(node, self.zone)

    def least(self, node: Node) -> Literal | None:
        """A lower bound of a time, for a query that is planned now and runs later; None for what has no clock."""
        match node:
            case Brackets(value):
                return self.least(value)
            case CallNode(arguments=()) | ColumnNode((_,)) if self.column(node) is None:
                name = node.name if isinstance(node, CallNode) else node.names[0].lower()
                return least_now(name, self.zone)
            case Binary("+" | "-" as sign, value, days):
                return later(self.least(value), _days(self, days), -1 if sign == "-" else 1)
            case CallNode(arguments=(value, days)) if node.name in {"date_add", "dateadd", "date_sub"}:
                return later(self.least(value), _days(self, days), -1 if node.name == "date_sub" else 1)
        return None

    def term(self, node: Node) -> Term | None:
        """The term of a column, or of a supported function of one; None for any other expression."""
        column = self.column(node)
        if column is not None:
            return Plain(column)
        match node:
            case Brackets(value):
                return self.term(value)
            case CastTo(value, types.DATE):
                return _day(self, value)
            case Extract("YEAR", value):
                return _year(self, value)
            case Binary("+" | "-"):
                return _sum(self, node)
            case CallNode() if not node.distinct:
                read = FUNCTIONS.get((node.name, len(node.arguments)))
                return None if read is None else read(self, *node.arguments)
        return None

    def column(self, node: Node) -> BoundedColumn | None:
        """The column that `node` refers to, through casts that keep all values; None for any other expression."""
        match node:
            case Brackets(value):
                return self.column(value)
            case CastTo(value, kind):
                column = self.column(value)
                return column if column is not None and _preserves_values(column, kind) else None
            case ColumnNode():
                return self.resolve(node.names)
        return None

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


def _is_char(item: StructField) -> bool:
    return str(item.metadata.get(TYPE_KEY, "")).lower().startswith("char")


def _was_float(item: StructField) -> bool:
    # Old files hold singles: 0.1 in their statistics is 0.10000000149011612 as a double.
    return any(change.get("fromType") == "float" for change in item.metadata.get(TYPE_CHANGES, ()))


def _days(reader: TermReader, node: Node) -> int | None:
    """The number of days in n, or INTERVAL n DAYS; None for anything else."""
    match node:
        case IntervalNode(amount, unit):
            return interval_days(amount, unit)
        case Brackets(value):
            return _days(reader, value)
    return _whole(reader, node)


def _joined(column: BoundedColumn, parts: list[Condition], negated: bool) -> Condition:
    """The conditions of an IN list combined: one OneOf for plain comparisons, and the other parts.

    A list without usable values becomes NEVER or IS NOT NULL.
    """
    plain = tuple(part.value for part in parts if isinstance(part, Comparison) and part.op in {"=", "<>"})
    others = [part for part in parts if not isinstance(part, Comparison)]
    lists: list[Condition] = [OneOf(column, plain, negated)] if plain else []
    return AllOf((*lists, *others)) if negated else AnyOf((*lists, *others))


TRUE = Literal("bool", value=True)


def is_predicate(node: Node) -> bool:
    """Whether `node` is a comparison or a logical combination of comparisons, also in brackets."""
    if isinstance(node, Brackets):
        return is_predicate(node.value)
    return isinstance(node, ComparisonNode | IsWord | Member | Logic | Not)


def _preserves_values(column: BoundedColumn, target: DataType) -> bool:
    """Whether a cast of the column preserves all values, so that it changes no comparison."""
    if column.kind in INTEGRAL:
        kind = target.name if isinstance(target, PrimitiveType) else ""
        return kind in INTEGRAL and INTEGRAL.index(column.kind) <= INTEGRAL.index(kind)
    if isinstance(column.type, DecimalType) and isinstance(target, DecimalType):
        whole = column.type.precision - column.type.scale
        return target.scale >= column.type.scale and target.precision - target.scale >= whole
    same = {("date", types.DATE), ("string", types.STRING), ("float", types.DOUBLE), ("double", types.DOUBLE)}
    return (column.kind, target) in same
