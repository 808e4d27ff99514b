"""Columns, sub-queries, conjuncts and calls in SQL text, and suggestions where such a text has a syntax error.

sqlglot parses it where structure matters; the text stays as it is. Where sqlglot cannot parse it, every name that may
be a column is taken for one; functions that only count brackets accept any text.

Suggestions look at the words around the offset where Spark's parser stopped, and give up where several changes would
do. When Spark refuses a text that was generated from parts of a statement, tokens are compared to find the error's
offset in the statement.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeAlias

from deltasql.base import (
    Caret,
    LeftToEngineError,
    Token,
    TokenCursor,
    calls,
    closing,
    exp,
    resembling,
    sqlglot,
    tokenize,
)
from deltasql.plan import SqlText
from deltasql.schema import quote_name
from deltasql.sql.expressions import CallNode, ColumnNode, Node, expression_tree, nodes

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
    of the reference. An expression that nothing here can parse gives every name in it that may be a column.
    """
    try:
        references = _columns_of(expression_tree(expression))
    except (LeftToEngineError, RecursionError):
        tree = parse_expression(expression)
        references = [*(_names_by_token(expression) if tree is None else _columns(tree))]
    return sorted(set(references), key=lambda reference: (reference.start, reference.end))


_WITHOUT_BRACKETS = frozenset(
    {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "LOCALTIME", "LOCALTIMESTAMP", "SESSION_USER"}
)
"""Functions that are called without brackets."""
_TAKE_UNITS = frozenset({"DATEADD", "DATE_ADD", "DATEDIFF", "DATE_DIFF", "TIMESTAMPADD", "TIMESTAMPDIFF", "TIMEDIFF"})
"""Functions whose first argument may be the word of a unit."""


def _columns_of(tree: Node) -> list[ColumnReference]:
    """The columns of a tree. Raises LeftToEngineError for a word that may be none."""
    found = []
    for node in nodes(tree):
        if isinstance(node, ColumnNode):
            if len(node.tokens) == 1 and node.tokens[0].key in _WITHOUT_BRACKETS:
                raise LeftToEngineError
            found.append(ColumnReference(node.names, node.tokens[0].start, node.tokens[-1].end))
        elif isinstance(node, CallNode) and node.function.key in _TAKE_UNITS and len(node.arguments) > 2:
            raise LeftToEngineError
    return found


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
    for chain in name_chains(expression):
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


