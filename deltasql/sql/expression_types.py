"""The types of expressions over a table's columns, without Spark: of those that people write in column lists.

A descent over the tokens in Spark's order of precedence, which gives types in place of values. Whatever it meets that
it does not know, it gives up, and the caller asks Spark; so it may know little, but must never be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from deltasql.schema import types
from deltasql.schema.type_lattice import can_cast, common_of_branches, is_integral, is_number
from deltasql.schema.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, VOID, DataType, DecimalType, StructType
from deltasql.sql.function_types import (
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
"""Types that are called like functions."""
_WRITTEN = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"})
_SUFFIXES = {"L": LONG, "S": types.SHORT, "Y": types.BYTE, "D": DOUBLE, "F": types.FLOAT}
_EXTRACTED = frozenset({"YEAR", "MONTH", "DAY", "DAYOFWEEK", "DAYOFYEAR", "WEEK", "QUARTER", "HOUR", "MINUTE"})
_NO_NAMES = frozenset({"INTERVAL", "EXISTS", "SELECT", "DISTINCT", "ANY", "ALL", "SOME"})


def known_type(sql: str, schema: StructType) -> DataType | None:
    """The type of `sql` over columns of `schema`; None where only Spark can tell."""
    descent = _Descent(tokenize(sql), schema)
    try:
        found = descent.expression().kind
    except (_UnknownError, RecursionError):
        return None
    return None if descent.left else found


class _UnknownError(Exception):
    """Something that is not typed here."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """What a part of the expression is; `digits` of a whole number written out, 0 for anything else."""

    kind: DataType
    digits: int = 0


@dataclass(slots=True)
class _Descent:
    """Tokens read from left to right. Each method reads one level of precedence, the weakest first."""

    tokens: list[Token]
    schema: StructType
    at: int = 0

    @property
    def left(self) -> bool:
        return self.at < len(self.tokens)

    @property
    def key(self) -> str:
        return self.tokens[self.at].key if self.left else ""

    def take(self, *keys: str) -> str:
        """The next token's key if it is one of `keys`, and a step over it; else ""."""
        if self.key not in keys or not self.left:
            return ""
        self.at += 1
        return self.tokens[self.at - 1].key

    def need(self, key: str) -> None:
        if not self.take(key):
            raise _UnknownError

    def expression(self) -> _Typed:
        found = self.conjunction()
        while self.take("OR"):
            found = _truth(found, self.conjunction())
        return found

    def conjunction(self) -> _Typed:
        found = self.negation()
        while self.take("AND"):
            found = _truth(found, self.negation())
        return found

    def negation(self) -> _Typed:
        if self.take("NOT", "!"):
            return _truth(self.negation())
        return self.predicate()

    def predicate(self) -> _Typed:
        """Comparisons and tests, one after another."""
        found = self.sum()
        while self.left:
            if self.take(*_COMPARISONS):
                found = _Typed(_known(comparison(found.kind, self.sum().kind)))
            elif self.take("IS"):
                found = self.test(found)
            else:
                start = self.at
                self.take("NOT")
                if not self.take("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP"):
                    self.at = start
                    return found
                found = self.membership(found, self.tokens[self.at - 1].key)
        return found

    def test(self, found: _Typed) -> _Typed:
        self.take("NOT")
        if self.take("NULL"):
            return _Typed(BOOLEAN)
        if self.take("TRUE", "FALSE"):
            return _truth(found)
        raise _UnknownError

    def membership(self, found: _Typed, word: str) -> _Typed:
        match word:
            case "BETWEEN":
                others = [self.sum()]
                self.need("AND")
                others.append(self.sum())
            case "IN":
                others = self.arguments()
                # The whole list is brought to one type.
                _known(common_of_branches([found.kind, *(other.kind for other in others)]))
            case _:
                others = [self.sum()]
                if not (found.kind == others[0].kind == STRING) or self.key == "ESCAPE":
                    raise _UnknownError
        for other in others:
            _known(comparison(found.kind, other.kind))
        return _Typed(BOOLEAN)

    def sum(self) -> _Typed:
        found = self.product()
        while operator := self.take("+", "-", "||"):
            other = self.product()
            if operator == "||":
                found = _Typed(_known(FUNCTIONS["concat"]([found.kind, other.kind])))
            else:
                found = _arithmetic(operator, found, other)
        # Operators on bits bind weaker than these, and stronger than comparisons.
        if self.key in {"&", "|", "^", "<<", ">>"}:
            raise _UnknownError
        return found

    def product(self) -> _Typed:
        found = self.sign()
        while operator := self.take("*", "/", "%", "DIV"):
            found = _arithmetic(operator, found, self.sign())
        return found

    def sign(self) -> _Typed:
        if self.take("-", "+"):
            found = self.sign()
            if not is_number(found.kind):
                raise _UnknownError
            return found
        return self.subscripts()

    def subscripts(self) -> _Typed:
        """What may follow an operand: [key], .field, ::type."""
        found = self.operand()
        while self.take("["):
            found = _Typed(_known(element(found.kind, self.expression().kind)))
            self.need("]")
        while self.take("."):
            found = _Typed(self.field(found.kind))
        if self.key in {"[", "."}:
            return self._unknown()
        # `::` binds stronger than a sign.
        while self.key == ":":
            self.need(":")
            self.need(":")
            found = self.cast(found.kind, self.type())
        while self.take("::"):
            found = self.cast(found.kind, self.type())
        return found

    def operand(self) -> _Typed:
        if not self.left:
            raise _UnknownError
        token = self.tokens[self.at]
        after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        if token.kind == "number":
            self.at += 1
            return _number(token.text)
        if token.kind == "string":
            self.at += 1
            # 'a' 'b' is one text, and a suffix would be an alias.
            return _Typed(STRING)
        if token.key == "(":
            return self.brackets()
        if not token.is_name or token.key in _NO_NAMES:
            raise _UnknownError
        self.at += 1
        if token.kind == "word" and after is not None and after.kind == "string":
            return self.written(token.key)
        if after is not None and after.key == "(":
            return self.call(token)
        return self.word(token)

    def brackets(self) -> _Typed:
        self.need("(")
        found = self.expression()
        self.need(")")
        return _Typed(found.kind)

    def written(self, word: str) -> _Typed:
        """DATE '2024-01-31'. Whether the text is one, Spark says when it reads it."""
        text = self.tokens[self.at].text[1:-1]
        if word not in _WRITTEN or not _is_moment(text):
            raise _UnknownError
        self.at += 1
        return _Typed(_TYPES[word])

    def word(self, token: Token) -> _Typed:
        match token.key:
            case "TRUE" | "FALSE":
                return _Typed(BOOLEAN)
            case "NULL":
                return _Typed(VOID)
            case "CASE":
                return self.case()
        field = self.schema.find(token.name)
        if field is None:
            raise _UnknownError
        return _Typed(field.type)

    def field(self, holder: DataType) -> DataType:
        if not self.left or not isinstance(holder, StructType):
            raise _UnknownError
        found = holder.find(self.tokens[self.at].name)
        self.at += 1
        if found is None:
            raise _UnknownError
        return found.type

    def case(self) -> _Typed:
        subject = None if self.key == "WHEN" else self.expression()
        kinds: list[DataType] = []
        while self.take("WHEN"):
            when = self.expression()
            if subject is None:
                _truth(when)
            else:
                _known(comparison(subject.kind, when.kind))
            self.need("THEN")
            kinds.append(self.expression().kind)
        if self.take("ELSE"):
            kinds.append(self.expression().kind)
        self.need("END")
        return _Typed(_known(common_of_branches(kinds)))

    def call(self, token: Token) -> _Typed:
        if token.key == "CAST":
            self.need("(")
            found = self.expression()
            self.need("AS")
            target = self.type()
            self.need(")")
            return self.cast(found.kind, target)
        if token.key == "EXTRACT":
            return self.extract()
        arguments = self.arguments()
        kinds = [item.kind for item in arguments]
        if token.key == "ROUND" and any(not item.digits for item in arguments[1:]):
            # To how many digits must be written out.
            raise _UnknownError
        if token.key in _CASTS and len(kinds) == 1:
            return self.cast(kinds[0], _TYPES[token.key])
        signature = FUNCTIONS.get(token.name.lower())
        if signature is None:
            raise _UnknownError
        return _Typed(_known(signature(kinds)))

    def cast(self, source: DataType, target: DataType) -> _Typed:
        if not can_cast(source, target):
            raise _UnknownError
        return _Typed(target)

    def extract(self) -> _Typed:
        self.need("(")
        if not self.take(*_EXTRACTED):
            raise _UnknownError
        part = self.tokens[self.at - 1].key
        self.need("FROM")
        kind = self.expression().kind
        self.need(")")
        return _Typed(_known(FUNCTIONS["hour" if part in {"HOUR", "MINUTE"} else "year"]([kind])))

    def arguments(self) -> list[_Typed]:
        self.need("(")
        if self.take(")"):
            return []
        found = [self.expression()]
        while self.take(","):
            found.append(self.expression())
        self.need(")")
        return found

    def type(self) -> DataType:
        word = self.key
        self.at += 1
        if word in {"DECIMAL", "DEC", "NUMERIC"}:
            return self.decimal()
        if word not in _TYPES or self.key in {"(", "COLLATE"}:
            raise _UnknownError
        return _TYPES[word]

    def decimal(self) -> DataType:
        numbers = [10, 0]
        if self.take("("):
            for index in range(2):
                if not self.left or not self.tokens[self.at].text.isdigit():
                    raise _UnknownError
                numbers[index] = int(self.tokens[self.at].text)
                self.at += 1
                if not self.take(","):
                    break
            self.need(")")
        precision, scale = numbers
        if not 0 <= scale <= precision <= 38 or precision == 0:
            raise _UnknownError
        return DecimalType(precision, scale)

    def _unknown(self) -> _Typed:
        raise _UnknownError


