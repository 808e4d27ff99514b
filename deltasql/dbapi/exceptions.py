"""The exceptions of PEP 249, and which of them an error of deltasql becomes: by its SQLSTATE."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltasql.errors.base import Caret, DeltaSqlError


class Warning(Exception):  # noqa: A001, N818 - the PEP's name
    """PEP 249 wants it to be there; it is never raised."""


class Error(Exception):
    """What any statement may raise.

    Attributes: `condition` and `sqlstate` as in `deltasql.DeltaSqlError`, `message` without these two, and `caret`, the
    place in the SQL. They are None, and `message` is the text, for what no statement has raised. `__cause__` is the
    error of deltasql itself, of its own class.
    """

    condition: str | None = None
    sqlstate: str | None = None
    caret: Caret | None = None

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.message = str(args[0]) if args else ""


class InterfaceError(Error):
    """The API was used wrongly: a cursor or a connection that is closed."""


class DatabaseError(Error):
    """A statement failed."""


class DataError(DatabaseError):
    """A value does not fit: SQLSTATE 22."""


class OperationalError(DatabaseError):
    """The storage, Spark, or another writer who was first: 08, 40, 2D, 5x."""


class IntegrityError(DatabaseError):
    """A constraint of the table: 23, 44."""


class InternalError(DatabaseError):
    """A table or a state that should not be: XX, KD00D."""


class ProgrammingError(DatabaseError):
    """The SQL, a name in it, or a parameter: 42 and most others."""


class NotSupportedError(DatabaseError):
    """Something that there is not: 0A, 56."""


_BY_SQLSTATE: dict[str, type[Error]] = {
    "02": ProgrammingError,
    "07": ProgrammingError,
    "08": OperationalError,
    "0A": NotSupportedError,
    "0K": ProgrammingError,
    "21": ProgrammingError,
    "22": DataError,
    # A setting or an argument, and a feature that takes time to go.
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
"""By the longest beginning that is there; what is not is a DatabaseError."""


def class_of(sqlstate: str) -> type[Error]:
    """The class for a SQLSTATE."""
    beginnings = (sqlstate[:length] for length in range(len(sqlstate), 1, -1))
    return next((_BY_SQLSTATE[item] for item in beginnings if item in _BY_SQLSTATE), DatabaseError)


def translated(error: DeltaSqlError) -> Error:
    """The PEP's error that says what `error` says."""
    made = class_of(error.sqlstate)(str(error))
    made.condition, made.sqlstate, made.caret = error.condition, error.sqlstate, error.caret
    made.message = error.message
    return made


@contextmanager
def in_words_of_the_pep() -> Iterator[None]:
    """Within the context, errors of deltasql come out as those of PEP 249; their cause is the original."""
    try:
        yield
    except DeltaSqlError as error:
        raise translated(error) from error
