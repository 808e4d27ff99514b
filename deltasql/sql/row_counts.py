"""How many rows a query can come to, as far as its text and the tables in it tell.

A statement over few rows is run in another way than one over many, and the wrong way costs much more where rows are
many. So whatever is not understood here counts as many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from deltasql.sql.function_names import FUNCTIONS
from deltasql.sql.relations import table_references
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

_NOT_UNDERSTOOD = frozenset({"RECURSIVE", "CUBE", "|>", "TRANSFORM", "MAP", "REDUCE"})
"""Rows out of rows, cubes and scripts; before a bracket MAP and TRANSFORM are functions."""

_MAKE_ROWS = frozenset({"sequence", "array_repeat", "repeat", "space"})
"""Functions whose value may be much longer than their arguments; a generator makes rows of it."""

_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
_ENDS_FROM = _SET_OPERATORS | {
    *("WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY"),
    *("SELECT", "ON"),
}


def most_rows(sql: str, relations: Mapping[str, int]) -> int | None:
    """About the most rows that a query or expression goes through, or None where that cannot be told.

    `relations` has the rows behind the names that we gave to tables and views. A join multiplies, unless columns of
    its two sides are equal; then its rows are taken to match few others.
    """
    tokens = tokenize(sql)
    names = [reference.parts for reference in table_references(sql)]
    if any(len(parts) != 1 or parts[0] not in relations for parts in names):
        return None
    found = _Joins(tokens)
    found.walk()
    if not found.understood:
        return None
    unions = sum(token.key in _SET_OPERATORS for token in tokens)
    spelled = 1 + unions + sum(token.key == "(" for token in tokens if "VALUES" in (item.key for item in tokens))
    free = max(0, found.joins - len(found.equal))
    if any(token.key == "WITH" for token in tokens) and free:
        # A named query may be joined to itself, and that again.
        return None
    rows = sorted([*(relations[parts[0]] for parts in names), *found.ranges], reverse=True)
    rows += [spelled] * (found.joins + 1 - len(rows))
    return _product(rows[: free + 1]) + sum(rows[free + 1 :]) << (unions if found.has_ctes else 0)


def _product(rows: Sequence[int]) -> int:
    product = 1
    for item in rows:
        product *= max(item, 1)
    return product


@dataclass(slots=True)
class _Joins:
    """What multiplies the rows of a query, by one walk over its tokens."""

    tokens: list[Token]
    understood: bool = True
    has_ctes: bool = False
    joins: int = 0
    equal: set[frozenset[str]] = field(default_factory=set)
    ranges: list[int] = field(default_factory=list)

    def walk(self) -> None:
        levels = [""]
        for index, token in enumerate(self.tokens):
            key = token.key
            if key == "(":
                levels.append(levels[-1] if self._opened(index) else "")
            elif key == ")":
                levels = levels[:-1] or [""]
            elif key == "FROM" or (key == "AS" and levels[-1] == "VALUES"):
                levels[-1] = "FROM"
            elif key in _ENDS_FROM:
                levels[-1] = ""
            elif key == "VALUES" and levels[-1]:
                levels[-1] = "VALUES"
            self.joins += key in {"JOIN", "LATERAL"} or (key == "," and levels[-1] == "FROM")
            self.has_ctes |= key == "WITH"
            self.understood &= key not in _NOT_UNDERSTOOD or self._key(index + 1) == "("
            self._equality(index)
        if "OR" in {token.key for token in self.tokens}:
            self.equal.clear()

    def _key(self, index: int) -> str:
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    def _opened(self, index: int) -> bool:
        """Whether the bracket at `index` may hold a list of relations; notes what is before it."""
        before = self.tokens[index - 1] if index else None
        if self._key(index + 1) in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"}:
            self.joins += before is not None and before.key not in {"FROM", "JOIN", ",", "AS", "(", *_SET_OPERATORS}
            if before is not None and before.key == "IN" and self._key(index - 2) != "NOT":
                self.equal.add(frozenset({f"#{index}"}))
            return False
        if before is None or not before.is_name or before.key in _NO_FUNCTIONS:
            return before is None or before.key in {"FROM", "JOIN", ",", "("}
        if self._key(index - 2) not in {"AS", ")"}:
            self.understood &= self._is_known(before, index)
        return False

    def _is_known(self, name: Token, bracket: int) -> bool:
        function = name.name.lower()
        if function == "range":
            return self._is_range(bracket)
        return self._key(bracket - 2) != "." and function not in _MAKE_ROWS and function.upper() in FUNCTIONS

    def _is_range(self, bracket: int) -> bool:
        """Whether this is range(n) or range(n, m, …) with numbers."""
        inner = self.tokens[bracket + 1 : closing(self.tokens, bracket)]
        numbers = "".join(token.text for token in inner)
        if re.fullmatch(r"\d+(,\d+){0,3}", numbers) is None:
            return False
        self.ranges.append(max(map(int, numbers.split(",")[:2])))
        return True

    def _equality(self, index: int) -> None:
        """Notes a join whose rows find each other by their values: of which two sides, where that can be told."""
        if self._key(index) in {"USING", "NATURAL"}:
            self.equal.add(frozenset({f"#{index}"}))
        if self._key(index) not in {"=", "==", "<=>"}:
            return
        left, right = list(self._chain(index - 1, -1)), list(self._chain(index + 1, 1))
        if len(left) >= 2 and len(right) >= 2 and left[-1] != right[0]:
            self.equal.add(frozenset({left[-1], right[0]}))
        elif len(left) == len(right) == 1 and self._key(index - 2) == "ON" and left != right:
            self.equal.add(frozenset({*left, *right}))

    def _chain(self, index: int, step: int) -> Iterator[str]:
        """The parts of a name, going on in a direction: `a.b` from its first or from its last part."""
        while 0 <= index < len(self.tokens) and self.tokens[index].is_name:
            yield self.tokens[index].name.lower()
            if self._key(index + step) != ".":
                return
            index += 2 * step
