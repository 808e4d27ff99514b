"""The types of common expressions over a table's columns, and of Spark's operators and functions, without Spark.

A recursive descent over the tokens in Spark's order of precedence gives types in place of values. Its table has only
the combinations that Spark accepts with ANSI on and off, with one result type; for any other, Spark is asked. The types
must be right, and coverage may be small. Source: Spark's type coercion; a test compares every row with Spark.

Collations have the names that Spark spells. Source: Spark's collations, of bytes or of ICU.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deltasql.base import LeftToEngineError, Token, TokenCursor, did_you_mean, errors, require_value
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    MOMENTS,
    MOST_DIGITS,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructType,
    as_decimal,
    can_cast,
    common_of_branches,
    is_atomic,
    is_integral,
    is_number,
    types,
    wider_number,
)
from deltasql.sql.constants import clock_and_offset, clock_time, date_days, number, unquote, whole_number
from deltasql.sql.expression_reader import ExpressionReader

Kinds: TypeAlias = Sequence[DataType]
Signature: TypeAlias = Callable[[Kinds], "DataType | None"]


def arithmetic(operator: str, left: DataType, right: DataType, digits: tuple[int, int] = (0, 0)) -> DataType | None:
    """`left operator right`; `digits` are those of operands that are whole numbers written out, 0 for any other."""
    if not (is_number(left) and is_number(right)):
        return None
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        return _decimal(operator, as_decimal(left, digits[0]), as_decimal(right, digits[1]))
    if operator == "DIV":
        return LONG if is_integral(left) and is_integral(right) else None
    if operator == "/":
        return DOUBLE
    return wider_number(left, right)


def _decimal(operator: str, left: DecimalType | None, right: DecimalType | None) -> DataType | None:
    """Precisions that still fit; beyond 38 digits Spark's setting about lost digits counts."""
    if left is None or right is None:
        return None
    whole = max(left.precision - left.scale, right.precision - right.scale)
    match operator:
        case "+" | "-":
            scale = max(left.scale, right.scale)
            precision = whole + scale + 1
        case "*":
            precision, scale = left.precision + right.precision + 1, left.scale + right.scale
        case _:
            return None
    return DecimalType(precision, scale) if precision <= MOST_DIGITS else None


def comparison(left: DataType, right: DataType) -> DataType | None:
    """BOOLEAN where the two compare."""
    return BOOLEAN if _compare(left, right) else None


def _compare(left: DataType, right: DataType) -> bool:
    if VOID in (left, right):
        return all(kind in (VOID, BINARY) or is_atomic(kind) for kind in (left, right))
    if left == right:
        return is_atomic(left) or left == BINARY
    if STRING in (left, right):
        # A text is cast to the other side's type.
        return is_atomic(left) and is_atomic(right)
    return (is_number(left) and is_number(right)) or (left in MOMENTS and right in MOMENTS)


def _takes(result: DataType, *rules: Callable[[DataType], bool], least: int | None = None) -> Signature:
    """A function of one result type; arguments beyond the rules follow the last one, those beyond `least` may lack."""
    fewest = len(rules) if least is None else least

    def signature(kinds: Kinds) -> DataType | None:
        if not fewest <= len(kinds) <= len(rules):
            return None
        return result if all(rule(kind) for rule, kind in zip(rules, kinds, strict=False)) else None

    return signature


def _any_number_of(result: DataType, rule: Callable[[DataType], bool], least: int = 1) -> Signature:
    return lambda kinds: result if len(kinds) >= least and all(rule(kind) for kind in kinds) else None


def _text(kind: DataType) -> bool:
    return kind == STRING


def _whole(kind: DataType) -> bool:
    return kind in (INTEGER, PrimitiveType("short"), PrimitiveType("byte"))


def _real(kind: DataType) -> bool:
    return is_integral(kind) or kind in (FLOAT, DOUBLE)


def _moment(kind: DataType) -> bool:
    return kind in MOMENTS


def _moment_text(kind: DataType) -> bool:
    return kind in (*MOMENTS, STRING)


def _clock(kind: DataType) -> bool:
    return kind in (TIMESTAMP, TIMESTAMP_NTZ)


def _hashed(kind: DataType) -> bool:
    return is_atomic(kind) or kind == BINARY


def _same(rule: Callable[[DataType], bool]) -> Signature:
    """The argument's own type."""
    return lambda kinds: kinds[0] if len(kinds) == 1 and rule(kinds[0]) else None


def _common_of(least: int, most: int | None = None) -> Signature:
    return lambda kinds: common_of_branches(kinds) if least <= len(kinds) <= (most or len(kinds)) else None


def _ordered(kinds: Kinds) -> DataType | None:
    is_supported = len(kinds) > 1 and all(kind == VOID or is_atomic(kind) for kind in kinds)
    return common_of_branches(kinds) if is_supported else None


