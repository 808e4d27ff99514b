"""Runs scenarios of concurrent statements, and compares the result of each schedule to those of serial orders.

Each schedule runs on a copy of the setup, by several sessions on one warehouse, which move one at a time; the storage
may fail one commit. A schedule is serializable if some serial order of its statements explains the result. Only rows
are compared, not files. Source: Delta Lake documentation, Isolation levels.
"""

from __future__ import annotations

import itertools
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from typing_extensions import assert_never

from deltasql.base import DeltaSqlError, errors
from deltasql.clients.golden.compare import SCHEDULE
from deltasql.clients.golden.log_changes import LogWatch
from deltasql.clients.golden.record import Block, Recorder, block, described
from deltasql.clients.golden.schedules.schedule import Fault, Move, Scenario, ScenarioStep, Schedule, Verb
from deltasql.log import DeltaLog, IsolationLevel, LocalLogStore, is_local, local_path, table_level
from deltasql.session import Pending, Session


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
        except errors.ConcurrentModificationError as error:
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
            raise errors.AmbiguousWriteError(self.url(path), "the schedule lets it time out before it is stored")
        created = super().put_if_absent(path, data)
        if fault is Fault.UNANSWERED:
            raise errors.AmbiguousWriteError(self.url(path), "the schedule loses its answer")
        return created


Order = tuple[str, ...]
"""A serial order of statements, by their labels."""

MOST_STATEMENTS = 5
"""Most statements for which all orders are run: six would have 720."""


@dataclass(frozen=True, slots=True)
class SerialRows:
    """Result of the check query as text: its columns, and its rows in any order."""

    columns: str
    rows: tuple[str, ...]

    def same(self, other: SerialRows | None) -> bool:
        return other is not None and self.columns == other.columns and Counter(self.rows) == Counter(other.rows)


RunSerially = Callable[[Order], "SerialRows | None"]
"""The rows after serial execution of these statements on the setup; None if one of them fails."""


def allowed_orders(commits: Order, any_order: bool, idle: Sequence[str] = ()) -> Iterator[Order]:
    """The serial orders that may explain `commits`, which are in order of versions; that order comes first.

    Serializable allows that order alone, WriteSerializable (`any_order`) every one. `idle` statements, which have
    committed no version, may be anywhere: orders without them come first.
    """
    orders: Iterable[Order] = itertools.permutations(commits) if any_order else (commits,)
    yield from orders
    for number in range(1, len(idle) + 1):
        for chosen in itertools.permutations(idle, number):
            yield from _with_inserted(commits, chosen, any_order)


def _with_inserted(commits: Order, idle: Order, any_order: bool) -> Iterator[Order]:
    for order in itertools.permutations((*commits, *idle)):
        if any_order or tuple(label for label in order if label in commits) == commits:
            yield order


def explaining(rows: SerialRows, orders: Iterable[Order], run: RunSerially) -> Order | None:
    """The first of the orders that results in `rows`, or None."""
    return next((order for order in orders if rows.same(run(order))), None)


def with_change(rows: SerialRows, before: SerialRows | None, after: SerialRows | None) -> SerialRows | None:
    """`rows` with the difference from `before` to `after` applied; None if rows to delete are missing.

    This is the result if the changes of a refused statement had been committed after those of the others.
    """
    if before is None or after is None or not rows.columns == before.columns == after.columns:
        return None
    old, new, present = Counter(before.rows), Counter(after.rows), Counter(rows.rows)
    gone = old - new
    if gone - present:
        return None
    return SerialRows(rows.columns, tuple((present - gone + (new - old)).elements()))


@dataclass(slots=True)
class ScenarioRun:
    """Runs a scenario in the empty directory `directory`. `spark_started` is valid after the last block."""

    scenario: Scenario
    session_factory: Callable[[str], Session]
    directory: Path
    spark_started: bool = False

    def blocks(self) -> Iterator[Block]:
        """The blocks of the setup and of every schedule, for each level."""
        for level in self.scenario.levels:
            copies = _Copies(self.directory / (level or "all"))
            yield from _LevelRun(self, copies, level).blocks()

    @contextmanager
    def sessions(self, warehouse: Path) -> Iterator[Sessions]:
        """Context: sessions on `warehouse`, closed at the end."""
        opened = Sessions(partial(self.session_factory, str(warehouse)))
        try:
            yield opened
        finally:
            self.spark_started = self.spark_started or opened.spark_started
            opened.close()


@dataclass(slots=True)
class _Copies:
    """A warehouse that can be restored from copies. Its path never changes: the catalog has absolute locations."""

    directory: Path
    _saved: int = 0

    def __post_init__(self) -> None:
        self.warehouse.mkdir(parents=True)

    @property
    def warehouse(self) -> Path:
        return self.directory / "warehouse"

    def save(self) -> Path:
        """A copy of the warehouse as it is now."""
        self._saved += 1
        return Path(shutil.copytree(self.warehouse, self.directory / f"copy{self._saved}"))

    def restore(self, copy: Path) -> None:
        """Restores the warehouse from a copy. No session may be open."""
        shutil.rmtree(self.warehouse)
        shutil.copytree(copy, self.warehouse)


