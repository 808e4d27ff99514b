"""Padding of literals that are compared with CHAR columns, as in Spark, for an engine that reads CHAR as STRING.

Spark pads the shorter side where a column is compared with a literal, by an operator or IN, or with another column. Any
other use sees the value with its blanks. Source: Spark, ApplyCharTypePadding. Unclear cases are left to Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deltasql.base import LeftToEngineError, Token, closing, require_value, tokenize
from deltasql.sql import Replacement, splice, unquote

_COMPARISONS = frozenset({"=", "==", "<=>", "<>", "!=", "<", ">", "<=", ">="})
_PLAIN = frozenset(
    {"CONCAT", "CONCAT_WS", "LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH", "UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM"}
    | {"MAX", "MIN", "COUNT", "COLLECT_LIST", "COLLECT_SET", "HASH", "XXHASH64", "MD5", "SUBSTRING", "SUBSTR", "LEFT"}
    | {"RPAD", "LPAD", "CAST", "TO_JSON"}
)
"""Functions of texts that compare none."""
_BEFORE_OPERAND = frozenset({"WHERE", "ON", "AND", "OR", "NOT", "HAVING", "WHEN", "("})
_BEFORE_BRACKET = frozenset(
    {"", "(", ",", "WHERE", "ON", "AND", "OR", "NOT", "HAVING", "WHEN", "SELECT", *_COMPARISONS}
)
_BEHIND_OPERAND = frozenset(
    {",", "AND", "OR", ")", "THEN", "ELSE", "END", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "WHEN", "JOIN"}
    | {"LEFT", "RIGHT", "INNER", "FULL", "CROSS", "WHERE", "QUALIFY", "EXCEPT", "INTERSECT", ";"}
)
_CLAUSES = frozenset(
    {"SELECT", "FROM", "WHERE", "BY", "HAVING", "ON", "LIMIT", "USING", "VALUES", "WHEN", "THEN", "JOIN"}
)
_COMPARED = _COMPARISONS | {"IN", "NOT", "BETWEEN"}
_HARMLESS = frozenset({"LIKE", "ILIKE", "RLIKE", "REGEXP", "IS", "||"})


@dataclass(frozen=True, slots=True)
class Reach:
    """The columns in the scope of a text, in capitals: the `lengths` of those that are CHAR, and the `others`.

    `parts` are the structs, arrays and maps that contain a CHAR.
    """

    lengths: Mapping[str, int]
    parts: frozenset[str]
    others: frozenset[str]


def padded(sql: str, reach: Reach) -> str:
    """`sql`, a query or an expression, with padding where CHAR columns are compared. Raises LeftToEngineError.

    Columns of the query itself, and the value of the expression, may be CHAR; those of queries within it not.
    """
    if reach.lengths.keys() & reach.others:
        # The same name may stand for a CHAR of one table and a text of another one.
        raise LeftToEngineError
    edits = _Reader(sql, reach).edits()
    return splice(sql, sorted(set(edits))).sql if edits else sql


class _Reader:
    def __init__(self, sql: str, reach: Reach) -> None:
        self.sql, self.tokens, self.reach = sql, tokenize(sql), reach
        words = {token.key for token in self.tokens}
        self._is_single = not words & {"UNION", "INTERSECT", "MINUS", "EXCEPT"}
        self._looks_back = bool(words & {"HAVING", "QUALIFY"})
        self._aliases = set[str]()

    def edits(self) -> list[Replacement]:
        replacements, clauses, at = list[Replacement](), [""], 0
        while at < len(self.tokens):
            self._step(clauses, self.tokens[at].key)
            end = self._chain(at)
            if end > at and self._key(end) != "(":
                replacements += self._named(at, end, clauses)
            elif self._is_star(at) and clauses[-1] == "SELECT":
                self._pass(clauses, at + 1)
            at = max(end, at + 1)
        names = [token.name.upper() for token in self.tokens if token.is_name]
        if any(names.count(alias) > 1 for alias in self._aliases):
            raise LeftToEngineError
        return replacements

    def _step(self, clauses: list[str], key: str) -> None:
        """Updates `clauses` for a token: the clause at each bracket depth around it."""
        if key == "(":
            clauses.append("")
        elif key == ")" and len(clauses) > 1:
            clauses.pop()
        elif key in _CLAUSES:
            clauses[-1] = key

    def _is_star(self, at: int) -> bool:
        return self._key(at) == "*" and self._key(at - 1) in {"SELECT", ",", ".", "DISTINCT"}

    def _named(self, at: int, end: int, clauses: Sequence[str]) -> list[Replacement]:
        """Replacements that pad comparisons of the name at token indexes [at, end)."""
        names = [self.tokens[index].name.upper() for index in range(at, end, 2)]
        self._refuse_parts(names[-1], at, end)
        if self._length(end - 1) is None:
            return []
        if self._key(at - 1) == "AS":
            if clauses == ["SELECT"] and not self._looks_back:
                # The name of a column of the query, which nothing here compares.
                return []
            raise LeftToEngineError
        if not (self.reach.others | self.reach.parts).isdisjoint(names[:-1]):
            raise LeftToEngineError
        while self._key(at - 1) == "(" and self._key(end) == ")" and self._key(at - 2) in _BEFORE_BRACKET:
            at, end, clauses = at - 1, end + 1, clauses[:-1]
        return self._mention(at, end, clauses)

    def _refuse_parts(self, name: str, at: int, end: int) -> None:
        """Raises LeftToEngineError where a value with a CHAR in it is compared as a whole."""
        if name in self.reach.parts and (self._key(at - 1) in _COMPARISONS or self._key(end) in _COMPARED):
            raise LeftToEngineError

    def _key(self, at: int) -> str:
        return self.tokens[at].key if 0 <= at < len(self.tokens) else ""

    def _chain(self, at: int) -> int:
        """The index behind the dotted name that begins at a token; the token's own index where there is none."""
        if not self.tokens[at].is_name:
            return at
        end = at + 1
        while self._key(end) == "." and end + 1 < len(self.tokens) and self.tokens[end + 1].is_name:
            end += 2
        return end

    def _length(self, at: int) -> int | None:
        return self.reach.lengths.get(self.tokens[at].name.upper())

    def _mention(self, start: int, end: int, clauses: Sequence[str]) -> list[Replacement]:
        """Replacements that pad comparisons of the CHAR column at token indexes [start, end)."""
        before, behind = self._key(start - 1), self._key(end)
        # The last name within brackets.
        length = require_value(self._length(next(i for i in range(end - 1, -1, -1) if self.tokens[i].is_name)))
        negated = behind == "NOT"
        word = self._key(end + 1) if negated else behind
        if word == "BETWEEN" or behind == "[" or self._is_distinct(end):
            raise LeftToEngineError
        if before == "||" or word in _HARMLESS:
            return []
        if word == "IN":
            return self._listed(end + 1 + negated, start, end, length, before)
        if behind in _COMPARISONS:
            return self._compared(start, end, end + 1, length)
        if before in _COMPARISONS:
            return self._compared(start, end, self._operand_before(start - 1), length)
        self._passed(start, end, clauses)
        return []

    def _is_distinct(self, at: int) -> bool:
        """Whether IS [NOT] DISTINCT FROM begins at a token."""
        return self._key(at) == "IS" and "DISTINCT" in {self._key(at + 1), self._key(at + 2)}

    def _operand_before(self, operator: int) -> int:
        at = operator - 1
        while at > 1 and self._key(at - 1) == "." and self.tokens[at].is_name:
            at -= 2
        return at

    def _compared(self, start: int, end: int, other: int, length: int) -> list[Replacement]:
        """Replacements that pad the column at [start, end) or its other operand, which begins at `other`."""
        if not 0 <= other < len(self.tokens):
            raise LeftToEngineError
        stop = other + 1 if self.tokens[other].kind == "string" else self._chain(other)
        first, last = min(start, other), max(end, stop)
        if stop == other or not self._ends(last) or not self._begins(first):
            raise LeftToEngineError
        if self.tokens[other].kind == "string":
            return self._pair(start, end, other, length)
        if self._key(stop) == "(" or self._length(stop - 1) not in {None, length}:
            raise LeftToEngineError
        if self._length(stop - 1) is None and self.tokens[other].key in {"NULL", "TRUE", "FALSE", "CASE", "INTERVAL"}:
            raise LeftToEngineError
        return []

    def _ends(self, at: int) -> bool:
        return at >= len(self.tokens) or (self._key(at) != "" and self._key(at) in _BEHIND_OPERAND)

    def _begins(self, at: int) -> bool:
        before = self._key(at - 1)
        return at == 0 or before in _BEFORE_OPERAND | {",", "SELECT"}

    def _pair(self, start: int, end: int, literal: int, length: int) -> list[Replacement]:
        token = self.tokens[literal]
        text = require_value(unquote(token.text))
        if len(text) <= length:
            return [] if len(text) == length else [_blanks(token, text, length)]
        column = self.sql[self.tokens[start].start : self.tokens[end - 1].end]
        return [(self.tokens[start].start, self.tokens[end - 1].end, f"rpad({column}, {len(text)}, ' ')")]

    def _listed(self, opening: int, start: int, end: int, length: int, before: str) -> list[Replacement]:
        close = closing(self.tokens, opening)
        items = self.tokens[opening + 1 : close]
        values, commas = items[::2], items[1::2]
        plain = all(item.kind == "string" for item in values) and all(item.key == "," for item in commas)
        begins = before in _BEFORE_OPERAND | {",", "SELECT", ""}
        if self._key(opening) != "(" or len(items) % 2 == 0 or not plain or not begins:
            raise LeftToEngineError
        texts = [require_value(unquote(item.text)) for item in values]
        longest = max(length, *map(len, texts))
        edits = [_blanks(item, text, longest) for item, text in zip(values, texts, strict=True) if len(text) < longest]
        if longest > length:
            column = self.sql[self.tokens[start].start : self.tokens[end - 1].end]
            edits.append((self.tokens[start].start, self.tokens[end - 1].end, f"rpad({column}, {longest}, ' ')"))
        return edits

    def _passed(self, start: int, end: int, clauses: Sequence[str]) -> None:
        """Checks a column without a comparison. Raises LeftToEngineError where its value may be compared elsewhere."""
        before = self._key(start - 1)
        if start == 0 and end == len(self.tokens):
            return
        if clauses[-1] == "SELECT":
            if before not in {"SELECT", ",", "DISTINCT", "ALL"}:
                raise LeftToEngineError
            self._pass(clauses, end)
        elif clauses[-1] == "BY":
            return
        elif clauses[-1] == "" and before in {"(", ",", "DISTINCT", "ALL"}:
            if self._function(start) not in _PLAIN:
                raise LeftToEngineError
        else:
            raise LeftToEngineError

    def _pass(self, clauses: Sequence[str], end: int) -> None:
        if not self._is_single or len(clauses) > 1:
            raise LeftToEngineError
        alias = end + (self._key(end) == "AS")
        if alias < len(self.tokens) and self.tokens[alias].is_name and self._key(alias) not in _CLAUSES:
            self._aliases.add(self.tokens[alias].name.upper())

    def _function(self, at: int) -> str:
        """The function whose brackets enclose a token, in capitals; "" for none."""
        depth = 0
        for index in range(at - 1, -1, -1):
            depth += (self._key(index) in {")", "]"}) - (self._key(index) in {"(", "["})
            if depth < 0:
                return self._key(index - 1)
        return ""


def _blanks(token: Token, text: str, length: int) -> Replacement:
    """Replacement that adds blanks to a literal, inside its quotes."""
    return (token.end - 1, token.end - 1, " " * (length - len(text)))
