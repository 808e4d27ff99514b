"""A table of very many small commits and no checkpoint. No data file of it exists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.big_log import SCHEMA

UUID = "5fba94ed-9794-4965-ba6e-"
# Every so many commits, a file of a few commits before is removed.
REMOVES = 10


def long_log(cache: Path, commits: int) -> Path:
    """The folder of a table with the versions 0 to `commits`, made on first use."""
    table = cache / f"commits-{commits}"
    log = table / "_delta_log"
    if (log / f"{commits:020d}.json").exists():
        return table
    log.mkdir(parents=True, exist_ok=True)
    write_commit(log, 0, list(_created()))
    for version in range(1, commits + 1):
        write_commit(log, version, list(_changed(version)))
    return table


def write_commit(log: Path, version: int, actions: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(action, separators=(",", ":")) + "\n" for action in actions)
    (log / f"{version:020d}.json").write_text(text, encoding="utf-8")


def _created() -> Iterator[dict[str, Any]]:
    yield _info(0, "CREATE TABLE")
    yield {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    metadata: dict[str, Any] = {"id": f"{UUID}{0:012d}", "format": {"provider": "parquet", "options": {}}}
    yield {
        "metaData": metadata | {"schemaString": json.dumps(SCHEMA), "partitionColumns": [], "configuration": {}},
    }


def _changed(version: int) -> Iterator[dict[str, Any]]:
    yield _info(version, "WRITE")
    bounds = {"id": version, "amount": version / 7, "name": f"customer-{version:010d}"}
    stats = {"numRecords": 10, "minValues": bounds, "maxValues": bounds, "nullCount": dict.fromkeys(bounds, 0)}
    yield {"add": _file(version) | {"modificationTime": _time(version), "stats": json.dumps(stats)}}
    if version % REMOVES == 0:
        yield {"remove": _file(version - 5) | {"deletionTimestamp": _time(version), "extendedFileMetadata": True}}


def _file(version: int) -> dict[str, Any]:
    path = f"part-00000-{UUID}{version:012d}.c000.snappy.parquet"
    return {"path": path, "partitionValues": {}, "size": 1000 + version, "dataChange": True}


def _info(version: int, operation: str) -> dict[str, Any]:
    known = {"timestamp": _time(version), "operation": operation, "operationParameters": {"mode": "Append"}}
    return {"commitInfo": known | {"isBlindAppend": True, "engineInfo": "any", "txnId": f"{UUID}{version:012d}"}}


def _time(version: int) -> int:
    return 1_700_000_000_000 + version
