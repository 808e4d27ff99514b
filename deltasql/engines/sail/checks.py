"""Checks of queries and rewrites for Sail where its results or its type checks would differ from Spark's.

Runtime checks are made by `guards.text_checks`. An engine that checks types itself gets the SQL text unchanged.

Sail lacks some type checks of Spark's analyser: conditions must be BOOLEAN, and casts must exist. The types come from
the engine's analyser, asked once per statement before any row is computed; `guards.exact_types` uses them, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from deltasql.base import GAP, DeltaSqlError, Token, TokenCursor, errors, tokenize
from deltasql.engines.sail.dialect.inlining import SailScope
from deltasql.engines.sail.dialect.order import (
    Branch,
    cast_branch,
    grouped_by_all,
    is_of_one_kind,
    may_sort_by_values,
    ordered_by_all,
    rows_selected,
    select_first,
    set_operations,
    sorted_by_columns,
    spark_names,
    stars_named,
    values_alike,
)
from deltasql.engines.sail.dialect.pipes import with_parts
from deltasql.engines.sail.guards.comparisons import has_approximate_parts
from deltasql.engines.sail.guards.exact_types import OperandRows, common_type, unlike_names
from deltasql.engines.sail.guards.guards import unsupported_condition
from deltasql.engines.sail.guards.text_checks import with_checks
from deltasql.engines.sail.texts import PossibleTypes, possible_types
from deltasql.engines.spark.failures import Failure, WriteContext, translated
from deltasql.engines.spark.session.local_rows import frame_schema
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan import Check, Operator, Project, Rewrite, base, children, hidden_names
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    is_integral,
    is_number,
    sql_text,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def rows_of_query(session: SparkSession) -> OperandRows:
    """Columns and expression types of query scopes (FROM clauses of queries and sub-queries), asked of a session."""

    @cache
    def columns(scope: SailScope) -> StructType:
        schema = _schema(lambda: session.sql(f"{scope.before}SELECT * {scope.relation}")) if scope.relation else None
        return unlike_names(schema or StructType())

    @cache
    def kind(scope: SailScope, text: str) -> DataType | None:
        schema = _schema(lambda: session.sql(f"{scope.before}SELECT {text} AS k {scope.relation}"))
        return schema.fields[0].type if schema is not None and scope.is_query else None

    return OperandRows(columns, kind)


def rows_of_frame(session: SparkSession, frame: DataFrame) -> OperandRows:
    """Columns of a DataFrame, and types of expressions over its rows; sub-queries in these as in `rows_of_query`."""
    query = rows_of_query(session)

    @cache
    def columns() -> StructType:
        return unlike_names(_schema(lambda: frame) or StructType())

    @cache
    def kind(text: str) -> DataType | None:
        schema = _schema(lambda: frame.selectExpr(f"({text}) AS k"))
        return None if schema is None else schema.fields[0].type

    return OperandRows(
        lambda scope: query.columns(scope) if scope.is_query else columns(),
        lambda scope, text: query.kind(scope, text) if scope.is_query else kind(text),
    )


def rows_of_tables(session: SparkSession, tables: Callable[[], list[tuple[str, StructType]]]) -> OperandRows:
    """Columns of the join of some (alias, schema) pairs, which are computed on first use; sub-queries as in
    `rows_of_query`. Expressions over the join have no types.
    """
    query = rows_of_query(session)

    @cache
    def columns() -> StructType:
        fields = tables()
        plain = unlike_names(StructType(tuple(field for _, columns in fields for field in columns)))
        named = (StructField(alias, columns) for alias, columns in fields if plain.find(alias) is None)
        return StructType((*plain, *named))

    return OperandRows(
        lambda scope: query.columns(scope) if scope.is_query else columns(),
        lambda scope, text: query.kind(scope, text) if scope.is_query else None,
    )


def _schema(make: Callable[[], DataFrame]) -> StructType | None:
    """The schema of a DataFrame; None where the engine rejects the text, or a column has an unsupported type."""
    from pyspark.errors import PySparkException

    try:
        return frame_schema(make())
    except (PySparkException, DeltaSqlError):
        return None


def parts_over(
    spark: SparkHandle, frame: DataFrame, scope: Sequence[tuple[Operator, str]], texts: Sequence[str]
) -> Sequence[str]:
    """Expressions over `frame`, the joined rows of a scope, with dotted paths into maps and arrays rewritten by
    `with_parts`.
    """
    if not possible_types(operator for operator, _ in scope).parts:
        return texts
    rows = rows_of_frame(spark.session, frame)
    return [with_parts(text, rows) for text in texts]


_QUERY = re.compile(rf"{GAP}*(?:\(|(?:select|with|values|table)\b)", re.IGNORECASE | re.DOTALL)
_NAMELESS = re.compile(r"\bis\s+(?:not\s+)?null\b|\bin\s*\(", re.IGNORECASE)


def checked_query(session: SparkSession, sql: str, *, ansi: bool, may: PossibleTypes, compared_only: bool) -> DataFrame:
    """The rows of a query with runtime checks that fail where Spark fails, under Spark's column names.

    Raises NotOnSailError, and Sail's errors for the unchanged text.
    """
    operand_rows = rows_of_query(session)
    sql = values_alike(rows_selected(select_first(sql)))
    sql = with_parts(sql, operand_rows) if may.parts else sql
    if _QUERY.match(sql):
        sql = stars_named(grouped_by_all(sql), partial(_columns, session))
        sql = ordered_by_all(sql, partial(_columns, session))
        sql = _sortable(session, sql) if may_sort_by_values(sql) else sql
    rows = session.sql(sql)
    if not _QUERY.match(sql):
        return rows
    alike = _branches_alike(session, sql)
    days, decimals = may.days, may.decimals
    try:
        safe = with_checks(
            alike, ansi=ansi, days=days, decimals=decimals, rows=operand_rows, compared_only=compared_only
        )
    except errors.NotOnSailError:
        # Sail's own error, such as for a wrong number of arguments, takes precedence.
        rows.schema  # noqa: B018 - Spark Connect looks only now
        raise
    if safe != sql:
        rows = _renamed(session, safe, spark_names(sql, rows.columns))
    elif _NAMELESS.search(sql):
        names = spark_names(sql, rows.columns)
        rows = rows if rows.columns == names else rows.toDF(*names)
    return rows


def _sortable(session: SparkSession, sql: str) -> str:
    """`sql` with the expressions of ORDER BY as columns, where Sail cannot resolve them otherwise."""
    from pyspark.errors import PySparkException

    try:
        turned = sorted_by_columns(sql, partial(_columns, session))
        if turned != sql:
            _columns(session, turned)
    except PySparkException:
        # Sail's error is to refer to the original text.
        return sql
    return turned


def _columns(session: SparkSession, sql: str) -> list[str]:
    return list(session.sql(sql).columns)


def _renamed(session: SparkSession, safe: str, names: list[str]) -> DataFrame:
    from pyspark.errors import PySparkException

    rows = session.sql(safe)
    try:
        columns = rows.columns
    except PySparkException as error:
        raise errors.NotOnSailError(what="an expression that cannot be checked for overflow and wrong types") from error
    return rows if columns == names else rows.toDF(*names)


def _branches_alike(session: SparkSession, sql: str) -> str:
    """`sql` with the branches of set operations cast to their common types in Spark.

    Raises NotOnSailError where these cannot be determined: Sail takes the types of the first branch.
    """
    for index in reversed(range(len(set_operations(sql)))):
        # A cast inserted inside an operation shifts the positions of those around it.
        sql = _cast_operation(session, sql, set_operations(sql)[index])
    return sql


def _cast_operation(session: SparkSession, sql: str, branches: Sequence[Branch]) -> str:
    schemas = _schemas(session, branches)
    columns = [[field.type for field in column] for column in zip(*schemas, strict=False)]
    _require_comparable(sql, branches, columns)
    if len(set(map(len, schemas))) != 1 or all(map(_is_one, columns)):
        return sql
    common = list(map(_common, columns))
    if not is_of_one_kind(sql, branches):
        raise _mixed(next(column for column in columns if not _is_one(column)))
    for branch, schema in reversed(list(zip(branches, schemas, strict=True))):
        kinds = [field.type for field in schema]
        if kinds != common:
            safe = cast_branch(sql[branch.start : branch.end], schema.names, _casts(kinds, common))
            sql = sql[: branch.start] + safe + sql[branch.end :]
    return sql


def _require_comparable(sql: str, branches: Sequence[Branch], columns: Sequence[Sequence[DataType]]) -> None:
    """Raises NotOnSailError where rows are compared, as UNION ALL does not, whose values have -0.0 beside 0.0."""
    between = [sql[first.end : second.start].upper() for first, second in pairwise(branches)]
    if all("UNION" in text and "ALL" in text for text in between):
        return
    if any(has_approximate_parts(kind) for column in columns for kind in column):
        raise errors.NotOnSailError(what="UNION, EXCEPT or INTERSECT of values with FLOAT or DOUBLE in them")


def _schemas(session: SparkSession, branches: Sequence[Branch]) -> list[StructType]:
    """The schema of each branch; empty where a branch is invalid, or uses names of the enclosing query."""
    from pyspark.errors import PySparkException

    try:
        return [frame_schema(session.sql(branch.query)) for branch in branches]
    except PySparkException:
        return []


def _casts(kinds: Sequence[DataType], target: Sequence[DataType]) -> list[str]:
    return ["" if kind == other else sql_text(other) for kind, other in zip(kinds, target, strict=True)]


def _common(kinds: Sequence[DataType]) -> DataType:
    """The type of a column of a set operation. Raises NotOnSailError where it cannot be determined."""
    kind = kinds[0] if _is_one(kinds) else common_type(kinds)
    if kind is None:
        raise _mixed(kinds)
    return kind


def _mixed(kinds: Sequence[DataType]) -> errors.NotOnSailError:
    types = " and ".join(sorted({sql_text(kind) for kind in kinds}))
    return errors.NotOnSailError(what=f"a set operation of {types}, of which the first is taken: cast them to one type")


def _is_one(kinds: Sequence[DataType]) -> bool:
    """Whether all types equal the first, where VOID (NULL) equals any type, also within arrays and maps."""
    return all(_is_within(kind, kinds[0]) for kind in kinds)


def _is_within(kind: DataType, wide: DataType) -> bool:
    match kind, wide:
        case ArrayType(), ArrayType():
            return _is_within(kind.element, wide.element)
        case MapType(), MapType():
            return _is_within(kind.key, wide.key) and _is_within(kind.value, wide.value)
        case StructType(), StructType():
            pairs = zip(kind, wide, strict=False)
            return kind.names == wide.names and all(_is_within(one.type, other.type) for one, other in pairs)
        case _:
            return kind in (wide, VOID)


Scope: TypeAlias = Sequence[tuple[Operator, str]]
Types: TypeAlias = Callable[[Scope, Sequence[str]], Sequence[DataType]]
"""The types of expressions over some rows, each under its alias."""

_LOOKED_UP = re.compile(rf"(?:(?:`(?:[^`]|``)*`|\w+)\.)?{hidden_names.LOOKUP}\b")


def check_rewrite(operator: Rewrite, types: Types, sql: str, write: WriteContext) -> None:
    """Raises Spark's error for an invalid condition or cast of UPDATE, DELETE or MERGE. Raises NotOnSailError, too."""
    join = operator.join
    conditions = [action.condition for action in operator.actions if action.condition]
    conditions += [join.on] if join is not None else []
    # Of our own, and no column of the source as it is here.
    conditions = [_LOOKED_UP.sub("FALSE", condition) for condition in conditions]
    _refuse(conditions)
    nothing = replace(operator.target, files=operator.target.files.slice(0, 0))
    scope: list[tuple[Operator, str]] = [(nothing, operator.target_alias)]
    scope += [(join.source, join.alias)] if join is not None else []
    values = [value for action in operator.actions for value in action.values]
    _check(scope, conditions, values, types, sql, write)


