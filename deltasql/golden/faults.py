"""Storage that does to one commit what a schedule says."""

from __future__ import annotations

import re
from collections.abc import Callable

from deltasql.errors.log import AmbiguousWriteError
from deltasql.golden.schedule import Fault
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import is_local, local_path

_COMMIT = re.compile(r"_delta_log/\d{20}\.json")


class NextPut:
    """What is to happen to the next put of a commit, in whatever table of a session."""

    def __init__(self) -> None:
        self._fault = Fault.NONE
        self._before: Callable[[], None] = lambda: None

    def arm(self, fault: Fault, before: Callable[[], None] = lambda: None) -> None:
        """`before` is called in front of a put that is to find its version taken."""
        self._fault, self._before = fault, before

    @property
    def armed(self) -> bool:
        """Whether the fault still waits for its put."""
        return self._fault is not Fault.NONE

    def open_log(self, location: str, name: str) -> DeltaLog:
        """The log at a place, as sessions open it. Faults are for tables on the local disk."""
        return DeltaLog(location, name, _FaultyStore(local_path(location), self) if is_local(location) else None)

    def taken(self) -> Fault:
        """The fault for a put that is made now; what waits in front of it has happened then."""
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
