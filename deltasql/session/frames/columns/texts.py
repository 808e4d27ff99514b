"""SQL text of PySpark's Columns: operators, calls, casts and literals, and the expressions of Spark Connect.

The tree of a Spark Connect Column is in this process: it consists of the expressions that PySpark sends to the server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from deltasql.base import errors, skip_blanks
from deltasql.schema import path_text, quote_name, sql_literal, sql_text, type_from_json
from deltasql.sql import ExpressionScan, parse_type

Owner = Callable[[int], "str | None"]
"""The alias of the table that a bound column is of, by the number it is bound to; None where it needs no alias.

Raises LookupError, whose text names the DataFrame, for one that is not one side of the statement."""

_BINARY = {
    **{name: name for name in ("+", "-", "*", "/", "%", "=", "<=>", "<", "<=", ">", ">=", "&", "|", "^")},
    "==": "=",
    "and": "AND",
    "or": "OR",
    "like": "LIKE",
    "ilike": "ILIKE",
    "rlike": "RLIKE",
}
_UNARY = {
    "negative": "-{}",
    "!": "NOT {}",
    "not": "NOT {}",
    "~": "~{}",
    "isnull": "{} IS NULL",
    "isnotnull": "{} IS NOT NULL",
}
_OPERATORS = {
    **{(name, 2): f"({{}} {word} {{}})" for name, word in _BINARY.items()},
    **{(name, 1): f"({text})" for name, text in _UNARY.items()},
}
_CALLS = frozenset(
    """
    abs acos add_months array array_append array_compact array_contains array_distinct array_except array_intersect
    array_join array_max array_min array_position array_remove array_repeat array_size array_sort array_union
    arrays_overlap arrays_zip ascii asin atan atan2 base64 bin bit_count bit_length btrim cardinality cbrt ceil
    char_length chr coalesce concat concat_ws contains conv cos cosh crc32 current_date current_timestamp date_add
    date_diff date_format date_sub date_trunc datediff day dayofmonth dayofweek dayofyear decode degrees element_at
    encode endswith equal_null exp expm1 factorial find_in_set flatten floor format_number format_string
    from_unixtime from_utc_timestamp get get_json_object greatest hash hex hour hypot ifnull initcap instr isnan
    last_day lcase least left length levenshtein ln locate log log10 log1p log2 lower lpad ltrim make_date map
    map_concat map_contains_key map_entries map_from_arrays map_keys map_values md5 minute month months_between
    named_struct nanvl next_day nullif nvl nvl2 octet_length overlay pmod power quarter radians regexp_extract
    regexp_replace repeat replace reverse right rint round rpad rtrim second sequence sha1 sha2 shiftleft shiftright
    sign signum sin sinh size slice sort_array soundex split split_part sqrt startswith struct substr substring
    substring_index tan tanh timestamp_micros timestamp_millis timestamp_seconds to_date to_timestamp
    to_unix_timestamp to_utc_timestamp translate trim trunc try_add try_divide try_multiply try_subtract
    try_to_timestamp typeof unbase64 unhex unix_date unix_micros unix_millis unix_seconds unix_timestamp upper
    weekday weekofyear xxhash64 year
    """.split()  # noqa: SIM905 - two hundred quoted names would fill a page
)
COMPARED = frozenset({*_BINARY, *_UNARY, *_CALLS, "in", "when"})
"""The functions of a Column that become SQL: a test compares each with Spark's value of the Column."""

_PART = re.compile(r"`(?:[^`]|``)+`|[^.`]+")
_PATH = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))*")
_EPOCH = datetime(1970, 1, 1)


def call(name: str, arguments: Sequence[str], *, distinct: bool = False) -> str:
    """SQL of a function or operator. Raises UnsupportedColumnError for one that no test compares."""
    key = name.lower()
    if key not in COMPARED or distinct:
        raise errors.UnsupportedColumnError(
            f"{name}(…)", "the function is not among those that are compared with Spark"
        )
    if (key, len(arguments)) in _OPERATORS:
        return _OPERATORS[key, len(arguments)].format(*arguments)
    if key == "in":
        # As in Spark, no value is in an empty list.
        return f"({arguments[0]} IN ({', '.join(arguments[1:])}))" if arguments[1:] else "FALSE"
    if key == "when":
        branches = list(zip(arguments[::2], arguments[1::2], strict=False))
        return case(branches, arguments[-1] if len(arguments) % 2 else None)
    if key not in _CALLS:
        raise errors.UnsupportedColumnError(f"{name}(…)", f"{name} has {len(arguments)} arguments")
    return f"{key}({', '.join(arguments)})"


