"""DEFAULT: the value of a column that a statement does not give."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.schema.types import StructField

CURRENT_DEFAULT = "CURRENT_DEFAULT"


def default_sql(field: StructField | None) -> str:
    """SQL of a column's default value: NULL where none is declared."""
    return "NULL" if field is None else str(field.metadata.get(CURRENT_DEFAULT) or "NULL")


def replace_defaults(query: str, fields: Sequence[StructField | None]) -> str:
    """The query of an INSERT with the keyword DEFAULT, standing alone in a row of VALUES, replaced by what it means."""
    if "default" not in query.lower():
        return query
    from deltasql.planner.splice import splice
    from deltasql.planner.tokens import tokenize

    tokens = tokenize(query)
    replacements = []
    depth = column = 0
    for index, token in enumerate(tokens):
        if token.key in {"(", "["}:
            depth += 1
            column = 0 if depth == 1 else column
        elif token.key in {")", "]"}:
            depth -= 1
        elif token.key == "," and depth == 1:
            column += 1
        elif token.key == "DEFAULT" and depth <= 1:
            before, after = (
                tokens[index - 1].key if index else "",
                tokens[index + 1].key if index + 1 < len(tokens) else "",
            )
            if before in {"(", ",", "SELECT", "VALUES"} and after in {")", ",", ""}:
                field = fields[column] if depth == 1 and column < len(fields) else None
                replacements.append((token.start, token.end, default_sql(field)))
    return splice(query, replacements).sql
