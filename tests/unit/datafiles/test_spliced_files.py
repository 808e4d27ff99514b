"""Parquet files in which some columns are others: read by Arrow and by DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from deltasql.files.footers import CREATED_BY, ROW_GROUPS, ending, footer_of
from deltasql.files.writing.spliced_files import NotSplicedError, joined, row_group_sizes, spliced
from tests.samples import examples

ROWS = 1000
OLD = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "Name": [f"n{number % 7}" if number % 5 else None for number in range(ROWS)],
        "s": [{"x": number, "l": [number] * (number % 3)} for number in range(ROWS)],
        "m": pa.array([[(str(number % 4), number)] for number in range(ROWS)], pa.map_(pa.string(), pa.int32())),
        "d": pa.array([number / 8 for number in range(ROWS)]),
    }
)
STRUCT = pa.struct([("x", pa.int64()), ("l", pa.list_(pa.int64()))])
NEW = pa.table(
    {
        "d": pa.array([None if number % 3 else -number / 4 for number in range(ROWS)], pa.float64()),
        "name": ["other"] * ROWS,
        "s": pa.array([{"x": None, "l": [number, None]} if number % 2 else None for number in range(ROWS)], STRUCT),
        "more": pa.array(range(ROWS), pa.int16()),
    }
)


def file(table: pa.Table, rows: int = 300, **options: Any) -> memoryview:
    """A table as a Parquet file with row groups of so many rows."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=rows, **options)
    return memoryview(sink.getvalue())


def pieces(table: pa.Table, rows: int = 300, **options: Any) -> list[memoryview]:
    """A table as files of so many rows, with one row group each."""
    return [file(table.slice(start, rows), rows, **options) for start in range(0, table.num_rows, rows)]


def read(data: bytes) -> dict[str, list[Any]]:
    """The columns of a file, each checked against its checksums."""
    found = pq.read_table(pa.BufferReader(data), page_checksum_verification=True).to_pydict()
    return {str(name): values for name, values in found.items()}


WRITERS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "old format": {"version": "1.0"},
    "pages of the second version": {"data_page_version": "2.0", "compression": "zstd"},
    "indexes and checksums": {"write_page_index": True, "write_page_checksum": True},
    "no dictionary": {"use_dictionary": False, "compression": "none"},
    "no statistics": {"write_statistics": False},
    "small pages": {"data_page_size": 100, "dictionary_pagesize_limit": 50},
}


@pytest.mark.parametrize("new", [{}, WRITERS["indexes and checksums"]], ids=["new", "new with indexes"])
@pytest.mark.parametrize("old", WRITERS.values(), ids=WRITERS)
def test_columns_in_place_of_others_and_behind_them(old: dict[str, Any], new: dict[str, Any], tmp_path: Path) -> None:
    place = tmp_path / "spliced.parquet"
    place.write_bytes(spliced(file(OLD, **old), pieces(NEW, store_schema=False, **new)))
    before, after = OLD.to_pydict(), NEW.to_pydict()
    assert list(read(place.read_bytes()).items()) == [
        ("id", before["id"]),
        ("name", after["name"]),
        ("s", after["s"]),
        ("m", before["m"]),
        ("d", after["d"]),
        ("more", after["more"]),
    ]
    sums = duckdb.sql(
        f"SELECT sum(id), max(name), sum(s.x), sum(len(s.l)), sum(cardinality(m)), sum(d), max(more) FROM '{place}'"
        " WHERE id > 1"
    ).fetchall()
    numbers = range(2, ROWS)
    lists, thirds = 2 * sum(number % 2 for number in numbers), sum(number for number in numbers if number % 3 == 0)
    assert sums == [(sum(numbers), "other", None, lists, len(numbers), -thirds / 4, ROWS - 1)]


def test_what_the_footer_says() -> None:
    data = spliced(file(OLD.replace_schema_metadata({"pandas": "{}"})), pieces(NEW, compression="zstd"))
    found = pq.read_metadata(pa.BufferReader(data))
    assert (found.num_rows, row_group_sizes(memoryview(data))) == (ROWS, [300, 300, 300, 100])
    assert found.metadata is None
    group = found.row_group(1)
    chunks = {group.column(index).path_in_schema: group.column(index) for index in range(group.num_columns)}
    assert group.total_byte_size == sum(chunk.total_uncompressed_size for chunk in chunks.values())
    assert [chunks[name].compression for name in ("id", "d", "more")] == ["SNAPPY", "ZSTD", "ZSTD"]
    assert (chunks["id"].statistics.min, chunks["id"].statistics.max) == (300, 599)
    assert (chunks["d"].statistics.min, chunks["d"].statistics.null_count) == (-149.25, 200)


@examples(max_examples=40)
@given(
    values=st.lists(st.none() | st.integers(-(2**40), 2**40), min_size=1, max_size=40),
    texts=st.data(),
    rows=st.integers(1, 40),
)
def test_any_values(values: list[int | None], texts: st.DataObject, rows: int) -> None:
    sized = st.lists(st.none() | st.lists(st.none() | st.text(max_size=3)), min_size=len(values), max_size=len(values))
    kept, old, new = (texts.draw(sized) for _ in range(3))
    lists = pa.list_(pa.string())
    before = pa.table({"kept": pa.array(kept, lists), "v": pa.array(old, lists), "n": pa.array(values, pa.int64())})
    after = pa.table({"v": pa.array(new, lists)})
    found = read(spliced(file(before, rows), pieces(after, rows)))
    assert found == {"kept": kept, "v": new, "n": values}


