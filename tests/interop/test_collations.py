"""Texts with a collation: what delta-spark reads of them, and tables that Databricks may have written."""

from __future__ import annotations

import json
from pathlib import Path

import deltasql
from tests.interop.readers import delta_rs, own_rows
from tests.oracle.client import oracle
from tests.oracle.values import in_order

_ROWS = """
    INSERT INTO t VALUES (1, 'Ada', array('X')), (2, 'ben', NULL);
    INSERT INTO t VALUES (3, 'ADA', array('y')), (4, NULL, array('x'))
"""
QUERIES = (
    "SELECT id FROM {t} WHERE name = 'ada'",
    "SELECT id FROM {t} WHERE name >= 'BEN'",
    "SELECT id FROM {t} WHERE array_contains(tags, 'x')",
    "SELECT count(DISTINCT name) FROM {t}",
    "SELECT a.id, b.id FROM {t} a JOIN {t} b ON a.name = b.name",
)


def _statements(script: str) -> list[str]:
    return [text for text in script.split(";") if text.strip()]


def test_delta_spark_compares_as_we_do(session: deltasql.session.Session, tmp_path: Path) -> None:
    path = tmp_path / "t"
    columns = "id INT, name STRING COLLATE UTF8_LCASE, tags ARRAY<STRING COLLATE UNICODE_CI>"
    session.sql(f"CREATE TABLE t ({columns}) LOCATION '{path}'")
    for text in _statements(_ROWS):
        session.sql(text)
    session.sql("UPDATE t SET id = 5 WHERE name = 'BEN'")
    theirs = oracle().run(*(query.format(t=f"delta.`{path}`") for query in QUERIES))
    for query, outcome in zip(QUERIES, theirs, strict=True):
        assert own_rows(session, query.format(t="t")) == in_order(outcome["rows"]), query
    assert len(delta_rs(path)) == 4


def test_a_table_of_the_preview(session: deltasql.session.Session, tmp_path: Path) -> None:
    """The schema's identifiers as Databricks writes them, bounds by bytes, and the preview of the feature."""
    path = tmp_path / "t"
    session.sql(f"CREATE TABLE t (id INT, name STRING, tags ARRAY<STRING>) LOCATION '{path}'")
    for text in _statements(_ROWS):
        session.sql(text)
    first = path / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    for line in lines:
        if "protocol" in line:
            line["protocol"] = {
                "minReaderVersion": 1,
                "minWriterVersion": 7,
                "writerFeatures": ["appendOnly", "invariants", "domainMetadata", "collations-preview"],
            }
        if "metaData" in line:
            schema = json.loads(line["metaData"]["schemaString"])
            schema["fields"][1]["metadata"] = {"__COLLATIONS": {"name": "spark.UTF8_LCASE"}}
            schema["fields"][2]["metadata"] = {"__COLLATIONS": {"tags.element": "icu.UNICODE_CI"}}
            line["metaData"]["schemaString"] = json.dumps(schema)
    first.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for leftover in (path / "_delta_log").glob("*.crc"):
        leftover.unlink()
    with deltasql.connect(str(tmp_path / "other")) as other:
        table = f"delta.`{path}`"
        theirs = oracle().run(*(query.format(t=table) for query in QUERIES))
        for query, outcome in zip(QUERIES, theirs, strict=True):
            assert own_rows(other, query.format(t=table)) == in_order(outcome["rows"]), query
        other.sql(f"DELETE FROM {table} WHERE name = 'aDA'")
        assert own_rows(other, f"SELECT id FROM {table}") == [[2], [4]]
        other.sql(f"ALTER TABLE {table} ADD COLUMN city STRING COLLATE de_CI")
        features = other.sql(f"DESCRIBE DETAIL {table}").collect()[0]["tableFeatures"]
        assert "collations" not in features
        assert "collations-preview" in features
