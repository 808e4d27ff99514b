"""Names of columns without an alias that differ between Sail and Spark, where the column's text determines them."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.engines.sail.dialect.order import behind_with
from deltasql.sql.tokens import Token, closing, comma_separated, tokenize

_OTHERS = frozenset({"is_null", "is_not_null", "in_list"})


def spark_names(sql: str, names: Sequence[str]) -> list[str]:
    """The names of a query's columns, which Sail calls `names`, as Spark calls them."""
    replaced = list(names)
    if _OTHERS.isdisjoint(replaced):
        return replaced
    tokens = tokenize(sql)
    first = behind_with(tokens)
    if first >= len(tokens) or tokens[first].key != "SELECT":
        return replaced
    end = _list_end(tokens, first + 1)
    items = list(comma_separated(tokens[first + 1 : end]))
    if len(items) == len(replaced) and all(items):
        replaced = [
            (_predicate_name(item) or name) if name in _OTHERS else name
            for item, name in zip(items, replaced, strict=True)
        ]
    return replaced


def _list_end(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].key not in {"FROM", "WHERE", "ORDER", "LIMIT", ";"}:
        at = closing(tokens, at) + 1 if tokens[at].key in {"(", "["} else at + 1
    return min(at, len(tokens))


def _predicate_name(item: Sequence[Token]) -> str:
    """Spark's name for `a IS NULL` and `a IN (1, 'x')`; "" for anything else."""
    end = 1
    while end + 1 < len(item) and item[end].key == ".":
        end += 2
    if not item[end - 1].is_name or not item[0].is_name:
        return ""
    column, rest = item[end - 1].name, [token.key for token in item[end:]]
    if rest in (["IS", "NULL"], ["IS", "NOT", "NULL"]):
        return f"({column} {' '.join(rest)})"
    negated = rest[:1] == ["NOT"]
    if rest[negated : negated + 2] != ["IN", "("] or rest[-1] != ")":
        return ""
    values = _numbers(item[end + negated + 2 : -1])
    text = f"({column} IN ({', '.join(values)}))" if values else ""
    return f"(NOT {text})" if negated and text else text


def _numbers(tokens: Sequence[Token]) -> list[str]:
    """Whole numbers and NULL between commas; none where there is anything else."""
    values = [token.text.upper() for token in tokens[::2]]
    plain = all(text.isdecimal() or text == "NULL" for text in values)
    return values if plain and len(tokens) % 2 and all(token.key == "," for token in tokens[1::2]) else []