def case(branches: Sequence[tuple[str, str]], otherwise: str | None) -> str:
    """SQL of CASE WHEN condition THEN value … END."""
    whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in branches)
    return f"CASE {whens}{'' if otherwise is None else f' ELSE {otherwise}'} END"


def cast(value: str, kind: str, *, attempted: bool = False) -> str:
    """SQL of a cast to a type in SQL; NULL for what cannot be cast where it is only `attempted`."""
    return f"{'TRY_CAST' if attempted else 'CAST'}({value} AS {kind})"


def type_sql(kind: Any) -> str:
    """The SQL of a type that is given by its name, or as a DataType of PySpark. Raises UnsupportedColumnError."""
    try:
        return sql_text(parse_type(kind) if isinstance(kind, str) else type_from_json(kind.jsonValue()))
    except errors.UnknownTypeNameError:
        raise errors.UnsupportedColumnError(f"cast({kind})", "tables have no such type") from None


def decimal_type(value: Decimal, precision: int) -> str:
    """SQL of the type of a decimal literal that has at least `precision` digits."""
    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    return f"DECIMAL({max(precision, len(digits) + max(0, int(exponent)), scale)},{scale})"


def attribute(parts: Sequence[str], alias: str | None = None) -> str:
    """SQL of a column or field by its path."""
    return path_text((*(() if alias is None else (alias,)), *parts))


def bound_attribute(parts: Sequence[str], origin: int, owner: Owner) -> str:
    """SQL of a column that is bound to a DataFrame. Raises ForeignColumnError."""
    try:
        alias = owner(origin)
    except LookupError as error:
        raise errors.ForeignColumnError(attribute(parts), str(error)) from None
    return attribute(parts, alias)


def name_parts(name: str) -> tuple[str, ...]:
    """The parts of the name of a column: names between dots, in back-ticks where they have dots.

    Raises UnsupportedColumnError.
    """
    if not _PATH.fullmatch(name):
        raise errors.UnsupportedColumnError(name, "the text is no name of a column")
    return tuple(
        part[1:-1].replace("``", "`") if part.startswith("`") else part for part in _PART.findall(name) if part
    )


def one_expression(text: str) -> str:
    """A text that is one expression in SQL, without comments after it. Raises ParseSyntaxError."""
    end = ExpressionScan(text, 0, {}, lambda terminal: terminal == "IDENTIFIER").run()
    if end == 0 or skip_blanks(text, end) < len(text):
        raise errors.ParseSyntaxError(f"The text {text!r} is not one expression.", text)
    return text[:end]


def extracted(value: str, key: Any, key_sql: str) -> str:
    """SQL of an element of an array or map, or of a field of a struct."""
    if isinstance(key, str):
        # A field must be given by a plain text: text with a quote or a backslash has no plain literal.
        return f"{value}.{quote_name(key)}" if key_sql.startswith("CAST") else f"{value}[{key_sql}]"
    return f"{value}[{key_sql}]"


