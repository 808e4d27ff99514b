"""What CLONE copies: one version of a Delta table, and whatever else can be told in the same words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.statements.clone import CloneUnsupportedSourceError
from deltasql.log.reading.clustering import clustering_columns, is_clustered
from deltasql.log.storage.locations import table_uri
from deltasql.schema.text import quote_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from deltasql.log.actions.actions import Metadata
    from deltasql.log.protocol.protocol import Protocol
    from deltasql.plan.base import TableName
    from deltasql.planner.context import Context
    from deltasql.schema.paths import Path


@dataclass(frozen=True, slots=True)
class CloneSource:
    """A source as it is cloned. `told` is how the history calls it, `root` its decoded location.

    `version` is -1 for what has none. `files` are add actions as `file_tables.ADD`. `clustering` is None for a table
    that is not clustered, and `transactions` the last version of every application that has written.
    """

    told: str
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
        import pyarrow.compute as pc

        return pc.sum(self.files["size"]).as_py() or 0


def clone_source(name: TableName, context: Context) -> CloneSource:
    """The source that a statement names. Another kind than a Delta table would be opened here.

    Raises CloneUnsupportedSourceError, TableNotFoundError, and what is wrong with the table or the version.
    """
    kind = _foreign_kind(name, context)
    if kind is not None:
        raise CloneUnsupportedSourceError(str(name), kind).at(context.caret(name.start, name.end))
    try:
        return _delta_source(name, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _foreign_kind(name: TableName, context: Context) -> str | None:
    """What a name stands for that is no Delta table; None for one, and for what there is not."""
    if context.is_view(name):
        return "a view"
    if len(name.parts) == 2 and name.path is None and "/" in name.parts[1] and not _is_ours(name, context):
        return f"a directory of {name.parts[0].lower()} files"
    return "a table of Spark's" if context.is_sparks(name) else None


def _is_ours(name: TableName, context: Context) -> bool:
    try:
        return context.catalog.resolve(name.parts) is not None
    except DeltaSqlError:
        return False


def _delta_source(name: TableName, context: Context) -> CloneSource:
    from deltasql.log.actions.file_tables import ADD

    snapshot = context.snapshot(name)
    snapshot.check_readable()
    if name.path is not None:
        told = f"delta.{quote_name(table_uri(snapshot.location))}"
    else:
        told = ".".join(map(quote_name, context.catalog.full_name(name.parts)))
    return CloneSource(
        told,
        snapshot.location,
        snapshot.version,
        snapshot.metadata,
        snapshot.protocol,
        snapshot.live_adds(ADD.names),
        clustering_columns(snapshot) if is_clustered(snapshot) else None,
        snapshot.transactions,
    )
