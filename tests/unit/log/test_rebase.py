"""Commits that change with what others commit: lost answers, left-over files, times, row ids, and who may still win."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import AmbiguousWriteError, RowAppendError, StorageError
from deltasql.log.actions.deletion_vectors import deleted_rows
from deltasql.log.commit import transaction
from deltasql.log.committers import FileSystemCommitter
from deltasql.log.protocol import Protocol
from deltasql.log.storage.stores import open_store
from tests.unit.log.races import VECTORS, Table, Writer

ALL = set(range(20))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "back_off", lambda attempts: None)


class Scripted(FileSystemCommitter):
    """A committer that does to its puts, one after another, what a list says; then all go well."""

    def __init__(self, table: Table, *script: str | Callable[[], object]) -> None:
        super().__init__(table.log.store)
        self._puts = FileSystemCommitter(table.log.store)
        self._table, self._script = table, list(script)

    def commit(self, version: int, data: bytes) -> bool:
        step = self._script.pop(0) if self._script else "well"
        if callable(step):
            step()
        if step == "unsent":
            raise AmbiguousWriteError("x", "it timed out before it was stored")
        if step == "broken":
            raise StorageError("put", "x", "no space left")
        created = self._puts.commit(version, data)
        if step == "unanswered":
            raise AmbiguousWriteError("x", "its answer was lost")
        return created


def update(table: Table, *script: str | Callable[[], object], row: int = 3) -> Writer:
    return table.writer({"f1": [row]}, {f"n{row}": [1000 + row]}, picks={row}, committer=Scripted(table, *script))


def tidy(table: Table) -> bool:
    return len(table.vector_files()) == table.referred_vectors()


@pytest.mark.parametrize("script", [["unanswered"], ["unsent", "unanswered"], ["unsent"]])
def test_a_lost_answer_on_top_of_a_winner(table: Table, script: list[str]) -> None:
    late = update(table, "well", *script)
    table.writer({"f1": [4]}).commit()
    commit = late.commit()
    assert commit is not None
    assert commit.version == 2
    assert table.log.snapshot().version == 2
    assert table.contents() == sorted(ALL - {3, 4} | {1003})
    assert tidy(table)


def test_an_answer_that_is_never_given_keeps_the_files(table: Table) -> None:
    """The commit may still come to be, and then its vectors are needed."""
    late = update(table, *["unsent"] * 5)
    with pytest.raises(AmbiguousWriteError):
        late.commit()
    assert table.log.snapshot().version == 0
    assert len(table.vector_files()) == 1


def test_a_lost_answer_with_a_reader_on_top_is_found_among_the_winners(table: Table) -> None:
    """The version is read back late: others have committed on top of it."""
    late = update(table)
    committer = Scripted(table)
    late.transaction._committer = committer

    def commit(version: int, data: bytes) -> bool:
        Scripted(table).commit(version, data)
        table.writer({"f1": [7]}).commit()
        return False

    committer.commit = commit  # type: ignore[method-assign]
    done = late.commit()
    assert done is not None
    assert (done.version, table.log.snapshot().version) == (1, 2)
    assert table.contents() == sorted(ALL - {3, 7} | {1003})
    assert tidy(table)


@pytest.mark.parametrize("kind", ["broken", "conflict"])
def test_a_commit_that_fails_for_certain_leaves_no_vectors(table: Table, kind: str) -> None:
    late = update(table, "well", "broken" if kind == "broken" else "well")
    table.writer({"f1": [4]}).commit()
    if kind == "conflict":
        table.writer({"f1": [3]}, {"other": [3003]}).commit()
    with pytest.raises(StorageError if kind == "broken" else RowAppendError):
        late.commit()
    assert tidy(table)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, StorageError("put", "x", "it went away"), RuntimeError])
def test_whatever_fails_behind_a_commit_its_vectors_stay(
    table: Table, failure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise failure

    late = update(table)
    with monkeypatch.context() as patch:
        patch.setattr(transaction, "after_commit", interrupted)
        with pytest.raises((KeyboardInterrupt, StorageError, RuntimeError)):
            late.commit()
    assert table.contents() == sorted(ALL - {3} | {1003})
    assert tidy(table)


def test_ctrl_c_while_the_storage_has_not_answered_keeps_the_vectors(table: Table) -> None:
    class Interrupted(Scripted):
        def commit(self, version: int, data: bytes) -> bool:
            super().commit(version, data)
            raise KeyboardInterrupt

    late = update(table)
    late.transaction._committer = Interrupted(table)
    with pytest.raises(KeyboardInterrupt):
        late.commit()
    assert table.contents() == sorted(ALL - {3} | {1003})


@pytest.mark.parametrize("answer", ["well", "unanswered", "unsent"])
def test_the_way_back_may_lose_its_answer(table: Table, answer: str) -> None:
    # The first put finds its version taken; the second takes the move back.
    late = update(table, "well", answer)
    table.optimize(["f1", "f2"], "o", tagged=False)
    commit = late.commit()
    assert commit is not None
    assert [table.info(version)["operation"] for version in (2, 3)] == ["ROLLBACK OPTIMIZE", "UPDATE"]
    assert commit.version == table.log.snapshot().version == 3
    assert table.contents() == sorted(ALL - {3} | {1003})
    assert tidy(table)


def test_others_may_come_before_and_behind_the_way_back(table: Table) -> None:
    def insert(path: str, row: int) -> Callable[[], object]:
        return lambda: table.insert(path, row)

    late = update(table, "well", insert("a", 100), "well", insert("b", 101), insert("c", 102))
    table.optimize(["f1", "f2"], "o", tagged=False)
    commit = late.commit()
    assert commit is not None
    operations = [table.info(version)["operation"] for version in range(1, commit.version + 1)]
    assert operations == ["OPTIMIZE", "WRITE", "ROLLBACK OPTIMIZE", "WRITE", "WRITE", "UPDATE"]
    assert table.contents() == sorted(ALL - {3} | {1003, 100, 101, 102})
    assert tidy(table)


def test_what_was_brought_back_may_be_moved_again(table: Table) -> None:
    def optimize() -> None:
        table.optimize(["f1"], "o2")

    late = update(table, "well", "well", optimize)
    table.optimize(["f1", "f2"], "o", tagged=False)
    assert late.commit() is not None
    assert table.contents() == sorted(ALL - {3} | {1003})
    assert table.deleted(table.add("o2")) == [3]


def test_times_of_their_own_rise_behind_the_way_back(tmp_path: Path) -> None:
    protocol = Protocol(3, 7, VECTORS.reader_features, frozenset({"deletionVectors", "inCommitTimestamp"}))
    table = Table(str(tmp_path / "t"), {"delta.enableInCommitTimestamps": "true"}, protocol)
    late = update(table)
    table.optimize(["f1", "f2"], "o", tagged=False)
    # The winner's clock is an hour ahead.
    path = table.folder / "_delta_log" / f"{1:020d}.json"
    lines = table.commit(1)
    ahead = lines[0]["commitInfo"]["inCommitTimestamp"] + 3_600_000
    lines[0]["commitInfo"]["inCommitTimestamp"] = ahead
    path.write_text("\n".join(map(json.dumps, lines)))
    table.log = table.log.__class__(table.log.location, "main.t")
    late.transaction._log = table.log
    late.commit()
    assert [table.info(version)["inCommitTimestamp"] for version in (1, 2, 3)] == [ahead, ahead + 1, ahead + 2]


def test_row_ids_go_on_behind_the_way_back(tmp_path: Path) -> None:
    features = frozenset({"deletionVectors", "rowTracking", "domainMetadata"})
    table = Table(str(tmp_path / "t"), None, Protocol(3, 7, VECTORS.reader_features, features))
    late = update(table)
    table.insert("n", 100, 101)
    table.optimize(["f1", "f2"], "o", tagged=False)
    commit = late.commit()
    assert commit is not None
    assert commit.version == 4
    back = {line["add"]["path"]: line["add"]["baseRowId"] for line in table.commit(3) if "add" in line}
    assert back == {"f1": 0, "f2": 10}
    own = {line["add"]["path"]: line["add"] for line in table.commit(4) if "add" in line}
    # Ids 20 and 21 were given to the insert, 22 to 41 to what was taken back.
    assert {path: (add["baseRowId"], add["defaultRowCommitVersion"]) for path, add in own.items()} == {
        "f1": (0, 0),
        "n3": (42, 4),
    }
    assert json.loads(table.log.snapshot().domains["delta.rowTracking"])["rowIdHighWaterMark"] == 42


def test_thousands_of_rows_stay_sorted_in_their_vector(table: Table) -> None:
    table.insert("big", *range(100, 5100))
    late = table.writer({"big": list(range(0, 5000, 2))})
    table.writer({"big": list(range(1, 5000, 4))}).commit()
    late.commit()
    vector = table.add("big").deletion_vector
    assert vector is not None
    assert vector.cardinality == 2500 + 1250
    assert deleted_rows(table.log.store, vector.to_json()).tolist() == sorted({*range(0, 5000, 2), *range(1, 5000, 4)})


def test_storage_in_memory_follows_the_same_way(tmp_path: Path) -> None:
    """Vectors and the look whether old files are there go through the table's storage."""
    table = Table(str(tmp_path / "t"), store=open_store(f"file://{tmp_path / 't'}"))
    late = update(table)
    table.optimize(["f1", "f2"], "o", tagged=False)
    assert late.commit() is not None
    assert table.contents() == sorted(ALL - {3} | {1003})
