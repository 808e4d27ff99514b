"""Field ids of elements, keys and values in the footers of Parquet files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.files.footers import has_nested_ids, with_nested_ids
from deltasql.schema.types import (
    INTEGER,
    NESTED_IDS,
    STRING,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    assign_ids,
)

INNER = StructType((StructField("x", ArrayType(INTEGER)), StructField("y", STRING)))
SCHEMA = StructType(
    (
        StructField("a", INTEGER),
        StructField("l", ArrayType(ArrayType(INTEGER))),
        StructField("m", MapType(STRING, INNER)),
        StructField("s", INNER),
        *(StructField(f"c{number}", INTEGER) for number in range(20)),
    )
)
INNER_TYPE = pa.struct([("x", pa.list_(pa.int32())), ("y", pa.string())])
ROWS = pa.table(
    {
        "a": pa.array([1, 2], pa.int32()),
        "l": pa.array([[[1], None], None], pa.list_(pa.list_(pa.int32()))),
        "m": pa.array([[("k", {"x": [1], "y": "v"})], None], pa.map_(pa.string(), INNER_TYPE)),
        "s": pa.array([{"x": [3], "y": None}, None], INNER_TYPE),
        **{f"c{number}": pa.array([number, None], pa.int32()) for number in range(20)},
    }
)


def field_ids(field: pa.Field, name: str) -> dict[str, int]:
    """The ids below a field of an Arrow schema, by place."""
    own = (field.metadata or {}).get(b"PARQUET:field_id")
    found = {} if own is None else {name: int(own)}
    kind = field.type
    if pa.types.is_list(kind):
        return found | field_ids(kind.value_field, f"{name}.element")
    if pa.types.is_map(kind):
        return found | field_ids(kind.key_field, f"{name}.key") | field_ids(kind.item_field, f"{name}.value")
    for index in range(kind.num_fields):
        found |= field_ids(kind.field(index), f"{name}.{kind.field(index).name}")
    return found


def test_every_element_key_and_value_gets_its_id(tmp_path: Path) -> None:
    mapped, highest = assign_ids(SCHEMA, 0, preserve_names=True, nested=True)
    path = tmp_path / "f.parquet"
    pq.write_table(ROWS, path, version="2.6", write_page_index=True)
    path.write_bytes(with_nested_ids(path.read_bytes(), mapped))
    found: dict[str, int] = {}
    for field in pq.read_schema(path):
        found |= field_ids(field, field.name)
    assert found == {
        "l.element": mapped.fields[1].metadata[NESTED_IDS]["l.element"],
        "l.element.element": mapped.fields[1].metadata[NESTED_IDS]["l.element.element"],
        "m.key": mapped.fields[2].metadata[NESTED_IDS]["m.key"],
        "m.value": mapped.fields[2].metadata[NESTED_IDS]["m.value"],
        "m.value.x.element": nested_of(mapped.fields[2].type)["x.element"],
        "s.x.element": nested_of(mapped.fields[3].type)["x.element"],
    }
    assert sorted(found.values()) == list(range(highest - 5, highest + 1))
    assert pq.read_table(path).equals(ROWS)


def nested_of(kind: DataType) -> dict[str, int]:
    """The nested ids of the first field of a struct, or of the values of a map."""
    struct = kind.value if isinstance(kind, MapType) else kind
    assert isinstance(struct, StructType)
    ids: dict[str, int] = struct.fields[0].metadata[NESTED_IDS]
    return ids


def test_ids_that_are_there_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    pq.write_table(ROWS, path)
    for start in (0, 100):
        mapped, _ = assign_ids(SCHEMA, start, preserve_names=True, nested=True)
        path.write_bytes(with_nested_ids(path.read_bytes(), mapped))
    (field,) = (item for item in pq.read_schema(path) if item.name == "l")
    assert field_ids(field, "l")["l.element"] == mapped.fields[1].metadata[NESTED_IDS]["l.element"] > 100


def test_most_tables_need_none() -> None:
    assert not has_nested_ids(assign_ids(SCHEMA, 0, preserve_names=True)[0])
    flat = StructType((StructField("a", INTEGER),))
    assert not has_nested_ids(assign_ids(flat, 0, preserve_names=True, nested=True)[0])
    assert has_nested_ids(assign_ids(SCHEMA, 0, preserve_names=True, nested=True)[0])


def test_another_file() -> None:
    with pytest.raises(ValueError, match=r"does not end like a Parquet file|cannot have"):
        with_nested_ids(b"no Parquet here", SCHEMA)
