"""Row filters and column masks that the session applies: other names of a table, stars, sources, and lost columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import LostPolicyColumnError, PolicyColumnError, PolicyTableError, SourceOperationError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.entries import FunctionDefinition, RefreshDefinition, Refreshed, ViewDefinition
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Rewrite, SqlFunction, SqlQuery
from deltasql.planner import binding
from deltasql.planner.catalog_changes import Redefinition
from deltasql.planner.changes import RowChange
from deltasql.session.execution.run import change_catalog
from tests.unit.planner.lab import Lab, columns

Fails = Callable[..., Any]

FUNCTIONS = {
    "us": "(region STRING) RETURNS BOOLEAN RETURN region = 'US'",
    "small": "(i INT) RETURNS BOOLEAN RETURN i < 3",
    "hide": "(s STRING) RETURNS STRING RETURN '***'",
    "short": "(s STRING) RETURNS STRING RETURN left(s, 1)",
}


def constant(definition: FunctionDefinition) -> Callable[[object], FunctionDefinition]:
    return lambda _: definition


@pytest.fixture
def table(lab: Lab) -> Lab:
    """A table with a filter and a mask, and another name of it. The session applies them."""
    for name, text in FUNCTIONS.items():
        definition = FunctionDefinition(text, ("spark_catalog", "default"), {})
        lab.catalog.change_function((name,), constant(definition))
    lab.run("CREATE TABLE t (id INT, region STRING, ssn STRING, CONSTRAINT c CHECK (id > 0)) PARTITIONED BY (region)")
    lab.append("t", {"region": "US"}, {"region": "NO"})
    lab.run("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    lab.run(f"CREATE TABLE other USING delta LOCATION '{location(lab)}'", "SET deltasql.governance = RECORD")
    lab.run("ALTER TABLE t SET ROW FILTER us ON (region)", "ALTER TABLE t ALTER COLUMN ssn SET MASK hide")
    lab.run("SET deltasql.governance.filters = true")
    return lab


def location(lab: Lab) -> str:
    return lab.catalog.require(("t",)).location


def shown(lab: Lab, name: str) -> tuple[str, set[str]]:
    """The SQL over the rows of a table, and the functions that it calls."""
    _, relations = binding.bind(lab.context(), f"SELECT * FROM {name}")
    (rows,) = relations.values()
    assert isinstance(rows, SqlQuery)
    return rows.sql, {name for name, item in rows.relations.items() if isinstance(item, SqlFunction)}


def rewrite(lab: Lab, sql: str) -> Rewrite:
    change = lab.plan(sql)
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    return change.operator


def test_all_names_of_a_table_have_the_policies_of_each(table: Lab) -> None:
    table.run("ALTER TABLE other SET ROW FILTER small ON (id)", "ALTER TABLE other ALTER COLUMN SSN SET MASK short")
    every = {f"spark_catalog.default.{name}" for name in FUNCTIONS}
    for name in ("t", "other", f"delta.`{location(table)}`"):
        sql, functions = shown(table, name)
        assert functions == every
        assert "`spark_catalog.default.hide`(CAST(`spark_catalog.default.short`(ssn) AS STRING))" in sql
    condition = rewrite(table, "DELETE FROM t WHERE id = 1").actions[0].condition
    assert condition is not None
    assert "small" in condition
    assert "us" in condition


def test_a_path_through_a_link_has_the_policies(table: Lab, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(location(table))
    assert "hide" in shown(table, f"delta.`{link}`")[0]


@pytest.mark.parametrize("name", ["t", "other", "delta.`{}`"])
@pytest.mark.parametrize("change", ["RENAME COLUMN ssn TO s", "DROP COLUMN region", "DROP COLUMNS (SSN)"])
def test_columns_of_policies_stay_by_any_name(table: Lab, fails: Fails, name: str, change: str) -> None:
    named = name.format(location(table))
    kind = PolicyColumnError if "region" not in change else DeltaSqlError
    error = fails(f"ALTER TABLE {named} {change}", kind)
    if kind is PolicyColumnError:
        assert "Run ALTER TABLE default.t ALTER COLUMN ssn DROP MASK first" in str(error)


def test_a_replaced_table_keeps_the_columns_by_any_name(table: Lab, fails: Fails) -> None:
    for name in ("t", "other", f"delta.`{location(table)}`"):
        fails(f"CREATE OR REPLACE TABLE {name} (id INT, region STRING)", PolicyColumnError)


def test_a_masked_column_that_is_gone_is_an_error_and_not_an_open_table(table: Lab, fails: Fails) -> None:
    table.run("SET deltasql.governance.filters = false", "ALTER TABLE t ALTER COLUMN ssn DROP MASK")
    table.run("ALTER TABLE t RENAME COLUMN ssn TO renamed", "ALTER TABLE t ALTER COLUMN renamed SET MASK hide")
    table.run("RESTORE TABLE t TO VERSION AS OF 2", "SET deltasql.governance.filters = true")
    table.append("t", {"region": "US"})
    fails("SELECT * FROM t", LostPolicyColumnError, "t")
    fails("UPDATE t SET id = 2", LostPolicyColumnError)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET region = to_json(struct(*))",
        "UPDATE t SET region = to_json(struct(t.*))",
        "UPDATE t AS x SET region = to_json(struct(x . *))",
        "UPDATE other SET region = to_json(struct(default.other.*))",
        "UPDATE t SET region = (SELECT q.x FROM (SELECT t.*) AS q(a, b, x))",
        "DELETE FROM t WHERE to_json(struct(*)) LIKE '%1%'",
        "DELETE FROM t WHERE `SSN` = '1'",
        "DELETE FROM t WHERE t /* c */ . ssn = '1'",
        "MERGE INTO t USING other AS s ON t.id = s.id WHEN MATCHED AND t.ssn = '1' THEN DELETE",
        "MERGE INTO t USING other AS s ON t.id = s.id AND default.t.ssn = s.ssn WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING other AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET region = struct(t.*).ssn",
    ],
)
def test_no_expression_sees_behind_a_mask(table: Lab, fails: Fails, sql: str) -> None:
    table.analyst.rows["other"] = columns("id INT, region STRING, ssn STRING")
    table.analyst.rows["SELECT * FROM"] = columns("id INT, region STRING, ssn STRING")
    fails(sql, PolicyTableError)


def test_a_column_of_the_source_may_have_the_name_of_a_masked_one(table: Lab) -> None:
    table.run("CREATE TABLE source (id INT, region STRING, ssn STRING)")
    table.append("source")
    for alias, name in (("AS s", "s"), ("", "source"), ("", "default.source")):
        sql = f"MERGE INTO t USING source {alias} ON t.id = {name}.id WHEN MATCHED THEN UPDATE SET ssn = {name}.ssn"
        assert rewrite(table, sql).actions[0].values[2].endswith("ssn")
    assert rewrite(table, "UPDATE t SET id = id * 2, region = concat(region, '*')").actions


def test_broken_constraints_show_no_masked_value(table: Lab) -> None:
    assert {item.masked for item in rewrite(table, "UPDATE t SET id = -1").checks} == {frozenset({"ssn"})}
    table.run("SET deltasql.governance.filters = false")
    assert {item.masked for item in rewrite(table, "UPDATE t SET id = -1").checks} == {frozenset()}


@pytest.mark.parametrize(
    "sql",
    [
        "RESTORE TABLE t TO VERSION AS OF 0",
        "RESTORE other TO VERSION AS OF 0",
        "DESCRIBE EXTENDED t PARTITION (region = 'NO')",
        "DESCRIBE EXTENDED other PARTITION (region = 'NO') AS JSON",
        "SHOW TABLE EXTENDED LIKE 't' PARTITION (region = 'NO')",
        "SHOW PARTITIONS other",
    ],
)
def test_statements_about_hidden_rows_are_refused(table: Lab, fails: Fails, sql: str) -> None:
    fails(sql, PolicyTableError)


def test_tables_of_other_formats_have_no_policies(table: Lab, fails: Fails) -> None:
    fails("CREATE TABLE c (a INT, b STRING MASK hide) USING csv", SourceOperationError, "MASK hide")
    fails("CREATE TABLE c (b STRING) USING csv WITH ROW FILTER us ON (b)", SourceOperationError)
    table.run("SET deltasql.governance = ERROR")
    fails("CREATE TABLE c (a INT, b STRING MASK hide) USING csv", DeltaSqlError, "MASK hide")


def test_a_mask_is_not_lost_by_replace_columns(table: Lab, fails: Fails) -> None:
    table.run("CREATE TABLE free (a STRING)")
    fails("ALTER TABLE free REPLACE COLUMNS (a STRING MASK hide)", DeltaSqlError, "a")


def test_a_materialized_view_with_a_filter_is_refreshed_as_a_whole_only(table: Lab, fails: Fails) -> None:
    view = ViewDefinition(
        "SELECT id, region FROM other", ("spark_catalog", "default"), {}, (), columns("id INT, region STRING")
    )
    definition = RefreshDefinition(Refreshed.MATERIALIZED_VIEW, view)
    table.run("CREATE TABLE mv (id INT, region STRING) WITH ROW FILTER us ON (region)")
    change_catalog(Redefinition(("spark_catalog", "default", "mv"), definition), table.catalog, Stores())
    fails("REFRESH MATERIALIZED VIEW mv", PolicyTableError, "mv")
