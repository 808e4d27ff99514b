"""Tables as DataFrames, in PySpark's words: `session.read.option("versionAsOf", 3).table("t")`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deltasql.errors.frames import (
    ChangeBoundariesError,
    IllegalOptionError,
    InvalidVersionOptionError,
    MissingPathError,
    MissingStartError,
    ReadOptionsError,
    UnsupportedReadSchemaError,
)
from deltasql.frames.writer import Optioned, at
from deltasql.plan.base import quote
from deltasql.schema.text import quote_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class FrameReader(Optioned):
    """PySpark's DataFrameReader for the tables of a session."""

    def __init__(self, rows: Callable[[str], DataFrame]) -> None:
        super().__init__()
        self._rows = rows

    def schema(self, schema: Any) -> FrameReader:
        """Raises UnsupportedReadSchemaError."""
        raise UnsupportedReadSchemaError

    def table(self, tableName: str) -> DataFrame:
        """The rows of a table of the catalog, at the version or over the changes that the options say."""
        if self._is_on("readchangefeed") or self._is_on("readchangedata"):
            return self._changes("table_changes", tableName)
        return self._rows(f"SELECT * FROM {tableName}{self._version()}")

    def load(self, path: str | None = None, format: str | None = None, **options: Any) -> DataFrame:
        """The rows of the table at `path`, or at the option of that name."""
        self.options(**options)
        if format is not None:
            self.format(format)
        place = path or self._options.get("path")
        if place is None:
            raise MissingPathError
        location = at(place).parts[1]
        if self._is_on("readchangefeed") or self._is_on("readchangedata"):
            return self._changes("table_changes_by_path", location)
        return self._rows(f"SELECT * FROM delta.{quote(location)}{self._version()}")

    def _is_on(self, option: str) -> bool:
        value = self._options.get(option, "false")
        if value.lower() not in {"true", "false"}:
            raise IllegalOptionError("readChangeFeed", repr(value), "true or false")
        return value.lower() == "true"

    def _version(self) -> str:
        """The clause that names the version that is read."""
        version, timestamp = self._options.get("versionasof"), self._options.get("timestampasof")
        if version is not None and timestamp is not None:
            raise ReadOptionsError("versionAsOf", "timestampAsOf")
        if version is not None:
            if not version.strip().isdecimal():
                raise InvalidVersionOptionError(repr(version))
            return f" VERSION AS OF {version}"
        return "" if timestamp is None else f" TIMESTAMP AS OF {quote_text(timestamp)}"

    def _changes(self, function: str, table: str) -> DataFrame:
        start, end = self._bound("starting"), self._bound("ending")
        if start is None:
            raise MissingStartError
        bounds = [quote_text(table), start, *([] if end is None else [end])]
        return self._rows(f"SELECT * FROM {function}({', '.join(bounds)})")

    def _bound(self, end: str) -> str | None:
        """The SQL of the first or last version or moment of the changes."""
        version, timestamp = self._options.get(f"{end}version"), self._options.get(f"{end}timestamp")
        if version is not None and timestamp is not None:
            verb = "start" if end == "starting" else "end"
            raise ChangeBoundariesError(f"{end}Version", f"{end}Timestamp", verb)
        if version is not None:
            return _number(f"{end}Version", version)
        return None if timestamp is None else quote_text(timestamp)


def _number(option: str, value: str) -> str:
    if not value.strip().isdecimal():
        raise IllegalOptionError(option, repr(value), "a version: a whole number from 0 on")
    return value.strip()
