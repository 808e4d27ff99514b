"""Inlining of SQL functions for an engine without them: calls are replaced by the functions' bodies.

Only where the meaning stays equal: a body that is an expression of its parameters takes any arguments, one that reads
tables takes constants, so that no name of an argument clashes with a name of the body. The scope of a part of a query
is the FROM of its SELECT, and the WITH clauses of the queries around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from deltasql.base import Token, TokenCursor, calls, closing, comma_separated, errors, tokenize
from deltasql.schema import quote_name as quote
from deltasql.sql import AGGREGATES, FunctionText, Parameter, has_subquery, is_deterministic

_TABLES = frozenset({"FROM", "JOIN", "LATERAL"})
_NO_TABLES = frozenset({"EXTRACT", "TRIM", "OVERLAY", "SUBSTRING", "SUBSTR"})
"""Functions with a FROM between their brackets."""
_LIST_ENDS = frozenset(
    {
        "",
        ")",
        ",",
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "SORT",
        "LIMIT",
        "UNION",
        "INTERSECT",
        "EXCEPT",
        "WINDOW",
    }
)
CALL_OF_TABLE = "SELECT * FROM "
"""The begin of the body of a table function that calls another one."""
_MOST = 1000
"""Most calls in one text, with those in bodies."""


@dataclass(frozen=True, slots=True)
class Inline:
    """A function: its `name` in texts, its definition, and the `columns`, in capitals, of tables its body reads.

    `is_call`: its body only calls a function of the engine, which has the same types. `ends`: it is a table function
    that gives rows at the end of all calls.
    """

    name: str
    text: FunctionText
    columns: frozenset[str] = frozenset()
    is_call: bool = False
    ends: bool = False

    @property
    def reads(self) -> bool:
        """Whether the body is or contains a query that reads tables."""
        if self.is_call:
            return False
        return self.text.is_table or _is_query(self.text.body) or has_subquery(self.text.body)


def inlined(sql: str, functions: Mapping[str, Inline]) -> str:
    """`sql` with bodies in place of calls of `functions`, which maps names. Raises NotOnSailError, SparkError."""
    for _ in range(_MOST):
        tokens = tokenize(sql)
        # The last one has no other within its brackets.
        at = next((index for index in reversed(range(len(tokens) - 1)) if _is_call(tokens, index, functions)), None)
        if at is None:
            return sql
        end = closing(tokens, at + 1)
        if end >= len(tokens):
            return sql
        sql = _replaced(sql, tokens, at, end, functions[tokens[at].name])
    raise errors.NotOnSailError(what="so many calls of SQL functions")


def checked_body(function: Inline) -> str:
    """A query of the body with NULL for each parameter, by which the engine reports errors of the body."""
    if function.text.language not in (None, "SQL") or function.text.body_start is None:
        raise errors.NotOnSailError(what="functions that are not of SQL")
    if not function.reads and calls(function.text.body, AGGREGATES):
        text = (
            "User defined function is invalid: SQL scalar function cannot contain aggregate/window/generate functions"
        )
        raise errors.SparkError("USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS", "42601", text)
    nulls = {parameter.name.upper(): "NULL" for parameter in function.text.parameters}
    body = _value(function, nulls)
    return f"SELECT * FROM {body}" if function.text.is_table else f"SELECT {body}"


def _is_call(tokens: Sequence[Token], index: int, functions: Mapping[str, Inline]) -> bool:
    token = tokens[index]
    is_own = index == 0 or tokens[index - 1].key != "."
    return is_own and token.is_name and token.name in functions and tokens[index + 1].key == "("


def _replaced(sql: str, tokens: Sequence[Token], at: int, end: int, function: Inline) -> str:
    """`sql` with the body in place of the call whose name is token `at` and whose closing bracket is token `end`."""
    _check_kind(tokens, at, function)
    if function.ends and at and tokens[at - 1].key == "LATERAL":
        # They come beside a row of the query that depends on the order of rows.
        raise errors.NotOnSailError(what=f"LATERAL {function.name}(…), which gives more rows at the end, by terminate")
    arguments = _arguments(sql, tokens[at + 2 : end], function)
    behind = tokens[end + 1] if end + 1 < len(tokens) else None
    value = _value(function, arguments)
    if function.text.is_table:
        value += "" if _is_alias(behind) else f" AS {quote(function.name.rpartition('.')[2])}"
    elif _is_listed(tokens, at, behind):
        value += _alias(function, arguments)
    return sql[: tokens[at].start] + value + sql[tokens[end].end :]


def _check_kind(tokens: Sequence[Token], at: int, function: Inline) -> None:
    """Raises SparkError for a table function in place of a value, and a scalar function in place of a table."""
    before = tokens[at - 1].key if at else ""
    in_from = before in _TABLES and _around(tokens, at) not in _NO_TABLES
    name = _full(function)
    if in_from and not function.text.is_table:
        text = (
            f"{name} appears as a table function here, but the function was defined as a scalar function. Please "
            f"update the query to move the function call outside the FROM clause, or redefine {name} as a table "
            "function instead."
        )
        raise errors.SparkError("NOT_A_TABLE_FUNCTION", "42887", text)
    if function.text.is_table and not in_from and before != ",":
        text = (
            f"{name} appears as a scalar expression here, but the function was defined as a table function. Please "
            f"update the query to move the function call into the FROM clause, or redefine {name} as a scalar function "
            "instead."
        )
        raise errors.SparkError("NOT_A_SCALAR_FUNCTION", "42887", text)


def _full(function: Inline) -> str:
    return ".".join(f"`{part}`" for part in function.name.split("."))


def _is_alias(token: Token | None) -> bool:
    """Whether the token behind a table is an alias, or AS."""
    return token is not None and (token.key == "AS" or (token.is_name and token.key not in _AFTER_TABLE))


def _is_listed(tokens: Sequence[Token], at: int, behind: Token | None) -> bool:
    """Whether a call is a whole column of a SELECT list, without an alias."""
    before = tokens[at - 1].key if at else ""
    ends = behind is None or behind.key in _LIST_ENDS - {""}
    return before in {"SELECT", ","} and ends and _in_list(tokens, at)


_AFTER_TABLE = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "SORT", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "JOIN", "LEFT"}
    | {"RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "SEMI", "ANTI", "ON", "USING", "LATERAL", "WINDOW", "QUALIFY"}
    | {"CLUSTER", "DISTRIBUTE", "PIVOT", "UNPIVOT", "TABLESAMPLE", "MINUS"}
)


def _around(tokens: Sequence[Token], at: int) -> str:
    """The key of the token before the innermost bracket around a token; "" for none."""
    depth = 0
    for index in range(at - 1, 0, -1):
        depth += (tokens[index].key in {")", "]"}) - (tokens[index].key in {"(", "["})
        if depth < 0:
            return tokens[index - 1].key
    return ""


def _in_list(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is in a SELECT list, outside of all brackets in it."""
    depth = 0
    for index in range(at - 1, -1, -1):
        key = tokens[index].key
        depth += (key in {")", "]"}) - (key in {"(", "["})
        if depth < 0 or (depth == 0 and key in _LIST_ENDS - {"", ")", ","}) or key == "BY":
            return False
        if depth == 0 and key == "SELECT":
            return True
    return False


