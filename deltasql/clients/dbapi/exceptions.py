"""The exceptions of PEP 249, and the conversion of deltasql's errors to them by SQLSTATE."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltasql.base.errors.base import Caret, DeltaSqlError


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
