"""Tables with files and statistics as other writers make them, read and changed in this process."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deltasql import Session, connect

PAIRS = pa.list_(pa.int32(), 2)
LISTS = pa.table(
    {
        "k": pa.array([1, 2, 3], pa.int32()),
        "c": pa.array([[1, 2], None, [3, None]], PAIRS),
        "s": pa.array([{"e": [1, 2]}, {"e": None}, None], pa.struct([("e", PAIRS)])),
        "l": pa.array([[[1, 2], [3, 4]], None, []], pa.list_(PAIRS)),
        "m": pa.array([[("a", [1, 2])], None, []], pa.map_(pa.string(), PAIRS)),
    }
)
"""Lists of one size at any depth, such as embeddings: the file has plain lists, and Arrow's schema beside them."""

DECIMALS = {
    "d": ("12345678901234567.89", pa.decimal128(20, 2)),
    "e": ("99999999999999.99", pa.decimal128(18, 2)),
    "g": ("0.123456789012345678", pa.decimal128(18, 18)),
    "h": (f"-{'9' * 38}", pa.decimal128(38, 0)),
}
"""delta-rs writes the bounds of decimals as DOUBLE, or as the limit of LONG."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


def stored(tmp_path: Path, rows: pa.Table) -> str:
    write_deltalake(str(tmp_path / "t"), rows)
    return f"delta.`{tmp_path}/t`"


def test_lists_of_one_size(session: Session, tmp_path: Path) -> None:
    table = stored(tmp_path, LISTS)
    assert session.sql(f"SELECT * FROM {table}").to_arrow().sort_by("k").to_pylist() == LISTS.to_pylist()
    session.sql(f"UPDATE {table} SET k = 4 WHERE k = 2")
    session.sql(f"MERGE INTO {table} t USING (SELECT 3 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = 5")
    session.sql(f"DELETE FROM {table} WHERE k = 1")
    rest = session.sql(f"SELECT * FROM {table}").to_arrow().sort_by("k").to_pylist()
    assert rest == [{**row, "k": row["k"] + 2} for row in LISTS.to_pylist()[1:]]


@pytest.mark.parametrize("name", DECIMALS)
def test_rounded_bounds_of_decimals(name: str, session: Session, tmp_path: Path) -> None:
    value, kind = DECIMALS[name]
    rows = pa.table({"k": pa.array([1], pa.int32()), name: pa.array([Decimal(value)], kind)})
    table = stored(tmp_path, rows)
    for condition in (f"{name} = {value}", f"{name} IN ({value})", f"{name} BETWEEN {value} AND {value}"):
        assert session.sql(f"SELECT k FROM {table} WHERE {condition}").collect() == [(1,)], condition
    assert session.sql(f"UPDATE {table} SET k = 2 WHERE {name} = {value}").collect() == [(1,)]
    assert session.sql(f"SELECT max({name}) FROM {table}").collect() == [(Decimal(value),)]
    assert session.sql(f"DELETE FROM {table} WHERE {name} = {value}").collect() == [(1,)]
