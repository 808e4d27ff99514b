"""A table of up to tens of millions of files: only its log, a V2 checkpoint with sidecars. It has no data files."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.big_log import DAYS, VERSION, metadata_action

ROWS_PER_SIDECAR = 200_000
LONE_DAY = "1999-12-31"
"""The partition of the first file, in which there is no other."""
_FEATURES = ["v2Checkpoint"]


def huge_log(cache: Path, files: int) -> Path:
    """The folder of a table with so many files, made on first use: those of 10,000,000 in less than a minute.

    Copy it with `big_log.linked` before changing it.
    """
    table = cache / f"sidecars-{files}"
    log = table / "_delta_log"
    if (log / "_last_checkpoint").exists():
        return table
    (log / "_sidecars").mkdir(parents=True, exist_ok=True)
    starts = range(0, files, ROWS_PER_SIDECAR)
    with ThreadPoolExecutor(2) as threads:
        sidecars = list(
            threads.map(lambda start: _write_sidecar(log, start, min(start + ROWS_PER_SIDECAR, files)), starts)
        )
    versions = {"minReaderVersion": 3, "minWriterVersion": 7}
    metadata = metadata_action() | {"configuration": {"delta.checkpointPolicy": "v2"}}
    lines: list[dict[str, Any]] = [
        {"checkpointMetadata": {"version": VERSION}},
        {"protocol": versions | {"readerFeatures": _FEATURES, "writerFeatures": _FEATURES}},
        {"metaData": metadata | {"format": {"provider": "parquet", "options": {}}}},
        *({"sidecar": sidecar} for sidecar in sidecars),
    ]
    name = f"{VERSION:020d}.checkpoint.5fba94ed-9794-4965-ba6e-6ee3c0d22af9.json"
    (log / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    info = {"timestamp": 1_700_000_000_000, "operation": "WRITE", "operationParameters": {}}
    (log / f"{VERSION:020d}.json").write_text(json.dumps({"commitInfo": info}) + "\n", encoding="utf-8")
    (log / "_last_checkpoint").write_text(
        json.dumps({"version": VERSION, "size": files + len(lines)}), encoding="utf-8"
    )
    return table


def _write_sidecar(log: Path, start: int, stop: int) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = f"{VERSION:020d}.checkpoint.{start:012d}.parquet"
    path = log / "_sidecars" / name
    adds = _adds(start, stop)
    pq.write_table(
        pa.table({"add": adds}),
        path,
        compression="snappy",
        use_dictionary=["add.partitionValues.key_value.key", "add.partitionValues.key_value.value"],
        row_group_size=ROWS_PER_SIDECAR // 2,
    )
    return {"path": name, "sizeInBytes": path.stat().st_size, "modificationTime": 1_700_000_000_000}


def _adds(start: int, stop: int) -> Any:
    """The add actions with the numbers from `start` to `stop`; all texts are made by Arrow, not file by file."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from deltasql.log.actions.file_tables import ADD

    numbers = np.arange(start, stop)
    count = len(numbers)
    days = pa.array((np.datetime64("2024-01-01") + np.arange(DAYS)).astype(str).tolist())
    day = days.take(pa.array(numbers % DAYS))
    if start == 0:
        day = pa.concat_arrays([pa.array([LONE_DAY]), day.slice(1)])
    texts = pa.array(numbers).cast(pa.string())
    number = pc.utf8_lpad(texts, 12, "0")
    low, high = (pa.array(numbers * 1000 + more).cast(pa.string()) for more in (0, 999))

    def joined(*parts: Any) -> Any:
        return pc.binary_join_element_wise(*parts, "")

    stats = joined(
        *('{"numRecords":1000,"minValues":{"id":', low, ',"amount":', low, '.5,"name":"customer-', number),
        *('"},"maxValues":{"id":', high, ',"amount":', high, '.5,"name":"customer-', number),
        '"},"nullCount":{"id":0,"amount":3,"name":0}}',
    )
    values = {
        "path": joined("day=", day, "/part-00000-5fba94ed-9794-4965-ba6e-", number, ".c000.snappy.parquet"),
        "partitionValues": pa.MapArray.from_arrays(
            pa.array(np.arange(count + 1, dtype=np.int32)), pa.array(["day"]).take(pa.array(np.zeros(count, int))), day
        ),
        "size": pa.array(np.random.default_rng(start).integers(1 << 20, 256 << 20, count)),
        "modificationTime": pa.array(1_700_000_000_000 + numbers),
        "dataChange": pa.array(np.zeros(count, dtype=bool)),
        "stats": stats,
    }
    children = [
        values[field.name].cast(field.type) if field.name in values else pa.nulls(count, field.type) for field in ADD
    ]
    return pa.StructArray.from_arrays(children, fields=list(ADD))
