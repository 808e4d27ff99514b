"""ALTER TABLE as metadata: properties, comments, columns, constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    AddColumnDefaultError,
    AddNotNullColumnError,
    ColumnClauseError,
    ColumnDefaultsNotEnabledError,
    ColumnMappingModeError,
    IcebergVectorsError,
    TimeTravelViewError,
    UnknownPropertyError,
    UnsetMissingPropertyError,
    WriteIntoViewError,
)
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, DeletionVector, Metadata
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.plan.operators import SqlQuery
from deltasql.planner.changes import Answer, TableChange, Verification
from deltasql.schema.types import BOOLEAN
from tests.unit.planner.lab import Lab

Fails = Callable[..., Any]


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (a INT, b INT, s STRUCT<x: INT>) COMMENT 'old' TBLPROPERTIES ('k' = 'v')")
    return lab


def changed(lab: Lab, sql: str) -> tuple[TableChange, Metadata]:
    change = lab.plan(sql)
    assert isinstance(change, TableChange)
    metadata = change.commit.actions[-1]
    assert isinstance(metadata, Metadata)
    return change, metadata


def test_set_properties(table: Lab) -> None:
    change, metadata = changed(table, "ALTER TABLE t SET TBLPROPERTIES ('DELTA.appendonly' = 'TRUE', comment = 'new')")
    assert dict(metadata.configuration) == {"k": "v", "delta.appendOnly": "TRUE"}
    assert metadata.description == "new"
    assert change.commit.operation.name == "SET TBLPROPERTIES"
    assert metadata.id == table.snapshot("t").metadata.id


def test_unset_properties(table: Lab, fails: Fails) -> None:
    _, metadata = changed(table, "ALTER TABLE t UNSET TBLPROPERTIES (k, comment)")
    assert dict(metadata.configuration) == {}
    assert metadata.description is None
    fails("ALTER TABLE t UNSET TBLPROPERTIES (nope)", UnsetMissingPropertyError)
    changed(table, "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS (nope)")
    table.run("SET deltasql.unsetProperties.strict = false")
    changed(table, "ALTER TABLE t UNSET TBLPROPERTIES (nope)")


def test_comment(table: Lab) -> None:
    assert changed(table, "COMMENT ON TABLE t IS 'it''s'")[1].description == "it's"
    assert changed(table, "COMMENT ON TABLE t IS NULL")[1].description is None


def test_column_mapping_is_not_switched_off(table: Lab, fails: Fails) -> None:
    table.run("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    fails("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')", ColumnMappingModeError)
    fails("ALTER TABLE t UNSET TBLPROPERTIES ('delta.columnMapping.mode')", ColumnMappingModeError)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("ALTER TABLE t SET TBLPROPERTIES ('delta.nope' = '1')", UnknownPropertyError),
        ("ALTER TABLE v SET TBLPROPERTIES ('k' = '1')", WriteIntoViewError),
        ("COMMENT ON TABLE v IS 'x'", WriteIntoViewError),
        ("ALTER TABLE t@v0 ADD COLUMN c INT", TimeTravelViewError),
    ],
)
def test_what_is_refused(table: Lab, fails: Fails, sql: str, kind: type[Exception]) -> None:
    table.run("CREATE TEMP VIEW v AS SELECT 1")
    fails(sql, kind)


def test_later_columns_may_stand_after_earlier_ones(table: Lab, fails: Fails) -> None:
    change, metadata = changed(table, "ALTER TABLE t ADD COLUMNS (c INT FIRST, s.y INT, d CHAR(2) COMMENT 'x' AFTER c)")
    assert metadata.schema.names == ("c", "d", "a", "b", "s")
    assert dict(metadata.schema.fields[1].metadata) == {"comment": "x", "__CHAR_VARCHAR_TYPE_STRING": "char(2)"}
    described = change.commit.parameters["columns"]
    assert described[1]["column"]["name"] == "s.y"
    assert described[2]["position"] == "AFTER c"
    fails("ALTER TABLE t ADD COLUMN ok INT, c INT NOT NULL", AddNotNullColumnError, at="c")


def test_every_set_not_null_looks_at_the_rows(table: Lab) -> None:
    table.append("t")
    change, _ = changed(table, "ALTER TABLE t ALTER COLUMN a SET NOT NULL, b SET NOT NULL")
    assert [getattr(check.error, "column", None) for check in change.verify] == ["a", "b"]


def views_of(check: Verification) -> list[str]:
    assert isinstance(check.broken, SqlQuery)
    return list(check.broken.relations)


def test_a_constraint_looks_at_the_rows(table: Lab) -> None:
    table.append("t")
    table.analyst.kinds["a > 0"] = BOOLEAN
    change, metadata = changed(table, "ALTER TABLE t ADD CONSTRAINT Positive CHECK (a > 0)")
    assert metadata.configuration["delta.constraints.positive"] == "a > 0"
    (check,) = change.verify
    (other,) = changed(table, "ALTER TABLE t ADD CONSTRAINT Positive CHECK (a > 0)")[0].verify
    # In one Spark the view of the one is none of the other's.
    assert views_of(check) != views_of(other)


def test_a_comment_is_no_part_of_a_constraint(table: Lab) -> None:
    table.analyst.kinds["a > 0"] = BOOLEAN
    _, metadata = changed(table, "ALTER TABLE t ADD CONSTRAINT c CHECK ( /* x */ a > 0 -- y\n)")
    assert metadata.configuration["delta.constraints.c"] == "a > 0"


def test_defaults_where_they_cannot_be(table: Lab, fails: Fails) -> None:
    fails("ALTER TABLE t CHANGE a a INT DEFAULT 1", ColumnDefaultsNotEnabledError)
    fails("ALTER TABLE t REPLACE COLUMNS (a INT DEFAULT 1)", ColumnClauseError, at="a")
    fails("ALTER TABLE t ADD COLUMN c INT DEFAULT 1", AddColumnDefaultError, at="c")


def test_iceberg_reads_no_file_with_a_deletion_vector(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE v (id INT) TBLPROPERTIES ('delta.feature.deletionVectors' = 'supported')")
    lab.run("ALTER TABLE v SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    vector = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 34, 1)
    switch = "ALTER TABLE v SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')"
    lab.append("v")
    lab.plan(switch)
    log = DeltaLog(lab.snapshot("v").location, "v")
    marked = AddFile("marked", {}, 1, 1, stats='{"numRecords":2}', deletion_vector=vector)
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [marked])
    fails(switch, IcebergVectorsError)


def test_columns_that_are_not_there_are_not_dropped(table: Lab) -> None:
    """Spark leaves them out of the statement, and without columns nothing is committed."""
    assert table.plan("ALTER TABLE t DROP COLUMN IF EXISTS nothing") == Answer()
    table.run("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    assert table.plan("ALTER TABLE t DROP COLUMNS IF EXISTS (nothing, s.nothing)") == Answer()
    change, metadata = changed(table, "ALTER TABLE t DROP COLUMNS IF EXISTS (nothing, b)")
    assert change.commit.parameters == {"columns": ["b"]}
    assert metadata.schema.names == ("a", "s")
