"""current_schema(), current_database() and current_catalog() as literals, since Spark has other current names.

Works on the tokens of any text; a call that may not be a whole column gets no alias.
"""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.schema.text import sql_literal
from deltasql.sql.text_edits import Replacement
from deltasql.sql.tokens import Token, tokenize

_FUNCTIONS = {"current_schema": 1, "current_database": 1, "current_catalog": 0}
_SHOWN = {"current_database": "current_schema"}
_QUALIFIERS = (["builtin"], ["system", "builtin"])
_ITEM_ENDS = frozenset(
    {
        *(
            ",",
            "",
            ")",
            ";",
            "|>",
            "FROM",
            "WHERE",
            "GROUP",
            "ORDER",
            "HAVING",
            "LIMIT",
            "UNION",
            "EXCEPT",
            "INTERSECT",
        ),
        *("MINUS", "LATERAL", "WINDOW", "QUALIFY"),
    }
)
_CLAUSES = frozenset(
    {"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "VALUES", "SET", "ON", "WHEN", "BY", "THEN"}
)


def current_names(sql: str, current: tuple[str, str]) -> Iterator[Replacement]:
    """Replacements of these calls in `sql` by literals of the `current` catalog and schema.

    A call that is a whole column of a SELECT gets Spark's name of the column as alias.
    """
    if "current_" not in sql.lower():
        return
    tokens = tokenize(sql)
    for index, token in enumerate(tokens):
        name = token.name.lower() if token.is_name else ""
        if name not in _FUNCTIONS or [item.key for item in tokens[index + 1 : index + 3]] != ["(", ")"]:
            continue
        first = _first(tokens, index)
        if first is None:
            continue
        literal = sql_literal(current[_FUNCTIONS[name]])
        after = tokens[index + 3].key if index + 3 < len(tokens) else ""
        is_column = after in _ITEM_ENDS and _begins_column(tokens, first)
        shown = f" AS `{_SHOWN.get(name, name)}()`" if is_column else ""
        yield tokens[first].start, tokens[index + 2].end, literal + shown


def _first(tokens: list[Token], index: int) -> int | None:
    """The index of the first token of a call, with its qualifiers; None for a function of another schema."""
    first = index
    while first >= 2 and tokens[first - 1].key == "." and tokens[first - 2].is_name:
        first -= 2
    qualifiers = [token.name.lower() for token in tokens[first:index:2]]
    return first if not qualifiers or qualifiers in _QUALIFIERS else None


def _begins_column(tokens: list[Token], index: int) -> bool:
    """Whether an item of a SELECT list begins at `index`."""
    if index == 0 or tokens[index - 1].key not in {"SELECT", "DISTINCT", "ALL", ","}:
        return False
    depth = 0
    for token in reversed(tokens[:index]):
        depth += (token.key in {")", "]"}) - (token.key in {"(", "["})
        if depth < 0 or (depth == 0 and token.key in _CLAUSES):
            return False
        if depth == 0 and token.key == "SELECT":
            return True
    return False
