"""Where identity columns go on after a write: the highest numbers of its files, as the footers have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.planner.changes import RowChange
from deltasql.runtime import Runtime
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.identity import identities, with_identities
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from deltasql.schema.types import StructField

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
    found = runtime.extremes(change.commit.log.location, StructType(tuple(fields)), adds)
    known = identities(change.metadata.schema)
    marks = {}
    for field in fields:
        identity = known[field.name]
        values = [value for low, high in found if (value := _of(field, high if identity.step > 0 else low)) is not None]
        edge = max if identity.step > 0 else min
        marks[field.name] = identity.covering(edge(values, default=None))
    schema = with_identities(change.metadata.schema, marks)
    if schema == change.metadata.schema:
        return change
    metadata = replace(change.metadata, schema=schema)
    others = tuple(action for action in change.commit.actions if not isinstance(action, Metadata))
    # Writers that do not change metadata themselves may go on top of a commit with this tag.
    tags = {SCHEMA_UPDATE_TAG: "true"} if not change.commit.actions else {}
    change = replace(change, metadata=metadata)
    return change.committing(actions=(*others, metadata), tags={**(change.commit.tags or {}), **tags})


def _of(field: StructField, values: Mapping[str, Any]) -> int | None:
    return values.get(physical_name(field))
