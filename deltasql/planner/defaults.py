"""DEFAULT: the value of a column that a statement does not give. Source: Spark, column default values.

The types of expressions over columns that may not exist yet: derived from the text, or by Spark's analyser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from deltasql.base import DeltaSqlError, errors
from deltasql.plan import NULL_ROW, SqlQuery, SqlText, hidden, quote
from deltasql.planner.context import Context
from deltasql.schema import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    STRING,
    TIMESTAMP,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    Length,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    can_widen,
    fits,
    is_integral,
    is_number,
    path_text,
    sql_text,
    without_collations,
)
from deltasql.sql import (
    Literal,
    Reason,
    Refusal,
    Token,
    TokenCursor,
    Use,
    bare,
    closing,
    column_references,
    derived_type,
    has_aggregate,
    has_subquery,
    is_deterministic,
    literal,
    parse_expression,
    refusal,
    splice,
    stored_refusal,
    tokenize,
)

CURRENT_DEFAULT = "CURRENT_DEFAULT"
_SOME_ROW = StructType((StructField(hidden("none"), INTEGER),))
_CAST_FAILURES = ("CAST_", "DATATYPE_MISMATCH", "NUMERIC_VALUE_OUT_OF_RANGE")
_FUNCTIONS = {
    "current_date": "date",
    "curdate": "date",
    "current_timestamp": "timestamp",
    "now": "timestamp",
    "localtimestamp": "timestamp_ntz",
    "current_user": "string",
    "user": "string",
    "session_user": "string",
    "current_timezone": "string",
}
"""Functions of no arguments whose type is known without Spark."""


def default_sql(field: StructField | None) -> str:
    """SQL of a column's default value, in brackets if it needs them: NULL where none is declared.

    Raises DefaultExpressionError for a text that may not run: a log may say anything there.
    """
    text = "" if field is None else str(field.metadata.get(CURRENT_DEFAULT) or "")
    return _stored(text, path_text((field.name,))) if field is not None and text.strip() else "NULL"


@cache
def _stored(text: str, column: str) -> str:
    refused = stored_refusal(text, Use.DEFAULT, StructType())
    if refused is not None:
        advice = f"Remove it: ALTER TABLE … ALTER COLUMN {column} DROP DEFAULT."
        raise errors.DefaultExpressionError(refused.part, column, text, advice)
    tokens = tokenize(text)
    is_call = len(tokens) == 3 and tokens[0].is_name and (tokens[1].key, tokens[2].key) == ("(", ")")
    is_signed = len(tokens) == 2 and tokens[0].key in {"-", "+"} and tokens[1].kind == "number"
    is_typed = len(tokens) == 2 and tokens[0].kind == "word" and tokens[1].kind == "string"
    return bare(text) if len(tokens) == 1 or is_call or is_signed or is_typed else f"({bare(text)})"


def checked_default(
    expression: SqlText, column: tuple[str, ...], kind: DataType, context: Context, length: Length | None = None
) -> str:
    """The default as the table stores it: the user's own text. `length` is that of CHAR(n) and VARCHAR(n).

    Raises DefaultExpressionError, DefaultSubqueryError, DefaultNotConstantError, DefaultNotDeterministicError,
    DefaultTypeError. Literals are checked here, for any other expression Spark is asked, which then starts.
    """
    caret = context.caret(expression.start, expression.start + len(expression.text))
    try:
        _check(expression.text, path_text(column), kind, context, length)
    except DeltaSqlError as error:
        raise error.at(caret) from None
    return expression.text


def _check(sql: str, column: str, kind: DataType, context: Context, length: Length | None) -> None:
    _check_shape(sql, column, context)
    if length is None and _is_stored_as_it_is(sql, kind):
        return
    names = [reference for reference in column_references(sql) if reference.parts[-1].lower() not in _FUNCTIONS]
    if names or has_aggregate(sql):
        raise errors.DefaultNotConstantError(column, sql)
    if not is_deterministic(sql):
        raise errors.DefaultNotDeterministicError(column, sql)
    _check_value(sql, column, kind, context, length)


def _check_shape(sql: str, column: str, context: Context) -> None:
    """Raises what forbids an expression as a default, whatever its type."""
    refused = refusal(sql, Use.DEFAULT)
    if has_subquery(sql) or (refused is not None and refused.reason is Reason.QUERY):
        raise errors.DefaultSubqueryError(column, sql)
    match refused:
        case None:
            return
        case Refusal(reason=Reason.AGGREGATE):
            raise errors.DefaultNotConstantError(column, sql)
        case Refusal(reason=Reason.RANDOM):
            raise errors.DefaultNotDeterministicError(column, sql)
        case Refusal(reason=Reason.FUNCTION):
            # That nobody knows it Spark says better.
            types_of(_SOME_ROW, [sql], context)
    raise errors.DefaultExpressionError(
        refused.part, column, sql, "It is computed by Spark's own functions, from constants."
    )


def _check_value(sql: str, column: str, kind: DataType, context: Context, length: Length | None) -> None:
    """Raises DefaultTypeError for a value that the column cannot hold. Asks Spark."""
    (found_kind,) = types_of(_SOME_ROW, [sql], context)
    if not may_default(found_kind, kind):
        reason = f"It is of type {sql_text(found_kind)}."
        raise errors.DefaultTypeError(column, sql_text(kind), sql, reason)
    try:
        # As text, since Python has no value for some moments.
        value = context.analyst.value(f"CAST(CAST(({sql}) AS {sql_text(kind)}) AS STRING)")
    except DeltaSqlError as error:
        if not error.condition.startswith(_CAST_FAILURES):
            raise
        raise errors.DefaultTypeError(column, sql_text(kind), sql, error.message) from error
    if length is not None and isinstance(value, str) and len(value.rstrip(" ")) > length.length:
        raise errors.DefaultTypeError(column, length.text.upper(), sql, f"It has {len(value)} characters.")


def _is_stored_as_it_is(sql: str, kind: DataType) -> bool:
    """Whether `sql` is a literal or a call that certainly gives a value of the type `kind`."""
    words = [token.key for token in tokenize(sql)]
    if isinstance(kind, PrimitiveType) and words[1:] in ([], ["(", ")"]):
        kinds = _FUNCTIONS.get(words[0].lower())
        if kinds is not None:
            return kinds == kind.name
    tree = parse_expression(sql)
    constant = None if tree is None else literal(tree, None)
    return constant is not None and _is_of(constant, without_collations(kind))


def _is_of(constant: Literal, kind: DataType) -> bool:
    """Whether a literal is a value of a type as it stands."""
    match kind:
        case PrimitiveType() if constant.kind == "number" and is_integral(kind):
            return constant.value == int(constant.value) and fits(int(constant.value), kind)
        case PrimitiveType("float" | "double"):
            return constant.kind in {"number", "double", "null"}
        case PrimitiveType("boolean"):
            return constant.kind in {"bool", "null"}
        case PrimitiveType("string" | "date" | "timestamp" | "timestamp_ntz" as name):
            return constant.kind in {name, "null"}
        case DecimalType(precision, scale):
            return constant.kind == "number" and abs(constant.value) < 10 ** (precision - scale)  # type: ignore[arg-type]
    return constant.kind == "null"


@dataclass(frozen=True, slots=True)
class DefaultKeyword:
    """The keyword DEFAULT in place of a value: offsets in the query, and the number of the query's column, from 0."""

    start: int
    end: int
    column: int


