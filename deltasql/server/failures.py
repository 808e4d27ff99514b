"""Errors as Flight sends them: the whole text, caret included, under the status that drivers tell errors apart by.

Flight's own errors carry condition and SQLSTATE beside the text, for programs, but have few statuses. Those of wrong
SQL and missing things come from Arrow's errors instead, which have no place for anything beside the text.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.flight as fl

from deltasql.dbapi.exceptions import InternalError, NotSupportedError, ProgrammingError, class_of
from deltasql.errors.base import DeltaSqlError
from deltasql.errors.secrets import without_secrets
from deltasql.errors.server import AuthenticationError, HandleNotFoundError, SessionGoneError

_MISSING = {"42P01", "42704", "42883"}


class _WithoutStack(Exception):  # noqa: N818 - named by the statuses, here and below
    """pyarrow adds the stack, with the paths of this machine, to the text of an error that is none of Flight's.

    It reads the cause meanwhile, and leaves the stack out where that fails.
    """

    @property
    def __cause__(self) -> BaseException | None:  # type: ignore[override]
        raise AttributeError("__cause__")


class InvalidArgument(_WithoutStack, pa.ArrowInvalid):  # type: ignore[misc]
    """INVALID_ARGUMENT: the SQL is wrong."""


class NotFound(_WithoutStack, pa.ArrowKeyError):  # type: ignore[misc]
    """NOT_FOUND: a table, a schema, a handle."""


class Unimplemented(_WithoutStack, pa.ArrowNotImplementedError):  # type: ignore[misc]
    """UNIMPLEMENTED: something that there is not."""


@contextmanager
def answered() -> Iterator[None]:
    """Errors within become those of Flight. What deltasql does not expect goes to stderr, too."""
    try:
        yield
    except (fl.FlightError, _WithoutStack):
        raise
    except DeltaSqlError as error:
        raise _answer(error) from None
    except KeyboardInterrupt as interrupt:
        raise fl.FlightCancelledError(str(interrupt) or "The statement was cancelled.") from None
    except Exception as error:
        print(without_secrets(traceback.format_exc()), file=sys.stderr)
        text = f"{type(error).__name__}: {without_secrets(str(error))}. This is not an error that deltasql expects."
        raise fl.FlightInternalError(text) from None


def _answer(error: DeltaSqlError) -> Exception:
    """An error of deltasql as Flight's or Arrow's: that with the status for its class in PEP 249."""
    text, kind = str(error), class_of(error.sqlstate)
    answer: Exception
    if isinstance(error, HandleNotFoundError) or error.sqlstate in _MISSING:
        answer = NotFound(text)
    elif issubclass(kind, NotSupportedError):
        answer = Unimplemented(text)
    elif issubclass(kind, ProgrammingError):
        answer = InvalidArgument(text)
    else:
        details = json.dumps({"condition": error.condition, "sqlstate": error.sqlstate, "message": error.message})
        status = fl.FlightServerError
        if isinstance(error, (AuthenticationError, SessionGoneError)):
            status = fl.FlightUnauthenticatedError
        elif issubclass(kind, InternalError):
            status = fl.FlightInternalError
        answer = status(text, details.encode())
    return answer
