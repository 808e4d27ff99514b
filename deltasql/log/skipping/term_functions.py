"""Conversion of functions of one column in a predicate to terms; None for an unsupported function."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Protocol

from deltasql.base.lazy import exp
from deltasql.log.skipping.conditions import INTEGRAL, BoundedColumn
from deltasql.log.skipping.monotonic_terms import (
    Day,
    DayText,
    Filled,
    Plain,
    Prefix,
    Shift,
    Shifted,
    Term,
    Truncated,
    Year,
)
from deltasql.sql.literals import NULL, Literal, is_plain


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
