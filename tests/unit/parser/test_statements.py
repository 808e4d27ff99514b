"""Statements that show, ask, set or arrange, each into its node."""

from __future__ import annotations

import pytest

from deltasql.plan.base import LogicalPlan, SqlText, TableName
from deltasql.sql.parser import parse
from deltasql.statements.delete import Delete
from deltasql.statements.inspect import (
    DescribeDetail,
    DescribeHistory,
    DescribeSchema,
    DescribeTable,
    Explain,
    ShowColumns,
    ShowCreateTable,
    ShowPartitions,
    ShowSchemas,
    ShowTableProperties,
    ShowTables,
)
from deltasql.statements.optimize import Optimize, Reorg, UpgradeUniform
from deltasql.statements.query import Query, SparkStatement
from deltasql.statements.settings import ResetSetting, SetSetting
from deltasql.statements.table import (
    AlterClustering,
    ClusterBy,
    DropTable,
)
from tests.unit.parser.nodes import path, table


class TestInspect:
    def test_describe(self) -> None:
        assert parse("DESC t") == DescribeTable(False, TableName(("t",), 5, 6), (), None, False)
        sql = "DESCRIBE TABLE EXTENDED t a.b"
        assert parse(sql) == DescribeTable(True, TableName(("t",), 24, 25), (), path(sql, "a.b"), False)
        assert parse("DESCRIBE FORMATTED t") == DescribeTable(True, TableName(("t",), 19, 20), (), None, False)
        assert parse("DESCRIBE DETAIL '/p/q'") == DescribeDetail(TableName(("delta", "/p/q"), 16, 22))
        assert parse("DESC HISTORY t LIMIT 5") == DescribeHistory(TableName(("t",), 13, 14), 5)
        assert parse("DESC HISTORY t") == DescribeHistory(TableName(("t",), 13, 14), None)
        assert parse("DESCRIBE SCHEMA EXTENDED s") == DescribeSchema(True, TableName(("s",), 25, 26))
        assert parse("DESCRIBE DATABASE s") == DescribeSchema(False, TableName(("s",), 18, 19))

    @pytest.mark.parametrize("name", ["history", "detail", "extended", "table", "schema"])
    def test_describe_a_table_named_like_a_keyword(self, name: str) -> None:
        node = parse(f"DESCRIBE {name}")
        assert isinstance(node, DescribeTable)
        assert node.table.parts == (name,)

    def test_show(self) -> None:
        assert parse("SHOW TABLES") == ShowTables(None, None)
        assert parse("SHOW TABLES IN s LIKE 'a*'") == ShowTables(TableName(("s",), 15, 16), "a*")
        assert parse("SHOW TABLES FROM s 'a*'") == ShowTables(TableName(("s",), 17, 18), "a*")
        assert parse("SHOW DATABASES LIKE 'x'") == ShowSchemas(None, "x")
        assert parse("SHOW SCHEMAS") == ShowSchemas(None, None)
        assert parse("SHOW COLUMNS IN t") == ShowColumns(TableName(("t",), 16, 17))
        assert parse("SHOW COLUMNS FROM a.t IN b") == ShowColumns(TableName(("b", "t"), 18, 26))
        assert parse("SHOW TBLPROPERTIES t") == ShowTableProperties(TableName(("t",), 19, 20), None)
        assert parse("SHOW TBLPROPERTIES t (a.b)") == ShowTableProperties(TableName(("t",), 19, 20), "a.b")
        assert parse("SHOW TBLPROPERTIES t ('a.b')") == ShowTableProperties(TableName(("t",), 19, 20), "a.b")
        assert parse("SHOW CREATE TABLE t") == ShowCreateTable(TableName(("t",), 18, 19))
        assert parse("SHOW PARTITIONS t") == ShowPartitions(TableName(("t",), 16, 17), ())

    def test_explain(self) -> None:
        assert parse("EXPLAIN DELETE FROM t") == Explain(None, Delete(None, TableName(("t",), 20, 21), None, None), 8)
        assert parse("explain cost select 1") == Explain("COST", Query(SqlText("select 1", 13)), 13)
        nested = parse("EXPLAIN EXPLAIN  DROP TABLE t")
        assert nested == Explain(None, Explain(None, DropTable(False, TableName(("t",), 28, 29)), 17), 8)


