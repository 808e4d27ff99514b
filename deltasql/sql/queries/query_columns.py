"""The columns of a view's query without Spark: of the plain ones, `SELECT a, 1 AS b FROM t WHERE …`.

Gives up at any other clause, at a second table, at an alias without AS, and at expressions whose type is not known.

The columns that a query names, by its tokens alone.

VALUES whose rows contain sub-queries, which Spark supports only in a SELECT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from deltasql.plan.operators import Scan, SqlQuery
from deltasql.schema.types import BOOLEAN, DataType, StructField, StructType
from deltasql.sql.expression_types import derived_type
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import has_subquery
from deltasql.sql.text_edits import Replacement, splice
from deltasql.sql.tokens import Token, TokenCursor, closing, comma_separated, tokenize


def derived_columns(text: str, query: SqlQuery) -> StructType | None:
    """The columns of the query in `text`, which `query` has bound; None where only Spark can tell, or object."""
    source = _source(text, query)
    tokens = tokenize(text)
    if source is None or not tokens or tokens[0].key != "SELECT":
        return None
    clauses = _clauses(tokens)
    if [key for key, _ in clauses] not in (["SELECT"], ["SELECT", "FROM"], ["SELECT", "FROM", "WHERE"]):
        return None
    by_key = dict(clauses)
    if ("FROM" in by_key) != bool(query.relations):
        return None
    if "WHERE" in by_key and _type(text, by_key["WHERE"], source) != BOOLEAN:
        return None
    fields: list[StructField] = []
    for item in comma_separated(by_key["SELECT"]):
        derived = _fields(text, item, source)
        if derived is None:
            return None
        fields += derived
    return StructType(tuple(fields))


def _source(text: str, query: SqlQuery) -> StructType | None:
    """The columns of the one table or view that the query names bare, no columns where it names none; else None."""
    references = table_references(text)
    if not references:
        return StructType()
    operators = tuple(query.relations.values())
    if len(references) != 1 or len(operators) != 1 or references[0].alias is not None:
        return None
    match operators[0]:
        case Scan(schema=schema, described=False):
            return schema
        case SqlQuery(view=view) if view is not None:
            return view.schema
        case _:
            return None


def _clauses(tokens: Sequence[Token]) -> list[tuple[str, list[Token]]]:
    """The tokens behind SELECT, FROM and WHERE outside of brackets; none where more than a name stands behind FROM."""
    clauses: list[tuple[str, list[Token]]] = []
    cursor = TokenCursor(tokens)
    while cursor.left:
        key = cursor.take("SELECT", "FROM", "WHERE")
        if key:
            clauses.append((key, []))
        else:
            clauses[-1][1].extend(cursor.group())
    return clauses if all(key != "FROM" or _is_name(part) for key, part in clauses) else []


def _is_name(tokens: list[Token]) -> bool:
    names, dots = tokens[::2], tokens[1::2]
    return bool(names) and all(token.is_name for token in names) and all(token.key == "." for token in dots)


def _fields(text: str, item: list[Token], source: StructType) -> list[StructField] | None:
    if [token.key for token in item] == ["*"] and len(source):
        return [_like(field.name, field) for field in source]
    expression, name = _named(item)
    kind = _type(text, expression, source)
    if name is None or kind is None:
        return None
    column = source.find(expression[0].name) if len(expression) == 1 and expression[0].is_name else None
    return [StructField(name, kind) if column is None else _like(name, replace(column, type=kind))]


def _like(name: str, column: StructField) -> StructField:
    """A column of a query that is one of its table, whose comment it keeps."""
    comment = {} if column.comment is None else {"comment": column.comment}
    return StructField(name, column.type, metadata=comment)


def _named(item: list[Token]) -> tuple[list[Token], str | None]:
    """The expression of an item, and its name: its alias, or what the item itself is."""
    if len(item) > 2 and item[-2].key == "AS" and item[-1].is_name:
        return item[:-2], item[-1].name
    is_name = len(item) == 1 and (item[0].is_name or item[0].text.isdecimal())
    return item, item[0].name if is_name else None


def _type(text: str, tokens: list[Token], source: StructType) -> DataType | None:
    return derived_type(text[tokens[0].start : tokens[-1].end], source) if tokens else None


_WHOLE = frozenset({"*", "TABLE", "NATURAL", "|>", "STRUCT"})
"""Tokens by which a query may use columns that it does not name."""
_BEFORE_FROM = frozenset({"(", ")", "UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"})
"""Tokens behind which FROM begins a query, and stands for SELECT * FROM."""


def named_columns(sql: str) -> frozenset[str] | None:
    """All names in a query, in lower case; None where it may use columns that it does not name, as SELECT * does."""
    tokens = tokenize(sql)
    if not tokens or tokens[0].key not in {"SELECT", "WITH", "("} or any(token.key in _WHOLE for token in tokens):
        return None
    if any(after.key == "FROM" and before.key in _BEFORE_FROM for before, after in pairwise(tokens)):
        return None
    return frozenset(token.name.lower() for token in tokens if token.is_name)


def selected_rows(query: str) -> str:
    """VALUES (a, b), (c, d) as SELECT a, b UNION ALL SELECT c, d where a sub-query is among them; else as it is."""
    if query[:6].upper() != "VALUES" or not has_subquery(query[6:]):
        return query
    tokens = tokenize(query)
    edits = list(_edits(tokens))
    return splice(query, edits).sql if edits else query


def _edits(tokens: Sequence[Token]) -> Iterator[Replacement]:
    """The changes of the text; none for rows without parentheses, or with a name behind them."""
    edits: list[Replacement] = [(tokens[0].start, tokens[0].end, "")]
    at = 1
    while at < len(tokens) and tokens[at].key == "(":
        end = closing(tokens, at)
        if end == len(tokens):
            return
        edits += [(tokens[at].start, tokens[at].end, "SELECT "), (tokens[end].start, tokens[end].end, "")]
        at = end + 1
        if at == len(tokens):
            yield from edits
            return
        if tokens[at].key != ",":
            return
        edits.append((tokens[at].start, tokens[at].end, " UNION ALL "))
        at += 1
