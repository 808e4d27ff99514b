"""The log as Iceberg metadata: what each commit makes of the manifests. The data files are names only."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.manifest import ManifestFile

import deltasql
from deltasql.base.errors import AmbiguousWriteError, IcebergVectorsError, IcebergWritersError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, DeletionVector
from deltasql.log.commit.transaction import Transaction
from deltasql.log.configuration.properties import partition_keys
from deltasql.log.iceberg import manifests as manifest_files
from deltasql.log.iceberg import table_metadata
from deltasql.log.iceberg.convert import write_iceberg_metadata
from deltasql.log.iceberg.current_metadata import HINT, current_metadata, metadata_path
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.listing import commit_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.table_properties import DELETED_FILE_RETENTION
from deltasql.session.session import Session
from tests.unit.log.iceberg_log import PROPERTIES, STATS, commit, entries, listed, manifests, metadata, objects, summary


@pytest.fixture(params=["a warehouse %41", "memory:"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> DeltaLog:
    """A table of a column and a partition column, on disk and in memory."""
    place = tmp_path / "a warehouse %41" if request.param != "memory:" else f"memory://{tmp_path.name}"
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql(
            f"CREATE TABLE t (k INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ({PROPERTIES}) LOCATION '{place}'"
        )
        return session.log("t")


def test_appends_leave_the_manifests_as_they_are(log: DeltaLog) -> None:
    commit(log, "a1", "b1")
    (first,) = manifests(log)
    commit(log, "a2")
    added, kept = manifests(log)
    assert kept == first
    assert (added.added_files_count, kept.sequence_number, added.sequence_number) == (1, 1, 2)
    assert listed(log) == ["a1", "a2", "b1"]
    found = summary(log)
    assert (found["operation"], found["total-data-files"], found["total-records"]) == ("append", "3", "6")
    assert {tuple(entry.data_file.partition._data) for entry in entries(log)} == {("a",), ("b",)}


def test_a_removed_file_changes_its_manifest_alone(log: DeltaLog) -> None:
    commit(log, "a1", "b1")
    commit(log, "a2", "b%20ü 2")
    before = {item.manifest_path for item in manifests(log)}
    commit(log, "c1", removes=("a1",))
    after = manifests(log)
    assert len(before & {item.manifest_path for item in after}) == 1
    assert listed(log) == ["a2", "b ü 2", "b1", "c1"]
    (old,) = (entry for entry in entries(log) if entry.data_file.file_path.endswith("/b1"))
    assert (old.status.name, old.sequence_number) == ("EXISTING", 1)
    commit(log, removes=("b%20ü 2",))
    assert listed(log) == ["a2", "b1", "c1"]
    assert summary(log)["operation"] == "delete"


def test_the_same_rows_in_other_files(log: DeltaLog) -> None:
    commit(log, "a1", "a2", "a3")
    commit(log, "a4", removes=("a1", "a2"), layout=True)
    assert listed(log) == ["a3", "a4"]
    assert summary(log)["operation"] == "replace"


def test_all_files_go(log: DeltaLog) -> None:
    commit(log, "a1", "b1")
    commit(log, removes=("a1", "b1"))
    assert listed(log) == []
    found = summary(log)
    assert (found["operation"], found["total-data-files"], found["deleted-records"]) == ("delete", "0", "4")
    commit(log, "a2")
    assert listed(log) == ["a2"]


def test_a_file_that_is_stated_once_more_is_listed_once(log: DeltaLog) -> None:
    commit(log, "a1", "b1")
    again = [replace(item, data_change=False, tags={"x": "y"}) for item in log.snapshot().add_files(["a1"])]
    Transaction(log, log.snapshot()).commit(operations.Operation("COMPUTE STATS"), {}, again)
    assert listed(log) == ["a1", "b1"]
    assert summary(log)["total-data-files"] == "2"


def test_versions_that_were_not_converted(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(log, "a1")
    monkeypatch.setattr("deltasql.log.upkeep.post_commit.converts_to_iceberg", lambda _: False)
    commit(log, "a2", "b1")
    commit(log, removes=("a1", "a2"))
    commit(log, "a2")
    monkeypatch.undo()
    commit(log, "c1")
    assert listed(log) == ["a2", "b1", "c1"]
    assert len(metadata(log).snapshots) == 2
    assert metadata(log).properties["delta-version"] == "5"


def test_commits_that_are_gone(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(log, "a1", "b1")
    monkeypatch.setattr("deltasql.log.upkeep.post_commit.converts_to_iceberg", lambda _: False)
    commit(log, "a2", removes=("a1",))
    monkeypatch.undo()
    from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

    write_checkpoint(log.store, log.snapshot())
    log.store.delete([commit_path(version) for version in (0, 1, 2)])
    fresh = DeltaLog(log.location, "t")
    commit(fresh, "c1")
    assert listed(fresh) == ["a2", "b1", "c1"]
    assert summary(fresh)["operation"] == "overwrite"


def test_manifests_that_are_gone(log: DeltaLog) -> None:
    commit(log, "a1", "b1")
    for name in objects(log):
        if name.endswith(".avro"):
            log.store.delete([f"metadata/{name}"])
    commit(log, "c1")
    assert listed(log) == ["a1", "b1", "c1"]


def test_the_format_was_off_for_a_while(log: DeltaLog) -> None:
    commit(log, "a1", "b1")
    (before,) = manifests(log)
    on = log.snapshot().metadata
    off = {key: text for key, text in on.configuration.items() if "universalFormat" not in key}
    Transaction(log, log.snapshot()).commit(operations.UNSET_PROPERTIES, {}, [replace(on, configuration=off)])
    assert metadata(log).properties["delta-version"] == "1"
    Transaction(log, log.snapshot()).commit(operations.SET_PROPERTIES, {}, [on])
    (after,) = manifests(log)
    assert after.manifest_path != before.manifest_path
    assert listed(log) == ["a1", "b1"]


@pytest.mark.parametrize(
    ("columns", "stats", "condition"),
    [
        ("k INT", STATS, "MISSING_REQUIRED_TABLE_FEATURE"),
        ("k INT, l ARRAY<INT>", STATS, "MISSING_REQUIRED_TABLE_FEATURE"),
        ("k INT, v VARIANT", STATS, "UNSUPPORTED_DATA_TYPE"),
        ("k INT", "{}", "MISSING_STATISTICS"),
        ("k INT", None, "MISSING_STATISTICS"),
    ],
)
def test_tables_of_others_that_lack_something(
    tmp_path: Path, columns: str, stats: str | None, condition: str, caplog: pytest.LogCaptureFixture
) -> None:
    mapping = "none" if columns == "k INT" and stats == STATS else "name"
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql(f"CREATE TABLE t ({columns}) TBLPROPERTIES ('delta.columnMapping.mode' = '{mapping}')")
        log = session.log("t")
    on = log.snapshot().metadata.with_configuration({"delta.universalFormat.enabledFormats": "iceberg"})
    with caplog.at_level(logging.WARNING):
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [on, AddFile("f", {}, 1, 1, stats=stats)])
    assert "[DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED] Version 1 of t is committed" in caplog.text
    assert f"[DELTA_ICEBERG_COMPAT_VIOLATION.{condition}]" in caplog.text
    assert objects(log) == set()


def test_another_writer_is_faster(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(log, "a1")
    put = type(log.store).put_if_absent
    lost: list[bool] = []

    def slow(self: LogStore, path: str, data: bytes) -> bool:
        if path == metadata_path(3) and not lost:
            lost.append(put(self, path, parsed_again(log, data)))
            return False
        return put(self, path, data)

    monkeypatch.setattr(type(log.store), "put_if_absent", slow)
    commit(log, "a2")
    assert lost == [True]
    assert listed(log) == ["a1", "a2"]
    current = current_metadata(log.store)
    assert current is not None
    assert current.number == 4
    # What the first try wrote is gone again.
    assert sum(name.endswith("-m0.avro") for name in objects(log)) == 2


def parsed_again(log: DeltaLog, data: bytes) -> bytes:
    """The metadata before, put once more by somebody who knows nothing of the new version."""
    current = current_metadata(log.store)
    assert current is not None
    return current.data


def test_an_answer_that_is_lost(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(log, "a1")
    put = type(log.store).put_if_absent

    def silent(self: LogStore, path: str, data: bytes) -> bool:
        done = put(self, path, data)
        if path == metadata_path(3):
            raise AmbiguousWriteError(path, "no answer")
        return done

    monkeypatch.setattr(type(log.store), "put_if_absent", silent)
    commit(log, "a2")
    assert listed(log) == ["a1", "a2"]
    monkeypatch.undo()
    commit(log, removes=("a2",))
    assert listed(log) == ["a1"]


def test_others_are_always_faster(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.log.upkeep.post_commit.converts_to_iceberg", lambda _: False)
    commit(log, "a1")
    before = objects(log)
    monkeypatch.setattr(type(log.store), "put_if_absent", lambda *_: False)
    with pytest.raises(IcebergWritersError):
        write_iceberg_metadata(log.store, log.snapshot())
    assert objects(log) == before


def test_the_hint_is_only_one(log: DeltaLog) -> None:
    commit(log, "a1")
    for text in (b"1", b"77", b"no number", None):
        if text is None:
            log.store.delete([HINT])
        else:
            log.store.overwrite(HINT, text)
        current = current_metadata(log.store)
        assert current is not None
        assert (current.number, current.converted[0]) == (2, 1)
    assert not write_iceberg_metadata(log.store, log.snapshot())
    commit(log, "a2")
    assert log.store.read(HINT) == b"3"


def test_old_snapshots_go_with_their_manifests(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_metadata, "MOST_SNAPSHOTS", 3)
    commit(log, "a0")
    for number in range(1, 8):
        commit(log, f"a{number}", removes=(f"a{number - 1}",))
    found = metadata(log)
    assert len(found.snapshots) == len(found.snapshot_log) == len(found.metadata_log) == 3
    names = objects(log)
    assert sum(name.startswith("snap-") for name in names) == 3
    assert sum(name.endswith(".metadata.json") for name in names) == 4
    assert sum(name.endswith("-m0.avro") for name in names) == 3
    assert listed(log) == ["a7"]


def test_a_snapshot_whose_files_vacuum_may_have_deleted_goes(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(log, "a1")
    commit(log, "a2")
    negative = replace(DELETED_FILE_RETENTION, read=lambda _: -1_000_000)
    monkeypatch.setattr(table_metadata, "DELETED_FILE_RETENTION", negative)
    commit(log, "a3")
    assert len(metadata(log).snapshots) == 1
    assert listed(log) == ["a1", "a2", "a3"]


def test_many_small_manifests_become_one(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_files, "LEAST_MERGED", 4)
    for number in range(10):
        commit(log, f"a{number}")
        assert len(manifests(log)) <= 5
    assert listed(log) == [f"a{number}" for number in range(10)]
    assert [entry.sequence_number for entry in sorted(entries(log), key=lambda item: item.data_file.file_path)] == list(
        range(1, 11)
    )


def test_manifests_that_lost_files_become_one_too(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_files, "LEAST_MERGED", 4)
    for number in range(8):
        commit(log, f"a{number}", f"b{number}")
    for number in range(8):
        commit(log, removes=(f"a{number}",))
        assert len(manifests(log)) <= 5
    assert listed(log) == [f"b{number}" for number in range(8)]
    assert summary(log)["total-data-files"] == "8"


def test_many_files_are_many_manifests(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_files, "FILES_PER_MANIFEST", 3)
    commit(log, *(f"a{number}" for number in range(10)))
    assert [item.added_files_count for item in manifests(log)] == [3, 3, 3, 1]
    commit(log, removes=tuple(f"a{number}" for number in range(0, 10, 2)))
    assert listed(log) == [f"a{number}" for number in range(1, 10, 2)]


def test_a_search_finds_what_reading_finds(log: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        commit(log, *(f"{letter}{number}" for letter in "ab"))
    read: list[str] = []
    fetch = ManifestFile.fetch_manifest_entry

    def counted(self: ManifestFile, *args: Any, **options: Any) -> Any:
        read.append(self.manifest_path)
        return fetch(self, *args, **options)

    monkeypatch.setattr(ManifestFile, "fetch_manifest_entry", counted)
    commit(log, removes=("b3",))
    assert len(read) == 1


def test_deletion_vectors_are_no_iceberg(log: DeltaLog, caplog: pytest.LogCaptureFixture) -> None:
    vector = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 34, 1)
    commit(log, "a1")
    snapshot = log.snapshot()
    assert not write_iceberg_metadata(log.store, snapshot)
    (physical,) = partition_keys(snapshot.metadata)
    line = AddFile("a2", {physical: "a"}, 10, 1, True, STATS, deletion_vector=vector).to_json()
    log.store.put_if_absent(commit_path(2), json.dumps(line if "add" in line else {"add": line}).encode())
    fresh = DeltaLog(log.location, "t")
    with pytest.raises(IcebergVectorsError):
        write_iceberg_metadata(fresh.store, fresh.snapshot())
    assert metadata(log).properties["delta-version"] == "1"


def test_a_type_that_widens_lists_all_files_anew(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql(f"CREATE TABLE t (k INT) TBLPROPERTIES ({PROPERTIES}, 'delta.enableTypeWidening' = 'true')")
        log = session.log("t")
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile("f", {}, 1, 1, stats=STATS)])
        (before,) = manifests(log)
        session.sql("ALTER TABLE t ALTER COLUMN k TYPE BIGINT")
        (after,) = manifests(session.log("t"))
    assert before.manifest_path != after.manifest_path


def test_a_failure_is_told_and_no_more(
    session_of: Callable[[], Session], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of()
    session.sql(f"CREATE TABLE t (k INT) TBLPROPERTIES ({PROPERTIES})")
    log = session.log("t")
    before = objects(log)
    with caplog.at_level(logging.WARNING):
        monkeypatch.setattr(pa, "array", lambda *_: 1 / 0)
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile("f", {}, 1, 1, stats=STATS)])
        monkeypatch.undo()
    assert "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED" in caplog.text
    assert log.snapshot().version == 1
    assert objects(log) == before


@pytest.fixture
def session_of(tmp_path: Path) -> Callable[[], Session]:
    return lambda: deltasql.connect(str(tmp_path / "warehouse"))
