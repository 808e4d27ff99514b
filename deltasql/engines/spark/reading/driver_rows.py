"""Data files that the driver reads, as a DataFrame like the one that Spark's own reader makes of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import np, pa
from deltasql.engines.choice import is_handed_out
from deltasql.engines.spark.reading.input_size import Workspace
from deltasql.engines.spark.session.local_rows import declared_spark_schema, frame_of_file, goes_by_file
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files.memory import KEYED_BYTES, NUMBERED_FILES
from deltasql.files.reading.file_reader import (
    ADDRESS,
    DESCRIPTION,
    ROW_BITS,
    FileReader,
    encoded_name,
    reader_schema,
    spark_uri,
    tables_of,
)
from deltasql.files.reading.file_tables import file_numbers, file_pieces
from deltasql.plan.base import ROW_ADDRESS
from deltasql.plan.operators import Scan
from deltasql.schema.text import sql_literal, without_lengths
from deltasql.schema.types import (
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILE_NUMBER_SQL = f"shiftright({ROW_ADDRESS}, {ROW_BITS})"
"""SQL of the number of a row's file."""
_OF_METADATA = re.compile(r"_metadata\.(\w+)")

Spelling = Callable[[str], str]
"""SQL over a scan's rows, from SQL that may refer to `_metadata`."""


def driver_rows(
    spark: SparkHandle,
    operator: Scan,
    stored: StructType,
    paths: Sequence[str],
    *,
    may_be_missing: bool,
    with_metadata: bool,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
    work: Workspace,
) -> tuple[DataFrame, Spelling]:
    """The rows of some files with the columns `stored`; `with_metadata`: for SQL that refers to `_metadata`.

    Those at the positions that `marked` has for a path are left out, or with `marked_only` of the scan all others.
    `work` keeps what the rows need for as long as they may be asked for.

    Files stand in the order of `paths`, absolute and decoded. Raises DataFileNotFoundError for one that is gone, unless
    it `may_be_missing`, UnreadableDataFileError, and LeftToEngineError where one has days of another calendar.
    """
    spelling, added = _metadata_columns(operator, paths) if with_metadata else (as_it_is, ())
    columns = StructType((*without_lengths(stored), *added))
    reader = FileReader(spark.stores, operator, columns)
    pieces = file_pieces(reader, paths, may_be_missing=may_be_missing, marked=marked)
    tables, target = _limited(spark, operator, tables_of(piece for _, piece in pieces)), reader_schema(columns)
    limited, size = list[pa.Table](), 0
    for table in tables:
        limited.append(table)
        size += table.nbytes
        # Rows of a DataFrame for the caller are sent: it may outlive a file.
        if goes_by_file(spark, size) and not is_handed_out():
            return frame_of_file(spark, _whole_tables(operator, chain(limited, tables)), target, work.retain), spelling
    # PySpark takes no column without a chunk, which those of tables may be whose rows were all left out.
    filled = any(table.num_rows for table in limited)
    rows = pa.concat_tables(limited) if filled else target.empty_table()
    if operator.in_process is not None:
        # What is left of many pieces would be as many tasks.
        rows = rows.combine_chunks()
    work.sent += rows.nbytes
    return spark.session.createDataFrame(rows, declared_spark_schema(columns)), spelling


def _whole_tables(operator: Scan, tables: Iterable[pa.Table]) -> Iterable[pa.Table]:
    """`tables`, united where each has few rows: see `ReadInProcess`."""
    return tables if operator.in_process is None else [pa.concat_tables(list(tables)).combine_chunks()]


def _limited(spark: SparkHandle, operator: Scan, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of files. Raises LeftToEngineError where too many have one of the keys that a scan looks for."""
    size, most = 0, math.inf
    if operator.in_process is not None and spark.capabilities.metadata and not operator.marked_only:
        most = KEYED_BYTES
    for table in tables:
        size += table.nbytes
        if size > most:
            raise LeftToEngineError(f"more than {most:,} bytes of rows have a key of the source")
        yield table


def _metadata_columns(operator: Scan, paths: Sequence[str]) -> tuple[Spelling, tuple[StructField, ...]]:
    """How `_metadata` is spelled, and the columns that it takes: the place of each row, and the struct where needed.

    Texts of 100 bytes and more for each row are most of what is sent to the engine, where the statement needs them for
    a few rows at the end.
    """
    fields = {"row_index": f"({ROW_ADDRESS} & {2**ROW_BITS - 1})"}
    few = len(paths) <= NUMBERED_FILES
    if few:
        numbers = file_numbers(operator)
        fields["file_path"] = _chosen({numbers[path]: spark_uri(path) for path in paths})
        fields["file_name"] = _chosen({numbers[path]: encoded_name(path) for path in paths})
    added = (ADDRESS,) if few and not operator.described else (ADDRESS, DESCRIPTION)
    return lambda sql: _OF_METADATA.sub(lambda match: fields.get(match[1], match[0]), sql), added


def _chosen(texts: Mapping[int, str]) -> str:
    """SQL of the text of a row's file, by the number of the file. Never a constant, which Sail cannot hash."""
    cases = " ".join(f"WHEN {number} THEN {sql_literal(text)}" for number, text in texts.items())
    return f"CASE {FILE_NUMBER_SQL} {cases} END" if texts else "CAST(NULL AS STRING)"


def as_it_is(sql: str) -> str:
    """SQL of rows that have `_metadata`."""
    return sql
