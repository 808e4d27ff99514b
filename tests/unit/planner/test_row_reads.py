"""Which statements have their rows told apart, and what is said of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from deltasql.base.errors import ConcurrentAppendError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.plan.hidden_names import ROW_FILE, ROW_INDEX
from deltasql.plan.operators import Operator, Rewrite, RowReads, Scan, SqlQuery
from deltasql.planner.changes import RowChange
from deltasql.planner.row_changes import WHOLE_TABLE, must_materialize_source, partition_test
from deltasql.schema.types import StructType
from tests.unit.planner.lab import FakeAnalyst, Lab, columns

VECTORS = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
COLUMNS = "id INT, v INT, s STRUCT<f: INT>, a ARRAY<INT>, m MAP<STRING, INT>, d DATE"


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run(f"CREATE TABLE t ({COLUMNS}) {VECTORS}", "CREATE TABLE o (k INT)")
    lab.append("t")
    lab.append("o")
    return lab


def rows_of(lab: Lab, sql: str) -> RowReads:
    change = lab.plan(sql)
    assert isinstance(change, RowChange)
    return change.rows


def advice(lab: Lab, sql: str) -> str:
    """What is said of a statement whose rows are not told apart."""
    rows = rows_of(lab, sql)
    assert rows.probe is None
    assert rows.advice
    return rows.advice


MERGE = "MERGE INTO t USING (SELECT 1 AS k) AS s ON t.id = s.k"


@pytest.fixture
def sources(table: Lab) -> Lab:
    table.analyst.rows = {"SELECT 1 AS k": columns("k INT"), "SELECT k FROM": columns("k INT")}
    return table


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET v = 1 WHERE id = 5",
        # What is written may look at anything in its row: it is no condition.
        "UPDATE t SET v = s.f + size(a) WHERE id = 5",
        "UPDATE t SET v = rand() WHERE id = 5",
        "DELETE FROM t AS x WHERE x.id > 5 AND x.d < DATE'2024-01-01'",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET v = s.k",
        f"{MERGE} WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND k < year(now()) THEN INSERT (id) VALUES (k)",
        f"{MERGE} WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN DELETE",
        "DELETE FROM t WHERE id IN (SELECT k FROM o)",
    ],
)
def test_rows_are_told_apart(sources: Lab, sql: str) -> None:
    rows = rows_of(sources, sql)
    assert isinstance(rows.probe, Rewrite)
    assert rows.advice == ""


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("DELETE FROM t WHERE s.f = 1", "condition on s"),
        ("DELETE FROM t WHERE t.S.F = 1", "condition on s"),
        ("DELETE FROM t AS x WHERE x.s IS NULL", "condition on s"),
        ("UPDATE t SET v = 1 WHERE a[0] = 1", "condition on a"),
        ("UPDATE t SET v = 1 WHERE array_contains(a, 1)", "condition on a"),
        ("DELETE FROM t WHERE m['k'] = 1", "condition on m"),
        (f"{MERGE} AND t.s.f = 1 WHEN MATCHED THEN DELETE", "condition on s"),
        (f"{MERGE} WHEN MATCHED AND size(t.a) > 1 THEN DELETE", "condition on a"),
        ("UPDATE t SET v = 1 WHERE d = current_date()", "whose value may change"),
        ("UPDATE t SET v = 1 WHERE d = current_date", "whose value may change"),
        ("UPDATE t SET v = 1 WHERE d < now()", "whose value may change"),
        ("DELETE FROM t WHERE id IN (SELECT id FROM t WHERE v = 1)", "reads main.t a second time"),
        ("DELETE FROM t WHERE id IN (SELECT k FROM o WHERE k < unix_timestamp())", "whose value may change"),
    ],
)
def test_conditions_that_do_not_tell(sources: Lab, sql: str, text: str) -> None:
    sources.analyst.rows |= {"SELECT id FROM": columns("id INT")}
    assert text.replace("main.", "") in advice(sources, sql).replace("spark_catalog.", "").replace("main.", "")


def test_an_older_version_of_itself_does_not_change(sources: Lab) -> None:
    sources.append("t")
    sources.analyst.rows |= {"SELECT id FROM": columns("id INT")}
    sql = "DELETE FROM t WHERE id IN (SELECT id FROM t VERSION AS OF 1)"
    assert isinstance(rows_of(sources, sql).probe, Rewrite)


@pytest.mark.parametrize(
    ("table_sql", "text"),
    [
        ("(id INT, v INT)", "SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"),
        (f"(id INT, v INT) PARTITIONED BY (v) {VECTORS}", "CLUSTER BY"),
        (f"(id INT, v BIGINT GENERATED ALWAYS AS IDENTITY) {VECTORS}", "identity columns"),
    ],
)
def test_tables_that_do_not_tell(lab: Lab, table_sql: str, text: str) -> None:
    lab.run(f"CREATE TABLE u {table_sql}")
    lab.append("u", {"v": "1"} if "PARTITIONED" in table_sql else {})
    assert text in advice(lab, "DELETE FROM u WHERE id = 1")


def test_clustered_tables_tell(lab: Lab) -> None:
    lab.run(f"CREATE TABLE u (id INT) CLUSTER BY (id) {VECTORS}")
    lab.append("u")
    assert isinstance(rows_of(lab, "DELETE FROM u WHERE id = 1").probe, Rewrite)


def test_settings_turn_it_off(sources: Lab) -> None:
    sources.run("SET deltasql.rowLevelConcurrency.subqueries = false")
    assert "deltasql.rowLevelConcurrency.subqueries = true" in advice(
        sources, "DELETE FROM t WHERE id IN (SELECT k FROM o)"
    )
    assert isinstance(rows_of(sources, "DELETE FROM t WHERE id = 1").probe, Rewrite)
    sources.run("SET deltasql.rowLevelConcurrency.enabled = false")
    assert "deltasql.rowLevelConcurrency.enabled = true" in advice(sources, "DELETE FROM t WHERE id = 1")


class Strict(FakeAnalyst):
    """Knows that some columns are none of a sub-query's own tables."""

    def schema(self, operator: Operator) -> StructType:
        assert isinstance(operator, SqlQuery)
        if "t.id" in operator.sql:
            raise DeltaSqlError
        return super().schema(operator)


