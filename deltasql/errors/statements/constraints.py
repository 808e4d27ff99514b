"""What every row of a table must satisfy: constraints that are wrong, in the way, or broken by rows that are there."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    "42K09",
    "Cannot {operation} column {column}: the CHECK constraint {constraint} uses it ({expression}). "
    "Drop the constraint first: ALTER TABLE {table} DROP CONSTRAINT {constraint}.",
)
class ConstraintDependentColumnError(DeltaSqlError):
    """A change of a column that a CHECK constraint refers to."""

    operation: str
    column: str
    constraint: str
    expression: str
    table: str


@condition(
    "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH",
    "42K09",
    "The type of {column} would change from {old} to {new}, and the CHECK constraint {constraint} uses it "
    "({expression}). Cast the value to {old}, or drop the constraint first: "
    "ALTER TABLE {table} DROP CONSTRAINT {constraint}.",
)
class ConstraintTypeMismatchError(DeltaSqlError):
    """Schema evolution that changes what a CHECK constraint refers to."""

    column: str
    old: str
    new: str
    constraint: str
    expression: str
    table: str


@condition(
    "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
    "23512",
    "The constraint {constraint} cannot be added to {table}: there are rows for which {expression} is not TRUE. "
    "Correct or delete them first; a condition that is NULL counts as broken.",
)
class NewCheckViolationError(DeltaSqlError):
    """ADD CONSTRAINT that existing rows break."""

    constraint: str
    table: str
    expression: str


@condition(
    "DELTA_CONSTRAINT_ALREADY_EXISTS",
    "42710",
    "{table} has a constraint {constraint} already: CHECK ({expression}). "
    "Drop it first: ALTER TABLE {table} DROP CONSTRAINT {constraint}.",
)
class ConstraintExistsError(DeltaSqlError):
    """ADD CONSTRAINT of a name that is taken."""

    table: str
    constraint: str
    expression: str


@condition(
    "DELTA_CONSTRAINT_DOES_NOT_EXIST",
    "42704",
    "{table} has no constraint {constraint}. Write DROP CONSTRAINT IF EXISTS {constraint} to allow that.",
)
class ConstraintNotFoundError(DeltaSqlError):
    """DROP CONSTRAINT of an unknown name."""

    table: str
    constraint: str


@condition(
    "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
    "42621",
    "The CHECK constraint {constraint} must be a condition, and ({expression}) is of type {type}.",
)
class NonBooleanConstraintError(DeltaSqlError):
    """A CHECK expression that is not boolean."""

    constraint: str
    expression: str
    type: str


@condition(
    "DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the CHECK constraint {constraint}: {expression}. {advice}",
)
class CheckExpressionError(DeltaSqlError):
    """A sub-query, a window, a name that is no column, text that is no expression."""

    part: str
    constraint: str
    expression: str
    advice: str


@condition(
    "DELTA_AGGREGATE_IN_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the CHECK constraint {constraint}: {expression}. {advice}",
)
class CheckAggregateError(DeltaSqlError):
    """An aggregate: a condition is one of a single row."""

    part: str
    constraint: str
    expression: str
    advice: str


@condition(
    "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the CHECK constraint {constraint}: {expression}. {advice}",
)
class CheckNotDeterministicError(DeltaSqlError):
    """rand(), uuid() …"""

    part: str
    constraint: str
    expression: str
    advice: str


@condition(
    "DELTA_UDF_IN_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the CHECK constraint {constraint}: {expression}. {advice}",
)
class CheckFunctionError(DeltaSqlError):
    """A function that is none of Spark's own, or one that looks at more than its arguments."""

    part: str
    constraint: str
    expression: str
    advice: str


@condition(
    "DELTA_CONSTRAINT_ALREADY_EXISTS",
    "42710",
    "{table} would have two constraints called {constraint}: CHECK ({expression}) is the first. "
    "Give the second another name.",
)
class ConstraintDeclaredTwiceError(DeltaSqlError):
    """CREATE TABLE with one name for two constraints."""

    table: str
    constraint: str
    expression: str
