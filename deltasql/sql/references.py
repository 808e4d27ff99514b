"""Columns, sub-queries, conjuncts and calls in SQL text.

sqlglot parses it where structure matters; the text stays as it is. Where sqlglot cannot parse it, every name that may
be a column is taken for one; functions that only count brackets accept any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from deltasql.base.lazy import exp, sqlglot
from deltasql.plan.base import SqlText
from deltasql.schema.text import quote_name
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.tokens import Token, calls, closing, tokenize

DIALECT = "databricks"

AGGREGATES = frozenset(
    {
        *("any", "any_value", "approx_count_distinct", "approx_percentile", "approx_top_k"),
        *("approx_top_k_accumulate", "approx_top_k_combine", "array_agg", "avg", "bit_and", "bit_or"),
        *("bit_xor", "bitmap_and_agg", "bitmap_construct_agg", "bitmap_or_agg", "bool_and", "bool_or"),
        *("collect_list", "collect_set", "corr", "count", "count_if", "count_min_sketch", "covar_pop"),
        *("covar_samp", "every", "first", "first_value", "grouping", "grouping_id", "histogram_numeric"),
        *("hll_sketch_agg", "hll_union_agg", "kll_merge_agg_bigint", "kll_merge_agg_double"),
        *("kll_merge_agg_float", "kll_sketch_agg_bigint", "kll_sketch_agg_double", "kll_sketch_agg_float"),
        *("kurtosis", "last", "last_value", "listagg", "max", "max_by", "mean", "measure", "median", "min"),
        *("min_by", "mode", "percentile", "percentile_approx", "percentile_cont", "percentile_disc", "product"),
        *("regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx"),
        *("regr_sxy", "regr_syy", "schema_of_json_agg", "schema_of_variant_agg", "skewness", "some", "std"),
        *("stddev", "stddev_pop", "stddev_samp", "string_agg", "sum", "theta_intersection_agg"),
        *("theta_sketch_agg", "theta_union_agg", "try_avg", "try_sum", "tuple_intersection_agg_double"),
        *("tuple_intersection_agg_integer", "tuple_sketch_agg_double", "tuple_sketch_agg_integer"),
        *("tuple_union_agg_double", "tuple_union_agg_integer", "var_pop", "var_samp", "variance", "vector_avg"),
        *("vector_sum",),
    }
)
NOT_DETERMINISTIC = frozenset(
    {
        *("rand", "random", "randn", "randstr", "uniform", "uuid", "shuffle", "monotonically_increasing_id"),
        *("input_file_name", "input_file_block_start", "input_file_block_length", "spark_partition_id"),
        *("reflect", "java_method", "try_reflect", "ai_query"),
    }
)
_TELLS_TIME = frozenset(
    {
        *("now", "curdate", "current_date", "current_time", "current_timestamp", "localtimestamp", "unix_timestamp"),
        "getdate",
    }
)
_KINDS_OF_TIME = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"})
_MOMENT = re.compile(r"""[rR]?["']\s*(?:now|today|tomorrow|yesterday)\b""", re.IGNORECASE)
_QUERY_STARTS = frozenset({"SELECT", "FROM", "WITH", "TABLE", "VALUES"})
_NOT_NAMES = frozenset(
    {
        *("AND", "OR", "NOT", "IS", "NULL", "IN", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "ESCAPE", "TRUE"),
        *("FALSE", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT", "FROM", "INTERVAL", "EXISTS", "SELECT", "AS"),
        *("DIV", "ALL", "ANY", "SOME", "OVER"),
    }
)
# What makes more than an equality of an expression: operators as weak as `=`, and weaker ones.
_BINDS_LIKE_EQUALITY = frozenset(
    {
        *("=", "==", "<>", "!=", "<", ">", "<=", ">=", "<=>", "!", "NOT", "AND", "OR", "IS", "IN", "BETWEEN"),
        *("LIKE", "ILIKE", "RLIKE", "REGEXP", "EXISTS"),
    }
)


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column or field in an expression: a, t.a, a.b.c. Parts are without quotes; offsets span all."""

    parts: tuple[str, ...]
    start: int
    end: int


def parse_expression(sql: str) -> exp.Expression | None:
    """sqlglot's tree of an expression, None where it cannot be parsed. Identifiers have their offsets in `.meta`."""
    return _parsed(sql, exp.Condition)


def parse_statement(sql: str) -> exp.Expression | None:
    """As `parse_expression`, for a statement."""
    return _parsed(sql, None)


def _parsed(sql: str, kind: type[exp.Expression] | None) -> exp.Expression | None:
    try:
        return sqlglot.parse_one(sql, dialect=DIALECT, into=kind)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return None


def column_references(expression: str) -> list[ColumnReference]:
    """Columns that `expression` refers to, in order of position; those of its subqueries too.

    Left out are variables of lambdas, stars and names of functions. What follows a subscript (`a[0].b`) is not part
    of the reference. An expression that sqlglot cannot parse gives every name in it that may be a column.
    """
    tree = parse_expression(expression)
    references = _names_by_token(expression) if tree is None else _columns(tree)
    return sorted(set(references), key=lambda reference: (reference.start, reference.end))


def _columns(tree: exp.Expression) -> Iterator[ColumnReference]:
    for column in tree.find_all(exp.Column):
        identifiers = [part for part in column.parts if isinstance(part, exp.Identifier)]
        node: exp.Expression = column
        while isinstance(node.parent, exp.Dot) and node.arg_key == "this":
            node = node.parent
            if not isinstance(node.expression, exp.Identifier):
                break
            identifiers.append(node.expression)
        # An identifier without a position is sqlglot's own invention.
        if isinstance(column.this, exp.Identifier) and all("start" in part.meta for part in identifiers):
            parts = tuple(part.name for part in identifiers)
            yield ColumnReference(parts, identifiers[0].meta["start"], identifiers[-1].meta["end"] + 1)


def _names_by_token(expression: str) -> Iterator[ColumnReference]:
    for chain in name_chains(tokenize(expression)):
        if len(chain) > 1 or chain[0].key not in _NOT_NAMES:
            yield ColumnReference(tuple(token.name for token in chain), chain[0].start, chain[-1].end)


def free_names(sql: str, of: Collection[str] = ()) -> list[ColumnReference]:
    """Names in a query or an expression whose first part is neither an alias in it nor the name of a table.

    They are columns of its tables, and variables. Names that begin with one of the aliases `of` (in lower case) are
    taken, too. Empty where sqlglot cannot parse the text.
    """
    before = "SELECT ("
    tree = parse_statement(f"{before}{sql}\n)")
    if tree is None:
        return []
    named = {item.alias_or_name for item in tree.find_all(exp.Alias, exp.TableAlias)} | {
        column.name for item in tree.find_all(exp.TableAlias) for column in item.columns
    }
    named |= {table.name for table in tree.find_all(exp.Table)}
    names = {name.lower() for name in named} - set(of)
    references = (item for item in _columns(tree) if item.parts[0].lower() not in names)
    moved = (ColumnReference(item.parts, item.start - len(before), item.end - len(before)) for item in references)
    return sorted(set(moved), key=lambda reference: (reference.start, reference.end))


def refers_to(expression: str, path: tuple[str, ...]) -> bool:
    """Whether `expression` uses the column or field at `path`, something inside it, or what holds it."""
    folded = tuple(name.lower() for name in path)
    for reference in column_references(expression):
        used = tuple(part.lower() for part in reference.parts)
        shorter = min(len(used), len(folded))
        if used[:shorter] == folded[:shorter]:
            return True
    return False


class UsedNames:
    """The names of columns that some expressions may use, in any case: all of their words, and any name beside a star.

    With the alias of an `other` relation, names that it qualifies, as in `other.name`, are left out.
    """

    def __init__(self, expressions: Iterable[str], *, other: str = "") -> None:
        self._words: set[str] = set()
        self._all = False
        for sql in expressions:
            self._add(tokenize(sql), other.lower())

    def __contains__(self, name: str) -> bool:
        return self._all or name.lower() in self._words

    def _add(self, tokens: Sequence[Token], other: str) -> None:
        chains = (chain for chain in name_chains(tokens) if len(chain) > 1 and chain[0].name.lower() == other)
        others = {id(token) for chain in chains for token in chain}
        self._words |= {token.name.lower() for token in tokens if token.is_name and id(token) not in others}
        before = [None, *tokens]
        stars = (token.key == "*" and not _is_operand(last) for last, token in zip(before, tokens, strict=False))
        self._all = self._all or any(stars)


def _is_operand(token: Token | None) -> bool:
    """Whether a value may end with a token, so that a star behind it multiplies."""
    if token is None or token.key in _QUERY_STARTS | {"ALL", "DISTINCT"}:
        return False
    return token.kind != "symbol" or token.key in {")", "]"}


def name_chains(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Runs of identifiers joined by dots, the identifiers of one run each; names of functions are left out."""
    at = TokenCursor(tokens)
    while at.left:
        if not at.is_name:
            at.at += 1
            continue
        chain = at.dotted()
        if at.key != "(":
            yield chain


def has_subquery(expression: str) -> bool:
    """Whether a query stands in parentheses inside `expression`."""
    return next(subqueries(expression), None) is not None


def subqueries(expression: str) -> Iterator[str]:
    """The queries in parentheses inside `expression`, outermost ones only, without the parentheses."""
    at = TokenCursor(tokenize(expression))
    while at.left:
        if _opens_query(at):
            query = at.group()
            closes = len(query) > 1 and query[-1].key == ")"
            yield expression[query[0].end : query[-1].start if closes else len(expression)]
        else:
            at.at += 1


def _opens_query(at: TokenCursor) -> bool:
    if at.key != "(" or at.at + 2 >= len(at.tokens) or at.peek(1) not in _QUERY_STARTS:
        return False
    # Words that begin a query may also name a column: (values > 1), f(table.a).
    return at.peek(1) == "SELECT" or at.is_name_at(2) or at.peek(2) in {"(", ""}


def has_aggregate(expression: str) -> bool:
    """Whether an aggregate function is called outside subqueries, as a window function or not."""
    at = TokenCursor(tokenize(expression))
    while at.left:
        if _opens_query(at):
            at.group()
            continue
        # a LIKE ANY ('x', 'y') calls none.
        if _is_call(at, AGGREGATES) and at.peek(-1) not in {"LIKE", "ILIKE", "RLIKE"}:
            return True
        at.at += 1
    return False


def is_deterministic(expression: str) -> bool:
    """Whether `expression` gives the same value each time for one row: no rand, uuid, input_file_name …"""
    return not calls(expression, NOT_DETERMINISTIC)


def is_stable(expression: str) -> bool:
    """Whether a later evaluation gives the same value: no random function, and none of the current time."""
    tokens = tokenize(expression)
    names = (token.name.lower() for token in tokens if token.is_name)
    has_moment = any(_is_moment(*pair) for pair in pairwise(tokens))
    return is_deterministic(expression) and _TELLS_TIME.isdisjoint(names) and not has_moment


def _is_moment(kind: Token, text: Token) -> bool:
    """Whether two tokens are a literal of the current time: TIMESTAMP 'now', DATE 'yesterday'."""
    return text.kind == "string" and kind.key in _KINDS_OF_TIME and _MOMENT.match(text.text) is not None


def _is_call(at: TokenCursor, names: frozenset[str]) -> bool:
    return at.is_name and at.peek(1) == "(" and at.tokens[at.at].name.lower() in names


def split_conjuncts(expression: str) -> list[SqlText]:
    """The parts of `expression` that AND joins, without the parentheses around them; `start` is an offset in it."""
    return list(_conjuncts(expression, tokenize(expression)))


def _conjuncts(sql: str, tokens: list[Token]) -> Iterator[SqlText]:
    while _is_bracketed(tokens):
        tokens = tokens[1:-1]
    if not tokens:
        return
    parts = _split_at_and(tokens)
    if len(parts) == 1:
        yield SqlText(sql[tokens[0].start : tokens[-1].end], tokens[0].start)
        return
    for part in parts:
        yield from _conjuncts(sql, part)


def _is_bracketed(tokens: list[Token]) -> bool:
    """Whether parentheses stand around all of an expression."""
    opens = bool(tokens) and tokens[0].key == "(" and closing(tokens, 0) == len(tokens) - 1
    return opens and not _opens_query(TokenCursor(tokens))


def _split_at_and(tokens: list[Token]) -> list[list[Token]]:
    """Runs of tokens between the ANDs outside all brackets; one run when an OR joins them, which binds weaker."""
    parts: list[list[Token]] = [[]]
    depth = betweens = 0
    for token in tokens:
        depth += (token.key in {"(", "[", "CASE"}) - (token.key in {")", "]", "END"})
        if depth == 0 and token.key == "OR":
            return [tokens]
        betweens += depth == 0 and token.key == "BETWEEN"
        if depth == 0 and token.key == "AND" and betweens == 0:
            parts.append([])
            continue
        betweens -= depth == 0 and token.key == "AND"
        parts[-1].append(token)
    return parts


def equal_sides(expression: str) -> tuple[str, str] | None:
    """The two sides when `expression` is one equality (`=` or `==`) of operands, else None."""
    tokens = tokenize(expression)
    depth, signs = 0, []
    for index, token in enumerate(tokens):
        depth += (token.key in {"(", "[", "CASE"}) - (token.key in {")", "]", "END"})
        if depth == 0 and token.key in _BINDS_LIKE_EQUALITY:
            signs.append(index)
    if len(signs) != 1 or tokens[signs[0]].key not in {"=", "=="} or signs[0] in {0, len(tokens) - 1}:
        return None
    middle = tokens[signs[0]]
    return expression[tokens[0].start : middle.start].rstrip(), expression[middle.end : tokens[-1].end].lstrip()


def names_collation(expression: str) -> bool:
    """Whether `expression` names a collation: texts beside it then compare by that one, not by those of columns."""
    return "COLLATE" in expression.upper() and any(token.key == "COLLATE" for token in tokenize(expression))


Scope: TypeAlias = tuple[str, Callable[[], Sequence[str]]]
"""An alias, and a function that gives its columns."""


def stars_spelled(text: str, scopes: Sequence[Scope]) -> str:
    """An expression with columns in place of its stars, as in struct(*), which would include hidden columns.

    Stars of sub-queries stay, and those with a qualifier that is no scope.
    """
    at, pieces, done = TokenCursor(tokenize(text)), list[str](), 0
    while at.left:
        if _opens_query(at):
            at.group()
            continue
        position = at.at
        at.at += 1
        if not _is_star(at.tokens, position):
            continue
        start, chosen = _meant(at.tokens, position, scopes)
        left_out = _excepted(at)
        if chosen and left_out is not None:
            columns = [(alias, name) for alias, names in chosen for name in names() if name.lower() not in left_out]
            pieces += [
                text[done:start],
                ", ".join(f"{quote_name(alias)}.{quote_name(name)}" for alias, name in columns),
            ]
            done = at.tokens[at.at - 1].end
    return "".join([*pieces, text[done:]])


def _is_star(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token is a star that stands for columns; COUNT(*) counts rows."""
    if tokens[index].key != "*" or _is_operand(tokens[index - 1] if index else None):
        return False
    return not (index > 1 and tokens[index - 1].key == "(" and tokens[index - 2].key == "COUNT")


def _meant(tokens: Sequence[Token], index: int, scopes: Sequence[Scope]) -> tuple[int, Sequence[Scope]]:
    """The offset at which a star with its qualifier begins, and the scopes that it stands for."""
    if index < 2 or tokens[index - 1].key != ".":
        return tokens[index].start, scopes
    first = index - 2
    while first > 1 and tokens[first - 1].key == ".":
        first -= 2
    alias = tokens[index - 2].name.lower()
    return tokens[first].start, [scope for scope in scopes if scope[0].lower() == alias]


def _excepted(at: TokenCursor) -> set[str] | None:
    """The columns behind EXCEPT, which is read; None where it names fields."""
    if at.key != "EXCEPT" or at.peek(1) != "(":
        return set()
    at.take("EXCEPT")
    names = at.group()[1:-1]
    return None if any(token.key == "." for token in names) else {item.name.lower() for item in names if item.is_name}
