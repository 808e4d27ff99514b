"""Errors as Flight sends them: the whole text, caret included, and condition and SQLSTATE beside it for programs.

All are FlightErrors: of any other exception pyarrow sends the stack, with the paths of this machine.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.flight as fl

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.secrets import without_secrets
from deltasql.errors.server import AuthenticationError, SessionGoneError


@contextmanager
def answered() -> Iterator[None]:
    """Errors within become those of Flight. What deltasql does not expect goes to stderr, too."""
    try:
        yield
    except fl.FlightError:
        raise
    except DeltaSqlError as error:
        told = json.dumps({"condition": error.condition, "sqlstate": error.sqlstate, "message": error.message})
        unknown = isinstance(error, (AuthenticationError, SessionGoneError))
        raise (fl.FlightUnauthenticatedError if unknown else fl.FlightServerError)(str(error), told.encode()) from None
    except KeyboardInterrupt as interrupt:
        raise fl.FlightCancelledError(str(interrupt) or "The statement was cancelled.") from None
    except Exception as error:
        print(without_secrets(traceback.format_exc()), file=sys.stderr)
        text = f"{type(error).__name__}: {without_secrets(str(error))}. This is not an error that deltasql expects."
        raise fl.FlightInternalError(text) from None
