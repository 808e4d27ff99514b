"""Errors about rows that violate a constraint, from an engine's message or from in-process evaluation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.errors.statements.insert import ReplaceWhereMismatchError
from deltasql.base.errors.write import (
    CheckViolationError,
    ExceedLengthError,
    NotNullViolationError,
    PartitionValueError,
)
from deltasql.plan import marks
from deltasql.plan.operators import Constraint


class ViolatedError(LeftToEngineError):
    """A row violates `constraint`. `row` has its values of the columns that the error shows, as JSON has them."""

    def __init__(self, constraint: Constraint, row: Mapping[str, Any]) -> None:
        super().__init__("a row violates a constraint")
        self.constraint = constraint
        self.row = row


def violation_error(constraint: Constraint, row: Mapping[str, Any] | str, table: str) -> DeltaSqlError:
    """The error for a row of `table` that violates a constraint; `row` maps columns to values, or is a text instead."""
    name, condition = constraint.name, constraint.condition
    values = row if isinstance(row, str) else _values(row, condition)
    if name == marks.REPLACE_WHERE:
        return ReplaceWhereMismatchError(predicate=condition, values=values)
    if name.startswith(marks.PARTITION_NAME):
        return PartitionValueError(column=name.removeprefix(marks.PARTITION_NAME), table=table)
    if name.startswith(marks.LENGTH):
        column, _, limit = name.removeprefix(marks.LENGTH).rpartition("|")
        return ExceedLengthError(column=column, limit=int(limit), values=values)
    if constraint.column:
        return NotNullViolationError(column=constraint.column, table=table)
    # All generated columns share one name in Delta.
    name = marks.GENERATED.strip() if name.startswith(marks.GENERATED) else name
    return CheckViolationError(constraint=name, expression=f"({condition})", values=values)


def shown_columns(columns: Iterable[str], condition: str) -> list[str]:
    """The columns that a condition mentions, whose values its error shows; all columns if it mentions none."""
    words = {word.lower() for word in re.findall(r"\w+", condition)}
    names = list(columns)
    return [name for name in names if name.lower() in words] or names


def _values(row: Mapping[str, Any], condition: str) -> str:
    """The row's values for the columns that the condition mentions, sorted by name."""
    shown = sorted(shown_columns(row, condition))
    return ", ".join(f"{name} = {json.dumps(row[name], ensure_ascii=False)}" for name in shown)
