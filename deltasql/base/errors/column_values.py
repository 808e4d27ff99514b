"""Refusals of values that columns give themselves: defaults, identity columns, generated columns; and of JSON texts."""

from __future__ import annotations

from collections.abc import Collection

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION",
    "42623",
    "The default of {column} holds a sub-query: {expression}. A default is a constant.",
    remedy="Use a constant, and give the value of the query in INSERT.",
)
class DefaultSubqueryError(DeltaSqlError):
    """DEFAULT with a sub-query."""

    column: str
    expression: str


@condition(
    "INVALID_DEFAULT_VALUE.NOT_CONSTANT",
    "42623",
    "The default of {column} is not a constant: {expression}. It may call functions, as in current_date(), but not "
    "look at columns or at other rows; a column computed from others is one GENERATED ALWAYS AS (…).",
    remedy="Use a constant, or a column GENERATED ALWAYS AS (…).",
)
class DefaultNotConstantError(DeltaSqlError):
    """DEFAULT with an expression over other columns."""

    column: str
    expression: str


@condition(
    "INVALID_DEFAULT_VALUE.NON_DETERMINISTIC",
    "42623",
    "The default of {column} gives another value each time: {expression}. A default is a constant.",
    remedy="Use a constant, and give random values in INSERT.",
)
class DefaultNotDeterministicError(DeltaSqlError):
    """DEFAULT with rand(), uuid() or another function of random values."""

    column: str
    expression: str


@condition(
    "INVALID_DEFAULT_VALUE.DATA_TYPE",
    "42623",
    "The default of {column} cannot be stored as {type}: {expression}. {reason}",
    remedy="Write a constant of the column's type, or a cast to it.",
)
class DefaultTypeError(DeltaSqlError):
    """DEFAULT with a constant that the column's type cannot hold; `reason` is a sentence."""

    column: str
    type: str
    expression: str
    reason: str


@condition(
    "INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION",
    "42623",
    "{part} cannot be used in the default of {column}: {expression}. {advice}",
    remedy="Use constants and functions of Spark that need no rows.",
)
class DefaultExpressionError(DeltaSqlError):
    """A function that is none of Spark's own, text that is no expression."""

    part: str
    column: str
    expression: str
    advice: str


@condition(
    "GENERATED_COLUMN_WITH_DEFAULT_VALUE",
    "42623",
    "Column {column} has a default, and it is generated as well. Keep one of the two.",
)
class GeneratedWithDefaultError(DeltaSqlError):
    """A column with both DEFAULT and GENERATED ALWAYS AS."""

    column: str


@condition(
    "IDENTITY_COLUMN_WITH_DEFAULT_VALUE",
    "42623",
    "Column {column} has a default, and it is an identity column as well. Keep one of the two.",
)
class IdentityWithDefaultError(DeltaSqlError):
    """A column with both DEFAULT and GENERATED AS IDENTITY."""

    column: str


@condition(
    "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
    "428H2",
    "Identity column {column} cannot be {type}: its numbers are BIGINT.",
    remedy="Declare the column as BIGINT.",
)
class IdentityTypeError(DeltaSqlError):
    """GENERATED AS IDENTITY for a column of another type than BIGINT."""

    column: str
    type: str


@condition(
    "DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP",
    "42611",
    "INCREMENT BY of identity column {column} cannot be 0.",
    remedy="Choose another step, such as 1 or -1.",
)
class IdentityStepError(DeltaSqlError):
    """INCREMENT BY 0 of an identity column."""

    column: str


@condition(
    "NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION",
    "22003",
    "Identity column {column} cannot begin with or go on by {number}: its numbers are BIGINT.",
    remedy="Choose numbers in the range of BIGINT.",
)
class IdentityRangeError(DeltaSqlError):
    """START WITH or INCREMENT BY outside of 64 bits."""

    column: str
    number: int


@condition(
    "DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION",
    "42613",
    "Column {column} is an identity column and GENERATED ALWAYS AS (…) as well. Keep one of the two.",
)
class IdentityWithExpressionError(DeltaSqlError):
    """A column with both GENERATED AS IDENTITY and a generation expression."""

    column: str


@condition(
    "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
    "42808",
    "{column} is GENERATED ALWAYS AS IDENTITY, so no value can be given for it. Leave it out: INSERT INTO … (other "
    "columns) …, or INSERT * EXCEPT ({column}) in MERGE.",
)
class ExplicitIdentityError(DeltaSqlError):
    """INSERT, UPDATE or MERGE gives a value to a column GENERATED ALWAYS AS IDENTITY."""

    column: str


@condition(
    "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
    "42808",
    "{column} is an identity column, and its values are not updated. Leave it out: UPDATE SET * EXCEPT ({column}) "
    "in MERGE.",
)
class IdentityUpdateError(DeltaSqlError):
    """UPDATE or MERGE sets an identity column."""

    column: str


