"""REORG TABLE … APPLY (UPGRADE UNIFORM …): a table becomes one that Iceberg reads as well, in up to three commits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from deltasql.base.errors.iceberg import IcebergVersionError
from deltasql.log.actions import actions
from deltasql.log.configuration.iceberg_compat import (
    check_iceberg_library,
    compat_key,
    compat_keys,
    converts_to_iceberg,
    universal_formats,
)
from deltasql.log.properties.property_registry import COLUMN_MAPPING_MODE, DELETION_VECTORS, UNIVERSAL_FORMATS
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.planner.changes import Answer, CommitSpec, Plan, Stepwise, TableChange
from deltasql.planner.context import Context, plan
from deltasql.statements.metadata import untagged_files
from deltasql.statements.nodes.optimize import UpgradeUniform
from deltasql.statements.nodes.properties import SetTableProperties
from deltasql.statements.rules.definitions.properties import altered, properties_change
from deltasql.statements.rules.files.optimize import reorganized

_VERSIONS = (1, 2)


@plan.register
def _(statement: UpgradeUniform, context: Context) -> Plan:
    """First new files are as Iceberg wants them, then the old ones are, then the table says so.

    If a step fails, the same statement goes on from there.
    """
    log, snapshot = context.writable(statement.table)
    if statement.version not in _VERSIONS:
        raise IcebergVersionError(statement.version)
    check_iceberg_library(snapshot.table)
    properties = _properties(snapshot, compat_key(statement.version))
    first = _compatible(statement, log, snapshot, properties, context)
    steps = _steps(statement, log, first, context)
    return Stepwise("properties for Iceberg, files that lack what it needs, then the format", steps)


def _steps(statement: UpgradeUniform, log: DeltaLog, first: TableChange | None, context: Context) -> Iterator[Plan]:
    if first is not None:
        yield first
    version = str(statement.version)
    yield reorganized(log, log.snapshot(), None, lambda files: files.filter(untagged_files(files, version)), context)
    current = log.snapshot()
    # The statement returns nothing, whichever of the steps there was to do.
    yield Answer() if converts_to_iceberg(current.configuration) else _enabled(statement, log, current, context)


def _properties(snapshot: Snapshot, key: str) -> dict[str, str]:
    """The properties that are to change; those of other versions are switched off where they are set."""
    properties = {key: "true", DELETION_VECTORS.name: "false"}
    properties |= {other: "false" for other in compat_keys(snapshot.configuration) if other != key}
    if not snapshot.properties.maps_columns:
        properties[COLUMN_MAPPING_MODE.name] = "name"
    settled = compat_keys(snapshot.configuration) == [key] and not snapshot.properties[DELETION_VECTORS]
    return {} if settled else properties


def _compatible(
    statement: UpgradeUniform, log: DeltaLog, snapshot: Snapshot, requested: Mapping[str, str], context: Context
) -> TableChange | None:
    """The commit after which all new files are as Iceberg wants them; None where they are already."""
    if not requested:
        return None
    protocol, metadata = altered(_set(statement, requested), context, snapshot)
    named = dict(requested)
    if snapshot.protocol.min_writer_version < _FEATURES[1]:
        named |= {"delta.minReaderVersion": str(_FEATURES[0]), "delta.minWriterVersion": str(_FEATURES[1])}
    changed = () if protocol == snapshot.protocol else (protocol,)
    parameters = {"properties": json.dumps(named, separators=(",", ":"))}
    return TableChange(CommitSpec(log, snapshot, actions.UPGRADE_UNIFORM, parameters, (*changed, metadata)))


def _enabled(statement: UpgradeUniform, log: DeltaLog, snapshot: Snapshot, context: Context) -> TableChange:
    """SET TBLPROPERTIES, which looks at the files once more: others may have added some meanwhile."""
    formats = sorted(universal_formats(snapshot.configuration) | {"iceberg"})
    return properties_change(_set(statement, {UNIVERSAL_FORMATS.name: ",".join(formats)}), log, snapshot, context)


def _set(statement: UpgradeUniform, properties: Mapping[str, str]) -> SetTableProperties:
    return SetTableProperties(statement.table, tuple(properties.items()))


_FEATURES = (3, 7)
"""The versions of the protocol that list features, as delta-spark names them in its history."""
