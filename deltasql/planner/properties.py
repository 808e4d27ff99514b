"""SET and UNSET TBLPROPERTIES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from deltasql.errors.iceberg import IcebergFilesError, IcebergVectorsError
from deltasql.log.deletion_vectors import marked_files
from deltasql.log.iceberg_compat import check_compatible, compat_keys, stores_partitions, version_of
from deltasql.log.properties import (
    check_configuration,
    has_change_feed,
    parse_properties,
    protocol_for,
    unset_properties,
)
from deltasql.log.row_ids import with_row_id_columns
from deltasql.plan.properties import SetTableProperties, UnsetTableProperties
from deltasql.planner.changes import Plan, Stepwise, TableChange
from deltasql.planner.clustering_columns import check_still_indexed
from deltasql.planner.context import Context
from deltasql.planner.metadata import check_mapping_change, mapped_metadata, maps_columns
from deltasql.planner.row_tracking import enabling_steps, enabling_tags, refuse_unknown_counts, starts_tracking
from deltasql.planner.rule import plan
from deltasql.planner.settings import ARBITRARY_PROPERTIES, STRICT_UNSET
from deltasql.schema.checks import check_change_columns

if TYPE_CHECKING:
    from deltasql.log.actions import Metadata
    from deltasql.log.protocol import Protocol
    from deltasql.log.snapshot import Snapshot
    from deltasql.log.table import DeltaLog


@plan.register
def _(statement: SetTableProperties, context: Context) -> Plan:
    """Known `delta.` keys are checked; those that stand for protocol become protocol and are not stored.

    Where this switches row tracking on, the files that are there get row ids first, in commits of their own.
    """
    log, snapshot = context.writable(statement.table)
    protocol, metadata = _altered(statement, context, snapshot)
    if not starts_tracking(snapshot, metadata):
        return _change(statement, log, snapshot, protocol, metadata)
    refuse_unknown_counts(snapshot)

    def last(current: Snapshot) -> TableChange:
        return _change(statement, log, current, *_altered(statement, context, current))

    return Stepwise("row ids for the files that lack them, then the properties", enabling_steps(log, snapshot, last))


def _check_files(snapshot: Snapshot, configuration: Mapping[str, str]) -> None:
    """Raises IcebergVectorsError, IcebergFilesError where files that are there are not what Iceberg reads."""
    if compat_keys(snapshot.configuration) or not compat_keys(configuration) or not snapshot.num_files:
        return
    key = compat_keys(configuration)[0]
    if snapshot.partition_columns and not stores_partitions(snapshot.protocol, snapshot.configuration):
        raise IcebergFilesError(snapshot.table, version_of(key), key)
    files = snapshot.files(("deletionVector",))
    if files.filter(marked_files(files)).num_rows:
        raise IcebergVectorsError(snapshot.table, version_of(key))


def _altered(statement: SetTableProperties, context: Context, snapshot: Snapshot) -> tuple[Protocol, Metadata]:
    """Protocol and metadata as the statement wants them."""
    arbitrary = context.is_on(ARBITRARY_PROPERTIES)
    parsed = parse_properties(statement.properties, allow_arbitrary=arbitrary, on_create=False)
    configuration = {**snapshot.configuration, **parsed.configuration}
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(configuration))
    if parsed.comment is not None:
        metadata = replace(metadata, description=parsed.comment)
    check_configuration(configuration, table=snapshot.table)
    check_compatible(snapshot.schema, configuration, snapshot.protocol.features, snapshot.table)
    _check_files(snapshot, configuration)
    check_mapping_change(snapshot.configuration, configuration, snapshot.table)
    if has_change_feed(configuration):
        check_change_columns(snapshot.schema, snapshot.table)
    if maps_columns(configuration):
        metadata = mapped_metadata(metadata, keep_names=True)
        configuration = dict(metadata.configuration)
    check_still_indexed(snapshot, metadata)
    protocol = protocol_for(
        metadata.schema, configuration, parsed=parsed, current=snapshot.protocol, table=snapshot.table
    )
    return protocol, with_row_id_columns(metadata, protocol, snapshot.configuration)


def _change(
    statement: SetTableProperties, log: DeltaLog, snapshot: Snapshot, protocol: Protocol, metadata: Metadata
) -> TableChange:
    changed = () if protocol == snapshot.protocol else (protocol,)
    parameters = {"properties": dict(statement.properties)}
    tags = enabling_tags(snapshot, metadata) if not changed else None
    return TableChange(log, snapshot, "SET TBLPROPERTIES", parameters, (*changed, metadata), tags=tags)


@plan.register
def _(statement: UnsetTableProperties, context: Context) -> Plan:
    """A key that is not set is passed over, as Delta does, unless the session asks for strictness."""
    log, snapshot = context.writable(statement.table)
    lenient = statement.if_exists or not context.is_on(STRICT_UNSET)
    keys = [key for key in statement.keys if key.lower() != "comment"]
    configuration = unset_properties(snapshot.configuration, keys, if_exists=lenient, table=snapshot.table)
    check_mapping_change(snapshot.configuration, configuration, snapshot.table)
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(configuration))
    check_still_indexed(snapshot, metadata)
    if len(keys) < len(statement.keys):
        metadata = replace(metadata, description=None)
    parameters = {"properties": list(statement.keys), "ifExists": True}
    return TableChange(log, snapshot, "UNSET TBLPROPERTIES", parameters, (metadata,))
