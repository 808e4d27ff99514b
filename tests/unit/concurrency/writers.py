"""Writers of one table that need no rows: metadata statements, and transactions over files that nobody opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deltasql import Session, connect
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile, DomainMetadata, Metadata, SetTransaction
from deltasql.log.commit.commit_writer import Provenance
from deltasql.log.commit.conflict import Rebase
from deltasql.log.commit.transaction import Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import INTEGER, StructField, StructType

OK, IDLE = "ok", "ok without a commit"
SCHEMA = StructType((StructField("id", INTEGER),))

Commit = Callable[[], Any]
Begin = Callable[["Lab"], Commit]
"""What a writer does first: it looks at the table as it is. What comes back commits."""


@dataclass(slots=True)
class Lab:
    """A table of two files, and writers of whom none sees what another one knows."""

    place: Path
    _sessions: list[Session] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.place / "t"

    def session(self) -> Session:
        opened = connect(str(self.place / "warehouse" / str(len(self._sessions))))
        self._sessions.append(opened)
        return opened

    def log(self) -> DeltaLog:
        return DeltaLog(str(self.path))

    def sql(self, text: str) -> Any:
        return self.session().sql(text.format(t=f"delta.`{self.path}`"))

    def create(self, *properties: str, columns: str = "id INT", more: str = "", files: int = 2) -> None:
        """A new table with properties key=value, as SQL has them."""
        listed = ", ".join("'{}' = '{}'".format(*item.split("=")) for item in properties)
        self.sql(f"CREATE TABLE {{t}} ({columns}) {more} {f'TBLPROPERTIES ({listed})' if listed else ''}")
        for number in range(files):
            append(f"f{number}")(self)()

    def close(self) -> None:
        for session in self._sessions:
            session.close()
            assert not session.spark_started


def outcomes(lab: Lab, *writers: Begin) -> list[str]:
    """How each writer ended: all begin, then commit in order. OK, IDLE, or the condition of its error."""
    begun = [_attempted(lambda writer=writer: writer(lab)) for writer in writers]  # type: ignore[misc]
    return [commit if isinstance(commit, str) else _ended(commit) for commit in begun]


def _attempted(begin: Callable[[], Commit]) -> Commit | str:
    try:
        return begin()
    except DeltaSqlError as error:
        return error.condition


def _ended(commit: Commit) -> str:
    try:
        return IDLE if commit().version is None else OK
    except DeltaSqlError as error:
        return error.condition


def statement(sql: str) -> Begin:
    """`sql` has {t} for the table."""
    return lambda lab: lab.session().begin(sql.format(t=f"delta.`{lab.path}`")).commit


def at_once(sql: str) -> Begin:
    """A statement of several commits, which has no first phase: it does all when it is its turn."""

    def begin(lab: Lab) -> Commit:
        session = lab.session()
        return lambda: session.sql(sql.format(t=f"delta.`{lab.path}`"))

    return begin


def file(name: str) -> AddFile:
    return AddFile(name, {}, 10, 1, stats='{"numRecords":3}')


def append(*names: str, txn: tuple[str, int] | None = None, reads: str | None = None, domain: str = "") -> Begin:
    """Adds files; with an application's number, having asked for one (`reads`), with a domain."""
    others: list[Action] = [] if txn is None else [SetTransaction(*txn)]
    if domain:
        others.append(DomainMetadata(domain, "{}"))

    def begin(lab: Lab) -> Commit:
        log = lab.log()
        transaction = Transaction(log, log.snapshot())
        if reads is not None:
            transaction.record_read_app_id(reads)
        return lambda: transaction.commit(
            operations.WRITE, {"mode": "Append"}, [*others, *(file(name) for name in names)]
        )

    return begin


def rewrite(old: str, new: str, operation: str = "UPDATE") -> Begin:
    """Reads one file and puts another one in its place."""

    def begin(lab: Lab) -> Commit:
        log = lab.log()
        transaction = Transaction(log, log.snapshot())
        transaction.record_read("id = 5", [old])
        (gone,) = log.snapshot().add_files([old])
        came = replace(file(new), data_change=operation != "OPTIMIZE")
        return lambda: transaction.commit(
            operations.operation_named(operation), {}, [gone.remove(1, data_change=came.data_change), came]
        )

    return begin


def raises_identity(number: int) -> Begin:
    """INSERT into a table with an identity column: new files, and metadata that say where the column goes on."""

    def begin(lab: Lab) -> Commit:
        log = lab.log()
        snapshot = log.snapshot()
        transaction = Transaction(log, snapshot)
        metadata = replace(snapshot.metadata, configuration={**snapshot.configuration, "mark": str(number)})
        actions: Sequence[Action] = [metadata, file(f"n{number}")]
        return lambda: transaction.commit(operations.WRITE, {}, actions, tags={"delta.identity.schemaUpdate": "true"})

    return begin


def creates_with_a_file(name: str) -> Begin:
    """An append to a place where there is no table yet."""

    def begin(lab: Lab) -> Commit:
        transaction = Transaction(lab.log(), None)
        return lambda: transaction.commit(operations.WRITE, {}, [Protocol(1, 2), Metadata(name, SCHEMA), file(name)])

    return begin


def nothing(lab: Lab) -> Commit:
    """A commit without actions, of a writer that has looked for rows in one file."""
    log = lab.log()
    transaction = Transaction(log, log.snapshot())
    transaction.record_read("id = 5", ["f1"])
    return lambda: transaction.commit_rebased(Provenance(operations.Operation("Manual Update"), {}), [], Rebase())
