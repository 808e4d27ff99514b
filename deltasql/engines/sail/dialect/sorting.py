"""ORDER BY expressions that the SELECT does not return: as columns of an inner query, which the outer one drops.

Sail cannot sort by an aggregate that is no column, nor by an expression that may fail, as each guard may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from deltasql.engines.sail.dialect.unions import behind_with
from deltasql.plan.base import quote
from deltasql.sql.cursor import comma_separated
from deltasql.sql.tokens import Token, closing, tokenize

_SUSPECT = re.compile(r"\border\s+by\b.*(?:[-+*/%(]|::|\bcase\b)", re.IGNORECASE | re.DOTALL)
_OTHERS = frozenset({"DISTINCT", "UNION", "INTERSECT", "EXCEPT", "MINUS"})
_COMPUTED = frozenset({"+", "-", "*", "/", "%", "::", "CASE", "DIV", "CAST", "IF"})


def may_sort_by_values(sql: str) -> bool:
    """Whether a query may sort by expressions; `sorted_by_columns` decides."""
    return _SUSPECT.search(sql) is not None


def sorted_by_columns(sql: str, columns: Callable[[str], Sequence[str]]) -> str:
    """`sql` with the expressions of its own ORDER BY as columns of an inner query; `columns` gives those of a query.

    The same text where it has none, or where that is not certain.
    """
    tokens = tokenize(sql)
    begin = behind_with(tokens)
    clauses = {tokens[index].key: index for index in reversed(_outside(tokens, begin))}
    if clauses.get("SELECT") != begin or not {"FROM", "ORDER"} <= clauses.keys() or _OTHERS & clauses.keys():
        return sql
    first, order = clauses["FROM"], clauses["ORDER"]
    end = min(clauses.get("LIMIT", len(tokens)), clauses.get("OFFSET", len(tokens)))
    needed = {"(", *_COMPUTED} if "GROUP" in clauses else _COMPUTED
    if not any(token.key in needed for token in tokens[order + 2 : end]):
        return sql
    names = columns(sql[: tokens[order].start].rstrip())
    sorts, added = _sorts(sql, tokens[order + 2 : end], names, dict(_named(sql, tokens[begin + 1 : first])))
    chosen = sql[tokens[begin].start : tokens[first].start].rstrip()
    behind = sql[tokens[first].start : tokens[order].start].rstrip()
    aliases = [f"c{number + 1}" for number in range(len(names))]
    listed = ", ".join(map("{} AS {}".format, aliases, map(quote, names)))
    aliases += [f"s{number + 1}" for number in range(len(added))]
    inner = f"({', '.join([chosen, *added])} {behind}) AS sorted({', '.join(aliases)})"
    limit = sql[tokens[end].start :] if end < len(tokens) else ""
    return f"{sql[: tokens[begin].start]}SELECT {listed} FROM {inner} ORDER BY {', '.join(sorts)} {limit}".rstrip()


def _named(sql: str, tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Aliases of a SELECT in lower case, and their expressions: behind its FROM they come before columns of it."""
    for item in filter(None, comma_separated(tokens)):
        if len(item) < 2 or not item[-1].is_name or item[-2].key == ".":
            continue
        value = item[: -2 if item[-2].key == "AS" else -1]
        if value[-1].name.lower() != item[-1].name.lower() or len(value) > 1:
            yield item[-1].name.lower(), sql[value[0].start : value[-1].end]


def _sorts(
    sql: str, tokens: Sequence[Token], names: Sequence[str], named: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The ORDER BY items as names of columns, and the expressions to add.

    Names are c1 for the first of the `names`, and s1 for the first added expression.
    """
    sorts, added = list[str](), list[str]()
    folded = list(map(str.lower, names))
    for item in filter(None, comma_separated(tokens)):
        value, how = _split(item)
        text = sql[value[0].start : value[-1].end]
        number = int(text) if text.isdecimal() else 0
        if len(value) == 1 and value[0].is_name and folded.count(value[0].name.lower()) == 1:
            number = folded.index(value[0].name.lower()) + 1
        if not 0 < number <= len(names):
            added.append(_with_values(text, named))
        column = f"c{number}" if 0 < number <= len(names) else f"s{len(added)}"
        sorts.append(column + (f" {sql[how[0].start : how[-1].end]}" if how else ""))
    return sorts, added


def _with_values(text: str, named: Mapping[str, str]) -> str:
    """A text with aliases of a SELECT replaced by their expressions."""
    tokens = tokenize(text)
    for index in reversed(range(len(tokens))):
        token, behind = tokens[index], tokens[index + 1].key if index + 1 < len(tokens) else ""
        is_alone = behind not in {"(", "."} and (index == 0 or tokens[index - 1].key != ".")
        if token.is_name and is_alone and token.name.lower() in named:
            text = f"{text[: token.start]}({named[token.name.lower()]}){text[token.end :]}"
    return text


def _split(item: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """The expression of an ORDER BY item, and its direction: DESC NULLS LAST."""
    end = len(item)
    while end > 1 and item[end - 1].key in {"ASC", "DESC", "NULLS", "FIRST", "LAST"}:
        end -= 1
    return item[:end], item[end:]


def _outside(tokens: Sequence[Token], start: int) -> list[int]:
    positions, at = list[int](), start
    while at < len(tokens):
        positions.append(at)
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    return positions
