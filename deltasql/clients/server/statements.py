"""Statements of clients: their rows in Arrow, numbers of changed rows, result schemas before they run, and time zones.

The JDBC driver has no value for a TIMESTAMP with a time zone. A client on a JVM gets the local time in its session's
time zone, as SQL shows it. Nested values stay unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.base import DeltaSqlError, cancellable, machine_zone_name, zone
from deltasql.clients.dbapi.cursor import bulk_insert
from deltasql.clients.server.clients import ClientRows, Prepared
from deltasql.clients.server.parameter_types import exact
from deltasql.files import Result
from deltasql.schema import PrimitiveType, StructField, StructType, arrow_type
from deltasql.session import Session
from deltasql.sql import bind_parameters, is_script, parameter_names, parse

Values = Mapping[str, Any] | Sequence[Any]
"""Parameter values of one run: by name, or in order."""

_POLL = 0.1
"""Seconds between two checks whether the client has cancelled."""
_AFFECTED = "num_affected_rows"


@contextmanager
def heeding(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Context: a statement within is cancelled once `is_cancelled` returns true; KeyboardInterrupt is raised then."""
    with cancellable() as statement:
        over = threading.Event()

        def watch() -> None:
            while not over.wait(_POLL):
                if is_cancelled():
                    statement.cancel()
                    return

        watcher = threading.Thread(target=watch, name="deltasql-watch", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


@dataclass(frozen=True, slots=True)
class LazyRows:
    """The rows of a query that runs when they are fetched, so that a client can cancel it."""

    result: Result
    schema: pa.Schema
    count: int = -1

    @property
    def time_zone(self) -> str:
        return self.result.time_zone

    def table(self) -> pa.Table:
        return _cast_to_announced_schema(self.result.to_arrow(), self.schema)


@dataclass(frozen=True, slots=True)
class RowsAtHand:
    """Rows in memory."""

    rows: pa.Table
    time_zone: str = ""

    @property
    def schema(self) -> pa.Schema:
        return self.rows.schema

    @property
    def count(self) -> int:
        return int(self.rows.num_rows)

    def table(self) -> pa.Table:
        return self.rows


def rows_of(session: Session, sql: str, values: Values | None = None) -> ClientRows:
    """The rows of a statement; no columns for one without a result. A query has not run yet, others have."""
    result = session.sql(sql, args=values)
    if result.is_query:
        return LazyRows(result, schema_of(result.schema))
    return RowsAtHand(rows_in_arrow(result), result.time_zone)


def rows_in_arrow(result: Result) -> pa.Table:
    """The rows of a result in the Arrow types of its columns; no columns for a statement without a result."""
    if not result.columns and not result.is_query:
        return pa.table({})
    if any(_has_months(item) for item in result.schema):
        return _months_as_text(result)
    return _cast_to_announced_schema(result.to_arrow(), schema_of(result.schema))


def _has_months(item: StructField) -> bool:
    name = item.type.name if isinstance(item.type, PrimitiveType) else ""
    return name.startswith("interval") and ("year" in name or "month" in name)


def _months_as_text(result: Result) -> pa.Table:
    """The rows of a result with intervals of years and months, for which neither Python nor Arrow has values: `1-2`."""
    places = [f"c{number}" for number, _ in enumerate(result.schema)]
    text = "regexp_extract(CAST(CAST({0} AS INTERVAL YEAR TO MONTH) AS STRING), \"'(.*)'\", 1) AS {0}"
    texts = {
        place: text.format(place) if _has_months(item) else place
        for place, item in zip(places, result.schema, strict=True)
    }
    rows = result.df.toDF(*places).selectExpr(*texts.values()).toArrow()
    schema = schema_of(result.schema)
    return _cast_to_announced_schema(rows.rename_columns(schema.names), schema)


def rows_of_prepared(session: Session, prepared: Prepared) -> ClientRows:
    """The rows of a prepared statement; those of all sets of values, one after another."""
    runs = _runs(prepared)
    if len(runs) == 1:
        return rows_of(session, *runs[0])
    results = [rows_of(session, *run) for run in runs]
    return RowsAtHand(pa.concat_tables([rows.table() for rows in results]), results[0].time_zone)


def changed_rows(session: Session, sql: str, values: Values | None = None) -> int:
    """Runs a statement; returns the number of rows that it changed, 0 for one that does not count them."""
    result = session.sql(sql, args=values)
    return int(result.collect()[0][0]) if result.columns[:1] == [_AFFECTED] else 0


def changed_by_prepared(session: Session, prepared: Prepared) -> int:
    """The number of rows that all runs of a prepared statement changed."""
    return sum(changed_rows(session, *run) for run in _runs(prepared))


def _runs(prepared: Prepared) -> list[tuple[str, Values | None]]:
    """Statements to run with their parameter values. INSERT INTO … VALUES (…) of many sets is one statement."""
    if not prepared.rows:
        return [(prepared.sql, None)]
    bulk = bulk_insert(prepared.sql) if len(prepared.rows) > 1 else None
    if bulk is not None:
        return [(bulk.statement(prepared.rows), None)]
    return [(prepared.sql, values) for values in prepared.rows]


def result_schema(session: Session, sql: str) -> pa.Schema:
    """The schema of a statement's result; no columns if unknown without running it, or without parameter values.

    Raises syntax errors.
    """
    names = parameter_names(sql)
    nothing: Values = dict.fromkeys(names) if any(names) else [None] * len(names)
    if is_script(sql) or not parse(bind_parameters(sql, nothing).sql).reads_only:
        return pa.schema([])
    try:
        return schema_of(session.sql(sql, args=nothing if names else None).schema)
    except DeltaSqlError:
        if names:
            return pa.schema([])
        raise


def bound_rows(prepared: Prepared, batches: Iterator[pa.RecordBatch]) -> list[Values]:
    """The sets of values that came in Arrow: by name where the statement has names, else in order."""
    return [values for batch in batches for values in _sets(prepared, batch)]


def _sets(prepared: Prepared, batch: pa.RecordBatch) -> Iterator[Values]:
    names = [name for name in parameter_names(prepared.sql) if name]
    # A client without names numbers its columns.
    at = {name: batch.schema.get_field_index(name) for name in names}
    order = {name: index if index >= 0 else number for number, (name, index) in enumerate(at.items())}
    for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
        if order:
            yield {name: exact(name, row[index], prepared.types) for name, index in order.items() if index < len(row)}
        else:
            yield [exact(str(number), value, prepared.types) for number, value in enumerate(row)]


def schema_of(columns: StructType) -> pa.Schema:
    """Columns as an Arrow schema."""
    return pa.schema([pa.field(item.name, arrow_type(item.type), item.nullable) for item in columns])


def _cast_to_announced_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table cast to the announced schema, which clients compare. Values that Arrow cannot cast become text."""
    if table.schema == schema:
        return table
    columns = [_cast(column, item.type) for column, item in zip(table.columns, schema, strict=True)]
    return pa.table(columns, schema=schema)


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_duration(column.type) and pa.types.is_string(kind):
        return pa.chunked_array([pa.array(map(interval_text, column.to_pylist()), pa.string())])
    try:
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = [None if value is None else str(value) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(values, pa.string())]).cast(kind)


def interval_text(value: timedelta | None) -> str | None:
    """An interval of days and times as Hive writes it, and drivers read it: `1 02:03:04.000000000`."""
    if value is None:
        return None
    sign, value = ("-", -value) if value < timedelta() else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{value.days} {hours:02d}:{minutes:02d}:{seconds:02d}.{value.microseconds * 1000:09d}"


ZONES, KEEP = "zones", "keep"
"""The header, or property of a connection of JDBC, by which a client says that it reads zones; and its value."""
_ON_JVM = "grpc-java"


def keeps_zones(headers: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the client of a call gets zones: one that says so, and each that is not on a JVM."""
    said, agents = ([str(value).lower() for value in headers.get(name, ())] for name in (ZONES, "user-agent"))
    return KEEP in said or not any(agent.startswith(_ON_JVM) for agent in agents)


def without_zones(schema: pa.Schema) -> pa.Schema:
    """The columns, of which none has a zone."""
    return pa.schema([_clock(item) for item in schema], schema.metadata)


@dataclass(frozen=True, slots=True)
class ClockRows:
    """Rows whose times are local times in the session's zone."""

    rows: ClientRows

    @property
    def schema(self) -> pa.Schema:
        return without_zones(self.rows.schema)

    @property
    def count(self) -> int:
        return self.rows.count

    @property
    def time_zone(self) -> str:
        return self.rows.time_zone

    def table(self) -> pa.Table:
        table, name = self.rows.table(), _arrow_name(self.time_zone)
        columns = [
            pc.local_timestamp(column.cast(pa.timestamp("us", name))) if _has_zone(column.type) else column
            for column in table.columns
        ]
        return pa.table(columns, schema=without_zones(table.schema))


def _has_zone(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _clock(item: pa.Field) -> pa.Field:
    return item.with_type(pa.timestamp("us")) if _has_zone(item.type) else item


def _arrow_name(name: str) -> str:
    """A time zone of a session as Arrow calls it."""
    info = zone(name or machine_zone_name())
    if isinstance(info, ZoneInfo):
        return info.key
    text = datetime.now(info).strftime("%z")
    return f"{text[:3]}:{text[3:5]}"
