"""An upper estimate of the rows of a query, from its text and its tables.

Statements over few rows are computed in another way than those over many, and a wrong choice costs much more for many.
So anything unknown here counts as many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from deltasql.sql.cursor import TokenCursor
from deltasql.sql.functions.spark_names import FUNCTIONS
from deltasql.sql.queries.relations import table_references
from deltasql.sql.tokens import Token, closing, tokenize

_NO_FUNCTIONS = frozenset(
    {
        *("SELECT", "FROM", "WHERE", "JOIN", "ON", "USING", "AND", "OR", "NOT", "IN", "EXISTS", "BY", "WHEN", "THEN"),
        *("ELSE", "CASE", "OVER", "AS", "VALUES", "ALL", "ANY", "SOME", "DISTINCT", "UNION", "EXCEPT", "INTERSECT"),
        *("MINUS", "HAVING", "LIMIT", "OFFSET", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "IS", "WITH", "FILTER", "GROUP"),
        *("SETS", "ROLLUP", "ORDER", "PARTITION", "INTERVAL", "LATERAL", "CROSS", "PIVOT", "UNPIVOT", "FOR", "DIV"),
        *("CAST", "TRY_CAST", "IF", "EXTRACT", "TRIM", "POSITION", "OVERLAY", "STRUCT", "ARRAY", "MAP", "NAMED_STRUCT"),
        *("BOOLEAN", "TINYINT", "BYTE", "SMALLINT", "SHORT", "INT", "INTEGER", "BIGINT", "LONG", "FLOAT", "REAL"),
        *("DOUBLE", "DECIMAL", "DEC", "NUMERIC", "STRING", "CHAR", "CHARACTER", "VARCHAR", "BINARY", "DATE"),
        *("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME", "CHR", "STD", "MOD", "QUALIFY", "WINDOW"),
        *("REPEATABLE", "TABLESAMPLE"),
    }
)
"""Words before a bracket that name no function, and the few functions that PySpark has under another name."""

_UNSUPPORTED = frozenset({"RECURSIVE", "CUBE", "|>", "TRANSFORM", "MAP", "REDUCE"})
"""Recursion, cubes, pipes and scripts; before a bracket MAP and TRANSFORM are functions."""

_MAKE_ROWS = frozenset({"sequence", "array_repeat", "repeat", "space"})
"""Functions whose value may be much longer than their arguments; a generator returns its elements as rows."""

_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
_ENDS_FROM = _SET_OPERATORS | {
    *("WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"),
    *("SELECT", "ON"),
}


def most_rows(sql: str, relations: Mapping[str, int]) -> int | None:
    """About the most rows that a query or expression processes, or None where that is unknown.

    `relations` has the rows by the names that the planner gave tables and views. A join multiplies, unless columns of
    its two sides are equal; then its rows are assumed to match few others.
    """
    names = [reference.parts for reference in table_references(sql)]
    if any(len(parts) != 1 or parts[0] not in relations for parts in names):
        return None
    joins = _Joins(tokenize(sql))
    joins.walk()
    free = max(0, joins.joins - len(joins.equal))
    # A named query may be joined to itself, and that again.
    if not joins.supported or (joins.has_ctes and free):
        return None
    unions = sum(token.key in _SET_OPERATORS for token in joins.tokens)
    rows = sorted([*(relations[parts[0]] for parts in names), *joins.ranges], reverse=True)
    rows += [_spelled(joins.tokens, unions)] * (joins.joins + 1 - len(rows))
    return _product(rows[: free + 1]) + sum(rows[free + 1 :]) << (unions if joins.has_ctes else 0)


def _spelled(tokens: Sequence[Token], unions: int) -> int:
    """The most rows of literals: those in VALUES, or one for each SELECT."""
    keys = [token.key for token in tokens]
    return 1 + unions + (keys.count("(") if "VALUES" in keys else 0)


def _product(rows: Sequence[int]) -> int:
    product = 1
    for item in rows:
        product *= max(item, 1)
    return product


class _Joins(TokenCursor):
    """The joins and functions that multiply the rows of a query, found in one walk over its tokens.

    `equal` are the joins by equality, `ranges` the rows of calls of range(n).
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.supported, self.has_ctes, self.joins = True, False, 0
        self.equal: set[frozenset[str]] = set()
        self.ranges: list[int] = []
        # Of each bracket that is open FROM or VALUES where their items are being read.
        self._levels = [""]

    def walk(self) -> None:
        while self.left:
            key = self.key
            self._level(key)
            self.joins += key in {"JOIN", "LATERAL"} or (key == "," and self._levels[-1] == "FROM")
            self.has_ctes |= key == "WITH"
            self.supported &= key not in _UNSUPPORTED or self.peek(1) == "("
            self._equality(key)
            self.at += 1
        if "OR" in {token.key for token in self.tokens}:
            self.equal.clear()

    def _level(self, key: str) -> None:
        levels = self._levels
        if key == "(":
            levels.append(levels[-1] if self._opens_relations() else "")
        elif key == ")":
            self._levels = levels[:-1] or [""]
        elif key == "FROM" or (key == "AS" and levels[-1] == "VALUES"):
            levels[-1] = "FROM"
        elif key in _ENDS_FROM:
            levels[-1] = ""
        elif key == "VALUES" and levels[-1]:
            levels[-1] = "VALUES"

    def _opens_relations(self) -> bool:
        """Whether the bracket at the cursor may hold a list of relations; records a join or a function before it."""
        before = self.peek(-1)
        if self.peek(1) in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"}:
            self.joins += self.at > 0 and before not in {"FROM", "JOIN", ",", "AS", "(", *_SET_OPERATORS}
            if before == "IN" and self.peek(-2) != "NOT":
                self._note_pair()
            return False
        if not self.is_name_at(-1) or before in _NO_FUNCTIONS:
            return self.at == 0 or before in {"FROM", "JOIN", ",", "("}
        if self.peek(-2) not in {"AS", ")"}:
            self.supported &= self._keeps_row_count(self.tokens[self.at - 1].name.lower())
        return False

    def _keeps_row_count(self, function: str) -> bool:
        """Whether the function before the bracket at the cursor makes no rows, or a literal number of them."""
        if function == "range":
            return self._is_range()
        return self.peek(-2) != "." and function not in _MAKE_ROWS and function.upper() in FUNCTIONS

    def _is_range(self) -> bool:
        """Whether the bracket at the cursor holds literal numbers, which are recorded: range(n) or range(n, m, …)."""
        inner = self.tokens[self.at + 1 : closing(self.tokens, self.at)]
        numbers = "".join(token.text for token in inner)
        if re.fullmatch(r"\d+(,\d+){0,3}", numbers) is None:
            return False
        self.ranges.append(max(map(int, numbers.split(",")[:2])))
        return True

    def _equality(self, key: str) -> None:
        """Records a join by equality: USING, NATURAL, or `=` of columns, with its two sides where they are named."""
        if key in {"USING", "NATURAL"}:
            self._note_pair()
        if key not in {"=", "==", "<=>"}:
            return
        left, right = list(self._chain(-1)), list(self._chain(1))
        if len(left) >= 2 and len(right) >= 2 and left[-1] != right[0]:
            self.equal.add(frozenset({left[-1], right[0]}))
        elif len(left) == len(right) == 1 and self.peek(-2) == "ON" and left != right:
            self.equal.add(frozenset({*left, *right}))

    def _note_pair(self) -> None:
        """Records a join by equality whose two sides are not named."""
        self.equal.add(frozenset({f"#{self.at}"}))

    def _chain(self, step: int) -> Iterator[str]:
        """The parts of the name beside the next token, going on in a direction: `a.b` from its first or last part."""
        ahead = step
        while self.is_name_at(ahead):
            yield self.tokens[self.at + ahead].name.lower()
            if self.peek(ahead + step) != ".":
                return
            ahead += 2 * step
