"""Actions of several statements as those of one commit: held against replay of one commit for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltasql.log import operations
from deltasql.log.actions.actions import (
    Action,
    AddCDCFile,
    AddFile,
    DomainMetadata,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.log.actions.deletion_vectors import MarkedFile, deleted_rows, mark_rows, vector_path
from deltasql.log.commit.commit_writer import check_commit
from deltasql.log.commit.transaction import Transaction
from deltasql.log.pending import NetActions, PinnedLog
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.schema.types import LONG, StructField, StructType
from tests.samples import examples

ROWS = 6
NOW = 1_000
SCHEMA = StructType((StructField("x", LONG),))
FEATURES = frozenset({"deletionVectors", "domainMetadata"})
PROTOCOL = Protocol(3, 7, frozenset({"deletionVectors"}), FEATURES | {"domainMetadata"})


def file(path: str) -> AddFile:
    return AddFile(path, {}, 4, 1, True, json.dumps({"numRecords": ROWS}))


@dataclass(frozen=True)
class Step:
    """One statement: files that it adds, numbers of live files that it removes, and of those of which it takes rows."""

    adds: int
    removes: tuple[int, ...] = ()
    marks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


STEPS = st.lists(
    st.builds(
        Step,
        adds=st.integers(0, 2),
        removes=st.lists(st.integers(0, 5), max_size=2, unique=True).map(tuple),
        marks=st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, ROWS - 1), max_size=4).map(tuple), max_size=3),
    ),
    min_size=1,
    max_size=6,
)


class Table:
    """A table of three files, one of which has a vector, with a place for what a transaction does."""

    def __init__(self, location: Path) -> None:
        self.log = DeltaLog(str(location), "t")
        metadata = Metadata("the-id", SCHEMA, created_time=1)
        Transaction(self.log, None).commit(
            operations.CREATE_TABLE, {}, [PROTOCOL, metadata, *(file(f"f{number}") for number in range(3))]
        )
        (add,) = self.log.snapshot().add_files(["f0"])
        first = mark_rows(self.log.store, [MarkedFile(add, np.array([1], np.uint64), ROWS)], NOW)
        self.commit(first.actions)
        self.names = count()

    def commit(self, actions: Sequence[Action]) -> Snapshot:
        transaction = Transaction(self.log, self.log.snapshot())
        transaction.record_read()
        return transaction.commit(operations.DELETE, {}, actions).snapshot

    def live(self, snapshot: Snapshot) -> dict[str, list[int]]:
        """The live rows of each file by path."""
        found = {}
        paths = snapshot.files(("path",)).column("path").to_pylist()
        assert len(set(paths)) == len(paths)
        for add in snapshot.add_files(paths):
            gone = [] if add.deletion_vector is None else self.deleted(add)
            found[add.path] = [row for row in range(ROWS) if row not in gone]
        return found

    def deleted(self, add: AddFile | RemoveFile) -> list[int]:
        if add.deletion_vector is None:
            return []
        rows: list[int] = deleted_rows(self.log.store, add.deletion_vector.to_json()).tolist()
        return rows

    def statement(self, step: Step, snapshot: Snapshot) -> tuple[list[Action], list[MarkedFile], Any]:
        """What the statement of a step does, given the table as it finds it."""
        live = self.live(snapshot)
        adds = snapshot.add_files(live)
        removed = [adds[number] for number in step.removes if number < len(adds)]
        marked = []
        for number, rows in step.marks.items():
            if number < len(adds) and adds[number] not in removed:
                own = sorted(set(rows) & set(live[adds[number].path]))
                if own:
                    marked.append(MarkedFile(adds[number], np.array(own, np.uint64), ROWS))
        new = [file(f"n{next(self.names)}") for _ in range(step.adds)]
        marking = mark_rows(self.log.store, marked, NOW)
        return [*(add.remove(NOW) for add in removed), *new], marked, marking


@examples(max_examples=60)
@given(STEPS)
def test_one_commit_is_as_good_as_many(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    folder = tmp_path_factory.mktemp("net")
    table = Table(folder / "t")
    read = table.log.snapshot()
    before = {add.path: add for add in read.add_files(table.live(read))}
    pinned, net = PinnedLog(table.log), NetActions(table.log.location)
    for step in steps:
        actions, marked, marking = table.statement(step, pinned.snapshot())
        net = net.after(actions, NOW, marked, marking)
        expected = table.live(pinned.snapshot())
        expected |= {action.path: list(range(ROWS)) for action in actions if isinstance(action, AddFile)}
        gone = {action.path for action in actions if isinstance(action, RemoveFile)}
        lost = {item.add.path: set(item.rows.tolist()) for item in marked}
        expected = {
            path: [row for row in rows if row not in lost.get(path, ())]
            for path, rows in expected.items()
            if path not in gone
        }
        # The table on top of which the next statement is planned.
        assert table.live(pinned.put_on_top(net)) == {path: rows for path, rows in expected.items() if rows}
    final = net.marking(NOW)
    actions = [*net.fixed_actions(), *(() if final is None else final.actions)]
    check_commit(actions, PROTOCOL, read.metadata, "t", table.log.location)
    # What is removed is removed as the version before has it, and nothing that is new is.
    for action in actions:
        if isinstance(action, RemoveFile):
            assert table.deleted(action) == table.deleted(before[action.path])
    # Rows that are marked are so on top of the vector that was read.
    for path, item in net.marked.items():
        assert item.add == before[path]
        assert not set(item.rows.tolist()) & set(table.deleted(item.add))
    assert pinned.read is read
    assert table.log.snapshot().version == read.version
    expected = table.live(pinned.snapshot())
    if actions:
        assert table.live(table.commit(actions)) == expected
    assert net.changes_files == bool(actions)


def test_of_what_is_said_of_the_table_the_last_counts() -> None:
    first, second = (Metadata(name, SCHEMA) for name in ("a", "b"))
    net = NetActions("/t").after([first, SetTransaction("app", 1), DomainMetadata("d", "1")], NOW)
    net = net.after([PROTOCOL, second, SetTransaction("app", 2), SetTransaction("other", 7)], NOW)
    net = net.after([DomainMetadata("d", "2", removed=True)], NOW)
    assert net.fixed_actions() == [
        PROTOCOL,
        second,
        SetTransaction("app", 2),
        SetTransaction("other", 7),
        DomainMetadata("d", "2", removed=True),
    ]
    assert not net.is_empty
    assert not net.changes_files


def test_what_cancels_out_is_empty() -> None:
    net = NetActions("/t").after([file("n")], NOW)
    assert not net.is_empty
    assert net.touches_added([file("n").remove(NOW)], [])
    assert net.after([file("n").remove(NOW)], NOW).is_empty


def test_change_files_are_kept() -> None:
    change = AddCDCFile("_change_data/c", {}, 1)
    net = NetActions("/t").after([file("n"), change], NOW).recording([AddCDCFile("_change_data/d", {}, 1)])
    assert [item.path for item in net.changes] == ["_change_data/c", "_change_data/d"]


def test_a_pinned_log_shows_committed_versions_besides(tmp_path: Path) -> None:
    table = Table(tmp_path / "t")
    pinned = PinnedLog(table.log)
    read = pinned.snapshot()
    top = pinned.put_on_top(NetActions(table.log.location).after([file("n")], NOW))
    table.commit([file("by another")])
    assert (read.version, top.version, table.log.snapshot().version) == (1, 2, 2)
    assert sorted(table.live(pinned.snapshot())) == ["f0", "f1", "f2", "n"]
    assert sorted(table.live(pinned.snapshot(2))) == ["by another", "f0", "f1", "f2"]
    assert pinned.settled.snapshot() is read
    assert [entry.version for entry in pinned.history()] == [2, 1, 0]
    assert pinned.snapshot().num_files == 4
    assert pinned.snapshot().timestamp_ms > 0


def test_a_damaged_checkpoint_does_not_bring_the_version_of_another(tmp_path: Path) -> None:
    from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

    table = Table(tmp_path / "t")
    write_checkpoint(table.log.store, table.log.snapshot())
    for path in (tmp_path / "t" / "_delta_log").glob("*.crc"):
        path.unlink()
    log = DeltaLog(str(tmp_path / "t"), "t")
    pinned = PinnedLog(log)
    _ = pinned.read.metadata
    table.commit([file("by another")])
    (checkpoint,) = (tmp_path / "t" / "_delta_log").glob("*.checkpoint.parquet")
    checkpoint.write_bytes(b"PAR1 is no checkpoint PAR1")
    fresh = PinnedLog(DeltaLog(str(tmp_path / "t"), "t"))
    fresh._read = DeltaLog(str(tmp_path / "t"), "t").snapshot(1)
    top = fresh.put_on_top(NetActions(log.location).after([file("n")], NOW))
    assert sorted(table.live(top)) == ["f0", "f1", "f2", "n"]


def test_vectors_that_are_replaced_are_left_to_the_owner(tmp_path: Path) -> None:
    table = Table(tmp_path / "t")
    pinned, net, files = PinnedLog(table.log), NetActions(table.log.location), set()
    # The file is at the end of the log's order once it was marked.
    for place, row in ((0, 2), (2, 3)):
        _, marked, marking = table.statement(Step(0, marks={place: (row,)}), pinned.snapshot())
        files.add(marking.vector_file)
        net = net.after([], NOW, marked, marking)
        pinned.put_on_top(net)
    final = net.marking(NOW)
    assert final is not None
    (again,) = (action for action in final.actions if isinstance(action, AddFile))
    assert again.deletion_vector is not None
    assert vector_path(again.deletion_vector.path_or_inline) in files
    assert (final.vector_file, final.added, final.replaced, final.removed_files) == (None, 1, 0, ())
    assert len(files) == 2
