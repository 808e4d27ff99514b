"""The types of common expressions over a table's columns, derived without Spark.

A recursive descent over the tokens in Spark's order of precedence, which gives types in place of values. Anything else
is left to Spark: the types must be right, and coverage may be small.
"""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.base.errors.base import LeftToEngineError
from deltasql.schema import types
from deltasql.schema.type_lattice import MOST_DIGITS, can_cast, common_of_branches, is_integral, is_number
from deltasql.schema.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, VOID, DataType, DecimalType, StructType
from deltasql.sql.constants import clock_and_offset, clock_time, date_days, number, unquote, whole_number
from deltasql.sql.cursor import TokenCursor, require_value
from deltasql.sql.functions.result_types import (
    FUNCTIONS,
    arithmetic,
    comparison,
    element,
)
from deltasql.sql.tokens import Token, tokenize

_COMPARISONS = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>"})
_TYPES: dict[str, DataType] = {
    "BOOLEAN": BOOLEAN,
    **dict.fromkeys(("TINYINT", "BYTE"), types.BYTE),
    **dict.fromkeys(("SMALLINT", "SHORT"), types.SHORT),
    **dict.fromkeys(("INT", "INTEGER"), INTEGER),
    **dict.fromkeys(("BIGINT", "LONG"), LONG),
    **dict.fromkeys(("FLOAT", "REAL"), types.FLOAT),
    "DOUBLE": DOUBLE,
    "STRING": STRING,
    "BINARY": types.BINARY,
    "DATE": types.DATE,
    "TIMESTAMP": types.TIMESTAMP,
    "TIMESTAMP_LTZ": types.TIMESTAMP,
    "TIMESTAMP_NTZ": types.TIMESTAMP_NTZ,
}
_CASTS = frozenset(
    {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "DATE", "TIMESTAMP", "BINARY"}
)
"""Types that have a function of the same name."""
_WRITTEN = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"})
_EXTRACTED = frozenset({"YEAR", "MONTH", "DAY", "DAYOFWEEK", "DAYOFYEAR", "WEEK", "QUARTER", "HOUR", "MINUTE"})
_NO_NAMES = frozenset({"INTERVAL", "EXISTS", "SELECT", "DISTINCT", "ANY", "ALL", "SOME"})


def derived_type(sql: str, schema: StructType) -> DataType | None:
    """The type of `sql` over columns of `schema`; None where only Spark can determine it."""
    descent = _Descent(sql, schema)
    try:
        kind = descent.expression().kind
        descent.end()
    except (LeftToEngineError, RecursionError):
        return None
    return kind


@dataclass(frozen=True, slots=True)
class _Typed:
    """The type of a part of the expression; `digits` are those of a literal of a whole number, 0 for anything else."""

    kind: DataType
    digits: int = 0


