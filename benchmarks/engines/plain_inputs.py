"""deltasql and plain Spark in one JVM, over inputs that are no tables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import deltasql

PLAIN = {
    # What Spark comes with, where a session of deltasql's has settings of its own.
    "spark.sql.shuffle.partitions": "200",
    "spark.sql.leafNodeDefaultParallelism": str(os.cpu_count() or 1),
}
COLUMNS = "id, id % 1000 AS k, id * 0.5 AS amount"
PARTS = 8


class PlainInputs:
    """One session of deltasql's own and one that was handed a Spark session with plain settings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours = deltasql.connect(str(folder / "ours"))
        self._spark = self._ours.sql("SELECT 1").df.sparkSession.newSession()
        for key, value in PLAIN.items():
            self._spark.conf.set(key, value)
        self._spark.conf.unset("spark.deltasql.own")
        self._on_plain = deltasql.connect(str(folder / "plain"), self._spark)
        self._made: set[int] = set()

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """Work is `plain`: a statement of one of the two, over so many rows of a source."""
        rows = int(values["rows"])
        ours = values["who"] == "deltasql"
        source = f"(SELECT {COLUMNS} FROM {self._input(values['source'], rows)})"
        table = f"t_{values['source']}_{rows}_{values['number']}"
        match values["statement"]:
            case "aggregate":
                query = f"SELECT k, sum(amount), count(*) FROM {source} GROUP BY k"
                (self._ours.sql(query) if ours else self._spark.sql(query)).collect()
            case "CREATE TABLE AS" if ours:
                self._ours.sql(f"CREATE TABLE {table} AS SELECT * FROM {source}")
            case "INSERT" if ours:
                self._ours.sql(f"INSERT INTO {table} SELECT * FROM {source}")
            case "CREATE TABLE AS" | "INSERT" as statement:
                mode = "append" if statement == "INSERT" else "overwrite"
                self._spark.sql(f"SELECT * FROM {source}").write.mode(mode).parquet(str(self._folder / "files" / table))
            case "MERGE":
                self._merge(ours, table, source, rows)

    def _merge(self, ours: bool, table: str, source: str, rows: int) -> None:
        """Half of the source's rows match."""
        session = self._ours if ours else self._on_plain
        session.sql(f"CREATE TABLE {table}_m AS SELECT {COLUMNS} FROM range({rows // 20})").collect()
        session.sql(
            f"MERGE INTO {table}_m t USING (SELECT * FROM {source} WHERE id < {rows // 10}) s ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET amount = s.amount WHEN NOT MATCHED THEN INSERT *"
        )
        for name in (f"{table}_m", *([table] if ours else [])):
            session.sql(f"DROP TABLE {name}")
        shutil.rmtree(self._folder / "files" / table, ignore_errors=True)

    def _input(self, source: str, rows: int) -> str:
        if rows not in self._made:
            self._make(rows)
        folder = self._folder / "inputs"
        return {
            "range": f"range({rows})",
            "csv": f"(SELECT CAST(_c0 AS BIGINT) AS id FROM csv.`{folder}/csv-{rows}`)",
            "parquet": f"parquet.`{folder}/parquet-{rows}`",
            "view": f"theirs_{rows}",
        }[source]

    def _make(self, rows: int) -> None:
        """The files, and a temp view of a DataFrame over them in either session."""
        self._made.add(rows)
        ids = self._spark.range(0, rows, 1, PARTS)
        for kind in ("csv", "parquet"):
            ids.write.mode("overwrite").format(kind).save(str(self._folder / "inputs" / f"{kind}-{rows}"))
        for spark in (self._spark, self._ours.sql("SELECT 1").df.sparkSession):
            frame = spark.read.parquet(str(self._folder / "inputs" / f"parquet-{rows}"))
            frame.createOrReplaceTempView(f"theirs_{rows}")