def name_chains(read: str | Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The names joined by dots in a text or in tokens of one, the parts of one each; functions are left out."""
    at = TokenCursor(read)
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
    at = TokenCursor(expression)
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
    at = TokenCursor(expression)
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


def _conjuncts(sql: str, tokens: Sequence[Token]) -> Iterator[SqlText]:
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


def _is_bracketed(tokens: Sequence[Token]) -> bool:
    """Whether parentheses stand around all of an expression."""
    opens = bool(tokens) and tokens[0].key == "(" and closing(tokens, 0) == len(tokens) - 1
    return opens and not _opens_query(TokenCursor(tokens))


def _split_at_and(tokens: Sequence[Token]) -> Sequence[Sequence[Token]]:
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
    at, pieces, done = TokenCursor(text), list[str](), 0
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


_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "JOIN", "LEFT", "RIGHT", "INNER"),
    *("OUTER", "FULL", "CROSS", "SEMI", "ANTI", "LATERAL", "USING", "UNION", "ALL", "DISTINCT", "INTERSECT", "EXCEPT"),
    *("AND", "NOT", "LIKE", "ILIKE", "RLIKE", "BETWEEN", "NULL", "EXISTS", "CASE", "WHEN", "THEN", "ELSE", "END"),
    *("DESC", "ASC", "VALUES", "WITH", "OVER", "PARTITION", "VERSION", "TIMESTAMP", "INTERVAL", "QUALIFY", "PIVOT"),
    *("UNPIVOT", "TABLESAMPLE", "RECURSIVE", "ESCAPE", "FILTER", "NULLS", "FIRST", "LAST", "ROWS", "RANGE"),
)
_BEFORE_BY = frozenset({"GROUP", "ORDER", "PARTITION", "CLUSTER", "DISTRIBUTE", "SORT"})
_AFTER = {
    **dict.fromkeys(("FROM", "JOIN"), "a table"),
    **dict.fromkeys(("WHERE", "AND", "OR", "NOT", "ON", "HAVING", "WHEN", "QUALIFY"), "a condition"),
    **dict.fromkeys(("LIMIT", "OFFSET"), "a number"),
    **dict.fromkeys(("BY", "SELECT", "DISTINCT"), "columns"),
    **dict.fromkeys(("UNION", "EXCEPT", "INTERSECT", "ALL"), "a query"),
    **dict.fromkeys(("LIKE", "ILIKE", "RLIKE"), "a pattern"),
    **dict.fromkeys(("THEN", "ELSE", "BETWEEN"), "a value"),
    **dict.fromkeys(("=", "==", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "/", "%", "||"), "a value"),
    "GROUP": "BY",
    "ORDER": "BY",
    "IN": "values in parentheses",
    "AS": "a name",
    "CASE": "WHEN",
}
"""Keywords that cannot end a statement, with what must follow each."""
_MOST_TOKENS = 2000


def meant(sql: str, at: int) -> tuple[str, Caret] | None:
    """The likely mistake near offset `at`, where Spark's parser stopped, as sentences and caret; None if unclear."""
    tokens = tokenize(sql)
    if not tokens or len(tokens) > _MOST_TOKENS:
        return None
    index = next((index for index, token in enumerate(tokens) if token.end > at), len(tokens))
    if index >= len(tokens) - 2:
        ended = unfinished(sql)
        if ended:
            return ended
    for token_index in (index, index - 1, index - 2):
        if 0 <= token_index < len(tokens):
            suggestion = _word_by(sql, tokens, token_index) or _word_misspelt(sql, tokens, token_index)
            if suggestion:
                return suggestion
    return None


def unfinished(sql: str) -> tuple[str, Caret] | None:
    """The missing end of a statement, as sentence and caret, where its last word requires more; None for any other."""
    tokens = [token for token in tokenize(sql) if token.key != ";"]
    last = tokens[-1] if tokens else None
    before = tokens[-2].key if len(tokens) > 1 else ""
    if last is None or before in {"AS", "."}:
        return None
    caret = Caret(sql, last.end, last.end)
    if last.key == ",":
        return "Found the end of the statement after a comma. Remove the comma.", Caret(sql, last.start, last.end)
    expected = _AFTER.get(last.key)
    return (f"Found the end of the statement, but expected {expected} after {last.key}.", caret) if expected else None


def without_from(sql: str) -> tuple[str, Caret] | None:
    """The missing FROM, as in `SELECT * orders`, as sentence and caret; None for any other statement."""
    tokens = tokenize(sql)
    if any(token.key == "FROM" for token in tokens):
        return None
    for star, name in pairwise(tokens):
        if star.key == "*" and name.is_name:
            sentence = f"Found '{name.text}', but expected FROM. Did you mean FROM {name.text}?"
            return sentence, Caret(sql, name.start, name.end)
    return None


def _word_by(sql: str, tokens: Sequence[Token], index: int) -> tuple[str, Caret] | None:
    """The missing BY of ORDER qty, or AS OF for VERSION OF 1, as sentence and caret."""
    token = tokens[index]
    after = tokens[index + 1].key if index + 1 < len(tokens) else ""
    if token.key in _BEFORE_BY and after != "BY" and can_be_read(f"{sql[: token.end]} BY{sql[token.end :]}"):
        return f"Found '{token.text}' without BY. Did you mean {token.key} BY?", Caret(sql, token.start, token.end)
    if token.key in {"VERSION", "TIMESTAMP"} and after == "OF":
        return f"Found '{token.text} OF'. Did you mean {token.key} AS OF?", Caret(
            sql, token.start, tokens[index + 1].end
        )
    return None


def _word_misspelt(sql: str, tokens: Sequence[Token], index: int) -> tuple[str, Caret] | None:
    token = tokens[index]
    dotted = index > 0 and tokens[index - 1].key == "."
    if token.kind != "word" or token.key in _WORDS or dotted:
        return None
    words = [word for word in resembling(token.key, _WORDS) if can_be_read(_with(sql, token, word))]
    if len(words) != 1:
        return None
    return f"Found '{token.text}'. Did you mean {words[0]}?", Caret(sql, token.start, token.end)


def _with(sql: str, token: Token, word: str) -> str:
    return f"{sql[: token.start]}{word}{sql[token.end :]}"


# Token by token the comparison of two long texts takes a moment.
_MOST_TOKENS_syntax = 5000


def corresponding(generated: str, offset: int, sql: str) -> Caret | None:
    """The place in `sql` of what stands at `offset` of `generated`, a text made of parts of `sql` and words of our own.

    At a word of our own it is what stands before that. None where nothing corresponds.
    """
    ours, theirs = tokenize(generated), tokenize(sql)
    if len(ours) + len(theirs) > _MOST_TOKENS_syntax:
        return None
    at = bisect_right([token.end for token in ours], offset)
    matcher = SequenceMatcher(None, [token.text for token in ours], [token.text for token in theirs], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size and block.a <= at]
    if not blocks:
        return None
    last = blocks[-1]
    if at == len(ours) and last.b + last.size == len(theirs):
        return Caret(sql, theirs[-1].end, theirs[-1].end)
    token = theirs[last.b + min(at - last.a, last.size - 1)]
    return Caret(sql, token.start, token.end)


def unreadable_part(sql: str) -> Caret | None:
    """The place where sqlglot cannot go on; None for a statement that it can read."""
    try:
        sqlglot.parse_one(sql, dialect=DIALECT)
    except sqlglot.errors.ParseError as error:
        error_details = error.errors[0] if error.errors else {}
        before = "".join(sql.splitlines(keepends=True)[: (error_details.get("line") or 1) - 1])
        end = len(before) + (error_details.get("col") or 0)
        start = end - len(error_details.get("highlight") or "")
        return Caret(sql, start, end) if 0 <= start < end <= len(sql) else None
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return None
    return None


def can_be_read(sql: str) -> bool:
    """Whether sqlglot reads `sql` as a statement of SQL, and not as one that it merely passes on."""
    tree = parse_statement(sql.rstrip().rstrip(";"))
    return tree is not None and not isinstance(tree, exp.Command)
