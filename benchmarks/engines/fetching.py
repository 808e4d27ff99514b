"""deltasql's cursor and plain Spark, over the same files in one JVM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import deltasql
from deltasql.clients import dbapi

COLUMNS = 10


class Fetching:
    """One table of whole numbers; plain Spark is a session of its own, which reads the files of the table."""

    def __init__(self, folder: Path) -> None:
        self._session = deltasql.connect(str(folder / "warehouse"))
        self._connection = dbapi.connect(self._session)

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """Work is `fetch make`, or `fetch` of all rows as Arrow by `who`."""
        rows = int(values["rows"])
        if work == "fetch make":
            columns = ", ".join(f"id + {number} AS c{number}" for number in range(COLUMNS - 1))
            self._session.sql(f"CREATE TABLE wide AS SELECT id, {columns} FROM range({rows})")
            frame = self._session.sql("SELECT * FROM wide").df
            self._plain = frame.sparkSession.newSession().read.parquet(*frame.inputFiles())
            return
        if values["who"] == "deltasql":
            found = self._connection.cursor().execute("SELECT * FROM wide").fetchall_arrow()
        else:
            found = self._plain.toArrow()
        assert (found.num_rows, found.num_columns) == (rows, COLUMNS)
