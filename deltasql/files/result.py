"""Results of statements: rows with named values, lazy where Spark computes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from deltasql.base import errors, pa
from deltasql.files.rendering.html import mime_bundle
from deltasql.files.rendering.values import Grid, write_table
from deltasql.plan import Way, recorded_notes, recorded_ways
from deltasql.schema import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NO_COLUMNS = StructType()

MOST_SHOWN = 50
"""Most rows of a result that a notebook shows."""

Placed = Callable[[], AbstractContextManager[None]]
"""Creates a context in which errors get a caret in the user's SQL."""


class Row(tuple[Any, ...]):
    """A tuple whose values also have names: `row.a`, `row["a"]`, `row[0]`. Compares as a tuple."""

    __fields__: tuple[str, ...]

    def __new__(cls, names: Iterable[str], values: Iterable[Any]) -> Row:
        row = super().__new__(cls, tuple(values))
        row.__fields__ = tuple(names)
        return row

    def asDict(self, recursive: bool = False) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Values by name; `recursive` turns nested rows into dicts as well."""
        values = (_plain(value) for value in self) if recursive else iter(self)
        return dict(zip(self.__fields__, values, strict=True))

    def __getitem__(self, key: Any) -> Any:
        """By name, index or slice. Raises KeyError for an unknown name, IndexError for an unknown index."""
        return super().__getitem__(self._index(key) if isinstance(key, str) else key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.__fields__:
            raise AttributeError(f"This row has no column {name!r}; it has {', '.join(self.__fields__)}.")
        return super().__getitem__(self.__fields__.index(name))

    def __contains__(self, name: object) -> bool:
        """Whether there is a column of this name, as with Spark's rows."""
        return name in self.__fields__

    def __reduce__(self) -> tuple[Any, ...]:
        return (Row, (self.__fields__, tuple(self)))

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self.__fields__, self, strict=True))})"

    def _index(self, name: str) -> int:
        try:
            return self.__fields__.index(name)
        except ValueError:
            raise KeyError(name) from None


class RowSource(Protocol):
    """Source of a Result's rows: computed by the engine for a query, or in memory (such as `CommandRows`)."""

    @property
    def schema(self) -> StructType: ...

    @property
    def df(self) -> DataFrame:
        """The Spark DataFrame of these rows; starts Spark if necessary."""

    def collect(self) -> Sequence[Sequence[Any]]:
        """All rows, values in the order of the schema."""

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        """The first `n` rows at most."""

    def count(self) -> int: ...

    def to_arrow(self) -> pa.Table: ...

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, converted by Spark where Spark computes the rows."""


class Columnar(Protocol):
    """Rows available as an Arrow table."""

    @property
    def schema(self) -> StructType: ...

    def to_arrow(self) -> pa.Table: ...


class _RowsAtHand:
    """Rows in this process's memory."""

    schema: StructType
    _rows: Sequence[Sequence[Any]]

    def collect(self) -> Sequence[Sequence[Any]]:
        return self._rows

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        return self._rows[:n]

    def count(self) -> int:
        return len(self._rows)

    def to_arrow(self) -> pa.Table:
        from deltasql.schema import to_table

        return to_table(self.schema, self._rows)


class CommandRows(_RowsAtHand):
    """Rows of a command, in memory. A nested value may be a tuple, list or mapping; timestamps are aware datetimes.

    `make_df` turns these rows into a Spark DataFrame; without it `df` raises RuntimeError.
    """

    def __init__(
        self,
        schema: StructType,
        rows: Iterable[Sequence[Any]],
        make_df: Callable[[CommandRows], DataFrame] | None = None,
    ) -> None:
        self.schema = schema
        self._rows = [tuple(row) for row in rows]
        self._make_df = make_df

    @property
    def df(self) -> DataFrame:
        if self._make_df is None:
            raise RuntimeError("This result was made without an engine, so it has no DataFrame. Use to_arrow().")
        return self._make_df(self)

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()


class AnsweredRows(_RowsAtHand):
    """Rows of a query that were found without running it; `run` returns the engine's rows, for `df` and pandas."""

    def __init__(self, schema: StructType, rows: Sequence[tuple[Any, ...]], run: Callable[[], RowSource]) -> None:
        self.schema = schema
        self._rows, self._run = rows, run

    @property
    def df(self) -> DataFrame:
        return self._run().df

    def to_pandas(self) -> Any:
        return self._run().to_pandas()


