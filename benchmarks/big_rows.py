"""Parquet files to write a big table from, and to merge into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FILES = 4


def big_rows(cache: Path, rows: int) -> Path:
    """A folder of Parquet files with so many rows of five columns, made on first use."""
    return _made(cache / f"rows-{rows}", range(rows), FILES)


def changes(cache: Path, rows: int, count: int) -> Path:
    """A folder with `count` rows to merge: one half has ids spread over the big table, the other half is new."""
    half = count // 2
    ids = [*range(0, rows, rows // half)[:half], *range(rows, rows + half)]
    return _made(cache / f"changes-{rows}-{count}", ids, 1)


def _made(folder: Path, ids: range | list[int], files: int) -> Path:
    import pyarrow.parquet as pq

    if folder.exists():
        return folder
    unfinished = folder.with_name(folder.name + ".part")
    unfinished.mkdir(parents=True, exist_ok=True)
    step = -(-len(ids) // files)
    for number in range(files):
        pq.write_table(_table(ids[number * step : (number + 1) * step]), unfinished / f"{number}.parquet")
    return unfinished.rename(folder)


def _table(ids: range | list[int]) -> Any:
    import numpy as np
    import pyarrow as pa

    numbers = np.array(ids, dtype=np.int64)
    random = np.random.default_rng(len(numbers))
    return pa.table(
        {
            "id": numbers,
            "amount": random.random(len(numbers)) * 1000,
            "name": [f"customer {number % 100_000}" for number in numbers.tolist()],
            "day": (np.datetime64("2024-01-01") + numbers % 365).astype("datetime64[D]"),
            "quantity": random.integers(0, 100, len(numbers), dtype=np.int32),
        }
    )
