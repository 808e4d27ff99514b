"""Sources of CLONE: one version of a Delta table, a folder of Parquet files, or an Iceberg table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.log import VacuumedVersionError
from deltasql.base.errors.sources import PartitionCountError
from deltasql.base.errors.statements.clone import (
    CloneOfDeltaFolderError,
    ClonePartitionsError,
    CloneUnsupportedSourceError,
    CloneVersionError,
)
from deltasql.base.lazy import pa, pc
from deltasql.log.actions.actions import Metadata
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.reading.change_feed import clustering_columns, is_clustered
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import table_uri
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.base import TableName
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import refuse_enforced
from deltasql.schema.paths import Path
from deltasql.schema.text import quote_name
from deltasql.statements.source_tables import PROVIDERS, adopted_table, refuse_table_above

_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class CloneSource:
    """A source to clone. `name` is its name in the history, `root` its decoded location.

    `version` is -1 for a source without versions. `files` are add actions as `file_tables.ADD`. `clustering` is None
    for a table that is not clustered, and `transactions` the last version of every application that has written.
    """

    name: str
    root: str
    version: int
    metadata: Metadata
    protocol: Protocol
    files: pa.Table
    clustering: tuple[Path, ...] | None
    transactions: Mapping[str, int]

    @property
    def size(self) -> int:
        """Bytes of the data files."""
        return pc.sum(self.files["size"]).as_py() or 0


def clone_source(name: TableName, context: Context) -> CloneSource:
    """The source that a statement names.

    Raises CloneUnsupportedSourceError, TableNotFoundError, and the errors of the table or the version; for other
    formats than Delta also CloneOfDeltaFolderError, ClonePartitionsError, CloneVersionError and those of
    `errors.sources`.
    """
    try:
        kind = _foreign_kind(name, context)
        if kind is not None:
            raise CloneUnsupportedSourceError(str(name), kind)
        return _file_source(name, context) if _is_path(name, context) else _delta_source(name, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _foreign_kind(name: TableName, context: Context) -> str | None:
    """The kind of an object that cannot be cloned, for messages; None for one that can, and for a missing one."""
    if context.is_view(name):
        return "a view"
    if _is_path(name, context):
        kind = name.parts[0].lower()
        return None if kind in PROVIDERS else f"a directory of {kind} files"
    return "a table of Spark's" if context.is_sparks(name) else None


def _is_path(name: TableName, context: Context) -> bool:
    """Whether a name is a format other than Delta and a path."""
    return len(name.parts) == 2 and name.path is None and "/" in name.parts[1] and not _is_ours(name, context)


def _is_ours(name: TableName, context: Context) -> bool:
    try:
        return context.catalog.resolve(name.parts) is not None
    except DeltaSqlError:
        return False


def _file_source(name: TableName, context: Context) -> CloneSource:
    """The source for files without a log: the table that CONVERT TO DELTA would create, without writing its log."""
    from deltasql.files.foreign.tables import source_table
    from deltasql.log.actions.file_tables import ADD, from_files

    provider, path = name.parts[0].lower(), name.parts[1]
    if name.temporal is not None:
        raise CloneVersionError(str(name))
    log = context.logs(path, str(name))
    if log.exists():
        raise CloneOfDeltaFolderError(str(name), f"delta.{quote_name(path)}")
    refuse_table_above(log)
    try:
        table = adopted_table(
            source_table(context.analyst.stores, provider, log.location), (), context, table=str(name)
        )
    except PartitionCountError as error:
        raise ClonePartitionsError(str(name), error.found) from None
    parameter = f"{provider}.{quote_name(table_uri(log.location))}"
    files = from_files(table.files, ADD)
    return CloneSource(parameter, log.location, -1, table.metadata, table.protocol, files, None, {})


def _delta_source(name: TableName, context: Context) -> CloneSource:
    from deltasql.log.actions.file_tables import ADD

    snapshot = context.snapshot(name)
    snapshot.check_readable()
    refuse_enforced("CLONE", name, snapshot.location, context)
    files = snapshot.live_adds(ADD.names)
    if name.temporal is not None:
        _check_present(context.log(name).store, snapshot, files)
    if name.path is not None:
        parameter = f"delta.{quote_name(table_uri(snapshot.location))}"
    else:
        parameter = ".".join(map(quote_name, context.catalog.full_name(name.parts)))
    return CloneSource(
        parameter,
        snapshot.location,
        snapshot.version,
        snapshot.metadata,
        snapshot.protocol,
        files,
        clustering_columns(snapshot) if is_clustered(snapshot) else None,
        snapshot.transactions,
    )


def _check_present(store: LogStore, snapshot: Snapshot, files: pa.Table) -> None:
    """Raises VacuumedVersionError where files of an older version are missing."""
    from deltasql.log.reading.unused_files import missing_files

    gone = files.filter(pc.or_(*missing_files(store, files)))["path"].to_pylist()
    if gone:
        raise VacuumedVersionError(str(snapshot.table), snapshot.version, len(gone), tuple(gone[:_MOST_SHOWN]))
