"""Tokens of Spark SQL with their positions, for every reader without a grammar, and the base class of such readers.

To the tokenizer an unterminated quote or comment extends to the end of the text: it raises no error. The functions that
find where a string, a comment or a group in brackets ends work by characters, and raise an error where the end is
missing, except for `comment_end`. A reader that must understand all tokens raises LeftToEngineError at the first one
that it does not support.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, NoReturn, TypeVar

from deltasql.base import errors
from deltasql.base.errors.base import Caret, LeftToEngineError
from deltasql.base.patterns import (
    BLANK,
    COMMENT_CLOSING,
    COMMENT_OPENING,
    DOLLAR_TEXT,
    NUMBER,
    QUOTED_NAME,
    STRING,
    WORD,
)

_BLANKS = re.compile(rf"{BLANK}+")
_COMMENT_EDGE = re.compile(rf"{COMMENT_OPENING}|{COMMENT_CLOSING}")
# A word is taken whole, so that the r of `bar'…'` does not look like the start of a raw string.
_PLAIN = r"""(?:(?![rR]['"])\w+|[^\w\s'"`()\[\];/\-$]|\$(?!\$))+"""
PIECE = re.compile(
    rf"(?P<blank>{BLANK})|(?P<quoted>{STRING}|{QUOTED_NAME}|{DOLLAR_TEXT})|(?P<plain>{_PLAIN})|(?P<special>.)",
    re.DOTALL,
)
"""One step of a coarse walk: text that holds nothing special, a quoted piece, a comment, or one special character."""
_CLOSING = {"(": ")", "[": "]"}
_NAMES = {
    "'": "string",
    '"': "string",
    "`": "quoted name",
    "(": "parenthesis",
    "[": "bracket",
    "/*": "comment",
    "$$": "body",
}
# A string that ends where a word goes on: 'it's'
_HALVED = re.compile(r"(?P<left>(?P<quote>['\"])(?:(?!(?P=quote))[^\\\n]|\\.)*)(?P=quote)\w")
# Characters before a quote that are searched for such a string: the search takes the square of them.
_LOOKED_AT = 1000


def not_closed(text: str, start: int, opening: str) -> NoReturn:
    """Raises ParseSyntaxError: the piece that `opening` starts at `start` never ends."""
    reason = f"The {_NAMES[opening]} that starts here with {opening} is never closed.{_where_from(text, start)}"
    raise errors.ParseSyntaxError(reason, opening).at(Caret(text, start, start + len(opening)))


def _where_from(text: str, start: int) -> str:
    """The reason why a quote may be one too many, and how far above the unterminated statement begins."""
    doubled = _HALVED.search(text, max(0, start - _LOOKED_AT), start + 2) if text[start] in "'\"" else None
    hint = f" In a string, {text[start]} is written twice: {doubled['left']}{doubled['quote'] * 2}…" if doubled else ""
    begin = len(text) - len(text.lstrip())
    above = text.count("\n", begin, start)
    if not above:
        return hint
    first = text[begin:].splitlines()[0].strip()
    shown = first if len(first) <= 60 else f"{first[:60]}…"
    return f"{hint} The statement begins {above} line{'s' if above > 1 else ''} above: {shown}"


def skip_comment(text: str, start: int) -> int:
    """The offset after the block comment at `start`; comments nest. Raises ParseSyntaxError if it never ends."""
    end = _comment_end(text, start)
    if end is None:
        not_closed(text, start, "/*")
    return end


def comment_end(text: str, start: int) -> int:
    """The offset after the block comment at `start`, or the length of `text` if it never ends."""
    end = _comment_end(text, start)
    return len(text) if end is None else end


def _comment_end(text: str, start: int) -> int | None:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return None


def skip_blanks(text: str, start: int) -> int:
    """The offset of the next character that is neither white space nor comment, or the length of `text`."""
    while True:
        blanks = _BLANKS.match(text, start)
        start = blanks.end() if blanks else start
        if not text.startswith("/*", start):
            return start
        start = skip_comment(text, start)


def balanced_end(text: str, start: int, one_group: bool = False) -> int:
    """The end of the balanced text at `start`: of the whole statement, or of the group that opens right there.

    A statement ends with its last token before `;` or the end of `text`; blanks and comments do not count.
    Raises ParseSyntaxError for what is not closed, or not opened.
    """
    opened: list[int] = []
    position = end = start
    size = len(text)
    match = PIECE.match
    while position < size:
        piece = match(text, position)
        assert piece is not None
        position = piece.end()
        if piece.lastgroup == "blank":
            continue
        if piece.lastgroup != "special":
            end = position
            continue
        char = piece[0]
        if char == ";" and not opened:
            break
        position = _special(text, piece.start(), char, opened)
        if char == "/" and position > piece.end():
            continue
        end = position
        if one_group and not opened:
            break
    if opened:
        not_closed(text, opened[-1], text[opened[-1]])
    return end


def _special(text: str, start: int, char: str, opened: list[int]) -> int:
    """The offset after the special character or comment at `start`; keeps account of the groups in `opened`."""
    if char == "/" and text.startswith("/*", start):
        return skip_comment(text, start)
    if char in "([":
        opened.append(start)
    elif char in ")]":
        if not opened or _CLOSING[text[opened[-1]]] != char:
            raise errors.ParseSyntaxError(f"Nothing opens this {char}.", char).at(Caret(text, start, start + 1))
        opened.pop()
    elif char == ";":
        not_closed(text, opened[-1], text[opened[-1]])
    elif char in "'\"`":
        not_closed(text, start, char)
    elif text.startswith("$$", start):
        not_closed(text, start, "$$")
    return start + 1


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


@lru_cache(maxsize=256)
def tokenize(sql: str) -> tuple[Token, ...]:
    """Tokens of `sql` in order, without white space, comments and hints; quotes that do not end are symbols.

    Kept for the last texts: the readers of a statement ask for those of the same clauses many times.
    """
    return tuple(tokens_from(sql, 0))


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


_T = TypeVar("_T")


def require_value(value: _T | None) -> _T:
    """`value`, which must be known. Raises LeftToEngineError."""
    if value is None:
        raise LeftToEngineError
    return value


class TokenCursor:
    """Reads a text, or some tokens of one, from left to right; `at` is the index of the next, and may be set back."""

    def __init__(self, read: str | Sequence[Token], at: int = 0) -> None:
        self.tokens: Sequence[Token] = tokenize(read) if isinstance(read, str) else read
        self.at = at

    @property
    def left(self) -> bool:
        """Whether there is a next token."""
        return self.at < len(self.tokens)

    @property
    def key(self) -> str:
        """The key of the next token; "" for strings and quoted names, and at the end."""
        return self.tokens[self.at].key if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        """The kind of the next token; "" at the end."""
        return self.tokens[self.at].kind if self.left else ""

    @property
    def is_name(self) -> bool:
        """Whether the next token is a word or a quoted name."""
        return self.is_name_at(0)

    def is_name_at(self, ahead: int) -> bool:
        """Whether the token that stands so many further on is a word or a quoted name."""
        index = self.at + ahead
        return 0 <= index < len(self.tokens) and self.tokens[index].is_name

    def peek(self, ahead: int) -> str:
        """The key of the token that stands so many further on, or before if negative; "" where there is none."""
        index = self.at + ahead
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    def next(self) -> Token:
        """The next token, and a step over it. Raises LeftToEngineError at the end."""
        if not self.left:
            raise LeftToEngineError
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *keys: str) -> str:
        """The key of the next token, and a step over it, if it is one of `keys`; else ""."""
        key = self.key
        if not key or key not in keys:
            return ""
        self.at += 1
        return key

    def need(self, key: str) -> None:
        """A step over the next token, which must be this one: LeftToEngineError."""
        if not self.take(key):
            raise LeftToEngineError

    def end(self) -> None:
        """Nothing may follow: LeftToEngineError."""
        if self.left:
            raise LeftToEngineError

    def name(self) -> str:
        """The next token as a name without its quotes, and a step over it. Raises LeftToEngineError for no name."""
        token = self.next()
        if not token.is_name:
            raise LeftToEngineError
        return token.name

    def group(self) -> Sequence[Token]:
        """A step over the next token, or over the whole group that it opens; the tokens stepped over."""
        start = self.at
        self.at = closing(self.tokens, start) + 1 if self.key in {"(", "["} else start + 1
        return self.tokens[start : self.at]

    def listed(self, read: Callable[[], _T]) -> list[_T]:
        """The things between commas, each read by `read`: at least one."""
        found = [read()]
        while self.take(","):
            found.append(read())
        return found

    def before(self, *keys: str) -> Sequence[Token]:
        """A step up to the next of `keys` outside of brackets, or to the end; the tokens stepped over, at least one."""
        start = self.at
        while self.left and self.key not in keys:
            self.group()
        if self.at == start:
            raise LeftToEngineError
        return self.tokens[start : self.at]

    def sort_direction(self) -> tuple[bool, bool]:
        """[ASC | DESC] [NULLS FIRST | NULLS LAST], read: whether the order is descending, and whether NULL is first."""
        descending = self.take("ASC", "DESC") == "DESC"
        if not self.take("NULLS"):
            return descending, not descending
        side = self.take("FIRST", "LAST")
        if not side:
            raise LeftToEngineError
        return descending, side == "FIRST"

    def dotted(self) -> list[Token]:
        """The names of `a.b.c`, the first of which is next, and a step over them."""
        names = [self.next()]
        while self.key == "." and self.is_name_at(1):
            self.at += 1
            names.append(self.next())
        return names


def comma_separated(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens between the commas outside of brackets; after the last comma there may be none."""
    at, item = TokenCursor(tokens), list[Token]()
    while at.left:
        if at.take(","):
            yield item
            item = []
        else:
            item += at.group()
    yield item
