"""Pipe syntax as nested queries, fields of maps and arrays, and other syntax that Sail lacks, rewritten over tokens.

Sail does not parse `FROM t |> WHERE a |> SELECT b`. Source: Spark, SQL Pipe Syntax. It does not support `m.k` of a map
and `a.x` of an array of structs either, which become equivalent expressions. The least number of each type becomes a
cast. INSERT OVERWRITE DIRECTORY is parsed, since this process writes its files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from deltasql.base import (
    LeftToEngineError,
    Token,
    TokenCursor,
    closing,
    comma_separated,
    errors,
    require_value,
    tokenize,
)
from deltasql.engines.sail.dialect.inlining import scope_at
from deltasql.engines.sail.dialect.order import behind_with
from deltasql.engines.sail.guards.exact_types import OperandRows
from deltasql.schema import ArrayType, DataType, MapType, StructType, sql_literal
from deltasql.schema import quote_name as quote
from deltasql.sql import unquote

CALLED = frozenset(
    {"LEFT", "RIGHT", "FIRST", "LAST", "RANGE", "FILTER", "LIKE", "ILIKE", "RLIKE", "REGEXP", "IF", "CASE"}
)
"""Keywords that are also functions, before a bracket where a value is expected."""
KEYWORDS = frozenset(
    """
    ALL AND ANTI ANY AS ASC BETWEEN BY CLUSTER CROSS CUBE DESC DISTINCT DISTRIBUTE DIV ELSE END ESCAPE EXCEPT EXISTS
    FETCH FIRST FILTER FOLLOWING FOR FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTO IS JOIN LAST LATERAL LEFT LIKE
    LIMIT MINUS NATURAL NOT NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT PRECEDING QUALIFY RANGE RECURSIVE
    REGEXP RIGHT RLIKE ROLLUP ROWS SELECT SEMI SETS SORT TABLE TABLESAMPLE THEN UNBOUNDED UNION UNPIVOT USING VALUES
    VIEW WHEN WHERE WINDOW WITH WITHIN
    """.split()  # noqa: SIM905 - ninety quoted words would fill pages
)
_LEAST = {
    "2147483648": "CAST(-2147483648 AS INT)",
    "9223372036854775808": "CAST('-9223372036854775808' AS BIGINT)",
    "9223372036854775808L": "CAST('-9223372036854775808' AS BIGINT)",
    "32768S": "CAST(-32768 AS SMALLINT)",
    "128Y": "CAST(-128 AS TINYINT)",
}
"""The digits of the least number of each integer type → a cast, since Sail parses the sign as an operator."""


def with_least(sql: str) -> str:
    """`sql` with the least number of each type as a cast, since its sign is read as an operator."""
    tokens = tokenize(sql)
    for index in reversed(range(len(tokens) - 1)):
        sign, number = tokens[index], tokens[index + 1]
        least = _LEAST.get(number.text.upper()) if sign.key == "-" and number.kind == "number" else None
        before = tokens[index - 1] if index else None
        is_operand = before is not None and (
            before.kind in {"string", "quoted", "number"}
            or before.key in {")", "]"}
            or (before.kind == "word" and before.key not in KEYWORDS)
        )
        if least and not is_operand:
            sql = sql[: sign.start] + least + sql[number.end :]
    return sql


_DOUBLED = re.compile(r"\\.|''|\"\"", re.DOTALL)


def single_quotes(sql: str) -> str:
    """`sql` with doubled quotes in its strings as a backslash and a quote: Sail parses doubled ones as two strings."""
    if "''" not in sql and '""' not in sql:
        return sql
    for token in reversed(tokenize(sql)):
        if token.kind == "string" and token.text[0] in "'\"":
            quote = token.text[0]
            inner = _DOUBLED.sub(lambda match: f"\\{quote}" if match[0] == quote * 2 else match[0], token.text[1:-1])  # noqa: B023
            sql = f"{sql[: token.start]}{quote}{inner}{quote}{sql[token.end :]}"
    return sql


_PIPE = "|>"
_JOINS = frozenset({"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "SEMI", "ANTI"})
_SETS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT"})
_OPEN = frozenset({"PIVOT", "UNPIVOT", "TABLESAMPLE"})

_BARE_FROM = re.compile(r"(\(\s*)from\s+(?=(?:`[^`]*`|[\w.])+\s*\))", re.IGNORECASE)

Columns = Callable[[str], Sequence[str]]
"""Gives the names of the columns of a query."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The input of a pipe operator: a query, or relations of a FROM, whose names are still visible, with a filter."""

    query: str = ""
    relation: str = ""
    condition: str = ""
    ordered: bool = False
    """Whether the query ends with an ORDER BY, which a LIMIT may follow."""

    def text(self) -> str:
        """The rows as a complete query."""
        return self.query or f"SELECT * {self.source()}"

    def source(self) -> str:
        """The FROM and WHERE of a query over the rows."""
        if self.query:
            return f"FROM ({self.query}) AS piped"
        return f"FROM {self.relation}{f' WHERE {self.condition}' if self.condition else ''}"