@condition(
    "DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
    "429BQ",
    "{column} is an identity column: only its comment, its place and its name can change, and SYNC IDENTITY works.",
    remedy="Change its comment, position or name only, or create the table again.",
)
class AlterIdentityError(DeltaSqlError):
    """ALTER COLUMN of an identity column, to another type, default or nullability."""

    column: str


@condition(
    "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN",
    "429BQ",
    "SYNC IDENTITY works on identity columns, and {column} is none.",
    remedy="Name an identity column: DESCRIBE EXTENDED shows them.",
)
class NoIdentityError(DeltaSqlError):
    """ALTER COLUMN … SYNC IDENTITY of a column without identity."""

    column: str


@condition(
    "ARITHMETIC_OVERFLOW",
    "22003",
    "Identity column {column} has no number left for every new row: BIGINT ends. Nothing was written.",
    remedy="Create the table again with another START WITH, or use a column of your values.",
)
class IdentityOverflowError(DeltaSqlError):
    """Rows to write for which an identity column has no 64-bit number left."""

    column: str


@condition(
    "DELTA_INVALID_GENERATED_COLUMN_REFERENCES",
    "42621",
    "Generated column {column} is computed from {reference}, which is {what}: {expression}. "
    "It may be computed from the table's other columns that are not generated: {candidates}.",
    remedy="Use the columns that the message lists.",
)
class GeneratedReferenceError(DeltaSqlError):
    """GENERATED ALWAYS AS over a column that is missing, generated, or the column itself: `what`."""

    column: str
    reference: str
    what: str
    expression: str
    candidates: Collection[str]


@condition(
    "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN",
    "42621",
    "Generated column {column} would have another value each time: {expression}. "
    "For the moment of a write use a default: DEFAULT current_timestamp().",
    remedy="Use a column default: DEFAULT current_timestamp().",
)
class GeneratedNotDeterministicError(DeltaSqlError):
    """GENERATED ALWAYS AS with a function whose value changes from call to call."""

    column: str
    expression: str


@condition(
    "DELTA_AGGREGATE_IN_GENERATED_COLUMN",
    "42621",
    "Generated column {column} holds an aggregate: {expression}. It is computed from one row.",
    remedy="Use an expression over the columns of one row.",
)
class GeneratedAggregateError(DeltaSqlError):
    """GENERATED ALWAYS AS with an aggregate function."""

    column: str
    expression: str


@condition(
    "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
    "42621",
    "{part} cannot be used in generated column {column}: {expression}. {advice}",
    remedy="Use functions of Spark over columns of the same row.",
)
class GeneratedExpressionError(DeltaSqlError):
    """GENERATED ALWAYS AS with a sub-query, a window or a function that engines may compute differently: `part`."""

    column: str
    part: str
    expression: str
    advice: str


@condition(
    "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
    "42K09",
    "Generated column {column} is {declared}, and its expression is {found}: {expression}. "
    "Declare {found}, or write CAST({expression} AS {declared}).",
)
class GeneratedTypeError(DeltaSqlError):
    """A generated column whose declared type is not the type of its expression."""

    column: str
    declared: str
    found: str
    expression: str


@condition(
    "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
    "42K09",
    "Cannot {operation} {column}: generated column {generated} of {table} is computed from it: {expression}.",
    remedy="Drop the generated column first, or leave this column unchanged.",
)
class GeneratedDependentError(DeltaSqlError):
    """ALTER TABLE of a column from which a generated column is computed; `operation` is the verb."""

    operation: str
    column: str
    generated: str
    expression: str
    table: str


@condition(
    "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED",
    "0AKDC",
    "{column} gets another value each time: {expression}, and generated column {generated} is computed from it. "
    "Compute the value once, in the source query of a MERGE.",
)
class GeneratedFromRandomError(DeltaSqlError):
    """UPDATE or MERGE that sets a column, from which a generated one is computed, to rand() or the like."""

    column: str
    expression: str
    generated: str


@condition(
    "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH",
    "42K09",
    "The type of {column} would change from {old} to {new}, and column {generated} of {table} is generated from it. "
    "Cast the value to {old}.",
)
class GeneratedTypeMismatchError(DeltaSqlError):
    """Schema evolution that changes the type of a column from which a generated column is computed."""

    column: str
    old: str
    new: str
    generated: str
    table: str


@condition(
    "AMBIGUOUS_REFERENCE_TO_FIELDS",
    "42000",
    "The JSON text has several fields called {name} if upper and lower case are equal.",
    remedy="Write the field in brackets, where case counts: column:['{name}'].",
)
class AmbiguousJsonNameError(DeltaSqlError):
    """A path in a JSON text, as in `raw:name`, with a name that several fields have in different cases."""

    name: str


@condition(
    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
    "42K09",
    "A path with a colon, as in raw:a.b, reads a JSON text or a VARIANT, not {kind}.",
    remedy="Write a dot for a field of a struct, or to_json(column):a.",
)
class JsonPathOperandError(DeltaSqlError):
    """A path in JSON behind an operand of another type."""

    kind: str