def literal(value: Any) -> str:
    """SQL of a Python value. Raises UnsupportedColumnError for a type that has no literal."""
    if isinstance(value, timedelta):
        return interval(value // timedelta(microseconds=1))
    try:
        text = sql_literal(value)
    except TypeError:
        raise errors.UnsupportedColumnError(repr(value), f"{type(value).__name__} has no literal") from None
    return f"({text})" if text.startswith("-") else text


def day(days: int) -> date:
    """The date of a number of days since 1970."""
    return (_EPOCH + timedelta(days=days)).date()


def instant(microseconds: int) -> datetime:
    """The time, in UTC, of a number of microseconds since 1970."""
    return clock(microseconds).replace(tzinfo=timezone.utc)


def clock(microseconds: int) -> datetime:
    """The time without a zone of a number of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=microseconds)


def elapsed(microseconds: int) -> timedelta:
    """The duration of a number of microseconds."""
    return timedelta(microseconds=microseconds)


def interval(microseconds: int) -> str:
    """SQL of an interval of days to seconds."""
    seconds, micros = divmod(abs(microseconds), 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    sign = "-" if microseconds < 0 else ""
    return f"INTERVAL '{sign}{days} {hour:02}:{minute:02}:{second:02}.{micros:06}' DAY TO SECOND"


class ConnectColumns:
    """Writes the SQL of Columns; `owner` is asked by the number of a plan."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._writers: Mapping[str, Callable[[Any], str]] = {
            "LiteralExpression": self._literal,
            "ColumnReference": self._attribute,
            "UnresolvedFunction": self._call,
            "SQLExpression": lambda node: f"({one_expression(node._expr)})",
            "ColumnAlias": lambda node: self.sql(node._child),
            "CastExpression": self._cast,
            "CaseWhen": self._case,
            "UnresolvedExtractValue": self._extracted,
        }

    def sql(self, node: Any) -> str:
        """SQL of a node. Raises UnsupportedColumnError, ForeignColumnError."""
        kind = type(node).__name__
        if kind not in self._writers:
            raise errors.UnsupportedColumnError(str(node), f"{kind} is not supported")
        return self._writers[kind](node)

    def _literal(self, node: Any) -> str:
        value, kind = node._value, node._dataType
        name = type(kind).__name__
        if value is None:
            return "NULL"
        if name not in _LITERALS:
            raise errors.UnsupportedColumnError(str(node), f"{name} has no literal")
        text = literal(_LITERALS[name](value))
        if name == "DecimalType":
            return cast(text, decimal_type(value, kind.precision))
        return cast(text, _NARROW[name]) if name in _NARROW else text

    def _attribute(self, node: Any) -> str:
        name = node._unparsed_identifier
        if node._is_metadata_column:
            raise errors.UnsupportedColumnError(name, "it is a metadata column")
        parts = name_parts(name)
        if node._plan_id is None:
            return attribute(parts)
        return bound_attribute(parts, node._plan_id, self._owner)

    def _call(self, node: Any) -> str:
        arguments = [self._argument(item) for item in node._args]
        return call(node._name, arguments, distinct=bool(node._is_distinct))

    def _argument(self, node: Any) -> str:
        """An argument of a call, with its alias, which names the field of a struct."""
        if type(node).__name__ != "ColumnAlias":
            return self.sql(node)
        return f"{self.sql(node._child)} AS {attribute(node._alias)}"

    def _cast(self, node: Any) -> str:
        mode = node._eval_mode or ""
        return cast(self.sql(node._expr), type_sql(node._data_type), attempted=mode.upper() == "TRY")

    def _case(self, node: Any) -> str:
        branches = [(self.sql(condition), self.sql(value)) for condition, value in node._branches]
        return case(branches, None if node._else_value is None else self.sql(node._else_value))

    def _extracted(self, node: Any) -> str:
        key = node._extraction
        value = key._value if type(key).__name__ == "LiteralExpression" else None
        return extracted(self.sql(node._child), value, self.sql(key))


_LITERALS: Mapping[str, Callable[[Any], Any]] = {
    "BinaryType": bytes,
    "BooleanType": bool,
    "ByteType": int,
    "ShortType": int,
    "IntegerType": int,
    "LongType": int,
    "FloatType": float,
    "DoubleType": float,
    "DecimalType": Decimal,
    "StringType": str,
    "DateType": day,
    "TimestampType": instant,
    "TimestampNTZType": clock,
    "DayTimeIntervalType": elapsed,
}
_NARROW = {"ByteType": "TINYINT", "ShortType": "SMALLINT", "LongType": "BIGINT", "FloatType": "FLOAT"}


def plans_of(frame: Any) -> set[int]:
    """The numbers of the plans by which columns of a DataFrame may be bound: its own, and those under aliases of it."""
    return set(_plans(frame._plan))


def _plans(plan: Any) -> Iterator[int]:
    while plan is not None:
        yield plan._plan_id
        plan = plan._child if type(plan).__name__ == "SubqueryAlias" else None


def alias_of(frame: Any) -> str | None:
    """The alias of a DataFrame."""
    return str(frame._plan._alias) if type(frame._plan).__name__ == "SubqueryAlias" else None
