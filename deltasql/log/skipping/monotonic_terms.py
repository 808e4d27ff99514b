"""Terms that a predicate compares with constants: a column, or a monotonic function of one column.

For a function f and a constant v, `f(c) op v` becomes a condition on c that is TRUE wherever the comparison is TRUE.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TypeAlias, Union

from deltasql.log.skipping.comparisons import FLIPPED, compare, compare_constants
from deltasql.log.skipping.conditions import (
    INTEGRAL,
    NEVER,
    UNKNOWN,
    AllOf,
    AnyOf,
    BoundedColumn,
    Comparison,
    Condition,
    Like,
    NullTest,
)
from deltasql.sql.constants import DAY, EXACT, micros_of
from deltasql.sql.literals import Literal, days_of

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
