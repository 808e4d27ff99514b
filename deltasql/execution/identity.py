"""Where identity columns go on after a write: the highest numbers of its files, as the footers have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from deltasql.engine.writing.file_statistics import file_statistics
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.configuration.indexed_columns import IndexRule
from deltasql.planner.changes import RowChange
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.identity import identities, with_identities
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from deltasql.schema.types import StructField

SCHEMA_UPDATE_TAG = "delta.identity.schemaUpdate"
_THREADS = 8
_Values: TypeAlias = dict[str, Any]


def with_used_numbers(change: RowChange, adds: Sequence[AddFile]) -> RowChange:
    """`change` with metadata that tell up to which number its identity columns are used.

    Rows that are only copied count as well: their numbers were used before, so that the mark is right all the same.
    """
    fields = [field for field in change.metadata.schema if field.name in change.identities]
    # A file that only gets another deletion vector has no new row.
    adds = [add for add in adds if add.deletion_vector is None]
    if not fields or not adds:
        return change
    found = _extremes(change.commit.log.location, StructType(tuple(fields)), adds)
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


def _extremes(root: str, schema: StructType, adds: Iterable[AddFile]) -> list[tuple[_Values, _Values]]:
    """Lowest and highest values of each file's columns, by physical name."""
    import pyarrow.parquet as pq

    def extremes(add: AddFile) -> tuple[_Values, _Values]:
        footer = pq.read_metadata(f"{root}/{unquote(add.path)}")
        statistics = file_statistics(footer, schema, (), IndexRule(leaves=-1), None)
        return statistics.get("minValues", {}), statistics.get("maxValues", {})

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(extremes, adds))


def _of(field: StructField, values: _Values) -> int | None:
    return values.get(physical_name(field))
