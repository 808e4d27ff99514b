"""RESTORE: the files, schema and properties of an older version become the newest version. No file is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from deltasql.base import DeltaSqlError, errors, pa, pc, session_settings
from deltasql.log import CLUSTERING_DOMAIN as CLUSTERING
from deltasql.log import (
    Action,
    AddFile,
    DeltaLog,
    DomainMetadata,
    Metadata,
    Snapshot,
    clustering_columns,
    clustering_domain,
    has_commit_timestamps,
    is_clustered,
    operations,
    table_properties,
)
from deltasql.plan import Alone, LogicalPlan, TableName, Temporal
from deltasql.planner import Answer, CommitSpec, Context, Plan, TableChange, plan, refuse_enforced
from deltasql.schema import LONG, StructField, StructType, check_foreign, identities, with_identities
from deltasql.sql import timestamp_of, written_moment


@dataclass(frozen=True, slots=True)
class Restore(LogicalPlan):
    """RESTORE [TABLE] t [TO] {VERSION | TIMESTAMP} AS OF x"""

    table_words: ClassVar[str] = "RESTORE"
    alone: ClassVar[tuple[str, Alone] | None] = ("RESTORE", Alone.RESTORES)

    table: TableName
    version: Temporal


RESTORED = StructType(
    tuple(
        StructField(name, LONG)
        for name in (
            "table_size_after_restore",
            "num_of_files_after_restore",
            "num_removed_files",
            "num_restored_files",
            "removed_files_size",
            "restored_files_size",
        )
    )
)
METRICS = (
    "tableSizeAfterRestore",
    "numOfFilesAfterRestore",
    "numRemovedFiles",
    "numRestoredFiles",
    "removedFilesSize",
    "restoredFilesSize",
)
_MOST_SHOWN = 100


@plan.register
def plan_restore(statement: Restore, context: Context) -> Plan:
    """Restoring the newest version changes nothing and returns no row."""
    log, current = context.writable(statement.table)
    try:
        version = _version(statement.version, log, context)
        old = log.snapshot(version)
        check_foreign(old.schema, old.table)
    except DeltaSqlError as error:
        moment = statement.version.timestamp
        table = statement.table
        place = (table.start, table.end) if moment is None else (moment.start, moment.start + len(moment.text))
        raise _restore_error(error, current.table).at(context.caret(*place)) from None
    if version == current.version:
        return Answer()
    refuse_enforced("RESTORE", statement.table, current.location, context)
    restored, removed = _differing(old, current)
    if not context.setting(session_settings.IGNORE_MISSING_FILES):
        _check_present(log, old, restored)
    metrics = dict(zip(METRICS, _counts(old, current, restored, removed), strict=True))
    timestamp = statement.version.timestamp
    parameters = {
        "version": statement.version.version,
        "timestamp": None if timestamp is None else _unquoted(timestamp.text),
    }
    return TableChange(
        CommitSpec(
            log,
            current,
            operations.RESTORE,
            parameters,
            (
                *_state(old, current, downgrade=context.setting(session_settings.RESTORE_DOWNGRADE)),
                *_adds(old, restored),
            ),
        ),
        removed=removed,
        answer=Answer(RESTORED, (tuple(metrics.values()),)),
        metrics=metrics,
    )


def _version(temporal: Temporal, log: DeltaLog, context: Context) -> int:
    if temporal.version is not None:
        return temporal.version
    assert temporal.timestamp is not None
    return log.version_at(timestamp_of(temporal.timestamp.text, context.time_zone, context.analyst.value))


def _unquoted(expression: str) -> str:
    """A literal's text; any other expression as it is."""
    written = written_moment(expression)
    return expression.strip() if written is None else written


def _restore_error(error: DeltaSqlError, table: str) -> DeltaSqlError:
    """The error in the words of RESTORE."""
    match error:
        case errors.VersionNotFoundError():
            return errors.RestoreVersionError(table, error.version, error.earliest, error.latest)
        case errors.TimestampTooEarlyError():
            return errors.RestoreTimestampEarlierError(table, error.timestamp, error.earliest)
        case errors.TimestampTooLateError():
            return errors.RestoreTimestampGreaterError(table, error.timestamp, error.latest)
    return error


