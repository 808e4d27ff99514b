"""Sail, an engine without Java that is reached as a Spark Connect server: its additions to `engines/spark`.

Its SQL is rewritten in `dialect` and checked in `guards`. `ENGINE` is found by the entry point `sail` of the group
`deltasql.engines`: nothing outside this folder imports from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

    from deltasql.base import DeltaSqlError
    from deltasql.engines.sail.beside import SailRows
    from deltasql.engines.sail.frames import EmbeddedSail, SailDialect
    from deltasql.engines.spark.failures import Failure
    from deltasql.engines.spark.session.spark import SparkHandle
    from deltasql.plan import Operator


class SailEngine:
    """Implements `deltasql.engines.engine.OtherEngine`. Its modules are imported when they are needed."""

    def embedded(self) -> EmbeddedSail:
        """See `OtherEngine.embedded`."""
        from deltasql.engines.sail.frames import EmbeddedSail

        return EmbeddedSail()

    def dialect(self, spark: SparkHandle) -> SailDialect:
        """See `OtherEngine.dialect`."""
        from deltasql.engines.sail.frames import SailDialect

        return SailDialect(spark)

    def read_failure(self, error: PySparkException) -> Failure | DeltaSqlError:
        """See `OtherEngine.read_failure`."""
        from deltasql.engines.sail.failures import sail_error

        return sail_error(error)

    def rows_beside(self, spark: SparkHandle, operator: Operator, sql: str) -> SailRows:
        """See `OtherEngine.rows_beside`."""
        from deltasql.engines.sail.beside import rows_beside

        return rows_beside(spark, operator, sql)


ENGINE = SailEngine()
