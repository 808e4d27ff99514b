"""deltasql on Sail, and Sail alone over the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import deltasql
from benchmarks.statements import STATEMENTS

_MERGE = STATEMENTS["merge_rows"].replace("parquet.`{changes}`", "{source}")


class OnSail:
    """One session for the life of the process. Raises where Sail is not installed."""

    def __init__(self, folder: Path) -> None:
        self._warehouse = folder / "warehouse"
        self._session = deltasql.connect(str(self._warehouse), engine="sail")
        self._sources: dict[str, str] = {}
        self._sail = self._session.sql("SELECT 1").df.sparkSession

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """See Engine. Besides the statements: `select alone`, Sail's own reader of Delta tables.

        Files of Parquet are read by Arrow, and what is merged is a table, which is made when it is first asked for.
        """
        match work:
            case "select alone":
                self._sail.read.format("delta").load(str(self._warehouse / values["table"])).collect()
            case "write_rows":
                self._write(values["table"], values["rows"])
            case "merge_rows":
                self._session.sql(_MERGE.format(table=values["table"], source=self._source(values["changes"])))
            case "expect":
                rows = [", ".join(map(str, row)) for row in self._session.sql(values["query"]).collect()]
                assert rows == [values["rows"]], rows
            case _:
                self._session.sql(STATEMENTS[work].format(**values)).collect()

    def _write(self, table: str, folder: str) -> None:
        import pyarrow.parquet as pq

        writer = self._session.write(pq.read_table(folder)).option("delta.enableDeletionVectors", "false")
        writer.mode("overwrite").saveAsTable(table)

    def _source(self, folder: str) -> str:
        if folder not in self._sources:
            self._sources[folder] = f"changes_{len(self._sources)}"
            self._write(self._sources[folder], folder)
        return self._sources[folder]
