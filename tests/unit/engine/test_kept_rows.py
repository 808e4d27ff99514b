"""Files that lose rows, and get new images of some: without a JVM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.engine.reading.driver_rows import split_places
from deltasql.engine.reading.workspace import Workspace
from deltasql.engine.rewrites.vector_positions import positions_of
from deltasql.engine.writing.driver_files import TableFiles
from deltasql.engine.writing.kept_rows import Copied, KeptRows, NewRows, copy_kept
from deltasql.engine.writing.staged_files import ORIGIN
from deltasql.log.storage.stores import Stores
from deltasql.plan.hidden import IS_CHANGE, ROW_INDEX
from deltasql.schema.checks import CHANGE_TYPE
from deltasql.schema.types import INTEGER, STRING, StructField, StructType

SCHEMA = StructType((StructField("id", INTEGER), StructField("v", STRING), StructField("p", STRING)))
ROWS = pa.table(
    {"id": pa.array(range(6), pa.int32()), "v": ["a", None, "c", "d", "e", "f"], "s": [{"x": n} for n in range(6)]}
)
KEPT = "file:/t/one.parquet"


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
    folder: Path, gone: list[int], parts: Any, changed: set[str], rows: pa.Table = ROWS
) -> tuple[Copied, list[Any]]:
    """What comes of a file, and the rows of its successor."""
    kept = [KeptRows(KEPT, {"p": "x"}, lambda: (rows, np.array(gone, np.int64)))]
    copied = copy_kept(Stores().open(str(folder)), kept, NewRows(parts, changed), "new", SCHEMA)
    found = [pq.read_table(folder / file.path).to_pylist() for _, file in copied.successors]
    return copied, [row for rows in found for row in rows]


def test_rows_that_go(tmp_path: Path) -> None:
    copied, rows = written(tmp_path, [0, 5], [], set())
    assert [row["id"] for row in rows] == [1, 2, 3, 4]
    assert [str(file.path.parent) for _, file in copied.successors] == ["new/p=x"]


def test_a_file_that_loses_all_rows_has_no_successor(tmp_path: Path) -> None:
    copied, _ = written(tmp_path, list(range(6)), [], set())
    assert copied == Copied([], [], [])


@pytest.mark.parametrize("chunks", [1, 2, 6])
def test_images_stand_where_the_rows_stood(tmp_path: Path, chunks: int) -> None:
    """Whatever their order; and only in the columns that a statement sets."""
    size = 6 // chunks
    table = pa.concat_tables([ROWS.slice(start, size) for start in range(0, 6, size)])
    parts = [({ORIGIN: KEPT, "p": "x"}, images({4: "four", 1: None})), ({ORIGIN: KEPT, "p": "x"}, images({2: "two"}))]
    _, rows = written(tmp_path, [1, 2, 4], parts, {"v", "s"}, table)
    assert [row["id"] for row in rows] == list(range(6))
    assert [row["v"] for row in rows] == ["a", None, "two", "d", "four", "f"]
    assert [row["s"]["x"] for row in rows] == [0, -1, -2, 3, -4, 5]


def test_images_stand_behind_where_others_are_deleted(tmp_path: Path) -> None:
    _, rows = written(tmp_path, [1, 4], [({ORIGIN: KEPT, "p": "x"}, images({4: "four"}))], {"v"})
    assert [(row["id"], row["v"]) for row in rows] == [(0, "a"), (2, "c"), (3, "d"), (5, "f"), (-1, "four")]


def test_rows_of_other_partitions_and_of_the_change_feed(tmp_path: Path) -> None:
    feed = images({1: "old"}, more={CHANGE_TYPE: "update_preimage"})
    parts = [
        ({IS_CHANGE: "false", ORIGIN: KEPT, "p": "y"}, images({1: "moved"}, more={CHANGE_TYPE: None})),
        ({IS_CHANGE: "false", ORIGIN: None, "p": "y"}, images({7: "new"}, more={CHANGE_TYPE: None})),
        ({IS_CHANGE: "true", ORIGIN: KEPT, "p": "x"}, feed),
    ]
    copied, rows = written(tmp_path, [1], parts, {"v"})
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


def test_rows_that_are_asked_for_twice_are_read_once() -> None:
    reads: list[int] = []

    def read() -> pa.Table:
        reads.append(1)
        return ROWS

    work = Workspace()
    assert work.rows("one", read, again=True) is work.rows("one", read, again=False)
    work.rows("one", read, again=False)
    assert len(reads) == 2


def test_places_of_rows() -> None:
    places = np.array([(1 << 40) + 7, 3, (1 << 40) + 2, 3], np.int64)
    assert [part.tolist() for part in split_places(places)] == [[1, 0, 1, 0], [7, 3, 2, 3]]
    found = positions_of(places, np.array([1, 2, 1, 2], np.int32), ["/t/a", "/t/b"])
    assert {uri: rows.tolist() for uri, rows in found.rows.items()} == {"file:/t/a": [3], "file:/t/b": [2, 7]}
    assert (found.counts, found.fired, found.marked) == ({1: 2, 2: 1}, 4, 3)
    assert positions_of(places[:0], places[:0], []).rows == {}
