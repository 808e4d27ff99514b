"""Data files that the driver reads as a DataFrame like Spark's, input sizes, and row ids as columns.

A workspace has the resources of one statement in this process: temporary files, and sizes of the rows sent to the
engine.

A row id is stored for a moved row, else it is the base row id of the file plus the row index. A rewrite preserves row
ids in three steps, as a compaction does: it reads with `binding.scan(…, with_ids=True)`, so that each row has ROW_ID
and ROW_VERSION; it passes both columns on (NULL version for a changed row, NULL for both in a new row); and it passes
the scan's `row_ids` to `Stage.write`, which stores them under the table's names. A scan of a table without row tracking
has no `row_ids`, and none of this happens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from deltasql.base import F, LeftToEngineError, np, pa
from deltasql.engines.choice import is_handed_out, scan_size
from deltasql.engines.spark.session.local_rows import declared_spark_schema, frame_of_file, goes_by_file, lookup
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files import (
    ADDRESS,
    DESCRIPTION,
    FEW_FILES,
    FEW_ROWS,
    KEYED_BYTES,
    ROW_BITS,
    TINY_BYTES,
    FileReader,
    encoded_name,
    file_numbers,
    file_pieces,
    reader_schema,
    spark_uri,
    tables_of,
)
from deltasql.plan import (
    METADATA,
    ROW_ID_COLUMNS,
    Literals,
    MemoryRows,
    Operator,
    Project,
    Rewrite,
    Scan,
    SourceFiles,
    SqlQuery,
    Supplied,
    children,
    evaluated_texts,
    hidden_names,
    texts_of,
)
from deltasql.schema import LONG, StructField, StructType, sql_literal, without_lengths
from deltasql.schema import quote_name as quote
from deltasql.sql import most_rows, names_collation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.engines.spark.session.spark import SparkHandle


UNKNOWN_SIZE = 1 << 40
_BYTES_PER_ROW = 8
_BYTES_OF_FOOTER = 512
_BYTES_OF_OPENING = 1 << 16
"""To open one more file of another format takes as long as to read so much of it: many want all cores."""


def input_size(operator: Operator) -> int:
    """Bytes that `operator` reads. What may be any number of rows, such as a DataFrame of the caller's, is large."""
    if estimated_rows(operator) > FEW_ROWS:
        return UNKNOWN_SIZE
    # What names a collation needs generated code, as columns with one do: see `scan_size`.
    collated = any(map(names_collation, evaluated_texts(operator)))
    return max(_bytes(operator), TINY_BYTES if collated else 0)


def _bytes(operator: Operator) -> int:
    if isinstance(operator, Scan):
        return scan_size(operator)
    if isinstance(operator, SourceFiles):
        return operator.size + len(operator.files) * _BYTES_OF_OPENING
    return sum(map(_bytes, children(operator)))


def estimated_rows(operator: Operator) -> int:
    """About the most rows that are gone through for `operator`. Of a large scan nothing is asked but its size."""
    match operator:
        case Scan():
            return _estimated(scan_size(operator) - _BYTES_OF_FOOTER * operator.files.num_rows)
        case SourceFiles():
            return _estimated(operator.size)
        case Supplied(frame):
            return frame.rows if isinstance(frame, MemoryRows) else UNKNOWN_SIZE
        case Literals() | MemoryRows():
            return operator.rows
        case SqlQuery():
            return _text_rows(operator.sql, operator.relations)
        case Rewrite():
            return _rewritten(operator)
        case _:
            texts = [sql for _, sql in operator.columns] if isinstance(operator, Project) else []
            return sum(map(estimated_rows, children(operator))) + sum(_text_rows(text, {}) for text in texts)


