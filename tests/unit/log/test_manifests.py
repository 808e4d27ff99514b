"""Manifests for readers of symlink tables: their texts and folders, and which of them a commit writes anew."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql
from deltasql import Session
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.upkeep.manifests import FOLDER, folder_of

KEPT = "TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled' = 'true')"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "ware house")) as opened:
        yield opened
        assert not opened.spark_started


def manifests(session: Session, table: str) -> dict[str, list[str]]:
    """The lines of each manifest, without the place of the table, by its folder."""
    root = Path(session.log(table).location)
    return {
        path.parent.relative_to(root / FOLDER).as_posix(): [
            line.removeprefix(f"file:{root}/") for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for path in sorted((root / FOLDER).rglob("manifest"))
    }


def add(session: Session, table: str, *files: AddFile, removes: tuple[str, ...] = ()) -> None:
    log = session.log(table)
    snapshot = log.snapshot()
    gone = [item.remove(1) for item in snapshot.add_files(removes)]
    Transaction(log, snapshot).commit(operations.WRITE, {}, [*gone, *files])


def file(path: str, **values: str | None) -> AddFile:
    return AddFile(path, values, 10, 1)


def test_folders_are_named_as_hive_names_them() -> None:
    values = [("p q", "a/b:c=%"), ("d", None), ("e", ""), ("u", "ü x")]
    null = "__HIVE_DEFAULT_PARTITION__"
    assert folder_of(values) == f"p q=a%2Fb%3Ac%3D%25/d={null}/e={null}/u=ü x"
    assert folder_of([]) == ""


def test_a_table_without_partitions_has_one_even_without_files(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT)")
    session.sql("GENERATE symlink_format_manifest FOR TABLE t")
    assert manifests(session, "t") == {".": []}
    add(session, "t", file("b%20c"), file("a"))
    session.sql("GENERATE symlink_format_manifest FOR TABLE t")
    assert manifests(session, "t") == {".": ["a", "b c"]}


def test_a_commit_writes_those_of_its_partitions(session: Session) -> None:
    session.sql(f"CREATE TABLE t (a INT, p STRING) PARTITIONED BY (p) {KEPT}")
    add(session, "t", file("one", p="1"), file("two", p="2"))
    assert manifests(session, "t") == {"p=1": ["one"], "p=2": ["two"]}
    root = Path(session.log("t").location) / FOLDER
    other = (root / "p=2" / "manifest").stat().st_mtime_ns
    (root / "p=1" / ".manifest.crc").write_bytes(b"of another text")
    add(session, "t", file("new", p="1"), file("three", p="3"))
    assert manifests(session, "t") == {"p=1": ["new", "one"], "p=2": ["two"], "p=3": ["three"]}
    assert (root / "p=2" / "manifest").stat().st_mtime_ns == other
    assert not (root / "p=1" / ".manifest.crc").exists()
    add(session, "t", removes=("one", "new"))
    assert manifests(session, "t") == {"p=2": ["two"], "p=3": ["three"]}
    assert not (root / "p=1").exists()


def test_the_property_begins_with_all_of_them(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, p STRING) PARTITIONED BY (p)")
    add(session, "t", file("one", p="1"), file("none", p=None))
    assert manifests(session, "t") == {}
    session.sql(f"ALTER TABLE t SET {KEPT}")
    assert manifests(session, "t") == {"p=1": ["one"], "p=__HIVE_DEFAULT_PARTITION__": ["none"]}
    session.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.compatibility.symlinkFormatManifest.enabled')")
    add(session, "t", file("two", p="2"))
    assert len(manifests(session, "t")) == 2


def test_what_goes_wrong_fails_no_commit(
    session: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    session.sql(f"CREATE TABLE t (a INT) {KEPT}")
    log = session.log("t")
    monkeypatch.setattr(log.store, "overwrite", lambda path, data: (_ for _ in ()).throw(OSError("full")))
    with caplog.at_level(logging.WARNING):
        add(session, "t", file("one"))
    assert log.snapshot().version == 1
    assert "no manifests of version 1 of t: full" in caplog.text


def test_vacuum_leaves_them(session: Session) -> None:
    session.sql(f"CREATE TABLE t (a INT) {KEPT}")
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql("VACUUM t RETAIN 0 HOURS")
    assert manifests(session, "t") == {".": []}
