"""Keywords that are no names, and the least numbers of each type, for readers of texts for Sail."""

from __future__ import annotations

import re

from deltasql.sql.tokens import tokenize

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
