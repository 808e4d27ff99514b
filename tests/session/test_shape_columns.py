"""Columns of GEOMETRY and GEOGRAPHY: files and statistics, tables and files of other writers, values in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql import DeltaSqlError, Session, dbapi

pytestmark = pytest.mark.spark

POINTS = [bytes.fromhex("0101000000000000000000F03F0000000000000040"), None]
"""POINT(1 2), and no shape."""


class WellKnownBinary(pa.ExtensionType):  # type: ignore[misc]
    """The type that Arrow stores as GEOMETRY in Parquet."""

    def __init__(self, metadata: bytes = b"{}") -> None:
        self._metadata = metadata
        super().__init__(pa.binary(), "geoarrow.wkb")

    def __arrow_ext_serialize__(self) -> bytes:
        return self._metadata

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> WellKnownBinary:
        return cls(serialized)


@pytest.fixture
def annotated() -> Any:
    """Arrow writes columns of WellKnownBinary with the logical type of Parquet."""
    pa.register_extension_type(WellKnownBinary())
    yield
    pa.unregister_extension_type("geoarrow.wkb")


def shapes(metadata: bytes = b"{}") -> pa.Array:
    return pa.ExtensionArray.from_storage(WellKnownBinary(metadata), pa.array(POINTS, pa.binary()))


def write_log(root: Path, schema: list[dict[str, Any]], stats: dict[str, Any]) -> None:
    """The first version of a table of another writer, with the file `a.parquet`."""
    fields = [{"nullable": True, "metadata": {}, **field} for field in schema]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["geospatial"],
        "writerFeatures": ["geospatial"],
    }
    metadata = {
        "id": "0",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": {},
        "createdTime": 0,
    }
    size = (root / "a.parquet").stat().st_size
    add = {
        "path": "a.parquet",
        "partitionValues": {},
        "size": size,
        "modificationTime": 0,
        "dataChange": True,
        "stats": json.dumps(stats),
    }
    log = root / "_delta_log"
    log.mkdir()
    actions = ({"protocol": protocol}, {"metaData": metadata}, {"add": add})
    (log / f"{0:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))


def test_a_table_of_another_writer(session: Session, tmp_path: Path, annotated: None) -> None:
    plain = pa.array(POINTS, pa.binary())
    pq.write_table(pa.table({"id": [1, 2], "g": shapes(), "e": plain}), tmp_path / "a.parquet")
    box = {"g": "POINT(1 2)", "e": "POINT(1 2)", "id": 1}
    stats = {"numRecords": 2, "minValues": box, "maxValues": {**box, "id": 2}, "nullCount": {"id": 0, "g": 1, "e": 1}}
    fields = [
        {"name": "id", "type": "long"},
        {"name": "g", "type": "geometry(EPSG:4326)"},
        {"name": "e", "type": "geography(OGC:CRS84, SPHERICAL)"},
    ]
    write_log(tmp_path, fields, stats)
    table = f"delta.`{tmp_path}`"
    rows = session.sql(f"SELECT id, st_x(g), st_srid(e) FROM {table} WHERE g IS NOT NULL AND id < 2").collect()
    assert [tuple(row) for row in rows] == [(1, 1.0, 4326)]
    session.sql(f"INSERT INTO {table} SELECT 3, st_point(5, 6, 4326), NULL")
    session.sql(f"UPDATE {table} SET g = st_point(7, 8, 4326) WHERE id = 2")
    result = session.sql(f"SELECT * FROM {table} ORDER BY id").to_arrow()
    assert result.column("g").to_pylist() == [f"SRID=4326;POINT({at})" for at in ("1 2", "7 8", "5 6")]
    properties = "'delta.checkpoint.writeStatsAsStruct' = 'true', 'delta.checkpointInterval' = '1'"
    session.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({properties})")
    session.sql(f"DELETE FROM {table} WHERE id = 99")
    assert list((tmp_path / "_delta_log").glob("*.checkpoint.parquet"))
    assert session.sql(f"SELECT count(g) FROM {table}").collect()[0][0] == 3


def test_types_of_another_writer_that_nobody_reads_here(session: Session, tmp_path: Path) -> None:
    pq.write_table(pa.table({"e": pa.array(POINTS, pa.binary())}), tmp_path / "a.parquet")
    write_log(tmp_path, [{"name": "e", "type": "geography(OGC:CRS84, vincenty)"}], {"numRecords": 2})
    with pytest.raises(DeltaSqlError, match="vincenty"):
        session.sql(f"SELECT * FROM delta.`{tmp_path}`").collect()


def test_files_and_statistics(session: Session) -> None:
    session.sql("CREATE TABLE places (id INT, g GEOMETRY(3857), e GEOGRAPHY(4326))")
    session.sql("INSERT INTO places VALUES (1, st_point(1, 2, 3857), st_geogfromtext('POINT(1 2)')), (2, NULL, NULL)")
    session.sql("INSERT INTO places (id) VALUES (3)")
    files = session.log("places").snapshot().files(("location", "stats"))
    logical = {str(pq.ParquetFile(path).schema.column(1).logical_type) for path in files.column("location").to_pylist()}
    assert logical == {"Geometry(crs=EPSG:3857)"}
    for text in files.column("stats").to_pylist():
        stats = json.loads(text)
        assert stats["minValues"].keys() == {"id"}
        assert stats["nullCount"]["g"] == stats["nullCount"]["e"] == 1
    plan = str(session.sql("EXPLAIN SELECT id FROM places WHERE g IS NOT NULL").collect())
    assert "files: 1 read" in plan


def test_a_value_of_another_system(session: Session) -> None:
    session.sql("CREATE TABLE places (g GEOMETRY(4326), a ARRAY<GEOMETRY(4326)>)")
    session.sql("INSERT INTO places SELECT st_centroid(st_point(1, 2, 4326)), array(st_centroid(st_point(1, 2, 4326)))")
    for value in ("st_centroid(st_point(1, 2, 3857)), NULL", "NULL, array(NULL, st_centroid(st_point(1, 2)))"):
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(f"INSERT INTO places SELECT {value}")
        assert caught.value.condition == "GEO_ENCODER_SRID_MISMATCH_ERROR"
    assert session.sql("SELECT st_srid(g), st_srid(a[0]) FROM places").collect() == [(4326, 4326)]


def test_values_in_python(session: Session) -> None:
    session.sql("CREATE TABLE places (g GEOMETRY(4326), a ARRAY<GEOMETRY(0)>, v VARIANT)")
    session.sql("INSERT INTO places SELECT st_point(1, 2, 4326), array(st_point(1, 2), NULL), parse_json('1')")
    result = session.sql("SELECT * FROM places")
    assert result.to_arrow().to_pylist() == [{"g": "SRID=4326;POINT(1 2)", "a": ["POINT(1 2)", None], "v": "1"}]
    assert result.collect()[0][0].srid == 4326
    with dbapi.connect(session) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT g FROM places")
        assert cursor.fetchall() == [("SRID=4326;POINT(1 2)",)]


def test_files_with_shapes_become_a_table(session: Session, tmp_path: Path, annotated: None) -> None:
    table = pa.table({"g": shapes(b'{"crs": "EPSG:3857"}'), "h": shapes()})
    pq.write_table(table, tmp_path / "a.parquet", store_schema=False)
    session.sql(f"CONVERT TO DELTA parquet.`{tmp_path}`")
    rows = session.sql(f"SELECT st_srid(g), st_astext(h) FROM delta.`{tmp_path}` WHERE g IS NOT NULL").collect()
    assert [tuple(row) for row in rows] == [(3857, "POINT(1 2)")]