class TestOthers:
    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT 1",
            "select a, b from t where x = ';'",
            "VALUES (1), (2)",
            "TABLE t",
            "FROM t SELECT a",
            "(SELECT 1) UNION (SELECT 2)",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "WITH RECURSIVE a(n) AS (SELECT 1), b AS (SELECT 2) TABLE b",
            "WITH delete AS (SELECT 1) SELECT * FROM delete",
            "SELECT /*+ BROADCAST(t) */ arr[1], r'\\', 'it''s', \"a\\\"b\", `x``y` FROM t@v1",
        ],
    )
    def test_queries(self, sql: str) -> None:
        assert parse(f"  {sql} -- done\n;") == Query(SqlText(sql, 2))

    @pytest.mark.parametrize(
        "sql",
        [
            "CREATE TEMP VIEW v (a INT) USING csv OPTIONS (path 'x')",
            "CLEAR CACHE",
            "REFRESH FUNCTION f",
            "REFRESH '/path'",
            "DESCRIBE FUNCTION EXTENDED =",
            "DESCRIBE QUERY SELECT 1",
            "DESC SELECT 1",
            "SET VAR x = 1",
            "INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT 1",
            "ADD JAR /x/y.jar",
            "DECLARE VARIABLE x INT DEFAULT 1",
        ],
    )
    def test_statements_of_spark(self, sql: str) -> None:
        assert parse(sql) == SparkStatement(SqlText(sql, 0))
        explained = parse(f"EXPLAIN {sql};")
        assert explained == Explain(None, SparkStatement(SqlText(sql, 8)), 8)

    @pytest.mark.parametrize(
        ("sql", "node"),
        [
            ("SET", SetSetting(None, None)),
            ("SET spark.sql.x", SetSetting("spark.sql.x", None)),
            ("SET spark.sql.x = a b -- c ", SetSetting("spark.sql.x", "a b -- c")),
            ("SET `a b`='x;y' ;", SetSetting("a b", "'x;y'")),
            ("SET a.b=1", SetSetting("a.b", "1")),
            ("SET time = 1", SetSetting("time", "1")),
            ("RESET", ResetSetting(None)),
            ("RESET spark.sql.x;", ResetSetting("spark.sql.x")),
        ],
    )
    def test_settings(self, sql: str, node: LogicalPlan) -> None:
        assert parse(sql) == node


class TestLayout:
    def test_optimize(self) -> None:
        assert parse("OPTIMIZE t") == Optimize(TableName(("t",), 9, 10), False, None, None)
        sql = "optimize '/data/t' FULL where p = 'a' and q in (1) zorder by (a, s.b)"
        assert parse(sql) == Optimize(
            TableName(("delta", "/data/t"), 9, 18),
            True,
            SqlText("p = 'a' and q in (1)", sql.index("p =")),
            (path(sql, "a", sql.index("(a")), path(sql, "s.b")),
        )
        bare = "OPTIMIZE full ZORDER BY x, `y z`"
        node = parse(bare)
        assert isinstance(node, Optimize)
        assert (node.table.parts, node.full) == (("full",), False)
        assert [column.parts for column in node.zorder_by or ()] == [("x",), ("y z",)]

    def test_reorg(self) -> None:
        sql = "REORG TABLE s.t WHERE p > 1 APPLY (PURGE)"
        assert parse(sql) == Reorg(table(sql, "s.t"), SqlText("p > 1", sql.index("p >")))
        assert parse("REORG TABLE t APPLY (PURGE)") == Reorg(TableName(("t",), 12, 13), None)
        sql = "REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))"
        assert parse(sql) == UpgradeUniform(TableName(("t",), 12, 13), 2)

    def test_alter_clustering(self) -> None:
        sql = "ALTER TABLE t CLUSTER BY (a, s.b)"
        columns = (path(sql, "a", sql.index("(")), path(sql, "s.b"))
        assert parse(sql) == AlterClustering(TableName(("t",), 12, 13), ClusterBy(columns))
        assert parse("ALTER TABLE t CLUSTER BY NONE") == AlterClustering(TableName(("t",), 12, 13), ClusterBy(()))
        assert parse("ALTER TABLE t CLUSTER BY AUTO").cluster_by.auto  # type: ignore[attr-defined]
