"""Scans → DataFrames: data columns from the files, partition columns from the log, without deleted rows.

Rows marked by deletion vectors are left out, or are the only ones that stay. A bitmap up to a file's last marked row is
looked up by row index. Measured on 5 M rows of which 1 % are marked: a scan takes 1.3 times as long as without vectors,
and 2.4 times with a join on file and row index, which is left for bitmaps of too many bits.

DataFrames of scans are cached for later statements: to make one costs Spark as much as a small query, since it lists
the files, and analyses the relation and the selected columns. A DataFrame over files names them, whatever the caller
makes of it; rows that the driver has read are marked with the table that they come from instead.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from deltasql.base import F, LeftToEngineError, errors, np, pa, session_settings
from deltasql.engines.choice import is_handed_out, moved_in_process, only_for_spark, scan_size
from deltasql.engines.spark.reading.driver_rows import (
    FILE_NUMBER_SQL,
    Spelling,
    Workspace,
    as_it_is,
    driver_rows,
    metadata_type,
    read_columns,
    stored_fields,
    with_row_ids,
)
from deltasql.engines.spark.session.local_rows import declared_spark_schema, lookup, no_rows, spark_json, spark_type
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.tuning import FOR_SCANS
from deltasql.files import (
    BROADCAST_ROWS,
    FEW_BYTES,
    FEW_FILES,
    OLD_DAYS,
    UNSURE_BOUNDS,
    bounds_are_sure,
    deleted_by_file,
    file_numbers,
    located,
    readable_files,
    vector_positions,
)
from deltasql.log import file_state, hadoop_location, is_local, local_path, table_location
from deltasql.plan import METADATA, Scan, hidden, hidden_names
from deltasql.schema import (
    DOUBLE,
    FLOAT,
    PARQUET_FIELD_ID,
    TYPE_KEY,
    VOID,
    DataType,
    DecimalType,
    PrimitiveType,
    StructField,
    StructType,
    case_matters,
    declared_length,
    declared_texts,
    has_lengths,
    is_mapped,
    physical_name,
    physical_schema,
    sql_literal,
    sql_text,
    with_lengths,
    without_lengths,
    without_metadata,
)
from deltasql.schema import quote_name as quote

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType as SparkStruct


Vectors = Mapping[str, Mapping[str, Any]]
"""Descriptors of deletion vectors by the location of their file, as in the log."""
NO_VECTORS: Vectors = MappingProxyType({})

_PATTERN_CHARS = re.compile(r"[{}\[\]*?\\]")


def scan(spark: SparkHandle, operator: Scan, work: Workspace) -> DataFrame:
    """The rows of a scan: data columns from the files, partition columns from the log.

    `work` keeps the resources that the rows need alive.
    """
    names = [field.name for field in operator.schema]
    if not spark.capabilities.metadata and (barred := only_for_spark(operator.schema)):
        raise errors.NotOnSailError(what=barred)
    if operator.files.num_rows == 0:
        return _select(spark, _empty(spark, operator), names, operator)
    operator = located(operator)
    partitions = [name for name in operator.partition_columns if operator.schema.find(name)]
    if not partitions:
        return _select(
            spark, _read(spark, operator, operator.files.column("location").to_pylist(), work), names, operator
        )
    groups = _partition_groups(operator, partitions)
    if len(groups) == 1:
        ((values, paths),) = groups.items()
        return _literal_group(spark, operator, names, values, paths, work)
    # Not a union of one scan per partition: Spark fails to plan a correlated sub-query in a projection over that.
    return _joined_groups(spark, operator, names, partitions, groups, work)


def file_rows(spark: SparkHandle, operator: Scan, schema: StructType, extra: Mapping[str, str]) -> DataFrame:
    """The live rows of a scan's files: the data columns `schema`, and the columns `extra` (name → SQL).

    The SQL of `extra` may refer to `_metadata`.
    """
    one_file = replace(operator, schema=schema, identity=False)
    return _read(spark, one_file, operator.files.column("location").to_pylist(), Workspace(), extra)


def _empty(spark: SparkHandle, operator: Scan) -> DataFrame:
    frame = no_rows(spark, operator.schema)
    unfilled = {
        hidden_names.ROW_FILE: "STRING",
        hidden_names.ROW_INDEX: "BIGINT",
        hidden_names.ROW_ADDRESS: "BIGINT",
        hidden_names.ROW_ID: "BIGINT",
        hidden_names.ROW_VERSION: "BIGINT",
    }
    if operator.described:
        unfilled[METADATA] = metadata_type(operator)
    return frame.selectExpr("*", *(f"CAST(NULL AS {kind}) AS {name}" for name, kind in unfilled.items()))


def _read(
    spark: SparkHandle,
    operator: Scan,
    paths: list[str],
    work: Workspace,
    extra: Mapping[str, str] = MappingProxyType({}),
) -> DataFrame:
    """The live rows of some files: data columns, columns that identify a row if the scan wants them, and `extra`.

    Partition columns are left out, and VOID columns, which no file contains, are NULL.
    """
    key, key_of = file_key(spark, operator, paths)
    columns = {**extra, **read_columns(operator, key)}
    if operator.identity:
        columns |= {hidden_names.ROW_FILE: "_metadata.file_path", hidden_names.ROW_INDEX: "_metadata.row_index"}
        columns |= {} if spark.capabilities.metadata else {hidden_names.ROW_ADDRESS: hidden_names.ROW_ADDRESS}
    marked = deleted_by_file(operator, paths)
    if not spark.capabilities.metadata or operator.in_process is not None:
        try:
            frame = _columns(spark, operator, paths, work, columns, marked)
        except LeftToEngineError:
            if operator.marked_only:
                # The caller reads the other rows in this process, too.
                raise
            return _read(spark, replace(operator, in_process=None), paths, work, extra)
    elif marked:
        frame = _columns(
            spark,
            operator,
            paths,
            work,
            {**columns, hidden_names.MARKED_FILE: key, hidden_names.MARKED_ROW: "_metadata.row_index"},
        )
        positions = {key_of(path): vector_positions(spark.stores, operator, vector) for path, vector in marked.items()}
        frame = without_marked(spark, frame, positions, only=operator.marked_only)
    else:
        frame = _columns(spark, operator, paths, work, columns)
    frame = with_row_ids(spark, operator, frame, paths, key_of)
    voids = {item.name: F.lit(None) for item in operator.schema if item.type == VOID}
    return frame.withColumns(voids) if voids else frame


def _columns(
    spark: SparkHandle,
    operator: Scan,
    paths: list[str],
    work: Workspace,
    extra: Mapping[str, str],
    marked: Vectors = NO_VECTORS,
) -> DataFrame:
    """The rows of some files without those in the deletion vectors `marked`, under the table's column names."""
    partitions = {name.lower() for name in operator.partition_columns}
    fields = StructType(
        tuple(item for item in operator.schema if item.name.lower() not in partitions and item.type != VOID)
    )
    frame, spelling = _stored_columns(spark, operator, paths, fields, marked, work, with_metadata=bool(extra))
    if not is_mapped(fields) and not extra:
        return frame
    added = [F.expr(spelling(sql)).alias(name) for name, sql in extra.items()]
    return frame.select(*(_logical(item, remote=spark.remote) for item in fields), *added)


