"""Types as Spark is told them. No JVM starts."""

from __future__ import annotations

from pyspark.sql import types as T

from deltasql.engines.spark.session.local_rows import with_whole_intervals

DAY, WHOLE = T.DayTimeIntervalType(0, 0), T.DayTimeIntervalType(0, 3)


def _nested(interval: T.DataType) -> T.StructType:
    inner = T.StructType([T.StructField("interval day", T.MapType(interval, T.ArrayType(interval, False)), False)])
    kinds = {"a": interval, "b": T.ArrayType(inner), "interval day": T.DateType(), "m": T.YearMonthIntervalType(0, 0)}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])


def test_intervals_of_days_are_made_whole_at_any_depth() -> None:
    for first, last in ((0, 0), (1, 2), (3, 3)):
        assert with_whole_intervals(_nested(T.DayTimeIntervalType(first, last))) == _nested(WHOLE)
    assert with_whole_intervals(_nested(WHOLE)) == _nested(WHOLE)
    assert with_whole_intervals(_nested(DAY)) != _nested(DAY)
