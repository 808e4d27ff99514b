"""Types of the parameters of a prepared statement, and the server's capabilities, types and functions for drivers.

The JDBC driver binds values of the announced types only: an INT for an announced text is an error. So types are
inferred where statements of programs have parameters: beside a comparison, in IN and BETWEEN, in SET, in the rows of
INSERT, after LIMIT. Any other parameter is text.

Capabilities and types have the numbers of Flight SQL. Source: FlightSql.proto, SqlInfo. Spark's functions are in the
four lists that JDBC has: of numbers, of texts, of dates and times, and all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

from deltasql.base import DeltaSqlError, Token, __version__, tokenize
from deltasql.schema import DataType, DecimalType, PrimitiveType, StructType, arrow_type
from deltasql.session import Session, described
from deltasql.sql import FUNCTIONS, keywords, markers, parameter_names, table_references

_COMPARISONS = frozenset({"=", "==", "<=>", "<>", "!=", "<", "<=", ">", ">="})
_NUMBERED = frozenset({"LIMIT", "OFFSET"})
_TARGETS = (("INSERT", "INTO"), ("INSERT", "OVERWRITE"), ("DELETE", "FROM"), ("MERGE", "INTO"), ("UPDATE",))
_EXACT_DIGITS = 15
"""Decimal digits that a DOUBLE represents exactly."""
_PARAMETER = "?"

Values = Mapping[str, Any] | Sequence[Any]


def parameter_types(session: Session, sql: str) -> dict[str, DataType]:
    """The type of each parameter with an inferred type, by its name or, of a `?`, by its number from 0 on."""
    extents = list(markers(sql))
    if not extents:
        return {}
    types: dict[str, DataType] = {}
    for number, kind in enumerate(_Finder(session, sql, extents).types()):
        start, end = extents[number]
        name = sql[start + 1 : end].strip("`") or str(number)
        if kind is not None:
            # A name with several inferred types is text.
            types[name] = kind if types.get(name, kind) == kind else PrimitiveType("string")
    return types


def parameter_schema(sql: str, types: Mapping[str, DataType]) -> pa.Schema:
    """One column per parameter, in the Arrow types that the JDBC driver can fill."""
    names = [name or str(number) for number, name in enumerate(parameter_names(sql))]
    return pa.schema([pa.field(name, _bound_as(types.get(name))) for name in names])


def _bound_as(kind: DataType | None) -> pa.DataType:
    """The Arrow type to announce for a parameter of this type.

    The JDBC driver puts milliseconds into timestamps of any unit, and accepts only a DECIMAL of exactly the announced
    scale. A time without a zone is in the session's zone, as in a text.
    """
    match kind:
        case PrimitiveType(name="timestamp" | "timestamp_ntz"):
            return pa.timestamp("ms")
        case DecimalType(precision=precision) if precision <= _EXACT_DIGITS:
            return pa.float64()
        case PrimitiveType() | DecimalType():
            return arrow_type(kind)
        case _:
            return pa.string()


def exact(name: str, value: Any, types: Mapping[str, DataType]) -> Any:
    """The value of a parameter: a float for a DECIMAL becomes the decimal of its shortest representation."""
    if isinstance(value, float) and isinstance(types.get(name), DecimalType):
        number = Decimal(repr(value))
        return Decimal(f"{number:f}") if number.is_finite() else value
    return value


class _Finder:
    """Infers types from the tokens around each parameter, which is one token."""

    def __init__(self, session: Session, sql: str, extents: Sequence[tuple[int, int]]) -> None:
        self._session = session
        ends = dict(extents)
        self._tokens: list[Token] = []
        until = -1
        for token in tokenize(sql):
            if token.start in ends:
                until = ends[token.start]
                self._tokens.append(Token("symbol", sql[token.start : until], _PARAMETER, token.start))
            elif token.start >= until:
                self._tokens.append(token)
        self._keys = [token.key for token in self._tokens]
        self._tables = list(self._catalog_tables(sql))

    def types(self) -> Iterator[DataType | None]:
        """The type of each parameter, in order; None if unknown."""
        inserted = self._inserted()
        for at, key in enumerate(self._keys):
            if key == _PARAMETER:
                yield inserted.get(at) or self._type(at)

    def _type(self, at: int) -> DataType | None:
        before = self._key(at - 1)
        if before in _NUMBERED:
            return PrimitiveType("integer")
        if before in _COMPARISONS:
            return self._column_until(at - 2)
        if self._key(at + 1) in _COMPARISONS:
            return self._column_from(at + 2)
        if before == "BETWEEN":
            return self._column_until(self._without_not(at - 2))
        if before == "AND" and self._key(at - 3) == "BETWEEN":
            return self._column_until(self._without_not(at - 4))
        return self._column_of_list(at)

    def _column_of_list(self, at: int) -> DataType | None:
        """The type of the column before IN, for a parameter in its list; else None."""
        start = at
        while self._key(start - 1) == "," and self._key(start - 2) not in {"", ")"}:
            start -= 2
        if self._key(start - 1) == "(" and self._key(start - 2) == "IN":
            return self._column_until(self._without_not(start - 3))
        return None

    def _without_not(self, at: int) -> int:
        return at - 1 if self._key(at) == "NOT" else at

    def _key(self, at: int) -> str:
        return self._keys[at] if 0 <= at < len(self._keys) else ""

    def _column_until(self, at: int) -> DataType | None:
        """The type of the column whose name ends at token `at`."""
        end = at
        while self._key(at - 1) == "." and at > 1:
            at -= 2
        return self._column_named(self._tokens[max(at, 0) : end + 1 : 2])

    def _column_from(self, at: int) -> DataType | None:
        """The type of the column whose name begins at token `at`; None for a function."""
        end = at
        while self._key(end + 1) == ".":
            end += 2
        return None if self._key(end + 1) == "(" else self._column_named(self._tokens[at : end + 1 : 2])

    def _column_named(self, tokens: Sequence[Token]) -> DataType | None:
        if not tokens or not all(token.is_name for token in tokens):
            return None
        path = [token.name for token in tokens]
        kinds = [kind for columns in self._tables if (kind := _field(columns, path)) is not None]
        return kinds[0] if kinds and all(kind == kinds[0] for kind in kinds) else None

    def _catalog_tables(self, sql: str) -> Iterator[StructType]:
        """The columns of each table of the statement that is in the catalog."""
        target = self._target()
        parts = [reference.parts for reference in table_references(sql)]
        for name in dict.fromkeys([*parts, *([target[0]] if target is not None else [])]):
            columns = self._columns(name)
            if columns is not None:
                yield columns

    def _columns(self, parts: tuple[str, ...]) -> StructType | None:
        try:
            return described(self._session, parts).columns
        except DeltaSqlError:
            # Errors of a table are raised when the statement runs.
            return None

    def _target(self) -> tuple[tuple[str, ...], int] | None:
        """The target table of a statement, and the token index after its name; None for a query."""
        for words in _TARGETS:
            if tuple(self._keys[: len(words)]) == words:
                at = len(words) + (self._key(len(words)) == "TABLE")
                end = at
                while self._key(end + 1) == ".":
                    end += 2
                return tuple(token.name for token in self._tokens[at : end + 1 : 2]), end + 1
        return None

    def _inserted(self) -> dict[int, DataType]:
        """The types of the parameters in INSERT … VALUES, by token index."""
        target = self._target()
        if target is None or self._key(0) != "INSERT" or "VALUES" not in self._keys:
            return {}
        columns, at = self._columns(target[0]), target[1]
        values = self._keys.index("VALUES")
        if columns is None:
            return {}
        listed = self._tokens[at + 1 : values - 1 : 2] if self._key(at) == "(" else []
        names = [token.name for token in listed] or columns.names
        types = [_field(columns, [name]) for name in names]
        return dict(self._in_rows(values + 1, types))

    def _in_rows(self, at: int, types: Sequence[DataType | None]) -> Iterator[tuple[int, DataType]]:
        depth = number = 0
        for index in range(at, len(self._keys)):
            key = self._key(index)
            depth += (key == "(") - (key == ")")
            number = 0 if key == "(" and depth == 1 else number + (key == "," and depth == 1)
            alone = self._key(index - 1) in {"(", ","} and self._key(index + 1) in {")", ","}
            if key == _PARAMETER and depth == 1 and alone and number < len(types):
                kind = types[number]
                if kind is not None:
                    yield index, kind


def _field(columns: StructType, path: Sequence[str]) -> DataType | None:
    """The type of a column, or of a field in it, whose name may be qualified by its table; None if there is none."""
    for start in range(len(path)):
        kind: DataType | None = columns
        for name in path[start:]:
            fields = kind if isinstance(kind, StructType) else ()
            kind = next((item.type for item in fields if item.name.lower() == name.lower()), None)
        if kind is not None:
            return kind
    return None


_CHILDREN = (
    ("string_value", pa.string()),
    ("bool_value", pa.bool_()),
    ("bigint_value", pa.int64()),
    ("int32_bitmask", pa.int32()),
    ("string_list", pa.list_(pa.field("item", pa.string()))),
    ("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
)
_TEXT, _FLAG, _NUMBER, _BITS, _TEXTS, _LISTS = range(6)
SQL_INFO = pa.schema(
    [
        pa.field("info_name", pa.uint32(), False),
        pa.field("value", pa.dense_union([pa.field(name, kind) for name, kind in _CHILDREN]), False),
    ]
)

_LOWERED, _NULLS_LOWEST, _SOME_AND_FULL = 3, 1, 0b110
_NO_TRANSACTIONS = 0


def _information() -> dict[int, tuple[int, Any]]:
    """Kind and value of each information by its number; missing ones have no limit, or are unknown."""
    texts = {0: "deltasql", 1: __version__, 2: pa.__version__, 504: "`", 513: "\\", 514: "", 529: "schema"}
    texts |= {530: "procedure", 531: "catalog"}
    # Queries run; Substrait does not. Statements are not cancelled by an action, but with the call that runs them. Rows
    # can be ingested, in no transaction of Flight SQL.
    flags = {3: False, 4: True, 5: False, 9: False, 10: True, 11: False}
    # CREATE of catalogs, schemas, tables; all tables can be selected from; aliases; NULL || 'a' is NULL; names of
    # tables in queries; ORDER BY of any expression; LIKE … ESCAPE; NOT NULL; catalogs come first.
    flags |= dict.fromkeys((500, 501, 502, 506, 515, 516, 518, 519, 520, 521, 523, 524, 532, 539), True)
    # FOR UPDATE, procedures, savepoints, LOBs; transactions are statements here, and no calls.
    flags |= dict.fromkeys((527, 536, 537, 556, 563, 565, 566, 573, 574, 575, 576), False)
    flags[572] = True
    # Names are kept in lower case, quoted or not. Where no call begins a transaction none has an isolation.
    numbers = {503: _LOWERED, 505: _LOWERED, 507: _NULLS_LOWEST, 562: _NO_TRANSACTIONS}
    # Of lengths and counts 0 says that there is no limit, or none that is known.
    numbers |= dict.fromkeys((*range(541, 556), *range(557, 562)), 0)
    bits = {8: 0, 100: 0, 101: 0, 522: 3, 525: 3, 526: 1, 533: 0, 534: 0, 535: 0, 538: 7, 540: 3, 564: 1}
    bits[528] = _SOME_AND_FULL
    bits |= {567: 2, 568: 0, 569: 2, 570: 0, 571: 0}
    lists = {508: sorted(keywords()), **FUNCTION_KINDS}
    kinds: tuple[tuple[int, Mapping[int, Any]], ...] = (
        (_TEXT, texts),
        (_FLAG, flags),
        (_NUMBER, numbers),
        (_BITS, bits),
        (_TEXTS, lists),
        # CONVERT of ODBC, by the types that it knows: there is none.
        (_LISTS, {517: {}}),
    )
    return {number: (kind, value) for kind, values in kinds for number, value in values.items()}


def sql_info(requested: Sequence[int]) -> pa.Table:
    """The requested information, or all; unknown numbers are left out."""
    information = _information()
    numbers = [number for number in (requested or sorted(information)) if number in information]
    children: list[list[Any]] = [[] for _ in _CHILDREN]
    kinds, indexes = [], []
    for number in numbers:
        kind, value = information[number]
        kinds.append(kind)
        indexes.append(len(children[kind]))
        children[kind].append(value)
    values = pa.UnionArray.from_dense(
        pa.array(kinds, pa.int8()),
        pa.array(indexes, pa.int32()),
        [pa.array(items, kind) for items, (_, kind) in zip(children, _CHILDREN, strict=True)],
        [name for name, _ in _CHILDREN],
    )
    return pa.table([pa.array(numbers, pa.uint32()), values], schema=SQL_INFO)


class _Type(NamedTuple):
    """A type of SQL: XDBC number, digits or length, literal prefix and suffix, parameters, scale range, radix."""

    name: str
    number: int
    size: int | None = None
    around: tuple[str | None, str | None] = (None, None)
    parameters: tuple[str, ...] | None = None
    scale: tuple[int, int] | None = None
    radix: int | None = None


_TYPES = (
    _Type("TINYINT", -6, 3, scale=(0, 0), radix=10),
    _Type("BIGINT", -5, 19, scale=(0, 0), radix=10),
    _Type("BINARY", -3, None, ("X'", "'")),
    _Type("DECIMAL", 3, 38, (None, "BD"), ("precision", "scale"), (0, 38), 10),
    _Type("INT", 4, 10, scale=(0, 0), radix=10),
    _Type("SMALLINT", 5, 5, scale=(0, 0), radix=10),
    _Type("FLOAT", 7, 24, (None, "F"), radix=2),
    _Type("DOUBLE", 8, 53, (None, "D"), radix=2),
    _Type("STRING", 12, None, ("'", "'")),
    _Type("BOOLEAN", -7, 1),
    _Type("DATE", 91, 10, ("DATE '", "'")),
    _Type("TIMESTAMP", 93, 29, ("TIMESTAMP '", "'")),
    _Type("TIMESTAMP_NTZ", 93, 26, ("TIMESTAMP_NTZ '", "'")),
)

TYPE_INFO = pa.schema(
    [
        *(pa.field("type_name", pa.string(), False), pa.field("data_type", pa.int32(), False)),
        *(pa.field("column_size", pa.int32()), pa.field("literal_prefix", pa.string())),
        *(pa.field("literal_suffix", pa.string()), pa.field("create_params", pa.list_(pa.string()))),
        *(pa.field("nullable", pa.int32(), False), pa.field("case_sensitive", pa.bool_(), False)),
        *(pa.field("searchable", pa.int32(), False), pa.field("unsigned_attribute", pa.bool_())),
        *(pa.field("fixed_prec_scale", pa.bool_(), False), pa.field("auto_increment", pa.bool_())),
        *(pa.field("local_type_name", pa.string()), pa.field("minimum_scale", pa.int32())),
        *(pa.field("maximum_scale", pa.int32()), pa.field("sql_data_type", pa.int32(), False)),
        *(pa.field("datetime_subcode", pa.int32()), pa.field("num_prec_radix", pa.int32())),
        pa.field("interval_precision", pa.int32()),
    ]
)
_NULLABLE, _SEARCHABLE, _OF_TEXT, _BASIC = 1, 3, 12, 2
_MOMENT, _DATETIME = {91: 1, 93: 3}, 9


def type_info(number: int | None) -> pa.Table:
    """The types of one XDBC number, or all, by number and name."""
    types = sorted(item for item in _TYPES if number in {None, item.number})
    rows = [_type_row(item) for item in sorted(types, key=lambda item: (item.number, item.name))]
    return pa.Table.from_pylist(rows, schema=TYPE_INFO)


def _type_row(item: _Type) -> dict[str, Any]:
    is_number = item.radix is not None
    lowest, highest = item.scale or (None, None)
    return {
        "type_name": item.name,
        "data_type": item.number,
        "column_size": item.size,
        "literal_prefix": item.around[0],
        "literal_suffix": item.around[1],
        "create_params": item.parameters,
        "nullable": _NULLABLE,
        "case_sensitive": item.number == _OF_TEXT,
        "searchable": _SEARCHABLE if item.number == _OF_TEXT else _BASIC,
        "unsigned_attribute": False if is_number else None,
        "fixed_prec_scale": False,
        "auto_increment": False if is_number else None,
        "local_type_name": item.name,
        "minimum_scale": lowest,
        "maximum_scale": highest,
        "sql_data_type": _DATETIME if item.number in _MOMENT else item.number,
        "datetime_subcode": _MOMENT.get(item.number),
        "num_prec_radix": item.radix,
        "interval_precision": None,
    }


_NUMBERS = """
ABS ACOS ACOSH ASIN ASINH ATAN ATAN2 ATANH BROUND CBRT CEIL CEILING CONV COS COSH COT CSC DEGREES E EXP EXPM1 FACTORIAL
FLOOR GREATEST HYPOT LEAST LN LOG LOG10 LOG1P LOG2 MOD NEGATIVE PI PMOD POSITIVE POW POWER RADIANS RAND RANDN RANDOM
RINT ROUND SEC SIGN SIGNUM SIN SINH SQRT TAN TANH TRY_ADD TRY_DIVIDE TRY_MOD TRY_MULTIPLY TRY_SUBTRACT UNIFORM
WIDTH_BUCKET
"""
_TEXTS_kinds = """
ASCII BASE64 BTRIM CHAR CHARACTER_LENGTH CHAR_LENGTH CHR CONCAT CONCAT_WS CONTAINS ELT ENDSWITH FIND_IN_SET
FORMAT_NUMBER FORMAT_STRING INITCAP INSTR LCASE LEFT LEN LENGTH LEVENSHTEIN LOCATE LOWER LPAD LTRIM MASK OCTET_LENGTH
OVERLAY POSITION PRINTF REGEXP_COUNT REGEXP_EXTRACT REGEXP_EXTRACT_ALL REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE
REGEXP_SUBSTR REPEAT REPLACE REVERSE RIGHT RPAD RTRIM SENTENCES SOUNDEX SPACE SPLIT SPLIT_PART STARTSWITH SUBSTR
SUBSTRING SUBSTRING_INDEX TO_CHAR TRANSLATE TRIM UCASE UNBASE64 UPPER
"""
_TIMES = re.compile(
    r"ADD_MONTHS|CONVERT_TIMEZONE|CUR(RENT_)?(DATE|TIME\w*)|DATE\w*|DAY\w*|FROM_(UNIXTIME|UTC_TIMESTAMP)|HOUR|LAST_DAY"
    r"|LOCALTIMESTAMP|(TRY_)?(MAKE|TO)_(DATE|TIME|\w*INTERVAL|\w*TIMESTAMP\w*)|MINUTE|MONTH\w*|NEXT_DAY|NOW|QUARTER|SECOND"
    r"|TIME\w*|TRUNC|UNIX_\w+|WEEK\w*|YEAR"
)


def _kinds() -> dict[int, list[str]]:
    names = sorted(name for name in FUNCTIONS if name.isidentifier())
    texts, numbers = set(_TEXTS_kinds.split()), set(_NUMBERS.split())
    kinds: dict[int, list[str]] = {509: [], 510: [], 511: [], 512: []}
    for name in names:
        is_of_times = _TIMES.fullmatch(name) is not None
        kinds[512 if is_of_times else 509 if name in numbers else 510 if name in texts else 511].append(name)
    return kinds


FUNCTION_KINDS: Mapping[int, list[str]] = _kinds()
"""The lists by their numbers in SqlInfo, each by name; 511 are those called system functions."""