def _stored_columns(
    spark: SparkHandle,
    operator: Scan,
    paths: list[str],
    fields: StructType,
    marked: Vectors,
    work: Workspace,
    *,
    with_metadata: bool,
) -> tuple[DataFrame, Spelling]:
    """Rows of some files under physical names, read by this process or by Spark, and the rewriting of SQL over them.

    `with_metadata`: that SQL refers to `_metadata`. The deletion vectors `marked` are applied only where this process
    reads.
    """
    # The list of files may be long: Spark, which reads them anyway, does not go through it.
    if spark.is_in_process and not with_metadata:
        frame = _engines_own(spark, operator, paths, fields, marked, work)
        if frame is not None:
            return frame, as_it_is
    with spark.needing(FOR_SCANS):
        stored = StructType((*physical_schema(with_lengths(fields), declared=True), *stored_fields(operator)))
        may_be_missing = (spark.current_value(session_settings.IGNORE_MISSING_FILES.name) or "").lower() == "true"
        paths = readable_files(operator, paths, may_be_missing=may_be_missing)
        if read_in_process(spark, operator):
            with suppress(LeftToEngineError):
                rows, spelling = driver_rows(
                    spark,
                    operator,
                    stored,
                    paths,
                    may_be_missing=may_be_missing,
                    with_metadata=with_metadata,
                    marked={path: partial(vector_positions, spark.stores, operator, at) for path, at in marked.items()},
                    work=work,
                )
                if is_handed_out():
                    rows = with_origin(rows, table_location(operator.table.location))
                return rows, spelling
            if not spark.capabilities.metadata:
                raise errors.OldCalendarError(table=operator.table.name)
            if operator.in_process is not None:
                # Spark's reader would not apply the deletion vectors.
                raise LeftToEngineError(OLD_DAYS)
        schema = _reader_schema(stored)
        reader = spark.session.read.schema(schema).options(**_reader_options(spark, operator, paths))
        rows = reader.parquet(*(literal_path(spark.hadoop_location(path)) for path in paths))
        return rows if spark.remote else _with_required(rows, schema), as_it_is


