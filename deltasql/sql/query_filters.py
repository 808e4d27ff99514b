"""Which filters of a query hold for which of its tables: they say which data files need not be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


def scan_filters(sql: str) -> dict[int, str]:
    """Predicates on single tables, by the offset of the table's name in `sql`; only such that every row must satisfy.

    A predicate is SQL for analysis, its columns qualified as in the query. A query that sqlglot cannot read has none.
    """
    if "where" not in sql.lower():
        return {}
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(sql, dialect="databricks")
    except SqlglotError:
        return {}
    return {place: text for select in tree.find_all(exp.Select) for place, text in _select_filters(select)}


def _select_filters(select: exp.Select) -> Iterator[tuple[int, str]]:
    """The filters of one SELECT, as far as WHERE decides alone which rows of a table are used."""
    from sqlglot import exp

    where = select.args.get("where")
    if where is None or select.args.get("laterals"):
        return
    sources = _sources(select)
    tables = [(table, filtered) for table, filtered in sources if isinstance(table, exp.Table)]
    alone = len(sources) == 1
    for table, filtered in tables:
        place = _place(table)
        conjuncts = [item.sql(dialect="databricks") for item in _conjuncts(where.this) if _only(item, table, alone)]
        if filtered and place is not None and conjuncts and not table.args.get("pivots"):
            yield place, " AND ".join(f"({text})" for text in conjuncts)


def _sources(select: exp.Select) -> list[tuple[exp.Expression, bool]]:
    """The relations of FROM and JOIN, each with whether WHERE filters its own rows.

    The side of an outer join that may be missing is read before the join turns its rows into NULLs.
    """
    start = select.args.get("from_") or select.args.get("from")
    if start is None:
        return []
    first_kept = True
    joined = []
    for join in select.args.get("joins") or []:
        side = (join.args.get("side") or "").upper()
        kind = (join.args.get("kind") or "").upper()
        first_kept = first_kept and side in {"", "LEFT"}
        joined.append((join.this, not side and kind in {"", "INNER", "CROSS"}))
    # An outer join further right may make any relation left of it NULL.
    outer = any((join.args.get("side") or "").upper() in {"RIGHT", "FULL"} for join in select.args.get("joins") or [])
    return [(start.this, first_kept), *((table, kept and not outer) for table, kept in joined)]


def _conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    from sqlglot import exp

    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _only(conjunct: exp.Expression, table: exp.Table, alone: bool) -> bool:
    """Whether a condition speaks of this table alone."""
    from sqlglot import exp

    if conjunct.find(exp.Query) is not None:
        return False
    columns = list(conjunct.find_all(exp.Column))
    name = table.alias_or_name.lower()
    first = [column.parts[0].name.lower() for column in columns if len(column.parts) > 1]
    # Beside no other table, what stands before a name may as well be a struct of this one.
    return bool(columns) and (alone or (len(first) == len(columns) and set(first) == {name}))


def _place(table: exp.Table) -> int | None:
    """The offset of the first part of the table's name."""
    places = [part.meta.get("start") for part in table.parts]
    known = [place for place in places if place is not None]
    return min(known) if len(known) == len(places) else None
