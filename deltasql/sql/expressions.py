"""The grammar of scalar expressions, and the tree that each reader of them visits.

A text becomes a tree once. Visitors say what is made of each node: its type (`expression_types`), its evaluation
(`evaluated`), the parts of an aggregate (`queries.incremental`). A text with anything else than these nodes has no
tree, and an engine reads it. sqlglot reads whole queries. Source: Spark's SQL grammar, precedence of operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import tzinfo
from functools import lru_cache
from typing import TypeAlias, Union, get_args

from deltasql.base import LeftToEngineError, Token, TokenCursor, require_value, tokenize
from deltasql.schema import BOOLEAN, INTEGER, LONG, MOST_DIGITS, STRING, DataType, DecimalType, types
from deltasql.sql.constants import NULL, Literal, cast, negated, number_literal, unquote, whole_number


@dataclass(frozen=True, slots=True)
class Written:
    """A literal by its tokens: 1, -1, NULL, TRUE, texts side by side, DATE '2024-01-31'."""

    tokens: tuple[Token, ...]

    @property
    def word(self) -> str:
        """DATE of DATE '2024-01-31', NULL, TRUE or FALSE, in capitals; "" for numbers and texts."""
        return self.tokens[0].key if self.tokens[0].kind == "word" else ""


@dataclass(frozen=True, slots=True)
class IntervalNode:
    """INTERVAL 3 DAYS, or INTERVAL '3 days': the amount and the unit as they are written, the unit in capitals."""

    amount: str
    unit: str


@dataclass(frozen=True, slots=True)
class ColumnNode:
    """A name by its tokens: `a`, or `a.b` of a table or a struct."""

    tokens: tuple[Token, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The parts, without their quotes."""
        return tuple(token.name for token in self.tokens)


@dataclass(frozen=True, slots=True)
class CallNode:
    """A call of a function. `count(*)` has no arguments and a star."""

    function: Token
    arguments: tuple[Node, ...]
    distinct: bool = False
    star: bool = False

    @property
    def name(self) -> str:
        return self.function.name.lower()


@dataclass(frozen=True, slots=True)
class CastTo:
    """CAST(value AS type), or value::type."""

    value: Node
    type: DataType


@dataclass(frozen=True, slots=True)
class Extract:
    """EXTRACT(part FROM value), with the part in capitals."""

    part: str
    value: Node


@dataclass(frozen=True, slots=True)
class Brackets:
    """An expression in brackets."""

    value: Node


@dataclass(frozen=True, slots=True)
class Subscript:
    """holder[key]"""

    holder: Node
    key: Node


@dataclass(frozen=True, slots=True)
class FieldOf:
    """holder.name, where the holder is no name."""

    holder: Node
    name: str


