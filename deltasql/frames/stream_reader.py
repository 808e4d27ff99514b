"""Tables as streams, in PySpark's words: `session.readStream.option("startingVersion", 3).table("t")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from deltasql.frames.reader import TableReader
from deltasql.frames.writer import Named
from deltasql.plan.base import TableName

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
