"""Queries that are plain projections of one table: each row of it gives one row, or none; or its columns as they are.

Gives up at what sqlglot cannot read, at joins, samples, sub-queries, aggregates, windows and functions that make rows.
"""

from __future__ import annotations

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import exp
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.references import has_aggregate, parse_expression
from deltasql.sql.tokens import Token, closing, tokenize

_PLAIN_CLAUSES = frozenset({"expressions", "where", "kind", "hint"})


def end_of_plain_projection(sql: str) -> int | None:
    """The offset of FROM in a SELECT of one table whose rows each give a row, if at all; None for any other query."""
    tree = parse_expression(f"({sql})")
    select = tree.this if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
    if not isinstance(select, exp.Select) or has_aggregate(sql) or not _has_plain_clauses(select):
        return None
    tables = list(select.find_all(exp.Table))
    makes_rows = next(select.find_all(exp.Window, exp.Explode, exp.Inline), None) is not None
    return None if len(tables) != 1 or makes_rows else _index_of_from(tokenize(sql))


def _has_plain_clauses(select: exp.Select) -> bool:
    """Whether a SELECT has no more than a list, a plain table and WHERE."""
    parts = {key: value for key, value in select.args.items() if value}
    clause = parts.pop("from", None) or parts.pop("from_", None)
    return clause is not None and parts.keys() <= _PLAIN_CLAUSES and _is_plain_table(clause.this)


def _index_of_from(tokens: list[Token]) -> int | None:
    """The offset of a query's own FROM; None for FROM t SELECT …, and for a query in parentheses."""
    depth = 0
    for index, token in enumerate(tokens):
        if index == 0 and token.key != "SELECT":
            return None
        depth += (token.key in {"(", "[", "CASE"}) - (token.key in {")", "]", "END"})
        if depth == 0 and token.key == "FROM":
            return token.start
    return None


def _is_plain_table(source: object) -> bool:
    """Whether a FROM clause has a table with at most an alias: no sample of it, and no query in its place."""
    allowed = {"this", "db", "catalog", "alias"}
    return isinstance(source, exp.Table) and {key for key, value in source.args.items() if value} <= allowed


NO_ALIAS = frozenset(
    {
        *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT", "MINUS", "NATURAL", "ON"),
        *(
            "RIGHT",
            "SEMI",
            "SETMINUS",
            "UNION",
            "USING",
            "WHERE",
            "GROUP",
            "HAVING",
            "ORDER",
            "SORT",
            "CLUSTER",
            "FROM",
        ),
        *("DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY", "TABLESAMPLE", "PIVOT", "UNPIVOT", "VERSION", "SELECT"),
        *("TIMESTAMP", "FOR", "AS"),
    }
)
"""Words that begin a clause, or that Spark takes for no alias."""
_TAIL = frozenset({"WHERE", "ORDER", "LIMIT"})
"""Words that may follow a relation of which rows are chosen."""
_NO_COLUMN = frozenset({"ALL", "DISTINCT", "NULL", "TRUE", "FALSE", "FROM", "SELECT", "CASE"})
"""Words that mean something else, even where a column is called so."""


def plain_columns(sql: str, relation: str) -> tuple[tuple[str, str], ...] | None:
    """The columns that a query of a relation asks for as they are, each with the name that it gets: SELECT a, r.b AS c.

    () for SELECT *, None for any other query.
    """
    try:
        reader = PlainSelect(inner_query(sql))
        columns, _ = reader.columns(relation)
        reader.end()
    except LeftToEngineError:
        return None
    return columns


def inner_query(sql: str) -> str:
    """The query whose columns another one has all, SELECT * FROM (SELECT a FROM t) AS q; any other one itself."""
    tokens = tokenize(sql)
    while [token.key for token in tokens[:4]] == ["SELECT", "*", "FROM", "("]:
        last = closing(tokens, 3)
        alias = [token for token in tokens[last + 1 :] if token.key != "AS"]
        if len(alias) > 1 or any(token.kind != "quoted" and token.key in NO_ALIAS | _TAIL for token in alias):
            break
        tokens = tokens[4:last]
    return sql[tokens[0].start : tokens[-1].end] if tokens else sql


class PlainSelect(TokenCursor):
    """A SELECT of one relation, read as far as its columns are chosen as they are. Raises LeftToEngineError."""

    def __init__(self, sql: str) -> None:
        super().__init__(tokenize(sql))

    def columns(self, relation: str) -> tuple[tuple[tuple[str, str], ...], str]:
        """See `plain_columns`; and what the relation goes by."""
        self.need("SELECT")
        chains = [] if self.take("*") else self.listed(self._item)
        alias = self._source(relation)
        if any(len(chain) > 1 and chain[0].lower() != alias.lower() for chain, _ in chains):
            # A field of a struct.
            raise LeftToEngineError
        return tuple((chain[-1], name) for chain, name in chains), alias

    def _source(self, relation: str) -> str:
        """FROM relation [[AS] alias]: the alias, or the name of the relation."""
        self.need("FROM")
        if self.name() != relation:
            raise LeftToEngineError
        return self._alias() if self.left and self.key not in _TAIL else relation

    def _item(self) -> tuple[list[str], str]:
        if not self.is_name or self.key in _NO_COLUMN:
            raise LeftToEngineError
        chain = [token.name for token in self.dotted()]
        if len(chain) > 2:
            raise LeftToEngineError
        return chain, self._alias() if self.key not in {",", "FROM"} else chain[-1]

    def _alias(self) -> str:
        self.take("AS")
        if self.key in NO_ALIAS:
            raise LeftToEngineError
        return self.name()
