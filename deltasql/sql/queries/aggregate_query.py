"""Aggregate queries over one table, with DISTINCT and GROUP BY, parsed to a tree that can be computed.

A recursive descent over the tokens. It accepts only queries that the log of a table may answer, or this process; their
tree then has all of the query. Names are not resolved here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union

from deltasql.base.errors.base import LeftToEngineError
from deltasql.plan.base import SqlText
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.tokens import Token, tokenize


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


def _may_be_one(tokens: list[Token]) -> bool:
    """Whether `tokens` have one SELECT with one FROM, and a keyword that each query of this kind has."""
    keys = [token.key for token in tokens]
    words = {"COUNT", "MIN", "MAX", "SUM", "AVG", "DISTINCT", "GROUP"}
    is_one = keys.count("SELECT") == 1 and keys.count("FROM") == 1 and keys[0] == "SELECT"
    return is_one and not words.isdisjoint(keys)


_CLAUSES = ("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", ";")
_MOST_NUMBER = 2**63 - 1
_COMPARISONS = {"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
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


class _Reader(TokenCursor):
    """Each method reads one part of the grammar. Raises LeftToEngineError."""

    def __init__(self, sql: str, tokens: list[Token], table: TableReference) -> None:
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
        value = self.sum()
        if self.take("AS"):
            return Item(value, self.name())
        return Item(value, self.name() if self.is_name and self.key not in _NO_NAMES else None)

    def condition(self) -> SqlText:
        """The text of WHERE, up to the next clause."""
        found = self.before(*_CLAUSES)
        return SqlText(self.sql[found[0].start : found[-1].end], found[0].start)

    def keys(self) -> tuple[Named | Whole, ...]:
        self.need("BY")
        return tuple(self.listed(lambda: Whole(self.number()) if self.kind == "number" else self.column()))

    def comparisons(self) -> tuple[QueryComparison, ...]:
        comparisons = [self.comparison()]
        while self.take("AND"):
            comparisons.append(self.comparison())
        return tuple(comparisons)

    def comparison(self) -> QueryComparison:
        left = self.sum()
        op = self.take(*_COMPARISONS)
        if not op:
            raise LeftToEngineError
        return QueryComparison(_COMPARISONS[op], left, self.sum())

    def ordering(self) -> tuple[Ordering, ...]:
        self.need("BY")
        return tuple(self.listed(lambda: Ordering(self.sum(), *self.sort_direction())))

    def sum(self) -> Expression:
        left = self.product()
        while op := self.take("+", "-"):
            left = Arithmetic(op, left, self.product())
        return left

    def product(self) -> Expression:
        left = self.factor()
        while self.take("*"):
            left = Arithmetic("*", left, self.factor())
        return left

    def factor(self) -> Expression:
        if self.kind == "number":
            return Whole(self.number())
        if self.take("("):
            inner = self.sum()
            self.need(")")
            return inner
        if self.peek(1) == "(":
            return self.call()
        return self.column()

    def call(self) -> Expression:
        function = self.take("COUNT", "MIN", "MAX", "SUM", "AVG", "COALESCE").lower()
        self.need("(")
        if not function:
            raise LeftToEngineError
        call = Coalesce(tuple(self.listed(self.sum))) if function == "coalesce" else self.aggregate(function)
        self.need(")")
        if isinstance(call, Coalesce) and len(call.parts) == 1:
            raise LeftToEngineError
        return call

    def aggregate(self, function: str) -> Aggregate:
        """The call of `function`, from the text between its brackets."""
        if function == "count" and self.take("*"):
            return Aggregate(function, Whole(1))
        if function == "count" and self.kind == "number":
            return Aggregate(function, Whole(self.number()))
        distinct = function == "count" and bool(self.take("DISTINCT"))
        return Aggregate(function, self.column(), distinct)

    def column(self) -> Named:
        if self.key in _NO_NAMES or not self.is_name:
            raise LeftToEngineError
        return Named(tuple(token.name for token in self.dotted()))

    def number(self) -> int:
        """A whole number without a sign or suffix."""
        text = self.next().text
        if not (text.isascii() and text.isdecimal()) or int(text) > _MOST_NUMBER:
            raise LeftToEngineError
        return int(text)
