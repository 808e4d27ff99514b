"""Queries over one relation, for in-process evaluation: SELECT … FROM r WHERE … ORDER BY … LIMIT …

``parquet.`/a/path` `` in the text of a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from deltasql.base.errors.base import LeftToEngineError
from deltasql.plan.base import quote
from deltasql.schema.checks import HIDDEN_PREFIX
from deltasql.sql.constants import whole_number
from deltasql.sql.cursor import require_value
from deltasql.sql.queries.projections import PlainSelect, inner_query
from deltasql.sql.tokens import Token, tokenize


@dataclass(frozen=True, slots=True)
class Order:
    """An item of ORDER BY: the name of a column of the result, or its number from 1."""

    column: str | int
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """`columns` as by `plain_columns`, of a relation with an `alias`; `where` is SQL, None without one."""

    columns: tuple[tuple[str, str], ...]
    alias: str
    where: str | None
    order: tuple[Order, ...]
    limit: int | None


def selection(sql: str, relation: str) -> Selection:
    """The parsed query over `relation`. Raises LeftToEngineError for any other query."""
    sql = inner_query(sql)
    reader = _Reader(sql)
    try:
        columns, alias = reader.columns(relation)
        parsed = Selection(columns, alias, reader.where(sql), reader.order(), reader.limit())
        reader.end()
    except LeftToEngineError:
        raise LeftToEngineError("the query is more than columns, WHERE, ORDER BY and LIMIT of one table") from None
    return parsed


@dataclass(frozen=True, slots=True)
class Counting:
    """SELECT count(*) AS name FROM relation AS alias WHERE where, which is SQL; None is a name that Spark makes."""

    name: str | None
    alias: str
    where: str


def counting(sql: str, relation: str) -> Counting:
    """The parsed query for the number of rows of `relation`. Raises LeftToEngineError for any other query."""
    reader = _Reader(sql)
    parsed = Counting(*reader.count(relation), require_value(reader.where(sql)))
    reader.end()
    return parsed


class _Reader(PlainSelect):
    def count(self, relation: str) -> tuple[str | None, str]:
        """The name of the column with the number, if it is given one, and the alias of the relation."""
        for word in ("SELECT", "COUNT", "("):
            self.need(word)
        if not self.take("*", "1"):
            raise LeftToEngineError
        self.need(")")
        return None if self.key == "FROM" else self._alias(), self._source(relation)

    def where(self, sql: str) -> str | None:
        if not self.take("WHERE"):
            return None
        found = self.before("ORDER", "LIMIT")
        return sql[found[0].start : found[-1].end]

    def order(self) -> tuple[Order, ...]:
        if not self.take("ORDER"):
            return ()
        self.need("BY")
        return tuple(self.listed(self._ordered))

    def _ordered(self) -> Order:
        column = require_value(whole_number(self.next().text)) if self.kind == "number" else self.name()
        return Order(column, *self.sort_direction())

    def limit(self) -> int | None:
        if not self.take("LIMIT"):
            return None
        token = self.next()
        return require_value(whole_number(token.text) if token.kind == "number" else None)


_SUSPECT = re.compile(r"\bparquet\s*\.\s*`", re.IGNORECASE)


def parquet_paths(sql: str) -> list[tuple[Token, Token]]:
    """The first and the last token of each ``parquet.`path` `` in a text."""
    return list(_path_tokens(tokenize(sql))) if _SUSPECT.search(sql) else []


def _path_tokens(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    for index in range(len(tokens) - 2):
        first, dot, last = tokens[index : index + 3]
        is_whole = index == 0 or tokens[index - 1].key != "."
        if is_whole and first.key == "PARQUET" and dot.key == "." and last.kind == "quoted" and "/" in last.name:
            yield first, last


@dataclass(frozen=True, slots=True)
class PathQuery:
    """A query with `relation`, a name of ours, in place of the ``parquet.`path` `` that it is over."""

    sql: str
    relation: str
    path: str


def without_parquet_path(sql: str) -> PathQuery | None:
    """The query with a view in place of its one path; None for a query with none or several."""
    paths = parquet_paths(sql)
    if len(paths) != 1:
        return None
    ((first, last),) = paths
    view = view_of(last.name)
    return PathQuery(sql[: first.start] + quote(view) + sql[last.end :], view, last.name)


def view_of(path: str) -> str:
    """The name of the view of the files that a path stands for."""
    return f"{HIDDEN_PREFIX}parquet_{sha256(path.encode()).hexdigest()[:16]}"
