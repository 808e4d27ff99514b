"""Parts of maps and of arrays of structs by a dot, for an engine that does not read them."""

from __future__ import annotations

import pytest

from deltasql.engines.sail.dialect.pipes import with_parts
from deltasql.engines.sail.guards.exact_types import OperandRows
from deltasql.schema.types import INTEGER, STRING, ArrayType, MapType, StructField, StructType

INNER = StructType((StructField("x", INTEGER), StructField("y z", INTEGER)))
COLUMNS = StructType(
    (
        StructField("id", INTEGER),
        StructField("s", INNER),
        StructField("m", MapType(STRING, INTEGER)),
        StructField("a", ArrayType(INNER)),
        StructField("ms", MapType(STRING, INNER)),
    )
)
ROWS = OperandRows(lambda scope: COLUMNS, lambda scope, text: None)


@pytest.mark.parametrize(
    ("sql", "safe"),
    [
        (
            "SELECT m.k, ms.k.x, a.`y z` FROM t",
            "SELECT m['k'] AS k, ms['k'].x AS x, transform(a, e -> e.`y z`) AS `y z` FROM t",
        ),
        ("SELECT DISTINCT t.m.`o k` FROM t", "SELECT DISTINCT t.m['o k'] AS `o k` FROM t"),
        ("SELECT max(t.m.k) + 1, f(1, m.k, 2) FROM t", "SELECT max(t.m['k']) + 1, f(1, m['k'], 2) FROM t"),
        ("t.m.k = 1", "t.m['k'] = 1"),
        # It has no parts, as Sail says then.
        ("SELECT id.x FROM t", "SELECT id['x'] AS x FROM t"),
        (
            "SELECT s.x, t.s.x, t.id, s.nothing, a.f(1), x.y.z FROM t",
            "SELECT s.x, t.s.x, t.id, s.nothing, a.f(1), x.y.z FROM t",
        ),
        ("transform(a, e -> m.k)", "transform(a, e -> m.k)"),
    ],
)
def test_parts(sql: str, safe: str) -> None:
    assert with_parts(sql, ROWS) == safe
