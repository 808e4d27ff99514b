from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from deltasql.log.actions.bin_packing import joined_numbers, packed, partition_numbers


def files(*sizes: int) -> pa.Table:
    return pa.table({"path": [f"f{index}" for index in range(len(sizes))], "size": pa.array(sizes, pa.int64())})


def binned(table: pa.Table, groups: list[int], limit: int, *, singles: bool = False) -> list[list[str]]:
    found, bins = packed(table, np.array(groups, np.int64), limit, singles=singles)
    numbers = bins.to_pylist()
    assert numbers == sorted(numbers)
    count = max(numbers, default=-1) + 1
    paths = found.column("path").to_pylist()
    return [[path for path, bin_ in zip(paths, numbers, strict=True) if bin_ == number] for number in range(count)]


def test_small_files_come_first_and_stand_in_log_order() -> None:
    assert binned(files(50, 10, 30, 20), [0] * 4, 60) == [["f1", "f2", "f3"]]
    assert binned(files(50, 10, 30, 20), [0] * 4, 60, singles=True) == [["f1", "f2", "f3"], ["f0"]]


def test_a_bin_holds_files_of_one_group() -> None:
    assert binned(files(1, 1, 1, 1, 1), [0, 1, 0, 1, 2], 100) == [["f0", "f2"], ["f1", "f3"]]


def test_a_file_above_the_limit_is_alone() -> None:
    assert binned(files(200, 300), [0, 0], 100) == []
    assert binned(files(200, 300), [0, 0], 100, singles=True) == [["f0"], ["f1"]]


def test_no_files() -> None:
    assert binned(files(), [], 100) == []


@pytest.mark.parametrize("chunked", [False, True])
def test_partitions_are_told_apart_by_all_their_values(chunked: bool) -> None:
    kind = pa.struct([("p", pa.string()), ("q", pa.string())])
    rows = [{"p": "a", "q": "1"}, {"p": "a", "q": None}, {"p": None, "q": "1"}, {"p": "a", "q": "1"}]
    chunks = [rows[:2], rows[2:]] if chunked else [rows]
    table = pa.table({"partitionValues": pa.chunked_array([pa.array(part, kind) for part in chunks])})
    numbers = partition_numbers(table).tolist()
    assert numbers[0] == numbers[3]
    assert len(set(numbers)) == 3


def test_an_unpartitioned_table_is_one_group() -> None:
    table = pa.table({"partitionValues": pa.array([{}, {}], pa.struct([]))})
    assert partition_numbers(table).tolist() == [0, 0]
    assert joined_numbers([], 0).tolist() == []
