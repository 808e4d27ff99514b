"""The columns of an INSERT: which one takes which value of the query, by position, by list or by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.insert import (
    DuplicateInsertColumnError,
    MissingNotNullColumnError,
    MixedDefaultsError,
    StaticPartitionInListError,
    TooFewInsertColumnsError,
    TooManyInsertColumnsError,
    UnknownInsertColumnError,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import ORDINAL, quote
from deltasql.plan.operators import Number, Operator, Project
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import Alignment, StructRule, store_casts, stored
from deltasql.planner.values.defaults import DefaultKeyword, default_sql
from deltasql.planner.values.generated import (
    automatic_widening,
    generated_sql,
    generation_of,
    refuse_dependent_types,
    stored_generation,
)
from deltasql.schema.checks import identity_of
from deltasql.schema.evolution import MergeMode, merge_schemas
from deltasql.schema.paths import suggestion
from deltasql.schema.text import declared_texts
from deltasql.schema.types import DataType, StructField, StructType
from deltasql.statements.identity import identity_sql, refuse_explicit
from deltasql.statements.nodes.insert import Insert


@dataclass(frozen=True, slots=True)
class QueryColumn:
    """A column of the query: its name there, the name it has in SQL of ours, and its type."""

    name: str
    sql: str
    type: DataType


Match: TypeAlias = tuple[StructField | None, QueryColumn]
"""The table's column that takes a column of the query; None: the table gets a new one."""


def written_fields(statement: Insert, schema: StructType, static: dict[str, str]) -> list[StructField | None]:
    """The table's columns in the order of the query's, as far as the statement itself tells."""
    if statement.columns is not None:
        return [schema.find(path.parts[-1]) for path in statement.columns]
    return [field for field in schema if field.name not in static]


def matched_columns(
    statement: Insert,
    context: Context,
    schema: StructType,
    columns_of_query: list[QueryColumn],
    static: set[str],
    evolution: bool,
) -> list[Match]:
    """Each column of the query with the table's column that takes it, or None for a new one."""
    if statement.columns is not None:
        return _by_list(statement, context, schema, columns_of_query, evolution)
    if statement.by_name:
        return _by_name(statement, schema, columns_of_query, evolution)
    fields = [field for field in schema if field.name not in static]
    columns = tuple(field.name for field in fields)
    if len(columns_of_query) < len(fields):
        raise TooFewInsertColumnsError(
            table=str(statement.table), expected=len(fields), columns=columns, given=len(columns_of_query)
        )
    extra = columns_of_query[len(fields) :]
    if extra and not evolution:
        raise TooManyInsertColumnsError(
            table=str(statement.table), expected=len(fields), columns=columns, given=len(columns_of_query)
        )
    return [*zip(fields, columns_of_query[: len(fields)], strict=True), *((None, item) for item in extra)]


def _by_list(
    statement: Insert, context: Context, schema: StructType, columns_of_query: list[QueryColumn], evolution: bool
) -> list[Match]:
    assert statement.columns is not None
    names = tuple(str(path) for path in statement.columns)
    if len(names) != len(columns_of_query):
        kind = TooFewInsertColumnsError if len(columns_of_query) < len(names) else TooManyInsertColumnsError
        error = kind(table=str(statement.table), expected=len(names), columns=names, given=len(columns_of_query))
        raise error.at(context.caret(statement.columns[0].start, statement.columns[-1].end))
    seen: set[str] = set()
    matched: list[Match] = []
    for path, item in zip(statement.columns, columns_of_query, strict=True):
        field = schema.find(path.parts[-1]) if len(path.parts) == 1 else None
        caret = context.caret(path.start, path.end)
        if path.parts[-1].lower() in seen:
            raise DuplicateInsertColumnError(column=str(path)).at(caret)
        if field is None and not (evolution and len(path.parts) == 1):
            raise _unknown(str(path), statement, schema).at(caret)
        seen.add(path.parts[-1].lower())
        matched.append((field, item if field else QueryColumn(path.parts[-1], item.sql, item.type)))
    return matched


def _by_name(
    statement: Insert, schema: StructType, columns_of_query: list[QueryColumn], evolution: bool
) -> list[Match]:
    """As in Delta, letter case is ignored, independent of the session's setting."""
    for item in columns_of_query:
        if schema.find(item.name, case_sensitive=False) is None and not evolution:
            raise _unknown(quote(item.name), statement, schema)
    return [(schema.find(item.name, case_sensitive=False), item) for item in columns_of_query]


def refuse_twice(matched: Sequence[Match], statement: Insert, context: Context, static: set[str]) -> None:
    """Raises StaticPartitionInListError, DuplicateInsertColumnError for a column that would get two values."""
    fixed = {name.lower() for name in static}
    seen: set[str] = set()
    for field, item in matched:
        name = field.name if field else item.name
        path = next((path for path in statement.columns or () if path.parts[-1].lower() == name.lower()), None)
        caret = context.caret(path.start, path.end) if path else None
        if name.lower() in fixed:
            raise StaticPartitionInListError(column=quote(name)).at(caret)
        if name.lower() in seen:
            raise DuplicateInsertColumnError(quote(name), _twice(statement)).at(caret)
        seen.add(name.lower())


