"""Which queries can be computed again in parts, and by which columns."""

from __future__ import annotations

import pytest

from deltasql.schema.types import DOUBLE, INTEGER, LONG, STRING, DataType, StructField, StructType
from deltasql.sql.queries.incremental import Incremental, NotIncrementalError, incremental


def _table(**columns: DataType) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in columns.items()))


T = {"t": _table(k=INTEGER, v=STRING, x=DOUBLE)}
JOINED = {"a": _table(k=INTEGER, v=STRING), "b": _table(k=INTEGER, w=LONG)}


@pytest.mark.parametrize(
    ("sql", "sources", "expected"),
    [
        ("SELECT * FROM t WHERE v > 'a'", T, Incremental((0, 1, 2), {"t": ("k", "v", "x")}, True)),
        ("select V as a, k + 1 as b from T", T, Incremental((0,), {"t": ("v",)}, True)),
        ("SELECT upper(v) AS u FROM t", T, Incremental((), {"t": ()}, True)),
        ("SELECT DISTINCT v FROM t", T, Incremental((0,), {"t": ("v",)}, False)),
        ("SELECT k, count(*) AS n FROM t GROUP BY k HAVING count(*) > 1", T, Incremental((0,), {"t": ("k",)}, False)),
        ("SELECT max(x) AS m, t.k FROM t GROUP BY 2", T, Incremental((1,), {"t": ("k",)}, False)),
        ("SELECT v, k + 1 AS k, sum(x) AS s FROM t GROUP BY ALL", T, Incremental((0,), {"t": ("v",)}, False)),
        (
            "SELECT a.v, b.w, a.k FROM a JOIN b ON a.k = b.k AND b.w > 1",
            JOINED,
            Incremental((2,), {"a": ("k",), "b": ("k",)}, True),
        ),
        (
            "SELECT b.k, count(*) AS n FROM a, b WHERE a.k = b.k GROUP BY b.k",
            JOINED,
            Incremental((0,), {"a": ("k",), "b": ("k",)}, False),
        ),
    ],
)
def test_queries_by_keys(sql: str, sources: dict[str, StructType], expected: Incremental) -> None:
    assert incremental(sql, sources, [None] * _width(sql)) == expected


def _width(sql: str) -> int:
    """The columns of a query over T or JOINED."""
    return 3 if "*" in sql.split()[1] else sql.partition(" FROM ")[0].partition(" from ")[0].count(",") + 1


@pytest.mark.parametrize(
    ("sql", "names", "keys"),
    [
        ("SELECT k, posexplode(a) AS (p, c), v FROM t", ["k", "p", "c", "v"], (0,)),
        ("SELECT posexplode_outer(a), k FROM t", ["pos", "col", "k"], ()),
        ("SELECT k, explode(m) AS (key, value), v FROM t", ["k", "key", "value", "v"], (0,)),
        ("SELECT inline_outer(a), k FROM t", ["a", "b", "k"], ()),
        ("SELECT t.*, v AS w FROM t", ["k", "v", "x", "w"], (0, 1, 2, 3)),
        ("SELECT t.*, v AS w FROM t", ["k", "v", "w"], ()),
        ("SELECT * FROM t", ["k", "x", "v"], ()),
        ("SELECT * FROM t", ["K", "V", "X"], (0, 1, 2)),
        ("SELECT * FROM t", [None, None, None], (0, 1, 2)),
        ("SELECT *, explode(a) FROM t", ["k", "v", "col"], ()),
        ("SELECT *, explode(a) FROM t", ["k", "v", "x", "col"], (0, 1, 2)),
    ],
)
def test_positions_of_columns(sql: str, names: list[str | None], keys: tuple[int, ...]) -> None:
    """Functions that give several columns, and stars that stand for other columns by now, shift those behind them."""
    assert incremental(sql, T, names).keys == keys


@pytest.mark.parametrize(
    ("sql", "sources", "reason"),
    [
        ("SELECT count(*) FROM t", T, "aggregates all rows"),
        ("SELECT count_if(k > 1) FROM t", T, "aggregates all rows"),
        ("SELECT max(k) AS m FROM t GROUP BY v", T, "no column"),
        ("SELECT upper(v) AS u, count(*) AS n FROM t GROUP BY upper(v)", T, "no column"),
        ("SELECT k FROM t ORDER BY k", T, "ORDER"),
        ("SELECT k FROM t LIMIT 3", T, "LIMIT"),
        ("SELECT k, row_number() OVER (ORDER BY v) AS r FROM t", T, "window"),
        ("SELECT k FROM t WHERE k IN (SELECT k FROM t)", T, "query inside"),
        ("SELECT k FROM t UNION ALL SELECT k FROM t", T, "one SELECT"),
        ("WITH c AS (SELECT 1) SELECT k FROM t", T, "WITH"),
        ("SELECT k FROM t TABLESAMPLE (10 ROWS)", T, "plain tables"),
        ("SELECT k FROM t LATERAL VIEW explode(array(1)) AS z", T, "LATERALS"),
        ("SELECT k, v, sum(x) FROM t GROUP BY k, v WITH CUBE", T, "several ways"),
        ("SELECT s.t.k FROM s.t", T, "schema"),
        ("SELECT * EXCEPT (k) FROM t", T, "EXCEPT"),
        ("SELECT s.*, k FROM t", T, "star of a struct"),
        ("SELECT theta_sketch_agg(k) AS s FROM t", T, "aggregates all rows"),
        ("SELECT a.k, b.w FROM a LEFT JOIN b ON a.k = b.k", JOINED, "LEFT"),
        ("SELECT a.k, b.w FROM a JOIN b USING (k)", JOINED, "USING"),
        ("SELECT a.k FROM t AS a JOIN t AS b ON a.k = b.k", {"a": T["t"]}, "twice"),
        ("SELECT FROM WHERE", T, "not understood|aggregates|no column|twice"),
    ],
)
def test_queries_without_keys(sql: str, sources: dict[str, StructType], reason: str) -> None:
    with pytest.raises(NotIncrementalError, match=reason):
        incremental(sql, sources, [None])


def test_columns_of_other_types_are_not_equal() -> None:
    """'01' and 1 are equal where they are joined, and are other texts."""
    sources = {"a": _table(k=STRING), "b": _table(k=INTEGER)}
    found = incremental("SELECT a.k FROM a JOIN b ON a.k = b.k", sources, ["k"])
    assert found.keys == ()
    with pytest.raises(NotIncrementalError, match="no column"):
        incremental("SELECT a.k, count(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.k", sources, ["k", "n"])
