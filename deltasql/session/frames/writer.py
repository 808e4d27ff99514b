"""Writers of DataFrames with PySpark's API: `session.write(df).mode("append").saveAsTable("t")`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from deltasql.base import errors
from deltasql.files import Result
from deltasql.plan import MemoryRows, TableName
from deltasql.session.frames.columns.columns import column_sql, is_column
from deltasql.statements import WriteFrame, WriteMode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Run = Callable[[WriteFrame], Result]
"""Plans and commits a write."""
Named = Callable[[str], TableName]
"""Parses the name of a table in SQL."""

MODES = {
    "append": WriteMode.APPEND,
    "overwrite": WriteMode.OVERWRITE,
    "error": WriteMode.ERROR,
    "errorifexists": WriteMode.ERROR,
    "default": WriteMode.ERROR,
    "ignore": WriteMode.IGNORE,
}

_Writer = TypeVar("_Writer", bound="Optioned")


class Optioned:
    """Base class of readers and writers: options with case-insensitive names; booleans become `true` and `false`."""

    def __init__(self) -> None:
        self._options: dict[str, str] = {}

    def option(self: _Writer, key: str, value: Any) -> _Writer:
        """Sets one option; None removes it."""
        if value is None:
            self._options.pop(key.lower(), None)
            return self
        self._options[key.lower()] = str(value).lower() if isinstance(value, bool) else str(value)
        return self

    def options(self: _Writer, **options: Any) -> _Writer:
        for key, value in options.items():
            self.option(key, value)
        return self

    def format(self: _Writer, source: str) -> _Writer:
        """Delta is the only format. Raises UnsupportedWriteError for any other."""
        if source.lower() != "delta":
            raise errors.UnsupportedWriteError(f"The format {source}", "Tables are Delta tables: format('delta').")
        return self


class FrameWriter(Optioned):
    """PySpark's DataFrameWriter for the tables of a session. The last call writes, and returns the commit's result."""

    def __init__(self, frame: DataFrame | MemoryRows, run: Run, named: Named) -> None:
        super().__init__()
        self._frame, self._run, self._named = frame, run, named
        self._mode: WriteMode | None = None
        self._partitioned: tuple[str, ...] | None = None
        self._clustered: tuple[str, ...] | None = None

    def mode(self, saveMode: str | None) -> FrameWriter:
        """append, overwrite, error (the default: a new table) or ignore. Raises InvalidSaveModeError."""
        if saveMode is None:
            return self
        if saveMode.lower() not in MODES:
            raise errors.InvalidSaveModeError(saveMode)
        self._mode = MODES[saveMode.lower()]
        return self

    def partitionBy(self, *cols: str | Iterable[str]) -> FrameWriter:
        self._partitioned = column_names(cols)
        return self

    def clusterBy(self, *cols: str | Iterable[str]) -> FrameWriter:
        self._clustered = column_names(cols)
        return self

    def bucketBy(self, *_: Any) -> FrameWriter:
        """Raises UnsupportedWriteError."""
        raise errors.UnsupportedWriteError("Bucketing", "To keep equal values together: clusterBy(…).")

    sortBy = bucketBy

    def saveAsTable(
        self,
        name: str,
        format: str | None = None,
        mode: str | None = None,
        partitionBy: str | Iterable[str] | None = None,
        **options: Any,
    ) -> Result:
        """Writes to a table of the catalog, columns by name; creates it if it is missing."""
        self._take(format, mode, partitionBy, options)
        return self._write(self._named(name))

    def save(
        self,
        path: str | None = None,
        format: str | None = None,
        mode: str | None = None,
        partitionBy: str | Iterable[str] | None = None,
        **options: Any,
    ) -> Result:
        """Writes to the table at `path` (or at the option `path`), columns by name; creates it if it is missing."""
        self._take(format, mode, partitionBy, options)
        location = path or self._options.get("path")
        if location is None:
            raise errors.UnsupportedWriteError("save() without a path", "Name it: save(path), or saveAsTable(name).")
        return self._write(at(location))

    def insertInto(self, tableName: str, overwrite: bool | None = None) -> Result:
        """Writes to an existing table, columns by position."""
        if self._partitioned is not None:
            raise errors.UnsupportedWriteError(
                "insertInto() with partitionBy", "The table knows its partition columns."
            )
        if overwrite is not None:
            self._mode = WriteMode.OVERWRITE if overwrite else WriteMode.APPEND
        mode = self._mode if self._mode is WriteMode.OVERWRITE else WriteMode.APPEND
        return self._run(
            WriteFrame(self._named(tableName), self._frame, mode, self._options, by_name=False, must_exist=True)
        )

    def _take(
        self,
        source: str | None,
        mode: str | None,
        partitions: str | Iterable[str] | None,
        options: Mapping[str, Any],
    ) -> None:
        if source is not None:
            self.format(source)
        self.mode(mode)
        if partitions is not None:
            self.partitionBy(partitions)
        self.options(**options)

    def _write(self, table: TableName) -> Result:
        mode = self._mode or WriteMode.ERROR
        return self._run(WriteFrame(table, self._frame, mode, self._options, self._partitioned, self._clustered))


class FrameWriterV2(Optioned):
    """PySpark's DataFrameWriterV2: `session.writeTo(df, "t").append()`. Columns are matched by name."""

    def __init__(self, frame: DataFrame | MemoryRows, table: str, run: Run, named: Named) -> None:
        super().__init__()
        self._frame, self._table, self._run = frame, named(table), run
        self._partitioned: tuple[str, ...] | None = None
        self._clustered: tuple[str, ...] | None = None

    def using(self, provider: str) -> FrameWriterV2:
        return self.format(provider)

    def tableProperty(self, property: str, value: str) -> FrameWriterV2:
        return self.option(property, value)

    def partitionedBy(self, col: Any, *cols: Any) -> FrameWriterV2:
        self._partitioned = tuple(_column_name(item) for item in (col, *cols))
        return self

    def clusterBy(self, col: str, *cols: str) -> FrameWriterV2:
        self._clustered = (col, *cols)
        return self

    def withSchemaEvolution(self) -> FrameWriterV2:
        """New columns of the DataFrame are added to the table."""
        return self.option("mergeSchema", True)

    def append(self) -> Result:
        return self._into(WriteMode.APPEND)

    def overwrite(self, condition: Any) -> Result:
        """Replaces the rows for which the `condition` is TRUE by the DataFrame's, which must satisfy it.

        It is a text in SQL or a Column. Raises UnsupportedWriteError, UnsupportedColumnError.
        """
        if not (isinstance(condition, str) or is_column(condition)):
            raise errors.UnsupportedWriteError(
                f"overwrite() by {type(condition).__name__}", 'Give the condition as SQL: overwrite("day = 3").'
            )
        self.option("replaceWhere", condition if isinstance(condition, str) else column_sql(condition))
        return self._into(WriteMode.OVERWRITE)

    def overwritePartitions(self) -> Result:
        """Replaces the partitions of the DataFrame's rows."""
        self.option("partitionOverwriteMode", "dynamic")
        return self._into(WriteMode.OVERWRITE)

    def create(self) -> Result:
        """Creates a table; an existing one is an error."""
        return self._define(WriteMode.ERROR)

    def replace(self) -> Result:
        """Replaces definition and rows of an existing table."""
        return self._define(WriteMode.REPLACE)

    def createOrReplace(self) -> Result:
        return self._define(WriteMode.CREATE_OR_REPLACE)

    def _into(self, mode: WriteMode) -> Result:
        return self._run(WriteFrame(self._table, self._frame, mode, self._options, must_exist=True))

    def _define(self, mode: WriteMode) -> Result:
        return self._run(WriteFrame(self._table, self._frame, mode, self._options, self._partitioned, self._clustered))


