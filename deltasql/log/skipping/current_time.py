"""Lower bounds of CURRENT_DATE, NOW() and of days added to or subtracted from them."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from decimal import Decimal

from deltasql.base.lazy import exp
from deltasql.sql.constants import DAY, interval_days, micros_of
from deltasql.sql.literals import Literal, literal

_MOST_DAYS = 100_000


def least(node: exp.Expression, zone: tzinfo | None) -> Literal | None:
    """A lower bound of `node` for a query that is planned now and runs later; None if it does not depend on the clock.

    It has a margin of one day for clock skew between machines, and for days of 23 hours.
    """
    now = micros_of(datetime.now(timezone.utc)) - DAY
    match node:
        case exp.Paren():
            return least(node.this, zone)
        case exp.CurrentDate():
            # The date in the session's time zone; in any other it differs by at most one day.
            local = datetime.now(zone or timezone.utc).replace(tzinfo=timezone.utc)
            return Literal("date", (micros_of(local) - DAY) // DAY)
        case exp.CurrentTimestamp():
            return Literal("timestamp", now)
        case exp.Add() | exp.Sub() | exp.TsOrDsAdd():
            start, days = least(node.this, zone), _days(node.expression)
            if start is None or days is None or _other_unit(node):
                return None
            days = -days if isinstance(node, exp.Sub) else days
            assert isinstance(start.value, int)
            return Literal(start.kind, start.value + days * (1 if start.kind == "date" else DAY))
    return None


def _other_unit(node: exp.Expression) -> bool:
    unit = node.args.get("unit")
    return unit is not None and unit.name.upper() != "DAY"


def _days(node: exp.Expression) -> int | None:
    """The number of days in n, INTERVAL n DAYS, or n * -1 (sqlglot's form of DATE_SUB); None for anything else."""
    match node:
        case exp.Interval(this=exp.Expression(), args={"unit": exp.Expression() as unit}):
            days = interval_days(node.this.name, unit.name)
        case exp.Mul():
            days, sign = _days(node.this), literal(node.expression, None)
            days = -days if days is not None and sign == Literal("number", Decimal(-1)) else None
        case exp.Paren():
            days = _days(node.this)
        case _:
            days = _whole(literal(node, None))
    return days if days is not None and abs(days) < _MOST_DAYS else None


def _whole(constant: Literal | None) -> int | None:
    number = None if constant is None else constant.value
    return int(number) if isinstance(number, Decimal) and number == number.to_integral_value() else None
