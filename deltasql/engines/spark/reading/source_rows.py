"""Files of other formats → DataFrames by Spark's readers, checks of constraints, and paths in JSON texts.

A row that violates a constraint ends the job with an error about it. Spark has paths, `raw:a.b`, for a VARIANT only,
and its analysis says which operands are texts.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote as percent_encoded
from uuid import uuid4

from deltasql.base import F, errors, tokenize
from deltasql.engines.choice import moved_in_process, unreachable_error
from deltasql.engines.spark.reading.scans import literal_path
from deltasql.engines.spark.session.local_rows import Scratch, no_rows, spark_schema
from deltasql.engines.spark.session.spark import SPARK, Capabilities, SparkHandle
from deltasql.engines.spark.session.tuning import FOR_SCANS
from deltasql.files import DESCRIPTION, UNSURE_BOUNDS, bounds_are_sure
from deltasql.log import encode_path, folder_and_name, hadoop_location, hadoop_scheme, hadoop_settings, is_local
from deltasql.plan import METADATA, Constraint, RowTally, SourceFiles, base, hidden_names
from deltasql.schema import HIDDEN_PREFIX, StructType, declared_length, sql_literal, text_sql
from deltasql.schema import quote_name as quote
from deltasql.sql import ASKING, json_paths, with_json_paths

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation


_THREADS = 8
_STEP, _LONGEST_WAIT = 0.01, 2.0
"""Seconds of waiting for the counts of a job that has ended."""
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
        raise errors.NotOnSailError(what="columns from the names of folders")
    return options


def _refuse_other_columns(spark: SparkHandle, operator: SourceFiles) -> None:
    """Raises NotOnSailError where the columns of a table are to be found: Sail finds other types than Spark."""
    if operator.is_table and operator.schema is None and not spark.capabilities.checks_types:
        found = f"columns that are found in {operator.format.upper()} files"
        raise errors.NotOnSailError(what=f"{found}; a list of columns is read")


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
            raise errors.AvroReaderMissingError(spark.session.version) from error
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


Texts: TypeAlias = Callable[[str], str]
"""How the text of an expression is spelled for the engine."""


def checked(
    frame: DataFrame,
    constraints: Iterable[Constraint],
    engine: Capabilities = SPARK,
    texts: Texts = str,
    *,
    unless: str | None = None,
) -> DataFrame:
    """`frame`, whose rows must satisfy `constraints`: evaluating one that does not raises, and ends the job.

    `texts` puts checks into the text of a condition. Rows with a value in the column `unless` may be any.
    """
    constraints = list(constraints)
    if not constraints:
        return frame
    shown = [name for name in frame.columns if not name.startswith(HIDDEN_PREFIX) and name != unless]
    told = _told(frame, shown)
    guards = " AND ".join(_guard(constraint, told, texts) for constraint in constraints)
    if unless is not None:
        # Not an OR, of which Sail computes both sides.
        guards = f"CASE WHEN {quote(unless)} IS NOT NULL THEN TRUE ELSE {guards} END"
    # Not deterministic, and not to be taken apart, so that Spark leaves the guards where they are. Merged with a filter
    # below them, they would look at rows that it leaves out: `NULL AND guard` evaluates the guard.
    if engine.ids_in_filters:
        return frame.filter(f"CASE WHEN {_EACH_ROW} THEN {guards} END")
    return (
        frame.withColumn(hidden_names.GUARD, F.expr(f"CASE WHEN {_ANY_ROW} THEN {guards} END"))
        .filter(hidden_names.GUARD)
        .drop(hidden_names.GUARD)
    )


_EACH_ROW = "monotonically_increasing_id() >= 0"
_ANY_ROW = "rand() >= 0"


def _told(frame: DataFrame, shown: Iterable[str]) -> dict[str, str]:
    """SQL of columns in an error, by name. Shapes, which have no JSON, are bytes; columns with such in them are left
    out.
    """
    kinds = dict(frame.dtypes)
    told = {name: quote(name) for name in shown if "geometry(" not in kinds[name] and "geography(" not in kinds[name]}
    shapes = {name: f"hex(st_asbinary({quote(name)})) AS {quote(name)}" for name in shown if _is_shape(kinds[name])}
    return {**told, **shapes}


def _is_shape(kind: str) -> bool:
    return kind.startswith(("geometry(", "geography("))


def _guard(constraint: Constraint, shown: Mapping[str, str], texts: Texts = str) -> str:
    """SQL that is TRUE for a row that satisfies the constraint; else it fails the job, telling the columns `shown`."""
    told = ", ".join(sql for name, sql in shown.items() if name.lower() not in constraint.masked)
    values = f"to_json(struct({told}), map('ignoreNullFields', 'false'))" if told else "'{}'"
    fields = (constraint.name, constraint.condition, constraint.column or "")
    mark = base.VIOLATION + "|".join(percent_encoded(text, safe="") for text in fields)
    report = f"concat({sql_literal(mark)}, '|', {values})"
    return f"CASE WHEN ({texts(constraint.condition)}) THEN TRUE ELSE CAST(raise_error({report}) AS BOOLEAN) END"


_NOT_BEHIND_VARIANT = ("COLUMN_IS_NOT_VARIANT_TYPE", "UNBOUND_SQL_PARAMETER", "INVALID_USAGE_OF_STAR_OR_REGEX")
"""Spark's conditions for a path behind another type (an internal error), behind a constant, and for `[*]`."""
_TYPE_ASKED = re.compile(rf'"{ASKING}\(.*" has the type "([^"]+)"')
_COLON = re.compile(r"(?<!:):(?!:)")