def _twice(statement: Insert) -> str:
    """Why a column would get two values of a query without a column list."""
    if statement.by_name:
        return "stands twice in the query of INSERT BY NAME"
    return (
        "would get two values: one by position, and one of a query's column that has its name and would be added. "
        "Write INSERT … BY NAME, or call that column something else"
    )


def _unknown(column: str, statement: Insert, schema: StructType) -> UnknownInsertColumnError:
    advice = f"{suggestion(column, schema.names)} To add {column}: INSERT WITH SCHEMA EVOLUTION INTO …."
    return UnknownInsertColumnError(column=column, table=str(statement.table), columns=schema.names, advice=advice)


def evolved_schema(snapshot: Snapshot, matched: Sequence[Match], context: Context) -> StructType:
    """The table's columns, as wide as the query's where it may widen types, and those that it lacks, at the end.

    Raises ConstraintTypeMismatchError, GeneratedTypeMismatchError.
    """
    data = StructType(tuple(StructField(field.name if field else item.name, item.type) for field, item in matched))
    # Atomic types that differ are cast to the table's, so that only new fields are left to merge.
    widening = automatic_widening(snapshot.configuration, context)
    new = merge_schemas(snapshot.schema, data, mode=MergeMode.IMPLICIT_CAST, widening=widening)
    refuse_dependent_types(new, snapshot)
    return new


def struct_rule(statement: Insert, evolution: bool) -> StructRule:
    """How the fields of the query's structs find those of the table's.

    Schemas evolve by name, so that values must go by name as well.
    """
    if evolution:
        return StructRule.BY_NAME_LENIENT
    return StructRule.BY_NAME if statement.by_name else StructRule.BY_NAME_OR_POSITION


def column_values(
    statement: Insert,
    context: Context,
    schema: StructType,
    matched: Sequence[Match],
    static: dict[str, str],
    rule: StructRule,
    partitions: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    """One SQL text per column of the table; those that are generated from others and not given are left out.

    Raises MissingNotNullColumnError for a column that nothing fills.
    """
    align = Alignment(rule, str(statement.table), store_casts(context), "INSERT")
    sources = {(field.name if field else item.name).lower(): item for field, item in matched}
    columns = []
    for field in schema:
        item = sources.get(field.name.lower())
        if field.name in static:
            value = align.cast(static[field.name], field.type, quote(field.name))
        elif item is not None:
            value = align.value(item.sql, item.type, field.type, field.name)
        elif (identity := identity_of(field)) is not None:
            value = identity_sql(field, identity)
        elif generation_of(field) is not None:
            continue
        else:
            value = align.cast(default_sql(field), field.type, quote(field.name))
            if not field.nullable and default_sql(field) == "NULL":
                raise MissingNotNullColumnError(column=quote(field.name), table=str(statement.table))
        columns.append((field.name, stored(field, value, partitions)))
    return tuple(columns)


def table_rows(
    rows: Operator, columns: Sequence[tuple[str, str]], schema: StructType, *, few: bool, carried: Sequence[str] = ()
) -> Operator:
    """The query's rows with all columns of the table: those of `column_values`, and what is generated from them.

    `few` says that the rows are the statement's own. Columns of the query that are `carried` stay beside them.
    """
    written = {name for name, _ in columns}
    if any(ORDINAL in sql for _, sql in columns):
        rows = Number(rows, single=few)
    declared = declared_texts(schema)
    beside = tuple((name, name) for name in carried)
    projected = Project(rows, (*columns, *beside), declared)
    if len(written) == len(schema):
        return projected
    # In a projection of their own, so that each value that they are computed from is computed once.
    names = {name: quote(name) for name in written}
    computed = {
        field.name: generated_sql(field, stored_generation(field, schema), names)
        for field in schema
        if field.name not in written and generation_of(field) is not None
    }
    values = {**names, **computed}
    return Project(projected, (*((field.name, values[field.name]) for field in schema), *beside), declared)


def left_to_the_table(
    keywords: Sequence[DefaultKeyword], rows: int, fields: Sequence[StructField | None]
) -> frozenset[int]:
    """The columns of a query, by number, that say DEFAULT for numbers of an identity or for generated values.

    They count as not given. Raises MixedDefaultsError where only some of the rows say so.
    """
    counts = Counter(item.column for item in keywords)
    defaulted = {
        column
        for column in counts
        if column < len(fields) and (field := fields[column]) is not None and _is_generated(field)
    }
    for column in defaulted:
        if counts[column] != rows:
            field = fields[column]
            assert field is not None
            refuse_explicit(field)
            raise MixedDefaultsError(quote(field.name))
    return frozenset(defaulted)


def _is_generated(field: StructField) -> bool:
    return identity_of(field) is not None or generation_of(field) is not None


def refuse_explicit_identities(matched: Sequence[Match], statement: Insert, context: Context) -> None:
    """Raises ExplicitIdentityError for values of a column that takes none."""
    for field, _ in matched:
        if field is None:
            continue
        path = next((path for path in statement.columns or () if path.parts[-1].lower() == field.name.lower()), None)
        try:
            refuse_explicit(field)
        except DeltaSqlError as error:
            raise error.at(context.caret(path.start, path.end) if path else None) from None