def default_keywords(query: str) -> tuple[list[DefaultKeyword], int]:
    """Each DEFAULT that stands alone in a row of VALUES or in the select list of a plain SELECT, and the rows."""
    if "default" not in query.lower():
        return [], 0
    at = TokenCursor(tokenize(query))
    while at.take("("):
        pass
    if at.key != "VALUES":
        return list(_in_items(at, len(at.tokens))), 1
    # VALUES has its columns in brackets: (a, b), (c, d); VALUES 1, 2 are rows of one column each.
    keywords, rows = list[DefaultKeyword](), 0
    while at.left:
        if at.take("("):
            rows += 1
            keywords += _in_items(at, closing(at.tokens, at.at - 1))
        elif _stands_alone(at):
            keywords.append(_keyword(at.next(), 0))
        else:
            at.at += 1
    return keywords, rows


def _in_items(at: TokenCursor, end: int) -> Iterator[DefaultKeyword]:
    """The keywords that are items of a list, which goes on up to token `end`."""
    column = 0
    while at.at < end and at.key != "FROM":
        if _stands_alone(at):
            yield _keyword(at.next(), column)
        elif at.take(","):
            column += 1
        elif at.take("SELECT"):
            # Commas before it divide the CTEs.
            column = 0
        else:
            at.group()


