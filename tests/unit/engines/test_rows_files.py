"""Rows that go to Sail in a file."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from deltasql.base.errors import NotOnSailError
from deltasql.engines.sail import frames
from deltasql.engines.spark.session import local_rows
from deltasql.engines.spark.session.local_rows import RowsFile

ROWS = pa.table({"id": pa.array(range(1000), pa.int64())})


def test_rows_come_back_as_they_were_written() -> None:
    assert RowsFile([ROWS, ROWS], ROWS.schema).table().equals(pa.concat_tables([ROWS, ROWS]).combine_chunks())


def test_more_rows_than_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_rows, "available_memory", lambda: 30_000)
    produced = list[int]()

    def tables() -> Iterator[pa.Table]:
        for number in range(100):
            produced.append(number)
            yield ROWS

    with pytest.raises(NotOnSailError, match="more than 15,000 bytes of rows"):
        RowsFile(tables(), ROWS.schema)
    assert len(produced) < 5


@pytest.mark.parametrize(("chosen", "kind"), [(None, "FAIR"), ("greedy", "GREEDY")])
def test_operators_of_sail_have_a_part_of_the_memory(
    monkeypatch: pytest.MonkeyPatch, chosen: str | None, kind: str
) -> None:
    monkeypatch.delenv("SAIL_RUNTIME__MEMORY_POOL__TYPE", raising=False)
    if chosen is not None:
        monkeypatch.setenv("SAIL_RUNTIME__MEMORY_POOL__TYPE", chosen)
    monkeypatch.setattr(frames, "available_memory", lambda: 1000)
    assert frames._memory_settings()[f"SAIL_RUNTIME__MEMORY_POOL__{kind}__MAX_SIZE"] == "400"
