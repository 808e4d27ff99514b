"""Which files are left to Spark's reader, because their days are those of the calendar before 1582."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.files.reading.file_reader import has_old_days

OLD_DAY, OLD_TIME = date(1500, 1, 1), datetime(1500, 1, 1)
SPARK = "org.apache.spark.version"
SAYS_SO = {SPARK: "4.2.0", "org.apache.spark.legacyDateTime": ""}


def days(*values: date | None) -> pa.Array:
    return pa.array(values, pa.date32())


def times(*values: datetime | None, zone: str | None = "UTC") -> pa.Array:
    return pa.array(values, pa.timestamp("us", zone))


@pytest.mark.parametrize(
    ("told", "column", "int96", "expected"),
    [
        (SAYS_SO, days(OLD_DAY), False, True),
        ({SPARK: "2.4.8"}, days(None, OLD_DAY), False, True),
        ({SPARK: "2.4.8"}, times(OLD_TIME), False, True),
        ({SPARK: "2.4.8"}, times(datetime(1969, 1, 1), zone=None), True, True),
        ({SPARK: "3.0.3"}, times(OLD_TIME, zone=None), True, True),
        ({SPARK: "2.4.8"}, pa.array([{"x": [OLD_DAY]}]), False, True),
        ({SPARK: "2.4.8"}, pa.array([[(1, OLD_DAY)]], pa.map_(pa.int32(), pa.date32())), False, True),
        ({SPARK: "3.0.3"}, times(OLD_TIME), False, False),
        ({SPARK: "3.1.0"}, times(OLD_TIME, zone=None), True, False),
        ({SPARK: "4.2.0"}, days(OLD_DAY), False, False),
        ({}, days(OLD_DAY), False, False),
        # The calendars agree.
        (SAYS_SO, days(date(1582, 10, 15), None), False, False),
        ({SPARK: "2.4.8"}, times(datetime(1970, 1, 1), None), True, False),
        ({SPARK: "2.4.8"}, pa.array([-200_000], pa.int32()), False, False),
        ({SPARK: "2.4.8"}, pa.array([{"x": [1]}]), False, False),
        ({SPARK: "2.4.8"}, days(), False, False),
    ],
)
def test_days_of_the_old_calendar(
    told: dict[str, str], column: pa.Array, int96: bool, expected: bool, tmp_path: Path
) -> None:
    path, table = tmp_path / "x.parquet", pa.table({"a": column, "b": [0] * len(column)})
    with pq.ParquetWriter(path, table.schema, store_schema=False, use_deprecated_int96_timestamps=int96) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(told)
    file = pq.ParquetFile(path, coerce_int96_timestamp_unit="us")
    assert has_old_days(file.metadata, file.read()) is expected
    assert not has_old_days(file.metadata, file.read(["b"]))
