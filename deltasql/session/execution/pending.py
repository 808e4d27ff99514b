"""A staged statement that is not yet committed.

Carets of errors in the user's text, and the removal of secrets from errors.

An engine that has not been started: most statements on metadata never start it.

Questions whose answer is no without a session are answered without a start; any other starts the engine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.syntax import TooComplexError
from deltasql.base.errors.usage import StatementEndedError
from deltasql.base.interrupts import interruptible
from deltasql.files.result import Columnar, Placed, Result
from deltasql.log.storage.stores import Stores
from deltasql.planner.door import StatementEngine
from deltasql.schema.types import matching
from deltasql.session.execution.run import Run
from deltasql.sql.parameter_nodes import BoundStatement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Pending:
    """Result of `Session.begin`: a statement that has read tables and staged its files, but committed nothing.

    `commit` or `abort` ends it; leaving a `with` block without a commit aborts it, too.
    """

    def __init__(self, run: Run, finish: Callable[[], Result], placed: Placed, planning: float) -> None:
        """`finish` commits `run` and returns its Result; `planning` is the time spent so far, in seconds."""
        self._run, self._finish, self._placed, self._planning = run, finish, placed, planning
        self._ended = False

    @property
    def is_query(self) -> bool:
        """Whether the statement is a query, as opposed to a command that returns rows."""
        return self._run.is_query

    @property
    def most_attempts(self) -> int:
        """The number of times that `Session.sql` may run the statement if it conflicts with concurrent commits."""
        return self._run.most_attempts

    def commit(self) -> Result:
        """Checks for conflicts with commits since `begin`, and commits.

        Raises a ConcurrentModificationError on a conflict, after removing the staged files. Raises StatementEndedError
        the second time.
        """
        self._end()
        started = time.perf_counter()
        with interruptible(), self._placed():
            try:
                result = self._finish()
            except KeyboardInterrupt:
                # This keeps the files of a commit that may exist.
                self._run.discard()
                raise
        result.elapsed = self._planning + time.perf_counter() - started
        return result

    def abort(self) -> None:
        """Removes the staged files. Raises StatementEndedError if the statement has ended already."""
        self._end()
        self._run.discard()

    def __enter__(self) -> Pending:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if not self._ended:
            self.abort()

    def _end(self) -> None:
        if self._ended:
            raise StatementEndedError
        self._ended = True


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


def unstarted_engine(stores: Stores, start: Callable[[], StatementEngine]) -> StatementEngine:
    """The engine of a statement, which `start` makes at the first question that needs one."""
    return cast(StatementEngine, Asleep(stores, start))


class Asleep:
    """A placeholder for the engine of a statement until it is needed; `start` makes it. See `StatementEngine`."""

    def __init__(self, stores: Stores, start: Callable[[], StatementEngine]) -> None:
        self.stores = stores
        self._start = start
        self._engine: StatementEngine | None = None

    @property
    def _awake(self) -> StatementEngine:
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def __getattr__(self, name: str) -> Any:
        """Any question that is not answered below starts the engine."""
        return getattr(self._awake, name)

    def frame_of(self, rows: Columnar) -> DataFrame:
        """A result gets this method before anybody asks for its DataFrame."""
        return self._awake.frame_of(rows)

    @property
    def started(self) -> bool:
        return self._engine is not None and self._engine.started

    def setting(self, key: str) -> str | None:
        return None if self._engine is None else self._engine.setting(key)

    def knows(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows(parts)

    def knows_view(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_view(parts)

    def knows_function(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_function(parts)

    def temporary_views(self) -> list[str]:
        return [] if self._engine is None else self._engine.temporary_views()

    def forget_view(self, parts: Sequence[str]) -> None:
        if self._engine is not None:
            self._engine.forget_view(parts)

    def forget_function(self, name: str) -> None:
        if self._engine is not None:
            self._engine.forget_function(name)

    def release(self) -> None:
        if self._engine is not None:
            self._engine.release()