def _engines_own(
    spark: SparkHandle,
    operator: Scan,
    paths: Sequence[str],
    fields: StructType,
    marked: Vectors,
    work: Workspace,
) -> DataFrame | None:
    """Rows of files that an engine of this process reads itself, and of those with deletion vectors, which it does not.

    See `_stored_columns`. None where this process, or Spark, reads all files.
    """
    if is_handed_out() or stored_fields(operator) or operator.in_process is not None:
        return None
    sizes = dict(zip(*(operator.files.column(name).to_pylist() for name in ("location", "size")), strict=True))
    plain, others = ([path for path in paths if (path in marked) is inside] for inside in (False, True))
    frame = spark.parquet_frame(physical_schema(with_lengths(fields)), plain, sum(sizes[path] or 0 for path in plain))
    if frame is None or not others:
        return frame
    more, _ = _stored_columns(spark, operator, others, fields, marked, work, with_metadata=False)
    return frame.unionAll(more)


def _reader_options(spark: SparkHandle, operator: Scan, paths: Sequence[str]) -> Mapping[str, str]:
    """Options of Spark's Parquet reader.

    Missing files are an error on a local disk that executors do not share, since this process has found the files.
    Dictionary filters are off for floating-point columns: Spark finds no 0.0 where there is only -0.0. So are filters
    by the bounds of row groups and pages where these may ignore NaN.
    """
    options = {} if spark.shares_disk or not is_local(operator.table.location) else {"ignoreMissingFiles": "false"}
    if _has_floats(operator.schema):
        options["parquet.filter.dictionary.enabled"] = "false"
        if not bounds_are_sure(spark.stores, paths):
            options |= dict.fromkeys(UNSURE_BOUNDS, "false")
    return {**options, **lent_options(spark, operator.table.location, paths)}


def lent_options(spark: SparkHandle, location: str, paths: Sequence[str]) -> Mapping[str, str]:
    """Options with the credentials that are lent for a table. Raises LentCredentialsError for files of another one."""
    options = spark.lent_options(location)
    if options and not all(path.startswith(f"{location}/") for path in paths):
        raise errors.LentCredentialsError(location=location, reason="a clone with files of another table")
    return options


def _has_floats(columns: StructType) -> bool:
    """Whether a column, or a field of a struct column, is FLOAT or DOUBLE, so that Spark filters by its footers."""
    kinds = [item.type for item in columns]
    return any(_has_floats(kind) if isinstance(kind, StructType) else kind in {FLOAT, DOUBLE} for kind in kinds)


def read_in_process(spark: SparkHandle, operator: Scan) -> bool:
    """Whether this process reads the files of a scan: see `moved_in_process`."""
    barred = only_for_spark(operator.schema)
    return operator.in_process is not None or moved_in_process(
        spark, operator.table.location, scan_size(operator), barred=barred
    )