def test_a_sub_query_that_depends_on_the_row(sources: Lab) -> None:
    sources.analyst = Strict(sources.analyst.rows)
    sql = "DELETE FROM t WHERE EXISTS (SELECT k FROM o WHERE o.k = t.id)"
    assert "depends on the row" in advice(sources, sql)


def test_the_reason_is_told_with_the_conflict() -> None:
    error = ConcurrentAppendError("t", 3, "UPDATE", "Conflicts are found by file.")
    assert error.message.endswith("Run the statement again. Conflicts are found by file.")


@pytest.mark.parametrize(
    ("query", "probe"),
    [
        ("SELECT id + 1000 AS id, v FROM t WHERE id = 5", "FROM t WHERE id = 5"),
        ("select id, v from t", "from t"),
        (
            "SELECT q.id, q.v FROM t AS q WHERE q.id = 5 AND q.v IN (1, 2)",
            "FROM t AS q WHERE q.id = 5 AND q.v IN (1, 2)",
        ),
        ("SELECT CASE WHEN id > 1 THEN v END, trim(BOTH 'x' FROM 'y') FROM t WHERE id = 5", "FROM t WHERE id = 5"),
        ("SELECT extract(YEAR FROM d), 1 FROM t WHERE v = 1 -- end", "FROM t WHERE v = 1"),
        ("SELECT /*+ COALESCE(1) */ id, v FROM t WHERE id = 5", "FROM t WHERE id = 5"),
    ],
)
def test_what_an_insert_reads_of_its_own_table(table: Lab, query: str, probe: str) -> None:
    table.analyst.rows = {"": columns("id INT, v INT")}
    found = rows_of(table, f"INSERT INTO t (id, v) {query}").probe
    assert isinstance(found, SqlQuery)
    assert found.sql.startswith(f"SELECT {ROW_FILE}, {ROW_INDEX} ")
    # Names of tables are bound to relations on the way.
    (name,) = found.relations
    assert _normal(found.sql.split(ROW_INDEX)[1].strip().replace(name, "t")) == _normal(probe)
    (scan,) = found.relations.values()
    assert isinstance(scan, Scan)
    assert scan.identity


def _normal(sql: str) -> str:
    return sql.replace("`", "").replace(" AS t", "")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT max(id), 1 FROM t",
        "SELECT v, count(*) FROM t GROUP BY v",
        "SELECT DISTINCT id, v FROM t WHERE id = 5",
        "SELECT id, v FROM t WHERE id = 5 LIMIT 1",
        "SELECT id, v FROM t ORDER BY id LIMIT 1",
        "SELECT id, row_number() OVER (ORDER BY v) FROM t",
        "SELECT t.id, o.k FROM t JOIN o ON t.id = o.k",
        "SELECT t.id, o.k FROM t, o",
        "SELECT id, v FROM t UNION ALL SELECT id, v FROM t",
        "SELECT id, explode(a) FROM t",
        "SELECT id, x FROM t LATERAL VIEW explode(a) e AS x",
        "SELECT id, v FROM (SELECT * FROM t WHERE id = 5)",
        "WITH q AS (SELECT * FROM t) SELECT id, v FROM q",
        "SELECT id, v FROM t WHERE id = (SELECT max(id) FROM t)",
        "SELECT id, (SELECT max(k) FROM o) FROM t",
        "SELECT id, v FROM t TABLESAMPLE (5 ROWS)",
        "FROM t SELECT id, v WHERE id = 5",
        "SELECT id, v FROM (SELECT id, v FROM t) AS q",
        "SELECT id, v FROM t PIVOT (sum(v) FOR id IN (1, 2))",
        "(SELECT id, v FROM t)",
        "TABLE t",
    ],
)
def test_other_queries_of_its_own_table_do_not_tell(table: Lab, query: str) -> None:
    table.analyst.rows = {"": columns("id INT, v INT")}
    assert "a second time" in advice(table, f"INSERT INTO t (id, v) {query}")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT id, v FROM t WHERE s.f = 1", "condition on s"),
        ("SELECT id, v FROM t WHERE d = current_date()", ""),
        ("SELECT id, rand() FROM t WHERE id = 5", ""),
    ],
)
def test_what_an_insert_may_not_look_at(table: Lab, query: str, text: str) -> None:
    table.analyst.rows = {"": columns("id INT, v INT")}
    assert text in advice(table, f"INSERT INTO t (id, v) {query}")


