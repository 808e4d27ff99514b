"""Tables as DataFrames, in PySpark's words: `session.read.option("versionAsOf", 3).table("t")`.

Tables as streams, in PySpark's words: `session.readStream.option("startingVersion", 3).table("t")`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.statements.frames import (
    ChangeBoundariesError,
    MissingPathError,
    MissingStartError,
    ReadOptionsError,
    UnsupportedReadSchemaError,
)
from deltasql.files.frame_options import (
    FIRST_TIMESTAMP,
    FIRST_VERSION,
    LAST_TIMESTAMP,
    LAST_VERSION,
    READ_CHANGE_DATA,
    READ_CHANGE_FEED,
    TIMESTAMP_AS_OF,
    VERSION_AS_OF,
    Option,
    Options,
)
from deltasql.plan.base import TableName, quote
from deltasql.schema.text import quote_text
from deltasql.session.frames.writer import Named, Optioned, at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class TableReader(Optioned):
    """Base class of readers of rows and of streams."""

    def schema(self, schema: Any) -> TableReader:
        """Always raises UnsupportedReadSchemaError."""
        raise UnsupportedReadSchemaError

    def _location(self, path: str | None, format: str | None, options: Mapping[str, Any]) -> TableName:
        """Sets options and format; the table at `path`, or at the option `path`. Raises MissingPathError."""
        self.options(**options)
        if format is not None:
            self.format(format)
        location = path or self._options.get("path")
        if location is None:
            raise MissingPathError
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
        return options[READ_CHANGE_FEED] or options[READ_CHANGE_DATA]

    def _version(self) -> str:
        """The time travel clause of the options, "" without one. Raises ReadOptionsError."""
        options = Options(self._options)
        timestamp = options[TIMESTAMP_AS_OF]
        if VERSION_AS_OF.name.lower() in options.texts and timestamp is not None:
            raise ReadOptionsError(VERSION_AS_OF.name, TIMESTAMP_AS_OF.name)
        version = options[VERSION_AS_OF]
        if version is not None:
            return f" VERSION AS OF {version}"
        return "" if timestamp is None else f" TIMESTAMP AS OF {quote_text(timestamp)}"

    def _changes(self, function: str, table: str) -> DataFrame:
        start = self._bound(FIRST_VERSION, FIRST_TIMESTAMP, "start")
        end = self._bound(LAST_VERSION, LAST_TIMESTAMP, "end")
        if start is None:
            raise MissingStartError
        bounds = [quote_text(table), start, *([] if end is None else [end])]
        return self._rows(f"SELECT * FROM {function}({', '.join(bounds)})")

    def _bound(self, of_version: Option[int | None], of_time: Option[str | None], verb: str) -> str | None:
        """The SQL of a bound (version or timestamp) of the changes; None without one. Raises ChangeBoundariesError."""
        options = Options(self._options)
        timestamp = options[of_time]
        if of_version.name.lower() in options.texts and timestamp is not None:
            raise ChangeBoundariesError(of_version.name, of_time.name, verb)
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
