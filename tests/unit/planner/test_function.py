"""Functions of SQL: what is kept of them, which one a name means, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import (
    DropSparksFunctionError,
    ForeignFunctionError,
    FunctionAlreadyExistsError,
    FunctionModeError,
    FunctionNotFoundError,
    RecursiveFunctionError,
    SchemaNotFoundError,
    TemporaryFunctionNameError,
    TemporaryReferenceError,
    TooComplexError,
    UnknownFunctionError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.entries import FunctionDefinition
from deltasql.plan.operators import SqlFunction, SqlQuery
from deltasql.planner.catalog_changes import FunctionChange, FunctionDefining
from deltasql.planner.changes import Answer, QueryRows, SparkCommand
from deltasql.schema.types import INTEGER, StructField, StructType
from tests.unit.planner.lab import Lab, scans_of


def query(lab: Lab, sql: str) -> SqlQuery:
    rows = lab.plan(sql)
    assert isinstance(rows, QueryRows)
    assert isinstance(rows.operator, SqlQuery)
    return rows.operator


def told(lab: Lab, sql: str) -> list[str]:
    answer = lab.plan(sql)
    assert isinstance(answer, Answer)
    return [row[0] for row in answer.rows]


def test_all_that_the_text_means_is_kept(lab: Lab) -> None:
    lab.run("CREATE SCHEMA s", "USE s", "SET spark.sql.session.timeZone=Asia/Tokyo")
    lab.run("create FUNCTION default.`F` (x INT /* a */) RETURNS INT RETURN x + 1 -- end\n;")
    entry = lab.catalog.function(("default", "f"))
    assert entry is not None
    found = entry.definition
    assert found == FunctionDefinition.from_json(json.loads(json.dumps(found.to_json())))
    assert found.text == " (x INT /* a */) RETURNS INT RETURN x + 1"
    assert (found.namespace, found.settings) == (("spark_catalog", "s"), {"spark.sql.session.timeZone": "Asia/Tokyo"})


def test_a_call_is_of_the_function_under_its_full_name(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE SCHEMA s", "CREATE TABLE s.t (b INT)", "USE s")
    lab.run("CREATE FUNCTION g(x INT) RETURNS INT RETURN x + g.x", "USE default")
    lab.run("CREATE FUNCTION f() RETURNS INT RETURN (SELECT s.g(max(a)) FROM t)")
    found = query(lab, "SELECT F() AS a, abs(1), `default`.f(), spark_catalog.s.G(2) FROM t AS f(x)")
    assert "`spark_catalog.default.f`() AS a, abs(1), `spark_catalog.default.f`(), `spark_catalog.s.g`(2)" in found.sql
    functions = {name: item for name, item in found.relations.items() if isinstance(item, SqlFunction)}
    assert set(functions) == {"spark_catalog.default.f", "spark_catalog.s.g"}
    assert functions["spark_catalog.s.g"].text == "(x INT) RETURNS INT RETURN x + `spark_catalog.s.g`.x"
    inner = functions["spark_catalog.default.f"]
    assert [scan.schema.names for scan in scans_of(inner)] == [("a",)]
    assert "spark_catalog.s.g" in inner.relations


def test_sparks_own_come_first_then_those_of_the_session(lab: Lab) -> None:
    lab.run("CREATE FUNCTION abs(x INT) RETURNS INT RETURN 0", "CREATE FUNCTION f(x INT) RETURNS INT RETURN 0")
    assert list(query(lab, "SELECT abs(1), default.abs(1), f(1)").relations) == [
        "spark_catalog.default.abs",
        "spark_catalog.default.f",
    ]
    lab.analyst.function_names.add(("f",))
    assert not query(lab, "SELECT f(1)").relations
    lab.analyst.function_names.clear()
    lab.run("CREATE TABLE t (a INT)", "CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN (SELECT max(a) FROM t)")
    found = query(lab, "SELECT f(1), session.f(2), default.f(3)")
    assert list(found.relations) == ["f", "spark_catalog.default.f"]
    assert found.sql == "SELECT f(1), f(2), `spark_catalog.default.f`(3)"


def test_functions_of_no_table_are_sparks(lab: Lab) -> None:
    sql = "CREATE OR REPLACE TEMPORARY FUNCTION f(x INT) RETURNS STRING RETURN concat(x, current_schema())"
    assert lab.plan(sql) == SparkCommand(sql.replace("current_schema()", "'default'"), {}, "f")
    lab.run("CREATE TABLE t (a INT)", "CREATE TEMP VIEW v AS SELECT * FROM t")
    lab.run("CREATE TEMPORARY FUNCTION f() RETURNS INT RETURN (SELECT max(a) FROM v)")
    # The session has the name now.
    assert isinstance(lab.plan(sql), FunctionChange)
    assert lab.functions["f"].views == {"v"}
    assert lab.plan("DROP TEMPORARY FUNCTION session.F") == FunctionChange("f", None)


def test_a_type_that_is_left_out_is_asked_of_spark(lab: Lab) -> None:
    lab.analyst.rows["AS r"] = StructType((StructField("r", INTEGER),))
    lab.run("CREATE FUNCTION f(x ARRAY<STRUCT<a: INT, b: INT>>, y INT DEFAULT 1) RETURN y")
    entry = lab.catalog.function("f")
    assert entry is not None
    assert entry.definition.text == "(x ARRAY<STRUCT<a: INT, b: INT>>, y INT DEFAULT 1) RETURNS INT RETURN y"


@pytest.mark.parametrize(
    ("sql", "kind", "message"),
    [
        ("CREATE FUNCTION f() RETURNS INT RETURN 1", FunctionAlreadyExistsError, "OR REPLACE"),
        ("CREATE OR REPLACE FUNCTION IF NOT EXISTS f() RETURNS INT RETURN 1", FunctionModeError, "OR REPLACE"),
        ("CREATE FUNCTION nowhere.g() RETURNS INT RETURN 1", SchemaNotFoundError, "nowhere"),
        ("CREATE OR REPLACE FUNCTION f() RETURNS INT RETURN F()", RecursiveFunctionError, "default.f → .*default.f"),
        ("CREATE OR REPLACE FUNCTION f() RETURNS INT RETURN g(1)", RecursiveFunctionError, "f → .*g → .*f"),
        ("CREATE FUNCTION h() RETURNS INT RETURN tf()", TemporaryReferenceError, "the function tf"),
        ("CREATE FUNCTION h() RETURNS INT RETURN SELECT 1 FROM tv", TemporaryReferenceError, "the view tv"),
        ("CREATE FUNCTION h() RETURNS INT LANGUAGE JAVA AS $$1$$", ForeignFunctionError, "spark.udf.register"),
        ("CREATE FUNCTION h AS 'org.x.Y' USING JAR 'a.jar'", ForeignFunctionError, "a Java class"),
        ("CREATE TEMPORARY FUNCTION s.h() RETURNS INT RETURN 1", TemporaryFunctionNameError, "TEMPORARY FUNCTION h"),
        ("DROP FUNCTION abs", DropSparksFunctionError, "default.abs"),
        ("DROP FUNCTION fff", FunctionNotFoundError, "no function fff"),
        ("DROP FUNCTION tf", FunctionNotFoundError, "DROP TEMPORARY FUNCTION tf"),
        ("DROP TEMPORARY FUNCTION f", FunctionNotFoundError, "no function f"),
        ("DESCRIBE FUNCTION EXTENDED nope", UnknownFunctionError, "no function nope"),
        ("SHOW FUNCTIONS IN nope", SchemaNotFoundError, "nope"),
    ],
)
def test_what_is_refused(lab: Lab, sql: str, kind: type[DeltaSqlError], message: str) -> None:
    lab.run("CREATE FUNCTION f() RETURNS INT RETURN 1", "CREATE FUNCTION g(x INT) RETURNS INT RETURN f() + x")
    lab.run("CREATE TABLE t (a INT)", "CREATE TEMP VIEW tv AS SELECT * FROM t")
    lab.run("CREATE TEMPORARY FUNCTION tf() RETURNS INT RETURN (SELECT max(a) FROM t)")
    before = lab.catalog.functions()
    with pytest.raises(kind, match=message) as caught:
        lab.plan(sql)
    assert lab.catalog.functions() == before
    assert caught.value.caret is not None or sql.startswith("SHOW")


def test_what_is_told_of_a_function(lab: Lab) -> None:
    lab.run(
        "CREATE FUNCTION f(x INT COMMENT 'px', name struct<a: int> DEFAULT NULL) RETURNS decimal(3, 1) COMMENT 'fc'"
        " NOT DETERMINISTIC RETURN x"
    )
    lab.run("CREATE TABLE t (a INT)")
    lab.run("CREATE FUNCTION ft() RETURNS TABLE (a INT COMMENT 'ca', b STRING) RETURN SELECT a, 'x' FROM default.t")
    assert told(lab, "DESCRIBE FUNCTION f") == [
        "Function: spark_catalog.default.f",
        "Type:     SCALAR",
        "Input:    x    INT           ",
        "          name struct<a: int>",
        "Returns:  DECIMAL(3, 1)",
    ]
    lines = told(lab, "DESC FUNCTION EXTENDED default.FT")
    assert lines[2:6] == [
        "Input:         ()",
        "Returns:       a INT    'ca'",
        "               b STRING",
        "Deterministic: true",
    ]
    assert "Data Access:   READS SQL DATA" in lines
    assert lines[-1] == "Body:          SELECT a, 'x' FROM default.t"
    assert "Deterministic: false" in told(lab, "DESCRIBE FUNCTION EXTENDED f")
    assert isinstance(lab.plan("DESCRIBE FUNCTION abs"), SparkCommand)
    assert isinstance(lab.plan("DESCRIBE FUNCTION <=>"), SparkCommand)


def test_names_of_functions(lab: Lab) -> None:
    lab.run("CREATE SCHEMA s", "CREATE FUNCTION s.f() RETURNS INT RETURN 1", "CREATE FUNCTION g() RETURNS INT RETURN 1")
    lab.analyst.function_names.add(("abs",))
    assert told(lab, "SHOW FUNCTIONS") == ["abs", "spark_catalog.default.g"]
    assert told(lab, "SHOW USER FUNCTIONS IN S LIKE 'f|zz'") == ["spark_catalog.s.f"]
    assert told(lab, "SHOW SYSTEM FUNCTIONS") == ["abs"]


def test_who_comes_second_is_judged_by_what_is_there_then(lab: Lab) -> None:
    from deltasql.log.storage.stores import Stores
    from deltasql.session.execution.run import change_catalog

    first = lab.plan("CREATE FUNCTION f() RETURNS INT RETURN 1")
    lenient = lab.plan("CREATE FUNCTION IF NOT EXISTS f() RETURNS INT RETURN 2")
    lab.run("CREATE FUNCTION f() RETURNS INT RETURN 3")
    dropped = lab.plan("DROP FUNCTION f")
    lab.run("DROP FUNCTION f")
    assert isinstance(first, FunctionDefining)
    assert isinstance(lenient, FunctionDefining)
    with pytest.raises(FunctionNotFoundError):
        change_catalog(dropped, lab.catalog, Stores())  # type: ignore[arg-type]
    change_catalog(first, lab.catalog, Stores())
    with pytest.raises(FunctionAlreadyExistsError):
        change_catalog(first, lab.catalog, Stores())
    change_catalog(lenient, lab.catalog, Stores())
    entry = lab.catalog.function("f")
    assert entry is not None
    assert entry.definition.text == "() RETURNS INT RETURN 1"


@pytest.mark.parametrize("signs", [5_000, 100_000])
def test_code_that_is_nested_too_deeply(tmp_path: Path, signs: int) -> None:
    """Python's parser runs out of its stack, for which it has two errors."""
    with deltasql.connect(str(tmp_path)) as session, pytest.raises(TooComplexError):
        session.sql(f"CREATE FUNCTION f() RETURNS INT LANGUAGE PYTHON AS $$return {'-' * signs}1$$")
