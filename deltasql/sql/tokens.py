"""Tokens of Spark SQL with their positions: enough to find names and clauses, and never an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    r"""
    (?P<space>   \s+ | --(?:\\\n|[^\r\n])* )
  | (?P<comment> /\* )
  | (?P<string>  [rR]'[^']*' | [rR]"[^"]*" | '(?:\\.|''|[^'\\])*' | "(?:\\.|""|[^"\\])*" )
  | (?P<quoted>  `(?:``|[^`])*` )
  | (?P<number>  (?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?:BD|[DFdf])?(?!\w) | \d+[eE][+-]?\d+(?:BD|[DFdf])?(?!\w)
               | \d+(?:BD|[LSYDFlsydf])?(?!\w) )
  | (?P<word>    \w+ )
  | (?P<symbol>  \|> | <=> | -> | => | :: | \|\| | <> | != | <= | >= | == | . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `kind` is string, quoted, number, word or symbol; `key` is its text in upper case for words."""

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
    tokens, at = [], 0
    while at < len(sql):
        match = _TOKEN.match(sql, at)
        # The last alternative matches any character, so there is always a match.
        assert match is not None
        kind, text = str(match.lastgroup), match.group()
        at = match.end()
        if kind == "comment":
            at = _comment_end(sql, at)
        elif kind != "space":
            key = text.upper() if kind == "word" else text
            tokens.append(Token(kind, text, "" if kind in {"string", "quoted"} else key, match.start()))
    return tokens


def _comment_end(sql: str, at: int) -> int:
    # Spark nests bracketed comments.
    depth = 1
    for match in re.finditer(r"/\*|\*/", sql[at:]):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return at + match.end()
    return len(sql)


def closing(tokens: list[Token], opening: int) -> int:
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
