"""Refusals about columns that get their values by themselves: defaults, generated columns, identity columns."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION",
    "42623",
    "The default of {column} holds a sub-query: {expression}. A default is a constant.",
)
class DefaultSubqueryError(DeltaSqlError):
    column: str
    expression: str


@condition(
    "INVALID_DEFAULT_VALUE.NOT_CONSTANT",
    "42623",
    "The default of {column} is not a constant: {expression}. It may call functions, as in current_date(), but not "
    "look at columns or at other rows; a column computed from others is one GENERATED ALWAYS AS (…).",
)
class DefaultNotConstantError(DeltaSqlError):
    column: str
    expression: str


@condition(
    "INVALID_DEFAULT_VALUE.NON_DETERMINISTIC",
    "42623",
    "The default of {column} gives another value each time: {expression}. A default is a constant.",
)
class DefaultNotDeterministicError(DeltaSqlError):
    column: str
    expression: str


@condition(
    "INVALID_DEFAULT_VALUE.DATA_TYPE",
    "42623",
    "The default of {column} cannot be stored as {type}: {expression}. {reason}",
)
class DefaultTypeError(DeltaSqlError):
    column: str
    type: str
    expression: str
    reason: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{column} is a field of a struct, and only whole columns have defaults. "
    "Run: ALTER COLUMN {owner} SET DEFAULT named_struct(…).",
)
class NestedDefaultError(DeltaSqlError):
    column: str
    owner: str


@condition(
    "GENERATED_COLUMN_WITH_DEFAULT_VALUE",
    "42623",
    "Column {column} has a default, and it is generated as well. Keep one of the two.",
)
class GeneratedWithDefaultError(DeltaSqlError):
    column: str


@condition(
    "IDENTITY_COLUMN_WITH_DEFAULT_VALUE",
    "42623",
    "Column {column} has a default, and it is an identity column as well. Keep one of the two.",
)
class IdentityWithDefaultError(DeltaSqlError):
    column: str


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "{clause} is not allowed for {column} in ALTER TABLE {statement}. {advice}",
)
class ColumnClauseError(DeltaSqlError):
    """A clause that only CREATE TABLE takes."""

    clause: str
    column: str
    statement: str
    advice: str
