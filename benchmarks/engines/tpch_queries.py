"""TPC-H over tables of ours and over the very same Parquet files in a plain session, in one JVM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import deltasql
from benchmarks.engines.plain_inputs import PLAIN
from benchmarks.tpch import TABLES, query


class TpchQueries:
    """Loads the files of a folder into tables of ours; plain Spark reads the files that these consist of."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours = deltasql.connect(str(folder / "tables"))
        self._spark = self._ours.sql("SELECT 1").df.sparkSession.newSession()
        for key, value in PLAIN.items():
            self._spark.conf.set(key, value)
        self._answers: dict[tuple[str, str], list[str]] = {}

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """Work is `tpch load`, from `files`, or `tpch`: a query of one of the two. Their answers must be equal."""
        if work == "tpch load":
            self._load(Path(values["files"]))
            return
        number, who = values["query"], values["who"]
        text = query(int(number), float(values["scale"]))
        rows: list[Any] = self._ours.sql(text).collect() if who == "deltasql" else self._spark.sql(text).collect()
        self._answers[number, who] = sorted(str(tuple(row)) for row in rows)
        both = [answer for (of, _), answer in self._answers.items() if of == number]
        assert both[0] == both[-1], f"query {number}: {both[0][:3]} … and {both[-1][:3]} …"

    def _load(self, files: Path) -> None:
        for name in TABLES:
            source = files / f"{name}.parquet"
            self._ours.sql(f"CREATE TABLE {name} AS SELECT * FROM parquet.`{source}`")
            table = Path(self._ours.log(name).location)
            written = [str(file) for file in table.rglob("*.parquet") if "_delta_log" not in file.parts]
            self._spark.read.parquet(*written).createOrReplaceTempView(name)
