"""Queries that Sail does not read, or cannot sort, said otherwise: ORDER BY values, GROUP BY ALL, branches."""

from __future__ import annotations

import pytest

from deltasql.base import tokenize
from deltasql.base.errors import NotOnSailError
from deltasql.engines.sail.dialect.inlining import SailScope, scope_at
from deltasql.engines.sail.dialect.order import (
    cast_branch,
    grouped_by_all,
    is_of_one_kind,
    may_sort_by_values,
    set_operations,
    sorted_by_columns,
)


@pytest.mark.parametrize(
    ("sql", "names", "turned"),
    [
        (
            "SELECT a FROM t GROUP BY a ORDER BY sum(b) DESC NULLS LAST, a LIMIT 3",
            ["a"],
            "SELECT c1 AS a FROM (SELECT a, sum(b) FROM t GROUP BY a) AS sorted(c1, s1)"
            " ORDER BY s1 DESC NULLS LAST, c1 LIMIT 3",
        ),
        (
            "WITH c AS (SELECT 1) SELECT *, -b AS n FROM c ORDER BY 1, n + 1",
            ["a", "b", "n"],
            "WITH c AS (SELECT 1) SELECT c1 AS a, c2 AS b, c3 AS n FROM (SELECT *, -b AS n, (-b) + 1 FROM c)"
            " AS sorted(c1, c2, c3, s1) ORDER BY c1, s1",
        ),
        (
            "SELECT a.x FROM a ORDER BY a.x * 2",
            ["x"],
            "SELECT c1 AS x FROM (SELECT a.x, a.x * 2 FROM a) AS sorted(c1, s1) ORDER BY s1",
        ),
    ],
)
def test_what_is_sorted_by_is_a_column(sql: str, names: list[str], turned: str) -> None:
    assert may_sort_by_values(sql)
    assert sorted_by_columns(sql, lambda text: names) == turned


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t ORDER BY a DESC",
        "SELECT a FROM t ORDER BY lower(a)",
        "SELECT a FROM t GROUP BY a ORDER BY a",
        "SELECT DISTINCT a FROM t ORDER BY a + 1",
        "SELECT a FROM t UNION SELECT 1 ORDER BY a + 1",
        "SELECT 1 ORDER BY 1 + 1",
    ],
)
def test_other_orders_stay(sql: str) -> None:
    assert sorted_by_columns(sql, lambda text: ["a"]) == sql


def test_group_by_all() -> None:
    assert grouped_by_all("SELECT a, sum(b), c % 2 AS n FROM t GROUP BY ALL ORDER BY 1") == (
        "SELECT a, sum(b), c % 2 AS n FROM t GROUP BY 1, 3 ORDER BY 1"
    )
    assert grouped_by_all("SELECT x FROM (SELECT DISTINCT max(a) AS x FROM t GROUP BY ALL)") == (
        "SELECT x FROM (SELECT DISTINCT max(a) AS x FROM t )"
    )
    assert (
        grouped_by_all("SELECT 1 UNION SELECT a FROM t GROUP  BY /**/ all")
        == "SELECT 1 UNION SELECT a FROM t GROUP BY 1"
    )
    with pytest.raises(NotOnSailError, match="GROUP BY ALL"):
        grouped_by_all("SELECT *, count(b) FROM t GROUP BY ALL")


def test_branches_with_casts() -> None:
    sql = "WITH c AS (SELECT 1) SELECT a, b FROM c UNION ALL (SELECT 2, 3)"
    ((first, second),) = set_operations(sql)
    assert sql[second.start : second.end] == "(SELECT 2, 3)"
    assert first.query == "WITH c AS (SELECT 1) SELECT a, b FROM c"
    assert cast_branch("(SELECT 2, 3)", ["2", "3"], ["", "BIGINT"]) == (
        "SELECT c1 AS `2`, CAST(c2 AS BIGINT) AS `3` FROM (SELECT 2, 3) AS branch(c1, c2)"
    )
    assert is_of_one_kind(sql, [first, second])
    mixed = "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3"
    (branches,) = set_operations(mixed)
    assert not is_of_one_kind(mixed, branches)


@pytest.mark.parametrize(
    ("sql", "scope"),
    [
        ("a * 2", SailScope()),
        ("SELECT 1 * 2", SailScope(is_query=True)),
        ("SELECT a * 2 FROM t x WHERE b", SailScope(relation="FROM t x", is_query=True)),
        ("SELECT 1 FROM u UNION SELECT a * 2 FROM t", SailScope(relation="FROM t", is_query=True)),
        ("SELECT (SELECT max(a * 2) FROM v) FROM t", SailScope(relation="FROM v", is_query=True)),
        ("SELECT (SELECT 1 FROM v) + a * 2 FROM t", SailScope(relation="FROM t", is_query=True)),
        (
            "WITH b AS (SELECT 1), c AS (SELECT a * 2 FROM b) SELECT 1 FROM c",
            SailScope("WITH b AS (SELECT 1) ", "FROM b", is_query=True),
        ),
        (
            "SELECT x AS a, y b, z FROM t GROUP BY 1 HAVING a * 2 > 1",
            SailScope("", "FROM t", frozenset({"A", "B"}), is_query=True),
        ),
    ],
)
def test_scopes(sql: str, scope: SailScope) -> None:
    tokens = tokenize(sql)
    at = next(index for index, token in enumerate(tokens) if token.key == "*") - 1
    assert scope_at(sql, tokens, at) == scope
