"""Scenarios: statements that begin on one version of a table, what becomes of the last, and what the table holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from deltasql import DeltaSqlError, Session
from deltasql.log.operations import UNDO_OPTIMIZE
from deltasql.session.execution.run import Pending
from tests.session.concurrency.statements import BASE_ROWS, Row, Rows, Statement
from tests.session.concurrency.stored import Stored, rows_of_delta_rs, stored
from tests.session.concurrency.tables import Tables

WRITE_SERIALIZABLE, SERIALIZABLE = LEVELS = ("WriteSerializable", "Serializable")

OK, IDLE = "ok", "ok without a commit"
CA, CDR, CDD = (f"DELTA_CONCURRENT_{name}.WITHOUT_HINT" for name in ("APPEND", "DELETE_READ", "DELETE_DELETE"))
CA_ROWS, CA_IN, CA_ALL, CA_BUDGET = (
    f"DELTA_CONCURRENT_APPEND.{reason}"
    for reason in ("ROW_LEVEL_CHANGES", "WITH_PARTITION_HINT", "WHOLE_TABLE_READ", "ALLOTTED_TIME_EXCEEDED")
)
CDR_ROWS, CDR_IN = (f"DELTA_CONCURRENT_DELETE_READ.{reason}" for reason in ("ROW_LEVEL_CHANGES", "WITH_PARTITION_HINT"))
CDD_IN = "DELTA_CONCURRENT_DELETE_DELETE.WITH_PARTITION_HINT"
RANDOM = "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED"


@dataclass(frozen=True, slots=True)
class Case:
    """The writers begin in order and commit in order; `ends` is what becomes of the last one, `serial` under
    Serializable where that differs.

    `before` are run first, `first` is how the winners end. `undone` is how often a rearrangement of files is taken
    back, `partition` the one that the error names, `marked` how many rows vectors mark in the end.
    """

    name: str
    writers: tuple[Statement, ...]
    ends: str
    serial: str = ""
    kinds: str = ""
    before: tuple[Statement, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    first: str = OK
    undone: int = 0
    partition: str = ""
    marked: tuple[int, ...] | None = None

    def outcome(self, level: str) -> str:
        return self.serial or self.ends if level == SERIALIZABLE else self.ends

    @property
    def comes_first(self) -> bool:
        """Whether only WriteSerializable lets the last one commit: it then stands before the others."""
        return self.serial not in {"", self.ends}


def both_ways(case: Case) -> tuple[Case, Case]:
    """A case of two writers, and the same with these changed about."""
    return case, replace(case, name=f"{case.name}-changed-about", writers=case.writers[::-1])


@dataclass(slots=True)
class Stage:
    """Tables, and a session for each writer: none sees what another one knows."""

    tables: Tables
    sessions: Sequence[Session]

    def play(self, case: Case, kind: str, level: str, look: Callable[[Path], object] | None = None) -> None:
        """Plays one scenario and checks everything that must be true of it. `look` sees the table before it goes."""
        path = self.tables.copy(kind, level)
        with self._set(case.settings):
            _Run(self, case, path, level).play()
        if look is not None:
            look(path)
        self.tables.drop(path)

    def text(self, statement: Statement, path: Path, version: int = 0) -> str:
        return statement.sql.format(t=f"delta.`{path}`", o=f"delta.`{self.tables.other()}`", v=version)

    @contextmanager
    def _set(self, settings: Mapping[str, str]) -> Iterator[None]:
        for session in self.sessions:
            for key, value in settings.items():
                session.sql(f"SET {key} = {value}")
        try:
            yield
        finally:
            for session in self.sessions:
                for key in settings:
                    session.sql(f"RESET {key}")


@dataclass(slots=True)
class _Run:
    stage: Stage
    case: Case
    path: Path
    level: str
    version: int = 0
    _error: str = ""

    def play(self) -> None:
        rows = BASE_ROWS
        self.version = len(stored(self.path).operations) - 1
        for statement in self.case.before:
            self.stage.sessions[0].sql(self.stage.text(statement, self.path, self.version))
            rows = statement.effect(rows)
        base = stored(self.path)
        *first, last = self._outcomes()
        assert first == [self.case.first if writer.sql else OK for writer in self.case.writers[:-1]]
        assert last == self.case.outcome(self.level), self._error
        assert last in {OK, IDLE} or self.case.partition in self._error
        after = stored(self.path)
        done = [writer for writer, how in zip(self.case.writers, [*first, last], strict=True) if how == OK]
        self._check_commits(base, after, len([writer for writer in done if writer.sql]))
        if last == OK and self.case.comes_first and self.level == WRITE_SERIALIZABLE:
            done = [done[-1], *done[:-1]]
        for writer in done:
            rows = writer.effect(rows)
        self._check_rows(rows, base, after)
        assert self.case.marked is None or after.marked == list(self.case.marked)

    def _outcomes(self) -> list[str]:
        """How each writer ended: OK, IDLE, or the condition of its error."""
        writers = list(zip(self.case.writers, self.stage.sessions, strict=False))
        begun = [None if writer.late else self._begun(writer, session) for writer, session in writers]
        return [
            self._ended(writer, self._begun(writer, session) if pending is None else pending)
            for (writer, session), pending in zip(writers, begun, strict=True)
        ]

    def _begun(self, writer: Statement, session: Session) -> Pending | str:
        if not writer.sql:
            return OK
        try:
            return session.begin(self.stage.text(writer, self.path, self.version))
        except DeltaSqlError as error:
            return error.condition

    def _ended(self, writer: Statement, pending: Pending | str) -> str:
        if writer.meddle is not None:
            writer.meddle(self.path)
        if isinstance(pending, str):
            return pending
        try:
            return IDLE if pending.commit().version is None else OK
        except DeltaSqlError as error:
            self._error = str(error)
            return error.condition

    def _check_commits(self, base: Stored, after: Stored, committed: int) -> None:
        new = after.operations[len(base.operations) :]
        assert (len(new), new.count(UNDO_OPTIMIZE.name)) == (committed + self.case.undone, self.case.undone)

    def _check_rows(self, rows: Rows, base: Stored, after: Stored) -> None:
        """The rows are those of the serial order, and rows that were there before have kept their ids."""
        known = {row.id: row.row_id for row in base.rows if row.id in range(len(BASE_ROWS))}
        own = set(known.values())

        def expected(row: Row) -> tuple[object, ...]:
            return (row.id, row.v, row.p, None if row.origin is None else known.get(row.origin))

        found = [row._replace(row_id=row.row_id if row.row_id in own else None) for row in after.rows]
        assert Counter(map(tuple, found)) == Counter(map(expected, rows))
        assert rows_of_delta_rs(self.path) == sorted((tuple(row)[:3] for row in rows), key=str)
