"""DataFrames → files of other formats, by Spark's own writers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltasql.catalog.definitions import TableSource
from deltasql.engines.choice import unreachable_error
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.writing.counts import Counts, row_counter
from deltasql.errors.statements.copy_into import AvroReaderMissingError
from deltasql.log.storage.locations import is_local

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_OPTIONS = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}


def write_source(spark: SparkHandle, rows: DataFrame, location: str, source: TableSource) -> int:
    """Writes rows into a new folder, in folders of their partitions; returns their number.

    Raises AvroReaderMissingError, NoWayToFilesError.
    """
    from pyspark.errors import AnalysisException

    if not is_local(location) and not spark.reaches(location):
        raise unreachable_error(spark, location, f"USING {source.format}")
    counted = Counts([row_counter()], observe=spark.capabilities.observe)
    with spark.needing(spark.for_counts()):
        options = {**_OPTIONS, **source.options, **spark.lent_options(location)}
        writer = counted.over(rows).write.format(source.format).options(**options)
        if source.partition_columns:
            writer = writer.partitionBy(*source.partition_columns)
        try:
            writer.save(spark.hadoop_location(location))
        except AnalysisException as error:
            if source.format == "avro" and "data source: avro" in str(error):
                raise AvroReaderMissingError(spark.session.version) from error
            raise
        return int(counted.total()["rows"] or 0)
