"""Errors of engines: those of Spark in SQL's terms, and missing parts of an installation."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "JAVA_GATEWAY_EXITED",
    "08001",
    "This statement reads or writes rows, which needs Java 17 or newer, and no java was found. "
    "Install a JRE and put it on PATH or set JAVA_HOME. Statements that change only metadata run without it.",
)
class JavaMissingError(DeltaSqlError):
    """No Java for a local Spark session."""


@condition(
    "DELTASQL_SAIL_MISSING",
    "08001",
    "The engine Sail is not installed: there is no module {package}. Run pip install 'deltasql[sail]', or leave "
    'engine="sail" out to run on Spark.',
)
class SailMissingError(DeltaSqlError):
    """engine="sail" without the packages of the extra `sail`."""

    package: str


@condition(
    "DELTASQL_ENGINES_MIXED",
    "55000",
    "This process computes rows with {running} already, and PySpark speaks to one kind of engine in a process. "
    "Use {engine} in a separate process.",
)
class EnginesMixedError(DeltaSqlError):
    """Sail beside a Spark with a JVM in this process, or the other way round."""

    running: str
    engine: str


@condition(
    "DELTASQL_NEEDS_ENGINE",
    "0A000",
    "The statement needs an engine, since {reason}. The setting deltasql.compute is LOCAL, which starts none. "
    "To run the statement: SET deltasql.compute = AUTO.",
    remedy="Run SET deltasql.compute = AUTO, or simplify the expression that the message names.",
)
class NeedsEngineError(DeltaSqlError):
    """A statement whose rows this process cannot compute, where the settings forbid an engine."""

    reason: str


@condition(
    "DELTASQL_ENGINE_LOST",
    "58000",
    "Spark's JVM has ended while it computed rows, most likely for want of memory. Nothing was committed. Run the "
    "statement in a new process, with more memory, with a smaller heap (the environment variable "
    'PYSPARK_SUBMIT_ARGS="--driver-memory 1g pyspark-shell"), or on fewer rows.',
)
class EngineLostError(DeltaSqlError):
    """The JVM of this process was killed, or has crashed."""


@condition(
    "UNSUPPORTED_FEATURE.SAIL",
    "0A000",
    "Sail, the engine of this session, cannot run this: {what}. Run the statement on Spark: "
    'deltasql.connect(engine="spark"), or deltasql --engine spark.',
)
class NotOnSailError(DeltaSqlError):
    """A statement, or a part of one, that only Spark supports; `what` names it."""

    what: str


@condition(
    "UNSUPPORTED_FEATURE.SAIL_OLD_CALENDAR",
    "0A000",
    "Files of {table} have days of the Julian calendar before 1582, which only Spark reads. Run the statement on "
    'Spark: deltasql.connect(engine="spark"), or deltasql --engine spark.',
)
class OldCalendarError(DeltaSqlError):
    """Data files that an old Spark or Hive wrote, read by an engine that is not Spark."""

    table: str


@condition(
    "DATETIME_OVERFLOW",
    "22008",
    "A DATE or TIMESTAMP of the result lies before year 1 or after year 9999, which Python has no value for. "
    "To see it as text, write CAST(column AS STRING).",
    remedy="Cast the column: CAST(column AS STRING).",
)
class TimeOutOfRangeError(DeltaSqlError):
    """Collected rows with a DATE or TIMESTAMP that Python's datetime cannot hold."""


@condition(
    "UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION",
    "0A000",
    "The result has an INTERVAL of years and months, which Python has no value for. "
    "To see it as text, write CAST(column AS STRING).",
    remedy="Cast the column: CAST(column AS STRING).",
)
class MonthsInResultError(DeltaSqlError):
    """Collected rows with an INTERVAL YEAR TO MONTH."""


class SparkError(DeltaSqlError):
    """Spark refused the statement or failed in it: Spark's condition, SQLSTATE and sentence, without the JVM's stack.

    `stack` is the text that Spark printed, for debugging.
    """

    def __init__(self, condition_name: str, sqlstate: str, text: str, stack: str = "") -> None:
        super().__init__(text)
        # The condition is Spark's and differs from error to error, so it lives on the instance.
        self.condition = condition_name  # type: ignore[misc]
        self.sqlstate = sqlstate  # type: ignore[misc]
        self.text = text
        self.stack = stack
        self.__post_init__()

    @property
    def message(self) -> str:
        return self.text


@condition(
    "DELTASQL_NO_WAY_TO_FILES",
    "0A000",
    "Spark cannot read or write {location}: it has no connector for {scheme}://, which {reason} needs. "
    "Start Spark with the connector's jars (docs/object-stores.md says which).",
)
class NoWayToFilesError(DeltaSqlError):
    """Files that only Spark's executors can move, in an object store that it has no jars for."""

    location: str
    scheme: str
    reason: str


@condition(
    "DELTASQL_OTHER_CREDENTIALS",
    "55000",
    "Spark reaches {location} with the credentials of another session of this process, and keeps its connections for "
    "as long as it runs: {reason} is not for this session. Use one process for each set of credentials, or run "
    "SET deltasql.io.mode = DRIVER, so that this process moves the files itself.",
)
class OtherCredentialsError(DeltaSqlError):
    """Files that only Spark's executors can move, in a bucket that they reach with keys that are not this session's."""

    location: str
    reason: str


@condition(
    "DELTASQL_LENT_CREDENTIALS",
    "0A000",
    "The catalog lends credentials for {location} alone, which {reason} cannot use: Spark's executors take such "
    "credentials for S3, in a Spark of this process, and for files in the folder of the table. Run SET "
    "deltasql.io.mode = AUTO, so that this process moves the files itself.",
    remedy="Run SET deltasql.io.mode = AUTO.",
)
class LentCredentialsError(DeltaSqlError):
    """Files that only Spark's executors can move, of a table whose credentials an external catalog lends."""

    location: str
    reason: str


@condition(
    "DELTASQL_STAGED_ROWS_MISSING",
    "58030",
    "Spark has written {written:rows} below {location}, and {found} are there. Its executors write to another disk "
    "than this process reads, or a task that failed left files behind; nothing was committed. Give both the same "
    "storage, or run SET deltasql.io.mode = DRIVER, so that this process writes the files itself, as it can for tables "
    "without VARIANT columns.",
)
class StagedRowsMissingError(DeltaSqlError):
    """Staged files of executors that the driver cannot find, or that have more rows than Spark has written."""

    location: str
    written: int
    found: int


@condition(
    "DELTASQL_ROWS_LOST",
    "XX000",
    "A new file in place of {file} would have {found:rows}, and not {due}: nothing was committed. That is a fault of "
    "deltasql; please report it with the statement. Until it is mended, SET deltasql.io.mode = EXECUTORS has Spark "
    "write the file.",
    remedy="Run SET deltasql.io.mode = EXECUTORS, repeat the statement, and report the fault.",
)
class RowsLostError(DeltaSqlError):
    """A file rewrite by this process with a wrong number of rows, found before the commit."""

    file: str
    found: int
    due: int


@condition(
    "DELTASQL_FILES_NOT_SHARED",
    "58030",
    "Spark's executors cannot {doing} {location}, where this process can: they have another disk, or run as another "
    "user. Give both the same storage. The data files of Delta tables this process can also move itself: run SET "
    "deltasql.io.mode = DRIVER.",
)
class FilesNotSharedError(DeltaSqlError):
    """Local files that the driver can read or write, and Spark's executors cannot. `doing` is read or write."""

    doing: str
    location: str