def check_write(operator: Operator, types: Types, sql: str, write: WriteContext) -> None:
    """Raises Spark's error for an invalid cast in the values of an INSERT, or an invalid REPLACE WHERE condition.

    Raises NotOnSailError, too.
    """
    if isinstance(operator, Project):
        values = [value for _, value in operator.columns]
        _check([(operator.child, "x")], [], values, types, sql, write)
    elif isinstance(operator, Check):
        conditions = [item.condition for item in operator.conditions if item.name == base.REPLACE_WHERE]
        _refuse(conditions)
        _check([(operator.child, "x")], conditions, [], types, sql, write)
    for child in children(operator):
        check_write(child, types, sql, write)


def check_casts(scope: Scope, expressions: Sequence[str], types: Types, sql: str) -> None:
    """Raises Spark's error for an invalid cast in expressions over the joined rows of `scope`."""
    _check(scope, [], expressions, types, sql, None)


def _refuse(conditions: Sequence[str]) -> None:
    for condition in conditions:
        if what := unsupported_condition(condition):
            raise errors.NotOnSailError(what=what)


def _check(
    scope: Scope, conditions: Sequence[str], values: Sequence[str], types: Types, sql: str, write: WriteContext | None
) -> None:
    casts = list(dict.fromkeys(cast for text in (*conditions, *values) for cast in casts_in(text)))
    expressions = [*conditions, *(part for inner, kind in casts for part in (inner, f"CAST(NULL AS {kind})"))]
    if not expressions:
        return
    kinds_found = types(scope, expressions)
    for condition, kind in zip(conditions, kinds_found, strict=False):
        if kind not in {BOOLEAN, VOID}:
            text = f'The condition "({condition})" is of type "{sql_text(kind)}", not BOOLEAN.'
            raise translated(Failure("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", text, {}), sql, None)
    kinds = kinds_found[len(conditions) :]
    for (inner, kind_name), source, target in zip(casts, kinds[::2], kinds[1::2], strict=True):
        if not has_cast(source, target):
            raise translated(_no_cast(inner, kind_name, source, target), sql, write)


