"""A statement between its two phases."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from deltasql.errors.usage import StatementEndedError
from deltasql.execution.run import Run
from deltasql.interrupts import interruptible
from deltasql.result import Placed, Result


class Pending:
    """What `Session.begin` gives: a statement that has read and written its files, and has committed nothing.

    `commit` or `abort` ends it; leaving a `with` block without a commit aborts it, too.
    """

    def __init__(self, run: Run, finish: Callable[[], Result], placed: Placed, planning: float) -> None:
        """`finish` commits `run` and makes a Result of it; `planning` are the seconds that were spent so far."""
        self._run, self._finish, self._placed, self._planning = run, finish, placed, planning
        self._ended = False

    @property
    def is_query(self) -> bool:
        """Whether the statement is a query, and no command that gives rows."""
        return self._run.is_query

    @property
    def most_attempts(self) -> int:
        """How often `Session.sql` may begin the statement anew if it loses its races."""
        return self._run.most_attempts

    def commit(self) -> Result:
        """Checks what others have committed since `begin`, and commits.

        Raises a ConcurrentModificationError where that conflicts; then nothing is left behind. Raises
        StatementEndedError the second time.
        """
        self._end()
        started = time.perf_counter()
        with interruptible(), self._placed():
            try:
                result = self._finish()
            except KeyboardInterrupt:
                # It keeps the files of a commit that may be there.
                self._run.discard()
                raise
        result.elapsed = self._planning + time.perf_counter() - started
        return result

    def abort(self) -> None:
        """Removes what was staged. Raises StatementEndedError after a commit."""
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
