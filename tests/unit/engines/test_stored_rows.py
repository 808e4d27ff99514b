"""Files on their way from one to another within this process: without a JVM."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors.base import LeftToEngineError
from deltasql.engines.rewriting import StoredRows
from deltasql.files.reading.file_reader import tables_of
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Pruning, Scan, TableVersion
from deltasql.schema.types import DATE, INTEGER, StructField, StructType

SCHEMA = StructType((StructField("day", DATE), StructField("n", INTEGER)))


def stored(root: Path, day: date, version: str) -> tuple[StoredRows, str]:
    """A table with one file of a version of Spark's."""
    path, rows = root / "one.parquet", pa.table({"day": [day], "n": pa.array([1], pa.int32())})
    with pq.ParquetWriter(path, rows.schema, store_schema=False) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({"org.apache.spark.version": version})
    files = {"path": [path.name], "location": [str(path)], "size": [path.stat().st_size], "partitionValues": [{}]}
    scan = Scan(TableVersion("t", str(root), 0), SCHEMA, (), pa.table(files), Pruning(1))
    handle: Any = SimpleNamespace(stores=Stores())
    return StoredRows(handle, scan, SCHEMA, [str(path)]), str(path)


def test_nothing_of_a_file_of_the_old_calendar_stays_as_it_is(tmp_path: Path) -> None:
    """Spark takes all days of such a file for others, and old ones must not lose what says that they are."""
    rows, path = stored(tmp_path, date(2024, 1, 1), "2.4.8")
    file = rows.opened(path, None, spliceable=True)
    assert not file.spliceable
    assert file.rows(0, {"day"}).to_pylist() == [{"day": date(2024, 1, 1)}]
    rows, path = stored(tmp_path, date(1500, 1, 1), "2.4.8")
    file = rows.opened(path, None, spliceable=True)
    assert file.rows(0, {"n"}).to_pylist() == [{"n": 1}]
    with pytest.raises(LeftToEngineError):
        file.rows(0, {"day", "n"})
    with pytest.raises(LeftToEngineError):
        list(tables_of(rows.pieces([path])))
    rows, path = stored(tmp_path, date(1500, 1, 1), "4.2.0")
    file = rows.opened(path, None, spliceable=True)
    assert file.spliceable
    (table,) = tables_of(rows.pieces([path]))
    assert table.to_pylist() == [{"day": date(1500, 1, 1), "n": 1}]
