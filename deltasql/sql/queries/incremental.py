"""Queries whose result changes only where their sources change: by columns that both have in common.

If a column `k` of the result is a column of each source, and the rows of the result with `k = x` depend on no rows but
those of the sources with `k = x`, then only the values of `k` in changed rows need be computed again. This holds for
projections and filters, for GROUP BY of `k`, and for inner joins on `k`. Anything else has no such column here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deltasql.base.lazy import exp, sqlglot
from deltasql.schema.type_lattice import is_atomic
from deltasql.schema.types import DataType, StructType
from deltasql.sql.references import AGGREGATES, DIALECT
from deltasql.sql.tokens import calls

_Column: TypeAlias = tuple[str, str]
"""The alias of a source and the name of one of its columns, in lower case."""

_OTHER_CLAUSES = frozenset(
    {
        *("with_", "with", "laterals", "pivots", "limit", "offset", "order", "windows", "qualify", "sample", "hint"),
        *("kind", "into", "cluster", "distribute", "sort", "connect", "prewhere", "match"),
    }
)

_MORE_THAN_A_TABLE = ("laterals", "pivots", "joins", "sample")
_GENERATORS = ("Explode", "Inline", "Stack", "Anonymous", "Aliases")
"""Classes of expressions that may give several columns; `posexplode` and those with `_outer` are below Explode."""


@dataclass(frozen=True, slots=True)
class Incremental:
    """How the result of a query follows from its sources.

    `keys` are the positions of columns in the result, and `sources` the columns of each source that have the same
    values, in the same order. With `per_row` each row of the result comes from one row of every source; only then there
    may be no keys.
    """

    keys: tuple[int, ...]
    sources: Mapping[str, tuple[str, ...]]
    per_row: bool


class NotIncrementalError(Exception):
    """The result of a query can change anywhere; `reason` says why, as part of a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def incremental(sql: str, sources: Mapping[str, StructType], names: Sequence[str | None]) -> Incremental:
    """The columns of a query by which its result can be computed again in parts; `sources` are tables by alias.

    `names` are those of the result's columns, None for one that the query does not name. The star of a table with new
    columns stands for others by now. Raises NotIncrementalError.
    """
    tree = _parsed(sql)
    reading = _Reading(tree, {alias.lower(): schema for alias, schema in sources.items()}, names)
    group = tree.args.get("group")
    if group is None and (_aggregates(sql, tree) or tree.args.get("having") is not None):
        raise NotIncrementalError("it aggregates all rows")
    keys = list(reading.keys(None if group is None else _grouped(group, reading)))
    is_plain = group is None and tree.args.get("distinct") is None
    if not keys and not is_plain:
        raise NotIncrementalError("its result has no column of its sources by which the changed rows are found")
    columns = {alias: tuple(found[alias] for _, found in keys) for alias in reading.sources}
    return Incremental(tuple(index for index, _ in keys), columns, is_plain)


def _parsed(sql: str) -> exp.Select:
    """One SELECT without clauses that refuse. Raises NotIncrementalError."""
    try:
        tree = sqlglot.parse_one(sql, dialect=DIALECT)
    except Exception:
        raise NotIncrementalError("its query is not understood") from None
    if not isinstance(tree, exp.Select):
        raise NotIncrementalError("it is not one SELECT")
    _refuse_clauses(tree)
    return tree


def _aggregates(sql: str, tree: exp.Select) -> bool:
    return calls(sql, AGGREGATES) or tree.find(exp.AggFunc) is not None


def _refuse_clauses(tree: exp.Select) -> None:
    """Raises NotIncrementalError for what makes rows depend on other rows than those with the same key."""
    used = sorted(name.rstrip("_") for name, value in tree.args.items() if value and name in _OTHER_CLAUSES)
    if used:
        raise NotIncrementalError(f"its query has {used[0].upper()}")
    if any(node is not tree for node in tree.find_all(exp.Query)):
        raise NotIncrementalError("its query has a query inside")
    if tree.find(exp.Window) is not None:
        raise NotIncrementalError("its query has a window function")
    if any(column.args.get("db") is not None for column in tree.find_all(exp.Column)):
        raise NotIncrementalError("its query calls columns by the schema of their table")
    distinct = tree.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise NotIncrementalError("its query has DISTINCT ON")


def _grouped(group: exp.Group, reading: _Reading) -> set[_Column | int]:
    """The columns by which a query groups, and positions of its result. Raises NotIncrementalError."""
    if group.args.get("all"):
        return {column for _, column in reading.plain}
    for name in ("grouping_sets", "cube", "rollup", "totals"):
        if group.args.get(name):
            raise NotIncrementalError("its query groups in several ways")
    found: set[_Column | int] = set()
    for item in group.expressions:
        if isinstance(item, (exp.Cube, exp.Rollup, exp.GroupingSets)):
            raise NotIncrementalError("its query groups in several ways")
        if isinstance(item, exp.Literal) and not item.is_string:
            found.add(int(item.this) - 1)
        elif (column := reading.column(item)) is not None:
            found.add(column)
    return found