def frame_of(rows: DataFrame | Result) -> DataFrame:
    """A Spark DataFrame unchanged, or that of a result. Raises NotADataFrameError for other objects."""
    if isinstance(rows, Result):
        return rows.df
    if not hasattr(rows, "sparkSession"):
        kind = type(rows)
        package = kind.__module__.partition(".")[0]
        type_name = kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"
        advice = "Pass the DataFrame itself." if package == "pyspark" else "Make one with spark.createDataFrame(…)."
        raise errors.NotADataFrameError(type_name, advice)
    return rows


def rows_to_write(rows: Any) -> DataFrame | MemoryRows:
    """The source of a write from a user's object: a Spark DataFrame, that of a result, or rows in memory.

    Rows in memory are a DataFrame of pandas or polars, or an object with Arrow data. Spark writes them only if
    something must be computed.
    Raises NotADataFrameError, and UnsupportedRowsError for columns that a table cannot have.
    """
    if isinstance(rows, Result) or hasattr(rows, "sparkSession"):
        return frame_of(rows)
    kind = type(rows)
    package = kind.__module__.partition(".")[0]
    type_name = kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"
    if not is_columnar(rows):
        advice = "Call its collect() first." if kind.__name__ == "LazyFrame" else _ADVICE.get(package, _ANY_ADVICE)
        raise errors.NotADataFrameError(type_name, advice)
    from deltasql.session.frames.memory import memory_rows

    return memory_rows(rows, type_name)


_ADVICE = {"pyspark": "Pass the DataFrame itself.", "pandas": "Pass a DataFrame: series.to_frame()."}
_ANY_ADVICE = (
    "Give a DataFrame of Spark, pandas or polars, or an Arrow table or reader; make one with pandas.DataFrame(…), or "
    "with spark.createDataFrame(…)."
)


def is_columnar(rows: Any) -> bool:
    """Whether an object has Arrow data: a table, batch or reader, or a DataFrame with the Arrow PyCapsule interface."""
    return not isinstance(rows, type) and (hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__"))


def at(path: str) -> TableName:
    """The name of the table at a path or URL; a relative path is below the working directory of the session."""
    return TableName(("delta", path if "/" in path else f"./{path}"))


def column_names(cols: Iterable[str | Iterable[str]]) -> tuple[str, ...]:
    """Column names from names and lists of names, flattened."""
    return tuple(name for item in cols for name in ((item,) if isinstance(item, str) else item))


def _column_name(column: Any) -> str:
    """The name of a column given by name, or as `col(name)`. Raises UnsupportedWriteError for other expressions."""
    if isinstance(column, str):
        return column
    plain = re.fullmatch(r"Column<'([^'()]+)'>", str(column))
    if plain is None:
        raise errors.UnsupportedWriteError(f"Partitioning by {column}", "Partition by columns: partitionedBy('day').")
    return plain[1].strip("`")
