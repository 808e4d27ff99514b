"""Generated columns: computed where a statement does not give them, checked where it does. Source: Delta protocol.

Type widening: the changes that a statement may make, and those that dependent expressions forbid.

Checks of a generated column's expression at its declaration. Source: Delta's white list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from deltasql.base import AUTOMATIC_WIDENING, DeltaSqlError, errors
from deltasql.log import TYPE_WIDENING, Snapshot, TableProperties, compat_keys
from deltasql.plan import Constraint, SqlText, quote
from deltasql.plan import base as marks
from deltasql.planner.alignment import padded, same_type
from deltasql.planner.context import Context
from deltasql.planner.defaults import types_of
from deltasql.schema import (
    DataType,
    StructField,
    StructType,
    Widening,
    declared_length,
    find_path,
    path_text,
    sql_text,
    type_text,
    walk,
)
from deltasql.sql import (
    Replacement,
    Token,
    Use,
    bare,
    closing,
    column_references,
    has_aggregate,
    has_subquery,
    is_deterministic,
    refers_to,
    splice,
    stored_refusal,
    tokenize,
)

GENERATION = "delta.generationExpression"


def generation_of(field: StructField) -> str | None:
    """The expression that a generated column is computed by; None for any other column."""
    expression = field.metadata.get(GENERATION)
    return None if expression is None else str(expression)


def generations(schema: StructType) -> dict[str, str]:
    """The expressions of the generated columns by name."""
    return {field.name: text for field in schema if (text := generation_of(field)) is not None}


def without_comments(expression: SqlText) -> SqlText:
    """`expression` without comments around it: one at its end would hide what follows it in SQL."""
    tokens = tokenize(expression.text)
    first, last = tokens[0], tokens[-1]
    return SqlText(expression.text[first.start : last.end], expression.start + first.start)


def base_columns(expression: str) -> frozenset[str]:
    """The columns, in lower case, that an expression is computed from."""
    return frozenset(reference.parts[0].lower() for reference in column_references(expression))


def stored_generation(field: StructField, schema: StructType) -> str:
    """SQL of the expression that a column of `schema` is computed by. Raises GeneratedExpressionError.

    A log may say anything there; what a statement may declare is in generation_checks.
    """
    expression = generation_of(field) or ""
    refused = stored_refusal(expression, Use.GENERATED, schema)
    if refused is None:
        return bare(expression)
    raise _unusable(field, refused.part, expression)


def _unusable(field: StructField, part: str, expression: str) -> errors.GeneratedExpressionError:
    advice = (
        "The table's log says so: nothing is written while the column is there. Drop it, or copy the other columns."
    )
    return errors.GeneratedExpressionError(quote(field.name), part, expression, advice)


def generated_sql(field: StructField, expression: str, values: Mapping[str, str]) -> str:
    """SQL of a generated column where `values` are SQL of the row's new values by column name.

    `expression` is its `stored_generation`. Raises GeneratedExpressionError for a name that is no column, which nobody
    has noticed in a text that cannot be parsed.
    """
    ends = {token.start: token.end for token in tokenize(expression)}
    folded = {name.lower(): sql for name, sql in values.items()}
    replacements = []
    for reference in column_references(expression):
        value = folded.get(reference.parts[0].lower())
        if value is None:
            raise _unusable(field, f"{reference.parts[0]}, which is no column of the table,", expression)
        replacements.append((reference.start, ends[reference.start], f"({value})"))
    return f"CAST({splice(expression, replacements).sql} AS {sql_text(field.type)})"


def recomputed(
    schema: StructType, assigned: Mapping[str, str], unchanged: Mapping[str, str], *, all_of_them: bool = False
) -> dict[str, str]:
    """SQL of the generated columns that change with the columns that are `assigned`, and are not assigned themselves.

    Of a new row that is `all_of_them`. `unchanged` are SQL of the values of all columns as they were. A value is
    written out once for each column that is computed from it, so that it must be the same each time: raises
    GeneratedFromRandomError.
    """
    generated = generations(schema)
    if not generated:
        return {}
    changed = {name.lower() for name in assigned}
    values = {}
    for name, expression in generated.items():
        base = base_columns(expression) & changed
        if name.lower() in changed or not (base or all_of_them):
            continue
        for column in (item for item in assigned if item.lower() in base):
            if not is_deterministic(assigned[column]):
                raise errors.GeneratedFromRandomError(quote(column), assigned[column], quote(name))
        field = schema.find(name)
        assert field is not None
        computed = with_padded_literals(stored_generation(field, schema), schema)
        values[name] = generated_sql(field, computed, {**unchanged, **assigned})
    return values


def generated_checks(schema: StructType, columns: Collection[str]) -> tuple[Constraint, ...]:
    """The constraints of the generated columns among those for which a statement gives values."""
    folded = {name.lower() for name in columns}
    return tuple(
        Constraint(
            f"{marks.GENERATED}{quote(field.name)}", f"{quote(field.name)} <=> ({stored_generation(field, schema)})"
        )
        for field in schema
        if generation_of(field) is not None and field.name.lower() in folded
    )


def refuse_base_change(path: tuple[str, ...], operation: str, schema: StructType, table: str) -> None:
    """Raises GeneratedDependentError if a generated column is computed from the column at `path`, or a part of it."""
    for name, expression in generations(schema).items():
        if refers_to(expression, path):
            raise errors.GeneratedDependentError(operation, path_text(path), quote(name), expression, table)


_COMPARES = frozenset({"=", "==", "<=>", "<", "<=", ">", ">=", "<>", "!="})
_BINDS_CLOSER = frozenset({"||", "+", "-", "*", "/", "%", "[", "::", "COLLATE", "."})


def with_padded_literals(expression: str, schema: StructType) -> str:
    """`expression` whose literals are as long as the CHAR column that they are compared with, by an operator or IN."""
    lengths = {
        field.name.lower(): length.length
        for field in schema
        if (length := declared_length(field)) is not None and length.kind == "char"
    }
    return splice(expression, _replacements(tokenize(expression), lengths)).sql if lengths else expression


def _replacements(tokens: Sequence[Token], lengths: dict[str, int]) -> Iterator[Replacement]:
    for index, token in enumerate(tokens):
        length = lengths.get(token.name.lower()) if token.is_name else None
        if length is None or _key(tokens, index - 1) == "." or _key(tokens, index + 1) in {".", "("}:
            continue
        for literal in _compared(tokens, index):
            yield literal.start, literal.end, padded(literal.text, length)


def _compared(tokens: Sequence[Token], column: int) -> Iterator[Token]:
    """The literals that the column at an index is compared with."""
    if _key(tokens, column + 1) in _COMPARES and _is_whole(tokens, column + 2):
        yield tokens[column + 2]
    if _key(tokens, column - 1) in _COMPARES and _is_whole(tokens, column - 2):
        yield tokens[column - 2]
    opening = column + (3 if _key(tokens, column + 1) == "NOT" else 2)
    if _key(tokens, opening - 1) == "IN" and _key(tokens, opening) == "(":
        inside = tokens[opening + 1 : closing(list(tokens), opening)]
        yield from (item for at, item in enumerate(inside) if _is_whole(inside, at))


def _is_whole(tokens: Sequence[Token], index: int) -> bool:
    """Whether a literal stands there that is no part of a longer operand."""
    is_literal = 0 <= index < len(tokens) and tokens[index].kind == "string"
    return is_literal and not {_key(tokens, index - 1), _key(tokens, index + 1)} & _BINDS_CLOSER


def _key(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].key if 0 <= index < len(tokens) else ""


def declared_widening(configuration: Mapping[str, str]) -> Widening:
    """Type widening allowed to ALTER TABLE. The commit refuses types that Iceberg cannot read, with its own error."""
    return Widening.ALWAYS if TableProperties(configuration)[TYPE_WIDENING] else Widening.NEVER


def automatic_widening(configuration: Mapping[str, str], context: Context) -> Widening:
    """Type widening allowed to schema evolution; with Iceberg compatibility only the changes that both formats have."""
    if not TableProperties(configuration)[TYPE_WIDENING]:
        return Widening.NEVER
    chosen = Widening(context.setting(AUTOMATIC_WIDENING))
    if chosen is Widening.NEVER or not compat_keys(configuration):
        return chosen
    return Widening.ICEBERG


def refuse_dependent_types(new: StructType, snapshot: Snapshot) -> None:
    """Raises ConstraintTypeMismatchError, GeneratedTypeMismatchError if evolution retypes a referenced column.

    The expression could then mean something else than when the existing rows were checked against it.
    """
    old = snapshot.schema
    if new is old:
        return
    for name, expression in snapshot.properties.constraints.items():
        for column, before, after in _retyped(expression, old, new):
            raise errors.ConstraintTypeMismatchError(column, before, after, name, expression, snapshot.table)
    for path, field in walk(old):
        for column, before, after in _retyped(str(field.metadata.get(GENERATION, "")), old, new):
            raise errors.GeneratedTypeMismatchError(column, before, after, path_text(path), snapshot.table)


def _retyped(expression: str, old: StructType, new: StructType) -> Iterator[tuple[str, str, str]]:
    """Columns of `expression` that have another type in `new`: path, type before and after."""
    if not expression:
        return
    for reference in column_references(expression):
        path = reference.parts
        before, after = _type_at(old, path), _type_at(new, path)
        if before is not None and after is not None and not same_type(before, after):
            yield path_text(path), type_text(before), type_text(after)


def _type_at(schema: StructType, path: tuple[str, ...]) -> DataType | None:
    resolved = find_path(schema, path)
    return None if resolved is None else resolved.field.type


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
        raise errors.GeneratedExpressionError(column, "A sub-query", sql, "It is computed from one row.")
    tokens = tokenize(sql)
    called = _called(tokens)
    if any(token.key == "OVER" for token in called):
        raise errors.GeneratedExpressionError(column, "A window function", sql, "It is computed from one row.")
    if _is_of_the_moment(tokens) or not is_deterministic(sql):
        raise errors.GeneratedNotDeterministicError(column, sql)
    if has_aggregate(sql):
        raise errors.GeneratedAggregateError(column, sql)
    unknown = [token for token in called if token.is_name and token.name.lower() not in _FUNCTIONS]
    if unknown:
        advice = "Only built-in functions that every engine computes alike are allowed."
        raise errors.GeneratedExpressionError(column, f"{unknown[0].text}()", sql, advice)


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
            raise errors.GeneratedReferenceError(quote(field.name), name, what, sql, candidates)


def _check_type(field: StructField, sql: str, schema: StructType, context: Context) -> None:
    (kind,) = types_of(schema, [sql], context)
    if not same_type(kind, field.type):
        raise errors.GeneratedTypeError(quote(field.name), sql_text(field.type), sql_text(kind), sql)