def _refuse_kind(join: exp.Join) -> None:
    """Raises NotIncrementalError for any join but an inner one."""
    kind = f"{join.args.get('method') or ''} {join.side} {join.kind}".strip().upper()
    if kind not in {"", "INNER", "CROSS"} or join.args.get("using"):
        raise NotIncrementalError(f"its query has a join that is {kind or 'USING columns'}")


class _Reading:
    """One SELECT over its sources: the columns of its result that are plain columns, and those that are equal."""

    def __init__(self, tree: exp.Select, sources: Mapping[str, StructType], names: Sequence[str | None]) -> None:
        self.tree, self.sources = tree, sources
        self.conditions = list(self._joined())
        where = tree.args.get("where")
        if where is not None:
            self.conditions.append(where.this)
        self.plain = list(self._plain(names))

    def keys(self, grouped: set[_Column | int] | None) -> Iterator[tuple[int, dict[str, str]]]:
        """Positions of the result whose values are columns of every source, each with these by the source's alias."""
        classes = self._classes()
        for index, column in self.plain:
            if grouped is not None and index not in grouped and column not in grouped:
                continue
            found = {column[0]: column[1]}
            for other in sorted(classes.get(column, {column})):
                if self.type(other) == self.type(column):
                    found.setdefault(*other)
            if found.keys() == self.sources.keys() and is_atomic(self.type(column)):
                yield index, found

    def column(self, node: exp.Expression) -> _Column | None:
        """The column of a source that an expression is; None for any other expression."""
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            return None
        name, qualifier = node.name.lower(), node.table.lower()
        owners = [alias for alias, schema in self.sources.items() if schema.find(name) is not None]
        if qualifier:
            owners = [alias for alias in owners if alias == qualifier]
        return (owners[0], name) if len(owners) == 1 else None

    def type(self, column: _Column) -> DataType:
        """The type of a source's column."""
        field = self.sources[column[0]].find(column[1])
        assert field is not None
        return field.type

    def _joined(self) -> Iterator[exp.Expression]:
        """The conditions of the joins. Raises NotIncrementalError for other sources and joins than inner ones."""
        joins: Sequence[exp.Join] = self.tree.args.get("joins") or []
        tables = list(self._tables())
        aliases = [table.alias_or_name.lower() for table in tables]
        if not all(isinstance(table, exp.Table) for table in tables) or sorted(aliases) != sorted(self.sources):
            raise NotIncrementalError("it reads other sources than tables, or one of them twice")
        if any(table.args.get(name) for table in tables for name in _MORE_THAN_A_TABLE):
            raise NotIncrementalError("its query has more than plain tables")
        for join in joins:
            _refuse_kind(join)
            if join.args.get("on") is not None:
                yield join.args["on"]

    def _tables(self) -> Iterator[exp.Expression]:
        """The items of FROM and JOIN, in order."""
        start = self.tree.args.get("from_") or self.tree.args.get("from")
        if start is not None:
            yield start.this
        yield from (join.this for join in self.tree.args.get("joins") or ())

    def _plain(self, names: Sequence[str | None]) -> Iterator[tuple[int, _Column]]:
        """The columns of the result that are columns of a source, with their positions, where these can be counted."""
        found, starred, is_open = self._counted()
        wanted = [None if name is None else name.lower() for name in names]
        plain = [(index, column) for index, column in enumerate(found) if column is not None]
        is_counted = len(found) < len(names) if is_open else len(found) == len(names)
        if is_counted and all(wanted[at] in {None, name} for at, (_, name) in plain if at in starred):
            yield from plain

    def _counted(self) -> tuple[list[_Column | None], set[int], bool]:
        """The result's columns up to the first that may be several, positions of those of stars, whether others follow.

        A column that is none of a source is None.
        """
        found: list[_Column | None] = []
        starred: set[int] = set()
        for item in self.tree.expressions:
            value = item.unalias()
            if value.is_star:
                start = len(found)
                found.extend(self._starred(value))
                starred.update(range(start, len(found)))
            elif isinstance(value, tuple(getattr(exp, name) for name in _GENERATORS)):
                return found, starred, True
            else:
                found.append(self.column(value))
        return found, starred, False

    def _starred(self, value: exp.Expression) -> Iterator[_Column]:
        """The columns that a star stands for. Raises NotIncrementalError for one with EXCEPT, or of a struct."""
        star = value.this if isinstance(value, exp.Column) else value
        if not isinstance(star, exp.Star) or any(star.args.values()):
            raise NotIncrementalError("its query has a star with EXCEPT")
        owner = value.table.lower() if isinstance(value, exp.Column) else ""
        if owner and owner not in self.sources:
            raise NotIncrementalError("its query has the star of a struct")
        for alias in [owner] if owner else [table.alias_or_name.lower() for table in self._tables()]:
            for field in self.sources[alias]:
                yield alias, field.name.lower()

    def _classes(self) -> dict[_Column, set[_Column]]:
        """For each column those that an equality of a join, or of WHERE, makes equal to it."""
        classes: dict[_Column, set[_Column]] = {}
        for condition in self.conditions:
            for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
                if not isinstance(part, exp.EQ):
                    continue
                left, right = self.column(part.left), self.column(part.right)
                if left is None or right is None:
                    continue
                merged = classes.get(left, {left}) | classes.get(right, {right})
                classes |= dict.fromkeys(merged, merged)
        return classes
