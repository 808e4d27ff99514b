"""Tables whose files are made by hand, and what CLONE makes of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, DeletionVector
from deltasql.log.actions.deletion_vectors import write_vectors
from deltasql.log.commit.transaction import Transaction
from deltasql.log.storage.listing import commit_path
from deltasql.session.session import Session

SIZES = ("source_table_size", "source_num_of_files")
CHANGES = ("num_removed_files", "num_copied_files", "removed_files_size", "copied_files_size")


class Files:
    """Files of tables, made by hand."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def put(self, table: str, path: str, size: int = 10, rows: tuple[int, ...] = (), **fields: Any) -> AddFile:
        """A file of `table` and the commit that adds it; `rows` are marked in a deletion vector."""
        log = self._session.log(table)
        file = Path(log.location) / path.replace("%25", "%").replace("%20", " ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * size)
        vector = self.vector(table, rows) if rows else None
        fields = {"partition_values": {}, "stats": '{"numRecords":5}', **fields}
        action = AddFile(path, size=size, modification_time=1, deletion_vector=vector, **fields)
        Transaction(log, log.snapshot()).commit(operations.WRITE, {"mode": "Append"}, [action])
        return action

    def vector(self, table: str, rows: tuple[int, ...]) -> DeletionVector:
        vectors, _ = write_vectors(self._session.log(table).store, {"": np.array(rows, np.uint64)})
        return vectors[""]

    def mark(self, table: str, add: AddFile, rows: tuple[int, ...]) -> AddFile:
        """The file with other rows marked."""
        log = self._session.log(table)
        (known,) = log.snapshot().add_files([add.path])
        new = replace(known, deletion_vector=self.vector(table, rows))
        Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [known.remove(1), new])
        return new

    def drop(self, table: str, add: AddFile) -> None:
        log = self._session.log(table)
        known = log.snapshot().add_files([add.path])
        Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [item.remove(1) for item in known])


def actions(session: Session, table: str, version: int) -> dict[str, list[Any]]:
    """The actions of a commit by kind."""
    found: dict[str, list[Any]] = {}
    for line in session.log(table).store.read(commit_path(version)).splitlines():
        for kind, action in json.loads(line).items():
            found.setdefault(kind, []).append(action)
    return found


def live(session: Session, table: str) -> dict[str, AddFile]:
    snapshot = session.log(table).snapshot()
    return {add.path: add for add in snapshot.add_files(snapshot.files(("path",))["path"].to_pylist())}


def on_disk(session: Session, table: str) -> set[str]:
    root = Path(session.log(table).location)
    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return {path for path in found if not path.startswith("_delta_log")}


def numbers(result: Any) -> dict[str, int]:
    found: dict[str, int] = result.collect()[0].asDict()
    return found


def changes(result: Any) -> tuple[int, ...]:
    found = numbers(result)
    return tuple(found[name] for name in CHANGES)


def condition(session: Session, sql: str) -> str:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql)
    assert caught.value.caret is not None
    return caught.value.condition
