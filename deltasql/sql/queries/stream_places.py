"""Whether a query's result over all rows of a table is its result over parts of them, added up.

Inner joins keep that, and joins that keep each row of the table. A join that keeps the other side's rows does not: a
row that matches in a later part was added without a match before.
"""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base.lazy import exp
from deltasql.sql.references import parse_statement
from deltasql.sql.tokens import tokenize

_INNER = frozenset({"", "INNER", "CROSS"})
_ON_THE_LEFT = _INNER | {"LEFT", "LEFT OUTER", "LEFT SEMI", "LEFT ANTI", "SEMI", "ANTI", "OUTER"}
"""Joins that may follow the table: each of its rows gives the same result whatever other rows it has."""
_ON_THE_RIGHT = _INNER | {"RIGHT", "RIGHT OUTER"}
_NEED_A_TREE = frozenset({"LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "EXISTS", "IN", "WITH"})


def misplaced(sql: str, table: str) -> str | None:
    """Why a query over all rows of `table` differs from one over parts of them, as part of a sentence; None if not.

    `table` is named once. The clauses of the query are not looked at.
    """
    tree = parse_statement(sql)
    nodes = [] if tree is None else [node for node in tree.find_all(exp.Table) if node.name == table]
    if len(nodes) != 1:
        words = {token.key for token in tokenize(sql)}
        return "it is not understood" if words & _NEED_A_TREE else None
    return next(_reasons(nodes[0]), None)


def calls_by_schema(sql: str, table: str) -> bool:
    """Whether a query calls a column by the schema of this table, as s.t.a; t.a.b may be a field of a struct."""
    tree = parse_statement(sql)
    called = () if tree is None else (column.parts for column in tree.find_all(exp.Column))
    names = ([part.name.lower() for part in parts] for parts in called)
    return any(parts[0] != table.lower() and table.lower() in parts[1:3] for parts in names if len(parts) > 2)


def _reasons(node: exp.Expression) -> Iterator[str]:
    """Reasons against the place of a relation, from the inside of the query to its outside."""
    yield from _joined(node, 0)
    while (parent := node.parent) is not None:
        match parent:
            case exp.CTE():
                yield from _named(parent)
                return
            case exp.Join() if node.arg_key == "this":
                yield from _kind(parent, _ON_THE_RIGHT)
            case exp.Select() if node.arg_key in {"from_", "from", "joins", "laterals"}:
                start = node.index + 1 if node.arg_key == "joins" and node.index is not None else 0
                yield from _joined(parent, start)
            case exp.Subquery() | exp.Paren() | exp.Table():
                yield from _joined(parent, 0)
            case exp.From() | exp.Lateral():
                pass
            case _:
                yield "it reads the stream in a sub-query"
        node = parent


def _joined(node: exp.Expression, start: int) -> Iterator[str]:
    """Reasons against the joins that follow a relation."""
    joins = node.args.get("joins") or []
    for join in joins[start:]:
        yield from _kind(join, _ON_THE_LEFT)


def _kind(join: exp.Join, allowed: frozenset[str]) -> Iterator[str]:
    kind = f"{join.side} {join.kind}".strip().upper()
    if kind not in allowed:
        side = "right" if allowed is _ON_THE_RIGHT else "left"
        yield f"the stream is on the {side} side of {kind} JOIN"


def _named(cte: exp.CTE) -> Iterator[str]:
    """Reasons against the places where a query reads a common table expression."""
    places = [node for node in cte.root().find_all(exp.Table) if node.name.lower() == cte.alias.lower()]
    if len(places) > 1:
        yield f"it reads the stream several times, by {cte.alias}"
    for place in places:
        yield from _reasons(place)
