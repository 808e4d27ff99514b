"""Races over rows without Spark: a real log of files whose rows are numbers in memory, and writers in two phases."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, Metadata, RemoveFile
from deltasql.log.actions.deletion_vectors import MarkedFile, deleted_rows
from deltasql.log.commit.commit_writer import Provenance
from deltasql.log.commit.conflict import IsolationLevel, Rebase
from deltasql.log.commit.row_rebase import (
    SOURCE_TAG,
    Bin,
    BinRebase,
    Budget,
    FollowingRebase,
    NewPositions,
    RowPositions,
    RowRebase,
    TouchedRows,
)
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.committers import Committer
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.log_store import LogStore
from deltasql.schema.types import LONG, StructField, StructType

SCHEMA = StructType((StructField("x", LONG),))
VECTORS = Protocol(3, 7, frozenset({"deletionVectors"}), frozenset({"deletionVectors"}))
ANY = frozenset[int]()


def positions(*rows: int) -> np.ndarray[Any, Any]:
    return np.array(rows, np.uint64)


@dataclass
class Reader:
    """Answers in the engine's place. `picks` are the rows on which the statement would act, `seen` those it found.

    `asked` lists what it was asked for. With `tracked` rows are followed by what they are.
    """

    table: Table
    picks: Collection[int] = ANY
    found: Mapping[str, MarkedFile] = field(default_factory=dict)
    tracked: bool = False
    skipped: Collection[str] = ()
    files: Mapping[str, AddFile] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def candidates(self, adds: Sequence[AddFile]) -> Sequence[AddFile]:
        return [add for add in adds if add.path not in self.skipped]

    def selects(self, adds: Sequence[AddFile], only: RowPositions | None = None) -> bool:
        self.asked += [add.path for add in adds]
        rows = [row for add in adds for row in self._rows(add, only)]
        return any(row in self.picks for row in rows)

    def seen(self, paths: Collection[str]) -> Mapping[str, MarkedFile]:
        return {path: item for path, item in self.found.items() if path in paths}

    def follow(self, moved: Mapping[str, MarkedFile], outputs: Mapping[str, AddFile]) -> NewPositions | None:
        if not self.tracked:
            return None
        now = {row: (path, place) for path in outputs for place, row in enumerate(self.table.rows[path])}
        wanted = {path: [self.table.rows[path][int(row)] for row in item.rows] for path, item in moved.items()}
        if any(row not in now for rows in wanted.values() for row in rows):
            return None
        return {path: [now[row] for row in rows] for path, rows in wanted.items()}

    def as_read(self, paths: Collection[str]) -> Mapping[str, AddFile]:
        return {path: self.files[path] for path in paths if path in self.files}

    def count_rows(self, add: AddFile) -> int:
        return len(self.table.rows[add.path])

    def _rows(self, add: AddFile, only: RowPositions | None) -> list[int]:
        rows = self.table.rows[add.path]
        return self.table.live_in(add) if only is None else [rows[int(place)] for place in only[add.path]]


class Table:
    """A table of files `f1` (rows 0 to 9) and `f2` (10 to 19), with deletion vectors."""

    def __init__(
        self,
        location: str,
        configuration: Mapping[str, str] | None = None,
        protocol: Protocol = VECTORS,
        store: LogStore | None = None,
    ) -> None:
        self.rows: dict[str, Sequence[int]] = {}
        self.folder = Path(location)
        self.folder.mkdir()
        self.log = DeltaLog(location, "main.t", store)
        metadata = Metadata("the-id", SCHEMA, (), configuration or {}, created_time=1)
        files = [self.file("f1", range(10)), self.file("f2", range(10, 20))]
        Transaction(self.log, None).commit(operations.CREATE_TABLE, {}, [protocol, metadata, *files])

    def file(self, path: str, rows: Sequence[int], **fields: Any) -> AddFile:
        """A new data file; nobody looks inside, but it is there."""
        self.rows[path] = list(rows)
        (self.folder / path).write_bytes(b"PAR1")
        return AddFile(path, {}, 4, 1, True, json.dumps({"numRecords": len(rows)}), **fields)

    def add(self, path: str) -> AddFile:
        """A live file as the last version has it."""
        (found,) = self.log.snapshot().add_files([path])
        return found

    def live_in(self, add: AddFile) -> list[int]:
        gone = self.deleted(add)
        return [row for place, row in enumerate(self.rows[add.path]) if place not in gone]

    def deleted(self, add: AddFile) -> list[int]:
        """The positions that the file's vector marks."""
        vector = add.deletion_vector
        rows: list[int] = [] if vector is None else deleted_rows(self.log.store, vector.to_json()).tolist()
        return rows

    def contents(self) -> list[int]:
        """All rows of the last version, which no file may state twice."""
        snapshot = DeltaLog(self.log.location).snapshot()
        paths = snapshot.files(("path",)).column("path").to_pylist()
        assert len(set(paths)) == len(paths)
        return sorted(row for add in snapshot.add_files(paths) for row in self.live_in(add))

    def vector_files(self) -> set[str]:
        return {path.name for path in self.folder.glob("*.bin")}

    def referred_vectors(self) -> int:
        """How many files of vectors some commit refers to."""
        actions = [
            action
            for path in (self.folder / "_delta_log").glob("*.json")
            for line in path.read_text().splitlines()
            for action in json.loads(line).values()
        ]
        vectors = [action["deletionVector"] for action in actions if "deletionVector" in action]
        return len({vector["pathOrInlineDv"] for vector in vectors if vector["storageType"] == "u"})

    def commit(self, version: int) -> list[dict[str, Any]]:
        text = (self.folder / "_delta_log" / f"{version:020d}.json").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def info(self, version: int) -> dict[str, Any]:
        info: dict[str, Any] = self.commit(version)[0]["commitInfo"]
        return info

    def insert(self, path: str, *rows: int, **fields: Any) -> Commit:
        """A blind append."""
        return Transaction(self.log, self.log.snapshot()).commit(
            operations.WRITE, {}, [self.file(path, rows, **fields)]
        )

    def remove(self, path: str) -> Commit:
        """A DELETE of all rows of a file."""
        transaction = Transaction(self.log, self.log.snapshot())
        transaction.record_read("x", [path])
        return transaction.commit(operations.DELETE, {}, [self.add(path).remove(1)])

    def writer(
        self,
        marks: Mapping[str, Sequence[int]] | None = None,
        new: Mapping[str, Sequence[int]] | None = None,
        *,
        seen: Mapping[str, Sequence[int]] | None = None,
        picks: Collection[int] = ANY,
        skipped: Collection[str] = (),
        tracked: bool = False,
        by_rows: bool = True,
        strict: bool = True,
        budget: Budget | None = None,
        level: IsolationLevel | None = None,
        committer: Committer | None = None,
    ) -> Writer:
        """A statement that has read all files, marks rows at positions of some, and adds others."""
        snapshot = self.log.snapshot()
        paths = snapshot.files(("path",)).column("path").to_pylist()
        adds = {add.path: add for add in snapshot.add_files(paths)}

        def marked(places: Mapping[str, Sequence[int]] | None) -> dict[str, MarkedFile]:
            return {
                path: MarkedFile(adds[path], positions(*rows), len(self.rows[path]))
                for path, rows in (places or {}).items()
            }

        transaction = Transaction(self.log, snapshot, committer)
        transaction.record_read("x", paths)
        reader = Reader(self, picks, marked(seen), tracked, skipped, adds)
        touched = TouchedRows(self.log.store, self.log.location, reader, marked(marks))
        rebase = RowRebase(touched, reader, budget or Budget(), strict) if by_rows else FollowingRebase(touched, strict)
        added = [self.file(path, rows) for path, rows in (new or {}).items()]
        return Writer("UPDATE" if new else "DELETE", transaction, rebase, added, reader, level)

    def optimizer(
        self,
        *bins: tuple[Sequence[str], Sequence[str]],
        tagged: bool = True,
        tracked: bool = False,
        by_rows: bool = True,
        ordered: bool = False,
        committer: Committer | None = None,
    ) -> Writer:
        """An OPTIMIZE that puts files together: for each bin the old paths and the new ones.

        A bin's new files get equal shares of its rows; `tagged` ones of single files say where these come from.
        `ordered` stands for ZORDER BY, which turns the order of the rows round.
        """
        snapshot = self.log.snapshot()
        made = []
        for old, new in bins:
            inputs = {add.path: add for add in snapshot.add_files(list(old))}
            # The log gives files in an order of its own.
            inputs = {path: inputs[path] for path in old}
            rows = [row for add in inputs.values() for row in self.live_in(add)]
            rows = rows[::-1] if ordered else rows
            share = -(-len(rows) // len(new))
            outputs = {
                path: replace(self.file(path, rows[index * share : (index + 1) * share]), data_change=False)
                for index, path in enumerate(new)
            }
            if tagged and len(new) == 1:
                tags = {SOURCE_TAG: self._order_map(list(inputs.values()))}
                outputs = {path: replace(add, tags=tags) for path, add in outputs.items()}
            made.append(Bin(inputs, outputs))
        transaction = Transaction(self.log, snapshot, committer)
        transaction.record_read("true", [path for old, _ in bins for path in old])
        reader = Reader(self, tracked=tracked)
        rebase = BinRebase(
            made, self.log.store, self.log.location, reader, by_rows, ordered,
            lambda left, adds: {"numBins": len(left), "numAddedFiles": len(adds)},
        )  # fmt: skip
        parameters = {"zOrderBy": '["x"]'} if ordered else {}
        return Writer("OPTIMIZE", transaction, rebase, [], reader, None, parameters)

    def optimize(self, old: Sequence[str], *new: str, tagged: bool = True, ordered: bool = False) -> Commit:
        commit = self.optimizer((old, new), tagged=tagged, ordered=ordered).commit()
        assert commit is not None
        return commit

    def take_back(self, old: Sequence[AddFile], *new: str) -> None:
        """What another engine does to take a rearrangement back."""
        removes: list[RemoveFile] = [self.add(path).remove(1, data_change=False) for path in new]
        adds = [replace(add, data_change=False) for add in old]
        Transaction(self.log, self.log.snapshot()).commit(operations.UNDO_OPTIMIZE, {}, [*removes, *adds])

    def _order_map(self, sources: Sequence[AddFile]) -> str:
        vectors = [add.deletion_vector for add in sources]
        ids = [None if vector is None else vector.unique_id for vector in vectors]
        return json.dumps([(add.path, name, len(self.live_in(add))) for add, name in zip(sources, ids, strict=True)])


@dataclass
class Writer:
    """A statement between its two phases."""

    operation: str
    transaction: Transaction
    rebase: Rebase
    added: Sequence[AddFile]
    reader: Reader
    level: IsolationLevel | None
    parameters: Mapping[str, object] = field(default_factory=dict)

    def commit(self) -> Commit | None:
        provenance = Provenance(operations.operation_named(self.operation), self.parameters, {"numAddedFiles": 0})
        return self.transaction.commit_rebased(provenance, self.added, self.rebase, isolation_level=self.level)
