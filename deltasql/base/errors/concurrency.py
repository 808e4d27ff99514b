"""Errors of lost races: another writer committed first, and the statement cannot go on top of that commit.

Source: Delta Lake documentation, Concurrency control.
"""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CONCURRENT_WRITE",
    "2D521",
    "{operation} wrote version {version} of {table} while this statement ran. Run the statement again.",
)
class ConcurrentModificationError(DeltaSqlError):
    """Another writer committed first and this statement cannot go on top of it. `operation` is the winner's.

    `advice` says how both could have been committed, where there is a way.
    """

    table: str
    version: int
    operation: str
    advice: str = ""

    @property
    def message(self) -> str:
        text = super().message
        return f"{text} {self.advice}" if self.advice else text


@condition(
    "DELTA_CONCURRENT_WRITE",
    "2D521",
    "{operation} wrote version {version} of {table} while this statement ran. Run the statement again.",
)
class ConcurrentWriteError(ConcurrentModificationError):
    """Another writer took the version that this statement's commit had to be: no later one will do."""


@condition(
    "DELTA_CONCURRENT_APPEND.WITHOUT_HINT",
    "2D521",
    "{operation} added data to {table} (version {version}) that this statement should have read. "
    "Run the statement again.",
)
class ConcurrentAppendError(ConcurrentModificationError):
    """Another writer added rows that this statement should have read. `partition` is where, as "[p=1, q=null]"."""

    partition: str = ""


@condition(
    "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT",
    "2D521",
    "{operation} added data to {table} (version {version}, partition {partition}) that this statement should have "
    "read. Run the statement again. A condition that names the partitions it is about, such as p = 1, does not "
    "conflict with changes of others.",
)
class PartitionAppendError(ConcurrentAppendError):
    """Another writer added rows to a partition that this statement has read."""


@condition(
    "DELTA_CONCURRENT_APPEND.WHOLE_TABLE_READ",
    "2D521",
    "{operation} added data to {table} (version {version}{partition}), and this statement has read the whole table. "
    "Run the statement again.",
)
class WholeTableAppendError(ConcurrentAppendError):
    """Another writer added rows, and this statement has read the whole table."""


@condition(
    "DELTA_CONCURRENT_APPEND.ROW_LEVEL_CHANGES",
    "2D521",
    "{operation} changed rows of {table} (version {version}) that this statement changes or depends on: {rows}. "
    "Run the statement again.",
)
class RowAppendError(ConcurrentAppendError):
    """Another writer changed rows that this statement changes, or added rows that its condition selects.

    `rows` says which rows of which file, or that new rows fulfil the statement's condition.
    """

    rows: str = ""


@condition(
    "DELTA_CONCURRENT_APPEND.ALLOTTED_TIME_EXCEEDED",
    "2D521",
    "{operation} added data to {table} (version {version}), and it takes too long to tell whether this statement "
    "should have read it: {reason}. Run the statement again.",
)
class AppendBudgetError(ConcurrentAppendError):
    """Rows that another writer added, and too many of them to be tested one by one against this statement."""

    reason: str = ""


@condition(
    "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT",
    "2D521",
    "{operation} removed data of {table} (version {version}) that this statement read. Run the statement again.",
)
class ConcurrentDeleteReadError(ConcurrentModificationError):
    """Another writer deleted rows that this statement has read. `partition` is where, as "[p=1, q=null]"."""

    partition: str = ""


@condition(
    "DELTA_CONCURRENT_DELETE_READ.WITH_PARTITION_HINT",
    "2D521",
    "{operation} removed data of {table} (version {version}, partition {partition}) that this statement read. "
    "Run the statement again. A condition that names the partitions it is about, such as p = 1, does not conflict "
    "with changes of others.",
)
class PartitionDeleteReadError(ConcurrentDeleteReadError):
    """Another writer deleted rows of a partition that this statement has read."""


@condition(
    "DELTA_CONCURRENT_DELETE_READ.WHOLE_TABLE_READ",
    "2D521",
    "{operation} removed data of {table} (version {version}{partition}), and this statement has read the whole table. "
    "Run the statement again.",
)
class WholeTableDeleteReadError(ConcurrentDeleteReadError):
    """Another writer deleted rows, and this statement has read the whole table."""


@condition(
    "DELTA_CONCURRENT_DELETE_READ.ROW_LEVEL_CHANGES",
    "2D521",
    "{operation} deleted rows of {table} (version {version}) that this statement changes or depends on: {rows}. "
    "Run the statement again.",
)
class RowDeleteReadError(ConcurrentDeleteReadError):
    """Another writer deleted rows that this statement changes or has read; `rows` names some of them."""

    rows: str = ""


@condition(
    "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT",
    "2D521",
    "{operation} removed data of {table} (version {version}) that this statement removes too. Run the statement again.",
)
class ConcurrentDeleteDeleteError(ConcurrentModificationError):
    """Another writer removed files that this statement removes as well. `partition` is where, as "[p=1, q=null]"."""

    partition: str = ""


@condition(
    "DELTA_CONCURRENT_DELETE_DELETE.WITH_PARTITION_HINT",
    "2D521",
    "{operation} removed data of {table} (version {version}, partition {partition}) that this statement removes too. "
    "Run the statement again.",
)
class PartitionDeleteDeleteError(ConcurrentDeleteDeleteError):
    """Another writer removed files of a partition that this statement removes as well."""


@condition(
    "COPY_INTO_DUPLICATED_FILES_COPY_NOT_ALLOWED",
    "25000",
    "{operation} committed version {version} of {table} with rows of {files} of the files that this statement loads. "
    "Run the statement again: it loads what is left.",
)
class DuplicateLoadError(ConcurrentModificationError):
    """Two COPY INTO have loaded the same files at once; the second one's rows are not in the table."""

    files: int = 0


@condition(
    "DELTA_CONCURRENT_TRANSACTION",
    "2D521",
    "{operation} committed version {version} of {table} with the same {subject}. Run the statement again.",
)
class ConcurrentTransactionError(ConcurrentModificationError):
    """Another writer committed for the same application id (txnAppId), or for the same metadata domain.

    `subject` is an application id or a metadata domain.
    """

    subject: str = ""


@condition(
    "DELTA_METADATA_CHANGED",
    "2D521",
    "{operation} changed the schema or properties of {table} (version {version}) while this statement ran. "
    "Run the statement again.",
)
class MetadataChangedError(ConcurrentModificationError):
    """Another writer changed the schema or properties of the table."""


@condition(
    "DELTA_METADATA_CHANGED",
    "2D521",
    "{table} was dropped or created anew while this statement ran, which had read version {version} of the old table. "
    "Run the statement again.",
)
class TableReplacedError(ConcurrentModificationError):
    """The commit that was read is missing, or was replaced by another one."""


@condition(
    "DELTA_PROTOCOL_CHANGED",
    "2D521",
    "{operation} changed the protocol of {table} (version {version}) while this statement ran. "
    "Run the statement again.",
)
class ProtocolChangedError(ConcurrentModificationError):
    """Another writer changed the protocol of the table."""