def _differing(old: Snapshot, current: Snapshot) -> tuple[pa.Table, pa.Table]:
    """The files that only the old version has, and those that only the current one has.

    A file with another deletion vector is another file.
    """
    from deltasql.log import action_keys
    from deltasql.schema import flags

    first, second = (snapshot.files(("path", "size", "deletionVector")) for snapshot in (old, current))
    before, now = action_keys(first, old.location), action_keys(second, current.location)
    in_before, in_now = set(before), set(now)
    return (
        first.filter(flags([key not in in_now for key in before])),
        second.filter(flags([key not in in_before for key in now])),
    )


def _check_present(log: DeltaLog, old: Snapshot, restored: pa.Table) -> None:
    """Raises RestoreMissingFilesError when VACUUM has deleted what would come back."""
    from deltasql.log import missing_files

    gone = restored.filter(pc.or_(*missing_files(log.store, restored)))["path"].to_pylist()
    if gone:
        raise errors.RestoreMissingFilesError(old.table, old.version, len(gone), tuple(gone[:_MOST_SHOWN]))


def _counts(old: Snapshot, current: Snapshot, restored: pa.Table, removed: pa.Table) -> tuple[int, ...]:
    sizes = [sum(files["size"].to_pylist()) for files in (removed, restored)]
    after = current.size_in_bytes - sizes[0] + sizes[1]
    return after, old.num_files, removed.num_rows, restored.num_rows, *sizes


def _adds(old: Snapshot, restored: pa.Table) -> list[AddFile]:
    """The files as they were, with the row ids that they had."""
    adds = old.add_files(restored["path"].to_pylist())
    return [replace(file, data_change=True) for file in adds]


def _state(old: Snapshot, current: Snapshot, *, downgrade: bool) -> list[Action]:
    """Protocol, metadata and clustering as they are to be, where that is not how they are."""
    actions: list[Action] = []
    # Nothing that files or older versions may need is given up, unless that is asked for.
    protocol = old.protocol if downgrade else current.protocol.merge(old.protocol.unmanaged())
    if protocol != current.protocol:
        actions.append(protocol)
    metadata = _metadata(old.metadata, current.metadata)
    if metadata != current.metadata:
        actions.append(metadata)
    clustering = _clustering(old, current)
    return actions if clustering is None else [*actions, clustering]


def _metadata(old: Metadata, current: Metadata) -> Metadata:
    """The old ones; what must not go backwards stays: numbers given to columns and to rows, and the log's guard."""
    # Since when commits have times of their own is of the present log; the transaction notes it where they begin anew.
    guard = table_properties.PROTECTED_BEFORE.name
    of_the_log = (guard, table_properties.TIMESTAMPS_SINCE_VERSION.name, table_properties.TIMESTAMPS_SINCE_TIME.name)
    guards = of_the_log if has_commit_timestamps(old) and has_commit_timestamps(current) else (guard,)
    configuration = dict(old.without_properties(of_the_log).configuration)
    configuration |= {key: current.configuration[key] for key in guards if key in current.configuration}
    if table_properties.MAX_COLUMN_ID.name in configuration:
        configuration[table_properties.MAX_COLUMN_ID.name] = str(
            max(item.properties[table_properties.MAX_COLUMN_ID] for item in (old, current))
        )
    schema = _with_marks(old.schema, current.schema)
    return replace(old, id=current.id, schema=schema, configuration=MappingProxyType(configuration))


def _with_marks(old: StructType, current: StructType) -> StructType:
    """The old schema, whose identity columns go on after the numbers that have been used since."""
    restored, now, changed = identities(old), identities(current), {}
    for name, identity in restored.items():
        used = now.get(name)
        if used is not None and (used.start, used.step) == (identity.start, identity.step):
            changed[name] = identity.covering(used.high_water_mark)
    changed = {name: item for name, item in changed.items() if item != restored[name]}
    return with_identities(old, changed) if changed else old


def _clustering(old: Snapshot, current: Snapshot) -> DomainMetadata | None:
    """The clustering columns of the old version: none, if it had none."""
    if not is_clustered(current) and not is_clustered(old):
        return None
    if old.domains.get(CLUSTERING) == current.domains.get(CLUSTERING):
        return None
    return clustering_domain(old.schema, clustering_columns(old))
