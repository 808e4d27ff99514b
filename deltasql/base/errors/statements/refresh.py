"""Refusals about materialized views and streaming tables."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "REFRESHED_TABLE_NOT_WRITABLE",
    "0A000",
    "{operation} cannot change {table}: it is a {kind}, whose rows come from its query. Write REFRESH {words} {table}.",
    remedy="Change the tables that the query reads, then run REFRESH.",
)
class WriteIntoRefreshedError(DeltaSqlError):
    """A statement that changes the rows or columns of a materialized view or streaming table."""

    operation: str
    table: str
    kind: str
    words: str


@condition(
    "REFRESH_ASYNC_NOT_SUPPORTED",
    "0A000",
    "REFRESH … ASYNC is not supported: a refresh ends before the next statement begins. Leave ASYNC out.",
)
class AsynchronousRefreshError(DeltaSqlError):
    """REFRESH MATERIALIZED VIEW … ASYNC."""


@condition(
    "STREAMING_TABLE_QUERY_NOT_SUPPORTED",
    "0A000",
    "The query of streaming table {table} cannot be continued with new rows alone: {reason}. {advice}",
    remedy="Read one source by STREAM, without aggregates; for anything else CREATE MATERIALIZED VIEW.",
)
class StreamingQueryError(DeltaSqlError):
    """The query of a streaming table reads no stream, or several, or needs rows that were read before."""

    table: str
    reason: str
    advice: str


@condition(
    "STREAMING_TABLE_SOURCE_CHANGED",
    "0A000",
    "Rows of {source} were updated or deleted in version {version}, and streaming table {table} takes new rows alone. "
    "Write REFRESH STREAMING TABLE {table} FULL, or make it a materialized view.",
)
class ChangedStreamSourceError(DeltaSqlError):
    """REFRESH STREAMING TABLE after an update or a deletion in its source."""

    source: str
    version: int
    table: str


@condition(
    "STREAM_OUTSIDE_STREAMING_TABLE",
    "0A000",
    "STREAM reads the new rows of {source} for a streaming table. {advice}",
    remedy="Leave STREAM out, or write CREATE STREAMING TABLE t AS SELECT … FROM STREAM(source).",
)
class StreamInQueryError(DeltaSqlError):
    """STREAM in the query of a materialized view."""

    source: str
    advice: str


@condition(
    "STREAMING_TABLE_REDECLARED",
    "0A000",
    "CREATE OR REFRESH cannot change {part} of streaming table {table}, whose rows stay. Write them as they are, or "
    "run DROP STREAMING TABLE {table} first, which makes the next CREATE read the source from its beginning.",
)
class RedeclaredTableError(DeltaSqlError):
    """CREATE OR REFRESH STREAMING TABLE with other partitions, types, constraints or keys than the table has."""

    part: str
    table: str
