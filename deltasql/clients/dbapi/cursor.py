"""A cursor: one statement after another, and the rows of the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Protocol, TypeVar

from deltasql.base.lazy import pa
from deltasql.clients.dbapi.bulk import MANY_ROWS, BulkInsert, bulk_insert
from deltasql.clients.dbapi.exceptions import InterfaceError, ProgrammingError
from deltasql.clients.dbapi.rows import FetchedRows, rows_of
from deltasql.clients.dbapi.types import Column, describe
from deltasql.files.result import Result, Row

_AFFECTED = "num_affected_rows"
"""The first result column of INSERT, UPDATE, DELETE, MERGE and COPY INTO."""

_Self = TypeVar("_Self", bound="Cursor")


class Runs(Protocol):
    """Interface of a connection to its cursors."""

    def run(self, operation: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> Result: ...

    def insert(self, table: str, columns: Sequence[str], rows: pa.Table) -> Result: ...

    def errors(self) -> AbstractContextManager[None]: ...

    def check_open(self) -> None: ...

    def cancel(self) -> None: ...


class Cursor:
    """A cursor of PEP 249, for one thread at a time. Cursors of a connection see each other's changes at once.

    `rowcount` is the number of rows of a query, or of rows changed by a write; -1 if unknown. A write has no rows to
    fetch. `result` is the `deltasql.Result` of the last statement, with `version`, `metrics` and `schema`.
    """

    lastrowid: None = None
    """Always None: rows of tables have no id."""

    def __init__(self, connection: Runs) -> None:
        self.connection: Any = connection
        """The Connection of this cursor."""
        self.arraysize = 1
        self.rowcount = -1
        self.description: list[Column] | None = None
        self.result: Result | None = None
        self._rows: FetchedRows | None = None
        self._at = 0
        self._closed = False

    # Statements

    def execute(self: _Self, operation: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> _Self:
        """Runs one statement, and computes its rows. `parameters`: a sequence for `?`, a mapping for `:name`.

        Raises an Error of PEP 249. The rows of the previous statement are discarded.
        """
        self._reset()
        with self.connection.errors():
            self._take(self.connection.run(operation, parameters))
        return self

    def executemany(self: _Self, operation: str, seq_of_parameters: Iterable[Any]) -> _Self:
        """Runs a statement for each set of parameters. `rowcount` is the sum; there is nothing to fetch.

        INSERT INTO … VALUES (…) becomes one statement, and so one atomic commit. Other statements are run one by one,
        each with its own commit if no transaction is open; commits before an error are then not undone.
        """
        self._reset()
        sets, total = list(seq_of_parameters), 0
        bulk = bulk_insert(operation) if len(sets) > 1 else None
        if bulk is not None:
            with self.connection.errors():
                self._take(self._inserted(bulk, sets))
            return self
        for parameters in sets:
            self.execute(operation, parameters)
            total += max(0, self.rowcount)
        self._rows, self.description, self.rowcount = None, None, total
        return self

    def _inserted(self, bulk: BulkInsert, sets: Sequence[Any]) -> Result:
        """The result of one INSERT of all rows: of many as Arrow data, else as SQL."""
        target = bulk.target() if len(sets) >= MANY_ROWS else None
        rows = None if target is None else bulk.rows(sets, target[1])
        owner: Runs = self.connection
        if target is None or rows is None:
            return owner.run(bulk.statement(sets))
        return owner.insert(*target, rows)

    def _reset(self) -> None:
        self._check_open()
        self.result = self._rows = self.description = None
        self.rowcount, self._at = -1, 0

    def _take(self, result: Result) -> None:
        """Sets `result` as the source of fetched rows."""
        self.result = result
        if result.columns and result.columns[0] == _AFFECTED and not result.is_query:
            self.rowcount = int(result.collect()[0][0])
            return
        if result.columns or result.is_query:
            rows = rows_of(result)
            self._rows, self.rowcount, self.description = rows, rows.count, describe(result.schema)

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Does nothing: types are those of the values."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing: values are never truncated."""

    def cancel(self) -> None:
        """Cancels the running statement of the connection; may be called in another thread."""
        self.connection.cancel()

    # Rows

    @property
    def rownumber(self) -> int | None:
        """The index, from 0, of the next row to fetch; None if there are no rows to fetch."""
        return None if self._rows is None else self._at

    def fetchone(self) -> Row | None:
        """The next row, or None after the last."""
        rows = self._next(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """At most the next `size` rows, by default `arraysize`."""
        return self._next(self.arraysize if size is None else size)

    def fetchall(self) -> list[Row]:
        """All remaining rows."""
        return self._next(None)

    def fetchmany_arrow(self, size: int | None = None) -> pa.Table:
        """At most the next `size` rows, by default `arraysize`, as a pyarrow.Table."""
        rows = self._fetchable()
        start, self._at = self._at, self._end(rows, self.arraysize if size is None else size)
        return rows.table(start, self._at)

    def fetchall_arrow(self) -> pa.Table:
        """All remaining rows as a pyarrow.Table."""
        rows = self._fetchable()
        start, self._at = self._at, self._end(rows, rows.count)
        return rows.table(start, self._at)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The remaining rows, for consumers of Arrow data: `polars.DataFrame(cursor)`."""
        return self.fetchall_arrow().__arrow_c_stream__(requested_schema)

    def __iter__(self: _Self) -> _Self:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def _next(self, size: int | None) -> list[Row]:
        rows = self._fetchable()
        end = self._end(rows, rows.count if size is None else size)
        with self.connection.errors():
            part = rows.part(self._at, end)
        self._at = end
        return part

    def _end(self, rows: FetchedRows, size: int) -> int:
        return min(rows.count, self._at + max(0, size))

    def _fetchable(self) -> FetchedRows:
        """The rows to fetch from. Raises InterfaceError, and ProgrammingError if no statement has returned rows."""
        self._check_open()
        if self._rows is None:
            message = "No statement was executed" if self.result is None else "The statement has no rows to fetch"
            raise ProgrammingError(f"{message}. A query, SHOW or DESCRIBE gives some.")
        return self._rows

    # The end

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Closes the cursor and discards its rows; any later use but `close` raises InterfaceError."""
        self._closed = True
        self._rows = self.description = self.result = None

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("The cursor is closed. Open a new one: connection.cursor().")
        self.connection.check_open()

    def __enter__(self: _Self) -> _Self:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()
