"""Statements that change rows, each into its node."""

from __future__ import annotations

import pytest

from deltasql.plan.base import ColumnPath, SqlText, TableName, Temporal
from deltasql.sql.parser import parse
from deltasql.statements.delete import Delete
from deltasql.statements.insert import Insert, MultiInsert, PartitionValue, ReplaceOn, ReplaceUsing, ReplaceWhere
from deltasql.statements.merge import (
    ClauseKind,
    DeleteAction,
    InsertAction,
    InsertStarAction,
    UpdateAction,
    UpdateStarAction,
)
from deltasql.statements.query import Query
from deltasql.statements.update import Assignment, Update
from tests.unit.parser.nodes import merge, path, run, table


class TestChanges:
    def test_insert(self) -> None:
        sql = "INSERT INTO t VALUES (1, 'a;b'), (2, \"c)\")"
        expected = Insert(None, False, False, table(sql, "t"), None, (), None, False, None, SqlText(sql[14:], 14))
        assert parse(sql) == expected
        assert parse(sql + " ; ") == expected

    def test_insert_with_everything(self) -> None:
        sql = (
            "WITH c AS (SELECT 1 AS delete) INSERT WITH SCHEMA EVOLUTION OVERWRITE TABLE t "
            "PARTITION (p = 'x' || 'y', q) (a, b) "
            "REPLACE WHERE a IN (SELECT 1) AND b IS NOT DISTINCT FROM 2 FROM c SELECT *"
        )
        assert parse(sql) == Insert(
            SqlText("WITH c AS (SELECT 1 AS delete)", 0),
            True,
            True,
            TableName(("t",), 76, 77),
            None,
            (PartitionValue(path(sql, "p", 80), run(sql, "'x' || 'y'")), PartitionValue(path(sql, "q"), None)),
            (path(sql, "a", sql.index("(a,")), path(sql, "b", sql.index("(a,"))),
            False,
            ReplaceWhere(run(sql, "a IN (SELECT 1) AND b IS NOT DISTINCT FROM 2")),
            run(sql, "FROM c SELECT *"),
        )

    def test_insert_by_name(self) -> None:
        node = parse("INSERT INTO t BY NAME SELECT 1 AS a")
        assert isinstance(node, Insert)
        assert (node.by_name, node.columns) == (True, None)

    def test_insert_replace_using(self) -> None:
        sql = "INSERT INTO t BY NAME REPLACE USING (a, `b c`) TABLE s"
        node = parse(sql)
        assert isinstance(node, Insert)
        assert node.replaces == ReplaceUsing((path(sql, "a"), ColumnPath(("b c",), 40, 45)))
        assert (node.by_name, node.alias, node.query.text) == (True, None, "TABLE s")

    @pytest.mark.parametrize(
        ("written", "alias"),
        [
            ("", None),
            ("AS x", "x"),
            ("x", "x"),
            ("as /* c */ `x y`", "x y"),
        ],
    )
    @pytest.mark.parametrize(
        ("query", "text", "source"),
        [
            ("(SELECT 1) AS s", "(SELECT 1)", "s"),
            ("(SELECT 1) s", "(SELECT 1)", "s"),
            ("(SELECT 1)", "(SELECT 1)", None),
            ("(SELECT 1) UNION (SELECT 2)", "(SELECT 1) UNION (SELECT 2)", None),
            ("SELECT * FROM s", "SELECT * FROM s", None),
            ("WITH s AS (SELECT 1) TABLE s", "WITH s AS (SELECT 1) TABLE s", None),
        ],
    )
    def test_insert_replace_on(
        self, written: str, alias: str | None, query: str, text: str, source: str | None
    ) -> None:
        node = parse(f"INSERT INTO t {written} REPLACE ON a = b AND c IN (1) {query}")
        assert isinstance(node, Insert)
        assert isinstance(node.replaces, ReplaceOn)
        assert (node.alias and node.alias.parts[0]) == alias
        assert (node.replaces.condition.text, node.replaces.source_alias) == ("a = b AND c IN (1)", source)
        assert node.query.text == text

    def test_several_inserts(self) -> None:
        sql = (
            "WITH c AS (SELECT 1) FROM c, (SELECT 'insert into') d "
            "INSERT INTO t SELECT 1 insert overwrite u (a) SELECT 2 ;"
        )
        node = parse(sql)
        assert isinstance(node, MultiInsert)
        assert [item.ctes for item in node.inserts] == [SqlText(sql[: sql.index(" INSERT INTO t")], 0)] * 2
        assert [item.query for item in node.inserts] == [
            SqlText("SELECT 1", sql.index("SELECT 1 insert")),
            run(sql, "SELECT 2"),
        ]
        assert [sql[item.table.start : item.table.end] for item in node.inserts] == ["t", "u"]
        assert isinstance(parse("FROM s INSERT INTO t SELECT 1"), Insert)
        assert isinstance(parse("FROM s SELECT insert"), Query)

    @pytest.mark.parametrize(
        "query", ["TABLE s", "FROM s SELECT a", "(SELECT 1)", "((VALUES (1)))", "WITH a AS (SELECT 1) SELECT 1"]
    )
    def test_insert_queries(self, query: str) -> None:
        node = parse(f"INSERT INTO t {query}")
        assert isinstance(node, Insert)
        assert node.columns is None
        assert node.query == SqlText(query, 14)

    def test_update(self) -> None:
        sql = "UPDATE s.t AS u SET a = CASE WHEN b THEN 1 ELSE (2) END, u.c.d = DEFAULT, e = x -> x + 1 WHERE f = ':;'"
        assert parse(sql) == Update(
            None,
            table(sql, "s.t"),
            "u",
            (
                Assignment(path(sql, "a", 19), run(sql, "CASE WHEN b THEN 1 ELSE (2) END")),
                Assignment(path(sql, "u.c.d"), None),
                Assignment(path(sql, "e", sql.index(", e")), run(sql, "x -> x + 1")),
            ),
            run(sql, "f = ':;'"),
        )

    def test_delete(self) -> None:
        assert parse("DELETE FROM t") == Delete(None, TableName(("t",), 12, 13), None, None)
        sql = "WITH a AS (SELECT 1), b(x) AS (SELECT 2) DELETE FROM t d WHERE d.x IN (SELECT * FROM a)"
        ctes = SqlText("WITH a AS (SELECT 1), b(x) AS (SELECT 2)", 0)
        assert parse(sql) == Delete(ctes, TableName(("t",), 53, 54), "d", run(sql, "d.x IN (SELECT * FROM a)"))


