"""How rows that this process has read go to the engine: without one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.engines.choice import handed_out
from deltasql.engines.spark.reading import driver_rows
from deltasql.engines.spark.reading.driver_rows import Workspace
from deltasql.engines.spark.session import local_rows
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Pruning, Scan, TableVersion
from deltasql.schema.types import LONG, StructField, StructType

SCHEMA = StructType((StructField("id", LONG),))


class Handle:
    """What is asked of a SparkHandle; its session tells how rows came."""

    def __init__(self, *, is_in_process: bool) -> None:
        self.stores, self.is_in_process = Stores(), is_in_process
        reader = SimpleNamespace(format=lambda name: SimpleNamespace(load=self._loaded))
        self.session = SimpleNamespace(createDataFrame=lambda rows, schema: "sent", read=reader)

    def _loaded(self, path: str) -> Any:
        with pa.ipc.open_file(path) as file:
            assert file.read_all().to_pydict() == {"id": [0, 1, 2]}
        return SimpleNamespace(_plan=SimpleNamespace(path=Path(path)))


def rows(root: Path, handle: Handle, work: Workspace) -> Any:
    pq.write_table(pa.table({"id": range(3)}), root / "a.parquet")
    place, size = str(root / "a.parquet"), (root / "a.parquet").stat().st_size
    files = {"path": ["a.parquet"], "location": [place], "size": [size], "partitionValues": [{}]}
    scan = Scan(TableVersion("t", str(root), 0), SCHEMA, (), pa.table(files), Pruning(1))
    spark: Any = handle
    return driver_rows.driver_rows(
        spark, scan, SCHEMA, [place], may_be_missing=False, with_metadata=False, marked={}, work=work
    )[0]


def test_what_is_large_goes_by_a_file_for_as_long_as_its_rows_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sail keeps for ever what is sent to it for a view."""
    handle, work = Handle(is_in_process=True), Workspace()
    assert rows(tmp_path, handle, work) == "sent"
    monkeypatch.setattr(local_rows, "TINY_BYTES", 8)
    found = rows(tmp_path, handle, work)
    plan, path = found._plan, found._plan.path
    del work, found
    assert path.is_file()
    del plan
    assert not path.exists()


def test_what_is_the_callers_or_goes_elsewhere_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_rows, "TINY_BYTES", 8)
    assert rows(tmp_path, Handle(is_in_process=False), Workspace()) == "sent"
    with handed_out():
        assert rows(tmp_path, Handle(is_in_process=True), Workspace()) == "sent"
