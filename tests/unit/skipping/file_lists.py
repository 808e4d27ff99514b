"""Schemas and lists of files, as pruning gets them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

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
