"""Physical operators → DataFrames, with the public PySpark API only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from typing_extensions import assert_never

from deltasql.engine.spark import FOR_SCANS, SparkHandle
from deltasql.plan.base import quote
from deltasql.plan.operators import (
    HIDDEN_PREFIX,
    ROW_FILE,
    ROW_INDEX,
    TARGET_PRESENT,
    Check,
    Constraint,
    Operator,
    Project,
    Query,
    Rewrite,
    Scan,
    Write,
    children,
)
from deltasql.schema.column_mapping import is_mapped, physical_name, physical_schema
from deltasql.schema.json import schema_from_json
from deltasql.schema.literals import sql_literal
from deltasql.schema.text import schema_ddl, sql_text
from deltasql.schema.types import VOID, DecimalType, PrimitiveType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MANY_PARTITIONS = 4
"""From so many partition tuples on, one scan joined to their values is cheaper than a union of scans."""


class Frames:
    """Builds the DataFrame of each operator once."""

    def __init__(self, spark: SparkHandle) -> None:
        self._spark = spark
        self._built: dict[int, tuple[Operator, DataFrame]] = {}

    def frame(self, operator: Operator) -> DataFrame:
        """The lazy rows of `operator`. Raises what Spark raises when it analyses the user's SQL."""
        known = self._built.get(id(operator))
        if known is not None:
            return known[1]
        frame = self._build(operator)
        self._built[id(operator)] = (operator, frame)
        return frame

    def schema(self, operator: Operator) -> StructType:
        """The columns of `operator`'s rows."""
        return frame_schema(self.frame(operator))

    def _build(self, operator: Operator) -> DataFrame:
        match operator:
            case Scan():
                return scan(self._spark, operator)
            case Query():
                return self.query(operator.sql, operator.relations)
            case Project():
                return self.frame(operator.child).selectExpr(
                    *(f"{value} AS {quote(name)}" for name, value in operator.columns)
                )
            case Check():
                return checked(self.frame(operator.child), operator.conditions)
            case Write():
                return self.frame(operator.child)
            case Rewrite():
                raise TypeError("a Rewrite has no rows of its own; see engine.rewrite")
            case _:
                assert_never(operator)

    def query(self, sql: str, relations: Mapping[str, Operator]) -> DataFrame:
        """The rows of `sql`, with `relations` visible to it as views while Spark analyses it."""
        session = self._spark.session
        with self.views(relations):
            return session.sql(sql)

    def views(self, relations: Mapping[str, Operator]) -> Views:
        """The relations as temporary views, for as long as the context lasts."""
        return Views(self, self._spark, relations)


class Views:
    """Context: some operators' rows under the view names that SQL text uses.

    Spark resolves names when it analyses a query, so that the views may go again before it runs.
    """

    def __init__(self, frames: Frames, spark: SparkHandle, relations: Mapping[str, Operator]) -> None:
        self._frames, self._spark, self._relations = frames, spark, relations

    def __enter__(self) -> None:
        for name, operator in self._relations.items():
            self._frames.frame(operator).createOrReplaceTempView(name)

    def __exit__(self, *_: object) -> None:
        if self._spark.remote:
            # Spark Connect analyses when the query runs, so its views stay for the life of the session.
            return
        for name in self._relations:
            self._spark.session.catalog.dropTempView(name)


def frame_schema(frame: DataFrame) -> StructType:
    """Our schema of a DataFrame's columns."""
    return schema_from_json(frame.schema.json())


def input_size(operator: Operator) -> int:
    """Bytes of data files that `operator` reads; a query over other sources than ours counts as large."""
    match operator:
        case Scan():
            return scan_size(operator)
        case _:
            return sum(input_size(child) for child in children(operator))


def scan_size(operator: Scan) -> int:
    import pyarrow.compute as pc

    return pc.sum(operator.files.column("size")).as_py() or 0


def scan(spark: SparkHandle, operator: Scan) -> DataFrame:
    """The rows of a scan: data columns from the files, partition columns from the log."""
    names = [field.name for field in operator.schema]
    if operator.files.num_rows == 0:
        return _select(_empty(spark, operator), names, operator.identity)
    partitions = [name for name in operator.partition_columns if operator.schema.find(name)]
    if not partitions:
        return _select(_read(spark, operator, operator.files.column("location").to_pylist()), names, operator.identity)
    groups = _partition_groups(operator, partitions)
    if len(groups) <= MANY_PARTITIONS:
        return _union(_literal_group(spark, operator, names, values, paths) for values, paths in groups.items())
    return _joined_groups(spark, operator, names, partitions, groups)


def _empty(spark: SparkHandle, operator: Scan) -> DataFrame:
    frame = spark.session.createDataFrame([], schema_ddl(operator.schema))
    return frame.selectExpr("*", f"CAST(NULL AS STRING) AS {ROW_FILE}", f"CAST(NULL AS BIGINT) AS {ROW_INDEX}")


def _read(spark: SparkHandle, operator: Scan, paths: list[str]) -> DataFrame:
    """The data columns of some files; a partition column is not in them, a VOID one is in none."""
    from pyspark.sql import functions as F

    hidden = {name.lower() for name in operator.partition_columns}
    fields = StructType(
        tuple(item for item in operator.schema if item.name.lower() not in hidden and item.type != VOID)
    )
    with spark.tuned(FOR_SCANS) as session:
        # Without the option Spark would expand *, ? and [ in the names of files.
        reader = session.read.schema(schema_ddl(physical_schema(fields))).option("__globPaths__", "false")
        frame = reader.parquet(*paths)
    identity = []
    if operator.identity:
        identity = [F.col("_metadata.file_path").alias(ROW_FILE), F.col("_metadata.row_index").alias(ROW_INDEX)]
    if is_mapped(fields) or identity:
        frame = frame.select(*(_logical(item) for item in fields), *identity)
    voids = {item.name: F.lit(None) for item in operator.schema if item.type == VOID}
    return frame.withColumns(voids) if voids else frame