def _no_cast(inner: str, kind: str, source: DataType, target: DataType) -> Failure:
    old, new = sql_text(source), sql_text(target)
    text = f'Cannot resolve "CAST({inner} AS {kind})" due to data type mismatch: cannot cast "{old}" to "{new}".'
    values = {"srcType": f'"{old}"', "targetType": f'"{new}"'}
    if is_integral(source) and target == DATE:
        values["functionNames"] = "`DATE_FROM_UNIX_DATE`"
        text += f'\nTo convert values from "{old}" to "{new}", you can use the functions `DATE_FROM_UNIX_DATE` instead.'
    return Failure("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09", text, values)


_GROUPS: dict[DataType, str] = {
    BOOLEAN: "boolean",
    DATE: "date",
    TIMESTAMP: "time",
    TIMESTAMP_NTZ: "plain time",
    BINARY: "binary",
}
_NO_CASTS = {
    "number": {"date", "plain time", "parts"},
    "boolean": {"date", "time", "plain time", "binary", "parts"},
    "date": {"number", "boolean", "binary", "parts"},
    "time": {"boolean", "binary", "parts"},
    "plain time": {"number", "boolean", "binary", "parts"},
    "binary": {"number", "boolean", "date", "time", "plain time", "parts"},
    "parts": {"number", "boolean", "date", "time", "plain time", "binary"},
    "text": {"parts"},
}
"""Groups of target types that a group of source types has no cast to, in ANSI mode. Source: Spark, ANSI compliance,
Cast.
"""


