"""deltasql and plain Spark, as they run one script side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltasql import DeltaSqlError, Session
from deltasql.files.result import Result

from .world import NUMBERED, SCHEMAS, Rows, Step, Table

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Outcome:
    """Columns as name and type, rows in an order of their own; or the text of the error."""

    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    error: str | None = None


class Ours:
    """A session over a warehouse of its own."""

    def __init__(self, session: Session) -> None:
        self.session = session
        for schema in SCHEMAS:
            session.sql(f"CREATE SCHEMA {schema}")
        session.sql(f"USE {SCHEMAS[0]}")

    def run(self, step: Step) -> Outcome:
        """What the statement gives. An error that is no DeltaSqlError is a defect, and raised."""
        try:
            result = self.session.sql(step.sql)
            return self._rows(result, step.arrow) if step.is_query else Outcome()
        except DeltaSqlError as error:
            return Outcome(error=f"{error.condition}: {error.message}")

    def table(self, table: Table, arrow: bool) -> Outcome:
        names = table.listed if table.numbered else "*"
        return self._rows(self.session.sql(f"SELECT {names} FROM {table.full_name}"), arrow)

    def numbers(self, table: Table) -> str:
        """What is wrong with the numbers that the table has made, or ""."""
        found = [row[0] for row in self.session.sql(f"SELECT {NUMBERED} FROM {table.full_name}").collect()]
        good = len(set(found)) == len(found) and all(number is not None and (number - 7) % 3 == 0 for number in found)
        return "" if good else f"numbers of {table.full_name}: {sorted(found, key=str)}"

    def _rows(self, result: Result, arrow: bool) -> Outcome:
        from pyspark.errors import PySparkException

        try:
            return outcome(result.to_arrow() if arrow else result.df.toArrow())
        except PySparkException as error:
            return Outcome(error=str(error))


class PlainSpark:
    """Spark without Delta: the tables are Parquet, in schemas of one script."""

    _numbers = count()

    def __init__(self, spark: SparkSession, directory: Path) -> None:
        self.spark = spark
        # Fields of to_json that are NULL are left out, as of Delta tables, though Parquet tables have defaults.
        spark.conf.set("spark.sql.jsonGenerator.writeNullIfWithDefaultValue", "false")
        self._prefix = f"plain{next(self._numbers)}_"
        for schema in SCHEMAS:
            spark.sql(f"CREATE SCHEMA {self._prefix}{schema} LOCATION '{directory / schema}'")
        spark.sql(f"USE {self._prefix}{SCHEMAS[0]}")

    def run(self, step: Step) -> Outcome:
        from pyspark.errors import PySparkException

        try:
            if isinstance(step.judged, Rows):
                self._replace(step.judged)
                return Outcome()
            frame = self._sql(step.judged or step.sql)
            return outcome(frame.toArrow(), self._prefix) if step.is_query else Outcome()
        except PySparkException as error:
            return Outcome(error=str(error))

    def table(self, table: Table) -> Outcome:
        return outcome(self._sql(f"SELECT * FROM {table.full_name}").toArrow(), self._prefix)

    def close(self) -> None:
        for schema in SCHEMAS:
            self.spark.sql(f"DROP SCHEMA {self._prefix}{schema} CASCADE")

    def _sql(self, text: str) -> Any:
        return self.spark.sql(re.sub(r"\b(?=sx\d\b)", self._prefix, text))

    def _replace(self, rows: Rows) -> None:
        """All or nothing, as a commit is."""
        name, new = rows.table.full_name, f"{rows.table.full_name}_new"
        self._sql(f"CREATE TABLE {new} ({rows.table.declared}) USING parquet")
        try:
            for query in rows.queries:
                self._sql(f"INSERT INTO {new} {query}")
        except Exception:
            self._sql(f"DROP TABLE {new}")
            raise
        self._sql(f"DROP TABLE {name}")
        self._sql(f"ALTER TABLE {new} RENAME TO {name}")


def outcome(table: pa.Table, prefix: str = "") -> Outcome:
    """The rows of a table, each as text, sorted; -0.0 and 0.0, NaN and NaN are told apart as they are shown."""
    types = [_comparable(field.type) for field in table.schema]
    columns = tuple(f"{field.name} {of}" for field, of in zip(table.schema, types, strict=True))
    cast = [column.cast(of) for column, of in zip(table.columns, types, strict=True)]
    texts = (repr(row) for row in zip(*(column.to_pylist() for column in cast), strict=True))
    rows = sorted(text.replace(prefix, "") if prefix else text for text in texts)
    return Outcome(columns, tuple(rows))


def _comparable(of: pa.DataType) -> pa.DataType:
    """The type with moments in UTC, texts of any length, and fields that all may be NULL."""
    import pyarrow as pa

    if pa.types.is_timestamp(of) and of.tz:
        return pa.timestamp(of.unit, "UTC")
    if pa.types.is_struct(of):
        return pa.struct([(field.name, _comparable(field.type)) for field in of])
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return pa.list_(_comparable(of.value_type))
    if pa.types.is_map(of):
        return pa.map_(_comparable(of.key_type), _comparable(of.item_type))
    texts = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
    return texts.get(of, of)


def difference(step: Step, ours: Outcome, theirs: Outcome) -> str:
    """What differs, in words, or ""."""
    if (ours.error is None) != (theirs.error is None):
        return f"error\n  ours:  {_short(ours)}\n  judge: {_short(theirs)}"
    if ours.error is not None or ours == theirs:
        return ""
    if ours.columns != theirs.columns:
        return f"columns\n  ours:  {ours.columns}\n  judge: {theirs.columns}"
    only = [row for row in ours.rows if row not in theirs.rows], [row for row in theirs.rows if row not in ours.rows]
    return f"rows of {step.table.full_name if step.table else 'query'}\n  ours:  {only[0]}\n  judge: {only[1]}"


def _short(result: Outcome) -> str:
    return f"{len(result.rows)} rows" if result.error is None else result.error[:600]


def compared(ours: Ours, judge: PlainSpark, step: Step) -> tuple[str, bool]:
    """Runs a statement on both: what differs, or "", and whether it succeeded."""
    own = ours.run(step)
    if step.only_ours:
        return ("" if own.error is None else f"error\n  ours:  {own.error}"), own.error is None
    theirs = judge.run(step)
    found = difference(step, own, theirs)
    if not found and own.error is None and step.table is not None:
        found = difference(step, ours.table(step.table, step.arrow), judge.table(step.table))
        if not found and step.table.numbered:
            found = ours.numbers(step.table)
    return found, own.error is None