def _known(kind: DataType | None) -> DataType:
    if kind is None:
        raise _UnknownError
    return kind


def _truth(*operands: _Typed) -> _Typed:
    if any(operand.kind not in (BOOLEAN, VOID) for operand in operands):
        raise _UnknownError
    return _Typed(BOOLEAN)


def _arithmetic(operator: str, left: _Typed, right: _Typed) -> _Typed:
    return _Typed(_known(arithmetic(operator, left.kind, right.kind, (left.digits, right.digits))))


def _number(text: str) -> _Typed:
    """A number as Spark types it: digits are exact, with an exponent it is a double."""
    suffix = text[-1].upper()
    if suffix in _SUFFIXES and not text.upper().endswith("BD"):
        kind = _SUFFIXES[suffix]
        return _Typed(kind, len(str(int(text[:-1]))) if is_integral(kind) else 0)
    if "E" in text.upper():
        return _Typed(DOUBLE)
    value = Decimal(text.upper().removesuffix("BD"))
    digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent == 0 and not text.upper().endswith("BD") and "." not in text:
        if value < 2**31:
            return _Typed(INTEGER, len(digits))
        if value < 2**63:
            return _Typed(LONG, len(digits))
    precision = max(len(digits), -exponent)
    return _Typed(_known(DecimalType(precision, -exponent) if precision <= 38 else None))


def _is_moment(text: str) -> bool:
    """Whether `text` surely is a date or time; a wrong one is an error, which Spark words."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
