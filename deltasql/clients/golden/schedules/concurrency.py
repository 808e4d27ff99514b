"""Runs scenarios: each schedule on a copy of the setup, with its result compared to those of serial orders."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.golden.compare import SCHEDULE
from deltasql.clients.golden.record import Block, Recorder, block, described
from deltasql.clients.golden.schedules.scenario import Scenario
from deltasql.clients.golden.schedules.schedule import Schedule
from deltasql.clients.golden.schedules.serial import (
    MOST_STATEMENTS,
    Order,
    SerialRows,
    allowed_orders,
    explaining,
    with_change,
)
from deltasql.clients.golden.schedules.writers import Ended, Ending, Sessions, Writers
from deltasql.clients.golden.watch import LogWatch
from deltasql.log.commit.commit_writer import table_level
from deltasql.log.commit.conflict import IsolationLevel
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.session.session import Session


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
