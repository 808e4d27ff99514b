"""Type widening: the changes that a statement may make, and those that dependent expressions forbid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deltasql.errors.column_values import GeneratedTypeMismatchError
from deltasql.errors.statements.constraints import ConstraintTypeMismatchError
from deltasql.log.configuration.iceberg_compat import compat_keys
from deltasql.log.properties.property_registry import TYPE_WIDENING
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import same_type
from deltasql.planner.values.generated import GENERATION
from deltasql.schema.paths import find_path, walk
from deltasql.schema.text import path_text, type_text
from deltasql.schema.type_lattice import Widening
from deltasql.schema.types import DataType, StructType
from deltasql.settings.session_settings import AUTOMATIC_WIDENING
from deltasql.sql.references import column_references


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
            raise ConstraintTypeMismatchError(column, before, after, name, expression, snapshot.table)
    for path, field in walk(old):
        for column, before, after in _retyped(str(field.metadata.get(GENERATION, "")), old, new):
            raise GeneratedTypeMismatchError(column, before, after, path_text(path), snapshot.table)


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
