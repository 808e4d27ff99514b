"""INSERT: which column takes which value, what makes way, and what is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    AppendOnlyError,
    DuplicateInsertColumnError,
    InvalidSettingError,
    MissingNotNullColumnError,
    NestedArityError,
    NestedColumnsMismatchError,
    NestedOrderError,
    NotPartitionColumnError,
    ReplaceClauseError,
    StaticPartitionInListError,
    StrictAssignmentError,
    StructTypeMismatchError,
    SubqueryInConditionError,
    TooFewInsertColumnsError,
    TooManyInsertColumnsError,
    UnknownInsertColumnError,
    WriteIntoViewError,
)
from deltasql.plan.operators import Rewrite, RowEffect, RowKind, SqlQuery, Write, children
from deltasql.planner.changes import RowChange
from deltasql.planner.row_changes import WHOLE_TABLE
from tests.unit.planner.lab import Lab, checks_of, columns, project_of

Fails = Callable[..., Any]


def partition_text(value: str) -> str:
    """SQL of a text for a partition column, where an empty one is stored as NULL."""
    return f"nullif(nullif({value}, ''), '__HIVE_DEFAULT_PARTITION__')"


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (id INT, name STRING, p STRING) PARTITIONED BY (p)")
    lab.append("t", {"p": "a"}, {"p": "b"})
    return lab


def inserted(lab: Lab, sql: str, **given: str) -> RowChange:
    """The plan of an INSERT whose query gives `given`: columns by name, with their types."""
    text = sql[sql.index("SELECT") :] if "SELECT" in sql else sql[sql.index("VALUES") :]
    lab.analyst.rows[text] = columns(", ".join(f"`{name}` {kind}" for name, kind in given.items()))
    change = lab.plan(sql)
    assert isinstance(change, RowChange)
    return change


def written(lab: Lab, sql: str, **given: str) -> dict[str, str]:
    return project_of(inserted(lab, sql, **given).operator)


def test_by_position(table: Lab) -> None:
    change = inserted(table, "INSERT INTO t SELECT x, y, z", z="INT", y="STRING", x="BIGINT")
    assert project_of(change.operator) == {
        "id": "__deltasql_0",
        "name": "__deltasql_1",
        "p": partition_text("CAST(__deltasql_2 AS STRING)"),
    }
    assert isinstance(change.operator, Write)
    assert change.operator.partition_columns == ("p",)
    assert change.commit.reads is None
    assert change.skip_if_empty
    assert dict(change.commit.parameters) == {"mode": "Append", "partitionBy": "[]"}


def test_a_column_list_permutes_and_may_leave_columns_out(table: Lab) -> None:
    assert written(table, "INSERT INTO t (P, id) SELECT 1", x="STRING", y="INT") == {
        "id": "__deltasql_1",
        "name": "CAST(NULL AS STRING)",
        "p": partition_text("__deltasql_0"),
    }


def test_by_name(table: Lab) -> None:
    assert written(table, "INSERT INTO t BY NAME SELECT 2", NAME="STRING", id="INT") == {
        "id": "__deltasql_1",
        "name": "__deltasql_0",
        "p": "CAST(NULL AS STRING)",
    }


def test_default_is_what_the_column_says(table: Lab) -> None:
    table.analyst.rows["VALUES (1, NULL, 'x')"] = columns("a INT, b VOID, c STRING")
    change = table.plan("INSERT INTO t VALUES (1, DEFAULT, 'x')")
    assert isinstance(change, RowChange)
    (project,) = children(change.operator)
    (query,) = children(project)
    assert isinstance(query, SqlQuery)
    assert "VALUES (1, NULL, 'x')" in query.sql
    assert isinstance(change.operator, Write)
    assert change.operator.single_file


def test_constants_of_partitions(table: Lab) -> None:
    assert written(table, "INSERT INTO t PARTITION (P = 'a') SELECT 3", x="INT", y="STRING")["p"] == partition_text(
        "CAST('a' AS STRING)"
    )


@pytest.mark.parametrize(
    ("sql", "given", "kind", "at"),
    [
        ("INSERT INTO t SELECT 1", {"a": "INT"}, TooFewInsertColumnsError, None),
        ("INSERT INTO t SELECT 1", dict.fromkeys("abcd", "INT"), TooManyInsertColumnsError, None),
        ("INSERT INTO t (id, name) SELECT 1", {"a": "INT"}, TooFewInsertColumnsError, "id, name"),
        ("INSERT INTO t (id) SELECT 1", {"a": "INT", "b": "INT"}, TooManyInsertColumnsError, "id"),
        ("INSERT INTO t (id, nope) SELECT 1", {"a": "INT", "b": "INT"}, UnknownInsertColumnError, "nope"),
        ("INSERT INTO t (id, ID) SELECT 1", {"a": "INT", "b": "INT"}, DuplicateInsertColumnError, "ID"),
        ("INSERT INTO t BY NAME SELECT 1", {"id": "INT", "nope": "INT"}, UnknownInsertColumnError, None),
        ("INSERT INTO t PARTITION (id = 1) SELECT 1", {"a": "INT"}, NotPartitionColumnError, "id"),
        ("INSERT INTO t PARTITION (x.p = 1) SELECT 1", {"a": "INT"}, NotPartitionColumnError, "x.p"),
        ("INSERT INTO t PARTITION (p = 1, P = 2) SELECT 1", {"a": "INT"}, DuplicateInsertColumnError, "P"),
        ("INSERT INTO t PARTITION (p = 1) (id, p) SELECT 1", {"a": "INT", "b": "INT"}, StaticPartitionInListError, "p"),
        (
            "INSERT INTO t PARTITION (p = 1) BY NAME SELECT 1",
            {"id": "INT", "P": "INT"},
            StaticPartitionInListError,
            None,
        ),
        ("INSERT OVERWRITE t REPLACE WHERE p = 'a' SELECT 1", {"a": "INT"}, ReplaceClauseError, "p = 'a'"),
        (
            "INSERT INTO t REPLACE WHERE id IN (SELECT 1) SELECT 1, 2, 3",
            dict.fromkeys("abc", "INT"),
            SubqueryInConditionError,
            "id IN (SELECT 1)",
        ),
    ],
)
def test_what_does_not_fit(
    table: Lab, fails: Fails, sql: str, given: dict[str, str], kind: type[Exception], at: str | None
) -> None:
    table.analyst.rows["SELECT 1"] = columns(", ".join(f"{name} {type_}" for name, type_ in given.items()))
    fails(sql, kind, at=at)


def test_evolution_adds_columns(table: Lab) -> None:
    sql = "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 4"
    change = inserted(table, sql, a="INT", b="STRING", c="STRING", extra="DATE")
    assert change.metadata.schema.names == ("id", "name", "p", "extra")
    assert project_of(change.operator)["extra"] == "__deltasql_3"
    assert change.commit.actions == (change.metadata,)
    assert change.commit.parameters["canMergeSchema"] is True


def test_evolution_gives_no_column_two_values(table: Lab, fails: Fails) -> None:
    table.analyst.rows["SELECT 5"] = columns("a INT, b STRING, c STRING, ID INT")
    fails("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 5", DuplicateInsertColumnError)


def test_not_null_needs_a_value(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE n (a INT NOT NULL, b INT)")
    lab.analyst.rows["SELECT 1"] = columns("b INT")
    fails("INSERT INTO n (b) SELECT 1", MissingNotNullColumnError)
    assert checks_of(inserted(lab, "INSERT INTO n SELECT 6", x="INT", y="INT").operator) == ["a IS NOT NULL"]


def test_structs(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE n (s STRUCT<a: INT, b: INT>)")
    by_position = written(lab, "INSERT INTO n SELECT 7", s="STRUCT<a: INT, z: INT>")["s"]
    assert "'a', __deltasql_0.a, 'b', __deltasql_0.z" in by_position
    for number, clause in enumerate(("", "(s)", "BY NAME")):
        by_name = written(lab, f"INSERT INTO n {clause} SELECT 8{number}", s="STRUCT<B: INT, a: INT>")["s"]
        assert "'a', __deltasql_0.a, 'b', __deltasql_0.B" in by_name
    for given, sql, kind in (
        ("s STRUCT<a: INT>", "INSERT INTO n SELECT 1", NestedArityError),
        ("s STRUCT<z: INT, a: INT>", "INSERT INTO n SELECT 1", NestedOrderError),
        ("s STRUCT<a: INT, A: INT>", "INSERT INTO n BY NAME SELECT 1", NestedColumnsMismatchError),
        ("s STRUCT<a: INT, c: INT>", "INSERT INTO n BY NAME SELECT 1", NestedColumnsMismatchError),
        ("s INT", "INSERT INTO n SELECT 1", StructTypeMismatchError),
    ):
        lab.analyst.rows["SELECT 1"] = columns(given)
        fails(sql, kind)


def test_store_assignment(table: Lab, fails: Fails) -> None:
    table.analyst.settings["spark.sql.storeAssignmentPolicy"] = "STRICT"
    table.analyst.rows["SELECT 1"] = columns("a STRING, b STRING, c STRING")
    fails("INSERT INTO t SELECT 1", StrictAssignmentError)
    table.run("SET spark.sql.storeAssignmentPolicy = LEGACY")
    assert written(table, "INSERT INTO t SELECT 9", a="STRING", b="STRING", c="STRING")["id"].startswith("TRY_CAST")


def test_overwrite_replaces_all_files(table: Lab) -> None:
    change = inserted(table, "INSERT OVERWRITE t SELECT 10", a="INT", b="STRING", c="STRING")
    assert change.removed is not None
    assert change.removed.num_rows == 2
    assert not change.dynamic_overwrite
    assert change.commit.parameters["mode"] == "Overwrite"


def test_overwrite_of_a_partition_replaces_its_files(table: Lab) -> None:
    table.analyst.values[partition_text("CAST('b' AS STRING)")] = "b"
    for mode in ("STATIC", "dynamic"):
        table.run(f"SET spark.sql.sources.partitionOverwriteMode = {mode}")
        change = inserted(table, "INSERT OVERWRITE t PARTITION (p = 'b') SELECT 11", a="INT", b="STRING")
        assert change.removed is not None
        assert change.removed.column("path").to_pylist() == ["f2.parquet"]


def test_an_empty_string_is_the_partition_of_null(table: Lab) -> None:
    (path,) = table.append("t", {"p": None})
    table.analyst.values[partition_text("CAST('' AS STRING)")] = None
    change = inserted(table, "INSERT OVERWRITE t PARTITION (p = '') SELECT 12", a="INT", b="STRING")
    assert change.removed is not None
    assert change.removed.column("path").to_pylist() == [path]


@pytest.mark.parametrize("mode", ["DYNAMIC", "dynamic"])
def test_dynamic_overwrite_is_decided_by_the_rows(table: Lab, mode: str) -> None:
    table.analyst.settings["spark.sql.sources.partitionOverwriteMode"] = mode
    change = inserted(table, "INSERT OVERWRITE t SELECT 13", a="INT", b="STRING", c="STRING")
    assert change.dynamic_overwrite
    assert change.removed is None


def test_a_misspelt_mode_replaces_nothing(table: Lab, fails: Fails) -> None:
    table.settings.set("spark.sql.sources.partitionOverwriteMode", "dynamc")
    table.analyst.rows["SELECT 1"] = columns("a INT, b STRING, c STRING")
    fails("INSERT OVERWRITE t SELECT 1", InvalidSettingError)


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("INSERT INTO t SELECT * FROM t", "files"),
        ("INSERT INTO t SELECT * FROM v", "files"),
        ("INSERT INTO t SELECT * FROM t UNION ALL SELECT * FROM t", "table"),
        ("INSERT INTO t SELECT * FROM t VERSION AS OF 0", ""),
        ("WITH t AS (SELECT * FROM t) INSERT INTO t SELECT * FROM t", "files"),
        ("INSERT INTO t SELECT * FROM other", ""),
        ("INSERT OVERWRITE t SELECT * FROM t", "table"),
        ("INSERT OVERWRITE t PARTITION (p = 'a') SELECT id, name FROM t", "table"),
        ("INSERT INTO t REPLACE WHERE p = 'a' SELECT * FROM t", "table"),
        ("INSERT INTO t REPLACE WHERE id = 1 SELECT * FROM v", "table"),
    ],
)
def test_a_query_that_reads_the_table_depends_on_it(table: Lab, sql: str, reads: str) -> None:
    table.run("CREATE TABLE other (id INT, name STRING, p STRING)", "CREATE TEMP VIEW v AS SELECT * FROM default.T")
    table.analyst.rows["SELECT id, name FROM"] = columns("id INT, name STRING")
    table.analyst.rows["UNION ALL"] = columns("id INT, name STRING, p STRING")
    table.analyst.values[partition_text("CAST('a' AS STRING)")] = "a"
    change = table.plan(sql)
    assert isinstance(change, RowChange)
    assert (change.commit.reads == WHOLE_TABLE) is (reads == "table")
    if reads == "files":
        assert change.commit.reads is not None
        assert change.commit.reads.files == ("f1.parquet", "f2.parquet")
        assert not change.commit.reads.whole_table


def test_a_query_of_one_partition_depends_on_that(table: Lab) -> None:
    table.analyst.rows["SELECT id + 1, name, p"] = columns("id INT, name STRING, p STRING")
    change = table.plan("INSERT INTO t SELECT id + 1, name, p FROM t AS x WHERE x.p = 'a' AND id > 0")
    assert isinstance(change, RowChange)
    assert change.commit.reads is not None
    assert change.commit.reads.matches is not None
    assert [change.commit.reads.matches({"p": value}) for value in ("a", "b", None)] == [True, False, False]


def test_replace_where_on_partitions_takes_whole_files(table: Lab) -> None:
    sql = "INSERT INTO t REPLACE WHERE p = 'a' SELECT 14"
    change = inserted(table, sql, a="INT", b="STRING", c="STRING")
    assert change.removed is not None
    assert change.removed.column("path").to_pylist() == ["f1.parquet"]
    assert checks_of(change.operator) == ["p = 'a'"]
    assert change.commit.parameters["predicate"] == "p = 'a'"


def test_replace_where_on_rows_is_a_rewrite(table: Lab) -> None:
    change = inserted(table, "INSERT INTO t REPLACE WHERE id > 5 SELECT 15", a="INT", b="STRING", c="STRING")
    assert isinstance(change.operator, Rewrite)
    assert [(action.kind, action.effect) for action in change.operator.actions] == [
        (RowKind.NOT_MATCHED_BY_SOURCE, RowEffect.DELETE),
        (RowKind.NOT_MATCHED, RowEffect.INSERT),
    ]
    assert change.operator.actions[0].condition == "t.id > 5"


def test_append_only(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE log (a INT) TBLPROPERTIES ('delta.appendOnly' = 'true')")
    lab.analyst.rows["SELECT 1"] = columns("a INT")
    lab.plan("INSERT INTO log SELECT 1")
    fails("INSERT OVERWRITE log SELECT 1", AppendOnlyError)
    fails("INSERT INTO log REPLACE WHERE a = 1 SELECT 1", AppendOnlyError)


def test_a_view_hides_the_table_of_its_name(table: Lab, fails: Fails) -> None:
    table.run("CREATE TEMP VIEW t AS SELECT 1")
    fails("INSERT INTO T SELECT 1", WriteIntoViewError, at="T")


def test_one_query_has_one_with(table: Lab) -> None:
    table.analyst.rows["WITH d AS"] = columns("a INT, b STRING, c STRING")
    change = table.plan("WITH c AS (SELECT 1 AS x) INSERT INTO t WITH d AS (SELECT * FROM c) SELECT * FROM d")
    assert isinstance(change, RowChange)
    (project,) = children(change.operator)
    (query,) = children(project)
    assert isinstance(query, SqlQuery)
    assert "WITH c AS (SELECT 1 AS x)\nSELECT * FROM (\nWITH d AS" in query.sql
