"""Which DataFrames of scans serve the next statement, and which must not: no JVM, a scan is an object here."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pytest

from deltasql.base.errors import DataFileNotFoundError
from deltasql.engines.choice import handed_out
from deltasql.engines.spark.reading import scans
from deltasql.engines.spark.reading.driver_rows import Workspace
from deltasql.engines.spark.reading.scans import MOST_FILES, CachedScans
from deltasql.engines.spark.session.spark import MOST_WEIGHT, CachedFrames
from deltasql.plan.operators import Pruning, Scan, TableVersion
from deltasql.schema.types import INTEGER, LONG, STRING, RowIdColumns, StructField, StructType, matching

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.engines.spark.session.spark import SparkHandle

SCHEMA = StructType((StructField("id", LONG), StructField("p", STRING)))


class Handle:
    """What a scan asks of a SparkHandle."""

    def __init__(self) -> None:
        self.cached_frames = CachedFrames()
        self.settings: str | None = "as they were"
        self.remote = False

    def settings_now(self) -> str | None:
        return self.settings


@pytest.fixture(autouse=True)
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[Scan]:
    """The scans that were made."""
    made: list[Scan] = []

    def scan(spark: SparkHandle, operator: Scan, work: Workspace) -> object:
        from deltasql.files.reading.file_tables import located, readable_files

        readable_files(operator, located(operator).files.column("location").to_pylist(), may_be_missing=False)
        made.append(operator)
        return SimpleNamespace(of=operator)

    monkeypatch.setattr(scans, "scan", scan)
    monkeypatch.setattr(scans, "read_in_process", lambda spark, operator: False)
    return made


@pytest.fixture
def handle() -> Handle:
    return Handle()


@pytest.fixture
def rows(tmp_path: Path) -> Scan:
    return scan_of(tmp_path, {"a.parquet": "x", "b.parquet": "y"})


def scan_of(root: Path, files: dict[str, str], *, version: int = 3, vector: dict[str, Any] | None = None) -> Scan:
    """Of files that are made, each with the value of its partition."""
    for name in files:
        (root / name).write_bytes(b"rows")
    paths, count = list(files), len(files)
    table = {"path": paths, "size": [4] * count, "partitionValues": [{"p": value} for value in files.values()]}
    vectors = {} if vector is None else {"deletionVector": [vector] * count}
    return Scan(TableVersion("t", str(root), version), SCHEMA, ("p",), pa.table({**table, **vectors}), Pruning(count))


def frame(handle: Handle, operator: Scan) -> DataFrame:
    """The DataFrame of a scan in a statement of its own."""
    return CachedScans(cast("SparkHandle", handle)).frame(operator, Workspace())


def test_the_next_statement_has_the_same(handle: Handle, rows: Scan, scanned: list[Scan]) -> None:
    assert frame(handle, rows) is frame(handle, replace(rows))
    assert len(scanned) == 1


def test_a_version_with_the_same_files_has_the_same(handle: Handle, rows: Scan) -> None:
    renamed = replace(rows, table=replace(rows.table, name="other", version=4), pruning=Pruning(9, "id > 1"))
    assert frame(handle, rows) is frame(handle, renamed)


def test_each_use_in_a_statement_has_its_own(handle: Handle, rows: Scan) -> None:
    """Spark tells the columns of two scans apart by the DataFrame that they come from."""
    statement, after = (CachedScans(cast("SparkHandle", handle)) for _ in range(2))
    work = Workspace()
    first, second = statement.frame(rows, work), statement.frame(rows, work)
    assert first is not second
    assert [after.frame(rows, work), after.frame(rows, work)] == [first, second]


def test_a_changed_version_is_read_anew(handle: Handle, rows: Scan, tmp_path: Path) -> None:
    """And so is an older one: of time travel."""
    old = frame(handle, rows)
    changed = scan_of(tmp_path, {"c.parquet": "x"}, version=4)
    assert frame(handle, changed) is not old
    assert frame(handle, replace(rows, files=rows.files.slice(1))) is not old
    assert frame(handle, rows) is old


def test_other_columns_are_read_anew(handle: Handle, rows: Scan) -> None:
    first = frame(handle, rows)
    mapped = StructField("id", LONG, metadata={"delta.columnMapping.physicalName": "col-1"})
    for schema in (
        StructType((*SCHEMA, StructField("more", STRING))),
        StructType((StructField("id", INTEGER), *SCHEMA.fields[1:])),
        StructType((mapped, *SCHEMA.fields[1:])),
    ):
        assert frame(handle, replace(rows, schema=schema)) is not first
    assert frame(handle, replace(rows, partition_columns=())) is not first


def test_other_values_of_a_partition_are_read_anew(handle: Handle, rows: Scan) -> None:
    """A table may be converted once more, from the same files."""
    first = frame(handle, rows)
    values = pa.array([{"p": "x"}, {"p": "z"}])
    files = rows.files.set_column(rows.files.column_names.index("partitionValues"), "partitionValues", values)
    assert frame(handle, replace(rows, files=files)) is not first


def test_other_settings_read_anew(handle: Handle, rows: Scan) -> None:
    first = frame(handle, rows)
    handle.settings = "others"
    assert frame(handle, rows) is not first
    handle.settings = "as they were"
    assert frame(handle, rows) is first
    with matching(case_sensitive=True):
        assert frame(handle, rows) is not first


def test_who_reads_the_files_counts(handle: Handle, rows: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    first = frame(handle, rows)
    monkeypatch.setattr(scans, "read_in_process", lambda spark, operator: True)
    assert frame(handle, rows) is not first


def test_rows_in_memory_have_their_weight(
    handle: Handle, rows: Scan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file of a few bytes may be millions of rows that are all the same."""

    def scan(spark: SparkHandle, operator: Scan, work: Workspace) -> object:
        work.sent += MOST_WEIGHT // 2
        return object()

    monkeypatch.setattr(scans, "scan", scan)
    for number in range(3):
        frame(handle, scan_of(tmp_path, {f"{number}.parquet": "x"}))
        assert len(handle.cached_frames) == 1