def _if(kinds: Kinds) -> DataType | None:
    return common_of_branches(kinds[1:]) if len(kinds) == 3 and kinds[0] == BOOLEAN else None


def _nullif(kinds: Kinds) -> DataType | None:
    return kinds[0] if len(kinds) == 2 and comparison(*kinds) else None


def _modulo(kinds: Kinds) -> DataType | None:
    return wider_number(*kinds) if len(kinds) == 2 and all(map(_real, kinds)) else None


def _round(kinds: Kinds) -> DataType | None:
    fits = 1 <= len(kinds) <= 2 and (is_integral(kinds[0]) or kinds[0] == DOUBLE) and all(map(_whole, kinds[1:]))
    return kinds[0] if fits else None


def _size(kinds: Kinds) -> DataType | None:
    return INTEGER if len(kinds) == 1 and isinstance(kinds[0], (ArrayType, MapType)) else None


def element(holder: DataType, key: DataType) -> DataType | None:
    """holder[key]"""
    match holder:
        case ArrayType(item) if is_integral(key):
            return item
        case MapType(key_type, value) if key_type == key:
            return value
        case _:
            return None


def _element_at(kinds: Kinds) -> DataType | None:
    is_supported = len(kinds) == 2 and (isinstance(kinds[0], MapType) or kinds[1] == INTEGER)
    return element(*kinds) if is_supported else None


_PART_OF_DATE = _takes(INTEGER, _moment_text)
_PART_OF_TIME = _takes(INTEGER, _clock)
_OF_TEXT = _takes(STRING, _text)
_TRUTH_OF_TEXTS = _takes(BOOLEAN, _text, _text)
_REAL = _takes(DOUBLE, _real)

FUNCTIONS: dict[str, Signature] = {
    **dict.fromkeys(("upper", "ucase", "lower", "lcase", "initcap", "reverse"), _OF_TEXT),
    **dict.fromkeys(("trim", "ltrim", "rtrim"), _OF_TEXT),
    **dict.fromkeys(("md5", "sha", "sha1"), _OF_TEXT),
    **dict.fromkeys(("substring", "substr"), _takes(STRING, _text, _whole, _whole, least=2)),
    **dict.fromkeys(("left", "right", "repeat"), _takes(STRING, _text, _whole)),
    **dict.fromkeys(("lpad", "rpad"), _takes(STRING, _text, _whole, _text)),
    **dict.fromkeys(("replace", "translate", "regexp_replace"), _takes(STRING, _text, _text, _text)),
    **dict.fromkeys(("length", "char_length", "character_length"), _takes(INTEGER, _text)),
    **dict.fromkeys(("contains", "startswith", "endswith", "rlike", "regexp_like"), _TRUTH_OF_TEXTS),
    **dict.fromkeys(("year", "month", "day", "dayofmonth", "dayofyear", "quarter"), _PART_OF_DATE),
    **dict.fromkeys(("dayofweek", "weekday", "weekofyear"), _PART_OF_DATE),
    **dict.fromkeys(("hour", "minute", "second"), _PART_OF_TIME),
    **dict.fromkeys(("date_add", "date_sub"), _takes(DATE, _moment, _whole)),
    **dict.fromkeys(("coalesce",), _common_of(1)),
    **dict.fromkeys(("nvl", "ifnull"), _common_of(2, 2)),
    **dict.fromkeys(("greatest", "least"), _ordered),
    "if": _if,
    **dict.fromkeys(("isnull", "isnotnull"), _takes(BOOLEAN, lambda kind: True)),
    **dict.fromkeys(("sqrt", "exp", "ln", "log10", "sign", "signum"), _REAL),
    **dict.fromkeys(("pow", "power"), _takes(DOUBLE, _real, _real)),
    **dict.fromkeys(("ceil", "ceiling", "floor"), _takes(LONG, lambda kind: kind in (LONG, DOUBLE))),
    **dict.fromkeys(("mod", "pmod"), _modulo),
    **dict.fromkeys(("size", "cardinality"), _size),
    "concat": _any_number_of(STRING, is_atomic),
    "concat_ws": _any_number_of(STRING, _text, 2),
    "sha2": _takes(STRING, _text, _whole),
    "crc32": _takes(LONG, _text),
    "instr": _takes(INTEGER, _text, _text),
    "locate": _takes(INTEGER, _text, _text),
    "ascii": _takes(INTEGER, _text),
    "split": _takes(ArrayType(STRING, contains_null=False), _text, _text),
    "regexp_extract": _takes(STRING, _text, _text, _whole, least=2),
    "get_json_object": _takes(STRING, _text, _text),
    "to_date": _takes(DATE, _moment_text),
    "date_format": _takes(STRING, _moment_text, _text),
    "date_trunc": _takes(TIMESTAMP, _text, _moment_text),
    "trunc": _takes(DATE, _moment, _text),
    "last_day": _takes(DATE, _moment),
    "add_months": _takes(DATE, _moment, _whole),
    "datediff": _takes(INTEGER, _moment, _moment),
    "from_unixtime": _takes(STRING, is_integral, _text, least=1),
    "unix_timestamp": _takes(LONG, _moment),
    "nullif": _nullif,
    "abs": _same(_real),
    "round": _round,
    "hash": _any_number_of(INTEGER, _hashed),
    "xxhash64": _any_number_of(LONG, _hashed),
    "isnan": _takes(BOOLEAN, lambda kind: kind in (FLOAT, DOUBLE)),
    "element_at": _element_at,
}
"""Built-in functions by name: the types of the arguments → the type of the result."""


