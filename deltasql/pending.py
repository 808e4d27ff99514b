"""A statement between its two phases."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from deltasql.errors.usage import StatementEndedError
from deltasql.result import Result

Placed = Callable[[], AbstractContextManager[None]]
"""A context in which errors get their place in the user's text."""


class Pending:
    """What `Session.begin` gives: a statement that has read and written its files, and has committed nothing.

    `commit` or `abort` ends it; leaving a `with` block without a commit aborts it, too.
    """

    def __init__(
        self,
        finish: Callable[[], Result],
        discard: Callable[[], None],
        placed: Placed,
        planning: float,
        may_repeat: bool = False,
    ) -> None:
        self._finish, self._discard, self._placed, self._planning = finish, discard, placed, planning
        self._ended = False
        self.may_repeat = may_repeat
        """Whether the statement may be run once more after it lost a race, and would do the same on the same rows."""

    def commit(self) -> Result:
        """Checks what others have committed since `begin`, and commits.

        Raises a ConcurrentModificationError where that conflicts; then nothing is left behind. Raises
        StatementEndedError the second time.
        """
        self._end()
        started = time.perf_counter()
        with self._placed():
            result = self._finish()
        result.elapsed = self._planning + time.perf_counter() - started
        return result

    def abort(self) -> None:
        """Removes what was staged. Raises StatementEndedError after a commit."""
        self._end()
        self._discard()

    def __enter__(self) -> Pending:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if not self._ended:
            self.abort()

    def _end(self) -> None:
        if self._ended:
            raise StatementEndedError
        self._ended = True
