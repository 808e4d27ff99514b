"""Guards against results of Sail that differ from Spark's, and the constructs and functions that must not run on it.

A guard is a condition under which the result would differ by the types of operands, and SQL that fails in its place,
put into texts by `text_checks`. Sail evaluates `typeof` at planning: a guard on types alone costs nothing per row.
Types are named as by `typeof`, up to the first bracket or blank. Source: Spark, ANSI compliance; each was tried on Sail
0.7.2, and tests/sail/grid.py has them. SQL that Sail interprets differently was tried on Sail 0.7.2 as well;
`docs/sail.md` lists it for users.

`functions.json` has the function calls that were compared, over a grid of values, in two time zones, with ANSI and
without it; `python -m tests.sail.functions` makes it. A call that is not in it is refused, unless
`deltasql.sail.unproven` is ALLOW.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

from deltasql.base import errors, exp, tokenize
from deltasql.schema import (
    BITS,
    DOUBLE,
    INTEGRAL,
    STRING,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    sql_literal,
    sql_text,
)
from deltasql.sql import FUNCTIONS, derived_type, parse_statement

Guard: TypeAlias = tuple[str, str]
"""A condition, and SQL that fails where it holds."""

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_EXACT = (*_INTEGERS, "decimal")
_NUMBERS = (*_EXACT, "float", "double")
_PARTS = ("array", "map", "struct")
_TIMES = ("date", "timestamp", "timestamp_ntz")
_BARRED: dict[str, tuple[str, ...]] = {
    "date": (*_NUMBERS, "boolean", "binary", "interval", *_PARTS),
    "timestamp_ntz": (*_NUMBERS, "boolean", "binary", "interval", *_PARTS),
    "timestamp": ("boolean", "binary", "interval", *_PARTS),
    "boolean": (*_TIMES, "binary", "interval", *_PARTS),
    "binary": (*_NUMBERS, "boolean", *_TIMES, "interval", *_PARTS),
    **dict.fromkeys(_INTEGERS, ("date", "timestamp_ntz", "binary", *_PARTS)),
    **dict.fromkeys(("float", "double", "decimal"), ("date", "timestamp_ntz", "binary", "interval", *_PARTS)),
}
"""Types that Spark cannot cast to a type. Nested values have no guard: a CASE changes the nullability of parts."""
_OTHERWISE: dict[str, tuple[str, ...]] = {
    "string": _PARTS,
    "interval": (*_NUMBERS, "boolean"),
    **dict.fromkeys(("float", "double"), ("timestamp",)),
}
"""Types that Sail casts to a type with another value than Spark."""
_NUMBERS_COMPARED = ((("float", "double"), ("decimal",)), (("float",), (*_INTEGERS, "string")))
_TIMES_COMPARED = ((("date",), ("timestamp", "timestamp_ntz")), (("timestamp",), ("timestamp_ntz",)))
"""Pairs of types whose comparison differs; `comparisons` casts them where they are known."""
_SAME = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "real": "float",
    "dec": "decimal",
    "numeric": "decimal",
    "timestamp_ltz": "timestamp",
    "varchar": "string",
    "char": "string",
}
_TYPE_NAMES = (*_NUMBERS, "string", "binary", "boolean", *_TIMES, "interval", *_PARTS, "variant", "void")
"""Types that Spark can cast to. Sail has others, such as TEXT."""
CONVERSIONS = frozenset(
    {"BOOLEAN", *(name.upper() for name in _NUMBERS), "DATE", "TIMESTAMP", "BINARY", "STRING"} - {"DECIMAL"}
)
"""Types that have a function of the same name."""

UNLIKE = frozenset(
    """
    aes_encrypt approx_percentile bitmap_bit_position bitmap_bucket_number bround conv current_user listagg
    percentile_approx session_user string_agg timestamp_seconds try_add try_multiply try_parse_url try_subtract user
    version schema_of_variant_agg
    """.split()  # noqa: SIM905 - twenty quoted names
)
"""Functions, in lower case, whose results differ from Spark's."""
AS_INT = frozenset({"DATEDIFF", "DATE_DIFF", "REGEXP_COUNT"})
"""Functions that return INT in Spark and BIGINT on Sail."""
MIXED = frozenset({"ARRAY", "COALESCE", "NVL", "NVL2", "IFNULL", "GREATEST", "LEAST"})
"""Functions of values of one type; Sail finds the common type of several differently."""
_MOST_MIXED = 12
FEW_TERMS, MOST_TERMS = 8, 12
"""Most terms of a chain of operators with checks around each: of chains that are checked as a whole, and of others."""
_ON_BINARY = frozenset({"LEFT", "OVERLAY", "SUBSTR", "SUBSTRING"})
_ON_INTERVALS = frozenset({"DATE_PART", "DATEPART", "EXTRACT"})