_COMMON = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_AI", "UNICODE_CI_AI", "en", "en_CI", "de_CI")
_OF_BYTES = re.compile(r"UTF8_(?:BINARY|LCASE)(?:_L?TRIM|_RTRIM)?")
_NAMES = """
UNICODE af am ar ar_SAU as az be bg blo bn bo br bs bs_Cyrl ca ceb chr cs cy da de de_AUT dsb dz ee el en en_USA
eo es et fa fa_AFG ff ff_Adlm fi fil fo fr fr_CAN fy ga gl gu ha haw he he_ISR hi hr hsb hu hy id id_IDN ig is
it ja ka kk kk_Arab kl km kn ko kok ku ky lb lij lkt ln lo lt lv mk ml mn mr ms mt my nb nb_NOR ne nl nn no nso
om or pa pa_Guru pa_Guru_IND pl ps pt ro ru sa se si sk sl smn sq sr sr_Cyrl sr_Cyrl_BIH sr_Cyrl_MNE sr_Cyrl_SRB
sr_Latn sr_Latn_BIH sr_Latn_SRB st sv sw ta te th tk tn to tr ug uk ur uz vi wae wo xh yi yo zh zh_Hans
zh_Hans_CHN zh_Hans_SGP zh_Hant zh_Hant_HKG zh_Hant_MAC zh_Hant_TWN zu
"""
_LOCALES = {name.upper(): name for name in _NAMES.split()}
"""Language, script and country, as in the ICU of Spark 4.2, by capitals."""
_MARKS = {"CS": 0, "CI": 0, "AS": 1, "AI": 1, "LTRIM": 2, "RTRIM": 2, "TRIM": 2}
"""The words behind a locale, each with its place in the name that Spark spells."""
_DEFAULTS = ("CS", "AS")


def spelled_collation(name: str) -> str:
    """The collation `name`, which may be written in any case, as Spark spells it. Raises CollationNameError."""
    upper = name.upper()
    if _OF_BYTES.fullmatch(upper):
        return upper
    words = name.split("_")
    marks: dict[int, str] = {}
    while len(words) > 1 and (mark := words[-1].upper()) in _MARKS and _MARKS[mark] not in marks:
        marks[_MARKS[mark]] = mark
        words.pop()
    locale = _LOCALES.get("_".join(words).upper())
    if locale is None:
        raise errors.CollationNameError(name, did_you_mean(name, _COMMON))
    return "_".join([locale, *(marks[place] for place in sorted(marks) if marks[place] not in _DEFAULTS)])


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


class _Descent(ExpressionReader[_Typed]):
    """The type of an expression over the columns of a schema. Raises LeftToEngineError."""

    sums = ("+", "-", "||")
    products = ("*", "/", "%", "DIV")

    def __init__(self, sql: str, schema: StructType) -> None:
        super().__init__(sql)
        self.schema = schema

    def joined(self, operator: str, parts: Sequence[_Typed]) -> _Typed:
        return _truth(*parts)

    def denied(self, value: _Typed) -> _Typed:
        return _truth(value)

    def compared(self, operator: str, left: _Typed, right: _Typed) -> _Typed:
        return _typed(comparison(left.kind, right.kind))

    def tested(self, value: _Typed, *, denied: bool) -> _Typed:
        if self.take("NULL"):
            return _Typed(BOOLEAN)
        if self.take("TRUE", "FALSE"):
            return _truth(value)
        raise LeftToEngineError

    def member(self, value: _Typed, word: str, *, denied: bool) -> _Typed:
        match word:
            case "BETWEEN":
                others = self.bounds()
            case "IN":
                others = self.arguments()
                # The whole list is brought to one type.
                _typed(common_of_branches([value.kind, *(other.kind for other in others)]))
            case _:
                others = [self.sum()]
                if not (value.kind == others[0].kind == STRING) or self.key == "ESCAPE":
                    raise LeftToEngineError
        for other in others:
            _typed(comparison(value.kind, other.kind))
        return _Typed(BOOLEAN)

    def computed(self, operator: str, left: _Typed, right: _Typed) -> _Typed:
        if operator == "||":
            return _typed(FUNCTIONS["concat"]([left.kind, right.kind]))
        return _typed(arithmetic(operator, left.kind, right.kind, (left.digits, right.digits)))

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