def _arguments(sql: str, tokens: Sequence[Token], function: Inline) -> dict[str, str]:
    """The text of each parameter, by its name in capitals, in declared order. Raises SparkError, NotOnSailError."""
    parameters, arguments = function.text.parameters, dict[str, str]()
    names = [parameter.name.upper() for parameter in parameters]
    for number, item in enumerate(filter(None, comma_separated(tokens))):
        key, value = _argument_of(item, [*names, *map(str, range(len(names), number + 1))][number])
        if key in arguments:
            raise errors.NotOnSailError(what=f"two values of one parameter of {function.name}")
        arguments[key] = sql[value[0].start : value[-1].end]
    needed = {item.name.upper() for item in parameters if item.default is None}
    if needed - arguments.keys() or arguments.keys() - set(names):
        text = (
            f"The {_full(function)} requires {len(parameters)} parameters but the actual number is {len(arguments)}. "
            "Please, refer to 'https://spark.apache.org/docs/latest/sql-ref-functions.html' for a fix."
        )
        raise errors.SparkError("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605", text)
    return {key: arguments[key] for key in names if key in arguments}


def _argument_of(item: list[Token], key: str) -> tuple[str, list[Token]]:
    """The parameter and the value of `name => value`; of a value alone the parameter is `key`."""
    if len(item) > 2 and item[0].is_name and item[1].key == "=>":
        return item[0].name.upper(), item[2:]
    return key, item


def _alias(function: Inline, arguments: Mapping[str, str]) -> str:
    """The name that Spark gives the column; "" where the text alone does not determine it."""
    texts = list[str]()
    for text in arguments.values():
        tokens = tokenize(text)
        is_name = all(token.is_name if index % 2 == 0 else token.key == "." for index, token in enumerate(tokens))
        if not tokens or not (text.isdecimal() or (is_name and tokens[-1].key not in {"NULL", "TRUE", "FALSE"})):
            if not function.is_call:
                return ""
            # The name that Sail makes up would have its own name of the function.
            texts.append(_without_quotes(text, tokens))
            continue
        texts.append(tokens[-1].name if is_name else text)
    return f" AS {quote(function.name + '(' + ', '.join(texts) + ')')}"


