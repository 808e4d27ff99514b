"""Readers and writers of tables in PySpark's words: DataFrames, streams from tables, and streams into tables.

- `session.read.option("versionAsOf", 3).table("t")`
- `session.readStream.option("startingVersion", 3).table("t")`
- `session.writeStream(df).option("checkpointLocation", …).toTable("t")`

A stream into a table writes each row once: every micro-batch is one commit, with a note of the query's id and the
batch's number. When a query dies between that commit and the one of its checkpoint, Spark runs the batch again, and the
note says that it is committed already. Source: Delta protocol, Transaction Identifiers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from deltasql.base import errors
from deltasql.files import Option, Options, frame_options
from deltasql.plan import TableName
from deltasql.schema import quote_name as quote
from deltasql.schema import quote_text
from deltasql.session.frames.writer import Named, Optioned, Run, at, column_names
from deltasql.statements import StreamBatch, WriteFrame, WriteMode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


class TableReader(Optioned):
    """Base class of readers of rows and of streams."""

    def schema(self, schema: Any) -> TableReader:
        """Always raises UnsupportedReadSchemaError."""
        raise errors.UnsupportedReadSchemaError

    def _location(self, path: str | None, format: str | None, options: Mapping[str, Any]) -> TableName:
        """Sets options and format; the table at `path`, or at the option `path`. Raises MissingPathError."""
        self.options(**options)
        if format is not None:
            self.format(format)
        location = path or self._options.get("path")
        if location is None:
            raise errors.MissingPathError
        return at(location)


class FrameReader(TableReader):
    """PySpark's DataFrameReader for the tables of a session."""

    def __init__(self, rows: Callable[[str], DataFrame]) -> None:
        super().__init__()
        self._rows = rows

    def table(self, tableName: str) -> DataFrame:
        """The rows of a table of the catalog, at the version of the options, or its change data feed."""
        if self._reads_changes():
            return self._changes("table_changes", tableName)
        return self._rows(f"SELECT * FROM {tableName}{self._version()}")

    def load(self, path: str | None = None, format: str | None = None, **options: Any) -> DataFrame:
        """The rows of the table at `path`, or at the option `path`; options as for `table`."""
        location = self._location(path, format, options).parts[1]
        if self._reads_changes():
            return self._changes("table_changes_by_path", location)
        return self._rows(f"SELECT * FROM delta.{quote(location)}{self._version()}")

    def _reads_changes(self) -> bool:
        options = Options(self._options)
        return options[frame_options.READ_CHANGE_FEED] or options[frame_options.READ_CHANGE_DATA]

    def _version(self) -> str:
        """The time travel clause of the options, "" without one. Raises ReadOptionsError."""
        options = Options(self._options)
        timestamp = options[frame_options.TIMESTAMP_AS_OF]
        if frame_options.VERSION_AS_OF.name.lower() in options.texts and timestamp is not None:
            raise errors.ReadOptionsError(frame_options.VERSION_AS_OF.name, frame_options.TIMESTAMP_AS_OF.name)
        version = options[frame_options.VERSION_AS_OF]
        if version is not None:
            return f" VERSION AS OF {version}"
        return "" if timestamp is None else f" TIMESTAMP AS OF {quote_text(timestamp)}"

    def _changes(self, function: str, table: str) -> DataFrame:
        start = self._bound(frame_options.FIRST_VERSION, frame_options.FIRST_TIMESTAMP, "start")
        end = self._bound(frame_options.LAST_VERSION, frame_options.LAST_TIMESTAMP, "end")
        if start is None:
            raise errors.MissingStartError
        bounds = [quote_text(table), start, *([] if end is None else [end])]
        return self._rows(f"SELECT * FROM {function}({', '.join(bounds)})")

    def _bound(self, of_version: Option[int | None], of_time: Option[str | None], verb: str) -> str | None:
        """The SQL of a bound (version or timestamp) of the changes; None without one. Raises ChangeBoundariesError."""
        options = Options(self._options)
        timestamp = options[of_time]
        if of_version.name.lower() in options.texts and timestamp is not None:
            raise errors.ChangeBoundariesError(of_version.name, of_time.name, verb)
        version = options[of_version]
        if version is not None:
            return str(version)
        return None if timestamp is None else quote_text(timestamp)