def failing(condition: str, message: str) -> str:
    """SQL that fails with a condition and message of Spark's."""
    return f"raise_error({sql_literal(f'[{condition}] {message}')})"


def refusing(feature: str) -> str:
    """SQL that fails because Sail's result would differ."""
    return failing("UNSUPPORTED_FEATURE.SAIL", feature)


OVERFLOW = failing("ARITHMETIC_OVERFLOW", "integer overflow.")
_NO_CAST = failing(
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "A value has a type that cannot be cast to the wanted one."
)
_NO_OPERATOR = failing("DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE", "An operator does not take values of these types.")

_NO_COMPARISON = failing("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "A DATE cannot be compared with a number.")


def kind_of(value: str) -> str:
    """SQL for the name of a value's type."""
    return f"split(typeof({value}), '[ (<]')[0]"


def is_one_of(value: str, kinds: Iterable[str]) -> str:
    """SQL condition: the type of a value is one of `kinds`."""
    return f"{kind_of(value)} IN ({', '.join(map(sql_literal, kinds))})"


def overflow(typed: str, off: str) -> Guard:
    """The guard of an integer operation that has overflowed where `off` holds."""
    return f"{is_one_of(typed, _INTEGERS)} AND {off}", OVERFLOW


def as_double(value: str) -> str:
    """SQL that casts a value to DOUBLE; NULL where that fails."""
    return f"TRY_CAST(({value}) AS DOUBLE)"


_MONTHS = re.compile(
    r"[(\s]*interval\s+('[^']*'|-?\d+)\s*(?:year|quarter|month)s?(?:\s+to\s+month)?[)\s]*", re.IGNORECASE
)
"""A literal of an INTERVAL of years or months."""
_DAYS = re.compile(r"[(\s]*interval\s+(?:'\s*[+-]?\d+\s*'|[+-]?\s*\d+)\s*(?:day|week)s?[)\s]*", re.IGNORECASE)
"""A literal of an INTERVAL DAY."""


def arithmetic_guards(operator: str, left: str, right: str, whole: str) -> Iterator[Guard]:
    """The guards of `left operator right`, whose text is `whole`."""
    if any(map(_MONTHS.fullmatch, (left, right))):
        # Sail casts no months to a DOUBLE; they have no hours either.
        return
    if operator in {"+", "-", "*"}:
        one, other = as_double(left), as_double(right)
        spread = f"abs({one} * {other})" if operator == "*" else f"abs({one}) + abs({other})"
        # What has wrapped around is off by 256 or more, and of a BIGINT by 2^64, which is beyond a DOUBLE's error.
        off = f"abs({one} {operator} {other} - {as_double(whole)}) > 100D + 4e-15D * ({spread})"
        yield overflow(whole, off)
        long = f"{is_one_of(whole, ['decimal'])} AND abs({as_double(whole)}) >= 9.99999999999999e37D"
        yield long, refusing("a DECIMAL of more than 38 digits")
    if operator in {"+", "-", "*", "/", "%"}:
        pairs = f"({is_one_of(left, ['float'])} AND {is_one_of(right, _EXACT)})"
        pairs += f" OR ({is_one_of(left, _EXACT)} AND {is_one_of(right, ['float'])})"
        yield pairs, refusing(f"{operator} of a FLOAT and another number, which is a DOUBLE in Spark")
    if operator == "/":
        exact = f"{is_one_of(left, _EXACT)} AND {is_one_of(right, _EXACT)}"
        decimal = f"({is_one_of(left, ['decimal'])} OR {is_one_of(right, ['decimal'])})"
        yield f"{exact} AND {decimal}", refusing("the quotient of a DECIMAL, which has other digits in Spark")
        texts = f"{is_one_of(left, ['string', 'void'])} AND {is_one_of(right, ['string', 'void'])}"
        yield f"{texts} AND {is_one_of(left, ['string'])} OR {is_one_of(right, ['interval'])}", _NO_OPERATOR
    if operator in {"+", "-"}:
        yield from _day_guards(operator, left, right)
    if operator == "DIV":
        yield f"{is_one_of(left, ['float', 'double'])} OR {is_one_of(right, ['float', 'double'])}", _NO_OPERATOR
    if operator in {"&", "|", "^"}:
        checked = (*_INTEGERS, "void")
        yield f"NOT ({is_one_of(left, checked)} AND {is_one_of(right, checked)})", _NO_OPERATOR
    if operator == "||":
        interval = f"{is_one_of(left, ['interval'])} OR {is_one_of(right, ['interval'])}"
        yield (
            f"{interval} OR ({is_one_of(left, _PARTS)}) <> ({is_one_of(right, _PARTS)})",
            refusing("|| of an interval, or of a text and a value with parts"),
        )


def is_plain_run(kinds: Sequence[DataType | None]) -> bool:
    """Whether the operands of a chain of `+` and `-`, or of `||`, are of one kind: integers, DOUBLE or STRING."""
    distinct = set(kinds) - {VOID}
    return distinct <= {DOUBLE} or distinct <= {STRING} or distinct <= {*INTEGRAL}


def run_guards(kinds: Sequence[DataType | None], values: Sequence[str]) -> Iterator[Guard]:
    """The guards of a long chain of `+` and `-` of integers, one for each type of its partial sums.

    No partial sum can overflow where the absolute values add up to less than the largest value of the type.
    """
    widths = list(accumulate((BITS.get(kind, 0) for kind in kinds if kind is not None), max))
    for last, (width, following) in enumerate(zip(widths, [*widths[1:], 0], strict=True)):
        if width and following != width:
            sizes = " + ".join(f"abs({as_double(value)})" for value in values[: last + 1])
            largest = float(2 ** (width - 1) - 1)
            yield f"{sizes} > {largest!r}D", refusing("a sum of many terms that are close to the largest integer")


def decimal_guards(name: str, *values: str) -> Iterator[Guard]:
    """The guards of an operator or a function of values of unknown types, one of which may be a DECIMAL."""
    kinds = [is_one_of(value, ["decimal"]) for value in values]
    condition = " OR ".join(kinds) if name not in {"+", "-", "*"} else f"({kinds[0]}) <> ({kinds[1]})"
    yield condition, refusing(f"{name.lower()} of a DECIMAL in an expression whose types are not known before it runs")


def _day_guards(operator: str, left: str, right: str) -> Iterator[Guard]:
    """Guards: a DATE and an interval that has hours, be they 0, make a TIMESTAMP in Spark; two DATES differ by one."""
    for day, interval in ((left, right), (right, left)):
        if not _DAYS.fullmatch(interval):
            both = f"{is_one_of(day, ['date'])} AND {is_one_of(interval, ['interval'])}"
            yield both, refusing("a DATE and an interval that is no literal of days, such as INTERVAL 3 DAYS")
    if operator == "-":
        yield (
            f"{is_one_of(left, ['date'])} AND {is_one_of(right, ['date'])}",
            refusing("a DATE minus a DATE: use datediff"),
        )


def day_comparison(left: str, right: str) -> Guard:
    """The guard of the comparison of a DATE with a whole number, which are never equal on Sail."""
    pairs = (
        f"{is_one_of(day, ['date'])} AND {is_one_of(number, _INTEGERS)}"
        for day, number in ((left, right), (right, left))
    )
    return " OR ".join(pairs), _NO_COMPARISON


def comparison_guards(left: str, right: str, *, days: bool, decimals: bool) -> Iterator[Guard]:
    """The guards of a comparison of operands whose types are unknown before it runs, unless they are literals."""
    pairs = [
        f"{is_one_of(one, kinds)} AND {is_one_of(other, others)}"
        for kinds, others in ((*_TIMES_COMPARED,) if days else ()) + ((*_NUMBERS_COMPARED,) if decimals else ())
        for one, other in ((left, right), (right, left))
        if _may_be(one, kinds) and _may_be(other, others)
    ]
    if pairs:
        yield " OR ".join(pairs), refusing("a comparison of types that are not known before it runs: cast one of them")


def _may_be(value: str, kinds: Sequence[str]) -> bool:
    kind = derived_type(value, StructType())
    return kind is None or sql_text(kind).partition("(")[0].lower() in kinds


def sign_guards(sign: str, value: str, whole: str) -> Iterator[Guard]:
    """The guards of `-value` and `~value`."""
    if sign == "-":
        yield overflow(value, f"{as_double(value)} + {as_double(whole)} <> 0")
    if sign == "~":
        yield is_one_of(value, ["tinyint", "smallint"]), refusing("~ of a number below INT")
        yield f"NOT ({is_one_of(value, (*_INTEGERS, 'void'))})", _NO_OPERATOR


def cast_guards(value: str, kind: str) -> Iterator[Guard]:
    """The guards of a cast of `value` to the type with the SQL text `kind`."""
    match = re.match(r"\w*", kind.strip())
    name = match[0].lower() if match is not None else ""
    name = _SAME.get(name, name)
    if name and name not in _TYPE_NAMES:
        raise errors.UnsupportedDatatypeError(kind.strip().upper(), tuple(name.upper() for name in _TYPE_NAMES))
    if barred := _BARRED.get(name):
        yield is_one_of(value, barred), _NO_CAST
    if others := _OTHERWISE.get(name):
        yield is_one_of(value, others), refusing(f"a cast to {name.upper()} that gives another value there")
    if name in _INTEGERS:
        yield (
            f"{is_one_of(value, ['timestamp'])} AND {as_double(value)} < 0",
            refusing("the cast of a time before 1970 to a number"),
        )
    if name == "timestamp_ntz":
        local, shown = f"CAST(({value}) AS STRING)", f"CAST(TRY_CAST(({value}) AS TIMESTAMP_NTZ) AS STRING)"
        yield (
            f"{is_one_of(value, ['timestamp'])} AND {local} <> {shown}",
            refusing("the cast of a TIMESTAMP to TIMESTAMP_NTZ in a time zone that is not UTC"),
        )
    if name == "timestamp":
        yield (
            f"{is_one_of(value, _NUMBERS)} AND abs({as_double(value)}) > 253402300799D",
            refusing("the cast of a number to a time after 9999"),
        )
    if name == "string":
        # By way of its text: not all types that have one can be tried as a DOUBLE.
        size = f"abs({as_double(f'CAST(({value}) AS STRING)')})"
        wide = f"{size} >= 10000000D OR {size} BETWEEN 1e-300D AND 0.001D"
        yield (
            f"{is_one_of(value, ['float', 'double'])} AND ({wide})",
            refusing("the cast of a very large or small FLOAT or DOUBLE to STRING"),
        )


def mixed_guards(values: Sequence[str]) -> Iterator[Guard]:
    """The guards of values that need one type: STRING beside others, DECIMAL beside DOUBLE, dates beside numbers."""
    if len(values) > _MOST_MIXED:
        return
    kinds = [kind_of(value) for value in values]
    for first, others in (
        ("string", [*_NUMBERS, "boolean", "binary", "interval", *_TIMES, *_PARTS]),
        ("decimal", ["double", "float"]),
        ("date", [*_NUMBERS]),
    ):
        has = " OR ".join(f"{kind} = '{first}'" for kind in kinds)
        more = " OR ".join(is_one_of(value, others) for value in values)
        yield f"({has}) AND ({more})", refusing(f"values of the type {first.upper()} beside others")


def branch_guards(values: Sequence[str]) -> Iterator[Guard]:
    """The guards of the branches of CASE and IF, all of which Sail gives the type of the first."""
    first, *others = (f"typeof({value})" for value in values)
    differing = " OR ".join(f"{first} <> {other} AND {other} <> 'void'" for other in dict.fromkeys(others))
    yield f"{first} <> 'void' AND ({differing})", refusing("branches of several types in CASE or IF: cast them to one")


def call_guards(name: str, arguments: Sequence[str], whole: str) -> Iterator[Guard]:
    """The guards of a call; `name` is in upper case."""
    if name in {"ABS", "NEGATIVE"} and arguments:
        yield overflow(
            arguments[0], f"{as_double(whole)} <> {'abs' if name == 'ABS' else '-'}({as_double(arguments[0])})"
        )
    if name in _ON_BINARY and arguments:
        yield is_one_of(arguments[0], ["binary"]), refusing(f"{name.lower()} of a BINARY, which is a STRING there")
    if name in _ON_INTERVALS and len(arguments) == 2:
        yield is_one_of(arguments[1], ["interval"]), refusing(f"{name.lower()} of an interval")
    if name == "DATE_TRUNC" and len(arguments) == 2:
        yield is_one_of(arguments[1], ["string"]), refusing("date_trunc of a STRING, which has no time zone there")


def unlike_call(name: str, arguments: Sequence[str]) -> str:
    """The kind of a call whose result differs for any types, in words; "" for none. `name` is in upper case."""
    if name.lower() in UNLIKE:
        return f"the function {name.lower()}"
    if (name in {"MAX_BY", "MIN_BY"} and len(arguments) > 2) or (name == "MODE" and len(arguments) > 1):
        return f"{name.lower()} with {len(arguments)} arguments"
    if name == "GET_JSON_OBJECT" and any("[*]" in argument for argument in arguments):
        return "get_json_object of all elements"
    return ""


_FORMATS = frozenset({"avro", "binaryfile", "csv", "json", "orc", "parquet", "text", "xml"})
_SUSPECT = re.compile(r"\b(?:in|using)\s*\(", re.IGNORECASE)
_COMMANDS = (
    (re.compile(r"\s*(?:create|drop)\s+(?:or\s+replace\s+)?(?:temporary\s+)?function\b", re.IGNORECASE), "functions"),
)


_UNREAD = (
    ("recursive", re.compile(r"\bwith\s+recursive\b", re.IGNORECASE), "WITH RECURSIVE"),
    ("qualify", re.compile(r"(?<![.,`])\bqualify\s+(?!as\b|from\b|then\b)[\w(]", re.IGNORECASE), "QUALIFY"),
    (
        "collate",
        re.compile(
            r"(?<![.,`])\bcollate\s+(?!(?:as|from|then|is|in|and|or|not|like|between|desc|asc)\b)\w", re.IGNORECASE
        ),
        "collations",
    ),
    ("pivot", re.compile(r"\b(?:un)?pivot\s*\(", re.IGNORECASE), "PIVOT and UNPIVOT"),
)


def _bare(sql: str) -> str:
    """The words of a text, without comments, strings and quoted names."""
    return " ".join(token.text for token in tokenize(sql) if token.kind not in {"string", "quoted"})


def unsupported_command(sql: str) -> str:
    """The kind of a command of Spark's that Sail executes differently, in words; "" for any other."""
    return next((name for pattern, name in _COMMANDS if pattern.match(sql)), "")


def unsupported_construct(sql: str) -> str:
    """The part of a query that Sail interprets differently, in words; "" for none known."""
    if _reads_files(sql):
        return "files that are read by their path, such as csv.`…`, which COPY INTO reads"
    if what := next(
        (what for word, pattern, what in _UNREAD if word in sql.lower() and pattern.search(_bare(sql))), ""
    ):
        return what
    if not _SUSPECT.search(sql):
        return ""
    tree = parse_statement(sql)
    return "" if tree is None else next(_unlike(tree), "")


def unsupported_condition(condition: str) -> str:
    """As `unsupported_construct`, for a condition."""
    return unsupported_construct(f"SELECT * FROM t WHERE {condition}") if _SUSPECT.search(condition) else ""


def _reads_files(sql: str) -> bool:
    tokens = tokenize(sql)
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return any(
        first.is_name and first.name.lower() in _FORMATS and dot.key == "." and "/" in last.name
        for first, dot, last in triples
        if last.is_name
    )


def _unlike(tree: exp.Expression) -> Iterator[str]:
    for node in tree.find_all(exp.In):
        if node.args.get("query") is not None and not _is_plain(node):
            yield "IN (SELECT …) below OR NOT, CASE or a comparison, where NULL is no FALSE"
    for join in tree.find_all(exp.Join):
        select = join.parent_select
        if join.args.get("using") and select is not None and any(map(_is_qualified_star, select.expressions)):
            yield "alias.* beside JOIN … USING, whose columns it leaves out"


def _is_plain(node: exp.Expression) -> bool:
    """Whether FALSE in place of NULL makes no difference to the filter that contains an IN."""
    negated = isinstance(node.parent, exp.Not)
    at = node.parent.parent if negated and node.parent is not None else node.parent
    while isinstance(at, (exp.And, exp.Paren)) or (isinstance(at, exp.Or) and not negated):
        at = at.parent
    return isinstance(at, (exp.Where, exp.Having, exp.Join))


def _is_qualified_star(column: exp.Expression) -> bool:
    return isinstance(column, exp.Column) and isinstance(column.this, exp.Star)


TABLE = Path(__file__).with_name("functions.json")

_STRUCTURAL = frozenset(
    """
    AND BETWEEN CASE CAST DIV EXISTS IF IFF ILIKE IN LIKE NOT NULLIF OR REGEXP RLIKE TRY_CAST WHEN
    BIGINT BINARY BOOLEAN DATE DECIMAL DOUBLE FLOAT INT SMALLINT STRING TIMESTAMP TINYINT
    """.split()  # noqa: SIM905 - thirty quoted words
)
"""Operators and casts that are written like calls: other checks compare the types of their values."""
_OF_THE_SESSION = frozenset(
    """
    ASSERT_TRUE CURDATE CURRENT_CATALOG CURRENT_DATABASE CURRENT_DATE CURRENT_SCHEMA CURRENT_TIMESTAMP CURRENT_TIMEZONE
    LOCALTIMESTAMP MONOTONICALLY_INCREASING_ID NOW RAISE_ERROR RAND RANDN RANDOM RANGE SPARK_PARTITION_ID UUID
    """.split()  # noqa: SIM905 - twenty quoted words
)
"""Functions whose results are no function of their arguments, so that no two runs can be compared."""
_EACH = {
    **dict.fromkeys(("count", "hash", "struct", "xxhash64"), (0, 1)),
    **dict.fromkeys(("concat", "concat_ws"), (1, 1)),
    "named_struct": (0, 2),
}
"""Functions of any number of arguments: how many come first, and how many of the others belong together."""
_WHOLE = re.compile(r"-?\s*\d+")
_POSITIVE = re.compile(r"\d+|greatest\(length\(.*\), \d+\)", re.DOTALL)
"""A number that is written, or to how many characters a CHAR is filled up."""
_STRUCT = re.compile(r"(?:named_)?struct\s*\(", re.IGNORECASE)
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)
_DATE_FIELDS = r"yyyy|yy|y|MMMM|MMM|MM|M|dd|d|HH|H|hh|mm|m|ss|s|SSSSSS|SSS|a|EEEE|EEE|E"
_CLASS = r"\[\^?(?:[\w ,;:/-]|\\\\[dws.])+\]"
_PATTERNS = {
    "date": re.compile(rf"(?:{_DATE_FIELDS})(?:[-/:., ]+(?:{_DATE_FIELDS}))*"),
    "regex": re.compile(rf"\^?(?:(?:[\w ,;:/=@#%&<>!~-]|\\\\[dws.]|{_CLASS}|[()|.])(?:[*+?]|\{{\d+(?:,\d*)?\}})?)*\$?"),
    "like": re.compile(r"(?:[^\\]|\\\\[%_])*", re.DOTALL),
    "separator": re.compile(r"[^\\]*", re.DOTALL),
    "path": re.compile(r"\$(?:\.\w+|\[\d+\]|\['\w+'\])*"),
}
"""Texts that are made of compared ones. Of any other kind (units, fields, zones) only the compared texts are taken."""
Kind: TypeAlias = Callable[[], DataType | None]


