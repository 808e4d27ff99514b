"""The filters of a query by table: by them data files are skipped.

Uses sqlglot's tree; a query that sqlglot cannot parse has none, nor has a condition over two tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from deltasql.base.lazy import exp
from deltasql.sql.references import parse_statement
from deltasql.sql.tokens import tokenize

_INNER = frozenset({"", "INNER", "CROSS"})


def scan_filters(sql: str) -> dict[int, str]:
    """Predicates on single tables, by the offset of the table's name in `sql`; only those that every row must satisfy.

    A predicate is SQL for analysis, its columns qualified as in the query. A query that sqlglot cannot parse has none.
    """
    if "where" not in sql.lower():
        return {}
    tree = parse_statement(_before_other_pipes(sql) if "|>" in sql else sql)
    if tree is None:
        return {}
    return {position: text for select in tree.find_all(exp.Select) for position, text in _select_filters(select)}


def scan_limits(sql: str) -> dict[int, int]:
    """The number of rows of a table that suffice for SELECT … FROM t LIMIT n, by the offset of the table's name.

    All of WHERE, if there is one, is then in `scan_filters`. A query that sqlglot cannot parse has none, nor has a
    pipeline.
    """
    if "limit" not in sql.lower() or "|>" in sql:
        return {}
    tree = parse_statement(sql)
    if tree is None:
        return {}
    limits = (_select_limit(select) for select in tree.find_all(exp.Select))
    return dict(item for item in limits if item is not None)


def _select_limit(select: exp.Select) -> tuple[int, int] | None:
    """The offset of the only table of a SELECT, and the number of its rows that suffice."""
    parts = {name: part for name, part in select.args.items() if part}
    if not parts.keys() <= _EACH_ROW_ALONE or not all(map(_keeps_rows, select.expressions)):
        return None
    table = _only_table(select)
    if table is None:
        return None
    position, limit = _position(table), _number(parts.get("limit"), exp.Limit)
    offset = _number(parts["offset"], exp.Offset) if "offset" in parts else 0
    return None if position is None or limit is None or offset is None else (position, limit + offset)


def _only_table(select: exp.Select) -> exp.Table | None:
    """The one table of a SELECT, where WHERE, if there is one, refers to nothing else."""
    sources, where = _sources(select), select.args.get("where")
    table = sources[0][0] if len(sources) == 1 else None
    if not isinstance(table, exp.Table) or _makes_rows(table):
        return None
    conjuncts = [] if where is None else _conjuncts(where.this)
    return table if all(_only(_qualifiers(item), table, True) for item in conjuncts) else None


_EACH_ROW_ALONE = frozenset({"expressions", "from", "from_", "where", "limit", "offset", "hint"})
"""Clauses of a SELECT that process its rows one by one, in their order."""


def _keeps_rows(item: exp.Expression) -> bool:
    """Whether an expression gives one value for each row: no aggregate, generator or window, and nothing unknown."""
    return not any(
        isinstance(node, (exp.Func, exp.Window, exp.Query)) and not isinstance(node, exp.Cast) for node in item.walk()
    )


def _number(clause: exp.Expression | None, kind: type[exp.Expression]) -> int | None:
    value = clause.expression if isinstance(clause, kind) else None
    return int(value.name) if isinstance(value, exp.Literal) and value.is_int else None


def _before_other_pipes(sql: str) -> str:
    """The part of a pipeline FROM … |> WHERE … before its first other operator; "" for one elsewhere in a query.

    sqlglot would put a WHERE behind LIMIT, EXTEND or AGGREGATE before them, where it filters other rows.
    """
    tokens = tokenize(sql)
    if not tokens or tokens[0].key != "FROM":
        return ""
    for token, after in pairwise(tokens):
        is_other = token.key == "|>" and after.key != "WHERE"
        # FROM t SELECT …, and a pipeline in brackets.
        if is_other or token.key == "SELECT" or token.key in {"(", ")"}:
            head = sql[: token.start] if is_other else ""
            return head if "|>" in head else ""
    return sql


def _select_filters(select: exp.Select) -> Iterator[tuple[int, str]]:
    """The filters of one SELECT, as far as WHERE decides alone which rows of a table are used."""
    where = select.args.get("where")
    if where is None or select.args.get("laterals"):
        return
    sources = _sources(select)
    conjuncts = _filter_text(where.this)
    for table, filtered in sources:
        if not filtered or not isinstance(table, exp.Table) or _makes_rows(table):
            continue
        position, alone = _position(table), len(sources) == 1
        filters = [item.sql(dialect="databricks") for item, names in conjuncts if _only(names, table, alone)]
        if position is not None and filters:
            yield position, " AND ".join(f"({text})" for text in filters)


def _makes_rows(table: exp.Table) -> bool:
    """Whether a table's rows are changed before WHERE sees them; the rows of a sample must not depend on WHERE."""
    return any(table.args.get(key) for key in ("pivots", "sample"))


def _sources(select: exp.Select) -> list[tuple[exp.Expression, bool]]:
    """The relations of FROM and JOIN, each with whether WHERE filters its own rows.

    The side of an outer join that may be missing is read before the join turns its rows into NULLs.
    """
    start = select.args.get("from_") or select.args.get("from")
    if start is None:
        return []
    joins = select.args.get("joins") or []
    sides = {_word(join, "side") for join in joins}
    # An outer join further right may make any relation left of it NULL.
    outer = bool(sides & {"RIGHT", "FULL"})
    joined = ((join.this, not outer and not _word(join, "side") and _word(join, "kind") in _INNER) for join in joins)
    return [(start.this, sides <= {"", "LEFT"}), *joined]


def _word(join: exp.Expression, name: str) -> str:
    """The side or the kind of a join in capitals, "" where it has none."""
    return (join.args.get(name) or "").upper()


def _conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _filter_text(condition: exp.Expression) -> list[tuple[exp.Expression, list[str | None]]]:
    """The conjuncts of a condition, each with its `_qualifiers`."""
    return [(item, _qualifiers(item)) for item in _conjuncts(condition)]


def _qualifiers(conjunct: exp.Expression) -> list[str | None]:
    """The qualifier of each column in a condition, in lower case, None for unqualified ones; [] beside a sub-query."""
    if conjunct.find(exp.Query) is not None:
        return []
    columns = (column.parts for column in conjunct.find_all(exp.Column))
    return [parts[0].name.lower() if len(parts) > 1 else None for parts in columns]


def _only(qualifiers: list[str | None], table: exp.Table, alone: bool) -> bool:
    """Whether a condition with these qualifiers refers to this table alone."""
    # Beside no other table, what stands before a name may as well be a struct of this one.
    return bool(qualifiers) and (alone or set(qualifiers) == {table.alias_or_name.lower()})


def _position(table: exp.Table) -> int | None:
    """The offset of the first part of the table's name."""
    starts = [part.meta.get("start") for part in table.parts]
    known_starts = [start for start in starts if start is not None]
    return min(known_starts) if len(known_starts) == len(starts) else None
