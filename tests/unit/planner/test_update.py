"""UPDATE: assignments, and which files are rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    AggregateInConditionError,
    AppendOnlyError,
    ConflictingAssignmentsError,
    FieldOfNonStructError,
    MissingSetColumnError,
    NestedColumnsMismatchError,
    NonDeterministicConditionError,
    TimeTravelViewError,
    UnwritableViewError,
)
from deltasql.plan.operators import Rewrite, RowEffect, RowKind, SqlQuery
from deltasql.planner.changes import RowChange
from deltasql.planner.row_changes import WHOLE_TABLE
from tests.unit.planner.lab import Lab, columns, scans_of

Fails = Callable[..., Any]


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (id INT NOT NULL, s STRUCT<a: INT, b: INT>, p STRING) PARTITIONED BY (p)")
    lab.append("t", {"p": "a"}, {"p": "b"})
    return lab


def updated(lab: Lab, sql: str) -> tuple[RowChange, Rewrite]:
    change = lab.plan(sql)
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    return change, change.operator


def test_assigned_columns_are_cast_and_the_others_stay(table: Lab) -> None:
    change, operator = updated(table, "UPDATE t SET ID = id + 1, t.p = DEFAULT WHERE p = 'a'")
    (action,) = operator.actions
    assert (action.kind, action.effect, action.condition) == (RowKind.MATCHED, RowEffect.UPDATE, "p = 'a'")
    assert action.values == ("CAST(id + 1 AS INT)", "t.s", "CAST(NULL AS STRING)")
    assert operator.target.files.column("path").to_pylist() == ["f1.parquet"]
    assert change.commit.reads is not None
    assert change.commit.reads.files == ("f1.parquet",)
    assert change.skip_if_empty


def test_only_assigned_columns_are_checked_for_null(table: Lab) -> None:
    assert [item.condition for item in updated(table, "UPDATE t SET id = 1")[1].checks] == ["id IS NOT NULL"]
    assert updated(table, "UPDATE t SET p = 'x'")[1].checks == ()


def test_a_field_of_a_struct(table: Lab) -> None:
    _, operator = updated(table, "UPDATE default.t SET default.t.s.B = 2")
    assert operator.actions[0].values[1] == "named_struct('a', t.s.a, 'b', CAST(2 AS INT))"


def test_a_struct_by_name(table: Lab, fails: Fails) -> None:
    value = "named_struct('b', 1, 'a', 2)"
    table.analyst.kinds[value] = columns("v STRUCT<b: INT, a: INT>").fields[0].type
    assert "'a', __x0.a" in updated(table, f"UPDATE t SET s = {value}")[1].actions[0].values[1]
    table.analyst.kinds[value] = columns("v STRUCT<b: INT>").fields[0].type
    fails(f"UPDATE t SET s = {value}", NestedColumnsMismatchError)


@pytest.mark.parametrize(
    ("sql", "kind", "at"),
    [
        ("UPDATE t SET nope = 1", MissingSetColumnError, "nope"),
        ("UPDATE t SET s.nope = 1", MissingSetColumnError, "s.nope"),
        ("UPDATE t SET p.x = 1", FieldOfNonStructError, "p.x"),
        ("UPDATE t SET s.a = 1, S = NULL", ConflictingAssignmentsError, "S"),
        ("UPDATE t AS x SET t.id = 1", MissingSetColumnError, "t.id"),
        ("UPDATE t SET id = 1 WHERE rand() > 0.5", NonDeterministicConditionError, "rand() > 0.5"),
        ("UPDATE t SET id = 1 WHERE id = max(id)", AggregateInConditionError, "id = max(id)"),
        ("UPDATE t@v1 SET id = 1", TimeTravelViewError, "t@v1"),
    ],
)
def test_what_cannot_be_set(table: Lab, fails: Fails, sql: str, kind: type[Exception], at: str) -> None:
    fails(sql, kind, at=at)


def test_append_only(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE log (a INT) TBLPROPERTIES ('delta.appendOnly' = 'true')")
    fails("UPDATE log SET a = 1", AppendOnlyError)
    fails("DELETE FROM log", AppendOnlyError)


def test_subqueries_read_snapshots(table: Lab) -> None:
    table.run("CREATE TABLE other (id INT)")
    change, operator = updated(table, "UPDATE t SET id = 1 WHERE id IN (SELECT id FROM other)")
    assert [scan.table.name for relation in operator.relations.values() for scan in scans_of(relation)] == ["other"]
    assert change.commit.reads != WHOLE_TABLE
    change, _ = updated(table, "UPDATE t SET id = (SELECT max(id) FROM t) WHERE p = 'a'")
    assert change.commit.reads == WHOLE_TABLE


def test_a_common_table_expression_is_no_target(table: Lab, fails: Fails) -> None:
    change, operator = updated(table, "WITH t AS (SELECT * FROM t) UPDATE t SET id = 1 WHERE id IN (SELECT id FROM t)")
    (relation,) = operator.relations.values()
    assert [scan.table.name for scan in scans_of(relation)] == ["t"]
    assert change.commit.snapshot is not None
    table.run("CREATE TEMP VIEW t AS SELECT 1")
    fails("WITH t AS (SELECT 1) UPDATE t SET id = 1", UnwritableViewError, at="t")


def test_each_common_table_expression_sees_those_before_it(table: Lab) -> None:
    table.run("CREATE TABLE b (id INT)")
    sql = "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) DELETE FROM t WHERE id IN (SELECT id FROM b)"
    change = table.plan(sql)
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    (relation,) = change.operator.relations.values()
    assert [scan.table.name for scan in scans_of(relation)] == ["b"]


@pytest.mark.parametrize("statement", ["UPDATE t SET id = 1", "DELETE FROM t"])
def test_a_recursive_common_table_expression_sees_itself(table: Lab, statement: str) -> None:
    table.run("CREATE TABLE b (id INT)")
    ctes = "n AS (SELECT id FROM b), R (id) MAX RECURSION LEVEL 5 AS (SELECT id FROM n UNION ALL SELECT id + 1 FROM r)"
    _, operator = updated(table, f"WITH RECURSIVE {ctes} {statement} WHERE id IN (SELECT id FROM r)")
    (relation,) = operator.relations.values()
    assert isinstance(relation, SqlQuery)
    assert re.fullmatch(
        r"WITH RECURSIVE R \(id\) MAX RECURSION LEVEL 5 AS "
        r"\(SELECT id FROM \w+ AS `n` UNION ALL SELECT id \+ 1 FROM r\)\nSELECT \* FROM R",
        relation.sql,
    )
    assert [scan.table.name for scan in scans_of(relation)] == ["b"]


def test_a_common_table_expression_may_be_called_recursive(table: Lab) -> None:
    _, operator = updated(table, "WITH recursive AS (SELECT 1 AS id) DELETE FROM t WHERE id IN (TABLE recursive)")
    (relation,) = operator.relations.values()
    assert isinstance(relation, SqlQuery)
    assert relation.sql == "SELECT 1 AS id"
