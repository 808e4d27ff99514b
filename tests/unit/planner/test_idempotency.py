"""Idempotent statements: what is noted in a commit, what is left out, and the settings that say so."""

from __future__ import annotations

import pytest

from deltasql.base.errors import IllegalOptionError, InvalidIdempotentWriteError
from deltasql.log import operations
from deltasql.log.actions.actions import SetTransaction
from deltasql.log.commit.transaction import Transaction
from deltasql.planner.changes import Answer, Plan, SettingChange, Stepwise, TableChange
from deltasql.sql.parser import parse
from deltasql.statements import plan_statement
from tests.unit.planner.lab import Lab

PREFIX = "spark.databricks.delta.write"


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (id INT)", f"SET {PREFIX}.txnAppId = app", f"SET {PREFIX}.txnVersion = 3")
    lab.append("t", {})
    return lab


def plan_of(lab: Lab, sql: str) -> Plan:
    return plan_statement(parse(sql), lab.context(sql))


def done(lab: Lab, version: int) -> None:
    log = lab._at("t")
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [SetTransaction("app", version)])


def test_a_write_is_noted(table: Lab) -> None:
    change = plan_of(table, "DELETE FROM t")
    assert isinstance(change, TableChange)
    (note,) = change.commit.actions
    assert isinstance(note, SetTransaction)
    assert (note.app_id, note.version) == ("app", 3)
    assert change.commit.afterwards == ()


@pytest.mark.parametrize(("version", "again"), [(2, True), (3, False), (4, False)])
def test_what_was_done_is_not_done_again(table: Lab, version: int, again: bool) -> None:
    done(table, version)
    change = plan_of(table, "DELETE FROM t")
    assert isinstance(change, TableChange) is again
    assert again or (isinstance(change, Answer) and change.rows == ())


def test_the_version_is_forgotten_where_the_settings_say_so(table: Lab) -> None:
    table.run(f"SET {PREFIX}.txnVersion.autoReset.enabled = true")
    forget = SettingChange(f"{PREFIX}.txnVersion", None)
    change = plan_of(table, "DELETE FROM t")
    assert isinstance(change, TableChange)
    assert change.commit.afterwards == (forget,)
    done(table, 3)
    skipped = plan_of(table, "DELETE FROM t")
    assert isinstance(skipped, Stepwise)
    assert next(skipped.steps) == forget


@pytest.mark.parametrize(
    "sql", ["ALTER TABLE t ADD COLUMN b INT", "TRUNCATE TABLE t", "CREATE TABLE u (id INT)", "OPTIMIZE t"]
)
def test_other_statements_take_no_part(table: Lab, sql: str) -> None:
    change = plan_of(table, sql)
    assert not any(isinstance(item, SetTransaction) for item in getattr(change, "actions", ()))


def test_a_new_table_has_done_nothing(table: Lab) -> None:
    change = plan_of(table, "DELETE FROM t")
    table.run("CREATE TABLE other (id INT)")
    assert isinstance(change, TableChange)
    assert isinstance(plan_of(table, "DELETE FROM other"), TableChange)


def test_one_setting_without_the_other(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id INT)", f"SET {PREFIX}.txnAppId = app")
    with pytest.raises(InvalidIdempotentWriteError, match=r"txnVersion is missing. SQLSTATE: 42616"):
        plan_of(lab, "DELETE FROM t")


@pytest.mark.parametrize("version", ["-1", "x", "1.5", "9223372036854775808"])
def test_a_version_that_is_no_number(lab: Lab, version: str) -> None:
    lab.run("CREATE TABLE t (id INT)", f"SET {PREFIX}.txnAppId = app")
    lab.settings.set(f"{PREFIX}.txnVersion", version)
    with pytest.raises(IllegalOptionError, match="DELTA_ILLEGAL_OPTION"):
        plan_of(lab, "DELETE FROM t")
