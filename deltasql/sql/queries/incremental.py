"""Queries whose result can be computed again in parts, and aggregate queries that the log or this process can answer.

If a column `k` of the result is a column of each source, and the rows of the result with `k = x` depend on no rows but
those of the sources with `k = x`, then only the values of `k` in changed rows need be computed again. This is true of
projections and filters, of GROUP BY `k`, and of inner joins on `k`. No other query has such a column.

An aggregate query over one table, with DISTINCT and GROUP BY, is parsed by a recursive descent that accepts no other
query, so its tree has all of the query. Names are not resolved in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, Union

from deltasql.base import LeftToEngineError, Token, calls, exp, sqlglot, tokenize
from deltasql.plan import SqlText
from deltasql.schema import DataType, StructType, is_atomic
from deltasql.sql.expressions import (
    Binary,
    Brackets,
    CallNode,
    ColumnNode,
    ComparisonNode,
    ExpressionReader,
    Logic,
    Node,
    Written,
)
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import AGGREGATES, DIALECT

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
    # A refresh reads changed rows under the table's alias, which has no schema that could qualify a column.
    if any(column.args.get("db") is not None for column in tree.find_all(exp.Column)):
        raise NotIncrementalError("its query calls columns by the schema of their table")
    distinct = tree.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise NotIncrementalError("its query has DISTINCT ON")


def _grouped(group: exp.Group, reading: _Reading) -> set[_Column | int]:
    """The columns by which a query groups, and positions of its result. Raises NotIncrementalError."""
    if group.args.get("all"):
        # GROUP BY ALL groups by each item without an aggregate, so by every plain column.
        return {column for _, column in reading.plain}
    # A subtotal has NULL for a column that it does not group by, and yet depends on rows with every value of it.
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
    # In a row without a match an outer join has NULL for the other side's column, so that the columns which ON equates
    # differ. NATURAL and USING equate columns without a condition that could be read.
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
                # Columns of two types are compared after a cast, and may be equal with different values: '01' = 1.
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
        # A column that a source has got or lost since shifts all positions behind a star: then none is certain.
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
            # Only a conjunct holds for every row of the result; a part of OR may be false.
            for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
                if not isinstance(part, exp.EQ):
                    continue
                left, right = self.column(part.left), self.column(part.right)
                if left is None or right is None:
                    continue
                merged = classes.get(left, {left}) | classes.get(right, {right})
                classes |= dict.fromkeys(merged, merged)
        return classes


@dataclass(frozen=True, slots=True)
class Named:
    """A column as written: p, t.p. Parts are without quotes."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """A literal of a whole number."""

    value: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, MIN, MAX, SUM or AVG, in lower case. `argument` is a number for COUNT(1), and 1 for COUNT(*)."""

    function: str
    argument: Named | Whole
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """left op right, with op one of + - *"""

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Coalesce:
    """coalesce(parts), at least two."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """left op right, with op one of = <> < <= > >="""

    op: str
    left: Expression
    right: Expression


Expression: TypeAlias = Union[Named, Whole, Aggregate, Arithmetic, Coalesce]


@dataclass(frozen=True, slots=True)
class Item:
    """One column of the result."""

    value: Expression
    alias: str | None


@dataclass(frozen=True, slots=True)
class Ordering:
    """One item of ORDER BY."""

    value: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class AggregateQuery:
    """SELECT [DISTINCT] items FROM table [WHERE where] [GROUP BY keys] [HAVING having] [ORDER BY order] [LIMIT limit]

    `keys` is None without GROUP BY; the comparisons of `having` must all be TRUE.
    """

    items: tuple[Item, ...]
    distinct: bool
    table: TableReference
    where: SqlText | None
    keys: tuple[Named | Whole, ...] | None
    having: tuple[QueryComparison, ...]
    order: tuple[Ordering, ...]
    limit: int | None


def aggregate_query(sql: str) -> AggregateQuery | None:
    """The tree of `sql`; None for any other query."""
    tokens = tokenize(sql)
    if not _may_be_one(tokens):
        return None
    references = table_references(sql)
    if len(references) != 1 or references[0].arguments is not None:
        return None
    try:
        return _Reader(sql, tokens, references[0]).query()
    except (LeftToEngineError, RecursionError):
        return None


def _may_be_one(tokens: Sequence[Token]) -> bool:
    """Whether `tokens` have one SELECT with one FROM, and a keyword that each query of this kind has."""
    keys = [token.key for token in tokens]
    words = {"COUNT", "MIN", "MAX", "SUM", "AVG", "DISTINCT", "GROUP"}
    is_one = keys.count("SELECT") == 1 and keys.count("FROM") == 1 and keys[0] == "SELECT"
    return is_one and not words.isdisjoint(keys)


_CLAUSES = ("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", ";")
_MOST_NUMBER = 2**63 - 1
_AGGREGATES = frozenset({"count", "min", "max", "sum", "avg"})
# Words that begin or end something else where a column could be named.
_NO_NAMES = frozenset(
    {
        *("NULL", "TRUE", "FALSE", "CASE", "CAST", "NOT", "INTERVAL", "EXISTS", "DISTINCT", "ALL", "END", "FROM"),
        *("CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURRENT_TIME", "USER", "SESSION_USER", "LOCALTIME"),
        *("AS", "AND", "OR", "IN", "IS", "BETWEEN", "LIKE", "ROLLUP", "CUBE", "GROUPING", "SELECT", "WHERE", "GROUP"),
        *("DATE", "TIMESTAMP", "ANY", "SOME", "ON", "USING", "UNION", "EXCEPT", "INTERSECT", "MINUS", "HAVING"),
        *("ORDER", "LIMIT", "OFFSET", "LATERAL", "WINDOW", "QUALIFY", "OVER", "FILTER", "ASC", "DESC", "NULLS"),
    }
)


class _Reader(ExpressionReader):
    """Each method reads one part of the grammar. Raises LeftToEngineError."""

    def __init__(self, sql: str, tokens: Sequence[Token], table: TableReference) -> None:
        super().__init__(tokens)
        self.sql, self.table = sql, table

    def query(self) -> AggregateQuery:
        self.need("SELECT")
        distinct = bool(self.take("DISTINCT"))
        items = tuple(self.listed(self.item))
        self.need("FROM")
        self.source()
        where = self.condition() if self.take("WHERE") else None
        keys = self.keys() if self.take("GROUP") else None
        having = self.comparisons() if self.take("HAVING") else ()
        order = self.ordering() if self.take("ORDER") else ()
        limit = self.number() if self.take("LIMIT") else None
        self.take(";")
        self.end()
        return AggregateQuery(items, distinct, self.table, where, keys, having, order, limit)

    def source(self) -> None:
        """Steps over the table's name, version and alias, behind which a clause or nothing may follow."""
        if not self.left or self.tokens[self.at].start != self.table.start:
            raise LeftToEngineError
        while self.left and self.tokens[self.at].start < self.table.end:
            self.at += 1
        if self.table.alias is not None:
            self.take("AS")
            if self.name() != self.table.alias:
                raise LeftToEngineError
        if self.left and self.key not in _CLAUSES:
            raise LeftToEngineError

    def item(self) -> Item:
        value = _part(self.sum())
        if self.take("AS"):
            return Item(value, self.name())
        return Item(value, self.name() if self.is_name and self.key not in _NO_NAMES else None)

    def condition(self) -> SqlText:
        """The text of WHERE, up to the next clause."""
        found = self.before(*_CLAUSES)
        return SqlText(self.sql[found[0].start : found[-1].end], found[0].start)

    def keys(self) -> tuple[Named | Whole, ...]:
        self.need("BY")
        parts = [_part(value) for value in self.listed(self.operand)]
        keys = tuple(part for part in parts if isinstance(part, Named | Whole))
        if len(keys) < len(parts):
            raise LeftToEngineError
        return keys

    def comparisons(self) -> tuple[QueryComparison, ...]:
        tree = self.expression()
        parts = tree.parts if isinstance(tree, Logic) and tree.operator == "AND" else (tree,)
        return tuple(map(_comparison, parts))

    def ordering(self) -> tuple[Ordering, ...]:
        self.need("BY")
        return tuple(self.listed(lambda: Ordering(_part(self.sum()), *self.sort_direction())))

    def number(self) -> int:
        """A whole number without a sign or suffix."""
        return _whole(self.next().text)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > _MOST_NUMBER:
        raise LeftToEngineError
    return int(text)