class StreamReader(TableReader):
    """PySpark's DataStreamReader for the tables of a session. Options are checked before a query starts."""

    def __init__(self, rows: Callable[[TableName, Mapping[str, str]], DataFrame], named: Named) -> None:
        super().__init__()
        self._rows, self._named = rows, named

    def table(self, tableName: str) -> DataFrame:
        """The rows of a table of the catalog, as they come."""
        return self._rows(self._named(tableName), self._options)

    def load(self, path: str | None = None, format: str | None = None, **options: Any) -> DataFrame:
        """The rows of the table at `path`, or at the option of that name, as they come."""
        location = self._location(path, format, options)
        return self._rows(location, self._options)


MODES = {"append": WriteMode.APPEND, "complete": WriteMode.OVERWRITE}
_MOST_SECONDS = 300

Batch = Callable[["DataFrame", int], None]


class StreamWriter(Optioned):
    """PySpark's DataStreamWriter for the tables of a session."""

    def __init__(
        self,
        frame: DataFrame,
        run: Run,
        named: Named,
        create: Callable[[WriteFrame], None],
        located: Callable[[str], str],
    ) -> None:
        super().__init__()
        self._located = located
        self._frame, self._run, self._named, self._create = frame, run, named, create
        self._mode = "append"
        self._name: str | None = None
        self._trigger: dict[str, Any] = {}
        self._partitioned: tuple[str, ...] | None = None
        self._clustered: tuple[str, ...] | None = None

    def outputMode(self, outputMode: str) -> StreamWriter:
        """append (the default) or complete. Raises OutputModeError."""
        if outputMode.lower() not in MODES:
            raise errors.OutputModeError(outputMode)
        self._mode = outputMode.lower()
        return self

    def queryName(self, queryName: str) -> StreamWriter:
        self._name = queryName
        return self

    def trigger(self, **trigger: Any) -> StreamWriter:
        """processingTime='10 seconds', once=True or availableNow=True, as in PySpark."""
        self._trigger = trigger
        return self

    def partitionBy(self, *cols: str | Iterable[str]) -> StreamWriter:
        self._partitioned = column_names(cols)
        return self

    def clusterBy(self, *cols: str | Iterable[str]) -> StreamWriter:
        self._clustered = column_names(cols)
        return self

    def toTable(self, tableName: str) -> StreamingQuery:
        """Starts the query; the table is made at once if it is missing."""
        name = self._named(tableName)
        self._create(self._write(name, self._frame, None))
        return self._started(name)

    def start(self, path: str | None = None) -> StreamingQuery:
        """Starts the query into the table at `path`, which its first batch makes if it is missing."""
        location = path or self._options.get("path")
        if location is None:
            raise errors.UnsupportedWriteError("start() without a path", "Name it: start(path), or toTable(name).")
        return self._started(at(location))

    def _started(self, table: TableName) -> StreamingQuery:
        if type(self._frame).__module__.startswith("pyspark.sql.connect"):
            raise errors.UnsupportedWriteError(
                "A stream of Spark Connect", "Start it where Spark runs, in a classic session."
            )
        query = _QueryId()
        writer = self._frame.writeStream.outputMode(self._mode).foreachBatch(self._batch(table, query))
        # What is the table's is not for Spark's own sink.
        options = {key: value for key, value in self._options.items() if key != "path"}
        if _CHECKPOINT in options:
            options[_CHECKPOINT] = self._located(options[_CHECKPOINT])
        writer = writer.options(**options)
        if self._name is not None:
            writer = writer.queryName(self._name)
        if self._trigger:
            writer = writer.trigger(**self._trigger)
        started = writer.start()
        query.tell(started.id)
        return started

    def _batch(self, table: TableName, query: _QueryId) -> Batch:
        def write(rows: DataFrame, number: int) -> None:
            batch = StreamBatch(query.wait(), number, self._mode.capitalize())
            self._run(self._write(table, rows, batch))

        return write

    def _write(self, table: TableName, rows: DataFrame, batch: StreamBatch | None) -> WriteFrame:
        options = {key: value for key, value in self._options.items() if key not in _SPARKS}
        return WriteFrame(table, rows, MODES[self._mode], options, self._partitioned, self._clustered, batch=batch)


_CHECKPOINT = "checkpointlocation"
_SPARKS = frozenset({_CHECKPOINT, "txnappid", "txnversion"})
"""Options that say nothing of the table, or that the query's own id and numbers stand for."""


class _QueryId:
    """The id of a query. Its first batch may begin before `start` has returned it, and waits for it."""

    def __init__(self) -> None:
        self._is_set = threading.Event()
        self._id = ""

    def tell(self, query_id: str) -> None:
        self._id = query_id
        self._is_set.set()

    def wait(self) -> str:
        self._is_set.wait(_MOST_SECONDS)
        assert self._is_set.is_set(), "the query has no id"
        return self._id