def _reader_schema(stored: StructType) -> SparkStruct:
    """Spark schema for reading files, with columns that are NOT NULL as such.

    It includes CHAR lengths, so that Spark pads values of writers that did not.
    """
    from pyspark.sql.types import StructType as SparkStruct

    if not has_lengths(stored):
        return declared_spark_schema(stored)
    # Files from before column mapping was enabled have no field ids.
    plain = without_metadata(without_lengths(stored), {PARQUET_FIELD_ID})
    return SparkStruct.fromJson(spark_json(plain))


def _with_required(rows: DataFrame, schema: SparkStruct) -> DataFrame:
    """Rows of files, with the nullability of `schema`: Spark's reader takes every column for nullable."""
    if rows.schema == schema:
        return rows
    from pyspark.sql import DataFrame

    session: Any = rows.sparkSession
    files = cast("Any", rows)._jdf.queryExecution().analyzed().relation()
    declared = files.copy(
        files.location(),
        files.partitionSchema(),
        session._jsparkSession.parseDataType(schema.json()),
        files.bucketSpec(),
        files.fileFormat(),
        files.options(),
        files.sparkSession(),
    )
    return DataFrame(session._jsparkSession.baseRelationToDataFrame(declared), session)


def literal_path(path: str) -> str:
    """`path` escaped as a glob pattern that matches only it.

    Spark's option `__globPaths__` does not help: if one path looks like a pattern, every file is read twice.
    """
    return _PATTERN_CHARS.sub(r"\\\g<0>", path)


def _logical(field: StructField, *, remote: bool) -> Column:
    """A data file's column under its logical name; fields of structs are renamed by a cast, by their order."""
    column = F.col(quote(physical_name(field)))
    nested = not isinstance(field.type, (PrimitiveType, DecimalType)) and is_mapped(StructType((field,)))
    if nested:
        kind = declared_spark_schema(StructType((field,))).fields[0].dataType
        column = column.cast(spark_type(field.type) if remote else kind)
    return column.alias(field.name)


def with_declared(frame: DataFrame, declared: Mapping[str, str]) -> DataFrame:
    """`frame` with the `declared` CHAR and VARCHAR types (by column name) in the metadata that Spark compares by."""
    return frame.select(*_declared(frame.columns, declared)) if declared else frame


def _declared(names: Iterable[str], declared: Mapping[str, str]) -> list[Column]:
    return [
        F.col(quote(name)).alias(name, metadata={TYPE_KEY: declared[name]}) if name in declared else F.col(quote(name))
        for name in names
    ]


def _select(spark: SparkHandle, frame: DataFrame, names: Iterable[str], operator: Scan) -> DataFrame:
    columns = _declared(names, declared_texts(operator.schema))
    if operator.described:
        columns.append(F.col(METADATA))
    if operator.row_ids is not None and (operator.identity or not operator.described):
        columns += [F.col(hidden_names.ROW_ID), F.col(hidden_names.ROW_VERSION)]
    if operator.identity:
        columns += [
            F.col(hidden_names.ROW_FILE),
            F.col(hidden_names.ROW_INDEX),
            F.lit(True).alias(hidden_names.TARGET_PRESENT),
        ]
        columns += [] if spark.capabilities.metadata else [F.col(hidden_names.ROW_ADDRESS)]
    return frame.select(*columns)


_PLAIN_NAME = re.compile(r"[A-Za-z0-9._-]*")


def _partition_groups(operator: Scan, partitions: list[str]) -> dict[tuple[str | None, ...], list[str]]:
    """File paths by their tuple of partition values."""
    groups: dict[tuple[str | None, ...], list[str]] = {}
    values = operator.files.column("partitionValues").to_pylist()
    for path, row in zip(operator.files.column("location").to_pylist(), values, strict=True):
        folded = {name.lower(): value for name, value in row.items()}
        groups.setdefault(tuple(folded.get(name.lower()) for name in partitions), []).append(path)
    return groups


