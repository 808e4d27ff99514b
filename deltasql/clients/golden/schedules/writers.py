"""Several sessions on one warehouse, moved one at a time as a schedule says; storage that fails one commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from typing_extensions import assert_never

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.concurrency import ConcurrentModificationError
from deltasql.base.errors.log import AmbiguousWriteError
from deltasql.clients.golden.record import Recorder
from deltasql.clients.golden.schedules.scenario import ScenarioStep
from deltasql.clients.golden.schedules.schedule import Fault, Move, Schedule, Verb
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.locations import is_local, local_path
from deltasql.session.execution.pending import Pending
from deltasql.session.session import Session


class Ending(Enum):
    """How a statement ended. IDLE: there was nothing to commit. REFUSED: because of concurrent commits."""

    COMMITTED = "committed"
    IDLE = "idle"
    READ = "read"
    REFUSED = "refused"
    FAILED = "failed"
    ABORTED = "aborted"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Ended:
    """How one step ended; `text` is what the outcome line says. `version` is -1 without a commit.

    `commits_before` were there when it ended. `began_from` is a copy of the warehouse when it began; None: as set up.
    """

    step: ScenarioStep
    ending: Ending
    text: str
    version: int
    commits_before: int
    began_from: Path | None


@dataclass(frozen=True, slots=True)
class _Running:
    step: ScenarioStep
    pending: Pending | None
    began_from: Path | None


class Writers:
    """Runs one schedule. `save` copies the warehouse as it is."""

    def __init__(
        self,
        steps: Mapping[str, Sequence[ScenarioStep]],
        sessions: Sessions,
        recorder: Recorder,
        save: Callable[[], Path],
    ) -> None:
        self._sessions = sessions
        self._recorder = recorder
        self._save = save
        self._waiting = {session: list(mine) for session, mine in steps.items()}
        self._running: dict[str, _Running] = {}
        self.ended: list[Ended] = []
        self.defects: list[str] = []

    def run(self, schedule: Schedule) -> None:
        """Makes the moves; how the steps ended is in `ended`, in that order."""
        for move in schedule.moves:
            self._make(move)

    def _make(self, move: Move) -> None:
        match move.verb:
            case Verb.BEGIN:
                self._begin(move.session)
            case Verb.COMMIT:
                self._commit(move)
            case Verb.ABORT:
                running = self._running.pop(move.session)
                if running.pending is not None:
                    running.pending.abort()
                    self._end(running, Ending.ABORTED, "aborted")
            case Verb.CRASH:
                running = self._running.pop(move.session)
                self._sessions.forget(move.session)
                if running.pending is not None:
                    self._end(running, Ending.CRASHED, "crashed")
            case _:
                assert_never(move.verb)

    def _begin(self, session: str) -> None:
        step = self._waiting[session].pop(0)
        began_from = self._save() if self._commits else None
        try:
            pending = self._sessions.of(session).begin(self._recorder.sql_of(step.statement))
        except DeltaSqlError as error:
            # Its later moves find nothing to do.
            self._running[session] = failed = _Running(step, None, began_from)
            self._end(failed, Ending.FAILED, f"{error.condition} at begin")
            return
        self._running[session] = _Running(step, pending, began_from)

    def _commit(self, move: Move) -> None:
        running = self._running.pop(move.session)
        if running.pending is None:
            return
        next_put = self._sessions.next_put(move.session)
        next_put.arm(move.fault, lambda: self._commit(Move(Verb.COMMIT, move.winner)))
        try:
            self._end(running, *self._finished(running, running.pending))
        except ConcurrentModificationError as error:
            self._end(running, Ending.REFUSED, error.condition)
        except DeltaSqlError as error:
            self._end(running, Ending.FAILED, error.condition)
        if next_put.armed:
            next_put.arm(Fault.NONE)
            self.defects.append(f"'{move}': it put no commit, so that nothing could happen to it.")
        if move.winner in self._running:
            self._commit(Move(Verb.COMMIT, move.winner))

    def _finished(self, running: _Running, pending: Pending) -> tuple[Ending, str, int]:
        result = pending.commit()
        if result.is_query:
            lines = list(self._recorder.outcome(running.step.statement, result))[1:]
            return Ending.READ, " ".join(["read", *(f"({line.replace(' | ', ', ')})" for line in lines)]), -1
        if result.version is None:
            return Ending.IDLE, "ok without a commit", -1
        return Ending.COMMITTED, f"ok v{result.version}", result.version

    def _end(self, running: _Running, ending: Ending, text: str, version: int = -1) -> None:
        self.ended.append(Ended(running.step, ending, text, version, self._commits, running.began_from))

    @property
    def _commits(self) -> int:
        return sum(item.ending is Ending.COMMITTED for item in self.ended)


class Sessions:
    """The sessions of one run, opened on first use."""

    def __init__(self, open_session: Callable[[], Session]) -> None:
        self._open_session = open_session
        self._open: dict[str, tuple[Session, NextPut]] = {}
        self._all: list[Session] = []

    def of(self, name: str) -> Session:
        return self._named(name)[0]

    def next_put(self, name: str) -> NextPut:
        return self._named(name)[1]

    def forget(self, name: str) -> None:
        """Leaves a session as it is, as a process does that dies. The next one of this name is new."""
        self._open.pop(name, None)

    @property
    def spark_started(self) -> bool:
        return any(session.spark_started for session in self._all)

    def close(self) -> None:
        """All of them at once: closing one resets settings that others may still need."""
        for session in self._all:
            session.sql("RESET")
            session.close()

    def _named(self, name: str) -> tuple[Session, NextPut]:
        if name not in self._open:
            session, next_put = self._open_session(), NextPut()
            self._all.append(session)
            session.open_log = next_put.open_log
            session.sql("SET spark.sql.session.timeZone = UTC")
            self._open[name] = session, next_put
        return self._open[name]


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
