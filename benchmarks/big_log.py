"""A table of very many files: only its log, a checkpoint as Spark writes one. No data file of it exists."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

VERSION = 10
DAYS = 365
ROWS_PER_GROUP = 250_000
SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in (("id", "long"), ("amount", "double"), ("name", "string"), ("day", "date"))
    ],
}


def big_log(cache: Path, files: int) -> Path:
    """The folder of a table with so many files, made on first use. Copy it with `linked` before changing it."""
    table = cache / f"files-{files}"
    if (table / "_delta_log" / "_last_checkpoint").exists():
        return table
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    _write_checkpoint(log / f"{VERSION:020d}.checkpoint.parquet", files)
    info = {"timestamp": 1_700_000_000_000, "operation": "WRITE", "operationParameters": {}}
    (log / f"{VERSION:020d}.json").write_text(json.dumps({"commitInfo": info}) + "\n", encoding="utf-8")
    (log / "_last_checkpoint").write_text(json.dumps({"version": VERSION, "size": files + 2}), encoding="utf-8")
    return table


def linked(table: Path, to: Path) -> Path:
    """A copy of the table that shares the log files by hard links; new commits go to the copy alone."""
    for file in (table / "_delta_log").rglob("*.*"):
        linked_file = to / file.relative_to(table)
        linked_file.parent.mkdir(parents=True, exist_ok=True)
        os.link(file, linked_file)
    return to


def _write_checkpoint(path: Path, files: int) -> None:
    import pyarrow.parquet as pq

    first = _actions([None, None], [_protocol(), None], [None, metadata_action()])
    with pq.ParquetWriter(path, first.schema, compression="snappy") as writer:
        for start in range(0, files, ROWS_PER_GROUP):
            adds = _actions(_adds(start, min(ROWS_PER_GROUP, files - start)), None, None)
            writer.write_table(adds if start else _joined(first, adds), row_group_size=ROWS_PER_GROUP + 2)


def _joined(first: Any, second: Any) -> Any:
    import pyarrow as pa

    return pa.concat_tables([first, second]).combine_chunks()


def _actions(adds: Any, protocols: Any, metadata: Any) -> Any:
    """Rows of a checkpoint; a column that is not given is null in all of them."""
    import pyarrow as pa

    from deltasql.log.actions.file_tables import ADD

    rows = len(adds)
    columns = {
        "protocol": (pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())]), protocols),
        "metaData": (_metadata_type(), metadata),
        "add": (pa.struct(list(ADD)), adds),
    }
    arrays = [
        pa.nulls(rows, kind) if values is None else values if isinstance(values, pa.Array) else pa.array(values, kind)
        for kind, values in columns.values()
    ]
    return pa.table(arrays, names=list(columns))


def _adds(start: int, count: int) -> Any:
    import numpy as np
    import pyarrow as pa

    from deltasql.log.actions.file_tables import ADD

    numbers = np.arange(start, start + count)
    random = np.random.default_rng(start)
    sizes = random.integers(1 << 20, 256 << 20, count)
    hexes = random.bytes(16 * count).hex()
    days = (np.datetime64("2024-01-01") + numbers % DAYS).astype(str).tolist()
    paths = [_path(day, hexes[32 * i : 32 * i + 32], i) for i, day in enumerate(days)]
    keys = pa.array(["day"] * count)
    values = {
        "path": pa.array(paths),
        "partitionValues": pa.MapArray.from_arrays(
            pa.array(np.arange(count + 1, dtype=np.int32)), keys, pa.array(days)
        ),
        "size": pa.array(sizes),
        "modificationTime": pa.array(1_700_000_000_000 + numbers),
        "dataChange": pa.array(np.zeros(count, dtype=bool)),
        "stats": pa.array([_stats(number) for number in numbers.tolist()]),
    }
    children = [
        values[field.name].cast(field.type) if field.name in values else pa.nulls(count, field.type) for field in ADD
    ]
    return pa.StructArray.from_arrays(children, fields=list(ADD))


def _path(day: str, unique: str, number: int) -> str:
    uuid = "-".join((unique[:8], unique[8:12], unique[12:16], unique[16:20], unique[20:]))
    return f"day={day}/part-{number % 200:05d}-{uuid}.c000.snappy.parquet"


def _stats(number: int) -> str:
    low, high = number * 1000, number * 1000 + 999
    return (
        f'{{"numRecords":1000,"minValues":{{"id":{low},"amount":{low / 7:.4f},"name":"customer-{low:010d}"}},'
        f'"maxValues":{{"id":{high},"amount":{high / 7:.4f},"name":"customer-{high:010d}"}},'
        f'"nullCount":{{"id":0,"amount":{number % 13},"name":0}}}}'
    )


def _protocol() -> dict[str, int]:
    return {"minReaderVersion": 1, "minWriterVersion": 2}


def metadata_action() -> dict[str, Any]:
    """The table's metaData; its maps are empty."""
    return {
        "id": "5fba94ed-9794-4965-ba6e-6ee3c0d22af9",
        "format": {"provider": "parquet", "options": []},
        "schemaString": json.dumps(SCHEMA),
        "partitionColumns": ["day"],
        "configuration": [],
        "createdTime": 1_700_000_000_000,
    }


def _metadata_type() -> Any:
    import pyarrow as pa

    strings = pa.map_(pa.string(), pa.string())
    return pa.struct(
        [
            ("id", pa.string()),
            ("name", pa.string()),
            ("description", pa.string()),
            ("format", pa.struct([("provider", pa.string()), ("options", strings)])),
            ("schemaString", pa.string()),
            ("partitionColumns", pa.list_(pa.string())),
            ("configuration", strings),
            ("createdTime", pa.int64()),
        ]
    )
