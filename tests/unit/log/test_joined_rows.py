"""Races of a transaction of several statements: what one of them depends on is a conflict, anything else is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import RowAppendError, RowDeleteReadError
from deltasql.log import operations
from deltasql.log.actions.deletion_vectors import MarkedFile, mark_rows
from deltasql.log.commit.commit_writer import Provenance
from deltasql.log.commit.row_rebase import Budget, RowRebase, TouchedRows
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.pending import JoinedRows, NetActions, PinnedLog
from tests.unit.log.races import Reader, Table, positions

NOW = 1_000


class Statements:
    """A transaction whose statements delete rows of `f1` by their number."""

    def __init__(self, table: Table, *picks: int) -> None:
        self.table, self.pinned = table, PinnedLog(table.log)
        self.net = NetActions(table.log.location)
        self.readers: list[Reader] = []
        for row in picks:
            (add,) = self.pinned.snapshot().add_files(["f1"])
            marked = [MarkedFile(add, positions(row), 10)]
            self.net = self.net.after([], NOW, marked, mark_rows(table.log.store, marked, NOW))
            self.pinned.put_on_top(self.net)
            self.readers.append(Reader(table, {row}))

    def commit(self) -> Commit | None:
        read = self.pinned.read
        transaction = Transaction(self.table.log, read)
        for reader in self.readers:
            transaction.record_read(f"x IN ({sorted(reader.picks)})", ["f1", "f2"])
        base = Reader(self.table, files={add.path: add for add in read.add_files(["f1", "f2"])})
        rows = JoinedRows(base, self.readers)
        touched = TouchedRows(
            self.table.log.store, self.table.log.location, rows, dict(self.net.marked), self.net.marking(NOW)
        )
        return transaction.commit_rebased(
            Provenance(operations.TRANSACTION, {}), self.net.fixed_actions(), RowRebase(touched, rows, Budget())
        )


def delete(table: Table, row: int) -> Any:
    """What another writer commits meanwhile."""
    return Statements(table, row).commit()


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(str(tmp_path / "t"))


def test_other_rows_of_the_files_are_no_conflict(table: Table) -> None:
    ours = Statements(table, 3, 5)
    delete(table, 4)
    done = ours.commit()
    assert done is not None
    assert done.version == 2
    assert table.contents() == [row for row in range(20) if row not in {3, 4, 5}]


@pytest.mark.parametrize("row", [3, 5])
def test_a_row_of_any_statement_is_one(table: Table, row: int) -> None:
    ours = Statements(table, 3, 5)
    delete(table, row)
    with pytest.raises(RowDeleteReadError, match="1 row of f1"):
        ours.commit()


@pytest.mark.parametrize(("row", "met"), [(3, True), (5, True), (7, False)])
def test_so_is_a_new_row_that_any_statement_would_have_taken(table: Table, row: int, met: bool) -> None:
    ours = Statements(table, 3, 5)
    # No blind append, which a transaction may be put before.
    transaction = Transaction(table.log, table.log.snapshot())
    transaction.record_read("x = 100", ["f2"])
    transaction.commit(operations.MERGE, {}, [table.file("n1", [row])])
    if not met:
        assert ours.commit() is not None
        return
    with pytest.raises(RowAppendError):
        ours.commit()


def test_seen_rows_are_those_of_all_statements_on_the_files_as_they_were_read(table: Table) -> None:
    (before,) = table.log.snapshot().add_files(["f1"])
    delete(table, 1)
    (marked,) = table.log.snapshot().add_files(["f1"])
    readers = [
        Reader(table, found={"f1": MarkedFile(before, positions(2), 10)}),
        Reader(table, found={"f1": MarkedFile(marked, positions(2, 4), 10)}),
        Reader(table),
    ]
    rows = JoinedRows(Reader(table, files={"f1": before}), readers)
    found = rows.seen(["f1", "f2"])
    assert list(found) == ["f1"]
    assert found["f1"].add is before
    assert found["f1"].rows.tolist() == [2, 4]


def test_candidates_of_any_statement_are_asked_of_all(table: Table) -> None:
    adds = [table.file(name, [number]) for number, name in enumerate(("a", "b", "c"))]
    readers = [Reader(table, {0}, skipped={"b", "c"}), Reader(table, {1}, skipped={"a", "c"})]
    rows = JoinedRows(readers[0], readers)
    assert [add.path for add in rows.candidates(adds)] == ["a", "b"]
    assert rows.selects(adds[1:2])
    assert not rows.selects(adds[2:])
