"""Errors of the transaction log: storage, damaged files and commits. Lost races: see `concurrency`."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_STORAGE_ACCESS_FAILED",
    "58030",
    "Could not {action} {path}: {reason}.",
    remedy="Check the path, the credentials and the rights that the message names, and run the statement again.",
)
class StorageError(DeltaSqlError):
    """A file that storage did not read, write, list or delete; `reason` is the storage's message."""

    action: str
    path: str
    reason: str


@condition(
    "DELTA_STORAGE_UNAVAILABLE",
    "58030",
    "Could not {action} {path}: in {tries} tries over {seconds} s the storage was too busy or gave no answer, "
    "the last time with: {reason}. Once it answers, or fewer writers ask it, run the statement again.",
    remedy="Wait, and run the statement again: nothing was committed.",
)
class StorageUnavailableError(StorageError):
    """Requests that are safe to make again, and were, until the patience of `log.storage.patience` was over."""

    tries: int
    seconds: int


@condition(
    "DELTA_UNSAFE_STORAGE",
    "0A000",
    "{store} cannot hold commits: {finding}. Two writers could commit the same version, and one commit be lost. "
    "Nothing was written; tables there can be read. Write to a store that creates an object only once, or let a single "
    "process write and say so: SET deltasql.commit.probe = false.",
)
class UnsafeStoreError(DeltaSqlError):
    """A store that creates an object although there is one: its conditional put is missing, ignored or loses races."""

    store: str
    finding: str


@condition(
    "DELTA_COMMIT_OVERWRITTEN",
    "58030",
    "{store} accepted {path} and then let another writer put another commit in its place: the changes of this "
    "statement are lost. Let a single process write there, or keep the table in another store; then look at its "
    "history and run the statement again.",
)
class OverwrittenCommitError(DeltaSqlError):
    """A commit that was answered as won, and is another writer's when it is read back."""

    path: str
    store: str


@condition(
    "DELTA_WRITE_OUTCOME_UNKNOWN",
    "58030",
    "The storage did not answer whether {path} was written: {reason}. It may be there: look at the table's history "
    "before a retry.",
)
class AmbiguousWriteError(DeltaSqlError):
    """A put-if-absent of which storage did not say whether it took place."""

    path: str
    reason: str


@condition(
    "DELTA_STORAGE_WITHOUT_CONDITIONAL_PUT",
    "0AKDC",
    "The storage of {location} cannot write an object on condition that no other writer has: {reason}. Without "
    "that, writers overwrite each other. Use a storage with conditional puts (If-Match, If-None-Match), and do not "
    "switch them off.",
)
class ConditionalPutError(DeltaSqlError):
    """A storage whose client or server does not compare before it writes; nothing was written there."""

    location: str
    reason: str


@condition(
    "DELTA_UNSUPPORTED_LOCATION",
    "0AKDC",
    "{location} is not a location that tables can live in: {reason}.",
    remedy="Use an absolute path, or a URL of S3, Google Cloud Storage or Azure.",
)
class UnsupportedLocationError(DeltaSqlError):
    """A LOCATION or path that no storage opens, such as a relative one, or one of an unknown scheme."""

    location: str
    reason: str


@condition(
    "DELTA_MISSING_DELTA_TABLE",
    "42P01",
    "{table} is not a Delta table: {location} holds no transaction log.",
    remedy="Check the path; CONVERT TO DELTA makes a table of a folder of Parquet files.",
)
class NotADeltaTableError(DeltaSqlError):
    """A table or path whose folder has no `_delta_log`."""

    table: str
    location: str


@condition(
    "DELTA_LOG_FILE_NOT_FOUND",
    "42K03",
    "The log of {table} cannot be read: {path} is missing. "
    "Restore the file, or read a version whose log files are still there.",
)
class LogFileNotFoundError(DeltaSqlError):
    """A commit file or checkpoint that the table needs is missing."""

    table: str
    path: str


@condition(
    "DELTA_TRUNCATED_TRANSACTION_LOG",
    "42K03",
    "Version {version} of {table} cannot be reconstructed: the log in {location} begins at commit {earliest} "
    "and no complete checkpoint bridges the gap. Restore the missing log files from a backup.",
)
class TruncatedLogError(DeltaSqlError):
    """A version with neither a complete run of commits from 0 nor a checkpoint."""

    table: str
    location: str
    version: int
    earliest: int


@condition(
    "DELTA_VERSIONS_NOT_CONTIGUOUS",
    "KD00C",
    "The log of {table} has a gap: commit {missing} is missing in {location}. "
    "Restore {missing_file} from a backup, or read an earlier version.",
)
class LogGapError(DeltaSqlError):
    """A missing commit file between two existing ones."""

    table: str
    location: str
    missing: int
    missing_file: str


