"""Translation of Spark's errors for a written row to typed errors that name its column or constraint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.column_values import IdentityOverflowError
from deltasql.base.errors.statements.insert import ReplaceViolationError
from deltasql.base.errors.write import (
    CheckViolationError,
    InsertOverflowError,
    InvalidInputError,
    NoCastError,
    NotNullViolationError,
    WriteOverflowError,
)
from deltasql.engines.violations import violation_error
from deltasql.plan import marks
from deltasql.plan.operators import Constraint, Operator, Project, Rewrite, children

# Raised for a row; a plan that Spark prints contains the marks as well, but no row after them.
_VIOLATION = re.compile(re.escape(marks.VIOLATION) + r"([^|]*)\|([^|]*)\|([^|]*)\|(\{.*\})")
_OVERFLOW = re.compile(re.escape(marks.IDENTITY_OVERFLOW) + r"([^|]*)\|")
_CAST = re.compile(re.escape(marks.CAST) + r"([^|]*)\|([^|]*)\|([a-z][^|]*)\|(.*?)(?: SQLSTATE: P0001|$)", re.MULTILINE)


_RULES = (CheckViolationError, NotNullViolationError)


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Context of a write for its error messages: table, SQL of each column's value, and kind of statement.

    Without `insert` and `merge` the statement is UPDATE or DELETE.
    """

    table: str
    values: tuple[tuple[str, str], ...] = ()
    insert: bool = False
    merge: bool = False
    replacing: str | None = None
    """The clause REPLACE USING or REPLACE ON of an INSERT."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of Spark: condition, SQLSTATE, text, message parameters, and the SQL fragments that it quotes."""

    condition: str
    state: str
    text: str
    parameters: Mapping[str, str]
    fragments: tuple[str, ...] = ()


def rewrite_context(operator: Rewrite, table: str, *, merge: bool, insert: bool) -> WriteContext:
    """The error context of a rewrite; `merge` and `insert` select the statement, otherwise UPDATE or DELETE."""
    lookup = None if operator.join is None else operator.join.lookup
    replacing = None if lookup is None else lookup.clause
    return WriteContext(table, assigned_sql(operator), insert=insert, merge=merge, replacing=replacing)


def assigned_sql(operator: Operator) -> tuple[tuple[str, str], ...]:
    """Pairs of column name and SQL of its value, for all values that `operator` and its inputs compute."""
    assigned: list[tuple[str, str]] = []
    if isinstance(operator, Project):
        assigned += operator.columns
    elif isinstance(operator, Rewrite):
        for action in operator.actions:
            assigned += zip(operator.output.names, action.values, strict=False)
    return (*assigned, *(item for child in children(operator) for item in assigned_sql(child)))


def marked_error(failure: Failure, write: WriteContext | None, sql: str) -> DeltaSqlError | None:
    """The error encoded by a mark (see `plan.marks`) in Spark's message; None if there is none."""
    table = "the table" if write is None else write.table
    violation = _VIOLATION.search(failure.text)
    if violation is not None:
        error = _violation(violation, table)
        if write is None or write.replacing is None or not isinstance(error, _RULES):
            return error
        return ReplaceViolationError(clause=write.replacing, violation=error.message)
    overflow = _OVERFLOW.search(failure.text)
    if overflow is not None:
        return IdentityOverflowError(unquote(overflow[1]))
    unfit = _CAST.search(failure.text)
    if unfit is None:
        return None
    column, target, source, value = unquote(unfit[1]), unquote(unfit[2]), unfit[3].upper(), unfit[4]
    if source == "STRING":
        value = f"'{value}'"
        return InvalidInputError(f"column {column}", table, source, target, value).at(_written(None, value, sql))
    kind = InsertOverflowError if write is None or write.insert else WriteOverflowError
    return kind(f"column {column}", table, source, target, value).at(_written(None, value, sql))


def cast_error(failure: Failure, write: WriteContext, sql: str) -> DeltaSqlError | None:
    """The error for a value that cannot be cast to its column's type; None for a failed cast in the user's SQL."""
    if not failure.condition.startswith(_FAILED_CASTS):
        return None
    overflow = failure.condition.startswith(_OVERFLOWS)
    values = failure.parameters
    # For a decimal, Spark reports precision and scale instead of types.
    target = values.get("targetType", f"DECIMAL({values.get('precision')},{values.get('scale')})").strip('"')
    fragment = failure.fragments[0] if failure.fragments else None
    if fragment is not None and fragment in sql:
        return None
    columns = _columns(write.values, fragment or f" AS {target})")
    if not columns:
        return None
    column = f"column {' or '.join(columns)}"
    if failure.condition.startswith(_NO_CAST):
        return _no_cast(column, write.table, target, values).at(_written(fragment, "", sql))
    source = values.get("sourceType", "DECIMAL").strip('"')
    value = values.get("expression", values.get("value", ""))
    kind = InvalidInputError if not overflow else InsertOverflowError if write.insert else WriteOverflowError
    error = kind(column, write.table, source, target, value)
    return error.at(_written(fragment, value, sql))


_OVERFLOWS = ("CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")
_NO_CAST = "DATATYPE_MISMATCH.CAST_"
_FAILED_CASTS = (*_OVERFLOWS, _NO_CAST, "CAST_INVALID_INPUT")
"""Prefixes of Spark's conditions for failed casts."""


def _no_cast(column: str, table: str, target: str, values: Mapping[str, str]) -> NoCastError:
    functions = values.get("functionNames", "").replace("`", "")
    advice = f"Convert it: {functions}." if functions else "Convert it yourself."
    return NoCastError(column, table, values.get("srcType", "").strip('"'), target, advice)


def _columns(values: Iterable[tuple[str, str]], text: str) -> list[str]:
    """The columns whose values are computed with `text`, each once."""
    folded = _folded(text)
    # NULL is of any type, and always fits.
    null = f"cast(null{folded}"
    return list(dict.fromkeys(name for name, sql in values if folded in _folded(sql).replace(null, "")))


def _folded(sql: str) -> str:
    return sql.replace(" ", "").lower()


def _written(fragment: str | None, value: str, sql: str) -> Caret | None:
    """The position in `sql` of the expression that was cast, or of the literal `value` if it occurs exactly once."""
    inner = fragment[len("CAST(") : fragment.rfind(" AS ")] if fragment and fragment.startswith("CAST(") else ""
    for text in (inner, value):
        matches = list(re.finditer(rf"(?<![\w`.']){re.escape(text)}(?![\w`.'])", sql)) if text else []
        if len(matches) == 1:
            return Caret(sql, matches[0].start(), matches[0].end())
    return None


def _violation(match: re.Match[str], table: str) -> DeltaSqlError:
    name, condition, column = (unquote(match[number]) for number in (1, 2, 3))
    try:
        row = json.loads(match[4])
    except ValueError:
        row = match[4]
    return violation_error(Constraint(name, condition, column or None), row, table)
