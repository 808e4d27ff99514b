"""Storage that injects the fault of a schedule into the put of one commit."""

from __future__ import annotations

import re
from collections.abc import Callable

from deltasql.errors.log import AmbiguousWriteError
from deltasql.golden.schedules.schedule import Fault
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import is_local, local_path

_COMMIT = re.compile(r"_delta_log/\d{20}\.json")


class NextPut:
    """The fault to inject into the next put of a commit, in any table of a session."""

    def __init__(self) -> None:
        self._fault = Fault.NONE
        self._before: Callable[[], None] = lambda: None

    def arm(self, fault: Fault, before: Callable[[], None] = lambda: None) -> None:
        """Sets the fault; `before` is called before a put with Fault.BEHIND, to commit its version first."""
        self._fault, self._before = fault, before

    @property
    def armed(self) -> bool:
        """Whether the fault has not been injected yet."""
        return self._fault is not Fault.NONE

    def open_log(self, location: str, name: str) -> DeltaLog:
        """The log at a location, as sessions open it. Faults are injected on the local disk only."""
        return DeltaLog(location, name, _FaultyStore(local_path(location), self) if is_local(location) else None)

    def taken(self) -> Fault:
        """The fault for the current put, which is then disarmed; calls `before` for Fault.BEHIND."""
        fault, self._fault = self._fault, Fault.NONE
        if fault is Fault.BEHIND:
            self._before()
        return fault


class _FaultyStore(LocalLogStore):
    def __init__(self, root: str, next_put: NextPut) -> None:
        super().__init__(root)
        self._next_put = next_put

    def put_if_absent(self, path: str, data: bytes) -> bool:
        fault = self._next_put.taken() if _COMMIT.fullmatch(path) else Fault.NONE
        if fault is Fault.UNSENT:
            raise AmbiguousWriteError(self.url(path), "the schedule lets it time out before it is stored")
        created = super().put_if_absent(path, data)
        if fault is Fault.UNANSWERED:
            raise AmbiguousWriteError(self.url(path), "the schedule loses its answer")
        return created
