"""Bounds of floating-point columns in the footers of files: none where NaN is, or may be, among the values. No JVM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltasql
from deltasql.files.footers import NAN_SAFE_KEY, bounds_are_sure
from deltasql.files.statistics.of_footers import float_bounds, with_sure_bounds
from deltasql.files.writing.arrow_files import encoded
from deltasql.log.storage.stores import Stores

NAN = float("nan")
ROWS = pa.table(
    {
        "k": pa.array([1, 2, 3, 4], pa.int32()),
        "plain": [1.0, None, 3.0, 4.0],
        "late": pa.array([1.0, 2.0, 3.0, NAN], pa.float32()),
        "s": pa.array([{"x": NAN, "y": 1.0}] * 4),
        "l": [[1.0], [NAN], None, []],
        "nulls": pa.nulls(4, pa.float64()),
    }
)


def bounded(data: pa.Buffer) -> dict[str, list[bool]]:
    """Whether each row group has bounds of a leaf, by the leaf's path."""
    found = pq.read_metadata(pa.BufferReader(data))
    groups = [found.row_group(number) for number in range(found.num_row_groups)]
    paths = [found.schema.column(at).path for at in range(found.num_columns)]
    return {path: [group.column(at).statistics.has_min_max for group in groups] for at, path in enumerate(paths)}


def test_nan_leaves_no_bounds() -> None:
    data = with_sure_bounds(encoded(ROWS, dictionaries=True, group_rows=2), float_bounds(ROWS))
    assert pq.read_table(pa.BufferReader(data)).to_pydict().keys() == ROWS.to_pydict().keys()
    assert repr(pq.read_table(pa.BufferReader(data)).to_pydict()) == repr(ROWS.to_pydict())
    assert bounded(data) == {
        "k": [True, True],
        "plain": [True, True],
        "late": [False, False],
        "s.x": [False, False],
        "s.y": [True, True],
        "l.list.element": [False, False],
        "nulls": [False, False],
    }
    found = pq.read_metadata(pa.BufferReader(data))
    assert [found.row_group(0).column(at).statistics.null_count for at in (1, 6)] == [1, 2]
    assert found.metadata == {NAN_SAFE_KEY.encode(): b"none"}


def test_columns_of_which_nothing_is_known_have_no_bounds() -> None:
    data = with_sure_bounds(encoded(ROWS, dictionaries=True), {"late": (1.0, 3.0)})
    assert [path for path, found in bounded(data).items() if found == [True]] == ["k", "late"]


def test_a_path_of_two_leaves() -> None:
    rows = pa.table({"a.b": [1.0], "a": [{"b": NAN}]})
    data = with_sure_bounds(encoded(rows, dictionaries=True), {"a.b": (1.0, 1.0)})
    group = pq.read_metadata(pa.BufferReader(data)).row_group(0)
    assert not any(group.column(at).statistics.has_min_max for at in (0, 1))


def test_files_without_floating_point_numbers_stay_as_they_are() -> None:
    data = encoded(ROWS.select(["k"]), dictionaries=True)
    assert with_sure_bounds(data, {}) is data


def test_of_which_files_bounds_are_sure(tmp_path: Path) -> None:
    files: Mapping[str, pa.Buffer] = {
        "ours": with_sure_bounds(encoded(ROWS, dictionaries=True), float_bounds(ROWS)),
        "whole": encoded(ROWS.select(["k"]), dictionaries=True),
        "theirs": encoded(ROWS, dictionaries=True),
        "broken": pa.py_buffer(b"PAR1"),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    sure = {name for name in [*files, "gone"] if bounds_are_sure(Stores(), [str(tmp_path / name)])}
    assert sure == {"ours", "whole"}
    assert not bounds_are_sure(Stores(), [str(tmp_path / name) for name in files])


@pytest.mark.sail
@pytest.mark.parametrize("properties", ["", "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"])
def test_every_statement(tmp_path: Path, properties: str) -> None:
    """No file of any of them has bounds of a column with NaN."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    pq.write_table(pa.table({"k": [70, 71], "d": [NAN, 1.0]}), theirs / "x.parquet")
    with deltasql.connect(str(tmp_path / "warehouse"), engine="sail") as session:
        for statement in (
            f"CREATE TABLE t (k BIGINT, d DOUBLE, s STRUCT<x: FLOAT>) {properties}",
            "INSERT INTO t VALUES (1, CAST('NaN' AS DOUBLE), named_struct('x', CAST('NaN' AS FLOAT)))",
            "INSERT INTO t VALUES (2, 1.0D, NULL)",
            "INSERT INTO t SELECT abs(k) + 10, d, s FROM t",
            "UPDATE t SET k = 3 WHERE k = 2",
            "UPDATE t SET d = CAST('NaN' AS DOUBLE) WHERE k = 3",
            "MERGE INTO t USING (SELECT 3 AS k UNION ALL SELECT 50) v ON t.k = v.k "
            "WHEN MATCHED THEN UPDATE SET d = 2.0D "
            "WHEN NOT MATCHED THEN INSERT (k, d) VALUES (v.k, CAST('NaN' AS DOUBLE))",
            f"COPY INTO t FROM '{theirs}' FILEFORMAT = PARQUET",
            "DELETE FROM t WHERE k = 3",
            "OPTIMIZE t ZORDER BY (k)",
            f"CREATE TABLE c DEEP CLONE t {properties}",
        ):
            session.sql(statement)
        session.write(pa.table({"k": [80, 81], "d": [1.0, NAN]})).mode("append").saveAsTable("t")
    found = sorted((tmp_path / "warehouse").rglob("*.parquet"))
    assert found
    for path in found:
        if "_delta_log" in path.parts:
            continue
        groups = pq.read_metadata(path)
        values = pq.read_table(path)
        has_nan = {
            name: "nan" in str(values.flatten().column(name).to_pylist())
            for name in values.flatten().column_names
            if name in {"d", "s.x"}
        }
        for at in range(groups.num_columns):
            if has_nan.get(groups.schema.column(at).path):
                assert not groups.row_group(0).column(at).statistics.has_min_max, path
        assert bounds_are_sure(Stores(), [str(path)])