def _logical(field: StructField) -> Column:
    """A column of a data file under its name in the table; the fields of structs are renamed by their position."""
    from pyspark.sql import functions as F

    column = F.col(quote(physical_name(field)))
    nested = not isinstance(field.type, (PrimitiveType, DecimalType)) and is_mapped(StructType((field,)))
    return (F.expr(f"CAST({quote(physical_name(field))} AS {sql_text(field.type)})") if nested else column).alias(
        field.name
    )


def _select(frame: DataFrame, names: Iterable[str], identity: bool) -> DataFrame:
    from pyspark.sql import functions as F

    columns = [F.col(quote(name)) for name in names]
    if identity:
        columns += [F.col(ROW_FILE), F.col(ROW_INDEX), F.lit(True).alias(TARGET_PRESENT)]
    return frame.select(*columns)


def _partition_groups(operator: Scan, partitions: list[str]) -> dict[tuple[str | None, ...], list[str]]:
    """File paths by their tuple of partition values."""
    groups: dict[tuple[str | None, ...], list[str]] = {}
    values = operator.files.column("partitionValues").to_pylist()
    for path, row in zip(operator.files.column("location").to_pylist(), values, strict=True):
        folded = {name.lower(): value for name, value in row.items()}
        groups.setdefault(tuple(folded.get(name.lower()) for name in partitions), []).append(path)
    return groups


def _typed(operator: Scan, name: str, text: str) -> str:
    field = operator.schema.find(name)
    assert field is not None
    return f"CAST({text} AS {sql_text(field.type)})"


def _literal_group(
    spark: SparkHandle, operator: Scan, names: list[str], values: tuple[str | None, ...], paths: list[str]
) -> DataFrame:
    """Files of one partition, its values as literals, so that Spark folds filters on them."""
    from pyspark.sql import functions as F

    partitions = [name for name in operator.partition_columns if operator.schema.find(name)]
    literals = {
        name: F.expr(_typed(operator, name, sql_literal(value))) for name, value in zip(partitions, values, strict=True)
    }
    return _select(_read(spark, operator, paths).withColumns(literals), names, operator.identity)


def _union(frames: Iterable[DataFrame]) -> DataFrame:
    first, *rest = frames
    for frame in rest:
        first = first.unionAll(frame)
    return first


def _joined_groups(
    spark: SparkHandle,
    operator: Scan,
    names: list[str],
    partitions: list[str],
    groups: Mapping[tuple[str | None, ...], list[str]],
) -> DataFrame:
    """One scan of all files, joined by file path to the values of its partition."""
    from pyspark.sql import functions as F

    paths = [path for members in groups.values() for path in members]
    key, key_of = file_key(paths)
    frame = _read(spark, operator, paths).withColumn("__deltasql_path", F.expr(key))
    rows = [(*values, [key_of(path) for path in members]) for values, members in groups.items()]
    columns = [f"__deltasql_p{index} STRING" for index in range(len(partitions))]
    lookup = spark.session.createDataFrame(rows, ", ".join([*columns, "__deltasql_keys ARRAY<STRING>"]))
    lookup = lookup.select(
        *(F.expr(_typed(operator, name, f"__deltasql_p{index}")).alias(name) for index, name in enumerate(partitions)),
        F.explode("__deltasql_keys").alias("__deltasql_key"),
    )
    joined = frame.join(F.broadcast(lookup), F.expr("__deltasql_path = __deltasql_key"))
    return _select(joined, names, operator.identity)


def file_key(paths: list[str]) -> tuple[str, Callable[[str], str]]:
    """SQL that tells the file of a row, and the same for a path of the list.

    File names are unique as a rule and need no work per row; else it is the whole path, which Spark writes as a URI.
    """
    names = {path.rpartition("/")[2] for path in paths}
    if len(names) == len(paths):
        return "_metadata.file_name", lambda path: path.rpartition("/")[2]
    # '+' is literal in a URI's path, but url_decode reads it as a blank.
    decoded = "url_decode(replace(_metadata.file_path, '+', '%2B'))"
    return f"regexp_replace({decoded}, '^file:/+', '/')", lambda path: path


def checked(frame: DataFrame, constraints: Iterable[Constraint]) -> DataFrame:
    """The rows of `frame`; one that breaks a constraint raises an error that engine.failures turns into ours."""
    from pyspark.sql import functions as F

    for constraint in constraints:
        frame = frame.filter(F.expr(_guard(constraint, frame.columns)))
    return frame


def _guard(constraint: Constraint, columns: Iterable[str]) -> str:
    """SQL that is TRUE for a row that satisfies the constraint and fails the job otherwise."""
    shown = [name for name in columns if not name.startswith(HIDDEN_PREFIX)]
    values = f"to_json(struct({', '.join(quote(name) for name in shown)}), map('ignoreNullFields', 'false'))"
    report = f"concat({sql_literal(VIOLATION_MARK + constraint.name)}, '|', {values})"
    return f"CASE WHEN ({constraint.condition}) THEN TRUE ELSE CAST(raise_error({report}) AS BOOLEAN) END"


VIOLATION_MARK = "DELTASQL_CONSTRAINT|"
"""Starts the text that a broken constraint raises inside Spark; the constraint's name and the row follow."""


def local_path(uri: str) -> str:
    """The `location` of a file whose `_metadata.file_path` is `uri`."""
    decoded = unquote(uri)
    return re.sub(r"^file:/+", "/", decoded)
