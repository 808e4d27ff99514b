"""Refusals of what runs statements: Spark's own errors, retold, and what is missing around it."""

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
    "DATETIME_OVERFLOW",
    "22008",
    "A DATE or TIMESTAMP of the result lies before year 1 or after year 9999, which Python has no value for. "
    "To see it as text, write CAST(column AS STRING).",
)
class TimeOutOfRangeError(DeltaSqlError):
    """Collected rows with a DATE or TIMESTAMP that Python's datetime cannot hold."""


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
