"""Identity columns: SQL of their numbers, and the mark up to which numbers are used."""

from __future__ import annotations

from urllib.parse import quote as percent_encoded

from deltasql.base.errors.column_values import (
    AlterIdentityError,
    ExplicitIdentityError,
    IdentityOverflowError,
    IdentityUpdateError,
    NoIdentityError,
)
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan import base
from deltasql.plan.base import ORDINAL, hidden_view, quote
from deltasql.planner import binding
from deltasql.planner.context import Context
from deltasql.schema.checks import Identity, identity_of, with_identities
from deltasql.schema.paths import resolve
from deltasql.schema.text import path_text, text_sql
from deltasql.schema.types import StructField, StructType
from deltasql.statements.nodes.columns import ColumnChange, Defaulted, Nullability, Retyped


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
        raise ExplicitIdentityError(quote(field.name))


def refuse_update(field: StructField | None) -> None:
    """Raises IdentityUpdateError for an identity column that is assigned."""
    if field is not None and identity_of(field) is not None:
        raise IdentityUpdateError(quote(field.name))


def refuse_change(field: StructField, change: ColumnChange) -> None:
    """Raises AlterIdentityError for a change that an identity column does not take."""
    if identity_of(field) is None:
        return
    for alteration in change.alterations:
        retyped = isinstance(alteration, Retyped) and alteration.type != field.type
        if retyped or isinstance(alteration, (Nullability, Defaulted)):
            raise AlterIdentityError(quote(field.name))


def synchronized(schema: StructType, path: tuple[str, ...], snapshot: Snapshot, context: Context) -> StructType:
    """SYNC IDENTITY: `schema` with a mark that covers every number in the table. Reads the column.

    Raises NoIdentityError, and IdentityOverflowError for a mark that would be no BIGINT.
    """
    resolved = resolve(schema, path, where=snapshot.table)
    identity = identity_of(resolved.field)
    if identity is None or len(resolved.path) > 1:
        raise NoIdentityError(path_text(resolved.path))
    scan = binding.scan(context, snapshot)
    if scan.files.num_rows == 0:
        return schema
    extreme = "max" if identity.step > 0 else "min"
    view = hidden_view()
    value = context.analyst.value(f"(SELECT {extreme}({quote(resolved.field.name)}) FROM {view})", {view: scan})
    covered = identity.covering(value)
    if not covered.in_range:
        raise IdentityOverflowError(path_text(resolved.path))
    return with_identities(schema, {resolved.field.name: covered})
