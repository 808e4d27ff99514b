"""Tokens of Spark SQL with their positions: enough to find names and clauses, without errors.

The tokenizer of every reader without a grammar. An unterminated quote or comment extends to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from deltasql.base.patterns import BLANK, COMMENT_OPENING, DOLLAR_TEXT, NUMBER, QUOTED_NAME, STRING, WORD
from deltasql.sql.extents import comment_end

TOKEN = re.compile(
    rf"(?P<blank>{BLANK})|(?P<comment>{COMMENT_OPENING})|(?P<string>{STRING})|(?P<dollars>{DOLLAR_TEXT})|(?P<quoted>{QUOTED_NAME})"
    rf"|(?P<number>{NUMBER})|(?P<word>{WORD})|(?P<symbol>\|>|<=>|->|=>|::|\|\||<>|!=|<=|>=|==|\\['\"]|.)",
    re.DOTALL,
)
"""The next token of a text, at any character of it; the group that matched is its kind.

A quote behind a backslash opens nothing: behind one that never ends there are only such, and none is read to the end.
"""


AFTER_COLUMNS = frozenset(
    {
        *("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"),
        *("QUALIFY", "UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS", "LATERAL", "|>", ";"),
    }
)
"""Words behind the list of a SELECT, which end its last column."""


class Token(NamedTuple):
    """One token: `kind` is string, dollars (a body between `$$`), quoted, number, word or symbol; `key` is its text in
    upper case for words."""

    kind: str
    text: str
    key: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_name(self) -> bool:
        return self.kind in {"word", "quoted"}

    @property
    def name(self) -> str:
        """An identifier without its quotes."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


def tokenize(sql: str) -> list[Token]:
    """Tokens of `sql` in order, without white space, comments and hints; quotes that do not end are symbols."""
    return list(tokens_from(sql, 0))


def tokens_from(sql: str, start: int) -> Iterator[Token]:
    """The tokens of `sql` from the offset `start` on, read as they are asked for."""
    at: int | None = start
    while at is not None:
        begin, at = at, None
        for match in TOKEN.finditer(sql, begin):
            kind = match.lastgroup
            if kind == "blank":
                continue
            text = match[0]
            if kind == "word":
                yield Token(kind, text, text.upper(), match.start())
            elif kind in {"string", "dollars", "quoted"}:
                yield Token(kind, text, "", match.start())
            elif kind == "comment":
                at = comment_end(sql, match.start())
                break
            else:
                yield Token(str(kind), text, text, match.start())


def closing(tokens: Sequence[Token], opening: int) -> int:
    """Index of the bracket that closes the one at `opening`; len(tokens) when it is missing."""
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].key in {"(", "["}:
            depth += 1
        elif tokens[index].key in {")", "]"}:
            depth -= 1
            if depth == 0:
                return index
    return len(tokens)


def calls(sql: str, names: frozenset[str]) -> bool:
    """Whether `sql` calls one of the functions, which are named in lower case."""
    tokens = tokenize(sql)
    pairs = pairwise(tokens)
    return any(name.is_name and name.name.lower() in names and after.key == "(" for name, after in pairs)
