"""Types, results and exceptions of PEP 249: type objects, constructors, `description`, fetched rows, error classes.

Rows of a result are fetched from the first to the last, as Python values or as Arrow tables. Errors of deltasql become
exceptions of PEP 249 by their SQLSTATE.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from datetime import time as time_of_day
from typing import NamedTuple, Protocol

from deltasql.base import Caret, DeltaSqlError, errors, pa
from deltasql.files import Result, Row, to_row
from deltasql.schema import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructType,
    kind_text,
    without_collations,
)


class TypeObject:
    """Equal to the type codes in its group: `cursor.description[0][1] == NUMBER`."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def __eq__(self, other: object) -> bool:
        return other in self.names if isinstance(other, str) else self is other

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"TypeObject({', '.join(sorted(self.names))})"


STRING = TypeObject("string", "char", "varchar")
BINARY = TypeObject("binary")
NUMBER = TypeObject("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
DATETIME = TypeObject("date", "timestamp", "timestamp_ntz", "time")
ROWID = TypeObject()
"""Tables have no column that PEP 249 would call so."""

Date = date
Time = time_of_day
Timestamp = datetime
Binary = bytes


def DateFromTicks(ticks: float) -> date:  # noqa: N802 - the PEP's name
    """The date of a time in seconds since 1970, in the zone of this machine."""
    return date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> time_of_day:  # noqa: N802 - the PEP's name
    """The time of day of a time in seconds since 1970, in the zone of this machine."""
    return time_of_day(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime:  # noqa: N802 - the PEP's name
    """Date and time of a time in seconds since 1970, in the zone of this machine."""
    return datetime(*time.localtime(ticks)[:6])


class Column(NamedTuple):
    """One column of a `description`, as PEP 249 orders it.

    `type_code` is Spark's name of the type, without what is inside of it: `int`, `decimal`, `struct`, `array`.
    """

    name: str
    type_code: str
    display_size: None = None
    internal_size: None = None
    precision: int | None = None
    scale: int | None = None
    null_ok: bool | None = True


def describe(schema: StructType) -> list[Column]:
    """The `description` of rows of a schema."""
    return [
        Column(item.name, type_code(item.type), None, None, *_digits(item.type), null_ok=item.nullable)
        for item in schema
    ]


def type_code(kind: DataType) -> str:
    """Spark's name of a type, without its parameters."""
    return "decimal" if isinstance(kind, DecimalType) else kind_text(without_collations(kind)).partition("(")[0]


def _digits(kind: DataType) -> tuple[int | None, int | None]:
    return (kind.precision, kind.scale) if isinstance(kind, DecimalType) else (None, None)


class FetchedRows(Protocol):
    """Computed rows of a result."""

    @property
    def count(self) -> int:
        """The number of rows."""

    def part(self, start: int, end: int) -> list[Row]:
        """The rows from `start` to before `end`. Raises TimeOutOfRangeError."""

    def table(self, start: int, end: int) -> pa.Table:
        """The rows from `start` to before `end`, as an Arrow table."""


def rows_of(result: Result) -> FetchedRows:
    """The rows of a result; those of a query are computed now, as Arrow data if their types allow."""
    if not result.is_query:
        return BufferedRows(result.schema, result.collect())
    if all(_has_columns(item.type) for item in result.schema):
        return ArrowRows(result.schema, result.to_arrow())
    return BufferedRows(result.schema, result.collect())


class BufferedRows:
    """Implements Rows for Python values."""

    def __init__(self, schema: StructType, rows: Sequence[Row]) -> None:
        self._schema, self._rows = schema, rows

    @property
    def count(self) -> int:
        return len(self._rows)

    def part(self, start: int, end: int) -> list[Row]:
        return list(self._rows[start:end])

    def table(self, start: int, end: int) -> pa.Table:
        from deltasql.schema import to_table

        return to_table(self._schema, self._rows[start:end])


class ArrowRows:
    """Implements Rows for an Arrow table. Timestamps come out as aware datetimes, in the zone of the session."""

    def __init__(self, schema: StructType, table: pa.Table) -> None:
        self._schema, self._table = schema, table

    @property
    def count(self) -> int:
        return int(self._table.num_rows)

    def part(self, start: int, end: int) -> list[Row]:
        part = self.table(start, end)
        try:
            columns = [column.to_pylist() for column in part.columns]
        except (ValueError, OverflowError) as error:
            raise errors.TimeOutOfRangeError from error
        if not columns:
            return [Row((), ()) for _ in range(part.num_rows)]
        return [to_row(self._schema, values) for values in zip(*columns, strict=True)]

    def table(self, start: int, end: int) -> pa.Table:
        return self._table.slice(start, max(0, end - start))


_NO_ARROW = ("interval year", "interval month", "interval", "time")


def _has_columns(kind: DataType) -> bool:
    """Whether PySpark can return values of a type as Arrow data."""
    match kind:
        case PrimitiveType(name=name):
            return not name.startswith(_NO_ARROW) or name.startswith(("timestamp", "interval day"))
        case ArrayType(element=element):
            return _has_columns(element)
        case MapType(key=key, value=value):
            return _has_columns(key) and _has_columns(value)
        case StructType():
            return all(_has_columns(item.type) for item in kind)
        case _:
            return True


class Warning(Exception):  # noqa: A001, N818 - the PEP's name
    """Required by PEP 249; never raised."""


class Error(Exception):
    """Base class of all errors.

    Attributes: `condition` and `sqlstate` as in `deltasql.DeltaSqlError`, `message` without these two, and `caret`, the
    position in the SQL. For errors not raised by a statement they are None, and `message` is the text. `__cause__` is
    the original DeltaSqlError.
    """

    condition: str | None = None
    sqlstate: str | None = None
    caret: Caret | None = None

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.message = str(args[0]) if args else ""


class InterfaceError(Error):
    """Wrong use of the API, such as of a closed cursor or connection."""


class DatabaseError(Error):
    """A statement failed."""


class DataError(DatabaseError):
    """An invalid value: SQLSTATE 22."""


class OperationalError(DatabaseError):
    """An error of the storage or Spark, or a conflict with another writer: SQLSTATE 08, 40, 2D, 5x."""


class IntegrityError(DatabaseError):
    """A violated constraint of the table: SQLSTATE 23, 44."""


class InternalError(DatabaseError):
    """A damaged table or an impossible state: SQLSTATE XX, KD00D."""


class ProgrammingError(DatabaseError):
    """An error in the SQL, a name in it, or a parameter: SQLSTATE 42 and most others."""


class NotSupportedError(DatabaseError):
    """An unsupported feature: SQLSTATE 0A, 56."""


_BY_SQLSTATE: dict[str, type[Error]] = {
    "02": ProgrammingError,
    "07": ProgrammingError,
    "08": OperationalError,
    "0A": NotSupportedError,
    "0K": ProgrammingError,
    "21": ProgrammingError,
    "22": DataError,
    # Errors of settings and arguments, and of dropping a feature that is still in use.
    "22022": ProgrammingError,
    "22023": ProgrammingError,
    "22KD": OperationalError,
    "23": IntegrityError,
    "24": ProgrammingError,
    "25": ProgrammingError,
    "2B": ProgrammingError,
    "2D": OperationalError,
    "40": OperationalError,
    "42": ProgrammingError,
    "44": IntegrityError,
    "51": ProgrammingError,
    "53": OperationalError,
    "54": OperationalError,
    "55": OperationalError,
    "56": NotSupportedError,
    "57": OperationalError,
    "58": OperationalError,
    "F0": ProgrammingError,
    "HY": InterfaceError,
    "KD": OperationalError,
    "KD00D": InternalError,
    "XX": InternalError,
}
"""Classes by SQLSTATE prefix, the longest match first; without a match DatabaseError."""


def class_of(sqlstate: str) -> type[Error]:
    """The exception class of a SQLSTATE."""
    beginnings = (sqlstate[:length] for length in range(len(sqlstate), 1, -1))
    return next((_BY_SQLSTATE[item] for item in beginnings if item in _BY_SQLSTATE), DatabaseError)


def translated(error: DeltaSqlError) -> Error:
    """`error` as an exception of PEP 249."""
    translation = class_of(error.sqlstate)(str(error))
    translation.condition, translation.sqlstate, translation.caret = error.condition, error.sqlstate, error.caret
    translation.message = error.message
    return translation


@contextmanager
def in_words_of_the_pep() -> Iterator[None]:
    """Context: converts errors of deltasql to those of PEP 249, with the original as cause."""
    try:
        yield
    except DeltaSqlError as error:
        raise translated(error) from error


def like(pattern: str | None) -> Callable[[str], bool]:
    r"""A test of names against a LIKE pattern: `%` is any text, `_` any character, `\` escapes the next one."""
    if pattern is None:
        return lambda name: True
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    meant = {"%": ".*", "_": "."}
    text = "".join(meant.get(part) or re.escape(part[-1]) for part in parts)
    # Names are stored in lower case.
    return lambda name: re.fullmatch(text, name, re.DOTALL | re.IGNORECASE) is not None