class TestMerge:
    def test_every_clause(self) -> None:
        sql = """MERGE WITH SCHEMA EVOLUTION INTO target AS t USING (SELECT * FROM x) s ON t.key = s.key
            WHEN NOT MATCHED BY SOURCE AND t.a THEN UPDATE SET t.b = 1, c = DEFAULT
            WHEN MATCHED AND CASE WHEN t.x THEN true END THEN DELETE
            WHEN NOT MATCHED BY TARGET THEN INSERT * EXCEPT (a, b.c)
            WHEN MATCHED THEN UPDATE SET * EXCEPT (z)
            WHEN NOT MATCHED AND s.k > 1 THEN INSERT (key, a.b) VALUES (s.key + 1, DEFAULT)
            WHEN MATCHED THEN UPDATE SET *
            WHEN NOT MATCHED THEN INSERT *
            WHEN NOT MATCHED BY SOURCE THEN DELETE"""
        node = merge(sql)
        assert (node.schema_evolution, node.alias, node.source_alias) == (True, "t", "s")
        assert (node.source.text, node.source_table) == ("(SELECT * FROM x)", None)
        assert node.condition == run(sql, "t.key = s.key")
        gone, changed, new = ClauseKind.NOT_MATCHED_BY_SOURCE, ClauseKind.MATCHED, ClauseKind.NOT_MATCHED
        assert [clause.kind for clause in node.clauses] == [gone, changed, new, changed, new, changed, new, gone]
        assert [clause.condition.text if clause.condition else None for clause in node.clauses] == [
            *("t.a", "CASE WHEN t.x THEN true END", None, None),
            *("s.k > 1", None, None, None),
        ]
        at = sql.index("(key")
        assert [clause.action for clause in node.clauses] == [
            UpdateAction(
                (
                    Assignment(path(sql, "t.b"), SqlText("1", sql.index("1, c"))),
                    Assignment(path(sql, "c", sql.index(", c =")), None),
                )
            ),
            DeleteAction(),
            InsertStarAction((path(sql, "a", sql.index("(a,")), path(sql, "b.c"))),
            UpdateStarAction((path(sql, "z"),)),
            InsertAction((path(sql, "key", at), path(sql, "a.b", at)), (run(sql, "s.key + 1"), None)),
            UpdateStarAction(()),
            InsertStarAction(()),
            DeleteAction(),
        ]
        assert [sql[clause.start : clause.end] for clause in node.clauses] == [
            line.strip() for line in sql.splitlines()[1:]
        ]

    @pytest.mark.parametrize(
        "source", ["s VERSION AS OF 3", "s FOR VERSION AS OF '3'", "s@v3", "s SYSTEM_VERSION AS OF 3"]
    )
    @pytest.mark.parametrize("alias", ["", " AS x", " x"])
    def test_source_of_a_version(self, source: str, alias: str) -> None:
        node = merge(f"MERGE INTO t USING {source}{alias} ON true WHEN MATCHED THEN DELETE")
        assert node.source.text == source
        assert node.source_table is not None
        assert (node.source_table.parts, node.source_table.temporal) == (("s",), Temporal(version=3))
        assert node.source_alias == ("x" if alias else None)

    @pytest.mark.parametrize("alias", ["", " AS x", " x"])
    @pytest.mark.parametrize(
        "time", ["'2024-01-01'", "current_timestamp() - INTERVAL 1 HOUR", "DATE '2024-01-01'", "now()", ":at"]
    )
    def test_source_of_a_time(self, time: str, alias: str) -> None:
        node = merge(f"MERGE INTO t USING s TIMESTAMP AS OF {time}{alias} ON true WHEN MATCHED THEN DELETE")
        assert node.source_table is not None
        assert node.source_table.temporal == Temporal(timestamp=SqlText(time, 37))
        assert node.source_alias == ("x" if alias else None)