def _estimated(bytes_of_rows: int) -> int:
    """An estimate from the size of the files. It counts for joins: a scan alone is measured in bytes."""
    return min(max(bytes_of_rows // _BYTES_PER_ROW, 1), FEW_ROWS // 4)


def _text_rows(sql: str, relations: Mapping[str, Operator]) -> int:
    rows = most_rows(sql, {name: estimated_rows(operator) for name, operator in relations.items()})
    return UNKNOWN_SIZE if rows is None else rows


def _rewritten(operator: Rewrite) -> int:
    """Rows of the target and of the source, which are multiplied where the join has no equality."""
    target, source = estimated_rows(operator.target), 0
    if operator.join is not None:
        source = estimated_rows(operator.join.source)
        target = target if operator.join.equal_keys else target * max(source, 1)
    return target + source + sum(_text_rows(text, operator.relations) for text in texts_of(operator))


class Workspace:
    """Keeps objects such as temporary folders alive for a statement, and counts the bytes sent to the engine."""

    def __init__(self) -> None:
        self.sent = 0
        """Bytes of the rows that were sent to the engine, in Arrow's memory format."""
        self._retained: list[object] = []

    def retain(self, item: object) -> None:
        """Keeps a reference to an object that is deleted when unreferenced, such as a temporary folder."""
        self._retained.append(item)


FILE_NUMBER_SQL = f"shiftright({hidden_names.ROW_ADDRESS}, {ROW_BITS})"
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
    fields = {"row_index": f"({hidden_names.ROW_ADDRESS} & {2**ROW_BITS - 1})"}
    few = len(paths) <= FEW_FILES
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


_FILE_FIELDS = {
    "file_path": "STRING",
    "file_name": "STRING",
    "file_size": "BIGINT",
    "file_block_start": "BIGINT",
    "file_block_length": "BIGINT",
    "file_modification_time": "TIMESTAMP",
    "row_index": "BIGINT",
}
_ID_FIELDS = {
    "row_id": hidden_names.ROW_ID,
    "base_row_id": hidden_names.FIRST_ID,
    "default_row_commit_version": hidden_names.FIRST_VERSION,
    "row_commit_version": hidden_names.ROW_VERSION,
}


def stored_fields(operator: Scan) -> tuple[StructField, ...]:
    """Data file columns that store the ids and versions of moved rows; NULL in files that lack them."""
    columns = operator.row_ids
    return () if columns is None else (StructField(columns.row_id, LONG), StructField(columns.version, LONG))


def read_columns(operator: Scan, file_key: str) -> dict[str, str]:
    """Hidden columns that a read adds for row ids and METADATA: name → SQL. `file_key` is SQL of the file's key."""
    columns = {hidden_names.DESCRIBED: "_metadata"} if operator.described else {}
    if operator.row_ids is not None:
        columns |= {hidden_names.ID_FILE: file_key, hidden_names.ID_POSITION: "_metadata.row_index"}
        columns |= {
            hidden_names.MOVED_ID: quote(operator.row_ids.row_id),
            hidden_names.MOVED_VERSION: quote(operator.row_ids.version),
        }
    return columns


def with_row_ids(
    spark: SparkHandle, operator: Scan, frame: DataFrame, paths: Sequence[str], key_of: Callable[[str], str]
) -> DataFrame:
    """`frame`, which has the columns of `read_columns`, with ROW_ID, ROW_VERSION and METADATA as the scan requests."""
    if operator.row_ids is not None:
        frame = _with_first_ids(spark, operator, frame, paths, key_of)
        row_id, version = (
            f"coalesce({hidden_names.MOVED_ID}, {hidden_names.FIRST_ID} + {hidden_names.ID_POSITION})",
            f"coalesce({hidden_names.MOVED_VERSION}, {hidden_names.FIRST_VERSION})",
        )
        frame = frame.withColumns({hidden_names.ROW_ID: F.expr(row_id), hidden_names.ROW_VERSION: F.expr(version)})
    return frame.withColumn(METADATA, F.expr(_description(operator))) if operator.described else frame


def _with_first_ids(
    spark: SparkHandle, operator: Scan, frame: DataFrame, paths: Sequence[str], key_of: Callable[[str], str]
) -> DataFrame:
    """`frame` with the base row id and commit version of each row's file: literals for one file, else a small join."""
    selected = set(paths)
    columns = [operator.files.column(name).to_pylist() for name in ("location", *ROW_ID_COLUMNS)]
    firsts = [(key_of(path), *rest) for path, *rest in zip(*columns, strict=True) if path in selected]
    if len(firsts) == 1:
        ((_, first, version),) = firsts
        literals = {
            hidden_names.FIRST_ID: F.lit(first).cast("bigint"),
            hidden_names.FIRST_VERSION: F.lit(version).cast("bigint"),
        }
        return frame.withColumns(literals)
    files, ids, versions = zip(*firsts, strict=True)
    id_columns = {
        hidden_names.ID_FILE: (pa.string(), files),
        hidden_names.FIRST_ID: (pa.int64(), ids),
        hidden_names.FIRST_VERSION: (pa.int64(), versions),
    }
    return frame.join(F.broadcast(lookup(spark, id_columns)), hidden_names.ID_FILE)


def without_ids(scan: Scan) -> Scan:
    """`scan` without row ids, for a job that only searches for rows."""
    return scan if scan.row_ids is None else replace(scan, row_ids=None)


def metadata_type(operator: Scan) -> str:
    """The SQL type of the column METADATA."""
    ids = dict.fromkeys(_ID_FIELDS, "BIGINT") if operator.row_ids is not None else {}
    return f"STRUCT<{', '.join(f'{name}: {kind}' for name, kind in {**_FILE_FIELDS, **ids}.items())}>"


def _description(operator: Scan) -> str:
    """SQL that computes the column METADATA."""
    if operator.row_ids is None:
        return hidden_names.DESCRIBED
    fields = {**{name: f"{hidden_names.DESCRIBED}.{name}" for name in _FILE_FIELDS}, **_ID_FIELDS}
    return f"named_struct({', '.join(f'{name!r}, {value}' for name, value in fields.items())})"