def _comparison(node: Node) -> QueryComparison:
    if not isinstance(node, ComparisonNode) or node.operator == "<=>":
        raise LeftToEngineError
    return QueryComparison(node.operator, _part(node.left), _part(node.right))


def _part(node: Node) -> Expression:
    """A node as a part of an aggregate query. Raises LeftToEngineError for other nodes."""
    match node:
        case Brackets(value):
            return _part(value)
        case Written((number,)) if number.kind == "number":
            return Whole(_whole(number.text))
        case ColumnNode((first, *_)) if first.key not in _NO_NAMES:
            return Named(node.names)
        case Binary("+" | "-" | "*", left, right):
            return Arithmetic(node.operator, _part(left), _part(right))
        case CallNode() if node.name == "coalesce" and len(node.arguments) > 1 and not node.distinct:
            return Coalesce(tuple(map(_part, node.arguments)))
        case CallNode() if node.name in _AGGREGATES:
            return _aggregate(node)
        case _:
            raise LeftToEngineError


def _aggregate(call: CallNode) -> Aggregate:
    """COUNT of rows, a number, or a column, and the other aggregates of a column."""
    if call.name == "count" and call.star:
        return Aggregate(call.name, Whole(1))
    if len(call.arguments) != 1 or (call.distinct and call.name != "count"):
        raise LeftToEngineError
    argument = _part(call.arguments[0])
    if not isinstance(argument, Named) and not (call.name == "count" and isinstance(argument, Whole)):
        raise LeftToEngineError
    return Aggregate(call.name, argument, call.distinct)
