"""Errors of the use of deltasql itself: files, formats, commands of the shell, golden files."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


class UsageError(DeltaSqlError):
    """The caller's request is invalid; nothing was run. The command line ends with code 2."""


@condition(
    "SCRIPT_UNREADABLE",
    "58030",
    "The script {path} cannot be read: {reason}.",
    remedy="Check the path, the rights and the encoding, which is UTF-8.",
)
class ScriptUnreadableError(UsageError):
    """A file of SQL cannot be read."""

    path: str
    reason: str


@condition(
    "OUTPUT_NOT_WRITTEN",
    "58030",
    "The file {path} cannot be written: {reason}.",
    remedy="Check the folder and its rights.",
)
class OutputNotWrittenError(UsageError):
    """An output file of the command or the shell cannot be written."""

    path: str
    reason: str


@condition(
    "UNKNOWN_OUTPUT_FORMAT",
    "22023",
    "There is no format {style}. Formats are: {known}.",
    remedy="Use a format that the message lists.",
)
class UnknownFormatError(UsageError):
    """An output format with an unknown name."""

    style: str
    known: tuple[str, ...]


@condition("UNKNOWN_SHELL_COMMAND", "42601", "There is no command {command}. Type \\? for the list of commands.")
class UnknownCommandError(UsageError):
    """A command of the shell with an unknown name."""

    command: str


@condition(
    "UNKNOWN_CONDITION",
    "42704",
    "There is no error condition {name} of deltasql.{hint} Conditions of Spark are explained in Spark's documentation.",
    remedy="Copy the name from the message: it stands in brackets at its beginning.",
)
class UnknownConditionError(UsageError):
    """The shell's command help with a name that is no condition of deltasql."""

    name: str
    hint: str


@condition(
    "UNKNOWN_SHELL_PREFERENCE",
    "42601",
    "There is no preference {name}. Preferences are: {known}.",
    remedy="Use a preference that the message lists.",
)
class UnknownPreferenceError(UsageError):
    """The shell command pset with an unknown name."""

    name: str
    known: tuple[str, ...]


@condition("INVALID_SHELL_PREFERENCE", "22023", "{name} cannot be '{value}'. Write {legal}.")
class WrongPreferenceError(UsageError):
    """The shell command pset with a value that the preference cannot have."""

    name: str
    value: str
    legal: str


@condition("SHELL_COMMAND_ARGUMENT", "42601", "{command} needs {needed}. Write: {usage}")
class CommandArgumentError(UsageError):
    """A command of the shell without its argument, or with a wrong one."""

    command: str
    needed: str
    usage: str


@condition(
    "INVALID_CONFIGURATION_FILE",
    "22023",
    "{path} cannot be used: {reason}.",
    remedy="Correct the file, as the message says.",
)
class ConfigurationFileError(UsageError):
    """The file of settings of the command cannot be read, or has an unknown key."""

    path: str
    reason: str


@condition(
    "NO_GOLDEN_FILES",
    "42K03",
    "There is no .sql file {place}.",
    remedy="Check the folder and the filter.",
)
class NoGoldenFilesError(UsageError):
    """`deltasql test` of a folder, or with a filter, without a file to run.

    `place` is `under <directory>` or `at <path>`, with the filter if there was one.
    """

    place: str


@condition(
    "UNKNOWN_GOLDEN_DIRECTIVE",
    "42601",
    "{file}, line {line}: {text} is no directive. Known: {known}.",
    remedy="Use a directive that the message lists, or another first word in the comment.",
)
class UnknownDirectiveError(UsageError):
    """A comment that looks like a directive but would have no effect."""

    file: str
    line: int
    text: str
    known: tuple[str, ...]


@condition(
    "INVALID_GOLDEN_MASK",
    "2201B",
    "{file}, line {line}: the pattern of this mask cannot be read: {reason}. Write '-- mask: /<regular expression>/'.",
)
class GoldenMaskError(UsageError):
    """A mask in a golden file with a pattern that is no regular expression."""

    file: str
    line: int
    reason: str


@condition(
    "INVALID_GOLDEN_SCHEDULE",
    "42601",
    "{file}, line {line}: {problem}.",
    remedy="Correct the line, as the message says.",
)
class ScheduleError(UsageError):
    """Sessions or schedules of a golden file that cannot be run. `problem` says why, and what to do."""

    file: str
    line: int
    problem: str


@condition(
    "GOLDEN_WORKER_DIED",
    "58000",
    "The process that ran {file} died of it: {end}. To see more, run this file alone.",
    remedy="Run this file alone, with -j 1.",
)
class GoldenWorkerDiedError(DeltaSqlError):
    """A worker process of `deltasql test` ended before its file did. `end` is the exit code or the signal."""

    file: str
    end: str