@condition(
    "DELTA_STATE_RECOVER_ERROR",
    "XXKDS",
    "Version {version} of {table} cannot be recovered: its log holds no {action} action. "
    "Restore the log files from a backup.",
)
class StateRecoverError(DeltaSqlError):
    """A log without a protocol or metadata action before the version asked for."""

    table: str
    version: int
    action: str


@condition(
    "DELTA_INVALID_LOG_JSON",
    "KD00D",
    "The log of {table} is damaged: {path}, line {line}: {reason}. Restore the file, or read an earlier version.",
)
class InvalidLogJsonError(DeltaSqlError):
    """A line of a commit file that is no JSON, or no action of the Delta protocol."""

    table: str
    path: str
    line: int
    reason: str


@condition(
    "DELTA_INVALID_LOG_JSON",
    "KD00D",
    "The log of {table} is damaged: the protocol or metadata in {path} cannot be read: {reason}. "
    "Restore the file, or read an earlier version.",
)
class InvalidMetadataError(DeltaSqlError):
    """A protocol or metadata action whose fields have values that the Delta protocol does not allow."""

    table: str
    path: str
    reason: str


@condition(
    "DELTA_INVALID_LOG_JSON",
    "KD00D",
    "The compacted log file {path} of {table} cannot be read: {reason}. "
    "The commits that it stands for are gone: restore the file, or read an earlier version.",
)
class InvalidCompactionError(DeltaSqlError):
    """A compacted log file that is damaged, while the commits that it replaces are gone."""

    table: str
    path: str
    reason: str


@condition(
    "DELTA_INVALID_CHECKPOINT",
    "KD00D",
    "The checkpoint {path} of {table} cannot be read: {reason}. Older log files do not allow to do without it.",
    remedy="Restore the file from a backup, or read a version after a newer checkpoint.",
)
class InvalidCheckpointError(DeltaSqlError):
    """A checkpoint file, or a sidecar of it, that is missing or damaged."""

    table: str
    path: str
    reason: str


@condition(
    "DELTA_CHECKPOINT_SNAPSHOT_MISMATCH",
    "XXKDS",
    "The checkpoint of version {version} of {table} was not written: it has {written:files} and the table has {live}.",
    remedy="The table stays usable without the checkpoint. Report the fault with the table's log.",
)
class CheckpointMismatchError(DeltaSqlError):
    """Live files, about to be written as a checkpoint, that are not as many as the log's own totals say."""

    table: str
    version: int
    written: int
    live: int


@condition(
    "DELTA_MISSING_COMMIT_TIMESTAMP",
    "KD004",
    "{table} has in-commit timestamps, but the commitInfo of version {version} holds none.",
    remedy="Restore the commit file from a backup; the writer of this version broke the protocol.",
)
class MissingCommitTimestampError(DeltaSqlError):
    """A commit without a timestamp, in a table with in-commit timestamps."""

    table: str
    version: int


@condition(
    "DELTA_DUPLICATE_ACTIONS_FOUND",
    "2D521",
    "A commit to {table} names {kind} {key} more than once: {reason}.",
    remedy="Report the fault if deltasql made the commit; correct the actions if a program did.",
)
class DuplicateActionsError(DeltaSqlError):
    """A commit that names one file, or one action of which there can be one, twice."""

    table: str
    kind: str
    key: str
    reason: str


@condition(
    "DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR",
    "42601",
    "A commit to {table} holds two actions for the metadata domain {domain}.",
    remedy="Put one action for each domain into the commit.",
)
class DuplicateDomainError(DeltaSqlError):
    """A commit with two actions for one metadata domain."""

    table: str
    domain: str


@condition(
    "DELTA_DOMAIN_METADATA_NOT_SUPPORTED",
    "0A000",
    "A commit to {table} holds metadata domain {domain}, but the table lacks the feature domainMetadata. "
    "Run: ALTER TABLE … SET TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported').",
)
class DomainMetadataNotSupportedError(DeltaSqlError):
    """A commit with a metadata domain, to a table without the feature domainMetadata."""

    table: str
    domain: str


@condition(
    "DELTA_INVALID_COMMIT",
    "XXKDS",
    "The commit to {table} breaks the Delta protocol: {reason}.",
    remedy="Correct the actions that the message names.",
)
class InvalidCommitError(DeltaSqlError):
    """A commit whose actions the Delta protocol forbids, found before it is written."""

    table: str
    reason: str


@condition(
    "DELTA_MAX_COMMIT_RETRIES_EXCEEDED",
    "40000",
    "The commit to {table} lost the race {attempts:times}, last at version {version}. "
    "Run the statement again when fewer writers are at work.",
)
class CommitRetriesExceededError(DeltaSqlError):
    """A commit that could go on top of each winner, and lost each race."""

    table: str
    attempts: int
    version: int


