from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deltasql.files.footers import foreign_columns
from deltasql.log.storage.stores import Stores
from deltasql.schema.types import INTEGER, STRING, ArrayType, MapType, StructField, StructType


def written(path: Path, *fields: pa.Field) -> str:
    pq.write_table(pa.schema(list(fields)).empty_table(), path)
    return str(path)


def test_columns_that_the_schema_lacks_at_any_depth(tmp_path: Path) -> None:
    inner = StructType((StructField("x", INTEGER),))
    mapped = StructField("renamed", INTEGER, metadata={"delta.columnMapping.physicalName": "col-1"})
    schema = StructType(
        (
            mapped,
            StructField("a.b", STRING),
            StructField("l", ArrayType(inner)),
            StructField("m", MapType(STRING, inner)),
        )
    )
    x, y = pa.field("x", pa.int32()), pa.field("y", pa.int32())
    known = [pa.field("col-1", pa.int32()), pa.field("a.b", pa.string()), pa.field("l", pa.list_(pa.struct([x])))]
    paths = [
        written(tmp_path / "same", *known, pa.field("m", pa.map_(pa.string(), pa.struct([x])))),
        written(tmp_path / "fewer", known[0]),
        written(tmp_path / "row ids", known[0], pa.field("_row-id-col-7", pa.int64())),
        written(tmp_path / "dropped", *known, pa.field("col-2", pa.int32())),
        written(tmp_path / "in a list", pa.field("l", pa.list_(pa.struct([x, y])))),
        written(tmp_path / "in a map", pa.field("m", pa.map_(pa.string(), pa.struct([x, y])))),
    ]
    assert foreign_columns(Stores(), paths, schema) == [False, False, False, True, True, True]
