"""Rows that a client sends for a table: `adbc_ingest`, `to_sql` of pandas, `write_database` of polars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from deltasql.errors.server import TooManyBytesError, UnsupportedIngestError
from deltasql.plan.base import TableName
from deltasql.result import Result
from deltasql.server.messages import APPEND, CREATE_MISSING, FAIL_IF_MISSING, FAIL_IF_THERE, REPLACE
from deltasql.session import Session

MOST_BYTES = 1 << 30
"""Limit on the bytes of one call: the rows of a commit are in memory until their files are written."""

_Write = Callable[[Session, pa.Table, str], Result]
_WRITES: Mapping[tuple[int, int], _Write] = {
    (CREATE_MISSING, FAIL_IF_THERE): lambda session, rows, table: session.writeTo(rows, table).create(),
    (CREATE_MISSING, APPEND): lambda session, rows, table: session.write(rows).mode("append").saveAsTable(table),
    (CREATE_MISSING, REPLACE): lambda session, rows, table: session.writeTo(rows, table).createOrReplace(),
    (FAIL_IF_MISSING, APPEND): lambda session, rows, table: session.writeTo(rows, table).append(),
    (FAIL_IF_MISSING, REPLACE): lambda session, rows, table: session.writeTo(rows, table).replace(),
}


def ingested(session: Session, command: Any, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:
    """Writes rows as one commit, columns by name; the number of rows.

    Raises UnsupportedIngestError, and whatever a write of DataFrames raises.
    """
    if command.temporary:
        raise UnsupportedIngestError(what="a temporary table")
    options = command.table_definition_options
    # A number that is 0 was left out: as the mode create.
    write = _WRITES.get((options.if_not_exist or CREATE_MISSING, options.if_exists or FAIL_IF_THERE))
    if write is None or not command.table:
        raise UnsupportedIngestError(what="what this call says")
    rows = pa.Table.from_batches(batches, schema)
    name = TableName(tuple(filter(None, (command.catalog, command.schema, command.table))))
    write(session, rows, str(name))
    return int(rows.num_rows)


def limited(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of a call. Raises TooManyBytesError before they fill the memory."""
    seen = 0
    for batch in batches:
        seen += batch.nbytes
        if seen > MOST_BYTES:
            raise TooManyBytesError(limit=MOST_BYTES)
        yield batch