def partition_value(operator: Scan, name: str, text: Column, *, required: bool = False) -> Column:
    """A partition column, cast from its partition value (text) in the log.

    `required`: no text is NULL, which Spark forgets in most casts, and is to know.
    """
    field = operator.schema.find(name)
    assert field is not None
    length = declared_length(field)
    if length is not None and length.kind == "char":
        # Another writer may not have padded it.
        text = F.rpad(text, F.greatest(F.length(text), F.lit(length.length)), F.lit(" "))
    value = text.cast(spark_type(field.type))
    return (F.coalesce(value, F.expr(_some_value(field.type))) if required else value).alias(name)


def _some_value(kind: DataType) -> str:
    """SQL of a value of the type, for where there is always another one."""
    match kind:
        case DecimalType(_, scale):
            # The cast of an integer may be NULL to Spark.
            value = f"{0:.{scale}f}BD"
        case PrimitiveType(name):
            value = _SOME_VALUES.get(name, "0")
        case _:
            value = "NULL"
    return f"CAST({value} AS {sql_text(kind)})"


_SOME_VALUES = {
    "binary": "X''",
    "boolean": "false",
    "date": "DATE'1970-01-01'",
    "string": "''",
    "timestamp": "TIMESTAMP'1970-01-01 00:00:00'",
    "timestamp_ntz": "TIMESTAMP_NTZ'1970-01-01 00:00:00'",
}


def _is_required(spark: SparkHandle, operator: Scan, name: str, texts: Iterable[str | None]) -> bool:
    """Whether a partition column is NOT NULL, and has a value in each partition. Files read on a server say neither."""
    field = operator.schema.find(name)
    return field is not None and not field.nullable and not spark.remote and None not in texts


def _literal_group(
    spark: SparkHandle,
    operator: Scan,
    names: list[str],
    values: tuple[str | None, ...],
    paths: list[str],
    work: Workspace,
) -> DataFrame:
    """Rows of one partition, with its partition values as literals, so that Spark folds filters on them."""
    partitions = [name for name in operator.partition_columns if operator.schema.find(name)]
    # First, because it starts Spark, which the literals need.
    rows = _read(spark, operator, paths, work)
    # A literal is never NULL to Spark. The column may be, however many partitions there are now.
    never = F.when(F.lit(False), F.lit(None))
    literals = {
        name: partition_value(
            operator, name, never.otherwise(F.lit(value)), required=_is_required(spark, operator, name, (value,))
        )
        for name, value in zip(partitions, values, strict=True)
    }
    return _select(spark, rows.withColumns(literals), names, operator)


def _joined_groups(
    spark: SparkHandle,
    operator: Scan,
    names: list[str],
    partitions: list[str],
    groups: Mapping[tuple[str | None, ...], list[str]],
    work: Workspace,
) -> DataFrame:
    """Rows of several partitions: one scan of all files, joined by file to the partition values."""
    paths = [path for members in groups.values() for path in members]
    key, key_of = file_key(spark, operator, paths)
    frame = _read(spark, operator, paths, work, {hidden_names.KEYED_FILE: key})
    values = {hidden(index): (pa.string(), [group[index] for group in groups]) for index in range(len(partitions))}
    keys = [[key_of(path) for path in members] for members in groups.values()]
    partition = lookup(spark, {**values, hidden_names.FILE_KEYS: (pa.list_(pa.string()), keys)}).select(
        *(
            partition_value(operator, name, F.col(column), required=_is_required(spark, operator, name, texts))
            for name, (column, (_, texts)) in zip(partitions, values.items(), strict=True)
        ),
        F.explode(hidden_names.FILE_KEYS).alias(hidden_names.FILE_KEY),
    )
    joined = frame.join(F.broadcast(partition), F.expr(f"{hidden_names.KEYED_FILE} = {hidden_names.FILE_KEY}"))
    return _select(spark, joined, names, operator)


