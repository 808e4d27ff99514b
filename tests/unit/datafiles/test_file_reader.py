"""Files of several row groups: what is read of them side by side, and which rows are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import UnreadableDataFileError
from deltasql.files.reading import file_reader
from deltasql.files.reading.file_reader import ADDRESS, FileReader, split_addresses
from deltasql.log.row_groups import Struct
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Pruning, ReadInProcess, Scan, TableVersion
from deltasql.schema.types import INTEGER, STRING, StructField, StructType

COLUMNS = StructType((StructField("id", INTEGER), StructField("name", STRING)))
NAMES = ["n0", "n1", "n2", "n0", None, "n2", "n0", "n1", "n2", "n0", "n1", "n2"]
ROWS = pa.table({"id": pa.array(range(12), pa.int16()), "name": NAMES})


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file of four row groups, with a narrower type than the table's."""
    pq.write_table(ROWS, tmp_path / "one.parquet", row_group_size=3)
    return str(tmp_path / "one.parquet")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row group is read by itself."""
    for module in (file_reader, file_reader):
        monkeypatch.setattr(module, "PIECE_BYTES", 0)


def read(
    path: str,
    columns: StructType,
    marked: list[int] | None = None,
    *,
    only: bool = False,
    keys: Mapping[str, pa.Array] | None = None,
) -> pa.Table:
    files = pa.table({"location": [path], "size": [Path(path).stat().st_size]})
    table = TableVersion("t", str(Path(path).parent), 0)
    here = ReadInProcess(keys) if keys else None
    scan = Scan(table, COLUMNS, (), files, Pruning(1), marked_only=only, in_process=here)
    reader = FileReader(Stores(), scan, columns)
    read = reader.pieces(path, None if marked is None else lambda: np.array(marked, np.int64), 5)
    return pa.concat_tables(list(file_reader.tables_of(read)))


def ids(path: str, marked: list[int] | None = None, *, only: bool = False, **keys: pa.Array) -> list[int]:
    """The ids of the rows that are read, whose places must tell them."""
    found = read(path, StructType((*COLUMNS, ADDRESS)), marked, only=only, keys=keys)
    numbers, places = split_addresses(found.column(ADDRESS.name).to_numpy())
    told: list[int] = found.column("id").to_pylist()
    assert (places.tolist(), set(numbers.tolist())) == (told, {5} if told else set())
    assert found.schema.field("id").type == pa.int32()
    return told


@pytest.mark.parametrize(
    ("marked", "only", "left"),
    [
        (None, False, list(range(12))),
        ([], False, list(range(12))),
        ([0, 4, 9], False, [1, 2, 3, 5, 6, 7, 8, 10, 11]),
        ([2, 3, 9], True, [2, 3, 9]),
        ([], True, []),
        (list(range(12)), False, []),
    ],
)
def test_marked_rows(path: str, marked: list[int] | None, only: bool, left: list[int]) -> None:
    assert ids(path, marked, only=only) == left


def test_rows_that_have_keys(path: str) -> None:
    assert ids(path, id=pa.array([1, 8, 7_000_000_000])) == [1, 8]
    assert ids(path, [1], name=pa.array(["n1", "n2"])) == [2, 5, 7, 8, 10, 11]
    assert ids(path, [1, 2, 5], only=True, name=pa.array(["n2"]), id=pa.array([5, 8])) == [5]
    assert ids(path, name=pa.array([], pa.string())) == []
    assert ids(path, other=pa.array([1])) == list(range(12))


def test_more_keys_than_rows_are_not_looked_for(path: str) -> None:
    assert ids(path, id=pa.array([1, 2, 3, 4])) == list(range(12))


def test_groups_without_a_row_that_is_wanted_are_not_read(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    original = pq.ParquetFile.read_row_groups

    def noted(self: Any, groups: Sequence[int], **more: Any) -> pa.Table:
        read.extend(groups)
        return original(self, groups, **more)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", noted)
    assert ids(path, [1, 9], only=True) == [1, 9]
    assert sorted(read) == [0, 3]
    assert ids(path, [4], only=True) == [4]
    assert sorted(read) == [0, 1, 3]


def test_columns_that_the_file_lacks(path: str) -> None:
    """There is nothing to be read, and yet so many rows."""
    found = read(path, StructType((StructField("new", STRING),)), [1, 4, 11])
    assert found.to_pylist() == [{"new": None}] * 9


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_footer_that_tells_of_other_rows(tmp_path: Path, everywhere: bool) -> None:
    file = tmp_path / "one.parquet"
    pq.write_table(ROWS, file)
    data = file.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = Struct.parsed(data[start:-8])
    (group,) = footer.structs(4)
    group.put_number(3, 100)
    footer.put_structs(4, [group])
    if everywhere:
        footer.put_number(3, 100)
    written = footer.to_bytes()
    file.write_bytes(data[:start] + written + len(written).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(UnreadableDataFileError, match=r"rows"):
        read(str(file), COLUMNS)
