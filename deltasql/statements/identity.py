"""Identity columns: SQL of their numbers, and the mark up to which numbers are used.

Columns as CREATE TABLE and ALTER TABLE declare them → fields of a schema.

The columns of a view that is to come: those of its query, under the names that were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote as percent_encoded

from deltasql.base import TIME_ZONE, DeltaSqlError, errors
from deltasql.log import Snapshot
from deltasql.plan import ORDINAL, SqlText, base, hidden_view, quote
from deltasql.planner import (
    CURRENT_DEFAULT,
    GENERATION,
    Context,
    binding,
    check_generation,
    checked_default,
    without_comments,
)
from deltasql.schema import (
    LONG,
    TYPE_KEY,
    Identity,
    StructField,
    StructType,
    declared_as,
    folded,
    has_lengths,
    identity_of,
    length_of,
    parsed_type,
    path_text,
    plain_field,
    resolve,
    sql_text,
    text_sql,
    with_identities,
)
from deltasql.sql import derived_columns
from deltasql.statements.constraints import KeyConstraint
from deltasql.statements.table import ColumnDefinition, CreateTable


def identity_sql(field: StructField, identity: Identity, ordinal: str = ORDINAL) -> str:
    """SQL of a new row's number; `ordinal` is SQL of the row's own number, from 0."""
    report = text_sql(f"{base.IDENTITY_OVERFLOW}{percent_encoded(field.name)}|")
    overflow = f"CAST(raise_error({report}) AS BIGINT)"
    if identity.left == 0:
        return overflow
    # Every session computes within bounds, so that spark.sql.ansi.enabled does not matter.
    value = f"{identity.next_value}L + {identity.step}L * {ordinal}"
    return f"CASE WHEN {ordinal} < {min(identity.left, 2**63 - 1)}L THEN {value} ELSE {overflow} END"


def refuse_explicit(field: StructField) -> None:
    """Raises ExplicitIdentityError if rows cannot bring their own values for the column."""
    identity = identity_of(field)
    if identity is not None and not identity.allow_explicit:
        raise errors.ExplicitIdentityError(quote(field.name))


def refuse_update(field: StructField | None) -> None:
    """Raises IdentityUpdateError for an identity column that is assigned."""
    if field is not None and identity_of(field) is not None:
        raise errors.IdentityUpdateError(quote(field.name))


def synchronized(schema: StructType, path: tuple[str, ...], snapshot: Snapshot, context: Context) -> StructType:
    """SYNC IDENTITY: `schema` with a mark that covers every number in the table. Reads the column.

    Raises NoIdentityError, and IdentityOverflowError for a mark that would be no BIGINT.
    """
    resolved = resolve(schema, path, where=snapshot.table)
    identity = identity_of(resolved.field)
    if identity is None or len(resolved.path) > 1:
        raise errors.NoIdentityError(path_text(resolved.path))
    scan = binding.scan(context, snapshot)
    if scan.files.num_rows == 0:
        return schema
    extreme = "max" if identity.step > 0 else "min"
    view = hidden_view()
    value = context.analyst.value(f"(SELECT {extreme}({quote(resolved.field.name)}) FROM {view})", {view: scan})
    covered = identity.covering(value)
    if not covered.in_range:
        raise errors.IdentityOverflowError(path_text(resolved.path))
    return with_identities(schema, {resolved.field.name: covered})


def declared_schema(statement: CreateTable, context: Context) -> StructType:
    """The columns of the list, and those that PARTITIONED BY declares with a type.

    Primary key columns are NOT NULL implicitly.
    """
    fields = [declared_field(column, context) for column in statement.columns or ()]
    fields += [
        plain_field(StructField(column.name, column.type, metadata=comment_metadata(column.comment)))
        for column in statement.partitioned_by
        if column.type is not None
    ]
    schema = _with_primary_key(fields, declared_keys(statement))
    for definition in statement.columns or ():
        field = schema.find(definition.name)
        if definition.generated is not None and field is not None:
            check_generation(field, without_comments(definition.generated), schema, context)
    return schema


def _with_primary_key(fields: Sequence[StructField], keys: Sequence[KeyConstraint]) -> StructType:
    never_null = {folded(column.parts) for key in keys if key.references is None for column in key.columns}
    return StructType(
        tuple(replace(field, nullable=False) if folded((field.name,)) in never_null else field for field in fields)
    )


def declared_keys(statement: CreateTable) -> tuple[KeyConstraint, ...]:
    """The primary and foreign keys of the list and of its columns."""
    return tuple(item for item in statement.constraints if isinstance(item, KeyConstraint))


def declared_field(column: ColumnDefinition, context: Context) -> StructField:
    """The field that a column of a CREATE TABLE or REPLACE COLUMNS list declares.

    Raises what `_check_clauses` and `checked_default` raise.
    """
    try:
        _check_clauses(column)
    except DeltaSqlError as error:
        raise error.at(context.caret(column.start, column.end)) from None
    metadata = dict(field_metadata(column.type_text, column.comment))
    if column.identity is not None:
        metadata |= Identity(column.identity.start, column.identity.step, not column.identity.always).metadata()
    if column.generated is not None:
        metadata[GENERATION] = without_comments(column.generated).text
    if column.default is not None:
        metadata[CURRENT_DEFAULT] = checked_default(
            column.default, (column.name,), column.type, context, length_of(declared_as(column.type, column.type_text))
        )
    return StructField(column.name, column.type, column.nullable, MappingProxyType(metadata))


def _check_clauses(column: ColumnDefinition) -> None:
    """Raises the error of clauses of a column that exclude each other or its type."""
    name = quote(column.name)
    if column.default is not None and column.generated is not None:
        raise errors.GeneratedWithDefaultError(name)
    if column.identity is None:
        return
    if column.default is not None:
        raise errors.IdentityWithDefaultError(name)
    if column.generated is not None:
        raise errors.IdentityWithExpressionError(name)
    if column.type != LONG:
        raise errors.IdentityTypeError(name, sql_text(column.type))
    if column.identity.step == 0:
        raise errors.IdentityStepError(name)
    for number in (column.identity.start, column.identity.step):
        if not -(2**63) <= number < 2**63:
            raise errors.IdentityRangeError(name, number)


def field_metadata(type_text: str, comment: str | None) -> MappingProxyType[str, Any]:
    """The metadata of a declared column: its comment, and its type text if that has CHAR(n) or VARCHAR(n)."""
    metadata: dict[str, Any] = {}
    if comment is not None:
        metadata["comment"] = comment
    declared = parsed_type(type_text)
    if declared is not None and has_lengths(declared):
        metadata[TYPE_KEY] = type_text
    return MappingProxyType(metadata)


def comment_metadata(comment: str | None) -> MappingProxyType[str, Any]:
    """The metadata of a field that has a comment (or None) and nothing else."""
    return MappingProxyType({} if comment is None else {"comment": comment})


def refuse_value_clauses(columns: Sequence[ColumnDefinition], context: Context) -> None:
    """Raises ColumnClauseError for a column of REPLACE COLUMNS with a clause that defines its values."""
    for column in columns:
        for present, clause, advice in (
            (column.default, "DEFAULT", f"Leave it out, then run: ALTER COLUMN {quote(column.name)} SET DEFAULT …."),
            (column.generated, "GENERATED ALWAYS AS", "Only CREATE TABLE makes generated columns."),
            (column.identity, "AS IDENTITY", "Only CREATE TABLE makes identity columns."),
            (column.constraints or None, "CONSTRAINT", "Leave it out, then run: ALTER TABLE … ADD CONSTRAINT …."),
            (column.mask, "MASK", f"Leave it out, then run: ALTER COLUMN {quote(column.name)} SET MASK …."),
        ):
            if present is not None:
                error = errors.ColumnClauseError(clause, quote(column.name), "REPLACE COLUMNS", advice)
                raise error.at(context.caret(column.start, column.end))


def query_columns(query: SqlText, context: Context) -> StructType:
    """The columns of a view's query. Raises what is wrong with the query."""
    bound = binding.query(context, query)
    # The time zone changes no type.
    plain = context.analyst.is_plain and set(context.meaning) <= {TIME_ZONE.name}
    derived = derived_columns(query.text, bound)
    if derived is not None and plain:
        return derived
    schema = context.analyst.schema(bound)
    if derived is None or derived.names != schema.names:
        return schema
    # Spark does not tell the comments of a table's columns.
    commented = zip(schema, derived, strict=True)
    return StructType(
        tuple(replace(field, metadata={**field.metadata, **column.metadata}) for field, column in commented)
    )