class MaterializedRows(_RowsAtHand):
    """Rows of a query that has run, in memory, so that it does not run again."""

    def __init__(self, source: RowSource, named: Callable[[str], str] = str) -> None:
        """`named` maps each column name of `source` to the new name."""
        self.schema = StructType(tuple(replace(item, name=named(item.name)) for item in source.schema))
        self._source = source
        self._rows = source.collect()

    @property
    def df(self) -> DataFrame:
        return self._source.df.toDF(*self.schema.names)

    def to_arrow(self) -> pa.Table:
        return self._source.to_arrow().rename_columns(self.schema.names)

    def to_pandas(self) -> Any:
        return self._source.to_pandas().set_axis(self.schema.names, axis=1)


class Result:
    """The outcome of one statement.

    `version` is the version that it committed, or None; `metrics` are those of the commit; `attempts` counts commit
    attempts (0 without a commit); `elapsed` is in seconds. `ways` record whether this process or the engine computed
    the rows, and why; empty if only the log was read. `time_zone` is the zone in which times are shown ("": the
    machine's). A notebook shows the first `most_shown` rows.
    """

    def __init__(
        self,
        source: RowSource,
        *,
        version: int | None = None,
        metrics: Mapping[str, Any] | None = None,
        attempts: int = 0,
        elapsed: float = 0.0,
        time_zone: str = "",
    ) -> None:
        self._source = source
        self.version = version
        self.metrics: dict[str, Any] = dict(metrics or {})
        self.attempts = attempts
        self.elapsed = elapsed
        self.time_zone = time_zone
        self.ways: list[Way] = recorded_ways()
        self._notes = recorded_notes()
        self.most_shown = MOST_SHOWN
        self._placed: Placed = nullcontext
        self._shown: dict[str, str] = {}
        self._left: Iterator[Row] | None = None

    @property
    def warnings(self) -> list[str]:
        """Sentences on parts of the statement that were ignored."""
        return [note.text for note in self._notes if note.is_warning]

    @property
    def notes(self) -> list[str]:
        """Sentences on the effect of the statement, such as that a privilege is recorded and not enforced."""
        return [note.text for note in self._notes if not note.is_warning]

    def placed_by(self, placed: Placed) -> Result:
        """This result; errors raised when rows are computed get carets in the user's SQL by `placed`."""
        self._placed = placed
        return self

    @classmethod
    def of(
        cls,
        schema: StructType = _NO_COLUMNS,
        rows: Iterable[Sequence[Any]] = (),
        *,
        make_df: Callable[[CommandRows], DataFrame] | None = None,
        **details: Any,
    ) -> Result:
        """A command's result; `details` are the keywords of the constructor."""
        return cls(CommandRows(schema, rows, make_df), **details)

    def materialized(self, named: Callable[[str], str] = str) -> Result:
        """This result, with its query run now (raising its errors), and rows in memory; `named` maps column names."""
        with self._placed():
            self._source = MaterializedRows(self._source, named)
        return self

    @property
    def is_query(self) -> bool:
        """Whether the result is the rows of a query, as opposed to a command."""
        return not isinstance(self._source, CommandRows)

    @property
    def schema(self) -> StructType:
        """The columns with their types; no fields for a command without output. Computes no rows."""
        with self._placed():
            return self._source.schema

    @property
    def columns(self) -> list[str]:
        """Column names; empty for a command without output."""
        return list(self.schema.names)

    @property
    def df(self) -> DataFrame:
        """The rows as a Spark DataFrame. For a command it is created now, which starts Spark."""
        with self._placed():
            return self._source.df

    def collect(self) -> list[Row]:
        """All rows; structs are Rows, arrays lists, maps dicts."""
        with self._placed():
            return _rows(self.schema, self._source.collect())

    def head(self, n: int) -> list[Row]:
        """The first `n` rows at most."""
        with self._placed():
            return _rows(self.schema, self._source.head(n))

    def count(self) -> int:
        """The number of rows, which are not fetched: of a query the engine counts them."""
        with self._placed():
            return self._source.count()

    def to_arrow(self) -> pa.Table:
        """All rows as a pyarrow.Table, one column per field of `schema`. Times are microseconds, TIMESTAMP in UTC."""
        with self._placed():
            return self._source.to_arrow()

    def toArrow(self) -> pa.Table:  # noqa: N802 - Spark's name
        """Alias of `to_arrow`, under Spark's name."""
        return self.to_arrow()

    def toPandas(self) -> Any:  # noqa: N802 - Spark's name
        """A pandas.DataFrame, converted by Spark for a query, so that types and time zone are Spark's."""
        with self._placed():
            return self._source.to_pandas()

    def to_pandas(self) -> Any:
        """Alias of `toPandas`."""
        return self.toPandas()

    def to_polars(self) -> Any:
        """A polars.DataFrame. Raises ImportError without polars, which the extra `polars` brings."""
        import polars

        return polars.DataFrame(self.to_arrow())

    def pl(self) -> Any:
        """Alias of `to_polars`, under DuckDB's name."""
        return self.to_polars()

    def fetchone(self) -> Row | None:
        """The next row not yet fetched by a fetch method, or None. The first call computes all rows."""
        return next(self._unfetched, None)

    def fetchmany(self, size: int = 1) -> list[Row]:
        """At most `size` rows not yet fetched."""
        return list(islice(self._unfetched, max(0, size)))

    def fetchall(self) -> list[Row]:
        """All rows not yet fetched."""
        return list(self._unfetched)

    @property
    def _unfetched(self) -> Iterator[Row]:
        if self._left is None:
            self._left = iter(self.collect())
        return self._left

    def show(self, n: int = 20, truncate: bool | int = True, file: TextIO | None = None) -> None:
        """Prints up to `n` rows as a table; cells are cut at `truncate` characters (True is 20, False is no cut).

        A statement without rows prints the version it made, or `done`.
        """
        if not self.columns:
            print("done" if self.version is None else f"version {self.version}", file=file or sys.stdout)
            return
        width = 20 if truncate is True else int(truncate)
        grid = self.grid(n, width)
        stream = file or sys.stdout
        write_table(grid, stream)
        if grid.more:
            stream.write(f"only showing top {n} row{'s' if n != 1 else ''}\n")

    def grid(self, limit: int | None = None, width: int = 0) -> Grid:
        """The rows (the first `limit` if given) laid out as cells, each cut at `width` characters (0: no cut)."""
        if not self.columns:
            return Grid(self.schema, [])
        # One row more than is shown tells whether there are more.
        rows = self.collect() if limit is None else self.head(limit + 1)
        shown = rows[:limit]
        return Grid(self.schema, shown, self.time_zone, width, more=len(rows) > len(shown))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow PyCapsule interface, for pandas, Polars, DuckDB and others."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """DataFrame interchange protocol, for libraries that support it."""
        return self.to_arrow().__dataframe__(nan_as_null, allow_copy)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.collect())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Representations by MIME type for a notebook. The rows of a query are computed once for it."""
        if not self._shown:
            grid = self.grid(self.most_shown)
            self._shown = mime_bundle(grid, None if self.is_query else self.count(), self.version)
        return dict(self._shown)

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def __len__(self) -> int:
        """The number of rows, which are computed and stored, since `list(result)` needs both. See `count`."""
        if self.is_query and not isinstance(self._source, MaterializedRows):
            self.materialized()
        return self.count()

    def __bool__(self) -> bool:
        """Always True: use `count` or `head` to test for rows."""
        return True

    def __repr__(self) -> str:
        shape = ", ".join(self.columns) or "no columns"
        return f"Result({shape})" if self.version is None else f"Result({shape}; version {self.version})"


def _rows(schema: StructType, rows: Iterable[Sequence[Any]]) -> list[Row]:
    """`rows` as Row objects. Raises TooComplexError for values nested deeper than Python's recursion limit."""
    try:
        return [to_row(schema, row) for row in rows]
    except RecursionError as error:
        raise errors.TooComplexError from error


def to_row(schema: StructType, values: Sequence[Any]) -> Row:
    """`values` as a Row, with structs at any depth turned into Rows too."""
    return Row(schema.names, (_nested(item.type, value) for item, value in zip(schema, values, strict=True)))


def _nested(kind: DataType, value: Any) -> Any:
    if value is None:
        return None
    match kind:
        case StructType():
            return to_row(kind, [value[name] for name in kind.names] if isinstance(value, Mapping) else value)
        case ArrayType(element=element):
            return [_nested(element, item) for item in value]
        case MapType(key=key, value=item):
            pairs = value.items() if isinstance(value, Mapping) else value
            return {_nested(key, left): _nested(item, right) for left, right in pairs}
        case _:
            return value


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        return value.asDict(recursive=True)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value