def has_json_paths(sql: str) -> bool:
    """Whether a text has paths, be their operands texts or VARIANTs."""
    return _COLON.search(sql) is not None and bool(json_paths(tokenize(sql)))


def without_json_paths(sql: str, analysed: Callable[[str], DataFrame]) -> str:
    """`sql` with functions in place of the paths whose operand is no VARIANT; `analysed` has Spark analyse a text.

    Other errors of the analysis are left to the caller, who has the result analysed.
    """
    if not has_json_paths(sql):
        return sql
    condition, _ = _refusal(with_json_paths(sql, ()), analysed)
    return with_json_paths(sql, _texts(sql, analysed) if condition in _NOT_BEHIND_VARIANT else ())


def _texts(sql: str, analysed: Callable[[str], DataFrame]) -> Collection[int]:
    """The numbers of the paths whose operand is no VARIANT.

    The type of an operand may depend on a path in a sub-query, so that it is found only after that one's.
    """
    numbers = set(range(len(json_paths(tokenize(sql)))))
    unknown, variants = set(numbers), set[int]()
    while unknown:
        found = set()
        for number in unknown:
            _, kind = _refusal(with_json_paths(sql, numbers - variants, number), analysed)
            if kind is not None:
                found.add(number)
            if kind == "VARIANT":
                variants.add(number)
        if not found:
            break
        unknown -= found
    return numbers - variants


def _refusal(sql: str, analysed: Callable[[str], DataFrame]) -> tuple[str | None, str | None]:
    """The condition with which Spark refuses a text, and the type of the operand that it asks for; None without."""
    try:
        analysed(sql).schema  # noqa: B018 - Spark Connect looks only now
    except Exception as error:
        # An internal error of Spark has a class of the bridge to the JVM, and no condition.
        text = str(error)
        asked = _TYPE_ASKED.search(text)
        return next((name for name in _NOT_BEHIND_VARIANT if name in text), None), asked and asked[1]
    return None, None


def tallied(rows: DataFrame, tally: RowTally, conditions: Sequence[Column], *, observe: bool) -> DataFrame:
    """`rows` without those that `tally` drops, and its counts. `conditions` are its conditions as columns.

    The job that reads the rows first counts them; without `observe` a further query does.
    """
    from pyspark.sql import Observation

    counters = [F.count(F.lit(1)).alias("rows")]
    for number, condition in enumerate(conditions):
        counters.append(F.count(F.when(condition, 1)).alias(f"passed_{number}"))
    observation = Observation(f"deltasql-{uuid4().hex}") if observe else None

    def counts() -> dict[str, tuple[int, int]]:
        found = rows.agg(*counters).collect()[0].asDict() if observation is None else _observed(observation)
        if not found:
            return {}
        passed = [int(found[f"passed_{number}"]) for number in range(len(conditions))]
        return {name: (count, int(found["rows"]) - count) for name, count in zip(tally.conditions, passed, strict=True)}

    tally.counts = counts
    shown = rows if observation is None else rows.observe(observation, *counters)
    for name, condition in zip(tally.conditions, conditions, strict=True):
        if name in tally.drops:
            shown = shown.where(condition)
    return shown


def _observed(observation: Observation) -> dict[str, Any]:
    """The counts of a job; {} where its plan had no such rows, so that no count would ever come."""
    java = getattr(observation, "_jo", None)
    waited = 0.0
    while java is not None and not java.future().isCompleted():
        if waited > _LONGEST_WAIT:
            return {}
        time.sleep(_STEP)
        waited += _STEP
    return dict(observation.get)
