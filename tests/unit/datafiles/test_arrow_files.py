"""Rows by the directory that they go to. No JVM."""

from __future__ import annotations

import pyarrow as pa

from deltasql.files.writing.arrow_files import by_directory


def test_more_columns_than_a_number_counts() -> None:
    """All combinations of the values would be 2^72."""
    by = [f"p{n}" for n in range(12)]
    columns = {name: [str((row * (2 * n + 1)) % 64) for row in range(64)] for n, name in enumerate(by)}
    table = pa.table({"v": range(64), **columns})
    found = {part["v"].to_pylist()[0]: values for values, part in by_directory(table, by)}
    assert found == {row: {name: columns[name][row] for name in by} for row in range(64)}


def test_null_and_the_empty_text_are_two_values() -> None:
    table = pa.table({"p": ["", None, "", "x"], "v": range(4)})
    found = [(values["p"], part["v"].to_pylist()) for values, part in by_directory(table, ["p"])]
    assert found == [("", [0, 2]), (None, [1]), ("x", [3])]


def test_no_columns_and_no_rows() -> None:
    table = pa.table({"p": pa.array([], pa.string()), "v": pa.array([], pa.int32())})
    assert [values for values, _ in by_directory(table, ["p"])] == [{}]
    assert [values for values, _ in by_directory(table, [])] == [{}]