def has_cast(source: DataType, target: DataType) -> bool:
    """Whether Spark has a cast from `source` to `target`; True for any two nested types."""
    if source in {VOID, target}:
        return True
    return target != VOID and _group(target) not in _NO_CASTS.get(_group(source), ())


def _group(kind: DataType) -> str:
    if is_number(kind):
        return "number"
    if isinstance(kind, (ArrayType, MapType, StructType)):
        return "parts"
    return "text" if kind == STRING else _GROUPS.get(kind, "other")


def casts_in(expression: str) -> Iterator[tuple[str, str]]:
    """Operand and type of each CAST in an expression; none if it has a lambda, whose parameter may be the operand."""
    if "->" in expression or "cast" not in expression.lower():
        return
    tokens = tokenize(expression)
    for number, token in enumerate(tokens[:-1]):
        if token.key != "CAST" or tokens[number + 1].key != "(":
            continue
        group = TokenCursor(tokens[number + 1 :]).group()
        split = _last_as(group)
        if split is None or group[-1].key != ")":
            continue
        inner = expression[group[0].end : split.start].strip()
        if inner and inner.upper() != "NULL":
            yield inner, expression[split.end : group[-1].start].strip()


def refuse_stray(expressions: Sequence[str], kinds: Sequence[DataType], sql: str) -> None:
    """Raises Spark's syntax error for a stray word after an expression, which in brackets would pass as a field name.

    `kinds` are the types of the expressions.
    """
    for text, kind in zip(expressions, kinds, strict=True):
        tokens = tokenize(text)
        if not isinstance(kind, StructType) or len(kind) != 1 or len(tokens) < 2:
            continue
        before, last = tokens[-2], tokens[-1]
        is_operand = before.is_name or before.kind in {"string", "number"} or before.key in {")", "]"}
        if is_operand and kind.fields[0].name == last.name and last.kind in {"word", "quoted", "number"}:
            near = f"Syntax error at or near '{last.text}'."
            raise translated(Failure("PARSE_SYNTAX_ERROR", "42601", near, {}, (last.text,)), sql, None)


def _last_as(group: Sequence[Token]) -> Token | None:
    """The AS between operand and type in the bracketed tokens of a CAST; None if there is none."""
    depth, position = 0, None
    for item in group:
        depth += (item.key == "(") - (item.key == ")")
        if depth == 1 and item.key == "AS":
            position = item
    return position
