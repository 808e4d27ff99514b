"""Files that lose rows, and get new images of some: without a JVM."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import RowsLostError
from deltasql.base.errors.base import LeftToEngineError
from deltasql.engines.rewriting import partition_folder, positions_of
from deltasql.files.reading.file_reader import in_memory, split_addresses
from deltasql.files.writing import arrow_files
from deltasql.files.writing.arrow_files import ORIGIN, TableFiles, WrittenFile
from deltasql.files.writing.successors import (
    CompactionGroup,
    Copied,
    NewRows,
    RewrittenFile,
    copy_unchanged,
    united_files,
)
from deltasql.log.storage.stores import Stores
from deltasql.plan.hidden_names import IS_CHANGE, ROW_INDEX
from deltasql.schema.checks import CHANGE_TYPE
from deltasql.schema.types import DOUBLE, INTEGER, LONG, STRING, StructField, StructType

SCHEMA = StructType(
    (
        StructField("id", INTEGER),
        StructField("v", STRING),
        StructField("s", StructType((StructField("x", LONG),))),
        StructField("f", DOUBLE),
        StructField("p", STRING),
    )
)
ROWS = pa.table(
    {
        "id": pa.array(range(6), pa.int32()),
        "v": ["a", None, "c", "d", "e", "f"],
        "s": [{"x": n} for n in range(6)],
        "f": [0.5, None, 2.5, 3.5, 4.5, 5.5],
    }
)
KEPT = "file:/t/one.parquet"


@dataclass
class Held:
    """See FileInMemory: a table as a file with row groups of so many rows. `decoded` are the columns read of each."""

    table: pa.Table
    columns: pa.Schema
    marked: np.ndarray[Any, Any]
    statistics: str | None = None
    dictionaries: Sequence[str] = ()
    spliceable: bool = True
    group_rows: int = 2
    decoded: dict[int, list[str]] = field(default_factory=dict)

    @property
    def data(self) -> memoryview:
        sink = pa.BufferOutputStream()
        pq.write_table(self.table, sink, row_group_size=self.group_rows)
        return memoryview(sink.getvalue())

    @property
    def sizes(self) -> Sequence[int]:
        starts = range(0, self.table.num_rows, self.group_rows)
        return [min(self.group_rows, self.table.num_rows - start) for start in starts]

    def rows(self, group: int, names: Collection[str]) -> pa.Table:
        chosen = [name for name in self.columns.names if name in names]
        self.decoded.setdefault(group, []).extend(chosen)
        there = self.table.slice(self.group_rows * group, self.group_rows)
        nulls = pa.nulls(there.num_rows)
        columns = {name: there.column(name) if name in there.column_names else nulls for name in chosen}
        return pa.table(columns).cast(pa.schema([self.columns.field(name) for name in chosen]))


def held(rows: pa.Table = ROWS, *, columns: pa.Schema | None = None, marked: Sequence[int] = (), **more: Any) -> Held:
    return Held(rows, columns or ROWS.schema, np.array(marked, np.int64), **more)


def images(rows: Mapping[int, Any], *, more: Mapping[str, Any] | None = None) -> pa.Table:
    """Rows for positions, in their order: the id is -1, and `s` holds the position with its sign changed."""
    columns = {
        "id": pa.array([-1] * len(rows), pa.int32()),
        "v": pa.array(list(rows.values()), pa.string()),
        "s": [{"x": -place} for place in rows],
        ROW_INDEX: pa.array(list(rows), pa.int64()),
    }
    return pa.table({**columns, **{name: [value] * len(rows) for name, value in (more or {}).items()}})


def written(
    folder: Path, gone: list[int], parts: Any, changed: set[str], file: Held | None = None
) -> tuple[Copied, list[Any]]:
    """What comes of a file, and the rows of its successor."""
    kept = [RewrittenFile(KEPT, {"p": "x"}, "p=x", 0, np.array(gone, np.int64), lambda: file or held())]
    copied = copy_unchanged(Stores().open(str(folder)), kept, NewRows(parts, frozenset(changed)), "new", SCHEMA)
    found = [pq.read_table(folder / file.path).to_pylist() for _, file in copied.successors]
    return copied, [row for rows in found for row in rows]


def image_of(rows: Mapping[int, Any]) -> Any:
    return [({ORIGIN: KEPT, "p": "x"}, images(rows))]


def test_rows_that_go(tmp_path: Path) -> None:
    file = held()
    copied, rows = written(tmp_path, [0, 5], [], set(), file)
    assert [row["id"] for row in rows] == [1, 2, 3, 4]
    assert [str(file.path.parent) for _, file in copied.successors] == ["new/p=x"]
    # Of the row group in the middle the bounds of numbers that may be NaN are looked at.
    assert file.decoded == {0: ROWS.column_names, 1: ["f"], 2: ROWS.column_names}
    assert [file.floats for _, file in copied.successors] == [{"f": (2.5, 4.5)}]


def test_a_file_that_loses_all_rows_has_no_successor(tmp_path: Path) -> None:
    for spliceable in (True, False):
        copied, _ = written(tmp_path, list(range(6)), [], set(), held(spliceable=spliceable))
        assert copied == Copied([], [], [])


def test_rows_that_were_marked_before(tmp_path: Path) -> None:
    _, rows = written(tmp_path, [1, 4], image_of({4: "four"}), {"v"}, held(marked=[0, 3]))
    assert [(row["id"], row["v"]) for row in rows] == [(2, "c"), (4, "four"), (5, "f")]


def test_images_stand_where_the_rows_stood(tmp_path: Path) -> None:
    """Whatever their order; and only in the columns that a statement sets, which alone are decoded."""
    file = held()
    _, rows = written(tmp_path, [1, 4, 5], [*image_of({4: "four", 1: None}), *image_of({5: "five"})], {"v", "s"}, file)
    assert [row["id"] for row in rows] == list(range(6))
    assert [row["v"] for row in rows] == ["a", None, "c", "d", "four", "five"]
    assert [row["s"]["x"] for row in rows] == [0, -1, 2, 3, -4, -5]
    assert file.decoded == {0: ["v", "s"], 2: ["v", "s"]}


def test_partition_values_that_are_spelled_otherwise(tmp_path: Path) -> None:
    copied, rows = written(tmp_path, [1], [({ORIGIN: KEPT, "p": "X"}, images({1: "one"}))], {"v"})
    assert [row["v"] for row in rows][:3] == ["a", "one", "c"]
    assert copied.others == []


def test_images_that_are_what_the_rows_were(tmp_path: Path) -> None:
    file = held()
    _, rows = written(tmp_path, [1], image_of({1: "one"}), set(), file)
    assert rows == ROWS.to_pylist()
    assert file.decoded == {}


def test_images_where_others_are_deleted(tmp_path: Path) -> None:
    _, rows = written(tmp_path, [1, 4], image_of({4: "four"}), {"v"})
    assert [(row["id"], row["v"]) for row in rows] == [(0, "a"), (2, "c"), (3, "d"), (4, "four"), (5, "f")]


OF_LOG = {"minValues": {"id": -9, "v": "A"}, "maxValues": {"F": 99.5, "s": {"x": 7}}, "nullCount": {"id": 0, "v": 3}}


@pytest.mark.parametrize(
    ("gone", "more", "known"),
    [
        ([1], {}, {"minValues": {"id": -9}, "maxValues": {"F": 99.5}, "nullCount": {"id": 0}}),
        ([1], {"tightBounds": False}, {}),
        ([0, 1], {}, {"minValues": {}, "maxValues": {}, "nullCount": {}}),
    ],
    ids=["columns that stay", "bounds that are wide", "rows that go"],
)
def test_statistics_of_the_log(tmp_path: Path, gone: list[int], more: dict[str, Any], known: dict[str, Any]) -> None:
    file = held(statistics=json.dumps({**OF_LOG, **more}))
    copied, _ = written(tmp_path, gone, image_of({1: "one"}), {"v", "s"}, file)
    assert [file.statistics for _, file in copied.successors] == [known]


WIDER = pa.schema([ROWS.schema.field("id").with_type(pa.int64()), *list(ROWS.schema)[1:]])
MORE = pa.schema([*ROWS.schema, pa.field("more", pa.int32())])


@pytest.mark.parametrize(
    "file",
    [
        held(spliceable=False, statistics='{"minValues": {"id": -9}}'),
        held(columns=WIDER, statistics='{"minValues": {"id": -9}}'),
        held(columns=MORE),
        held(ROWS.append_column("dropped", ROWS.column("id"))),
    ],
    ids=["old properties", "a narrower type", "an added column", "a dropped column"],
)
def test_files_of_which_nothing_stays_as_it_is(tmp_path: Path, file: Held) -> None:
    copied, rows = written(tmp_path, [1], image_of({1: "one"}), {"v"}, file)
    ((_, new),) = copied.successors
    assert [(row["id"], row["v"]) for row in rows][:3] == [(0, "a"), (1, "one"), (2, "c")]
    found = pq.read_schema(tmp_path / new.path)
    assert {item.name: item.type for item in found} == {item.name: item.type for item in file.columns}
    assert new.statistics == {}
    assert new.floats == {"f": (0.5, 5.5)}


@pytest.mark.parametrize("spliceable", [True, False])
def test_row_groups_that_are_larger_than_arrow_makes_them(tmp_path: Path, spliceable: bool) -> None:
    count = 1_100_000
    table = pa.table({"id": pa.array(range(count), pa.int32())})
    for gone, parts in (([5], []), ([1_080_000], image_of({1_080_000: "one"}))):
        file = held(table, columns=table.schema, spliceable=spliceable, group_rows=count)
        _, rows = written(tmp_path, gone, parts, {"id"}, file)
        assert len(rows) == count - 1 + len(parts)
        assert rows[-1] == {"id": count - 1}


def test_rows_that_are_lost_on_the_way(tmp_path: Path) -> None:
    class Losing(Held):
        def rows(self, group: int, names: Collection[str]) -> pa.Table:
            return Held.rows(self, group, names).slice(0, 1)

    file = Losing(ROWS, ROWS.schema, np.array([], np.int64), spliceable=False)
    with pytest.raises(RowsLostError, match="would have 3 rows, and not 6"):
        written(tmp_path, [0], image_of({0: "one"}), {"v"}, file)
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.parametrize("text", ["", None, "{}"])
def test_no_statistics(tmp_path: Path, text: str | None) -> None:
    _, rows = written(tmp_path, [1], image_of({1: "one"}), {"v"}, held(statistics=text))
    assert len(rows) == 6


def test_ids_of_fields_that_the_file_lacks(tmp_path: Path) -> None:
    with_ids = pa.schema([item.with_metadata({"PARQUET:field_id": str(at)}) for at, item in enumerate(ROWS.schema)])
    copied, _ = written(tmp_path, [1], image_of({1: "one"}), {"v"}, held(columns=with_ids))
    ((_, file),) = copied.successors
    found = pq.read_schema(tmp_path / file.path)
    assert [item.metadata[b"PARQUET:field_id"] for item in found] == [b"0", b"1", b"2", b"3"]


@pytest.mark.parametrize("piece_bytes", [1, 1 << 20])
def test_files_that_become_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_bytes: int) -> None:
    monkeypatch.setattr(arrow_files, "PIECE_BYTES", piece_bytes)
    several = [in_memory(ROWS.slice(start, 2)) for start in (0, 2, 4)]
    bins = [
        CompactionGroup("0", {"p": "x"}, 1, lambda: several),
        CompactionGroup("1", {"p": "y"}, 1, lambda: [in_memory(ROWS.slice(1, 1))]),
    ]
    written = united_files(Stores().open(str(tmp_path)), bins, "new", SCHEMA)
    tables = [pq.read_table(tmp_path / file.path, partitioning=None) for _, file in written]
    assert [table.to_pylist() for table in tables] == [ROWS.to_pylist(), ROWS.slice(1, 1).to_pylist()]
    assert [str(file.path.parent) for _, file in written] == [f"new/{ORIGIN}=0", f"new/{ORIGIN}=1"]


def test_rows_of_other_partitions_and_of_the_change_feed(tmp_path: Path) -> None:
    feed = images({1: "old"}, more={CHANGE_TYPE: "update_preimage"})
    parts = [
        ({IS_CHANGE: "false", ORIGIN: KEPT, "p": "y"}, images({1: "moved"}, more={CHANGE_TYPE: None})),
        ({IS_CHANGE: "false", ORIGIN: None, "p": "y"}, images({7: "new"}, more={CHANGE_TYPE: None})),
        ({IS_CHANGE: "true", ORIGIN: KEPT, "p": "x"}, feed),
    ]
    copied, rows = written(tmp_path, [1], parts, {"v", "p"})
    assert [row["id"] for row in rows] == [0, 2, 3, 4, 5]
    (other,), (change,) = copied.others, copied.feed
    assert str(other.path.parent) == "new/p=y"
    assert [row["v"] for row in pq.read_table(tmp_path / other.path).to_pylist()] == ["moved", "new"]
    assert str(change.path.parent) == "_change_data/new/p=x"
    assert pq.read_table(tmp_path / change.path).column_names == ["id", "v", "s", CHANGE_TYPE]


def test_values_that_hardly_repeat_get_no_dictionary(tmp_path: Path) -> None:
    count = 200_000
    table = pa.table({"id": range(count), "day": [n % 7 for n in range(count)]})
    schema = StructType((StructField("id", INTEGER), StructField("day", INTEGER)))
    file = TableFiles(Stores().open(str(tmp_path)), schema, in_partitions=False).write(0, "d", table)
    chunks = {file.footer.row_group(0).column(n).path_in_schema: file.footer.row_group(0).column(n) for n in range(2)}
    assert not chunks["id"].has_dictionary_page
    assert chunks["day"].has_dictionary_page
    assert pq.read_table(tmp_path / file.path).equals(table)


def test_folders_of_partitions() -> None:
    values = {"a": "2024-01-01T00:00:00.000000Z", "b c": None}
    folder = "a=2024-01-01 00%3A00%3A00/b c=__HIVE_DEFAULT_PARTITION__"
    assert partition_folder(f"/w/x=1/t/0123/{folder}/one.parquet", values) == folder
    for path in ("/w/x=1/y=2/one.parquet", "s3://bucket/one.parquet"):
        assert partition_folder(path, {"a": "x/y", "b": None}) == "a=x%2Fy/b=__HIVE_DEFAULT_PARTITION__"
    assert partition_folder("/w/t/x=1/one.parquet", {}) == ""


def test_places_of_rows() -> None:
    places = np.array([(1 << 40) + 7, 3, (1 << 40) + 2, 3], np.int64)
    assert [part.tolist() for part in split_addresses(places)] == [[1, 0, 1, 0], [7, 3, 2, 3]]
    found = positions_of(places, np.array([1, 2, 1, 2], np.int32), ["/t/a", "/t/b"])
    assert {uri: rows.tolist() for uri, rows in found.rows.items()} == {"file:/t/a": [3], "file:/t/b": [2, 7]}
    assert (found.counts, found.fired, found.marked) == ({1: 2, 2: 1}, 4, 3)
    assert positions_of(places[:0], places[:0], []).rows == {}


def test_no_file_comes_after_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was staged is removed then, and a file that came later would be nobody's."""
    begun, done, write = Event(), list[int](), TableFiles.write

    def slow(self: TableFiles, number: int, directory: str, table: pa.Table) -> WrittenFile:
        begun.set()
        time.sleep(0.2)
        file = write(self, number, directory, table)
        done.append(number)
        return file

    def fails() -> Any:
        begun.wait()
        raise LeftToEngineError

    monkeypatch.setattr(TableFiles, "write", slow)
    bins = [CompactionGroup("damaged", {}, 1, fails), CompactionGroup("slow", {}, 1, lambda: [in_memory(ROWS)])]
    with pytest.raises(LeftToEngineError):
        united_files(Stores().open(str(tmp_path)), bins, "d", SCHEMA)
    assert done == [1]