@condition(
    "DELTA_DELETION_VECTOR_INVALID",
    "XXKDS",
    "The deletion vector {vector} cannot be used: {reason}. Without it deleted rows would come back. "
    "Restore the file from a backup, or read an older version: SELECT … VERSION AS OF n.",
)
class InvalidDeletionVectorError(DeltaSqlError):
    """A deletion vector that is missing or damaged."""

    vector: str
    reason: str


@condition(
    "DELTA_FILE_NOT_FOUND",
    "42K03",
    "The deletion vector file {vector} is missing. Without it deleted rows would come back. Restore it from a backup, "
    "or read a version whose files are all there. Its data files are taken out of the table by FSCK REPAIR TABLE.",
)
class DeletionVectorNotFoundError(InvalidDeletionVectorError):
    """A deletion vector whose file is missing."""


@condition(
    "DELTA_FILE_NOT_FOUND",
    "42K03",
    "The {kind} {path} of {table} is missing: version {version} names it. VACUUM removes what only older versions "
    "need; no other statement removes files. Restore it from a backup, or read a version whose files are all there. "
    "To take the rows that are lost out of the table, run: FSCK REPAIR TABLE {table}.",
)
class DataFileNotFoundError(DeltaSqlError):
    """A data file that the log names, and that storage does not have.

    `kind` is the role of the file in the table, `path` its absolute location.
    """

    kind: str
    path: str
    table: str
    version: int


@condition(
    "DELTA_FILE_NOT_FOUND",
    "42K03",
    "The {kind} {path} of {table} is missing: version {version} names it. It lies outside of the table, as the files "
    "of a shallow clone do: VACUUM and DROP TABLE of the source remove them. Clone the source anew: CREATE OR REPLACE "
    "TABLE {table} CLONE …. To take the rows that are lost out of the table, run: FSCK REPAIR TABLE {table}.",
    remedy="Clone the source again, or remove the lost files with FSCK REPAIR TABLE.",
)
class SourceFileNotFoundError(DataFileNotFoundError):
    """A file that is missing where another table keeps it."""


@condition(
    "DELTA_FILE_NOT_FOUND",
    "42K03",
    "The {kind} {path} of {table} is missing: version {version} names it. VACUUM removes files that only older "
    "versions need. Read a newer version, or later changes: DESCRIBE HISTORY {table} lists the versions, and each "
    "VACUUM that was logged.",
    remedy="Read a newer version of the table.",
)
class VacuumedFileError(DataFileNotFoundError):
    """A file of an older version, or of older changes, that the statement asked for."""


@condition(
    "DELTA_FILE_NOT_FOUND",
    "42K03",
    "Version {version} of {table} cannot be cloned: {count} of its files are missing, among them {files}. VACUUM "
    "removes files that only older versions need. Clone a newer version: DESCRIBE HISTORY {table} lists them.",
    remedy="Clone a newer version of the table.",
)
class VacuumedVersionError(DeltaSqlError):
    """A CLONE of an older version whose files are removed."""

    table: str
    version: int
    count: int
    files: tuple[str, ...]


@condition(
    "DELTA_FILE_NOT_FOUND",
    "42K03",
    "The data file {path} is missing, and the log of its table names it. Restore it from a backup, or read a version "
    "that does without it. FSCK REPAIR TABLE takes it out of the table.",
)
class LostDataFileError(DeltaSqlError):
    """A missing data file, found where neither its table's name nor the version is available."""

    path: str


@condition(
    "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER",
    "KD001",
    "The data file {path} cannot be read: {reason}. Restore it from a backup, or read a version that does without it. "
    "Once the file is removed, FSCK REPAIR TABLE takes it out of the table.",
)
class UnreadableDataFileError(DeltaSqlError):
    """An existing Parquet file that is damaged."""

    path: str
    reason: str


@condition(
    "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
    "22000",
    "{table} tracks its rows, and {path} has no statistics that tell how many it holds. "
    "Write the file with statistics (numRecords).",
)
class RowIdsWithoutStatisticsError(DeltaSqlError):
    """A file without a count of rows, added to a table with row tracking."""

    table: str
    path: str


@condition(
    "DELTA_PARTITION_COLUMN_CAST_FAILED",
    "22525",
    "The log of {table} has the value '{value}' of partition column {column}, which is no {type}. Let the program that "
    "wrote that file correct the value, or restore a version from before it: RESTORE TABLE … TO VERSION AS OF n.",
)
class PartitionTextError(DeltaSqlError):
    """A file that another writer added with a partition value that is not of the column's type."""

    value: str
    column: str
    type: str
    table: str
