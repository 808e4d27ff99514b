"""Columns with computed values: DEFAULT, generated columns, and the type changes that expressions on columns forbid.

A DEFAULT is the value of a column that a statement does not give. Source: Spark, column default values. A generated
column is computed where a statement does not give it, and checked where it does. Source: Delta protocol. The expression
is checked at its declaration. Source: Delta's white list.

The types of expressions, also over columns that do not exist yet, are derived from the text, or by Spark's analyser.
Type widening is refused where expressions depend on the old type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from deltasql.base import DeltaSqlError, Token, TokenCursor, closing, errors, session_settings, tokenize
from deltasql.log import Snapshot, TableProperties, compat_keys, table_properties
from deltasql.plan import Constraint, SqlQuery, SqlText, hidden, hidden_names
from deltasql.plan import base as marks
from deltasql.planner.alignment import padded, same_type
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
    Widening,
    can_widen,
    declared_length,
    find_path,
    fits,
    has_shapes,
    is_integral,
    is_number,
    path_text,
    sql_text,
    type_text,
    walk,
    without_collations,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    Literal,
    Reason,
    Refusal,
    Replacement,
    Use,
    bare,
    column_references,
    current_names,
    derived_type,
    has_aggregate,
    has_subquery,
    is_deterministic,
    literal,
    parse_expression,
    refers_to,
    refusal,
    splice,
    stored_refusal,
    translated,
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


def default_sql(field: StructField | None, context: Context | None = None) -> str:
    """SQL of a column's default value, in brackets if it needs them: NULL where none is declared.

    With a `context`, calls that tell of the session are literals. Raises DefaultExpressionError for a text that may not
    run: a log may say anything there.
    """
    text = "" if field is None else str(field.metadata.get(CURRENT_DEFAULT) or "")
    if field is None or not text.strip():
        return "NULL"
    sql = _stored(text, path_text((field.name,)))
    return sql if context is None else splice(sql, current_names(sql, context.current, context.identity)).sql


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
    if has_shapes(kind):
        raise errors.DefaultTypeError(column, sql_text(kind), sql, "Where shapes are stored, it can be NULL only.")
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
        value = context.analyst.value(f"CAST(CAST(({translated(sql)}) AS {sql_text(kind)}) AS STRING)")
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
    at = TokenCursor(query)
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
    return (
        kinds
        if len(kinds) == len(derived)
        else context.analyst.types([(null_row(schema), hidden_names.NULL_ROW)], list(map(translated, expressions)))
    )


def null_row(schema: StructType) -> SqlQuery:
    """One row with NULL in each column of `schema`."""
    nulls = ", ".join(f"CAST(NULL AS {sql_text(field.type)}) AS {quote(field.name)}" for field in schema)
    return SqlQuery(f"SELECT {nulls}", {}, "columns")


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
    tokens = expression.tokens
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
        for written in _compared(tokens, index):
            yield written.start, written.end, padded(written.text, length)


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
    return Widening.ALWAYS if TableProperties(configuration)[table_properties.TYPE_WIDENING] else Widening.NEVER


def automatic_widening(configuration: Mapping[str, str], context: Context) -> Widening:
    """Type widening allowed to schema evolution; with Iceberg compatibility only the changes that both formats have."""
    if not TableProperties(configuration)[table_properties.TYPE_WIDENING]:
        return Widening.NEVER
    chosen = Widening(context.setting(session_settings.AUTOMATIC_WIDENING))
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
_GENERATED_FUNCTIONS = frozenset(
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
    if has_shapes(field.type):
        advice = "Its values could not be checked: shapes are not compared."
        error = errors.GeneratedExpressionError(quote(field.name), sql_text(field.type), expression.text, advice)
        raise error.at(context.caret(expression.start, expression.end))
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
    unknown = [token for token in called if token.is_name and token.name.lower() not in _GENERATED_FUNCTIONS]
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
