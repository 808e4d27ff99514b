"""New deletion vectors: their bytes, their files, and the actions that refer to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltasql.base.errors import InvalidDeletionVectorError
from deltasql.log.actions.actions import AddFile, RemoveFile
from deltasql.log.actions.deletion_vectors import (
    MarkedFile,
    deleted_rows,
    encode_vector,
    inline_vector,
    loose_statistics,
    mark_rows,
    write_vectors,
    z85_decode,
    z85_encode,
)
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import open_store
from tests.samples import examples

# Two buckets of Roaring bitmaps, and both ends of a container.
ROWS = [0, 1, 65_535, 65_536, (1 << 32) - 1, 1 << 32, (1 << 33) + 5]


def array(*rows: int) -> np.ndarray[Any, Any]:
    return np.array(rows, np.uint64)


@pytest.fixture
def store(tmp_path: Path) -> LogStore:
    return open_store(str(tmp_path))


def test_the_example_of_the_protocol() -> None:
    text = "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
    payload = encode_vector(array(3, 4, 7, 11, 18, 29))
    assert len(payload) == 44
    assert z85_encode(payload) == text
    assert z85_decode(text) == payload


@given(st.sets(st.integers(0, 1 << 40), min_size=1))
@examples(max_examples=50)
def test_what_is_written_inline_is_read_again(rows: set[int]) -> None:
    vector = inline_vector(array(*sorted(rows)))
    assert deleted_rows(open_store("memory:///"), vector.to_json()).tolist() == sorted(rows)


def test_all_vectors_of_a_commit_are_in_one_file(store: LogStore, tmp_path: Path) -> None:
    vectors, path = write_vectors(store, {"a": array(*ROWS), "b": array(7), "c": array(*range(100_000))})
    assert [item.name for item in tmp_path.glob("*.bin")] == [path]
    assert {key: deleted_rows(store, vector.to_json()).tolist() for key, vector in vectors.items()} == {
        "a": ROWS, "b": [7], "c": list(range(100_000))
    }  # fmt: skip
    assert vectors["a"].offset == 1
    assert vectors["c"].size_in_bytes < 100  # runs are stored as runs
    assert write_vectors(store, {}) == ({}, None)


def test_marked_files(store: LogStore) -> None:
    def add(path: str, rows: int) -> AddFile:
        return AddFile(path, {"p": "1"}, 10, 5, stats=json.dumps({"numRecords": rows}), tags={"k": "v"}, base_row_id=3)

    first = mark_rows(store, [MarkedFile(add("a", 5), array(1, 2), 5), MarkedFile(add("b", 2), array(0, 1), 2)], 99)
    removed, gone, marked = first.actions
    assert isinstance(removed, RemoveFile)
    assert isinstance(gone, RemoveFile)
    assert isinstance(marked, AddFile)
    assert (removed.path, removed.deletion_vector, removed.deletion_timestamp) == ("a", None, 99)
    assert (gone.path, [item.path for item in first.removed_files]) == ("b", ["b"])
    assert (marked.partition_values, marked.tags, marked.base_row_id) == ({"p": "1"}, {"k": "v"}, 3)
    assert (first.added, first.replaced, first.removed_vectors) == (1, 0, 0)

    second = mark_rows(store, [MarkedFile(marked, array(2, 4), 5)], 100)
    again = second.actions[1]
    assert isinstance(again, AddFile)
    assert again.deletion_vector is not None
    assert deleted_rows(store, again.deletion_vector.to_json()).tolist() == [1, 2, 4]
    assert (second.added, second.replaced) == (0, 1)

    last = mark_rows(store, [MarkedFile(again, array(0, 3), 5)], 101)
    assert [type(action) for action in last.actions] == [RemoveFile]
    assert (last.vector_file, last.removed_vectors) == (None, 1)


def test_a_vector_that_is_lost_cannot_be_added_to(store: LogStore, tmp_path: Path) -> None:
    marking = mark_rows(store, [MarkedFile(AddFile("a", {}, 1, 1), array(1), 9)], 1)
    assert marking.vector_file is not None
    (tmp_path / marking.vector_file).unlink()
    add = marking.actions[1]
    assert isinstance(add, AddFile)
    with pytest.raises(InvalidDeletionVectorError):
        mark_rows(store, [MarkedFile(add, array(2), 9)], 2)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, '{"numRecords":7,"tightBounds":false}'),
        ("{}", '{"numRecords":7,"tightBounds":false}'),
        ('{"numRecords":9,"tightBounds":true}', '{"numRecords":9,"tightBounds":false}'),
        ('{"numRecords":9}', '{"tightBounds":false,"numRecords":9}'),
        (
            '{"numRecords":9,"minValues":{"d":1.10,"tightBounds":"true"},"tightBounds" : true}',
            '{"numRecords":9,"minValues":{"d":1.10,"tightBounds":"true"},"tightBounds":false}',
        ),
    ],
)
def test_statistics_stay_and_are_loose(before: str | None, after: str) -> None:
    assert loose_statistics(before, 7) == after
    json.loads(after)