def without_pipes(sql: str, columns: Columns) -> str:
    """`sql` without pipes, at any depth. Raises NotOnSailError for an unsupported operator."""
    while True:
        tokens = tokenize(sql)
        at = max((index for index, token in enumerate(tokens) if _is_pipe(tokens, index)), default=None)
        if at is None:
            return sql
        start, end = _group(tokens, at)
        begin = start + behind_with(tokens[start:end])
        before = sql[: tokens[begin].start] if start == 0 else ""
        rows = _piped(sql, tokens, begin, end, lambda query, before=before: columns(before + query))  # type: ignore[misc]
        sql = sql[: tokens[begin].start] + rows.text() + sql[tokens[end - 1].end :]


def _is_pipe(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.key == _PIPE:
        return True
    return token.key == "|" and at + 1 < len(tokens) and tokens[at + 1].key == ">" and tokens[at + 1].start == token.end


def _group(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """The token range in the innermost brackets around a token."""
    depth = 0
    for index in range(at - 1, -1, -1):
        depth += (tokens[index].key == ")") - (tokens[index].key == "(")
        if depth < 0:
            return index + 1, min(closing(tokens, index), len(tokens))
    return 0, len(tokens)


def _piped(sql: str, tokens: Sequence[Token], begin: int, end: int, columns: Columns) -> _Rows:
    steps = list(_steps(tokens, begin, end))
    first, last = steps[0]
    head = sql[tokens[first].start : tokens[last - 1].end]
    is_relation = tokens[first].key == "FROM" and not any(token.key == "SELECT" for token in tokens[first:last])
    rows = _Rows(relation=sql[tokens[first].end : tokens[last - 1].end].strip()) if is_relation else _Rows(head)
    for first, last in steps[1:]:
        if first >= last:
            raise errors.NotOnSailError(what="a pipe without an operator")
        rows = _applied(rows, _Step(sql, tokens[first:last]), columns)
    return rows


def _steps(tokens: Sequence[Token], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The token range of each part between pipes."""
    first = at = begin
    while at < end:
        if _is_pipe(tokens, at):
            yield first, at
            at += 1 if tokens[at].key == _PIPE else 2
            first = at
        else:
            at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    yield first, end


@dataclass(frozen=True, slots=True)
class _Step:
    sql: str
    tokens: Sequence[Token]

    @property
    def key(self) -> str:
        return self.tokens[0].key

    @property
    def whole(self) -> str:
        return self.text(self.tokens)

    @property
    def rest(self) -> str:
        """The text behind the keyword of the operator."""
        return self.text(self.tokens[1:])

    def text(self, tokens: Sequence[Token]) -> str:
        return self.sql[tokens[0].start : tokens[-1].end] if tokens else ""

    def items(self, tokens: Sequence[Token]) -> list[Sequence[Token]]:
        return [item for item in comma_separated(tokens) if item]


def _applied(rows: _Rows, step: _Step, columns: Columns) -> _Rows:
    key = step.key
    if not step.rest:
        raise errors.NotOnSailError(what=f"the pipe {key} with nothing behind it")
    if key == "WHERE":
        return _filtered(rows, step.rest)
    if key in _JOINS or key in _OPEN or key == "AS" or (key == "LATERAL" and len(step.tokens) > 1):
        return _opened(rows, step)
    if key in _SETS:
        others = _BARE_FROM.sub(r"\1SELECT * FROM ", step.whole)
        return _Rows(f"SELECT * FROM ({rows.text()}) AS piped {others}")
    if key in {"ORDER", "LIMIT", "OFFSET"}:
        if rows.ordered and key != "ORDER":
            return replace(rows, query=f"{rows.text()} {step.whole}")
        return _Rows(f"SELECT * {rows.source()} {step.whole}", ordered=True)
    return _Rows(_chosen(rows, step, columns))


def _filtered(rows: _Rows, condition: str) -> _Rows:
    if rows.query:
        return _Rows(f"SELECT * {rows.source()} WHERE {condition}")
    both = f"({rows.condition}) AND ({condition})" if rows.condition else condition
    return replace(rows, condition=both)


def _opened(rows: _Rows, step: _Step) -> _Rows:
    """Rows with an alias, or with other relations beside them."""
    if step.key == "AS":
        return _Rows(relation=f"({rows.text()}) {step.whole}")
    if rows.condition:
        # Its names are needed behind the filter.
        names = tokenize(rows.relation)
        if any(token.key in _JOINS or token.key in {",", "("} for token in names):
            raise errors.NotOnSailError(what=f"the pipe {step.key} behind a JOIN and a WHERE")
        return _Rows(relation=f"({rows.text()}) AS {quote(names[-1].name)} {step.whole}")
    return _Rows(relation=f"{rows.relation or f'({rows.query}) AS piped'} {step.whole}")


def _chosen(rows: _Rows, step: _Step, columns: Columns) -> str:
    match step.key:
        case "SELECT":
            return f"SELECT {step.rest} {rows.source()}"
        case "EXTEND":
            return f"SELECT *, {step.rest} {rows.source()}"
        case "DROP":
            return f"SELECT * EXCEPT ({step.rest}) {rows.source()}"
        case "SET":
            return _set(rows, step, columns)
        case "AGGREGATE":
            return _aggregated(rows, step)
        case _:
            raise errors.NotOnSailError(what=f"the pipe {step.key}")


def _set(rows: _Rows, step: _Step, columns: Columns) -> str:
    names, values = list(columns(rows.text())), dict[str, str]()
    for item in step.items(step.tokens[1:]):
        if len(item) < 3 or item[1].key != "=" or item[0].name.lower() not in map(str.lower, names):
            raise errors.NotOnSailError(what=f"the pipe {step.whole}")
        if item[0].name.lower() in values:
            raise errors.NotOnSailError(what=f"the pipe {step.whole}, which sets a column twice")
        values[item[0].name.lower()] = step.text(item[2:])
    if len(set(map(str.lower, names))) < len(names):
        raise errors.NotOnSailError(what="the pipe SET beside columns of one name")
    listed = (f"{values.get(name.lower(), quote(name))} AS {quote(name)}" for name in names)
    return f"SELECT {', '.join(listed)} {rows.source()}"


def _aggregated(rows: _Rows, step: _Step) -> str:
    """A SELECT for AGGREGATE; the columns of its GROUP BY come first."""
    tokens = list(step.tokens[1:])
    group = next(
        (at for at, token in enumerate(tokens) if token.key == "GROUP" and _is_outside(tokens, at)), len(tokens)
    )
    values, keys = step.items(tokens[:group]), step.items(tokens[group + 2 :])
    if any(item[0].key in {"ROLLUP", "CUBE", "GROUPING", "ALL"} for item in keys):
        raise errors.NotOnSailError(what="the pipe AGGREGATE with ROLLUP, CUBE, GROUPING SETS or ALL")
    listed = ", ".join(map(step.text, [*keys, *values]))
    clause = f" GROUP BY {', '.join(str(number + 1) for number in range(len(keys)))}" if keys else ""
    return f"SELECT {listed} {rows.source()}{clause}"


def _is_outside(tokens: Sequence[Token], at: int) -> bool:
    depth = sum((token.key in {"(", "["}) - (token.key in {")", "]"}) for token in tokens[:at])
    return depth == 0


SIGNS = frozenset("+-~")
_UNITS = re.compile(r"(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|(?:MILLI|MICRO|NANO)SECOND)S?|TO")


class MapPart(NamedTuple):
    """Tokens `start` to `end` of the text, and their replacement."""

    start: int
    end: int
    safe: str


class Parts:
    """One text and its tokens. Unterminated elements end with the text."""

    def __init__(self, sql: str) -> None:
        self.sql, self.tokens = sql, tokenize(sql)

    def raw(self, part: MapPart) -> str:
        """The text of a part as it was given."""
        return self.sql[self.tokens[part.start].start : self.tokens[part.end - 1].end]

    def key(self, at: int) -> str:
        return self.tokens[at].key if at < len(self.tokens) else ""

    def begins_value(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind in {"string", "quoted", "number"}:
            return True
        if token.kind == "word":
            is_called = token.key in CALLED and (self.key(at + 1) == "(" or token.key == "CASE")
            return is_called or token.key not in KEYWORDS
        return token.key in {"(", "*", *SIGNS}

    def expects(self, at: int) -> bool:
        """Whether a value may follow a token that is none."""
        token = self.tokens[at]
        return token.kind == "symbol" or token.key in KEYWORDS

    def between(self, start: int, end: int) -> str:
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end]

    def type_end(self, at: int, end: int) -> int:
        after = at + 1
        if after < end and self.tokens[after].key == "(":
            return min(closing(self.tokens, after) + 1, end)
        return after

    def interval_end(self, at: int, end: int) -> int:
        """Where INTERVAL '1' DAY, INTERVAL -1 DAY 2 HOURS end; 0 where the word is a name."""
        after = at + 1
        while after < end:
            value = after + (self.tokens[after].key in SIGNS)
            if value >= end or not (self.tokens[value].kind in {"string", "number"} or self.tokens[value].key == "("):
                break
            after = min(closing(self.tokens, value), end - 1) + 1 if self.tokens[value].key == "(" else value + 1
            while after < end and _UNITS.fullmatch(self.tokens[after].key):
                after += 1
        return after if after > at + 1 else 0

    def behind_call(self, at: int, end: int) -> int:
        """Where FILTER (…), OVER w, IGNORE NULLS behind a call end."""
        while at < end:
            key, following = self.tokens[at].key, self.key(at + 1)
            if key in {"FILTER", "OVER"} and following == "(":
                at = min(closing(self.tokens, at + 1) + 1, end)
            elif key == "OVER" or (key in {"IGNORE", "RESPECT"} and following == "NULLS"):
                at = min(at + 2, end)
            elif key == "WITHIN" and following == "GROUP":
                at = min(closing(self.tokens, at + 2) + 1, end)
            else:
                break
        return at

    def arguments(self, opening: int, close: int) -> Iterator[str]:
        """The texts between the commas of a call; of EXTRACT(part FROM value) both."""
        for first, last in self.spans(opening, close):
            yield self.between(first, last)

    def spans(self, opening: int, close: int) -> Iterator[tuple[int, int]]:
        """Where the arguments of a call begin and end."""
        if close <= opening + 1:
            return
        cuts = [opening, *self.commas(opening + 1, close), close]
        if len(cuts) == 2 and self.key(opening + 2) == "FROM":
            cuts.insert(1, opening + 2)
        for first, last in pairwise(cuts):
            if last > first + 1:
                yield first + 1, last

    def commas(self, start: int, end: int) -> Iterator[int]:
        at = start
        while at < end:
            if self.tokens[at].key == ",":
                yield at
            at = closing(self.tokens, at) + 1 if self.tokens[at].key in {"(", "["} else at + 1

    def results(self, cuts: list[int]) -> Iterator[tuple[int, int]]:
        for first, last in pairwise(cuts):
            if self.tokens[first].key in {"THEN", "ELSE"} and last > first + 1:
                yield first, last

    def branches(self, at: int, end: int) -> Iterator[int]:
        """The WHEN, THEN, ELSE and END of the CASE at a place."""
        after, depth = at + 1, 0
        while after < end:
            key = self.tokens[after].key
            if key in {"(", "["}:
                after = closing(self.tokens, after) + 1
                continue
            if depth == 0 and key in {"WHEN", "THEN", "ELSE", "END"}:
                yield after
                if key == "END":
                    return
            depth += (key == "CASE") - (key == "END")
            after += 1


_DOTTED = re.compile(r"[\w`]\s*\.\s*[\w`]")
_BEFORE = frozenset({"SELECT", "DISTINCT", ","})
_BEHIND = frozenset({",", "FROM", ";", ""})


def with_parts(sql: str, rows: OperandRows) -> str:
    """`sql`, an expression or a query, with keys of maps in brackets, and fields of arrays taken from each element.

    What is selected keeps the name that Spark gives it, its last part.
    """
    if not _DOTTED.search(sql) or "->" in sql:
        return sql
    tokens, original = tokenize(sql), sql
    for first, end in reversed(list(_chains(tokens))):
        columns = rows.columns(scope_at(original, tokens, first))
        names = [token.name for token in tokens[first:end:2]]
        text = _meant(names, columns)
        if text:
            alias = f" AS {quote(names[-1])}" if _is_selected(tokens, first, end) else ""
            sql = sql[: tokens[first].start] + text + alias + sql[tokens[end - 1].end :]
    return sql


def _chains(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """From where to where names with dots between them go, that are no calls."""
    at = 0
    while at < len(tokens):
        end = at + 1
        while tokens[at].is_name and end + 1 < len(tokens) and tokens[end].key == "." and tokens[end + 1].is_name:
            end += 2
        if end > at + 1 and (end == len(tokens) or tokens[end].key not in {"(", "."}):
            yield at, end
        at = end


def _meant(names: Sequence[str], columns: StructType) -> str:
    """The text of a chain of names; "" where it is what Sail takes it for."""
    index = 0 if columns.find(names[0]) is not None else 1
    column = columns.find(names[index])
    if column is None:
        return ""
    kind: DataType = column.type
    text, is_plain = ".".join(map(quote, names[: index + 1])), True
    for name in names[index + 1 :]:
        part = _part(text, kind, name)
        if part is None:
            return ""
        is_plain = is_plain and isinstance(kind, StructType)
        text, kind = part
    return "" if is_plain else text


def _part(text: str, kind: DataType, name: str) -> tuple[str, DataType] | None:
    """A part of a value, and its type; None for a field that there is not."""
    match kind:
        case StructType():
            field = kind.find(name)
            return None if field is None else (f"{text}.{quote(name)}", field.type)
        case MapType():
            return f"{text}[{sql_literal(name)}]", kind.value
        case ArrayType(StructType() as element):
            field = element.find(name)
            return None if field is None else (f"transform({text}, e -> e.{quote(name)})", ArrayType(field.type))
        case _:
            # It has no parts, which Sail says then.
            return f"{text}[{sql_literal(name)}]", kind


def _is_selected(tokens: Sequence[Token], first: int, end: int) -> bool:
    """Whether names between two indexes are all of a column of a SELECT."""
    before = tokens[first - 1].key if first else ""
    behind = tokens[end].key if end < len(tokens) else ""
    if before not in _BEFORE or behind not in _BEHIND:
        return behind == ")" and before in {"SELECT", "DISTINCT"}
    opened = [index for index in range(first) if tokens[index].key == "(" and closing(tokens, index) >= end]
    begin = opened[-1] + 1 if opened else 0
    return tokens[begin].key in {"SELECT", "WITH"}


@dataclass(frozen=True, slots=True)
class DirectoryWrite:
    """INSERT OVERWRITE DIRECTORY 'path' USING format [OPTIONS (key = value, …)] query; `format`, keys in lower case."""

    path: str
    format: str
    options: Mapping[str, str]
    query: str


def directory_write(sql: str) -> DirectoryWrite | None:
    """The parts of such a statement; None for any other. Raises LeftToEngineError for what is not certain."""
    at = TokenCursor(sql)
    if not (at.take("INSERT") and at.take("OVERWRITE") and at.key in {"DIRECTORY", "LOCAL"}):
        return None
    at.need("DIRECTORY")
    path = _text(at.next())
    at.need("USING")
    name = at.name().lower()
    options = dict(_option(item) for item in comma_separated(at.group()[1:-1])) if at.take("OPTIONS") else {}
    if not at.left:
        raise LeftToEngineError
    return DirectoryWrite(path, name, options, sql[at.tokens[at.at].start :].rstrip().rstrip(";"))


def _text(token: Token) -> str:
    if token.kind != "string":
        raise LeftToEngineError
    return require_value(unquote(token.text))


def _option(item: list[Token]) -> tuple[str, str]:
    """key value, key = value, 'key' = 'value'; a key may have dots in it."""
    at = TokenCursor(item)
    first = at.next()
    key = _text(first) if first.kind == "string" else first.name
    at.take("=")
    value = at.next()
    at.end()
    return key.lower(), _text(value) if value.kind == "string" else value.text