def file_key(spark: SparkHandle, operator: Scan, paths: list[str]) -> tuple[str, Callable[[str], str]]:
    """SQL of a key that identifies the file of a row, and a function from a path of `paths` to its key.

    The key is the file name where names are unique and of plain characters, which costs nothing per row; else the
    decoded path, since Spark has names and paths as URIs. Files that only this process reads have their number as key.
    """
    if not spark.capabilities.metadata:
        numbers = file_numbers(operator)
        return f"CAST({FILE_NUMBER_SQL} AS STRING)", lambda path: str(numbers[path])
    names = {path.rpartition("/")[2] for path in paths}
    if len(names) == len(paths) and all(map(_PLAIN_NAME.fullmatch, names)):
        return "_metadata.file_name", lambda path: path.rpartition("/")[2]
    # '+' is literal in a URI's path, but url_decode reads it as a blank.
    decoded = "url_decode(replace(_metadata.file_path, '+', '%2B'))"
    return f"regexp_replace({decoded}, '^file:/+', '/')", hadoop_location


_MARKS: set[str] = set()
"""The marks of this process: without one nobody need look for it, which means planning a DataFrame."""


def with_origin(rows: DataFrame, location: str) -> DataFrame:
    """`rows` under an alias that only Spark's plan of them shows."""
    mark = _mark(location)
    _MARKS.add(mark)
    return rows.alias(mark)


def reads_below(rows: DataFrame, root: str) -> bool:
    """Whether a DataFrame of the caller's has rows of the table at `root`, read by Spark or by this process."""
    files = map(table_location, rows.inputFiles())
    return any(path.startswith(f"{root}/") for path in files) or _comes_from(rows, root)


def _comes_from(rows: DataFrame, location: str) -> bool:
    """Whether a DataFrame was made of rows of the table at `location` that the driver has read."""
    mark = _mark(location)
    if mark not in _MARKS:
        return False
    plan_text = StringIO()
    with redirect_stdout(plan_text):
        rows.explain(mode="extended")
    return mark in plan_text.getvalue()


def _mark(location: str) -> str:
    return hidden(f"of_{hashlib.sha256(location.encode()).hexdigest()[:16]}")


_WORD = 64

Rows = Mapping[str, "np.ndarray[Any, Any]"]


def without_marked(spark: SparkHandle, frame: DataFrame, rows: Rows, *, only: bool) -> DataFrame:
    """`frame` without the rows that are marked, or with `only` these. `rows` has sorted positions by file key.

    `frame` has MARKED_FILE, the key of the row's file, and MARKED_ROW, its position in it; they are dropped.
    """
    words = sum(_words(positions) for positions in rows.values())
    few = words * _WORD <= 8 * FEW_BYTES and len(rows) <= FEW_FILES
    live = _by_bits(spark, frame, rows, only) if few else _by_join(spark, frame, rows, only)
    return live.drop(hidden_names.MARKED_FILE, hidden_names.MARKED_ROW)


def _by_bits(spark: SparkHandle, frame: DataFrame, rows: Rows, only: bool) -> DataFrame:
    """The bits of all files come as one array, from a scalar sub-query: Spark evaluates it once, to a constant."""
    bits = pa.array([_bits(rows.values())], pa.list_(pa.int64()))
    constant = spark.session.createDataFrame(pa.table({"bits": bits})).scalar()
    # One expression with one use of each column: Spark evaluates it anew wherever it is mentioned.
    word = F.expr(f"CAST({_first_word(rows)} + shiftright({hidden_names.MARKED_ROW}, 6) AS INT)")
    bit = F.getbit(constant[word], F.expr(f"CAST({hidden_names.MARKED_ROW} & 63 AS INT)"))
    marked = F.coalesce(bit == 1, F.lit(False))
    return frame.filter(marked if only else ~marked)


def _first_word(rows: Rows) -> str:
    """SQL of where a row's file begins in the array; NULL for a row behind the last marked one of its file."""
    cases, start = [], 0
    for key, positions in rows.items():
        cases.append(
            f"WHEN {hidden_names.MARKED_ROW} <= {int(positions[-1])} "
            f"AND {hidden_names.MARKED_FILE} = {sql_literal(key)} THEN {start}L"
        )
        start += _words(positions)
    return f"CASE {' '.join(cases)} END"


def _words(positions: np.ndarray[Any, Any]) -> int:
    return int(positions[-1]) // _WORD + 1


