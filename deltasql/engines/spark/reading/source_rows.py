"""Files of other formats → DataFrames, by Spark's own readers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from typing import TYPE_CHECKING

from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.errors.statements.copy_into import AvroReaderMissingError
from deltasql.base.lazy import F
from deltasql.engines.choice import moved_in_process, unreachable_error
from deltasql.engines.spark.reading.scans import literal_path
from deltasql.engines.spark.session.local_rows import no_rows
from deltasql.engines.spark.session.scratch import Scratch
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import spark_schema
from deltasql.engines.spark.session.tuning import FOR_SCANS
from deltasql.files.inspection import UNSURE_BOUNDS, bounds_are_sure
from deltasql.files.reading.file_reader import DESCRIPTION
from deltasql.log.storage.credentials import hadoop_settings
from deltasql.log.storage.locations import encode_path, folder_and_name, hadoop_location, hadoop_scheme, is_local
from deltasql.plan.base import quote
from deltasql.plan.operators import METADATA, SourceFiles
from deltasql.schema.lengths import declared_length
from deltasql.schema.text import text_sql
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_THREADS = 8
_LONGEST_HEADER = 1 << 16


def source_rows(spark: SparkHandle, operator: SourceFiles, retain: Callable[[object], None]) -> DataFrame:
    """The rows of some files, and with `described` their `_metadata`. `retain` keeps what reading them needs.

    Raises AvroReaderMissingError, NoWayToFilesError, and what Spark raises when it looks for columns.
    """
    if operator.schema is not None and not operator.files:
        return _nothing(spark, operator, operator.schema)
    _refuse_other_columns(spark, operator)
    options_given = {key.lower(): value for key, value in operator.options.items()}
    groups = [operator.files]
    if (
        operator.format == "csv"
        and not operator.is_table
        and options_given.get("mergeschema", "").lower() == "true"
        and has_header(options_given)
    ):
        groups = by_header(spark, operator)
    options = reader_options(spark, operator)
    with spark.needing(FOR_SCANS):
        frames = [read_group(spark, operator, group, options, retain) for group in groups]
    return reduce(lambda rows, more: rows.unionByName(more, allowMissingColumns=True), frames)


def reader_options(spark: SparkHandle, operator: SourceFiles) -> dict[str, str]:
    """The options of Spark's reader, with those that are not its defaults. Raises NotOnSailError."""
    options_given = {key.lower(): value for key, value in operator.options.items()}
    options = {**_defaults(operator, options_given), **_unsure_bounds(spark, operator), **operator.options}
    if "basePath" in options and not spark.capabilities.metadata:
        # They would be missing, and nobody told.
        raise NotOnSailError(what="columns from the names of folders")
    return options


def _refuse_other_columns(spark: SparkHandle, operator: SourceFiles) -> None:
    """Raises NotOnSailError where the columns of a table are to be found: Sail finds other types than Spark."""
    if operator.is_table and operator.schema is None and not spark.capabilities.checks_types:
        found = f"columns that are found in {operator.format.upper()} files"
        raise NotOnSailError(what=f"{found}; a list of columns is read")


def _nothing(spark: SparkHandle, operator: SourceFiles, schema: StructType) -> DataFrame:
    """No rows, with the columns of a table without files."""
    described = (*schema, DESCRIPTION) if operator.described else schema.fields
    return no_rows(spark, StructType(tuple(described)))


def has_header(options: Mapping[str, str]) -> bool:
    """Whether CSV files begin with names of columns. `options` are by their names in lower case."""
    return options.get("header", "").lower() == "true"


def _defaults(operator: SourceFiles, options_given: Mapping[str, str]) -> dict[str, str]:
    """Options that are not Spark's defaults: a file whose header has other names is no file to read by position."""
    defaults = {}
    if operator.format == "csv" and not operator.is_table and has_header(options_given):
        defaults["enforceSchema"] = "false"
    folders = (path.removeprefix(operator.root).rpartition("/")[0] for path in operator.files)
    if options_given.get("recursivefilelookup", "").lower() != "true" and any("=" in folder for folder in folders):
        defaults["basePath"] = operator.root
    return defaults


def _unsure_bounds(spark: SparkHandle, operator: SourceFiles) -> dict[str, str]:
    """Options by which Spark passes over no rows of Parquet files whose bounds may leave out NaN."""
    is_checked = operator.format == "parquet" and spark.capabilities.metadata
    if not is_checked or (not operator.access and bounds_are_sure(spark.stores, operator.files)):
        return {}
    return dict.fromkeys(UNSURE_BOUNDS, "false")