def _without_quotes(text: str, tokens: Sequence[Token]) -> str:
    """An expression with its texts as Spark shows them in names of columns."""
    pieces, end, before = list[str](), 0, ""
    for token in tokens:
        if token.kind == "string" and token.text[:1] in "'\"" and before not in _TYPED:
            pieces += [text[end : token.start], token.text[1:-1]]
            end = token.end
        before = token.key
    return "".join([*pieces, text[end:]])


_TYPED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "INTERVAL", "X"})
"""Words that make a text behind them a literal of another type."""


def _value(function: Inline, arguments: Mapping[str, str]) -> str:
    """The body with arguments in place of parameters: a value, or a query in brackets."""
    text = function.text
    if function.reads and not all(map(_is_constant, arguments.values())):
        raise errors.NotOnSailError(
            what=f"the function {function.name}, which reads tables, with arguments that are no constants"
        )
    values = dict[str, str]()
    for parameter in text.parameters:
        values[parameter.name.upper()] = _argument(parameter, arguments)
    body = _with_arguments(function, values)
    if function.is_call and text.is_table:
        return body.removeprefix(CALL_OF_TABLE)
    if text.columns is not None:
        if not text.columns:
            return f"(\n{body}\n)"
        names = [f"c{index}" for index in range(len(text.columns))]
        casts = (
            f"CAST({quote(name)} AS {column.type}) AS {quote(column.name)}"
            for name, column in zip(names, text.columns, strict=True)
        )
        return f"(SELECT {', '.join(casts)} FROM (\n{body}\n) AS q({', '.join(map(quote, names))}))"
    if _is_query(body):
        body = f"(\n{body}\n)"
    return f"CAST(({body}) AS {text.returns})" if text.returns is not None else f"({body})"


