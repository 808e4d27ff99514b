"""Carets of errors in the user's text, and the removal of secrets from errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.syntax import TooComplexError
from deltasql.plan.parameters import BoundStatement
from deltasql.schema.types import matching


class Placing:
    """Puts errors of a statement to their places in `text`, of which it was made, and hides its parameters in them.

    Within, names are compared as the statement does.
    """

    def __init__(self, bound: BoundStatement, text: str) -> None:
        self.bound, self.case_sensitive = bound, False
        self._text = text

    @contextmanager
    def __call__(self) -> Iterator[None]:
        try:
            with matching(case_sensitive=self.case_sensitive):
                yield
        except DeltaSqlError as error:
            if error.caret is not None and error.caret.sql == self.bound.sql:
                error.caret = _original(error.caret, self._text, self.bound)
            self.bound.hide_values(error)
            raise
        except RecursionError as error:
            raise TooComplexError from error


def _original(caret: Caret | None, text: str, bound: BoundStatement) -> Caret | None:
    """A place in the statement after parameters were bound, as a place in the user's text."""
    if caret is None or caret.sql == text:
        return caret
    first, last = bound.whole_names(caret.start, caret.end)
    start = bound.to_original(first)
    return Caret(text, start, max(start + 1, bound.to_original(last)))
