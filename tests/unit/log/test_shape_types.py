"""GEOMETRY and GEOGRAPHY as types: names in logs, in SQL and for PySpark, texts of values, and the table feature."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from deltasql.base.errors import ShapesWithoutSystemError, UnsupportedTypesError
from deltasql.engines.spark.session.local_rows import spark_json
from deltasql.files.rendering.shapes import shape_text, shown_shapes
from deltasql.log.protocol import requested_features
from deltasql.schema.checks import check_types
from deltasql.schema.json import schema_from_json, type_from_json, type_to_json
from deltasql.schema.text import sql_text
from deltasql.schema.types import INTEGER, ArrayType, DataType, MapType, PrimitiveType, StructField, StructType

GEOMETRY = PrimitiveType("geometry(4326)")
POINT = bytes.fromhex("0101000000000000000000F03F0000000000000040")


def schema(*kinds: DataType) -> StructType:
    return StructType(tuple(StructField(f"c{place}", kind) for place, kind in enumerate(kinds)))


@pytest.mark.parametrize(
    ("token", "sql", "written"),
    [
        ("geometry(OGC:CRS84)", "GEOMETRY(4326)", "geometry(OGC:CRS84)"),
        ("geometry(EPSG:4326)", "GEOMETRY(4326)", "geometry(OGC:CRS84)"),
        ("geometry", "GEOMETRY(4326)", "geometry(OGC:CRS84)"),
        ("geometry(EPSG:3857)", "GEOMETRY(3857)", "geometry(EPSG:3857)"),
        ("geometry(srid:3857)", "GEOMETRY(3857)", "geometry(EPSG:3857)"),
        ("geometry(SRID:0)", "GEOMETRY(0)", "geometry(SRID:0)"),
        ("geography(OGC:CRS84, SPHERICAL)", "GEOGRAPHY(4326)", "geography(OGC:CRS84, spherical)"),
        ("geography(OGC:CRS84,spherical)", "GEOGRAPHY(4326)", "geography(OGC:CRS84, spherical)"),
        ("geography", "GEOGRAPHY(4326)", "geography(OGC:CRS84, spherical)"),
        ("geometry(SRID:ANY)", "GEOMETRY(ANY)", "geometry(SRID:ANY)"),
    ],
)
def test_names_in_the_log(token: str, sql: str, written: str) -> None:
    kind = type_from_json(token)
    assert sql_text(kind) == sql
    assert type_to_json(kind) == written


@pytest.mark.parametrize(
    "token",
    ["geometry(EPSG:2154)", "geography(OGC:CRS84, vincenty)", "geography(EPSG:3857)", "geometry(projjson:key)"],
)
def test_types_of_others_are_kept_and_refused(token: str) -> None:
    kind = type_from_json(token)
    assert type_to_json(kind) == token
    with pytest.raises(UnsupportedTypesError):
        check_types(schema(kind))


def test_a_type_of_several_systems_is_not_stored() -> None:
    with pytest.raises(ShapesWithoutSystemError, match=r"st_setsrid\(value, 4326\)"):
        check_types(schema(PrimitiveType("geometry(any)")))


def test_pyspark_reads_the_types() -> None:
    from pyspark.sql.types import StructType as SparkStruct

    kinds = GEOMETRY, ArrayType(PrimitiveType("geography(4326)")), MapType(INTEGER, PrimitiveType("geometry(0)"))
    spark = SparkStruct.fromJson(spark_json(schema(*kinds, schema(*kinds))))
    assert schema_from_json(spark.json()) == schema(*kinds, schema(*kinds))


@pytest.mark.parametrize("kind", [GEOMETRY, ArrayType(GEOMETRY), MapType(INTEGER, GEOMETRY), schema(GEOMETRY)])
def test_columns_request_the_feature(kind: DataType) -> None:
    assert requested_features(schema(INTEGER, kind), {}) == {"geospatial"}


@pytest.mark.parametrize(
    ("wkt", "srid", "text"),
    [
        ("POINT(1 2)", 4326, "SRID=4326;POINT(1 2)"),
        ("POINT(1 2)", 0, "POINT(1 2)"),
        ("POINT EMPTY", 0, "POINT EMPTY"),
        ("LINESTRING(1.5 2,-3 1e30)", 0, "LINESTRING(1.5 2,-3 1e+30)"),
        ("LINESTRING EMPTY", 0, "LINESTRING EMPTY"),
        ("POLYGON((0 0,1 0,1 1,0 0),(0.25 0.5,0.5 0.5,0.5 0.25,0.25 0.5))", 0, None),
        ("POINT Z (1 2 3)", 0, "POINT Z (1 2 3)"),
        ("POINT M (1 2 3)", 0, "POINT M (1 2 3)"),
        ("POINT ZM (1 2 3 4)", 0, "POINT ZM (1 2 3 4)"),
        ("MULTIPOINT((1 2),(3 4))", 0, "MULTIPOINT((1 2),(3 4))"),
        ("MULTILINESTRING((1 2,3 4),EMPTY)", 0, "MULTILINESTRING((1 2,3 4),EMPTY)"),
        ("MULTIPOLYGON(((0 0,1 0,1 1,0 0)))", 0, None),
        ("GEOMETRYCOLLECTION(POINT(1 2),MULTIPOINT((1 2),(3 4)))", 0, None),
        ("GEOMETRYCOLLECTION EMPTY", 0, None),
    ],
)
@pytest.mark.parametrize("order", [0, 1])
def test_values_as_texts(wkt: str, srid: int, text: str | None, order: int) -> None:
    shapely = pytest.importorskip("shapely")
    wkb = shapely.to_wkb(shapely.from_wkt(wkt), output_dimension=4, byte_order=order, flavor="iso")
    assert shape_text({"srid": srid, "wkb": wkb}) == (text or wkt)


@pytest.mark.parametrize("data", [b"", POINT[:-1], b"\x01" + struct.pack("<I", 99), b"\x01" + struct.pack("<I", 9001)])
def test_bytes_that_are_no_shape(data: bytes) -> None:
    assert shape_text({"srid": 4326, "wkb": data}) == f"SRID=4326;{data.hex().upper()}"


def test_texts_inside_of_nested_values() -> None:
    value: Any = {"srid": 0, "wkb": POINT}
    kind = schema(ArrayType(GEOMETRY), MapType(INTEGER, GEOMETRY), INTEGER, GEOMETRY)
    shown = shown_shapes({"c0": [value, None], "c1": [(1, value)], "c2": 7, "c3": None}, kind)
    assert shown == {"c0": ["POINT(1 2)", None], "c1": [(1, "POINT(1 2)")], "c2": 7, "c3": None}