@dataclass(frozen=True, slots=True)
class _Played:
    """Result of one schedule: how its statements ended, the rows of the check, the tables with new commits."""

    ended: Sequence[Ended]
    rows: SerialRows
    tables: Sequence[str]
    defects: Sequence[str]

    @property
    def commits(self) -> Order:
        """Labels of the committed statements, in the order of their versions in the one table."""
        done = sorted((item for item in self.ended if item.ending is Ending.COMMITTED), key=lambda item: item.version)
        return tuple(item.step.label for item in done)

    @property
    def idle(self) -> Order:
        return tuple(item.step.label for item in self.ended if item.ending is Ending.IDLE)

    @property
    def to_order(self) -> int:
        """Number of statements in the longest serial order; each order has at most one refused statement."""
        refused = any(item.ending is Ending.REFUSED for item in self.ended)
        return len(self.commits) + len(self.idle) + refused


class _LevelRun:
    """All schedules of a scenario with one value of `${LEVEL}`."""

    def __init__(self, run: ScenarioRun, copies: _Copies, level: str) -> None:
        self._run = run
        self._scenario = run.scenario
        self._copies = copies
        self._recorder = Recorder(copies.warehouse, level, run.scenario.text)
        self._as_set_up = copies.directory
        self._serial: dict[Order, SerialRows | None] = {}

    def blocks(self) -> Iterator[Block]:
        with self._run.sessions(self._copies.warehouse) as opened:
            for statement in self._scenario.setup:
                yield self._recorder.record(statement, opened.of(""), must_succeed=True)
        self._as_set_up = self._copies.save()
        for schedule in self._scenario.schedules:
            yield self._block(schedule)

    def _block(self, schedule: Schedule) -> Block:
        lines = [self._recorder.title(SCHEDULE, schedule.name), str(schedule)]
        try:
            played = self._played(schedule)
            verdict, defect = self._verdict(played)
        except Exception as error:
            return block([*lines, *self._recorder.defect(error)], schedule.position, described(error))
        lines += [f"-- outcome: {verdict}", played.rows.columns, *played.rows.rows]
        defects = [*played.defects, *([defect] if defect else [])]
        lines_of_rows = [played.rows.columns, *played.rows.rows]
        warning = self._recorder.warning(self._scenario.check, lines_of_rows, has_rows=True)
        return block(lines, schedule.position, " ".join(f"{schedule}: {text}" for text in defects), warning)

    def _played(self, schedule: Schedule) -> _Played:
        self._copies.restore(self._as_set_up)
        watch = LogWatch(self._copies.warehouse)
        watch.look()
        with self._run.sessions(self._copies.warehouse) as opened:
            writers = Writers(self._scenario.steps, opened, self._recorder, self._copies.save)
            writers.run(schedule)
            rows = self._rows(opened)
        return _Played(writers.ended, rows, [item.table for item in watch.look()], writers.defects)

    def _rows(self, opened: Sessions) -> SerialRows:
        """The rows of the check query. Raises its errors."""
        check = self._scenario.check
        result = opened.of("").sql(self._recorder.sql_of(check))
        self._recorder.look()
        columns, *rows = self._recorder.outcome(check, result)
        return SerialRows(columns, tuple(rows))

    def _verdict(self, played: _Played) -> tuple[str, str]:
        """The outcome line, and its defect or ""."""
        labels = [f"{item.step.label} {item.text}" for item in played.ended]
        if len(played.tables) > 1:
            # Transactions are those of one table: across tables nothing is promised.
            return " | ".join([*labels, f"not checked: commits to {len(played.tables)} tables"]), ""
        if played.to_order > MOST_STATEMENTS:
            return " | ".join([*labels, f"not checked: {played.to_order} statements"]), ""
        level = self._level(played.tables)
        any_order = level is IsolationLevel.WRITE_SERIALIZABLE
        for index, item in enumerate(played.ended):
            if item.ending is Ending.REFUSED:
                labels[index] += " needless" if self._is_needless(item, played, any_order) else " needed"
        order = explaining(played.rows, allowed_orders(played.commits, any_order, played.idle), self._serially)
        if order is None:
            problem = f"The rows are those of no serial order that {level.value} allows."
            return " | ".join([*labels, "as no serial order"]), problem
        return " | ".join([*labels, f"as {', '.join(order)}" if order else "as set up"]), ""

    def _is_needless(self, refused: Ended, played: _Played, any_order: bool) -> bool:
        """Whether an allowed serial order explains the rows including the changes of a refused statement."""
        label, start = refused.step.label, refused.began_from
        before, after = self._after((), start), self._after((label,), start)
        merged = with_change(played.rows, before, after)
        if merged is None:
            return False
        commits = played.commits
        orders = allowed_orders(
            (*commits[: refused.commits_before], label, *commits[refused.commits_before :]), any_order, played.idle
        )
        return explaining(merged, orders, self._serially) is not None

    def _level(self, tables: Sequence[str]) -> IsolationLevel:
        if not tables:
            return IsolationLevel.SERIALIZABLE
        log = DeltaLog(str(self._copies.warehouse / tables[0]))
        return table_level(log.snapshot().metadata.configuration)

    def _serially(self, order: Order) -> SerialRows | None:
        return self._after(order, None)

    def _after(self, order: Order, start: Path | None) -> SerialRows | None:
        """The rows after serial execution of some statements on a copy (None: the setup); None if one of them fails."""
        if start is None and order in self._serial:
            return self._serial[order]
        self._copies.restore(start or self._as_set_up)
        rows = self._one_by_one(order)
        if start is None:
            self._serial[order] = rows
        return rows

    def _one_by_one(self, order: Order) -> SerialRows | None:
        with self._run.sessions(self._copies.warehouse) as opened:
            try:
                for label in order:
                    opened.of("").sql(self._recorder.sql_of(self._scenario.statements[label]))
            except DeltaSqlError:
                return None
            return self._rows(opened)
