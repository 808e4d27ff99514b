"""Other engines as functions from a table's path to its rows, in plain form and in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
from deltalake.table import SUPPORTED_READER_FEATURES

import deltasql
from tests.oracle.client import NO_ORACLE, oracle
from tests.oracle.values import arrow_rows, in_order, plain_row

Rows = list[Any]

# Its log code reads V2 checkpoints; only the list by which its PyArrow scan refuses tables does not say so.
SUPPORTED_READER_FEATURES.add("v2Checkpoint")


def own_rows(session: deltasql.Session, query: str) -> Rows:
    """What we read."""
    return in_order([plain_row(row) for row in session.sql(query).collect()])


def delta_spark(path: Path, version: int | None = None) -> Rows:
    """What delta-spark reads, in a process of its own."""
    asof = "" if version is None else f" VERSION AS OF {version}"
    return in_order(oracle().run(f"SELECT * FROM delta.`{path}`{asof}")[0]["rows"])


def versions_of_delta_spark(path: Path, versions: Iterable[int]) -> list[Rows]:
    """What delta-spark reads of several versions, asked at once: a session for a script takes longer than a query."""
    texts = (f"SELECT * FROM delta.`{path}` VERSION AS OF {version}" for version in versions)
    return [in_order(outcome["rows"]) for outcome in oracle().run(*texts)]


def delta_rs(path: Path, version: int | None = None) -> Rows:
    """What delta-rs reads, by its own log and Parquet code."""
    table = DeltaTable(str(path), version=version)
    if not _needs_the_query_engine(table):
        return arrow_rows(table.to_pyarrow_table())
    rows = QueryBuilder().register("t", table).execute("SELECT * FROM t").read_all()
    return arrow_rows(_plain_type(pa.table(rows)))


def _needs_the_query_engine(table: DeltaTable) -> bool:
    """Deletion vectors, and files elsewhere, which a shallow clone has: the Arrow datasets of delta-rs know neither."""
    if "deletionVectors" in (table.protocol().reader_features or ()):
        return True
    return any(":/" in path for path in pa.table(table.get_add_actions())["path"].to_pylist())


def _plain_type(rows: pa.Table) -> pa.Table:
    kinds = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    return rows.cast(pa.schema([field.with_type(kinds.get(field.type, field.type)) for field in rows.schema]))


def duck(path: Path, version: int | None = None) -> Rows:
    """What DuckDB makes of the files and partition values that delta-rs lists.

    DuckDB's own Delta reader is an extension to download, which tests do without.
    """
    files = DeltaTable(str(path), version=version).to_pyarrow_dataset()
    with duckdb.connect() as connection:
        found = connection.from_arrow(files).to_arrow_table()
    # DuckDB names its zone; the instants are the same.
    return arrow_rows(found.cast(pa.schema([field.with_type(_utc(field.type)) for field in found.schema])))


def readers_of(path: Path) -> dict[str, Callable[[Path, int | None], Rows]]:
    """The engines that know the features of the table at `path`."""
    opened = DeltaTable(str(path))
    features = set(opened.protocol().reader_features or ())
    # Arrow's reader, which delta-rs uses here, looks for columns by their names in the table.
    if features & DELTA_SPARK_ONLY or "delta.columnMapping.mode" in opened.metadata().configuration:
        return {"delta-spark": delta_spark}
    if _needs_the_query_engine(opened):
        return {name: read for name, read in READERS.items() if read is not duck}
    return READERS


def _utc(kind: pa.DataType) -> pa.DataType:
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


DELTA_SPARK_ONLY = {"typeWidening", "variantType", "variantShredding", "variantShredding-preview"}

READERS: dict[str, Callable[[Path, int | None], Rows]] = {
    "delta-spark": delta_spark,
    "delta-rs": delta_rs,
    "duckdb": duck,
}
if os.environ.get(NO_ORACLE):
    del READERS["delta-spark"]
