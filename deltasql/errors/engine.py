"""Errors of running statements: Spark's own, retold, and what is missing around it."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "JAVA_GATEWAY_EXITED",
    "08001",
    "This statement reads or writes rows, which needs Java 17 or newer, and no java was found. "
    "Install a JRE and put it on PATH or set JAVA_HOME. Statements that change only metadata run without it.",
)
class JavaMissingError(DeltaSqlError):
    """No Java for a local Spark session."""


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "EXPLAIN {mode} is not supported: plans are shown in the operators of deltasql. Write EXPLAIN, or EXPLAIN EXTENDED "
    "for the SQL of their values.",
)
class ExplainModeError(DeltaSqlError):
    """EXPLAIN CODEGEN or COST."""

    mode: str


@condition(
    "DATETIME_OVERFLOW",
    "22008",
    "A DATE or TIMESTAMP of the result lies before year 1 or after year 9999, which Python has no value for. "
    "To see it as text, write CAST(column AS STRING).",
)
class TimeOutOfRangeError(DeltaSqlError):
    """Rows that Spark has, and that Python cannot hold."""


class SparkError(DeltaSqlError):
    """Spark refused the statement or failed in it: Spark's condition, SQLSTATE and sentence, without the JVM's stack.

    `stack` holds what Spark printed, for whoever asks for it.
    """

    def __init__(self, condition_name: str, sqlstate: str, text: str, stack: str = "") -> None:
        super().__init__(text)
        # The condition is Spark's and differs from error to error, so it lives on the instance.
        self.condition = condition_name  # type: ignore[misc]
        self.sqlstate = sqlstate  # type: ignore[misc]
        self.text = text
        self.stack = stack

    @property
    def message(self) -> str:
        return self.text


@condition(
    "DELTA_OPERATION_NOT_ALLOWED",
    "0AKDC",
    "Rows cannot be written to {location}: this version of deltasql writes data files to local directories only. "
    "Statements that change only metadata, and queries, work there.",
)
class RemoteWriteError(DeltaSqlError):
    """INSERT, UPDATE, DELETE or MERGE of a table that is not on a local disk."""

    location: str


@condition(
    "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
    "23001",
    "CHECK constraint {constraint} {expression} is violated by a row with values: {values}. "
    "Nothing was written; correct or filter such rows.",
)
class CheckViolationError(DeltaSqlError):
    """A written row breaks a CHECK constraint."""

    constraint: str
    expression: str
    values: str


@condition(
    "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    "23502",
    "Column {column} of {table} is NOT NULL, and a row to write has NULL there. "
    "Nothing was written; give the column a value in every row.",
)
class NotNullViolationError(DeltaSqlError):
    """A NULL for a NOT NULL column."""

    column: str
    table: str


@condition(
    "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
    "21506",
    "Several source rows of the MERGE match one row of {table}, for example for {keys}. Which of them should win is "
    "not defined, so nothing was written. Reduce the source to one row per key (GROUP BY, QUALIFY row_number() = 1).",
)
class MultipleSourceRowsError(DeltaSqlError):
    """More than one source row would change the same target row."""

    table: str
    keys: str


@condition(
    "CAST_OVERFLOW_IN_TABLE_INSERT",
    "22003",
    "A value of type {source} does not fit {column} of {table}, which is {target}: {value}. "
    "Nothing was written; cast it yourself with try_cast, or make the column wider.",
)
class InsertOverflowError(DeltaSqlError):
    """A number too big for its column in INSERT."""

    column: str
    table: str
    source: str
    target: str
    value: str


@condition(
    "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE",
    "22003",
    "A value of type {source} does not fit {column} of {table}, which is {target}: {value}. "
    "Nothing was written; cast it yourself with try_cast, or make the column wider.",
)
class WriteOverflowError(DeltaSqlError):
    """A number too big for its column in UPDATE or MERGE."""

    column: str
    table: str
    source: str
    target: str
    value: str


@condition(
    "CAST_INVALID_INPUT",
    "22018",
    "The value {value} of type {source} is no {target}, which {column} of {table} is. "
    "Nothing was written; correct the value, or cast it yourself with try_cast to store NULL.",
)
class InvalidInputError(DeltaSqlError):
    """A text for a column of another type that cannot be read as a value of that type."""

    column: str
    table: str
    source: str
    target: str
    value: str


@condition(
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
    "42K09",
    "A value of type {source} cannot be stored in {column} of {table}, which is {target}: there is no such cast. "
    "{advice}",
)
class NoCastError(DeltaSqlError):
    """A value for a column of a type that Spark never makes of it."""

    column: str
    table: str
    source: str
    target: str
    advice: str
