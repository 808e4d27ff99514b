"""CREATE, REPLACE, DROP and TRUNCATE: modes, places, and what an existing log must agree with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import (
    AmbiguousLocationError,
    AppendOnlyError,
    CannotReplaceMissingTableError,
    ColumnListWithQueryError,
    CreatedColumnsDifferError,
    CreatedPartitioningDiffersError,
    CreatedPropertiesDifferError,
    EmptyQuerySchemaError,
    ExternalTableWithoutLogError,
    ExternalTableWithoutSchemaError,
    LocationMismatchError,
    NonEmptyLocationError,
    NotADeltaProviderError,
    SchemaNotFoundError,
    SchemaNotProvidedError,
    TableAlreadyExistsError,
    TableNotFoundError,
    TimeTravelViewError,
    UnsupportedStatementError,
    WriteIntoViewError,
)
from deltasql.log.actions.actions import Metadata
from deltasql.log.protocol import Protocol
from deltasql.planner.catalog_changes import Registration, RenameChange, Unregistration
from deltasql.planner.changes import Answer, RowChange, TableChange
from deltasql.schema.types import StructType
from tests.unit.planner.lab import Lab, columns, project_of

Fails = Callable[..., Any]


@pytest.fixture
def outside(lab: Lab, tmp_path: Path) -> str:
    """The place of an external Delta table that the catalog does not know."""
    place = str(tmp_path / "out side")
    lab.run(
        f"CREATE TABLE x (a INT, p STRING) PARTITIONED BY (p) LOCATION '{place}' TBLPROPERTIES ('k' = 'v')",
        "DROP TABLE x",
    )
    return place


def test_a_new_table_is_protocol_and_metadata(lab: Lab) -> None:
    change = lab.plan(
        "CREATE TABLE t (a INT NOT NULL COMMENT 'c', v VARCHAR(3)) COMMENT 'text' PARTITIONED BY (p DATE)"
    )
    assert isinstance(change, TableChange)
    protocol, metadata = change.commit.actions
    assert isinstance(protocol, Protocol)
    assert isinstance(metadata, Metadata)
    assert metadata.schema.names == ("a", "v", "p")
    assert metadata.partition_columns == ("p",)
    assert metadata.description == "text"
    assert dict(metadata.schema.fields[0].metadata) == {"comment": "c"}
    assert dict(metadata.schema.fields[1].metadata) == {"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"}
    assert change.commit.operation.name == "CREATE TABLE"
    assert change.commit.register is not None
    assert change.commit.register.managed


def test_a_name_is_taken_once(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT)")
    fails("CREATE TABLE T (b INT)", TableAlreadyExistsError, at="T")
    assert lab.plan("CREATE TABLE IF NOT EXISTS t (b INT)") == Answer()


def test_replace_needs_a_table_and_columns(lab: Lab, fails: Fails) -> None:
    fails("REPLACE TABLE t (a INT)", CannotReplaceMissingTableError, at="t")
    lab.run("CREATE TABLE t (a INT)")
    fails("REPLACE TABLE t", SchemaNotProvidedError, at="t")


def test_replace_takes_all_files_away_under_a_new_id(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT) TBLPROPERTIES ('k' = 'v')")
    lab.append("t")
    change = lab.plan("CREATE OR REPLACE TABLE t (b INT)")
    assert isinstance(change, TableChange)
    (metadata,) = change.commit.actions
    assert isinstance(metadata, Metadata)
    assert metadata.id != lab.snapshot("t").metadata.id
    assert dict(metadata.configuration) == {}
    assert change.removed is not None
    assert change.removed.num_rows == 1
    assert change.commit.register is None


def test_rows_of_an_append_only_table_are_not_replaced(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.appendOnly' = 'true')")
    assert isinstance(lab.plan("REPLACE TABLE t (b INT)"), TableChange)
    lab.append("t")
    fails("REPLACE TABLE t (b INT)", AppendOnlyError)


def test_replace_stays_in_its_place(lab: Lab, fails: Fails, tmp_path: Path) -> None:
    lab.run("CREATE TABLE t (a INT)")
    fails(f"CREATE OR REPLACE TABLE t (a INT) LOCATION '{tmp_path}/other'", LocationMismatchError, at="t")
    place = lab.catalog.require(("t",)).location
    assert isinstance(lab.plan(f"CREATE OR REPLACE TABLE t (a INT) LOCATION 'file:{place}/'"), TableChange)


def test_an_existing_log_gets_a_name(lab: Lab, outside: str) -> None:
    assert lab.plan(f"CREATE TABLE y LOCATION '{outside}'") == Registration(("y",), outside, False)
    same = f"CREATE TABLE y (A INT, p STRING) PARTITIONED BY (P) LOCATION '{outside}' TBLPROPERTIES ('k' = 'v')"
    lab.plan(same.replace("A INT", "a INT"))
    lab.plan(same.replace("A INT, p STRING", "p STRING, a INT"))
    lab.plan(f"CREATE TABLE y LOCATION '{outside}' TBLPROPERTIES ('delta.minReaderVersion' = '1')")


def test_what_is_declared_must_be_what_the_log_says(fails: Fails, outside: str) -> None:
    at = f"LOCATION '{outside}'"
    fails(f"CREATE TABLE y (a STRING, p STRING) {at}", CreatedColumnsDifferError, at="y")
    fails(f"CREATE TABLE y PARTITIONED BY (a) {at}", CreatedPartitioningDiffersError)
    error = fails(f"CREATE TABLE y (a INT COMMENT 'x', p STRING NOT NULL) {at}", CreatedColumnsDifferError)
    assert error.differences == (
        "declared: a INT COMMENT 'x'; there: a INT\ndeclared: p STRING NOT NULL; there: p STRING"
    )
    fails(f"CREATE TABLE y (A INT, p STRING) PARTITIONED BY (p) {at}", CreatedColumnsDifferError)
    fails(f"CREATE TABLE y (a INT, p STRING) {at}", CreatedPartitioningDiffersError)
    error = fails(f"CREATE TABLE y {at} TBLPROPERTIES ('l' = 'w')", CreatedPropertiesDifferError)
    assert (error.key, error.declared, error.existing) == ("k", "(not set)", "v")
    error = fails(f"CREATE TABLE y {at} TBLPROPERTIES ('other' = '1')", CreatedPropertiesDifferError)
    assert (error.key, error.declared) == ("k", "(not set)")
    fails(f"CREATE TABLE y {at} AS SELECT 1 AS a", NonEmptyLocationError)


def test_an_existing_log_can_be_replaced_under_a_new_name(lab: Lab, outside: str) -> None:
    change = lab.plan(f"CREATE OR REPLACE TABLE y (b INT) LOCATION '{outside}'")
    assert isinstance(change, TableChange)
    assert change.commit.snapshot is not None
    assert change.commit.register == Registration(("y",), outside, False)


def test_a_place_without_a_log(lab: Lab, fails: Fails, tmp_path: Path) -> None:
    fails(f"CREATE TABLE t LOCATION '{tmp_path}/none'", ExternalTableWithoutSchemaError, at="t")
    fails(f"CREATE TABLE delta.`{tmp_path}/none`", ExternalTableWithoutSchemaError)
    place = tmp_path / "files"
    place.mkdir()
    (place / "data.csv").write_text("1")
    fails(f"CREATE TABLE t LOCATION '{place}'", ExternalTableWithoutLogError)
    fails(f"CREATE TABLE t (a INT) LOCATION '{place}'", NonEmptyLocationError)
    fails(f"CREATE TABLE t (a INT) LOCATION 'file://{place}'", NonEmptyLocationError)


def test_leftovers_in_a_managed_place_are_not_overwritten(lab: Lab, fails: Fails) -> None:
    place = Path(lab.catalog.managed_location(("t",)))
    place.mkdir(parents=True)
    (place / "data.csv").write_text("1")
    fails("CREATE TABLE t (a INT)", NonEmptyLocationError)


def test_a_path_table_lies_where_it_says(fails: Fails, tmp_path: Path) -> None:
    fails(f"CREATE TABLE delta.`{tmp_path}/a` (a INT) LOCATION '{tmp_path}/b'", AmbiguousLocationError)


def test_a_table_from_a_query_has_its_columns_all_nullable(lab: Lab, fails: Fails) -> None:
    lab.analyst.rows["SELECT 1 AS `a b`"] = columns("`a b` INT, c STRING")
    change = lab.plan("CREATE TABLE t TBLPROPERTIES ('delta.columnMapping.mode' = 'name') AS SELECT 1 AS `a b`")
    assert isinstance(change, RowChange)
    assert project_of(change.operator) == {"a b": "`a b`", "c": "c"}
    assert change.commit.operation.name == "CREATE TABLE AS SELECT"
    fails("CREATE TABLE t (a INT) AS SELECT 1 AS a", ColumnListWithQueryError)
    fails("CREATE TABLE t PARTITIONED BY (a INT) AS SELECT 1 AS a", ColumnListWithQueryError)
    lab.analyst.rows["SELECT nothing"] = StructType()
    fails("CREATE TABLE t AS SELECT nothing", EmptyQuerySchemaError)


def test_only_delta_tables_are_made(fails: Fails) -> None:
    fails("CREATE TABLE t (a INT) USING hudi", NotADeltaProviderError, at="hudi")
    fails("CREATE TABLE nowhere.t (a INT)", SchemaNotFoundError, at="nowhere.t")
    fails("CREATE TABLE t@v1 (a INT)", TimeTravelViewError, at="t@v1")


def test_drop(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT)")
    assert lab.plan("DROP TABLE t PURGE") == Unregistration(("t",))
    assert lab.plan("DROP TABLE IF EXISTS other") == Answer()
    fails("DROP TABLE other", TableNotFoundError, at="other")
    fails("DROP TABLE t@v0", TimeTravelViewError)
    fails("DROP TABLE delta.`/a/b`", UnsupportedStatementError)


def test_a_managed_table_goes_with_its_files(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)")
    place = Path(lab.catalog.require(("t",)).location)
    lab.run("DROP TABLE t")
    assert not place.exists()


def test_rename(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT)")
    assert lab.plan("ALTER TABLE t RENAME TO u") == RenameChange(("t",), ("u",))
    fails("ALTER TABLE delta.`/a/b` RENAME TO u", UnsupportedStatementError)


def test_truncate(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE TEMP VIEW v AS SELECT 1")
    lab.append("t")
    change = lab.plan("TRUNCATE TABLE t")
    assert isinstance(change, TableChange)
    assert change.removed is not None
    assert change.removed.num_rows == 1
    fails("TRUNCATE TABLE v", WriteIntoViewError, at="v")


def test_schemas_have_no_versions(fails: Fails) -> None:
    for sql in ("CREATE SCHEMA s@v1", "DROP SCHEMA s@v1 CASCADE", "USE s@v1"):
        fails(sql, TimeTravelViewError, at="s@v1")
