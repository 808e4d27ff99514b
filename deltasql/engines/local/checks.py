"""Constraints of written rows, checked in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import np, pa
from deltasql.engines.local.values import rows_of, true_mask
from deltasql.engines.violations import ViolatedError, shown_columns
from deltasql.plan.operators import Constraint
from deltasql.schema.types import StructType
from deltasql.sql.evaluated.expressions import RowExpression, RowScope, row_condition

_MOST_ROWS = 100
"""So many violating rows are compared, to see whether they give one error."""


@dataclass(frozen=True, eq=False, slots=True)
class RowCheck:
    """A constraint of written rows, and its compiled condition over their columns."""

    constraint: Constraint
    condition: RowExpression


def row_checks(constraints: Iterable[Constraint], columns: StructType) -> list[RowCheck]:
    """The checks of rows with `columns`. Raises LeftToEngineError where one may differ from the engine's."""
    scope = RowScope({"": columns})
    return [RowCheck(constraint, row_condition(constraint.condition, scope)) for constraint in constraints]


def require_satisfied(checks: Sequence[RowCheck], table: pa.Table, *, in_order: bool = False) -> None:
    """Raises ViolatedError for rows that violate one of `checks`: for the first of them if rows are written `in_order`.

    Raises LeftToEngineError where several errors are possible, or the error shows a value that JSON may spell otherwise
    than Spark does: the engine then chooses, and shows it.
    """
    rows = rows_of("", table)
    before = np.zeros(rows.count, dtype=bool)
    errors = dict[tuple[int, str], ViolatedError]()
    for check in checks:
        # A row is reported for the first constraint that it violates.
        broken = ~true_mask(check.condition, rows) & ~before
        before |= broken
        indexes = np.flatnonzero(broken)
        if len(indexes) > _MOST_ROWS and check.constraint.column is None:
            raise LeftToEngineError("many rows violate a constraint")
        for index in indexes if check.constraint.column is None else indexes[:1]:
            error = ViolatedError(check.constraint, _shown(check.constraint, table, int(index)))
            errors.setdefault((int(index) if in_order else 0, f"{error.constraint.name} {error.row}"), error)
    if len(errors) > 1 and not in_order:
        raise LeftToEngineError("rows violate constraints in several ways")
    if errors:
        raise errors[min(errors)]


def _shown(constraint: Constraint, table: pa.Table, index: int) -> dict[str, Any]:
    """The values of a row that the error of a constraint shows, as JSON has them. Raises LeftToEngineError."""
    if constraint.column is not None:
        return {}
    names = [name for name in table.column_names if name.lower() not in constraint.masked]
    return {name: _as_json(table.column(name)[index]) for name in shown_columns(names, constraint.condition)}


def _as_json(scalar: pa.Scalar) -> Any:
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError):
        # Dates that Python has not.
        raise LeftToEngineError("a row violates a constraint") from None
    if type(value) is date:
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise LeftToEngineError("a row violates a constraint")
