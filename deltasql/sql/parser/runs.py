"""Runs: pieces of the user's SQL that are one token for the grammar. Each function finds where one ends."""

from __future__ import annotations

import re
from collections.abc import Callable

from deltasql.base import patterns
from deltasql.base.errors.base import Caret
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.sql.extents import balanced_end, not_closed, skip_blanks
from deltasql.sql.tokens import TOKEN, tokens_from

RUNS = frozenset({"EXPRESSION_RUN", "QUERY_RUN", "CTES_RUN", "FROM_RUN", "SUBQUERY_RUN", "REST_RUN"})
WORD = re.compile(patterns.WORD)
QUERY_WORDS = frozenset({"SELECT", "VALUES", "FROM", "TABLE", "WITH"})
# WITH (key = value) and WITH ROW FILTER f ON (…) are clauses of tables.
_NO_CTE = re.compile(r"\(|ROW\s+FILTER\b", re.IGNORECASE)
_INTO = re.compile(r"(?:INTO|OVERWRITE|WITH)\b", re.IGNORECASE)
_DML_WORDS = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
# Operators that are words: what follows one is an operand, and what follows an operand is one of them or the end.
_OPERATORS = frozenset(
    {"AND", "OR", "IN", "IS", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN", "DIV", "ESCAPE", "DISTINCT", "COLLATE"}
)
# After these an operator word is one even where an operand should stand: x IS NOT DISTINCT FROM y, x NOT IN (…).
_OPERATOR_OPENERS = frozenset({"NOT", "IS", "DISTINCT"})
# They never continue an expression, so a clause that lacks its keyword is found where the next one begins.
_RESERVED_CLAUSE_WORDS = frozenset({"WHEN", "THEN", "WHERE", "SET", "USING", "SELECT"})
_CLAUSE_WORDS = _RESERVED_CLAUSE_WORDS | {
    *("UPDATE", "DELETE", "INSERT"),
    # Clauses that statements with expressions do not have: what stands there is no part of the expression before it.
    *("FROM", "JOIN", "ORDER", "LIMIT", "RETURNING"),
}
# Characters from INTERVAL to its unit: only so many are looked at again, word after word.
_LONGEST_INTERVAL = 1000
# No expression begins with one of these.
_BINARY = frozenset("=<>/%|&^")
_TAKE_QUERY = frozenset({"IN", "EXISTS", "ANY", "ALL", "SOME"})


def is_query(text: str, start: int) -> bool:
    """True when a query begins at `start`: with one of its words, or with parentheses around one."""
    while text.startswith("(", start):
        start = skip_blanks(text, start + 1)
    word = WORD.match(text, start)
    if word is None or word[0].upper() not in QUERY_WORDS:
        return False
    after = skip_blanks(text, word.end())
    if word[0].upper() == "WITH" and _NO_CTE.match(text, after):
        return False
    return not text.startswith((",", ")", "=", "."), after)


def may_be_columns(text: str, start: int) -> bool:
    """True when the parenthesis at `start` may open a list of columns, the first called table or values."""
    word = WORD.match(text, skip_blanks(text, start + 1))
    return word is not None and word[0].upper() in {"TABLE", "VALUES"}


def atomic_end(text: str, start: int) -> int | None:
    """The end of the last END behind `start`, if only semicolons and comments stand behind it."""
    end = None
    for token in tokens_from(text, start):
        if token.key == "END":
            end = token.end
        elif token.key != ";":
            end = None
    return end


def ctes_end(text: str, start: int) -> int | None:
    """The end of WITH name AS (…), … when INSERT, UPDATE, DELETE or MERGE follows; None when a query does."""
    position, end, closed = skip_blanks(text, start), start, False
    while position < len(text):
        token = TOKEN.match(text, position)
        assert token is not None
        if token[0] in "([":
            end = balanced_end(text, position, one_group=True)
        elif closed and token[0].upper() in _DML_WORDS:
            return end
        elif token[0] == ";" or (closed and token[0].upper() in QUERY_WORDS):
            return None
        else:
            end = token.end()
        closed = token[0] == "("
        position = skip_blanks(text, end)
    return None


def from_end(text: str, start: int) -> int | None:
    """The end of FROM s, or WITH name AS (…), … FROM s, when INSERT INTO or OVERWRITE follows; None for a query."""
    position, end, after_from, previous = skip_blanks(text, start), start, False, ""
    while position < len(text):
        token = TOKEN.match(text, position)
        assert token is not None
        word = token[0].upper()
        if word == "INSERT" and after_from and _INTO.match(text, skip_blanks(text, token.end())):
            return end
        if word in {";", "SELECT", "MAP", "REDUCE"} and previous != ".":
            return None
        after_from = after_from or word == "FROM"
        end = balanced_end(text, position, one_group=True) if word in {"(", "["} else token.end()
        position, previous = skip_blanks(text, end), word
    return None


def insert_starts(text: str, start: int) -> list[int]:
    """The offsets of the words INSERT outside of brackets from `start` on that begin an INSERT."""
    starts, position = [], start
    while position < len(text):
        token = TOKEN.match(text, position)
        assert token is not None
        if token[0].upper() == "INSERT" and _INTO.match(text, skip_blanks(text, token.end())):
            starts.append(position)
        end = balanced_end(text, position, one_group=True) if token[0] in "([" else token.end()
        position = skip_blanks(text, end)
    return starts


class ExpressionScan:
    """Reads one expression of `text` from `start` on. `may_follow` tells whether a terminal may come after it.

    The end is before a comma, a closing parenthesis, `;`, or a keyword that may follow, all outside of parentheses and
    CASE … END. Such a keyword must stand where an operator could: `a AND first` ends after the column called first.
    """

    def __init__(self, text: str, start: int, keywords: dict[str, str], may_follow: Callable[[str], bool]) -> None:
        self.text = text
        self.start = start
        self.end = start
        self.keywords = keywords
        self.may_follow = may_follow
        # Whether what was read so far could be an expression: it does not end with an operator.
        self.complete = False
        self._previous = ""
        self._dotted = False
        self._cases: list[int] = []

    def run(self) -> int:
        """The end of the expression; equals `start` when there is none."""
        text, position = self.text, self.start
        while position < len(text):
            token = TOKEN.match(text, position)
            assert token is not None
            if token.lastgroup in {"word", "number"} and token[0][0] != ".":
                if self._stops(token[0].upper(), token.end()):
                    break
                self._word(token[0].upper(), position)
                self.end = token.end()
            elif token.lastgroup == "symbol":
                if self._ends_before(token[0], position):
                    break
                self._symbol(token[0], position)
            else:
                self._operand(token[0])
                self.end = token.end()
            position = skip_blanks(text, self.end)
        if self._cases:
            case = self._cases[-1]
            reason = "The CASE that starts here is never closed by END."
            raise ParseSyntaxError(reason, "CASE").at(Caret(text, case, case + 4))
        return self.end

    def _ends_before(self, symbol: str, position: int) -> bool:
        if symbol == "(":
            return self._query_follows(position)
        return symbol in ",);]" or (symbol[0] in _BINARY and self.end == self.start)

    def _operand(self, token: str) -> None:
        self.complete, self._previous, self._dotted = True, token, False

    def _word(self, word: str, start: int) -> None:
        if self._dotted:
            return self._operand(word)
        if word == "CASE" and not self.complete:
            self._cases.append(start)
        elif word == "END" and self._cases:
            self._cases.pop()
            return self._operand(word)
        operator = word in _OPERATORS and (self.complete or self._previous in _OPERATOR_OPENERS)
        from_after_distinct = word == "FROM" and self._previous == "DISTINCT"
        self._operand(word)
        self.complete = not (operator or from_after_distinct or word in {"NOT", "CASE"})
        return None

    def _symbol(self, symbol: str, start: int) -> None:
        if symbol in "'\"`":
            not_closed(self.text, start, symbol)
        if symbol in "([":
            self.end = balanced_end(self.text, start, one_group=True)
            return self._operand(symbol)
        self.end = start + len(symbol)
        self._dotted = symbol in {".", ":"} and self.complete
        self._previous = symbol
        # A question mark is a parameter.
        self.complete = symbol == "?"
        return None

    def _stops(self, word: str, end: int) -> bool:
        """Whether this word is no part of the expression."""
        if self._cases or self._dotted:
            return False
        if not self.complete:
            return word in _RESERVED_CLAUSE_WORDS
        if word == "NOT":
            following = WORD.match(self.text, skip_blanks(self.text, end))
            return following is not None and following[0].upper() == "NULL" and self.may_follow("NOT")
        if word in _CLAUSE_WORDS or self._begins_next(word):
            return True
        return word not in _OPERATORS and self._previous != "INTERVAL" and self._alias_follows()

    def _begins_next(self, word: str) -> bool:
        """Whether what may follow the expression begins with this word: a keyword, or a query."""
        terminal = self.keywords.get(word)
        is_keyword = terminal is not None and self.may_follow(terminal)
        return is_keyword or (word in QUERY_WORDS and self.may_follow("QUERY_RUN"))

    def _alias_follows(self) -> bool:
        """An alias without AS comes after a complete expression, but not after INTERVAL 1 (the unit does)."""
        written = self.text[max(self.start, self.end - _LONGEST_INTERVAL) : self.end].upper().split()
        return self.may_follow("IDENTIFIER") and (len(written) < 2 or written[-2] != "INTERVAL")

    def _query_follows(self, start: int) -> bool:
        if not self.complete or self._previous in _TAKE_QUERY or not self.may_follow("QUERY_RUN"):
            return False
        return is_query(self.text, start)