def test_what_is_made_while_settings_change_is_not_kept(
    handle: Handle, rows: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan(spark: SparkHandle, operator: Scan, work: Workspace) -> object:
        handle.settings = "of another thread"
        return object()

    monkeypatch.setattr(scans, "scan", scan)
    frame(handle, rows)
    assert len(handle.cached_frames) == 0


def test_a_file_that_is_gone_is_missed(handle: Handle, rows: Scan, tmp_path: Path) -> None:
    frame(handle, rows)
    (tmp_path / "b.parquet").unlink()
    with pytest.raises(DataFileNotFoundError):
        frame(handle, rows)


def test_a_file_of_the_same_name_is_read_anew(handle: Handle, rows: Scan, tmp_path: Path) -> None:
    """A table that was dropped and made once more, from a copy of its files."""
    first, place = frame(handle, rows), tmp_path / "b.parquet"
    before = place.stat()
    other = tmp_path / "other"
    other.write_bytes(b"ROWS")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(place)
    assert frame(handle, rows) is not first


def test_a_file_that_changes_in_place_is_read_anew(handle: Handle, rows: Scan, tmp_path: Path) -> None:
    first = frame(handle, rows)
    (tmp_path / "b.parquet").write_bytes(b"other rows")
    assert frame(handle, rows) is not first


@pytest.mark.parametrize(
    "change",
    [
        {"identity": True},
        {"described": True},
        {"marked_only": True},
        {"row_ids": RowIdColumns("_id", "_version")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_rows_with_their_places_are_never_kept(handle: Handle, rows: Scan, change: dict[str, Any]) -> None:
    frame(handle, replace(rows, **change))
    assert len(handle.cached_frames) == 0


def test_marked_rows_are_never_kept(handle: Handle, tmp_path: Path) -> None:
    vector = {"storageType": "u", "pathOrInlineDv": "ab", "offset": 1, "sizeInBytes": 2, "cardinality": 1}
    frame(handle, scan_of(tmp_path, {"a.parquet": "x"}, vector=vector))
    assert len(handle.cached_frames) == 0


def test_a_table_in_a_store_is_never_kept(handle: Handle, rows: Scan) -> None:
    """Whether a file is there is a request."""
    operator = CachedScans(cast("SparkHandle", handle))
    assert not operator._may_be_cached(replace(rows, table=replace(rows.table, location="s3://bucket/t")))
    cloned = rows.files.append_column("location", pa.array(["s3://bucket/a", "s3://bucket/b"]))
    assert operator._key(replace(rows, files=cloned)) is None


def test_many_files_are_not_kept(handle: Handle, rows: Scan) -> None:
    many = pa.concat_tables([rows.files] * MOST_FILES)
    frame(handle, replace(rows, files=many))
    assert len(handle.cached_frames) == 0


def test_the_caller_gets_a_new_one(handle: Handle, rows: Scan) -> None:
    first = frame(handle, rows)
    with handed_out():
        assert frame(handle, rows) is not first


def test_a_server_keeps_none(handle: Handle, rows: Scan) -> None:
    handle.remote, handle.settings = True, None
    frame(handle, rows)
    assert len(handle.cached_frames) == 0


def test_the_last_used_stay() -> None:
    kept, frames = CachedFrames(most=2, most_weight=10), [cast("DataFrame", object()) for _ in range(3)]
    kept.put("a", frames[0], 4)
    kept.put("b", frames[1], 4)
    assert kept.find("a") is frames[0]
    kept.put("c", frames[2], 4)
    assert (kept.find("b"), kept.find("a"), kept.find("c")) == (None, frames[0], frames[2])


def test_what_is_heavy_takes_the_place_of_more() -> None:
    kept, frame = CachedFrames(most=9, most_weight=10), cast("DataFrame", object())
    for key in "abc":
        kept.put(key, frame, 3)
    kept.put("c", frame, 8)
    assert [kept.find(key) for key in "abc"] == [None, None, frame]
    kept.put("d", frame, 11)
    assert kept.find("d") is None
    assert kept.find("c") is frame
    kept.clear()
    assert len(kept) == 0
