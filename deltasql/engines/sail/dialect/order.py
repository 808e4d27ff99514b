"""Queries that Sail parses differently from Spark, rewritten: `FROM t SELECT a`, VALUES with arrays and maps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deltasql.engines.sail.guards.exact_types import common_type
from deltasql.schema.text import sql_text
from deltasql.schema.types import VOID, StructType
from deltasql.sql.cursor import TokenCursor, comma_separated
from deltasql.sql.expression_types import derived_type
from deltasql.sql.tokens import Token, closing, tokenize, tokens_from

_FROM_FIRST = re.compile(r"\bfrom\b", re.IGNORECASE)
_BEHIND = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"}
    | {"LATERAL", "UNION", "INTERSECT", "EXCEPT", "MINUS"}
)
"""Keywords that may follow the list of a SELECT without FROM."""


_BEGINS = re.compile(r"(?:\(|\A)\s*(?=(?:from|with)\b)", re.IGNORECASE)
_VALUES = re.compile(r"\bvalues\s*\(", re.IGNORECASE)
_PARTS = re.compile(r"\bvalues\s*\(.*\b(?:array|map)\s*\(", re.IGNORECASE | re.DOTALL)


def select_first(sql: str) -> str:
    """A query with FROM before SELECT, at any depth, in the usual order; any other text as it is."""
    if not _FROM_FIRST.search(sql):
        return sql
    for match in reversed(list(_BEGINS.finditer(sql))):
        start = match.end()
        end = _closing_offset(sql, start) if match[0].startswith("(") else len(sql)
        sql = sql[:start] + _turned(sql[start:end]) + sql[end:]
    return sql


def _closing_offset(sql: str, start: int) -> int:
    depth = 1
    for token in tokens_from(sql, start):
        depth += (token.key == "(") - (token.key == ")")
        if depth == 0:
            return token.start
    return len(sql)


def rows_selected(sql: str) -> str:
    """A query whose VALUES hold arrays or maps, with a SELECT for each row: Sail's VALUES require nullable parts."""
    if not _PARTS.search(sql):
        return sql
    tokens, replaced = tokenize(sql), list[tuple[int, int, str]]()
    for index, token in enumerate(tokens):
        if token.key == "VALUES" and index + 1 < len(tokens) and tokens[index + 1].key == "(":
            behind, rows = _rows(sql, tokens, index + 1)
            if any(item.key in {"ARRAY", "MAP"} for item in tokens[index:behind]):
                replaced.append((token.start, tokens[behind - 1].end, f"({' UNION ALL '.join(rows)})"))
    for start, end, text in reversed(replaced):
        sql = sql[:start] + text + sql[end:]
    return sql


def values_alike(sql: str) -> str:
    """A query whose constants in VALUES are cast to the type that Spark gives their column."""
    if not _VALUES.search(sql):
        return sql
    tokens, casts = tokenize(sql), list[tuple[int, int, str]]()
    for index, token in enumerate(tokens[:-1]):
        if token.key == "VALUES" and tokens[index + 1].key == "(":
            rows = list(_cells(tokens, index + 1))
            columns = zip(*rows, strict=True) if len(set(map(len, rows))) == 1 else ()
            casts += [cast for column in columns for cast in _casts(sql, column)]
    for start, end, kind in sorted(casts, reverse=True):
        sql = f"{sql[:start]}CAST({sql[start:end]} AS {kind}){sql[end:]}"
    return sql


def _casts(sql: str, column: Sequence[Sequence[Token]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and type of each cast that cells of a column need; none for cells that are no constants."""
    spans = [(cell[0].start, cell[-1].end) for cell in column]
    kinds = [derived_type(sql[start:end], StructType()) for start, end in spans]
    typed = [kind for kind in kinds if kind is not None]
    common = common_type(typed) if len(typed) == len(kinds) and len(set(typed)) > 1 else None
    for (start, end), kind in zip(spans, kinds, strict=True):
        if common is not None and kind not in {common, VOID}:
            yield start, end, sql_text(common)


def _cells(tokens: Sequence[Token], at: int) -> Iterator[list[Sequence[Token]]]:
    """The cells of each row, from the row whose bracket is token `at`."""
    while at < len(tokens) and tokens[at].key == "(":
        close = closing(tokens, at)
        yield [item for item in comma_separated(tokens[at + 1 : close]) if item]
        if close + 1 >= len(tokens) or tokens[close + 1].key != ",":
            return
        at = close + 2


def _rows(sql: str, tokens: Sequence[Token], at: int) -> tuple[int, list[str]]:
    """The index behind the rows that begin at a bracket, and each row as a SELECT with the column names of VALUES."""
    rows = list[str]()
    while at < len(tokens) and tokens[at].key == "(":
        close = closing(tokens, at)
        items = [item for item in comma_separated(tokens[at + 1 : close]) if item]
        texts = [sql[item[0].start : item[-1].end] for item in items]
        rows.append("SELECT " + ", ".join(f"{text} AS col{number}" for number, text in enumerate(texts, 1)))
        at = close + 1
        if at + 1 >= len(tokens) or tokens[at].key != "," or tokens[at + 1].key != "(":
            break
        at += 1
    return min(at, len(tokens)), rows


def _turned(sql: str) -> str:
    at, positions = TokenCursor(tokenize(sql)), dict[str, int]()
    expected = ["FROM", "SELECT"]
    while at.left:
        token = at.tokens[at.at]
        if expected and token.key in {"SELECT", "VALUES", "TABLE"} and "FROM" not in positions:
            return sql
        if expected and token.key == expected[0]:
            positions[expected.pop(0)] = token.start
        elif not expected and token.key in _BEHIND and not _is_star_except(at):
            positions.setdefault("BEHIND", token.start)
        at.group()
    if expected:
        return sql
    begin, list_begin = positions["FROM"], positions["SELECT"]
    end = positions.get("BEHIND", len(sql))
    chosen, relation = sql[list_begin:end].rstrip(), sql[begin:list_begin].rstrip()
    return f"{sql[:begin]}{chosen}\n{relation}\n{sql[end:]}"


def _is_star_except(at: TokenCursor) -> bool:
    """Whether an EXCEPT belongs to a star: `* EXCEPT (a)`."""
    return at.key == "EXCEPT" and at.peek(-1) == "*" and at.peek(1) == "("