def test_an_insert_that_reads_nothing_of_its_table_has_no_rows(table: Lab) -> None:
    table.analyst.rows = {"": columns("id INT, v INT")}
    assert rows_of(table, "INSERT INTO t (id, v) SELECT k, 1 FROM o") == RowReads(None)


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("(SELECT k FROM o)", False),
        ("o", False),
        ("(SELECT k FROM o WHERE k < rand())", True),
        ("(SELECT k FROM o WHERE now() > '2024-01-01')", True),
        ("(SELECT k FROM range(3) AS r(k))", False),
    ],
)
def test_a_source_that_may_be_another_is_kept(table: Lab, source: str, kept: bool) -> None:
    table.analyst.rows = {"SELECT k FROM": columns("k INT")}
    change = table.plan(f"MERGE INTO t USING {source} AS s ON t.id = s.k WHEN MATCHED THEN DELETE")
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    assert must_materialize_source(change.operator) is kept
    assert change.operator.join is not None
    assert change.operator.join.is_materialized is kept


PARTITIONED = "CREATE TABLE t (id INT, p INT, q STRING, d DATE) PARTITIONED BY (p, q, d)"
P1: Mapping[str, str | None] = {"p": "1", "q": "a", "d": "2024-01-31"}
NULLS: Mapping[str, str | None] = {"p": None, "q": None, "d": None}


@pytest.mark.parametrize(
    ("predicate", "met"),
    [
        ("p = 1", [True, False]),
        ("p = 2", [False, False]),
        ("p IS NULL", [False, True]),
        ("p IS NOT NULL", [True, False]),
        ("p <=> NULL", [False, True]),
        ("p <> 1", [False, False]),
        ("p IN (1, 2)", [True, False]),
        ("NOT (p = 1)", [False, False]),
        ("p = 1 AND id = 5", [True, False]),
        ("p = 2 AND id = 5", [False, False]),
        ("p = 2 OR id = 5", [True, True]),
        ("(p = 2 OR id = 5) AND q = 'b'", [False, False]),
        ("p = 1 AND rand() < 0.5", [True, False]),
        ("p = 2 OR rand() < 0.5", [True, True]),
        # Values of another type are compared as the column's.
        ("p = '1'", [True, False]),
        ("p < 1.5", [True, False]),
        ("p = 1L", [True, False]),
        ("q = 'a' AND d = '2024-01-31'", [True, False]),
        ("d >= DATE'2024-02-01'", [False, False]),
        ("year(d) = 2024", [True, False]),
        ("upper(q) = 'A'", [True, False]),
        ("x.p = 2", [False, False]),
        ("P = 2", [False, False]),
        ("id = 5", [True, True]),
        ("TRUE", [True, True]),
        ("FALSE", [False, False]),
    ],
)
def test_partitions_that_a_condition_can_meet(lab: Lab, predicate: str, met: Sequence[bool]) -> None:
    lab.run(PARTITIONED)
    test = partition_test(lab.snapshot("t"), predicate, "x", "UTC")
    assert test is not None
    found = [test(P1), test(NULLS)]
    if predicate in {"upper(q) = 'A'", "year(d) = 2024", "FALSE"}:
        # What cannot be told may be met.
        assert all(got or not wanted for got, wanted in zip(found, met, strict=True))
        return
    assert found == list(met)


def test_partitions_are_known_by_physical_names(lab: Lab) -> None:
    lab.run(f"{PARTITIONED} TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    snapshot = lab.snapshot("t")
    field = snapshot.schema.find("p")
    assert field is not None
    physical = str(field.metadata["delta.columnMapping.physicalName"])
    test = partition_test(snapshot, "p = 1", None, "UTC")
    assert test is not None
    assert (test({physical: "1"}), test({physical: "2"}), test({physical: None})) == (True, False, False)


def test_a_table_without_partitions_has_no_test(table: Lab) -> None:
    assert partition_test(table.snapshot("t"), "id = 1", None, "UTC") is None


def test_a_statement_that_reads_its_table_twice_has_read_it_whole(sources: Lab) -> None:
    sources.analyst.rows |= {"SELECT id FROM": columns("id INT")}
    change = sources.plan("DELETE FROM t WHERE id IN (SELECT id FROM t WHERE v = 1)")
    assert isinstance(change, RowChange)
    assert change.commit.reads == WHOLE_TABLE
