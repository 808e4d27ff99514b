"""Pipe syntax, `FROM t |> WHERE a |> SELECT b`, which Sail does not parse, as nested queries.

Source: Spark, SQL Pipe Syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from deltasql.base.errors.engine import NotOnSailError
from deltasql.engines.sail.dialect.unions import behind_with
from deltasql.plan.base import quote
from deltasql.sql.cursor import comma_separated
from deltasql.sql.tokens import Token, closing, tokenize

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
            raise NotOnSailError(what="a pipe without an operator")
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
        raise NotOnSailError(what=f"the pipe {key} with nothing behind it")
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
            raise NotOnSailError(what=f"the pipe {step.key} behind a JOIN and a WHERE")
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
            raise NotOnSailError(what=f"the pipe {step.key}")


def _set(rows: _Rows, step: _Step, columns: Columns) -> str:
    names, values = list(columns(rows.text())), dict[str, str]()
    for item in step.items(step.tokens[1:]):
        if len(item) < 3 or item[1].key != "=" or item[0].name.lower() not in map(str.lower, names):
            raise NotOnSailError(what=f"the pipe {step.whole}")
        if item[0].name.lower() in values:
            raise NotOnSailError(what=f"the pipe {step.whole}, which sets a column twice")
        values[item[0].name.lower()] = step.text(item[2:])
    if len(set(map(str.lower, names))) < len(names):
        raise NotOnSailError(what="the pipe SET beside columns of one name")
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
        raise NotOnSailError(what="the pipe AGGREGATE with ROLLUP, CUBE, GROUPING SETS or ALL")
    listed = ", ".join(map(step.text, [*keys, *values]))
    clause = f" GROUP BY {', '.join(str(number + 1) for number in range(len(keys)))}" if keys else ""
    return f"SELECT {listed} {rows.source()}{clause}"


def _is_outside(tokens: Sequence[Token], at: int) -> bool:
    depth = sum((token.key in {"(", "["}) - (token.key in {")", "]"}) for token in tokens[:at])
    return depth == 0