@condition(
    "GOLDEN_WORKERS_NOT_STARTED",
    "58000",
    "No process could be started to run golden files: {end}. They import the module that makes the sessions, and the "
    "script that is run: there, what is to run only once must stand below if __name__ == '__main__'. "
    "Or run all files in this process, with jobs=1.",
    remedy="Put the call below if __name__ == '__main__', or use jobs=1.",
)
class GoldenWorkersNotStartedError(UsageError):
    """No worker process of `deltasql test` could start.

    `end` is the exit code or the signal of the first one that failed.
    """

    end: str


@condition(
    "UNKNOWN_ENGINE",
    "22023",
    "There is no engine {engine}. It is spark, sail, or the address of a Spark Connect server: sc://host:15002.",
    remedy="Use spark, sail, or sc://host:port.",
)
class UnknownEngineError(UsageError):
    """The option or argument engine with an unknown name."""

    engine: str


@condition(
    "INVALID_MAGIC",
    "42601",
    "{problem} Usage: {usage}",
    remedy="Follow the usage in the message.",
)
class MagicError(UsageError):
    """The notebook's %sql or %%sql with wrong arguments."""

    problem: str
    usage: str


@condition(
    "REPORT_NOT_WRITTEN",
    "58030",
    "The report {path} cannot be written: {reason}.",
    remedy="Check the folder and its rights.",
)
class ReportNotWrittenError(UsageError):
    """The report of `deltasql test` cannot be written."""

    path: str
    reason: str


@condition(
    "STATEMENT_ALREADY_ENDED",
    "55000",
    "The statement has been committed or aborted before. Begin it anew with begin().",
)
class StatementEndedError(UsageError):
    """A call of commit or abort after the statement has ended."""


@condition("INVALID_HANDLE.SESSION_CLOSED", "HY000", "The session was closed. Open a new one: deltasql.connect(…).")
class SessionClosedError(UsageError):
    """A call of a session after close()."""


@condition(
    "ENGINE_FOR_GIVEN_SPARK",
    "22023",
    "A session takes a Spark of yours, or the engine {engine}, but not both. Leave out spark= (--remote), or the "
    "engine.",
)
class EngineForGivenSparkError(UsageError):
    """An engine other than Spark beside a Spark session, or the address of one."""

    engine: str


@condition(
    "INVALID_ARGUMENT_TYPE",
    "42K09",
    "{argument} must be {expected}, not {given}.",
    remedy="Pass a value of that type.",
)
class ArgumentTypeError(UsageError, TypeError):
    """An argument of a method of the wrong type. `given` is the name of its type."""

    argument: str
    expected: str
    given: str


@condition(
    "INVALID_ARGUMENT_TYPE",
    "42K09",
    "{argument} must contain only {expected}, not {given}.",
    remedy="Pass values of that type.",
)
class ArgumentEntryTypeError(ArgumentTypeError):
    """An entry of an argument that is a dict, with a key or a value of the wrong type."""


@condition(
    "INVALID_ARGUMENT_TYPE",
    "42K09",
    "{argument} needs to be {expected} but got '{given}'.",
    remedy="Pass a value of that type.",
)
class ArgumentKindError(ArgumentTypeError, ValueError):
    """An argument of a method of DeltaTable of the wrong type: a ValueError as well, as in Delta's package."""


@condition(
    "INVALID_ARGUMENT_VALUE",
    "22023",
    "{argument} cannot be {given}: {reason}.",
    remedy="Pass a value that the method accepts.",
)
class ArgumentValueError(UsageError, ValueError):
    """An argument of a method with a value that the method does not accept."""

    argument: str
    given: str
    reason: str


@condition(
    "SESSION_NOT_INSTALLED",
    "55000",
    "deltasql is not installed in this Spark session. Call deltasql.install(spark, warehouse) first, or give a session "
    "of deltasql.connect(…).",
)
class SessionNotInstalledError(UsageError):
    """A method of DeltaTable on a Spark session that deltasql is not installed in."""


@condition(
    "DELTA_PACKAGE_PRESENT",
    "55000",
    "install(delta=True) provides the modules delta and delta.tables, but the package delta-spark is installed "
    "({place}). Leave out delta=True and import deltasql.clients.tables, or uninstall that package.",
)
class DeltaPackagePresentError(UsageError):
    """install(delta=True) beside another package `delta`; `place` is its file."""

    place: str


@condition(
    "DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION",
    "42601",
    "A new table needs a name or a location. Add tableName(…) or location(…).",
)
class TableNameMissingError(UsageError):
    """The definition of a table that has neither a name nor a location."""