def read_group(
    spark: SparkHandle,
    operator: SourceFiles,
    files: Sequence[str],
    options: Mapping[str, str],
    retain: Callable[[object], None],
    declared: StructType | None = None,
) -> DataFrame:
    """The rows of files that have the same columns, or whose columns Spark merges.

    `declared` are the columns where neither Spark finds them nor the operator has them.
    """
    read_options = dict(options)
    scratch = None
    if is_local(operator.root):
        paths = list(files)
    elif _fetches(spark, operator):
        scratch = Scratch()
        retain(scratch)
        paths = scratch.fetch(partial(spark.stores.open, access=operator.access), operator.root, files)
        read_options |= {"basePath": scratch.root} if "basePath" in read_options else {}
    else:
        paths = [spark.hadoop_location(path) for path in files]
        read_options |= {"basePath": hadoop_location(operator.root)} if "basePath" in read_options else {}
        read_options |= _access(spark, operator)
    frame = _loaded(spark, operator, paths, read_options, operator.schema if declared is None else declared)
    columns = ["*"] if operator.schema is None else _columns(operator.schema)
    if not operator.described:
        return frame if operator.schema is None else frame.select(*columns)
    description = F.col(METADATA)
    if scratch is not None:
        # Where the file really is, as Spark would have named it.
        copied, directory = (
            text_sql(encode_path(root)) for root in (scratch.root, hadoop_location(operator.root).rstrip("/"))
        )
        path = f"{METADATA}.file_path"
        behind = f"instr({path}, {copied}) + length({copied})"
        description = description.withField("file_path", F.expr(f"concat({directory}, substring({path}, {behind}))"))
    return frame.select(*columns, description.alias(METADATA))


def _columns(schema: StructType) -> list[Column]:
    """The columns in the table's order. As in a table of Spark's, a CHAR is padded when it is read."""
    columns = []
    for field in schema:
        column, length = F.col(quote(field.name)), declared_length(field)
        if length is not None and length.kind == "char":
            padded = F.when(F.length(column) < length.length, F.rpad(column, length.length, " ")).otherwise(column)
            column = padded.alias(field.name)
        columns.append(column)
    return columns


def _fetches(spark: SparkHandle, operator: SourceFiles) -> bool:
    """Whether files of an object store are copied to this machine first, whose disk is the executors' as well.

    Raises NoWayToFilesError, OtherCredentialsError.
    """
    if spark.shares_disk and moved_in_process(spark, operator.root, operator.size):
        return True
    if not spark.reaches(operator.root):
        reason = f"FILEFORMAT = {operator.format.upper()}"
        raise unreachable_error(spark, operator.root, reason)
    return False


def _access(spark: SparkHandle, operator: SourceFiles) -> dict[str, str]:
    """The options by which Hadoop reaches this source alone: with a client of its own, for others stay open."""
    if not operator.access:
        return spark.lent_options(operator.root)
    settings = hadoop_settings(operator.root, operator.access)
    return {**settings, f"fs.{hadoop_scheme(operator.root)}.impl.disable.cache": "true"}


def _loaded(
    spark: SparkHandle,
    operator: SourceFiles,
    paths: Sequence[str],
    options: Mapping[str, str],
    columns: StructType | None,
) -> DataFrame:
    from pyspark.errors import AnalysisException

    reader = spark.session.read.format(operator.format).options(**options)
    reader = reader if columns is None else reader.schema(spark_schema(columns))
    try:
        return reader.load(list(map(literal_path, paths)))
    except AnalysisException as error:
        if operator.format == "avro" and "data source: avro" in str(error):
            raise AvroReaderMissingError(spark.session.version) from error
        raise


def by_header(spark: SparkHandle, operator: SourceFiles) -> list[tuple[str, ...]]:
    """The CSV files by their first lines, which name their columns."""

    def header(path: str) -> bytes:
        folder, name = folder_and_name(path)
        data = spark.stores.open(folder, operator.access).read_range(name, 0, _LONGEST_HEADER)
        if name.endswith(".gz"):
            data = zlib.decompressobj(31).decompress(data, _LONGEST_HEADER)
        return data.partition(b"\n")[0].strip()

    groups: dict[bytes, list[str]] = {}
    with ThreadPoolExecutor(_THREADS) as threads:
        for path, line in zip(operator.files, threads.map(header, operator.files), strict=True):
            # A file without a byte has no columns, and no rows either.
            if line or not groups:
                groups.setdefault(line, []).append(path)
    if len(groups) > 1:
        groups.pop(b"", None)
    return [tuple(paths) for paths in groups.values()]
