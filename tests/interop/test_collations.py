"""Tables of ours with collations, read and written by other engines."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from deltalake.exceptions import DeltaError

import deltasql
from tests.interop.readers import READERS, own_rows, readers_of
from tests.oracle.client import oracle
from tests.oracle.values import in_order

ROWS = ("1, 'Ada', 'x'", "2, 'ADA', 'y'", "3, 'ben  ', NULL", "4, 'Köln', 'z'", "5, NULL, 'z'")


def _table(session: deltasql.Session, collation: str, properties: str = "") -> Path:
    kind = f"STRING COLLATE {collation}"
    clause = f" TBLPROPERTIES ({properties})" if properties else ""
    session.sql(
        f"CREATE TABLE t (id INT, name {kind}, plain STRING, tags ARRAY<{kind}>, s STRUCT<x: {kind}>, m MAP<STRING, {kind}>)"
        f"{clause}"
    )
    for row in ROWS:
        session.sql(
            "INSERT INTO t SELECT id, name, plain, array(name, 'a'), named_struct('x', name), map('k', name) "
            f"FROM VALUES ({row}) AS v (id, name, plain)"
        )
    session.sql("UPDATE t SET plain = 'u' WHERE name = 'ADA'")
    return Path(session.log("t").location)


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE", "UNICODE_CI", "UTF8_BINARY_RTRIM", "de_AI"])
def test_others_read_the_rows(collation: str, session: deltasql.Session) -> None:
    """Readers need not know the feature."""
    path = _table(session, collation)
    expected = own_rows(session, "SELECT * FROM t")
    assert len(expected) == 5
    for reader, read in READERS.items():
        assert read(path, None) == expected, reader


def test_others_read_mapped_columns_and_vectors(session: deltasql.Session) -> None:
    path = _table(session, "UTF8_LCASE", "'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true'")
    session.sql("DELETE FROM t WHERE name = 'BEN  '")
    session.sql("ALTER TABLE t RENAME COLUMN name TO `full name`")
    expected = own_rows(session, "SELECT * FROM t")
    assert len(expected) == 4
    for reader, read in readers_of(path).items():
        assert read(path, None) == expected, reader


def test_delta_spark_compares_as_the_schema_says(session: deltasql.Session) -> None:
    """Files of before a change of the collation have bounds of bytes, which rule nothing out."""
    path = _table(session, "UTF8_LCASE")
    session.sql("ALTER TABLE t ALTER COLUMN plain TYPE STRING COLLATE UNICODE_CI")
    queries = [
        f"SELECT id FROM {{t}} WHERE {text}"
        for text in ("name = 'ada'", "plain = 'X'", "plain > 'Y'", "plain IN ('Z', 'U')")
    ]
    theirs = oracle().run(*(query.format(t=f"delta.`{path}`") for query in queries))
    for query, outcome in zip(queries, theirs, strict=True):
        assert in_order(outcome["rows"]) == own_rows(session, query.format(t="t")), query


def _refused_by_delta_spark(*statements: str) -> list[str]:
    """The conditions of the errors, "" for none."""
    outcomes = oracle().submit(list(statements), Path(tempfile.mkdtemp(dir=oracle().root))).result(300)
    return [outcome.get("condition", "") for outcome in outcomes]


def test_others_do_not_write(session: deltasql.Session) -> None:
    """Writers must know the feature: they say that they do not, and the table stays."""
    path = _table(session, "UTF8_LCASE")
    table = f"delta.`{path}`"
    version = session.log("t").snapshot().version
    refused = _refused_by_delta_spark(
        f"INSERT INTO {table} (id) VALUES (9)",
        f"DELETE FROM {table} WHERE id = 1",
        f"UPDATE {table} SET plain = 'x' WHERE id = 1",
        f"ALTER TABLE {table} ADD COLUMN more INT",
        f"OPTIMIZE {table}",
    )
    assert set(refused) <= {"DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", "DELTA_UNSUPPORTED_DATA_TYPES"}, refused
    with pytest.raises(DeltaError, match="collations"):
        write_deltalake(str(path), pa.table({"id": pa.array([9], pa.int32())}), mode="append", schema_mode="merge")
    assert session.log("t").snapshot().version == version


@pytest.mark.parametrize("feature", ["collations", "collations-preview"])
def test_others_write_after_the_feature_was_dropped(feature: str, session: deltasql.Session) -> None:
    path = _table(session, "UNICODE_CI", f"'delta.feature.{feature}' = 'supported'")
    table = f"delta.`{path}`"
    assert feature in session.log("t").snapshot().protocol.features
    for column in ("name", "tags.element", "s.x", "m.value"):
        with pytest.raises(deltasql.DeltaSqlError) as caught:
            session.sql(f"ALTER TABLE t DROP FEATURE `{feature}`")
        assert caught.value.condition == "DELTA_CANNOT_DROP_COLLATIONS_FEATURE"
        assert column in str(caught.value)
        session.sql(f"ALTER TABLE t ALTER COLUMN {column} TYPE STRING")
    before = own_rows(session, "SELECT * FROM t")
    version = session.log("t").snapshot().version
    session.sql(f"ALTER TABLE t DROP FEATURE `{feature}`")
    assert feature not in session.log("t").snapshot().protocol.features
    assert own_rows(session, "SELECT * FROM t") == before
    for reader, read in READERS.items():
        assert read(path, None) == before, reader
    oracle().run(f"INSERT INTO {table} (id, name) VALUES (9, 'ada')", f"DELETE FROM {table} WHERE name = 'ada'")
    assert own_rows(session, "SELECT * FROM t") == before
    session.sql(f"RESTORE t TO VERSION AS OF {version - 4}")
    assert feature in session.log("t").snapshot().protocol.features
    assert own_rows(session, "SELECT id FROM t WHERE name = 'ada'") == [[1], [2]]
