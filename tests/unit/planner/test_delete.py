"""DELETE: whole files where the log can tell, a rewrite elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    AppendOnlyError,
    NonDeterministicConditionError,
    TableNotFoundError,
    TimeTravelViewError,
    WriteIntoViewError,
)
from deltasql.plan.base import SqlText
from deltasql.plan.operators import Rewrite, RowEffect
from deltasql.planner.binding import query as bound_query
from deltasql.planner.changes import RowChange, TableChange
from tests.unit.planner.lab import Lab, scans_of

Fails = Callable[..., Any]


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p)")
    lab.append("t", {"p": "a"}, {"p": "b"})
    return lab


def test_without_a_condition_all_files_go(table: Lab) -> None:
    change = table.plan("DELETE FROM t")
    assert isinstance(change, TableChange)
    assert change.removed is not None
    assert change.removed.num_rows == 2


def test_a_condition_on_partitions_removes_their_files(table: Lab) -> None:
    change = table.plan("DELETE FROM t AS x WHERE x.p = 'a'")
    assert isinstance(change, TableChange)
    assert change.removed is not None
    assert change.removed.column("path").to_pylist() == ["f1.parquet"]
    assert change.commit.reads is not None
    assert change.commit.reads.files == ("f1.parquet",)


def test_a_condition_on_rows_rewrites_the_files_that_may_hold_them(table: Lab) -> None:
    change = table.plan("DELETE FROM t WHERE id > 1 AND p = 'b'")
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    (action,) = change.operator.actions
    assert (action.effect, action.condition) == (RowEffect.DELETE, "id > 1 AND p = 'b'")
    assert change.operator.target.files.column("path").to_pylist() == ["f2.parquet"]


def test_names_that_need_quotes(lab: Lab) -> None:
    lab.run("CREATE TABLE `größe-1` (`a b` INT, `c``d` INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    lab.append("größe-1")
    change = lab.plan("DELETE FROM `größe-1` WHERE `größe-1`.`a b` = 1")
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    assert change.operator.unchanged == ("`größe-1`.`a b`", "`größe-1`.`c``d`")


@pytest.mark.parametrize(
    ("sql", "kind", "at"),
    [
        ("DELETE FROM nope WHERE id = 1", TableNotFoundError, "nope"),
        ("DELETE FROM t WHERE id IN (SELECT t FROM nope)", TableNotFoundError, "nope"),
        ("DELETE FROM t WHERE uuid() = 'x'", NonDeterministicConditionError, "uuid() = 'x'"),
        ("DELETE FROM t@v0", TimeTravelViewError, "t@v0"),
    ],
)
def test_what_cannot_be_deleted(table: Lab, fails: Fails, sql: str, kind: type[Exception], at: str) -> None:
    fails(sql, kind, at=at)


def test_views(table: Lab, fails: Fails) -> None:
    table.run("CREATE TEMP VIEW v AS SELECT * FROM t", "CREATE VIEW w AS SELECT * FROM t")
    fails("DELETE FROM w", WriteIntoViewError, at="w")
    change = table.plan("DELETE FROM t WHERE id IN (SELECT id FROM v)")
    assert isinstance(change, RowChange)
    assert change.commit.reads is not None
    assert change.commit.reads.whole_table


def test_an_append_only_table(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE log (a INT) TBLPROPERTIES ('delta.appendOnly' = 'true')")
    fails("DELETE FROM log WHERE a = 1", AppendOnlyError)


def test_a_view_may_have_the_name_of_the_table_that_it_reads(table: Lab) -> None:
    table.run("CREATE TEMP VIEW t AS SELECT * FROM t")
    operator = bound_query(table.context("SELECT * FROM t"), SqlText("SELECT * FROM t", 0))
    assert [scan.table.name for scan in scans_of(operator)] == ["t"]
