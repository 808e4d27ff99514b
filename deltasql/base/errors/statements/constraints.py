"""Errors of constraints: invalid ones, those that forbid a change, and those that existing rows violate."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    "42K09",
    "Cannot {operation} column {column}: the {kind} {constraint} uses it ({expression}). {advice}",
    remedy="Drop the constraint first: ALTER TABLE t DROP CONSTRAINT c.",
)
class ConstraintDependentColumnError(DeltaSqlError):
    """A change of a column that a CHECK constraint, a column invariant, a primary key or a foreign key refers to."""

    operation: str
    column: str
    constraint: str
    expression: str
    advice: str
    kind: str = "CHECK constraint"


@condition(
    "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH",
    "42K09",
    "The type of {column} would change from {old} to {new}, and the CHECK constraint {constraint} uses it "
    "({expression}). Cast the value to {old}, or drop the constraint first: "
    "ALTER TABLE {table} DROP CONSTRAINT {constraint}.",
)
class ConstraintTypeMismatchError(DeltaSqlError):
    """Schema evolution that changes the type of a column of a CHECK constraint."""

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
    "{table} has a constraint {constraint} already: {definition}. "
    "Drop it first: ALTER TABLE {table} DROP CONSTRAINT {constraint}.",
)
class ConstraintExistsError(DeltaSqlError):
    """ADD CONSTRAINT of a name that is taken."""

    table: str
    constraint: str
    definition: str


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
    remedy="Write a comparison, such as a > 0.",
)
class NonBooleanConstraintError(DeltaSqlError):
    """A CHECK expression that is not boolean."""

    constraint: str
    expression: str
    type: str


@condition(
    "DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the {kind} {constraint}: {expression}. {advice}",
    remedy="Write a condition over the columns of one row.",
)
class CheckExpressionError(DeltaSqlError):
    """A sub-query, a window, a name that is no column, text that is no expression."""

    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = "CHECK constraint"


@condition(
    "DELTA_AGGREGATE_IN_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the {kind} {constraint}: {expression}. {advice}",
    remedy="Write a condition over the columns of one row.",
)
class CheckAggregateError(DeltaSqlError):
    """An aggregate: a condition is one of a single row."""

    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = "CHECK constraint"


@condition(
    "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the {kind} {constraint}: {expression}. {advice}",
    remedy="Compute the value in the statement that writes the row.",
)
class CheckNotDeterministicError(DeltaSqlError):
    """A CHECK constraint with rand(), uuid() or another function of random values."""

    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = "CHECK constraint"


@condition(
    "DELTA_UDF_IN_CHECK_CONSTRAINT",
    "42621",
    "{part} cannot be used in the {kind} {constraint}: {expression}. {advice}",
    remedy="Use functions of Spark that depend on their arguments alone.",
)
class CheckFunctionError(DeltaSqlError):
    """A function that is none of Spark's own, or one that looks at more than its arguments."""

    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = "CHECK constraint"


@condition(
    "DELTA_CONSTRAINT_ALREADY_EXISTS",
    "42710",
    "{table} would have two constraints called {constraint}: {definition} is the first. Give the second another name.",
)
class ConstraintDeclaredTwiceError(DeltaSqlError):
    """CREATE TABLE with one name for two constraints."""

    table: str
    constraint: str
    definition: str


@condition(
    "UNSUPPORTED_FEATURE.TABLE_OPERATION",
    "0A000",
    "UNIQUE is not supported. PRIMARY KEY says which columns tell the rows apart; nothing checks that, as with any "
    "key. To keep rows unique, write with MERGE.",
    remedy="Declare a PRIMARY KEY for information, and write with MERGE to keep rows unique.",
)
class UniqueConstraintError(DeltaSqlError):
    """UNIQUE of a column or a table."""


@condition(
    "MULTIPLE_PRIMARY_KEYS",
    "42P16",
    "{table} can have one primary key, and has {constraint}: {definition}. {advice}",
    remedy="Drop the present key first: ALTER TABLE t DROP PRIMARY KEY.",
)
class MultiplePrimaryKeysError(DeltaSqlError):
    """A second primary key."""

    table: str
    constraint: str
    definition: str
    advice: str


@condition(
    "PRIMARY_KEY_COLUMN_NULLABLE",
    "42831",
    "Column {column} of {table} may hold NULL, and columns of a primary key may not. {advice}",
    remedy="Run ALTER TABLE t ALTER COLUMN a SET NOT NULL first.",
)
class PrimaryKeyNullableError(DeltaSqlError):
    """PRIMARY KEY of a column that is not NOT NULL, or DROP NOT NULL of one that is in the key."""

    column: str
    table: str
    advice: str


@condition(
    "INVALID_KEY_CONSTRAINT",
    "42621",
    "The {kind} of {table} cannot be as it is written: {reason}.",
    remedy="Correct the columns of the key, as the message says.",
)
class KeyDefinitionError(DeltaSqlError):
    """A key over nested fields, or with a repeated column."""

    kind: str
    table: str
    reason: str


@condition(
    "FOREIGN_KEY_MISMATCH",
    "42830",
    "The foreign key ({columns}) of {table} does not fit {parent}: {reason}.",
    remedy="Name the columns of the parent's primary key, with the same types.",
)
class ForeignKeyMismatchError(DeltaSqlError):
    """A foreign key that does not refer to a primary key with as many columns of the same types."""

    columns: str
    table: str
    parent: str
    reason: str


@condition(
    "PRIMARY_KEY_IS_REFERENCED",
    "2BP01",
    "Cannot {operation}: foreign keys refer to it. They are {keys}. {advice}",
    remedy="Drop the foreign keys first, or add CASCADE to DROP PRIMARY KEY.",
)
class PrimaryKeyReferencedError(DeltaSqlError):
    """DROP of a primary key, or a new name for its column or its table, while foreign keys depend on it."""

    operation: str
    keys: str
    advice: str


@condition(
    "DELTA_CONSTRAINT_DOES_NOT_EXIST",
    "42704",
    "{table} has no {key}. Write DROP {kind} IF EXISTS to allow that.",
)
class KeyNotFoundError(DeltaSqlError):
    """DROP PRIMARY KEY, DROP FOREIGN KEY of a table that has none such."""

    table: str
    key: str
    kind: str


@condition(
    "UNSUPPORTED_CONSTRAINT_CHARACTERISTIC",
    "0A000",
    "{characteristic} is not supported for a {kind}: {reason}.",
    remedy="Leave the option out.",
)
class KeyOptionError(DeltaSqlError):
    """ENFORCED, ON DELETE CASCADE …: options that would require checks or actions."""

    characteristic: str
    kind: str
    reason: str


@condition(
    "INVALID_CONSTRAINT_CHARACTERISTICS",
    "42613",
    "{characteristic} does not go with {other}, which stands before it. Leave one of them out.",
)
class KeyOptionsConflictError(DeltaSqlError):
    """Options of a key that are repeated or exclude each other."""

    characteristic: str
    other: str
