"""Metadata of a table before and after a statement, and the actions that say so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.log.properties import protocol_for
from deltasql.schema.checks import check_schema

if TYPE_CHECKING:
    from deltasql.log.actions import Action, Metadata
    from deltasql.log.snapshot import Snapshot
    from deltasql.schema.types import StructType


def evolved_metadata(metadata: Metadata, schema: StructType) -> Metadata:
    """`metadata` with a new schema; itself when nothing changed. Raises what `check_schema` raises."""
    if schema == metadata.schema:
        return metadata
    check_schema(schema, metadata.partition_columns)
    return replace(metadata, schema=schema)


def metadata_actions(snapshot: Snapshot, metadata: Metadata) -> tuple[Action, ...]:
    """The actions that turn the snapshot's metadata into `metadata`: none, metaData, or protocol and metaData."""
    if metadata is snapshot.metadata:
        return ()
    protocol = protocol_for(metadata.schema, metadata.configuration, current=snapshot.protocol, table=snapshot.table)
    changed = () if protocol == snapshot.protocol else (protocol,)
    return (*changed, metadata)