def _bits(files: Iterable[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """The words of each file, one behind the other: bit n of a word is row n of its 64."""
    parts = []
    for positions in files:
        bits = np.zeros(_words(positions) * _WORD, np.uint8)
        bits[positions] = 1
        parts.append(np.packbits(bits, bitorder="little").view("<i8"))
    return np.concatenate(parts)


def _by_join(spark: SparkHandle, frame: DataFrame, rows: Rows, only: bool) -> DataFrame:
    files = np.repeat(np.array(list(rows), dtype=object), [len(positions) for positions in rows.values()])
    positions = np.concatenate(list(rows.values()))
    lookup = spark.session.createDataFrame(
        pa.table({hidden_names.MARKED_FILE: pa.array(files, pa.string()), hidden_names.MARKED_ROW: positions})
    )
    if len(positions) <= BROADCAST_ROWS:
        lookup = F.broadcast(lookup)
    return frame.join(lookup, [hidden_names.MARKED_FILE, hidden_names.MARKED_ROW], "left_semi" if only else "left_anti")


MOST_FILES = 2048
"""Files of a cached scan: the next statement checks the state of each."""
_OF_FILE = 4096
"""Estimated bytes of memory for a file; rows that this process has read are added."""


class _Key(NamedTuple):
    """All that the rows of a scan depend on, and how they are read.

    `files` have place, state, and partition values where there are any. `use` numbers the uses within a statement.
    """

    location: str
    schema: StructType
    partition_columns: tuple[str, ...]
    files: tuple[Hashable, ...]
    settings: str
    case_sensitive: bool
    by_driver: bool
    use: int


class CachedScans:
    """The scans of one statement, from the cache where their tables and settings are unchanged.

    Only data files on a local disk are known to be there, and the same, at no cost. Each use within a statement has a
    DataFrame of its own, since Spark tells columns apart by where they come from. What the caller gets, who may join it
    to anything, is always new.
    """

    def __init__(self, spark: SparkHandle) -> None:
        self._spark = spark
        self._uses = Counter[_Key]()

    def frame(self, operator: Scan, work: Workspace) -> DataFrame:
        """The rows of a scan: see `scan`."""
        key = self._key(operator) if self._may_be_cached(operator) else None
        if key is None:
            return scan(self._spark, operator, work)
        self._uses[key] += 1
        numbered = key._replace(use=self._uses[key])
        cached = self._spark.cached_frames.find(numbered)
        if cached is not None:
            return cached
        sent = work.sent
        frame = scan(self._spark, operator, work)
        # Files, and settings by another thread, may have changed meanwhile.
        if self._key(operator) == key:
            self._spark.cached_frames.put(numbered, frame, work.sent - sent + operator.files.num_rows * _OF_FILE)
        return frame

    def _may_be_cached(self, operator: Scan) -> bool:
        return (
            not (operator.identity or operator.described or operator.marked_only or operator.row_ids is not None)
            and operator.in_process is None
            and not is_handed_out()
            and 0 < operator.files.num_rows <= MOST_FILES
            and is_local(operator.table.location)
            and not self._spark.remote
        )

    def _key(self, operator: Scan) -> _Key | None:
        """None if a file is missing, is not local, or has a deletion vector, or if the settings are unknown."""
        operator = located(operator)
        paths = operator.files.column("location").to_pylist()
        settings = self._spark.settings_now()
        if settings is None or not all(map(is_local, paths)) or deleted_by_file(operator, paths):
            return None
        files = zip(paths, _partition_values(operator), strict=True)
        try:
            states = tuple((path, file_state(local_path(path)), values) for path, values in files)
        except OSError:
            # Whoever reads it says what is wrong.
            return None
        table, driver = operator.table.location, read_in_process(self._spark, operator)
        columns = operator.schema, operator.partition_columns
        return _Key(table, *columns, states, settings, case_matters(), driver, use=0)


def _partition_values(operator: Scan) -> list[Hashable]:
    if not operator.partition_columns:
        return [None] * operator.files.num_rows
    return [tuple(row.items()) for row in operator.files.column("partitionValues").to_pylist()]