def test_a_splice_of_a_splice() -> None:
    once = spliced(file(OLD), pieces(NEW.select(["d"])))
    twice = spliced(memoryview(once), pieces(NEW.select(["more"])))
    assert read(twice) == {**OLD.to_pydict(), "d": NEW.to_pydict()["d"], "more": NEW.to_pydict()["more"]}


def test_some_row_groups_stay_and_others_lose_rows() -> None:
    """All of them in one case."""
    first, second, *_ = pieces(OLD)
    fewer = file(OLD.slice(600, 10))
    assert read(spliced(file(OLD), [None, second, fewer, None]))["id"] == [*range(610), *range(900, 1000)]
    none = file(OLD.slice(0, 0))
    assert read(spliced(file(OLD), [none, None, none, none]))["id"] == list(range(300, 600))
    assert sum(row_group_sizes(memoryview(spliced(file(OLD), [none] * 4)))) == 0
    assert read(joined([first, none, fewer]))["id"] == [*range(300), *range(600, 610)]
    assert sum(row_group_sizes(memoryview(joined([none, none])))) == 0


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (pa.table({"id": pa.array(range(300), pa.int32())}), "the column id is written in another way"),
        (pa.table({"more": range(300)}), "a row group lacks the column more"),
        (pa.table({"id": pa.array(range(299), pa.int64())}), "other numbers of rows"),
    ],
)
def test_columns_that_do_not_fit(new: pa.Table, reason: str) -> None:
    with pytest.raises(NotSplicedError, match=reason):
        spliced(file(OLD), [file(new), None, None, None])


def test_names_that_differ_in_case_alone() -> None:
    twice = pa.table({"A": [1], "a": [2], "b": [3]})
    with pytest.raises(NotSplicedError, match="case alone"):
        spliced(file(twice), [file(pa.table({"b": [4]}))])


def test_files_of_several_row_groups() -> None:
    assert read(joined([file(OLD, 10), file(OLD.slice(0, 20), 15)]))["id"] == [*range(ROWS), *range(20)]
    with pytest.raises(NotSplicedError, match="row groups are others"):
        spliced(file(OLD, ROWS), [file(OLD, 10)])


def test_row_groups_of_other_sizes() -> None:
    with pytest.raises(NotSplicedError, match="other numbers of rows"):
        spliced(file(OLD), pieces(NEW, 250))
    with pytest.raises(NotSplicedError, match="row groups are others"):
        spliced(file(OLD), pieces(NEW, 500))


def changed_footer(**changes: Any) -> memoryview:
    """A file with another writer's name, or with a chunk that is said to be in another file."""
    data = file(OLD)
    start, footer = footer_of(data)
    if "writer" in changes:
        name = changes["writer"].encode()
        footer.values[CREATED_BY] = (8, bytes([len(name)]) + name)
    if "path" in changes:
        groups = footer.structs(ROW_GROUPS)
        chunks = groups[0].structs(1)
        chunks[0].values[1] = (8, b"\x01p")
        groups[0].put_structs(1, chunks)
        footer.put_structs(ROW_GROUPS, groups)
    return memoryview(bytes(data[:start]) + ending(footer))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"writer": "parquet-mr version 1.8.3"}, "not taken apart"), ({"path": "p"}, "in another file")],
)
def test_files_that_are_not_taken_apart(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotSplicedError, match=reason):
        spliced(changed_footer(**changes), pieces(NEW))


def test_later_writers_of_that_name() -> None:
    assert read(spliced(changed_footer(writer="parquet-mr version 1.20.0"), pieces(NEW)))["id"] == OLD.to_pydict()["id"]


def test_files_of_delta_rs(tmp_path: Path) -> None:
    """Its chunks are copied, unless their bounds of long texts are truncated: readers would take those for values."""
    texts = pa.array([f"{number:080}" for number in range(ROWS)])
    for name, table in {"short": OLD, "long": OLD.append_column("text", texts)}.items():
        write_deltalake(str(tmp_path / name), table)
    old, long = (memoryview(next((tmp_path / name).glob("*.parquet")).read_bytes()) for name in ("short", "long"))
    ids = pa.table({"id": pa.array(range(ROWS, 2 * ROWS), pa.int64())})
    found = read(spliced(old, pieces(ids, ROWS)))
    assert found == OLD.to_pydict() | {"id": list(range(ROWS, 2 * ROWS))}
    with pytest.raises(NotSplicedError, match="bounds of a column are truncated"):
        spliced(long, pieces(ids, ROWS))


@pytest.mark.parametrize("data", [b"", b"no Parquet here", bytes(file(OLD))[:-9] + b"\xff\xff\xff\x7fPAR1"])
def test_other_files(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"does not end like a Parquet file|cannot have"):
        spliced(memoryview(data), pieces(NEW))
