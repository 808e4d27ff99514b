"""Rows of ours as DataFrames, by way of Arrow: PySpark sends a list through Python workers, which it starts first.

Measured: an empty DataFrame of ten columns took 0.5 s from a list and 0.03 s from an Arrow table, the first one
6.5 s and 0.7 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from deltasql.base.lazy import F, pa
from deltasql.engines.spark.session.remote import streamed
from deltasql.engines.spark.session.scratch import RowsFile, goes_by_file
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import declared_spark_schema, with_whole_intervals
from deltasql.plan.hidden import hidden
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql import types as spark_types


def frame_of_rows(spark: SparkHandle, rows: pa.Table, schema: spark_types.StructType) -> DataFrame:
    """A DataFrame of an Arrow table, with the names and types of `schema`.

    A duration of Arrow's is an INTERVAL DAY TO SECOND to Spark Connect, which takes it for no other kind.
    """
    whole = with_whole_intervals(schema)
    if not spark.remote or whole == schema:
        return spark.session.createDataFrame(rows, schema)
    # Two columns may have one name.
    for index, field in enumerate(whole.fields):
        field.name = whole.names[index] = hidden(index)
    frame = spark.session.createDataFrame(rows.rename_columns(whole.names), whole)
    renamed = zip(whole.names, schema.fields, strict=True)
    return frame.select(*(F.col(name).cast(field.dataType).alias(field.name) for name, field in renamed))


def no_rows(spark: SparkHandle, schema: StructType) -> DataFrame:
    """A DataFrame of `schema` without a row."""
    from pyspark.sql.pandas.types import to_arrow_schema

    columns = declared_spark_schema(schema)
    return frame_of_rows(spark, to_arrow_schema(columns, timezone="UTC").empty_table(), columns)


def evaluated_rows(
    spark: SparkHandle, rows: DataFrame, retain: Callable[[object], None], number: str | None = None
) -> DataFrame:
    """`rows`, evaluated now and held by this process; with their numbers from 0 as the column `number`.

    `retain` is given what must live as long as the rows: large ones lie in a file.
    """
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import LongType

    schema = rows.schema
    stored = to_arrow_schema(schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    batches = streamed(rows)
    if number is not None:
        batches, schema = _numbered(batches, number), schema.add(number, LongType())
        stored = stored.append(pa.field(number, pa.int64()))
    unique = len({name.lower() for name in stored.names}) == len(stored)
    first, size = list[pa.Table](), 0
    for batch in batches:
        first.append(batch)
        size += batch.nbytes
        if unique and goes_by_file(spark, size):
            return _by_file(spark, chain(first, batches), stored, schema, retain)
    return frame_of_rows(spark, pa.concat_tables(first) if first else stored.empty_table(), schema)


def _by_file(
    spark: SparkHandle,
    batches: Iterable[pa.Table],
    stored: pa.Schema,
    schema: spark_types.StructType,
    retain: Callable[[object], None],
) -> DataFrame:
    """Rows in a file, of which few are in memory, unless the engine would read their types otherwise."""
    file = RowsFile(batches, stored)
    retain(file)
    frame = file.frame(spark)
    return frame if frame.schema == schema else frame_of_rows(spark, file.table(), schema)


def _numbered(batches: Iterable[pa.Table], number: str) -> Iterator[pa.Table]:
    """The batches with the numbers of their rows, from 0, as the column `number`."""
    begin = 0
    for batch in batches:
        yield batch.append_column(number, pa.array(range(begin, begin + batch.num_rows), pa.int64()))
        begin += batch.num_rows


def lookup(spark: SparkHandle, columns: Mapping[str, tuple[pa.DataType, Sequence[Any]]]) -> DataFrame:
    """A small DataFrame from the type and the values of each column."""
    arrays = [pa.array(values, kind) for kind, values in columns.values()]
    return spark.session.createDataFrame(pa.table(arrays, names=list(columns)))