def _stands_alone(at: TokenCursor) -> bool:
    before, after = at.peek(-1), at.peek(1)
    return at.key == "DEFAULT" and before in {"(", ",", "SELECT", "VALUES"} and after in {")", ",", "", "FROM"}


def _keyword(token: Token, column: int) -> DefaultKeyword:
    return DefaultKeyword(token.start, token.end, column)


def replace_defaults(query: str, fields: Sequence[StructField | None]) -> str:
    """The query of an INSERT with each keyword DEFAULT replaced by what it means for the field of its column."""
    keywords, _ = default_keywords(query)
    if not keywords:
        return query

    sql = [default_sql(fields[item.column] if item.column < len(fields) else None) for item in keywords]
    return splice(query, [(item.start, item.end, text) for item, text in zip(keywords, sql, strict=True)]).sql


def may_default(default_type: DataType, column: DataType) -> bool:
    """Whether a constant of the type `default_type` may be the default of a column, if its value fits.

    Numbers, texts and times are cast as in an INSERT. Truth values, arrays, maps and structs only widen: 'true' and 1
    are none of TRUE.
    """
    plain = not any(isinstance(kind, (ArrayType, MapType, StructType)) for kind in (default_type, column))
    return _widens(default_type, column) or (plain and BOOLEAN not in (default_type, column))


def _widens(default_type: DataType, column: DataType) -> bool:
    default_type, column = without_collations(default_type), without_collations(column)
    if default_type in (column, VOID):
        return True
    match default_type, column:
        case ArrayType(old), ArrayType(new):
            return _widens(old, new)
        case MapType(old_key, old), MapType(new_key, new):
            return _widens(old_key, new_key) and _widens(old, new)
        case StructType(old_fields), StructType(new_fields):
            pairs = zip(old_fields, new_fields, strict=False)
            return len(old_fields) == len(new_fields) and all(_widens(old.type, new.type) for old, new in pairs)
        case (ArrayType() | MapType() | StructType(), _) | (_, ArrayType() | MapType() | StructType()):
            return False
    return column == STRING or (default_type, column) == (DATE, TIMESTAMP) or _number_widens(default_type, column)


def _number_widens(default_type: DataType, column: DataType) -> bool:
    if column in (FLOAT, DOUBLE) and is_integral(default_type):
        return True
    return (default_type, column) == (FLOAT, DOUBLE) or (
        is_number(default_type) and is_number(column) and can_widen(default_type, column)
    )


def types_of(schema: StructType, expressions: list[str], context: Context) -> list[DataType]:
    """The types of expressions over a row of `schema`. Spark analyses, and starts for, those that cannot be derived.

    Raises what Spark says against an expression.
    """
    derived = [derived_type(sql, schema) for sql in expressions]
    kinds = [kind for kind in derived if kind is not None]
    return kinds if len(kinds) == len(derived) else context.analyst.types([(null_row(schema), NULL_ROW)], expressions)


def null_row(schema: StructType) -> SqlQuery:
    """One row with NULL in each column of `schema`."""
    nulls = ", ".join(f"CAST(NULL AS {sql_text(field.type)}) AS {quote(field.name)}" for field in schema)
    return SqlQuery(f"SELECT {nulls}", {}, "columns")