def is_compared(name: str, arguments: Sequence[tuple[str, Kind]], *, ansi: bool) -> bool:
    """Whether the results of a call were compared with Spark's; `arguments` are texts, and what asks for their types.

    A name that is none of Spark's functions is left to the engine.
    """
    if name in _STRUCTURAL or name in _OF_THE_SESSION or name not in FUNCTIONS:
        return True
    signatures = _table()["ansi" if ansi else "without ansi"].get(name.lower(), ())
    return all(
        any(_fits(signature, part) for signature in signatures) for part in _parts(name.lower(), list(arguments))
    )


def _parts(name: str, arguments: list[tuple[str, Kind]]) -> list[list[tuple[str, Kind]]]:
    """The calls that a call with many arguments consists of."""
    fixed, step = _EACH.get(name, (0, 0))
    if not step or len(arguments) <= fixed + step:
        return [arguments]
    return [arguments[:fixed] + arguments[at : at + step] for at in range(fixed, len(arguments), step)]


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[Sequence[str]]]]:
    table: Mapping[str, Mapping[str, Sequence[Sequence[str]]]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def _fits(signature: Sequence[str], arguments: Sequence[tuple[str, Kind]]) -> bool:
    specs = list(signature)
    if specs and specs[-1].startswith("..."):
        step = int(specs.pop()[3:] or 1)
        while len(specs) < len(arguments):
            specs += specs[-step:]
    return len(specs) == len(arguments) and all(map(_is_of, specs, arguments))


def _is_of(spec: str, argument: tuple[str, Kind]) -> bool:
    text, kind = argument[0].strip(), argument[1]
    if spec in {"ANY", text}:
        return True
    match spec[0]:
        case "#":
            return (_POSITIVE if spec == "#+" else _WHOLE).fullmatch(text) is not None
        case "$":
            return _TEXT.fullmatch(text) is not None
        case "@":
            return _is_pattern(spec[1:], text)
        case "'" | "*":
            return False
    if spec == "STRUCT" and _STRUCT.match(text):
        return True
    result_type = kind()
    return result_type is not None and spec in type_classes(result_type)


def _is_pattern(kind: str, text: str) -> bool:
    if kind not in _PATTERNS:
        return "->" in text
    return _TEXT.fullmatch(text) is not None and _PATTERNS[kind].fullmatch(text[1:-1]) is not None


def type_classes(kind: DataType) -> tuple[str, ...]:
    """The names that the table has for a type: itself, and for one with parts what it is without them."""
    match kind:
        case DecimalType():
            return ("DECIMAL",)
        case ArrayType(element=StructType()):
            return ("ARRAY<STRUCT>", "ARRAY")
        case ArrayType():
            return (sql_text(kind), "ARRAY")
        case MapType():
            return (sql_text(kind), "MAP")
        case StructType():
            return ("STRUCT",)
        case _:
            return (sql_text(kind),)
