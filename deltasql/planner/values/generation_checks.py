"""Checks of a generated column's expression at its declaration. Source: Delta's white list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.column_values import (
    GeneratedAggregateError,
    GeneratedExpressionError,
    GeneratedNotDeterministicError,
    GeneratedReferenceError,
    GeneratedTypeError,
)
from deltasql.plan.base import SqlText, quote
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import same_type
from deltasql.planner.values.defaults import types_of
from deltasql.planner.values.generated import generation_of
from deltasql.schema.text import sql_text
from deltasql.schema.types import StructField, StructType
from deltasql.sql.references import column_references, has_aggregate, has_subquery, is_deterministic
from deltasql.sql.tokens import Token, tokenize

_OF_THE_MOMENT = frozenset(
    {
        *("current_date", "curdate", "current_timestamp", "now", "localtimestamp", "current_user", "user"),
        *("session_user", "current_timezone", "current_catalog", "current_database", "current_schema"),
    }
)
_FUNCTIONS = frozenset(
    {
        *("abs", "coalesce", "greatest", "if", "iff", "isnan", "ifnull", "isnull", "isnotnull", "least", "nanvl"),
        *("nullif", "nvl", "nvl2", "case", "when", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh"),
        *("bin", "bround", "cbrt", "ceil", "ceiling", "cos", "cosh", "conv", "degrees", "e", "exp", "expm1"),
        *("floor", "factorial", "hex", "hypot", "log", "log10", "log1p", "log2", "ln", "mod", "negative", "pi"),
        *("pmod", "positive", "pow", "power", "radians", "rint", "round", "shiftleft", "shiftright"),
        *("shiftrightunsigned", "sign", "signum", "sin", "sinh", "str_to_map", "sqrt", "tan", "cot", "tanh", "div"),
        *("ascii", "char", "chr", "base64", "bit_length", "char_length", "character_length", "concat_ws", "decode"),
        *("elt", "encode", "find_in_set", "format_number", "format_string", "get_json_object", "initcap", "instr"),
        *("lcase", "length", "levenshtein", "like", "lower", "octet_length", "locate", "lpad", "ltrim"),
        *("json_tuple", "parse_url", "position", "charindex", "printf", "regexp_extract", "regexp_replace"),
        *("regexp_like", "repeat", "replace", "overlay", "rlike", "rpad", "rtrim", "sentences", "soundex", "space"),
        *("split", "substr", "substring", "left", "right", "substring_index", "translate", "trim", "ucase"),
        *("unbase64", "unhex", "upper", "xpath", "xpath_boolean", "xpath_double", "xpath_number", "xpath_float"),
        *("xpath_int", "xpath_long", "xpath_short", "xpath_string", "add_months", "datediff", "date_add"),
        *("dateadd", "date_format", "date_sub", "day", "dayofyear", "dayofmonth", "from_unixtime"),
        *("from_utc_timestamp", "hour", "last_day", "minute", "month", "months_between", "next_day", "quarter"),
        *("second", "timestampadd", "timestampdiff", "to_timestamp", "to_date", "date", "timestamp"),
        *("to_unix_timestamp", "to_utc_timestamp", "trunc", "date_trunc", "unix_timestamp", "dayofweek", "weekday"),
        *("weekofyear", "year", "make_date", "make_timestamp", "make_interval", "date_part", "datepart", "extract"),
        *("array", "array_contains", "arrays_overlap", "array_intersect", "array_join", "array_position"),
        *("array_sort", "array_except", "array_union", "map", "struct", "named_struct", "element_at"),
        *("map_from_arrays", "map_keys", "map_values", "map_entries", "map_from_entries", "map_concat", "size"),
        *("slice", "cardinality", "arrays_zip", "sort_array", "array_min", "array_max", "reverse", "concat"),
        *("flatten", "sequence", "array_repeat", "array_remove", "array_distinct", "transform", "map_filter"),
        *("filter", "exists", "forall", "aggregate", "reduce", "transform_values", "transform_keys"),
        *("map_zip_with", "zip_with", "assert_true", "crc32", "md5", "hash", "xxhash64", "sha", "sha1", "sha2"),
        *("typeof", "and", "or", "not", "in", "bit_count", "to_json", "from_json", "schema_of_json", "from_csv"),
        *("schema_of_csv", "to_csv", "cast", "int", "bigint", "smallint", "tinyint", "float", "double", "decimal"),
        *("string", "boolean", "binary", "then", "else", "between", "is", "as", "from", "interval", "ilike"),
        *("regexp", "distinct", "escape"),
    }
)
"""Functions, and keywords that may precede a bracket, in a generation expression."""


def check_generation(field: StructField, expression: SqlText, schema: StructType, context: Context) -> None:
    """Raises if `expression` must not generate `field` in a table of `schema`. Asks Spark for the type."""
    try:
        _check_text(quote(field.name), expression.text)
        _check_references(field, expression.text, schema)
        _check_type(field, expression.text, schema, context)
    except DeltaSqlError as error:
        # What Spark says has its place already, or none that could be told.
        raise error.at(context.caret(expression.start, expression.end)) from None


def _check_text(column: str, sql: str) -> None:
    if has_subquery(sql):
        raise GeneratedExpressionError(column, "A sub-query", sql, "It is computed from one row.")
    tokens = tokenize(sql)
    called = _called(tokens)
    if any(token.key == "OVER" for token in called):
        raise GeneratedExpressionError(column, "A window function", sql, "It is computed from one row.")
    if _is_of_the_moment(tokens) or not is_deterministic(sql):
        raise GeneratedNotDeterministicError(column, sql)
    if has_aggregate(sql):
        raise GeneratedAggregateError(column, sql)
    unknown = [token for token in called if token.is_name and token.name.lower() not in _FUNCTIONS]
    if unknown:
        advice = "Only built-in functions that every engine computes alike are allowed."
        raise GeneratedExpressionError(column, f"{unknown[0].text}()", sql, advice)


def _is_of_the_moment(tokens: Sequence[Token]) -> bool:
    return any(token.kind == "word" and token.name.lower() in _OF_THE_MOMENT for token in tokens)


def _called(tokens: Sequence[Token]) -> list[Token]:
    """The tokens followed by a bracket."""
    return [token for token, after in pairwise(tokens) if after.key == "("]


def _check_references(field: StructField, sql: str, schema: StructType) -> None:
    candidates = [quote(item.name) for item in schema if generation_of(item) is None]
    for reference in column_references(sql):
        referenced = schema.find(reference.parts[0])
        what = None
        if referenced is None:
            what = "no column of the table"
        elif generation_of(referenced) is not None:
            what = "the column itself" if referenced.name == field.name else "a generated column"
        if what is not None:
            name = ".".join(quote(part) for part in reference.parts)
            raise GeneratedReferenceError(quote(field.name), name, what, sql, candidates)


def _check_type(field: StructField, sql: str, schema: StructType, context: Context) -> None:
    (kind,) = types_of(schema, [sql], context)
    if not same_type(kind, field.type):
        raise GeneratedTypeError(quote(field.name), sql_text(field.type), sql_text(kind), sql)
