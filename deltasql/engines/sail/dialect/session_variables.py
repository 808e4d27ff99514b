"""Statements about session variables, and the names in a text that may be variables, for an engine that has none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deltasql.base.errors.base import LeftToEngineError
from deltasql.sql.stored_expressions import type_end
from deltasql.sql.tokens import Token, TokenCursor, comma_separated, tokenize

_SESSIONS = (["SESSION"], ["SYSTEM", "SESSION"])
_LIST_ENDS = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"}
    | {"QUALIFY", "LATERAL", "UNION", "INTERSECT", "EXCEPT", "MINUS", "VALUES", "SELECT"}
)
"""Keywords that end the list of a SELECT."""
_NO_TYPE = frozenset({"DEFAULT", "="})


@dataclass(frozen=True, slots=True)
class AssignedVariable:
    """The variable that a statement changes, at [start, end) of its text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Declare:
    """DECLARE [OR REPLACE] [VARIABLE] name, … [type] [DEFAULT expression]"""

    targets: tuple[AssignedVariable, ...]
    replaces: bool
    kind: str | None
    default: str | None


@dataclass(frozen=True, slots=True)
class Assign:
    """SET VARIABLE name = expression, …: None is DEFAULT.

    Of SET VARIABLE (name, …) = (query), `query` has the values.
    """

    targets: tuple[AssignedVariable, ...]
    values: tuple[str | None, ...] = ()
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """DROP TEMPORARY VARIABLE [IF EXISTS] name"""

    target: AssignedVariable
    if_exists: bool


def variable_command(sql: str) -> Declare | Assign | Drop | None:
    """The statement about session variables in a text; None for any other text.

    Raises LeftToEngineError for one that cannot be parsed with certainty.
    """
    at = _Statement(sql)
    if at.take("DECLARE"):
        return at.declare()
    if at.key == "SET" and at.peek(1) in {"VAR", "VARIABLE"}:
        at.at += 2
        return at.assign()
    if at.key == "DROP" and at.peek(1) == "TEMPORARY" and at.peek(2) in {"VAR", "VARIABLE"}:
        at.at += 3
        if_exists = at.key == "IF" and at.peek(1) == "EXISTS"
        at.at += 2 * if_exists
        target = at.target()
        at.end()
        return Drop(target, if_exists)
    return None


class _Statement(TokenCursor):
    def __init__(self, sql: str) -> None:
        tokens = tokenize(sql)
        while tokens and tokens[-1].key == ";":
            tokens.pop()
        super().__init__(tokens)
        self.sql = sql

    def declare(self) -> Declare:
        replaces = self.key == "OR" and self.peek(1) == "REPLACE"
        self.at += 2 * replaces
        if self.key in {"VARIABLE", "VAR"} and self.is_name_at(1):
            self.at += 1
        targets = self.listed(self.target)
        kind = None
        if self.left and self.key not in _NO_TYPE:
            start, self.at = self.at, type_end(self.tokens, self.at)
            kind = self.text(start, self.at)
        default = None
        if self.take(*_NO_TYPE):
            default = self.text(self.at, len(self.tokens))
            self.at = len(self.tokens)
        self.end()
        if kind is None and default is None:
            raise LeftToEngineError
        return Declare(tuple(targets), replaces, kind, default)

    def assign(self) -> Assign:
        if self.key == "(":
            names = TokenCursor(self.group()[1:-1])
            targets = names.listed(lambda: _target(names))
            names.end()
            self.need("=")
            query = self.group()
            self.end()
            if len(query) < 3 or query[0].key != "(":
                raise LeftToEngineError
            return Assign(tuple(targets), query=self.sql[query[0].end : query[-1].start])
        targets, values = [], list[str | None]()
        for item in comma_separated(self.tokens[self.at :]):
            one = TokenCursor(item)
            targets.append(_target(one))
            one.need("=")
            if not one.left:
                raise LeftToEngineError
            value = self.sql[item[one.at].start : item[-1].end]
            values.append(None if value.upper() == "DEFAULT" else value)
        return Assign(tuple(targets), tuple(values))

    def target(self) -> AssignedVariable:
        return _target(self)

    def text(self, start: int, end: int) -> str:
        if start >= end:
            raise LeftToEngineError
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end]


def _target(at: TokenCursor) -> AssignedVariable:
    """The variable at the cursor. Raises LeftToEngineError for a name that no session variable can have."""
    if not at.is_name:
        raise LeftToEngineError
    chain = at.dotted()
    if len(chain) > 1 and [token.name.upper() for token in chain[:-1]] not in _SESSIONS:
        raise LeftToEngineError
    return AssignedVariable(chain[-1].name, chain[0].start, chain[-1].end)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at [start, end) of a text that may be a variable; `key` is the variable in capitals.

    `qualified` ones are qualified by `session`. One that is `listed` is a whole column of a SELECT list, with that
    `name`. `nested` ones are in a query within the text; `before` is the key of the token before the name.
    """

    key: str
    start: int
    end: int
    name: str
    qualified: bool
    listed: bool
    nested: bool
    before: str


def mentions(sql: str, keys: Collection[str]) -> list[Mention]:
    """The names in a text that may be the variables `keys`, which are in capitals: columns of that name come first."""
    return list(_mentions(tokenize(sql), keys))


def _mentions(tokens: Sequence[Token], keys: Collection[str]) -> Iterator[Mention]:
    at, around = TokenCursor(tokens), [_Around()]
    while at.left:
        _step(at, around)
        if not at.is_name:
            at.at += 1
            continue
        first = at.at
        chain = at.dotted()
        variable = _variable(chain, keys)
        if variable is None or at.key in {"(", "->", "=>"} or _names(tokens, first):
            continue
        before, last = tokens[first - 1].key if first else "", chain[-1]
        ends = not at.left or at.key in {",", ")", *_LIST_ENDS}
        listed = around[-1].lists and before in {"SELECT", ",", "DISTINCT", "ALL"} and ends
        yield Mention(variable, chain[0].start, last.end, last.name, len(chain) > 1, listed, around[-1].nested, before)


@dataclass(slots=True)
class _Around:
    """A pair of brackets: whether its tokens are in a SELECT list, and whether it is `nested` in an inner query."""

    lists: bool = False
    nested: bool = False


def _step(at: TokenCursor, around: list[_Around]) -> None:
    """Updates the brackets around the next token."""
    if at.key == "(":
        begins = at.peek(1) in {"SELECT", "WITH", "FROM", "VALUES", "TABLE"}
        around.append(_Around(nested=around[-1].nested or begins))
    elif at.key == ")" and len(around) > 1:
        around.pop()
    elif at.key in _LIST_ENDS:
        around[-1].lists = at.key == "SELECT"


def _variable(chain: Sequence[Token], keys: Collection[str]) -> str | None:
    *before, last = (token.name.upper() for token in chain)
    return last if last in keys and (not before or before in _SESSIONS) else None


def _names(tokens: Sequence[Token], at: int) -> bool:
    """Whether the name at a token is an alias or part of a longer name."""
    return at > 0 and tokens[at - 1].key in {"AS", ".", "::", ":"}


def with_values(sql: str, mentions: Sequence[Mention], values: Mapping[str, str]) -> str:
    """`sql` with the SQL of values in place of variables; columns of a SELECT keep their names."""
    for item in sorted(mentions, key=lambda item: item.start, reverse=True):
        name = item.name.replace("`", "``")
        value = f"{values[item.key]} AS `{name}`" if item.listed else values[item.key]
        sql = sql[: item.start] + value + sql[item.end :]
    return sql
