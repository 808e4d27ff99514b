"""Files with dates of the Julian calendar, in use before 1582: only Spark's reader converts them to today's calendar.

Source: Spark, `spark.sql.parquet.datetimeRebaseModeInRead`; the footer of a file has precedence over the setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deltasql.datafiles.inspection import says_old_calendar
from deltasql.lazy import pa, pc, pq

_FIRST_INT96 = b"3.1.0"
"""The version of Spark since which INT96 is of today's calendar; versions are compared as texts, as Spark does."""
_NEW_DAYS = -141_427
"""1582-10-15, as a DATE is stored: from this day on the calendars agree."""


OLD_DAYS = "data files have days of the Julian calendar before 1582"
"""The reason for which Spark reads them."""


def has_old_days(footer: pq.FileMetaData, rows: pa.Table) -> bool:
    """Whether columns that were read of a file may hold a day that its writer meant otherwise.

    So does a time before 1970, since zones of time were others in old calendars; nested days are not looked at.
    """
    return is_of_old_calendar(footer) and any(_is_early(column) for column in rows.columns if _has_days(column.type))


def is_of_old_calendar(footer: pq.FileMetaData) -> bool:
    """Whether a file says that days and times in it are such, if it has any."""
    properties: Mapping[bytes, bytes] = footer.metadata or {}
    if says_old_calendar(properties):
        return True
    return says_old_calendar(properties, _FIRST_INT96) and "INT96" in _physical_types(footer)


def _physical_types(footer: pq.FileMetaData) -> Iterator[str]:
    return (footer.schema.column(number).physical_type for number in range(footer.num_columns))


def _has_days(kind: pa.DataType) -> bool:
    if pa.types.is_nested(kind):
        return any(_has_days(kind.field(number).type) for number in range(kind.num_fields))
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _is_early(column: pa.ChunkedArray) -> bool:
    if pa.types.is_nested(column.type):
        return True
    width, first = (pa.int32(), _NEW_DAYS) if pa.types.is_date32(column.type) else (pa.int64(), 0)
    return bool(pc.any(pc.less(column.cast(width), first)).as_py())
