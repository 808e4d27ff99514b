"""Schemas and lists of files, as pruning gets them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from deltasql.log.skipping.pruning import prune
from deltasql.schema.types import DataType, StructField, StructType


def struct(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in types.items()))


def table(stats: Sequence[str | None], **partitions: Sequence[str | None]) -> pa.Table:
    rows = [{name: values[index] for name, values in partitions.items()} for index in range(len(stats))]
    kind = pa.struct([(name, pa.string()) for name in partitions])
    return pa.table(
        {
            "path": [str(index) for index in range(len(stats))],
            "stats": pa.array(stats, pa.string()),
            "partitionValues": pa.array(rows, kind),
        }
    )


def bounds(column: str, *pairs: tuple[Any, Any], nulls: int = 0) -> list[str | None]:
    return [
        json.dumps(
            {"numRecords": 9, "minValues": {column: low}, "maxValues": {column: high}, "nullCount": {column: nulls}}
        )
        for low, high in pairs
    ]


def kept(files: pa.Table, predicate: str | None, schema: StructType, *partitions: str, **options: Any) -> str:
    return "".join(prune(files, predicate, schema, partitions, **options)["path"].to_pylist())
