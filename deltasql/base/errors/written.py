"""Classes of errors with behaviour of their own: a message that is computed, or a second base. All others are rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.suggestion import column_meant

DuplicatePlace: TypeAlias = Literal[
    "ADDING_COLUMNS",
    "CLUSTER_BY",
    "METADATA_UPDATE",
    "PARTITION_COLUMNS",
    "READ_SCHEMA",
    "REPLACING_COLUMNS",
    "TABLE_SCHEMA",
]
"""Delta's subclasses of DELTA_DUPLICATE_COLUMNS_FOUND that something here raises."""


@condition(
    "DELTA_CONCURRENT_WRITE",
    "2D521",
    "{operation} wrote version {version} of {table} while this statement ran. Run the statement again.",
)
class ConcurrentModificationError(DeltaSqlError):
    """Another writer committed first and this statement cannot go on top of it. `operation` is the winner's.

    `advice` says how both could have been committed, where there is a way.
    """

    table: str
    version: int
    operation: str
    advice: str = ""

    @property
    def message(self) -> str:
        text = super().message
        return f"{text} {self.advice}" if self.advice else text


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
    "DELTA_DUPLICATE_COLUMNS_FOUND",
    "42711",
    "Duplicate columns in {where}: {columns}. Names that differ only in case are the same; rename one.",
    remedy="Rename or leave out one of the columns.",
)
class DuplicateColumnsError(DeltaSqlError):
    """Two columns of one struct, or two names in one list of columns, that are equal when case is ignored.

    `place` is where they stand, Delta's name for it: `condition` ends in it.
    """

    place: DuplicatePlace
    where: str
    columns: Collection[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.condition = f"{type(self).condition}.{self.place}"  # type: ignore[misc]


class SignalledError(DeltaSqlError):
    """Raised by SIGNAL: the condition, SQLSTATE and text that the script gives it, and its arguments."""

    def __init__(self, name: str, sqlstate: str, text: str, arguments: Mapping[str, str] | None = None) -> None:
        super().__init__(name, sqlstate, text)
        # They differ from error to error, so they live on the instance.
        self.condition = name  # type: ignore[misc]
        self.sqlstate = sqlstate  # type: ignore[misc]
        self.text = text
        self.arguments = dict(arguments or {})

    @property
    def message(self) -> str:
        return self.text


@condition(
    "NON_PARTITION_COLUMN",
    "42000",
    "PARTITION names {column}, which is no partition column of {table}; those are: {columns}.",
    remedy="Name partition columns only, and give other columns in the query.",
)
class NotPartitionColumnError(DeltaSqlError):
    """A PARTITION clause over another column."""

    column: str
    table: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        if self.columns:
            return super().message
        return f"PARTITION names {self.column}, and {self.table} is not partitioned. Leave out PARTITION."


@condition(
    "UNRESOLVED_INSERT_REPLACE_USING_COLUMN",
    "42703",
    "REPLACE USING names {column}, which the {where} does not have; its columns are: {columns}.",
    remedy="Name a column that the message lists.",
)
class UnresolvedReplaceUsingError(DeltaSqlError):
    """REPLACE USING with a column that the table or the query does not have.

    `where` is the query, or the table with its name.
    """

    column: str
    where: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        advice = f" Give one that name: SELECT … AS {self.column}, or a column list." if self.where == "query" else ""
        return super().message + advice


@condition(
    "DELTA_MERGE_UNRESOLVED_EXPRESSION",
    "42601",
    "Cannot resolve {expression} in {clause}: the columns in reach there are {columns}.{advice}",
    remedy="Name a column that the message lists; source and target columns need their alias.",
)
class MergeUnresolvedError(DeltaSqlError):
    """A name in a MERGE clause that is no column of the table that the clause may look at."""

    expression: str
    clause: str
    columns: tuple[str, ...]
    advice: str = ""

    @property
    def message(self) -> str:
        if not self.columns:
            return f"Cannot resolve {self.expression} in {self.clause}.{self.advice}"
        return super().message + ("" if self.advice else column_meant(self.expression, self.columns))


@condition(
    "UNBOUND_SQL_PARAMETER",
    "42P02",
    "The parameter {name} has no value. Pass it with the statement: session.sql(text, args={example}).",
)
class UnboundParameterError(DeltaSqlError):
    """A parameter marker without a value."""

    name: str
    example: str

    @classmethod
    def of(cls, marker: str) -> UnboundParameterError:
        """The error of a marker as it is written: `:name` or `?`."""
        return cls(name=marker, example=f'{{"{marker[1:]}": …}}' if marker[1:] else "[…]")


@condition(
    "UNSUPPORTED_DATATYPE",
    "0A000",
    "The data type {type} is not supported.",
    remedy="Use a type that the message lists.",
)
class UnsupportedDatatypeError(DeltaSqlError):
    """A column, or a cast, of a type that the dialect does not have.

    `supported` are the types that there are; `meant` is the one that `type` means elsewhere, or resembles.
    """

    type: str
    supported: tuple[str, ...]
    meant: str = ""

    @property
    def message(self) -> str:
        advice = f"Did you mean {self.meant}?" if self.meant else f"Use one of: {', '.join(self.supported)}."
        return f"The data type {self.type} is not supported. {advice}"


class UsageError(DeltaSqlError):
    """The caller's request is invalid; nothing was run. The command line ends with code 2."""


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
    "DELTA_MISSING_SET_COLUMN",
    "42703",
    "SET column {column} is no column of {table}, which has {columns}.",
    remedy="Name a column that the message lists; WITH SCHEMA EVOLUTION is for MERGE.",
)
class MissingSetColumnError(DeltaSqlError):
    """UPDATE … SET of a column that does not exist."""

    column: str
    table: str
    columns: tuple[str, ...]

    @property
    def message(self) -> str:
        return super().message + column_meant(self.column, self.columns)
