"""Where identity columns go on after a write: the highest numbers of its files, as the footers have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deltasql.engines.door import Runtime
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.planner.changes import RowChange
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.identity import Identity, identities, with_identities
from deltasql.schema.types import StructField, StructType

SCHEMA_UPDATE_TAG = "delta.identity.schemaUpdate"


def with_used_numbers(change: RowChange, adds: Sequence[AddFile], runtime: Runtime) -> RowChange:
    """`change` with metadata that tell up to which number its identity columns are used.

    Rows that are only copied count as well: their numbers were used before, so that the mark is right all the same.
    """
    fields = [field for field in change.metadata.schema if field.name in change.identities]
    # A file that only gets another deletion vector has no new row.
    adds = [add for add in adds if add.deletion_vector is None]
    if not fields or not adds:
        return change
    from deltasql.datafiles.statistics.of_footers import extremes

    bounds = extremes(runtime.stores, change.commit.log.location, StructType(tuple(fields)), adds)
    counters = identities(change.metadata.schema)
    marks = {
        field.name: counters[field.name].covering(_outermost(field, counters[field.name], bounds)) for field in fields
    }
    schema = with_identities(change.metadata.schema, marks)
    return change if schema == change.metadata.schema else _with_schema(change, schema)


def _with_schema(change: RowChange, schema: StructType) -> RowChange:
    """`change` with other marks of its identity columns."""
    metadata = replace(change.metadata, schema=schema)
    others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
    # Writers that do not change metadata themselves may go on top of a commit with this tag.
    tags = {SCHEMA_UPDATE_TAG: "true"} if not change.commit.actions else {}
    change = replace(change, metadata=metadata)
    return change.committing(actions=(*others, metadata), tags={**(change.commit.tags or {}), **tags})


def _outermost(
    field: StructField, identity: Identity, bounds: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> int | None:
    """The number that an identity column has come to in some files; `bounds` has lowest and highest values of each."""
    rises = identity.step > 0
    of_files = ((high if rises else low).get(physical_name(field)) for low, high in bounds)
    return (max if rises else min)((value for value in of_files if value is not None), default=None)