class _Descent(TokenCursor):
    """Each method reads one level of precedence, the weakest first. Raises LeftToEngineError."""

    def __init__(self, sql: str, schema: StructType) -> None:
        super().__init__(tokenize(sql))
        self.schema = schema

    def expression(self) -> _Typed:
        left = self.conjunction()
        while self.take("OR"):
            left = _truth(left, self.conjunction())
        return left

    def conjunction(self) -> _Typed:
        left = self.negation()
        while self.take("AND"):
            left = _truth(left, self.negation())
        return left

    def negation(self) -> _Typed:
        if self.take("NOT", "!"):
            return _truth(self.negation())
        return self.predicate()

    def predicate(self) -> _Typed:
        """Comparisons and tests, one after another."""
        left = self.sum()
        while self.left:
            if self.take(*_COMPARISONS):
                left = _typed(comparison(left.kind, self.sum().kind))
            elif self.take("IS"):
                left = self.test(left)
            else:
                start = self.at
                self.take("NOT")
                word = self.take("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP")
                if not word:
                    self.at = start
                    return left
                left = self.membership(left, word)
        return left

    def test(self, left: _Typed) -> _Typed:
        self.take("NOT")
        if self.take("NULL"):
            return _Typed(BOOLEAN)
        if self.take("TRUE", "FALSE"):
            return _truth(left)
        raise LeftToEngineError

    def membership(self, left: _Typed, word: str) -> _Typed:
        match word:
            case "BETWEEN":
                others = [self.sum()]
                self.need("AND")
                others.append(self.sum())
            case "IN":
                others = self.arguments()
                # The whole list is brought to one type.
                _typed(common_of_branches([left.kind, *(other.kind for other in others)]))
            case _:
                others = [self.sum()]
                if not (left.kind == others[0].kind == STRING) or self.key == "ESCAPE":
                    raise LeftToEngineError
        for other in others:
            _typed(comparison(left.kind, other.kind))
        return _Typed(BOOLEAN)

    def sum(self) -> _Typed:
        left = self.product()
        while operator := self.take("+", "-", "||"):
            other = self.product()
            if operator == "||":
                left = _typed(FUNCTIONS["concat"]([left.kind, other.kind]))
            else:
                left = _arithmetic(operator, left, other)
        # Operators on bits bind weaker than these, and stronger than comparisons.
        if self.key in {"&", "|", "^", "<<", ">>"}:
            raise LeftToEngineError
        return left

    def product(self) -> _Typed:
        left = self.sign()
        while operator := self.take("*", "/", "%", "DIV"):
            left = _arithmetic(operator, left, self.sign())
        return left

    def sign(self) -> _Typed:
        if sign := self.take("-", "+"):
            is_written = sign == "-" and self.kind == "number"
            operand = self.sign()
            if not is_number(operand.kind):
                raise LeftToEngineError
            return operand if is_written else _Typed(operand.kind)
        return self.subscripts()

    def subscripts(self) -> _Typed:
        """An operand with suffixes: [key], .field, ::type."""
        holder = self.operand()
        while self.take("["):
            holder = _typed(element(holder.kind, self.expression().kind))
            self.need("]")
        while self.take("."):
            holder = _Typed(self.field(holder.kind))
        if self.key in {"[", "."}:
            raise LeftToEngineError
        # `::` binds stronger than a sign.
        while self.key == ":":
            self.need(":")
            self.need(":")
            holder = self.cast(holder.kind, type_at(self))
        while self.take("::"):
            holder = self.cast(holder.kind, type_at(self))
        return holder

    def operand(self) -> _Typed:
        if self.key == "(":
            return self.brackets()
        token = self.next()
        match token.kind:
            case "number":
                return _number(token.text)
            case "string":
                # 'a' 'b' is one text, and a suffix would be an alias.
                return _Typed(STRING)
            case "word" if self.kind == "string":
                return self.written(token.key)
        if not token.is_name or token.key in _NO_NAMES:
            raise LeftToEngineError
        return self.call(token) if self.key == "(" else self.word(token)

    def brackets(self) -> _Typed:
        self.need("(")
        inner = self.expression()
        self.need(")")
        return inner

    def written(self, word: str) -> _Typed:
        """DATE '2024-01-31'. Raises LeftToEngineError for a text that may be invalid, of which Spark decides."""
        if word not in _WRITTEN or not _is_moment(word, unquote(self.next().text)):
            raise LeftToEngineError
        return _Typed(_TYPES[word])

    def word(self, token: Token) -> _Typed:
        match token.key:
            case "TRUE" | "FALSE":
                return _Typed(BOOLEAN)
            case "NULL":
                return _Typed(VOID)
            case "CASE":
                return self.case()
        return _Typed(require_value(self.schema.find(token.name)).type)

    def field(self, holder: DataType) -> DataType:
        field = holder.find(self.name()) if isinstance(holder, StructType) else None
        return require_value(field).type

    def case(self) -> _Typed:
        subject = None if self.key == "WHEN" else self.expression()
        kinds: list[DataType] = []
        while self.take("WHEN"):
            when = self.expression()
            if subject is None:
                _truth(when)
            else:
                _typed(comparison(subject.kind, when.kind))
            self.need("THEN")
            kinds.append(self.expression().kind)
        if self.take("ELSE"):
            kinds.append(self.expression().kind)
        self.need("END")
        return _typed(common_of_branches(kinds))

    def call(self, token: Token) -> _Typed:
        if token.key == "CAST":
            self.need("(")
            argument = self.expression()
            self.need("AS")
            target = type_at(self)
            self.need(")")
            return self.cast(argument.kind, target)
        if token.key == "EXTRACT":
            return self.extract()
        arguments = self.arguments()
        kinds = [item.kind for item in arguments]
        if token.key == "ROUND" and any(not item.digits for item in arguments[1:]):
            # To how many digits must be written out.
            raise LeftToEngineError
        if token.key in _CASTS and len(kinds) == 1:
            return self.cast(kinds[0], _TYPES[token.key])
        return _typed(require_value(FUNCTIONS.get(token.name.lower()))(kinds))

    def cast(self, source: DataType, target: DataType) -> _Typed:
        if not can_cast(source, target):
            raise LeftToEngineError
        return _Typed(target)

    def extract(self) -> _Typed:
        self.need("(")
        part = self.take(*_EXTRACTED)
        if not part:
            raise LeftToEngineError
        self.need("FROM")
        kind = self.expression().kind
        self.need(")")
        return _typed(FUNCTIONS["hour" if part in {"HOUR", "MINUTE"} else "year"]([kind]))

    def arguments(self) -> list[_Typed]:
        self.need("(")
        if self.take(")"):
            return []
        arguments = self.listed(self.expression)
        self.need(")")
        return arguments


def type_at(cursor: TokenCursor) -> DataType:
    """The simple type whose name is next, which is read. Raises LeftToEngineError for any other type."""
    word = cursor.next().key
    if word in {"DECIMAL", "DEC", "NUMERIC"}:
        return _decimal_at(cursor)
    if word not in _TYPES or cursor.key in {"(", "COLLATE"}:
        raise LeftToEngineError
    return _TYPES[word]


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


def _typed(kind: DataType | None) -> _Typed:
    if kind is None:
        raise LeftToEngineError
    return _Typed(kind)


def _truth(*operands: _Typed) -> _Typed:
    if any(operand.kind not in (BOOLEAN, VOID) for operand in operands):
        raise LeftToEngineError
    return _Typed(BOOLEAN)


def _arithmetic(operator: str, left: _Typed, right: _Typed) -> _Typed:
    return _typed(arithmetic(operator, left.kind, right.kind, (left.digits, right.digits)))


def _number(text: str) -> _Typed:
    value = require_value(number(text))
    # Spark counts no digits of a TINYINT.
    has_digits = is_integral(value.type) and value.type != types.BYTE
    return _Typed(value.type, len(str(value.value)) if has_digits else 0)


def _is_moment(word: str, text: str) -> bool:
    """Whether `text` is certainly a value of the type `word`; Spark reports the error of any other."""
    match word:
        case "DATE":
            return date_days(text) is not None
        case "TIMESTAMP_NTZ":
            return clock_time(text) is not None
        case _:
            return clock_and_offset(text) is not None
