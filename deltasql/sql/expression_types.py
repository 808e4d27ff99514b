"""The types of common expressions over a table's columns, and of Spark's operators and functions, without Spark.

Each node of an expression's tree has a type in place of a value. The table of functions has only
the combinations that Spark accepts with ANSI on and off, with one result type; for any other, Spark is asked. The types
must be right, and coverage may be small. Source: Spark's type coercion; a test compares every row with Spark.

Collations have the names that Spark spells. Source: Spark's collations, of bytes or of ICU.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deltasql.base import LeftToEngineError, did_you_mean, errors, require_value
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
from deltasql.sql.constants import clock_and_offset, clock_time, date_days, number, unquote
from deltasql.sql.expressions import (
    SIMPLE_TYPES,
    Binary,
    Brackets,
    CallNode,
    CaseNode,
    CastTo,
    ColumnNode,
    ComparisonNode,
    Extract,
    FieldOf,
    IsWord,
    Logic,
    Member,
    Node,
    Not,
    Signed,
    Subscript,
    Written,
    expression_tree,
)

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


_MOMENT_WORDS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"})
_CASTS = frozenset(
    {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "DATE", "TIMESTAMP", "BINARY"}
)
"""Types that have a function of the same name."""


def derived_type(sql: str, schema: StructType) -> DataType | None:
    """The type of `sql` over columns of `schema`; None where only Spark can determine it."""
    try:
        return _TypeOf(schema)(expression_tree(sql)).kind
    except (LeftToEngineError, RecursionError):
        return None


@dataclass(frozen=True, slots=True)
class _Typed:
    """The type of a part of the expression; `digits` are those of a literal of a whole number, 0 for anything else."""

    kind: DataType
    digits: int = 0


class _TypeOf:
    """The type of a node over the columns of a schema. Raises LeftToEngineError where only Spark knows it."""

    def __init__(self, schema: StructType) -> None:
        self.schema = schema

    def __call__(self, node: Node) -> _Typed:
        match node:
            case Brackets(value):
                return self(value)
            case Written():
                return _literal(node)
            case ColumnNode():
                return self.column(node.names)
            case Logic(_, parts):
                return _truth(*map(self, parts))
            case Not(value) | IsWord(value, "TRUE" | "FALSE"):
                return _truth(self(value))
            case IsWord(value):
                self(value)
                return _Typed(BOOLEAN)
            case ComparisonNode(_, left, right):
                return _typed(comparison(self(left).kind, self(right).kind))
            case Member(value, word, others):
                return _member(self(value), word, [*map(self, others)])
            case CaseNode():
                return self.case(node)
            case _:
                return self.computed(node)

    def computed(self, node: Node) -> _Typed:
        """Operators with values, functions, casts and parts of nested values."""
        match node:
            case Binary("||", left, right):
                return _typed(FUNCTIONS["concat"]([self(left).kind, self(right).kind]))
            case Binary(operator, left, right):
                one, other = self(left), self(right)
                return _typed(arithmetic(operator, one.kind, other.kind, (one.digits, other.digits)))
            case Signed(_, value):
                return _signed(self(value).kind)
            case Subscript(holder, key):
                return _typed(element(self(holder).kind, self(key).kind))
            case FieldOf(holder, name):
                return _Typed(_field(self(holder).kind, name))
            case CastTo(value, kind):
                return _cast(self(value).kind, kind)
            case Extract(part, value):
                function = "hour" if part in {"HOUR", "MINUTE"} else "year"
                return _typed(FUNCTIONS[function]([self(value).kind]))
            case CallNode() if not (node.star or node.distinct):
                return self.call(node)
            case _:
                raise LeftToEngineError

    def column(self, names: Sequence[str]) -> _Typed:
        kind = require_value(self.schema.find(names[0])).type
        for name in names[1:]:
            kind = _field(kind, name)
        return _Typed(kind)

    def case(self, node: CaseNode) -> _Typed:
        for when, _ in node.branches:
            if node.subject is None:
                _truth(self(when))
            else:
                _typed(comparison(self(node.subject).kind, self(when).kind))
        values = [then for _, then in node.branches] + ([] if node.otherwise is None else [node.otherwise])
        return _typed(common_of_branches([self(value).kind for value in values]))

    def call(self, node: CallNode) -> _Typed:
        arguments = [*map(self, node.arguments)]
        kinds = [item.kind for item in arguments]
        if node.name == "round" and any(not item.digits for item in arguments[1:]):
            # To how many digits must be written out.
            raise LeftToEngineError
        if node.function.key in _CASTS and len(kinds) == 1:
            return _cast(kinds[0], SIMPLE_TYPES[node.function.key])
        return _typed(require_value(FUNCTIONS.get(node.name))(kinds))


def _literal(node: Written) -> _Typed:
    first, last = node.tokens[0], node.tokens[-1]
    match node.word:
        case "NULL":
            return _Typed(VOID)
        case "TRUE" | "FALSE":
            return _Typed(BOOLEAN)
        case "":
            return _Typed(STRING) if first.kind == "string" else _number(last.text, -1 if first.key == "-" else 1)
        case word if word in _MOMENT_WORDS and _is_moment(word, unquote(last.text)):
            return _Typed(SIMPLE_TYPES[word])
        case _:
            # A text that may be invalid, of which Spark decides.
            raise LeftToEngineError


def _member(value: _Typed, word: str, others: Sequence[_Typed]) -> _Typed:
    if word == "IN":
        # The whole list is brought to one type.
        _typed(common_of_branches([value.kind, *(other.kind for other in others)]))
    elif word != "BETWEEN" and not (value.kind == others[0].kind == STRING):
        raise LeftToEngineError
    for other in others:
        _typed(comparison(value.kind, other.kind))
    return _Typed(BOOLEAN)


def _field(holder: DataType, name: str) -> DataType:
    return require_value(holder.find(name) if isinstance(holder, StructType) else None).type


def _signed(kind: DataType) -> _Typed:
    if not is_number(kind):
        raise LeftToEngineError
    return _Typed(kind)


def _cast(source: DataType, target: DataType) -> _Typed:
    if not can_cast(source, target):
        raise LeftToEngineError
    return _Typed(target)


def _typed(kind: DataType | None) -> _Typed:
    if kind is None:
        raise LeftToEngineError
    return _Typed(kind)


def _truth(*operands: _Typed) -> _Typed:
    if any(operand.kind not in (BOOLEAN, VOID) for operand in operands):
        raise LeftToEngineError
    return _Typed(BOOLEAN)


def _number(text: str, sign: int) -> _Typed:
    value = require_value(number(text, sign))
    # Spark counts no digits of a TINYINT.
    has_digits = isinstance(value.value, int) and value.type != types.BYTE
    return _Typed(value.type, len(str(value.value).lstrip("-")) if has_digits else 0)


def _is_moment(word: str, text: str) -> bool:
    """Whether `text` is certainly a value of the type `word`; Spark reports the error of any other."""
    match word:
        case "DATE":
            return date_days(text) is not None
        case "TIMESTAMP_NTZ":
            return clock_time(text) is not None
        case _:
            return clock_and_offset(text) is not None