def _is_query(body: str) -> bool:
    return any(token.key in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"} for token in tokenize(body)[:1])


def _argument(parameter: Parameter, arguments: Mapping[str, str]) -> str:
    value = arguments.get(parameter.name.upper(), parameter.default)
    return f"CAST(({value}) AS {parameter.type})"


def _is_constant(text: str) -> bool:
    return all(token.kind in {"number", "string"} or token.key in _CONSTANT for token in tokenize(text))


_CONSTANT = frozenset(
    {"NULL", "TRUE", "FALSE", "CAST", "AS", "(", ")", "-", "+", "*", ",", ".", "DATE", "TIMESTAMP"}
) | {*("INT", "BIGINT", "SMALLINT", "TINYINT", "STRING", "DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN")}


def _with_arguments(function: Inline, values: Mapping[str, str]) -> str:
    """The body with values in place of parameters. Raises NotOnSailError."""
    body, pieces, end, used = function.text.body, list[str](), 0, list[str]()
    tokens = tokenize(body)
    if values and any(token.key in {"->", "=>"} for token in tokens):
        raise errors.NotOnSailError(what=f"the function {function.name}, whose body declares variables")
    hidden = _hidden(function, tokens)
    for chain in _chains(tokens):
        of_function = len(chain) > 1 and chain[0].name == function.name
        last = chain[int(of_function)]
        key = last.name.upper()
        if key not in values:
            continue
        if key in hidden and not of_function:
            raise errors.NotOnSailError(what=f"the function {function.name}, whose parameter is called like a column")
        used.append(key)
        pieces += [body[end : chain[0].start], values[key]]
        end = last.end
    for key in set(used):
        if used.count(key) > 1 and not is_deterministic(values[key]):
            raise errors.NotOnSailError(what=f"the function {function.name} of a value that differs each time")
    return "".join([*pieces, body[end:]])


def _hidden(function: Inline, tokens: Sequence[Token]) -> frozenset[str]:
    """The names, in capitals, that mean a column in a body that reads tables."""
    if not function.reads:
        return frozenset()
    return function.columns | {after.name.upper() for token, after in pairwise(tokens) if token.key == "AS"}


def _chains(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each dotted name that may be a parameter."""
    at = TokenCursor(tokens)
    while at.left:
        if not at.is_name or at.peek(-1) in {".", "AS"}:
            at.at += 1
            continue
        chain = at.dotted()
        if at.key != "(":
            yield chain


_BEHIND_FROM = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"}
    | {"UNION", "INTERSECT", "EXCEPT", "MINUS"}
)
SETS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_QUERIES = frozenset({"SELECT", "WITH"})


class SailScope(NamedTuple):
    """The scope of an expression: a WITH clause `before` it or "", and the FROM clause, its `relation`, or "".

    `names` are the aliases of the SELECT, in upper case, where they hide columns of the FROM: in clauses behind it.
    Outside of any query `is_query` is False.
    """

    before: str = ""
    relation: str = ""
    names: frozenset[str] = frozenset()
    is_query: bool = False


def scope_at(sql: str, tokens: Sequence[Token], at: int) -> SailScope:
    """The scope of the token at an index."""
    groups = [(0, len(tokens)), *_groups_around(tokens, at)]
    queries = [(start, end) for start, end in groups if start < end and tokens[start].key in _QUERIES]
    lists = [text for start, end in queries for text in _common_tables(sql, tokens, start, end, at)]
    before = f"WITH {', '.join(lists)} " if lists else ""
    return _selected(sql, tokens, queries[-1], at)._replace(before=before) if queries else SailScope()


def _selected(sql: str, tokens: Sequence[Token], query: tuple[int, int], at: int) -> SailScope:
    """The scope within the SELECT of a query that contains a token."""
    positions, end = list(_outside(tokens, *query)), query[1]
    select = max((index for index in positions if index <= at and tokens[index].key == "SELECT"), default=None)
    if select is None:
        return SailScope()
    behind = [index for index in positions if index > select]
    stop = _first(behind, end, lambda index: divides(tokens, index))
    begin = _first(behind, stop, lambda index: index < stop and tokens[index].key == "FROM")
    if begin == stop:
        return SailScope(is_query=True)
    last = _first(behind, end, lambda index: index > begin and tokens[index].key in _BEHIND_FROM)
    relation = sql[tokens[begin].start : tokens[last - 1].end]
    return SailScope(relation=relation, names=_hiding(tokens, range(select + 1, begin), last, at), is_query=True)


def _hiding(tokens: Sequence[Token], chosen: range, last: int, at: int) -> frozenset[str]:
    """The aliases of the columns `chosen`, for a token behind the FROM that ends at `last`, except in a WHERE."""
    if at <= last or tokens[last].key == "WHERE":
        return frozenset()
    return frozenset(_aliases(tokens, list(_outside(tokens, chosen.start, chosen.stop))))


def _first(positions: Sequence[int], otherwise: int, holds: Callable[[int], bool]) -> int:
    return next(filter(holds, positions), otherwise)


def _groups_around(tokens: Sequence[Token], at: int) -> Iterator[tuple[int, int]]:
    """The token range of each pair of brackets around a token, from the outermost."""
    opened = list[int]()
    for index in range(at):
        if tokens[index].key == "(":
            opened.append(index)
        elif tokens[index].key == ")" and opened:
            opened.pop()
    for index in opened:
        yield index + 1, min(closing(tokens, index), len(tokens))


def _common_tables(sql: str, tokens: Sequence[Token], start: int, end: int, at: int) -> Iterator[str]:
    """The `name AS (…)` of a query's WITH that end before a token."""
    if tokens[start].key != "WITH":
        return
    first = start + 1
    for index in _outside(tokens, start + 1, end):
        if index < first:
            continue
        if tokens[index].key == "(" and tokens[index - 1].key in {"AS", "MATERIALIZED"}:
            close = closing(tokens, index)
            if close >= at:
                return
            yield sql[tokens[first].start : tokens[close].end]
            if close + 1 >= end or tokens[close + 1].key != ",":
                return
            first = close + 2


def _aliases(tokens: Sequence[Token], positions: Sequence[int]) -> Iterator[str]:
    """Names behind AS, and names that stand alone behind a value."""
    for index in positions:
        token, before = tokens[index], tokens[index - 1]
        if token.key == "AS":
            continue
        behind_value = before.kind in {"string", "number", "quoted"} or before.key in {"AS", ")"}
        if token.is_name and (behind_value or (before.is_name and before.key not in {"SELECT", "DISTINCT", "ALL"})):
            yield token.name.upper()


def lambda_spans(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The token range of each lambda from its arrow: names in it may be its parameters."""
    for at, token in enumerate(tokens):
        if token.key == "->":
            ends = (index for index in _outside(tokens, at + 1, len(tokens)) if tokens[index].key in {",", ")", "]"})
            yield at, next(ends, len(tokens))


def divides(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token divides two branches of a query, and is not the EXCEPT of `* EXCEPT (column)`."""
    return tokens[at].key in SETS and not (tokens[at].key == "EXCEPT" and at > 0 and tokens[at - 1].key == "*")


def _outside(tokens: Sequence[Token], start: int, end: int) -> Iterator[int]:
    """The indexes of the tokens of a range outside of all brackets in it."""
    at = start
    while at < end:
        yield at
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
