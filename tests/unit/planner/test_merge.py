"""MERGE: clauses, names, stars, schema evolution, and what is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    AggregateInConditionError,
    AppendOnlyError,
    ConflictingAssignmentsError,
    DuplicateInsertColumnError,
    FieldNotFoundError,
    FieldOfNonStructError,
    InvalidSettingError,
    MergeIntoEmptySchemaError,
    MergeUnresolvedError,
    NestedColumnsMismatchError,
    NestedInsertColumnError,
    NonDeterministicConditionError,
    StrictAssignmentError,
    SubqueryInConditionError,
    TimeTravelViewError,
    UnconditionalBySourceError,
    UnconditionalMatchedError,
    UnconditionalNotMatchedError,
    WriteIntoViewError,
)
from deltasql.plan.operators import Rewrite, RowEffect, RowKind, SourceJoin
from deltasql.planner.changes import RowChange
from deltasql.schema.types import INTEGER
from tests.unit.planner.lab import Lab, columns

Fails = Callable[..., Any]


@pytest.fixture
def tables(lab: Lab) -> Lab:
    """t and s with two files each, s with a column more."""
    lab.run("CREATE TABLE t (id INT, name STRING)", "CREATE TABLE s (id INT, name STRING, extra INT)")
    lab.append("t", {}, {})
    lab.append("s")
    return lab


def merged(lab: Lab, sql: str) -> tuple[RowChange, Rewrite]:
    change = lab.plan(sql)
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    return change, change.operator


def join_of(operator: Rewrite) -> SourceJoin:
    assert operator.join is not None
    return operator.join


def values(lab: Lab, clauses: str, into: str = "MERGE INTO t USING s ON t.id = s.id") -> list[tuple[str, ...]]:
    return [action.values for action in merged(lab, f"{into} {clauses}")[1].actions]


def test_each_clause_is_an_action(tables: Lab) -> None:
    _, operator = merged(
        tables,
        "MERGE INTO t USING s ON t.id = s.id "
        "WHEN MATCHED AND extra = 0 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED AND extra > 1 THEN INSERT (id) VALUES (extra) "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = concat(name, '!')",
    )
    assert [(action.kind, action.effect, action.condition) for action in operator.actions] == [
        (RowKind.MATCHED, RowEffect.DELETE, "s.extra = 0"),
        (RowKind.MATCHED, RowEffect.UPDATE, None),
        (RowKind.NOT_MATCHED, RowEffect.INSERT, "s.extra > 1"),
        (RowKind.NOT_MATCHED_BY_SOURCE, RowEffect.UPDATE, None),
    ]
    assert [action.values for action in operator.actions] == [
        (),
        ("t.id", "s.name"),
        ("s.extra", "CAST(NULL AS STRING)"),
        ("t.id", "CAST(concat(t.name, '!') AS STRING)"),
    ]
    assert operator.unchanged == ("t.id", "t.name")
    assert [(key.target, key.source, key.type) for key in join_of(operator).equal_keys] == [("t.id", "s.id", INTEGER)]


@pytest.mark.parametrize("on", ["t.name = s.name COLLATE UTF8_LCASE", "collate(s.name, 'UNICODE_CI') = t.name"])
def test_a_key_with_another_collation_than_its_column(tables: Lab, on: str) -> None:
    """The least and greatest key of the source say nothing about the bytes in a file."""
    _, operator = merged(tables, f"MERGE INTO t USING s ON {on} WHEN MATCHED THEN DELETE")
    assert [key.type for key in join_of(operator).equal_keys] == [None]


def test_a_star_is_the_targets_columns(tables: Lab) -> None:
    assert values(tables, "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *") == [("s.id", "s.name")] * 2


def test_a_star_with_evolution_is_the_sources_columns(tables: Lab) -> None:
    change, operator = merged(
        tables,
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * EXCEPT (id) WHEN NOT MATCHED THEN INSERT *",
    )
    assert change.metadata.schema.names == ("id", "name", "extra")
    assert [action.values for action in operator.actions] == [
        ("t.id", "s.name", "s.extra"),
        ("s.id", "s.name", "s.extra"),
    ]
    assert not change.skip_if_empty
    assert operator.target.schema.names == ("id", "name", "extra")


def test_the_session_can_switch_evolution_on(tables: Lab) -> None:
    tables.run("SET spark.databricks.delta.schema.autoMerge.enabled = true")
    change, _ = merged(tables, "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert change.metadata.schema.names == ("id", "name", "extra")


def test_a_spark_session_that_was_handed_in_can_too(tables: Lab) -> None:
    tables.analyst.settings["spark.databricks.delta.schema.autoMerge.enabled"] = "true"
    change, _ = merged(tables, "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert change.metadata.schema.names == ("id", "name", "extra")


def test_excluded_columns_are_null_or_stay(tables: Lab) -> None:
    star = "EXCEPT (NAME)"
    assert values(tables, f"WHEN MATCHED THEN UPDATE SET * {star} WHEN NOT MATCHED THEN INSERT * {star}") == [
        ("s.id", "t.name"),
        ("s.id", "CAST(NULL AS STRING)"),
    ]


def test_one_expression_for_two_columns(lab: Lab) -> None:
    """Each column takes the value by its own type, though the text is the same."""
    lab.run("CREATE TABLE t (id INT, a STRUCT<x: INT, y: INT>, b STRING)", "CREATE TABLE s (id INT, j STRING)")
    lab.analyst.kinds["from_json(s.j, 'y INT, x INT')"] = columns("v STRUCT<y: INT, x: INT>").fields[0].type
    value = "from_json(j, 'y INT, x INT')"
    ((_, a, _),) = values(lab, f"WHEN MATCHED THEN UPDATE SET a = {value}, b = upper(j)")
    ((_, same, _),) = values(lab, f"WHEN MATCHED THEN UPDATE SET b = upper(j), a = {value}")
    assert a == same
    assert a.index(".x") < a.index(".y")


def test_names_of_two_schemas(lab: Lab) -> None:
    """Both tables are called t: they are told apart by their schemas."""
    lab.run("CREATE SCHEMA a", "CREATE SCHEMA b", "CREATE TABLE a.t (id INT)", "CREATE TABLE b.t (id INT)")
    _, operator = merged(lab, "MERGE INTO a.t USING b.t ON a.t.id = b.t.id WHEN MATCHED THEN UPDATE SET id = b.t.id")
    assert (operator.target_alias, join_of(operator).alias) == ("a.t", "b.t")
    assert join_of(operator).on == "`a.t`.id = `b.t`.id"
    assert operator.actions[0].values == ("`b.t`.id",)
    assert [key.source for key in join_of(operator).equal_keys] == ["`b.t`.id"]


def test_a_table_of_the_current_schema_has_its_long_name_too(lab: Lab) -> None:
    lab.run("CREATE SCHEMA b", "CREATE TABLE t (id INT)", "CREATE TABLE b.t (id INT)")
    _, operator = merged(lab, "MERGE INTO t USING b.t ON default.t.id = b.t.id WHEN MATCHED THEN DELETE")
    assert join_of(operator).on == "`default.t`.id = `b.t`.id"


def test_names_that_need_quotes(lab: Lab) -> None:
    mapped = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    lab.run(f"CREATE TABLE t (`a.b` INT, `ü ``x` INT) {mapped}", f"CREATE TABLE s (`A.B` INT, `Ü ``X` INT) {mapped}")
    _, operator = merged(lab, "MERGE INTO t AS `my t` USING s ON `my t`.`a.b` = s.`a.b` WHEN MATCHED THEN UPDATE SET *")
    assert operator.actions[0].values == ("s.`A.B`", "s.`Ü ``X`")
    assert operator.unchanged == ("`my t`.`a.b`", "`my t`.`ü ``x`")


def test_common_table_expressions_may_have_the_name_of_the_table_that_they_read(tables: Lab) -> None:
    change, _ = merged(
        tables,
        "WITH s AS (SELECT * FROM s) MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
    )
    assert change.commit.reads is not None
    assert not change.commit.reads.whole_table


def test_a_source_that_reads_the_target_depends_on_all_of_it(tables: Lab) -> None:
    sql = "MERGE INTO t USING (SELECT * FROM {}) s ON t.id = s.id WHEN MATCHED THEN DELETE"
    change, _ = merged(tables, sql.format("t"))
    assert change.commit.reads is not None
    assert change.commit.reads.whole_table
    change, _ = merged(tables, sql.format("t VERSION AS OF 0"))
    assert change.commit.reads is not None
    assert not change.commit.reads.whole_table


def test_files_are_pruned_by_the_part_of_on_that_speaks_of_the_target(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id INT, p STRING) PARTITIONED BY (p)", "CREATE TABLE s (id INT)")
    lab.append("t", {"p": "a"}, {"p": "b"})
    on = "MERGE INTO t USING s ON t.id = s.id AND t.p = 'b'"
    _, operator = merged(lab, f"{on} WHEN MATCHED THEN DELETE")
    assert operator.target.files.column("path").to_pylist() == ["f2.parquet"]
    _, operator = merged(lab, f"{on} WHEN NOT MATCHED BY SOURCE THEN DELETE")
    assert operator.target.files.num_rows == 2


def test_a_table_without_columns_takes_the_sources(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t", "CREATE TABLE s (id INT)")
    change, _ = merged(lab, "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON false WHEN NOT MATCHED THEN INSERT *")
    assert change.metadata.schema.names == ("id",)
    fails("MERGE INTO t USING s ON false WHEN NOT MATCHED THEN INSERT *", MergeIntoEmptySchemaError)


@pytest.mark.parametrize(
    ("clauses", "kind"),
    [
        ("WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET *", UnconditionalMatchedError),
        ("WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED THEN INSERT *", UnconditionalNotMatchedError),
        (
            "WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED BY SOURCE AND id = 1 THEN DELETE",
            UnconditionalBySourceError,
        ),
    ],
)
def test_only_the_last_clause_of_a_kind_lacks_a_condition(
    tables: Lab, fails: Fails, clauses: str, kind: type[Exception]
) -> None:
    first = clauses[: clauses.index(" WHEN ", 5)]
    fails(f"MERGE INTO t USING s ON t.id = s.id {clauses}", kind, at=first)


@pytest.mark.parametrize(
    ("clauses", "kind", "at"),
    [
        ("AND rand() > 0 WHEN MATCHED THEN DELETE", NonDeterministicConditionError, "t.id = s.id AND rand() > 0"),
        ("WHEN MATCHED AND max(extra) > 1 THEN DELETE", AggregateInConditionError, "max(extra) > 1"),
        ("WHEN MATCHED AND s.id IN (SELECT 1) THEN DELETE", SubqueryInConditionError, "s.id IN (SELECT 1)"),
        ("WHEN MATCHED AND t.nope = 1 THEN UPDATE SET nope = 1", MergeUnresolvedError, "nope"),
        ("WHEN NOT MATCHED AND t.id = 1 THEN INSERT *", MergeUnresolvedError, "t.id"),
        ("WHEN NOT MATCHED BY SOURCE AND extra = 1 THEN DELETE", MergeUnresolvedError, "extra"),
        ("WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = s.name", MergeUnresolvedError, "s.name"),
        ("WHEN MATCHED THEN UPDATE SET extra = 1", MergeUnresolvedError, "extra"),
        ("WHEN MATCHED THEN UPDATE SET * EXCEPT (extra)", MergeUnresolvedError, "extra"),
        ("WHEN MATCHED THEN UPDATE SET name = 'a', t.name = 'b'", ConflictingAssignmentsError, "t.name"),
        ("WHEN MATCHED THEN UPDATE SET name.x = 'a'", FieldOfNonStructError, "name.x"),
        ("WHEN NOT MATCHED THEN INSERT (id, id) VALUES (1, 2)", DuplicateInsertColumnError, "id"),
    ],
)
def test_what_a_clause_may_not_say(tables: Lab, fails: Fails, clauses: str, kind: type[Exception], at: str) -> None:
    fails(f"MERGE INTO t USING s ON t.id = s.id {clauses}", kind, at=at)


def test_evolution_finds_new_names_in_the_source_alone(tables: Lab, fails: Fails) -> None:
    merge = "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id"
    assert values(tables, "WHEN MATCHED THEN UPDATE SET extra = -1", merge) == [("t.id", "t.name", "CAST(-1 AS INT)")]
    fails(f"{merge} WHEN MATCHED THEN UPDATE SET nope = 1", MergeUnresolvedError, at="nope")
    fails(f"{merge} WHEN NOT MATCHED BY SOURCE THEN UPDATE SET extra = 1", MergeUnresolvedError, at="extra")


def test_a_star_needs_every_column_in_the_source(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (id INT, name STRING)", "CREATE TABLE s (id INT)")
    error = fails("MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *", MergeUnresolvedError)
    assert "EXCEPT (name)" in error.message


def test_structs(lab: Lab, fails: Fails) -> None:
    lab.run("CREATE TABLE t (id INT, x STRUCT<a: INT, b: INT>)", "CREATE TABLE s (id INT, x STRUCT<b: INT, a: INT>)")
    lab.run("CREATE TABLE r (id INT, x STRUCT<a: INT, c: INT>)")
    assert values(lab, "WHEN MATCHED THEN UPDATE SET x.b = s.x.a") == [("t.id", "named_struct('a', t.x.a, 'b', s.x.a)")]
    ((_, x),) = values(lab, "WHEN NOT MATCHED THEN INSERT *")
    assert "named_struct('a', s.x.a, 'b', s.x.b)" in x
    on = "USING r ON t.id = r.id"
    fails(f"MERGE INTO t {on} WHEN NOT MATCHED THEN INSERT *", NestedColumnsMismatchError)
    fails(f"MERGE INTO t {on} WHEN MATCHED THEN UPDATE SET x.c = 1", FieldNotFoundError, at="x.c")
    fails(f"MERGE INTO t {on} WHEN NOT MATCHED THEN INSERT (x.a) VALUES (1)", NestedInsertColumnError, at="x.a")
    change, operator = merged(lab, f"MERGE WITH SCHEMA EVOLUTION INTO t {on} WHEN MATCHED THEN UPDATE SET *")
    assert change.metadata.schema.fields[1].type == columns("x STRUCT<a: INT, b: INT, c: INT>").fields[0].type
    assert "'b', t.x.b" in operator.actions[0].values[1]


def test_structs_by_position(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id INT, x STRUCT<a: INT>)", "CREATE TABLE s (id INT, x STRUCT<z: INT>)")
    lab.run("SET spark.databricks.delta.resolveMergeUpdateStructsByName.enabled = false")
    ((_, x),) = values(lab, "WHEN NOT MATCHED THEN INSERT *")
    assert "named_struct('a', s.x.z)" in x


def test_store_assignment(tables: Lab, fails: Fails) -> None:
    merge = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.name"
    tables.run("SET spark.sql.storeAssignmentPolicy = legacy")
    assert merged(tables, merge)[1].actions[0].values[0] == "TRY_CAST(s.name AS INT)"
    tables.run("SET spark.sql.storeAssignmentPolicy = STRICT")
    fails(merge, StrictAssignmentError)
    error = fails("SET spark.sql.storeAssignmentPolicy = lax", InvalidSettingError)
    assert (error.value, error.expected) == ("lax", "ANSI or LEGACY or STRICT")


def test_char_columns_are_padded_and_checked(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id INT NOT NULL, c CHAR(3))", "CREATE TABLE s (id INT, c STRING)")
    _, operator = merged(lab, "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert "rpad" in operator.actions[0].values[1]
    assert [check.condition for check in operator.checks] == ["id IS NOT NULL", "c IS NULL OR length(c) <= 3"]


def test_targets_that_take_no_rows(tables: Lab, fails: Fails) -> None:
    tables.run(
        "CREATE VIEW v AS SELECT * FROM t",
        "CREATE TABLE log (id INT) TBLPROPERTIES ('delta.appendOnly' = 'true')",
    )
    fails("MERGE INTO v USING s ON v.id = s.id WHEN MATCHED THEN DELETE", WriteIntoViewError, at="v")
    fails("MERGE INTO t@v1 USING s ON t.id = s.id WHEN MATCHED THEN DELETE", TimeTravelViewError)
    fails("MERGE INTO log USING s ON log.id = s.id WHEN MATCHED THEN DELETE", AppendOnlyError)
    merged(tables, "MERGE INTO log USING s ON log.id = s.id WHEN NOT MATCHED THEN INSERT *")


def test_one_unconditional_delete_may_match_twice(tables: Lab) -> None:
    merge = "MERGE INTO t USING s ON t.id = s.id"
    assert not join_of(merged(tables, f"{merge} WHEN MATCHED THEN DELETE")[1]).unique_match
    assert join_of(merged(tables, f"{merge} WHEN MATCHED AND extra = 1 THEN DELETE")[1]).unique_match


def test_the_operation_is_told_as_it_was_written(tables: Lab) -> None:
    change, _ = merged(tables, "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND extra = 0 THEN DELETE")
    assert change.commit.parameters["predicate"] == '["t.id = s.id"]'
    assert change.commit.parameters["matchedPredicates"] == '[{"predicate": "extra = 0", "actionType": "delete"}]'
