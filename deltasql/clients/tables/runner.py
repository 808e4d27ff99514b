"""The session that builders run their statements in: of deltasql, or a Spark session that deltasql is installed in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from deltasql.base.errors.usage import SessionNotInstalledError
from deltasql.files.result import Result
from deltasql.plan.base import HIDDEN_PREFIX
from deltasql.plan.operators import MemoryRows
from deltasql.session.frames.columns.columns import frame_alias
from deltasql.session.frames.writer import frame_of, rows_to_write
from deltasql.session.session import Session

HOME = "_deltasql_home"
"""The attribute of an installed Spark session."""
INSTALLED: list[InstalledSpark] = []
"""The installations of this process, the latest last."""
MEMORY_ALIAS = "source"
"""The alias of a source of rows in memory."""

_NO_ROWS = "SELECT * FROM (SELECT 1 AS none) WHERE FALSE"


class InstalledSpark(Protocol):
    """An installation of deltasql in a Spark session; `plain` is the unmodified session."""

    spark: Any
    plain: Any
    session: Session

    def at_work(self) -> AbstractContextManager[None]:
        """Context for calls of deltasql."""

    def handed(self, outcome: Any) -> Any:
        """A return value of deltasql as PySpark's."""

    def taken(self, frame: Any) -> Any:
        """A DataFrame of the user's session as one of the engine's."""


class StatementRunner:
    """Runs statements, and converts rows for the caller: DataFrames of an installed session, else Results."""

    def __init__(self, session: Session, home: InstalledSpark | None = None) -> None:
        self.session, self._home = session, home

    def run(self, sql: str) -> Result:
        """Runs a statement whose rows nobody reads."""
        with self.working():
            return self.session.sql(sql)

    def rows(self, sql: str) -> Any:
        """The rows of a statement: a DataFrame of an installed Spark session, else a Result."""
        return self.handed(self.run(sql))

    def handed(self, result: Result) -> Any:
        """A result as the caller gets it."""
        if self._home is None:
            return result
        with self.working():
            return self._home.handed(result.df)

    def frame(self, sql: str) -> Any:
        """The rows of a query as a Spark DataFrame."""
        with self.working():
            frame = self.session.sql(sql).df
            return frame if self._home is None else self._home.handed(frame)

    def nothing(self) -> Any:
        """The rows of a method that gives none."""
        return self.handed(Result.of(make_df=lambda _: self.session.sql(_NO_ROWS).df))

    @contextmanager
    def supplied(self, rows: Any) -> Iterator[tuple[str, str | None]]:
        """Context: the name that statements read the rows of a source by, and its alias, None without one.

        Raises NotADataFrameError, UnsupportedRowsError.
        """
        given = rows_to_write(rows)
        alias = MEMORY_ALIAS if isinstance(given, MemoryRows) else source_alias(frame_of(given))
        if self._home is not None and getattr(given, "sparkSession", None) is self._home.spark:
            given = self._home.taken(given)
        with self.session.supplied(given) as name:
            yield name, alias

    def working(self) -> AbstractContextManager[None]:
        """Context for calls of the session."""
        return nullcontext() if self._home is None else self._home.at_work()


def source_alias(frame: Any) -> str | None:
    """The alias that the user has given a DataFrame, None without one."""
    alias = frame_alias(frame)
    return None if alias is None or alias.startswith(HIDDEN_PREFIX) else alias


def runner_of(spark: Any) -> StatementRunner:
    """The runner for the first argument of a method of Delta's API: a session of deltasql, or an installed Spark.

    None is the latest installed session. The session of a stream's batch, a copy of one that deltasql is installed in,
    stands for that one. Raises SessionNotInstalledError.
    """
    if isinstance(spark, Session):
        return StatementRunner(spark)
    if spark is None and INSTALLED:
        return StatementRunner(INSTALLED[-1].session, INSTALLED[-1])
    home = getattr(spark, "__dict__", {}).get(HOME)
    if home is not None:
        return StatementRunner(home.session, home)
    context = getattr(spark, "_sc", None)
    for installed in reversed(INSTALLED):
        if context is not None and getattr(installed.plain, "_sc", None) is context:
            return StatementRunner(installed.session, installed)
    raise SessionNotInstalledError