@dataclass(frozen=True, slots=True)
class Signed:
    """A sign before anything but a number."""

    sign: str
    value: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """left operator right, of + - || * / % DIV"""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class ComparisonNode:
    """left operator right, of the values of COMPARISONS."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Logic:
    """Two or more conditions joined by AND or OR."""

    operator: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """NOT condition"""

    value: Node


@dataclass(frozen=True, slots=True)
class IsWord:
    """value IS [NOT] {NULL | TRUE | FALSE}"""

    value: Node
    word: str
    denied: bool


@dataclass(frozen=True, slots=True)
class Member:
    """value [NOT] {BETWEEN | IN | LIKE | ILIKE | RLIKE | REGEXP} with the two bounds, the items, or the pattern."""

    value: Node
    word: str
    others: tuple[Node, ...]
    denied: bool


@dataclass(frozen=True, slots=True)
class CaseNode:
    """CASE [subject] WHEN … THEN … [ELSE …] END"""

    subject: Node | None
    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Raw:
    """A condition that the grammar does not have; only `condition_tree` makes it."""


Node: TypeAlias = Union[
    Written,
    IntervalNode,
    ColumnNode,
    CallNode,
    CastTo,
    Extract,
    Brackets,
    Subscript,
    FieldOf,
    Signed,
    Binary,
    ComparisonNode,
    Logic,
    Not,
    IsWord,
    Member,
    CaseNode,
    Raw,
]

COMPARISONS = {"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "<=>"}
"""Operators, and the one spelling of each."""
_SUMS = ("+", "-", "||")
_PRODUCTS = ("*", "/", "%", "DIV")
_BITS = frozenset({"&", "|", "^", "<<", ">>"})
_MEMBERS = ("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP")
_WORDS = frozenset({"NULL", "TRUE", "FALSE"})
_AMOUNTS = frozenset({"number", "string"})
_AFTER_INTERVALS = frozenset({"AND", "OR", "THEN", "WHEN", "ELSE", "END", "AS", "IS", "IN", "NOT", "BETWEEN"})
_NO_NAMES = frozenset({"INTERVAL", "EXISTS", "SELECT", "DISTINCT", "ANY", "ALL", "SOME"})
_EXTRACTED = ("YEAR", "MONTH", "DAY", "DAYOFWEEK", "DAYOFYEAR", "WEEK", "QUARTER", "HOUR", "MINUTE")


@lru_cache(maxsize=512)
def expression_tree(sql: str) -> Node:
    """The tree of a whole text. Raises LeftToEngineError, RecursionError for brackets that are too deep."""
    reader = ExpressionReader(tokenize(sql))
    tree = reader.expression()
    reader.end()
    return tree


@lru_cache(maxsize=512)
def condition_tree(sql: str) -> Node:
    """As `expression_tree`, with Raw for each part joined by AND, OR or NOT that the grammar does not have."""
    with suppress(LeftToEngineError):
        return expression_tree(sql)
    reader = _ConditionReader(tokenize(sql))
    with suppress(LeftToEngineError):
        tree = reader.condition()
        reader.end()
        return tree
    return Raw()


class ExpressionReader(TokenCursor):
    """Each method reads one level of precedence, the weakest first. Raises LeftToEngineError for any other text."""

    def expression(self) -> Node:
        return self._joined("OR", self._conjunction)

    def _conjunction(self) -> Node:
        return self._joined("AND", self._negation)

    def _joined(self, operator: str, read: Callable[[], Node]) -> Node:
        parts = [read()]
        while self.take(operator):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Logic(operator, tuple(parts))

    def _negation(self) -> Node:
        if self.take("NOT", "!"):
            return Not(self._negation())
        return self._predicate()

    def _predicate(self) -> Node:
        """Comparisons, one after another, and at most one test behind them."""
        left = self.sum()
        while operator := self.take(*COMPARISONS):
            left = ComparisonNode(COMPARISONS[operator], left, self.sum())
        if self.take("IS"):
            denied = bool(self.take("NOT"))
            if self.take("DISTINCT"):
                self.need("FROM")
                alike = ComparisonNode("<=>", left, self.sum())
                return alike if denied else Not(alike)
            word = self.take(*_WORDS)
            if not word:
                raise LeftToEngineError
            return IsWord(left, word, denied)
        start, denied = self.at, bool(self.take("NOT"))
        word = self.take(*_MEMBERS)
        if not word:
            self.at = start
            return left
        return Member(left, word, self._others(word), denied)

    def _others(self, word: str) -> tuple[Node, ...]:
        """The bounds of BETWEEN, the items of IN, the pattern of LIKE."""
        if word == "IN":
            self.need("(")
            items = self.listed(self.expression)
            self.need(")")
            return tuple(items)
        first = self.sum()
        if word == "BETWEEN":
            self.need("AND")
            return first, self.sum()
        if self.key == "ESCAPE":
            raise LeftToEngineError
        return (first,)

    def sum(self) -> Node:
        left = self._product()
        while operator := self.take(*_SUMS):
            left = Binary(operator, left, self._product())
        # Operators on bits bind weaker than these, and stronger than comparisons.
        if self.key in _BITS:
            raise LeftToEngineError
        return left

    def _product(self) -> Node:
        left = self._signed()
        while operator := self.take(*_PRODUCTS):
            left = Binary(operator, left, self._signed())
        return left

    def _signed(self) -> Node:
        if self.key not in {"-", "+"}:
            return self._suffixed(self.operand())
        sign = self.next()
        if sign.key == "-" and self.kind == "number":
            number = self.next()
            if self.key not in {"[", ".", ":", "::"}:
                return Written((sign, number))
            # `::` binds stronger than a sign.
            return Signed("-", self._suffixed(Written((number,))))
        return Signed(sign.key, self._signed())

    def _suffixed(self, value: Node) -> Node:
        """An operand with suffixes: [key], .field, ::type."""
        while self.take("["):
            value = Subscript(value, self.expression())
            self.need("]")
        while self.take("."):
            value = FieldOf(value, self.name())
        if self.key in {"[", "."}:
            raise LeftToEngineError
        while self.key in {":", "::"}:
            if not self.take("::"):
                self.need(":")
                self.need(":")
            value = CastTo(value, type_at(self))
        return value

    def operand(self) -> Node:
        """A literal, a column, a call, or an expression in brackets."""
        if self.take("("):
            inner = self.expression()
            self.need(")")
            return Brackets(inner)
        if self.take("CASE"):
            return self._case()
        if self.key == "INTERVAL" and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind in _AMOUNTS:
            return self._interval()
        literal = self._literal()
        if literal:
            return Written(tuple(literal))
        if not self.is_name or self.key in _NO_NAMES:
            raise LeftToEngineError
        return self.call() if self.peek(1) == "(" else self._column()

    def _interval(self) -> Node:
        self.next()
        amount = self.next()
        if amount.kind == "number":
            return IntervalNode(amount.text, self.name().upper())
        words = unquote(amount.text).split()
        if self.kind == "word" and len(words) == 1 and self.key not in _AFTER_INTERVALS:
            words.append(self.name())
        if len(words) != 2:
            raise LeftToEngineError
        return IntervalNode(words[0], words[1].upper())

    def _literal(self) -> list[Token]:
        """The tokens of a literal without a sign; none where no literal is next. Neighbouring texts are one."""
        read: list[Token] = []
        if self.kind == "number":
            return [self.next()]
        while self.kind == "string":
            read.append(self.next())
        if self.kind != "word" or self.peek(1) == "(" or read:
            return read
        if self.key in _WORDS:
            return [self.next()]
        if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == "string":
            return [self.next(), self.next()]
        return read

    def _column(self) -> Node:
        names = tuple(self.dotted())
        if self.key == "(" or self.kind == "string":
            raise LeftToEngineError
        return ColumnNode(names)

    def call(self) -> Node:
        function = self.next()
        self.need("(")
        match function.key:
            case "CAST":
                value = self.expression()
                self.need("AS")
                found: Node = CastTo(value, type_at(self))
            case "EXTRACT":
                part = self.take(*_EXTRACTED)
                self.need("FROM" if part else "")
                found = Extract(part, self.expression())
            case _:
                found = self._arguments(function)
        self.need(")")
        return found

    def _arguments(self, function: Token) -> CallNode:
        if self.key == ")":
            return CallNode(function, ())
        if self.take("*"):
            return CallNode(function, (), star=True)
        distinct = bool(self.take("DISTINCT"))
        return CallNode(function, tuple(self.listed(self.expression)), distinct)

    def _case(self) -> CaseNode:
        subject = None if self.key == "WHEN" else self.expression()
        branches = []
        while self.take("WHEN"):
            when = self.expression()
            self.need("THEN")
            branches.append((when, self.expression()))
        otherwise = self.expression() if self.take("ELSE") else None
        self.need("END")
        if not branches:
            raise LeftToEngineError
        return CaseNode(subject, tuple(branches), otherwise)


class _ConditionReader(ExpressionReader):
    """Reads what joins conditions, and steps over a condition that the grammar does not have."""

    def condition(self) -> Node:
        return self._joined("OR", lambda: self._joined("AND", self._part))

    def _part(self) -> Node:
        if self.take("NOT", "!"):
            return Not(self._part())
        start = self.at
        for read in (self._predicate, self._group):
            with suppress(LeftToEngineError):
                found = read()
                if not self.left or self.key in _JOINTS:
                    return found
            self.at = start
        self._step_over()
        if self.at == start:
            # Nothing stands there, so that the text is no condition.
            raise LeftToEngineError
        return Raw()

    def _group(self) -> Node:
        self.need("(")
        found = self.condition()
        self.need(")")
        return Brackets(found)

    def _step_over(self) -> None:
        """A step to the next AND, OR or closing bracket that is not within the condition."""
        bounds = cases = 0
        while self.left and not (self.key == ")" or (not cases and not bounds and self.key in _JOINTS)):
            cases += (self.key == "CASE") - (self.key == "END")
            if not cases:
                # BETWEEN has an AND of its bounds.
                bounds += (self.key == "BETWEEN") - (self.key == "AND")
            self.group()


_JOINTS = frozenset({"AND", "OR", ")"})

SIMPLE_TYPES: dict[str, DataType] = {
    "BOOLEAN": BOOLEAN,
    **dict.fromkeys(("TINYINT", "BYTE"), types.BYTE),
    **dict.fromkeys(("SMALLINT", "SHORT"), types.SHORT),
    **dict.fromkeys(("INT", "INTEGER"), INTEGER),
    **dict.fromkeys(("BIGINT", "LONG"), LONG),
    **dict.fromkeys(("FLOAT", "REAL"), types.FLOAT),
    "DOUBLE": types.DOUBLE,
    "STRING": STRING,
    "BINARY": types.BINARY,
    "DATE": types.DATE,
    "TIMESTAMP": types.TIMESTAMP,
    "TIMESTAMP_LTZ": types.TIMESTAMP,
    "TIMESTAMP_NTZ": types.TIMESTAMP_NTZ,
}
"""Types without parameters, by their names."""


def type_at(cursor: TokenCursor) -> DataType:
    """The simple type whose name is next, which is read. Raises LeftToEngineError for any other type."""
    word = cursor.next().key
    if word in {"DECIMAL", "DEC", "NUMERIC"}:
        return _decimal_at(cursor)
    if word not in SIMPLE_TYPES or cursor.key in {"(", "COLLATE"}:
        raise LeftToEngineError
    return SIMPLE_TYPES[word]


def _decimal_at(cursor: TokenCursor) -> DataType:
    precision, scale = 10, 0
    if cursor.take("("):
        precision = _digits_at(cursor)
        scale = _digits_at(cursor) if cursor.take(",") else 0
        cursor.need(")")
    if not 0 <= scale <= precision <= MOST_DIGITS or precision == 0:
        raise LeftToEngineError
    return DecimalType(precision, scale)


def _digits_at(cursor: TokenCursor) -> int:
    return require_value(whole_number(cursor.next().text))


def literal(node: Node, zone: tzinfo | None) -> Literal | None:
    """The constant that a node is; None for other nodes, and for constants whose value depends on settings.

    `zone` is the session's, for timestamps that name none.
    """
    match node:
        case Brackets(value):
            return literal(value, zone)
        case Written():
            return _written(node, zone)
        case Signed("-", value):
            inner = literal(value, zone)
            return None if inner is None else negated(inner)
        case CastTo(value, kind):
            inner = literal(value, zone)
            return None if inner is None else cast(inner, kind, zone)
        case CallNode(arguments=(value,)) if node.name in {"to_date", "date"} and not node.distinct:
            inner = literal(value, zone)
            return None if inner is None else cast(inner, types.DATE, zone)
    return None


def _written(node: Written, zone: tzinfo | None) -> Literal | None:
    last = node.tokens[-1]
    match node.word:
        case "NULL":
            return NULL
        case "TRUE" | "FALSE" as word:
            return Literal("bool", word == "TRUE")
        case "" if last.kind == "number":
            found = number_literal(last.text)
            return found if found is None or len(node.tokens) == 1 else negated(found)
        case "" | "DATE" | "TIMESTAMP" | "TIMESTAMP_LTZ" | "TIMESTAMP_NTZ" as word:
            texts = node.tokens[1:] if word else node.tokens
            # A setting says what an escape means.
            if any("\\" in token.text for token in texts):
                return None
            text = Literal("string", "".join(unquote(token.text) for token in texts))
            return cast(text, SIMPLE_TYPES[word], zone) if word else text
    return None


def nodes(tree: Node) -> Iterator[Node]:
    """A node and all nodes below it, each before those below it."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed([*_below(node)])


def _below(node: Node) -> Iterator[Node]:
    for item in fields(node):
        yield from _within(getattr(node, item.name))


def _within(value: object) -> Iterator[Node]:
    if isinstance(value, tuple):
        for item in value:
            yield from _within(item)
    elif isinstance(value, _NODES):
        yield value


_NODES = get_args(Node)
