"""Queries on Sail beside Spark, in a process of their own: a process of PySpark's has a JVM, or a client of a server.

`SailRows` are the rows of one query, for which this process asks another one, which runs `main`. The two exchange
pickled objects, and rows as a stream of Arrow. The plan of a query goes over as it is: both read the same files.
Whatever Sail refuses, or fails with, is for Spark to compute, or to say.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from io import BytesIO
from types import MappingProxyType
from typing import IO, Any, TypeAlias

from deltasql.base import LeftToEngineError, SessionSettings, errors, pa, session_settings
from deltasql.engines.sail.failures import sail_error
from deltasql.engines.sail.frames import EmbeddedSail, SailDialect
from deltasql.engines.spark.engine import SparkRuntime
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files import RowSource
from deltasql.log import is_local
from deltasql.plan import Literals, Operator, Scan, SqlQuery
from deltasql.schema import DATE, TIMESTAMP, TIMESTAMP_NTZ, StructType, case_matters, matching

_PACKAGE = "pysail"
_DATES = frozenset({DATE, TIMESTAMP, TIMESTAMP_NTZ})
_SUM = re.compile(r" [+-] ")
"""In a name that Spark makes of an expression: of `day + 1` that is `date_add(day, 1)`."""
_ENDS_WITHIN = 10
"""Seconds that the process gets for its end."""

_Answer: TypeAlias = Any
"""The columns of a query, or their number of rows; None before a stream of Arrow; a text says why there are none."""


@dataclass(frozen=True, eq=False, slots=True)
class _Request:
    """`action` is "schema", "count", or "rows" with `most` of them (None: all).

    `settings` are those that the session has set, by key.
    """

    action: str
    query: SqlQuery
    sql: str
    settings: Mapping[str, str]
    zone: str | None
    case_sensitive: bool
    most: int | None = None


def _read_only(items: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(items)


class _Pickler(pickle.Pickler):
    """Pickles mappings that are read-only, as those of a schema's fields are, as copies."""

    dispatch_table = copyreg.dispatch_table.copy()
    dispatch_table[MappingProxyType] = lambda items: (_read_only, (dict(items),))


class SailRows:
    """The rows of a query, which Sail has analysed. Methods raise LeftToEngineError where Sail does not give them."""

    def __init__(self, request: _Request, schema: StructType) -> None:
        self._request, self.schema = request, schema

    def table(self, session: object = None, most: int | None = None) -> pa.Table:
        """All rows, or the first `most` of them."""
        table: pa.Table = _PROCESS.ask(replace(self._request, action="rows", most=most))
        return table

    def count(self) -> int:
        number: int = _PROCESS.ask(replace(self._request, action="count"))
        return number


def rows_beside(spark: SparkHandle, operator: Operator, sql: str) -> SailRows:
    """The rows of a query over tables of this machine; `sql` is the statement.

    Raises LeftToEngineError where Spark is to compute them, SailMissingError where Sail is not installed.
    """
    spark.require_fetching()
    spark.require_computing()
    if find_spec(_PACKAGE) is None:
        raise errors.SailMissingError(package=_PACKAGE)
    # Functions whose results were not compared are for Spark here, whatever the setting says.
    settings = {key: value for key, value in spark.settings.changed() if key != session_settings.UNPROVEN.name}
    request = _Request("schema", _sent(operator), sql, settings, spark.settings.machine_zone, case_matters())
    schema: StructType = _PROCESS.ask(request)
    if any(item.type in _DATES and _SUM.search(item.name) for item in schema):
        raise LeftToEngineError("Sail may name a sum with dates otherwise than Spark does")
    return SailRows(request, schema)


def _sent(operator: Operator) -> Any:
    """An operator as it goes to the other process. Raises LeftToEngineError for one that stays here."""
    match operator:
        case Literals():
            return operator
        case Scan():
            if not is_local(operator.table.location):
                raise LeftToEngineError("a table is in an object store")
            if operator.identity or operator.described or operator.row_ids is not None or operator.marked_only:
                raise LeftToEngineError("metadata columns of rows or files are read")
            return replace(operator, pruning=replace(operator.pruning, narrowed=None), in_process=None)
        case SqlQuery(renames=None, tally=None):
            relations = {name: _sent(item) for name, item in operator.relations.items()}
            return replace(operator, relations=relations, settings=dict(operator.settings))
        case _:
            raise LeftToEngineError("a query reads more than tables")


class _SailProcess:
    """The process, which starts with the first question and ends with this one. Threads ask it one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: _Request) -> Any:
        """The answer of the process: see `_Answer`; for rows a table. Raises LeftToEngineError with the reason."""
        with self._lock:
            try:
                answer = self._asked(request)
            except (OSError, EOFError, pickle.PickleError, pa.ArrowInvalid):
                self._end()
                raise LeftToEngineError("the process of Sail has ended") from None
            except BaseException:
                # Interrupted: half an answer would be the next one's.
                self._end()
                raise
        if isinstance(answer, str):
            raise LeftToEngineError(answer)
        return answer

    def _asked(self, request: _Request) -> Any:
        text = BytesIO()
        try:
            _Pickler(text).dump(request)
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            return f"the plan of the query stays in this process: {error}"
        asked, answers = self._streams()
        asked.write(text.getbuffer())
        asked.flush()
        answer = pickle.load(answers)
        if answer is not None:
            return answer
        with pa.ipc.open_stream(answers) as stream:
            return stream.read_all()

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            left_out = {"SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE"}
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"from {__name__} import main; main()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if os.environ.get("DELTASQL_SPARK_LOG") else subprocess.DEVNULL,
                env={key: value for key, value in os.environ.items() if key not in left_out},
                # Ctrl-C is for this process, which ends the other one.
                start_new_session=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(_ENDS_WITHIN)
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    stream.close()  # type: ignore[union-attr]


_PROCESS = _SailProcess()


def _answered(request: _Request, handle: SparkHandle) -> tuple[_Answer, pa.Table | None]:
    """The answer to a request, and the rows behind it."""
    try:
        with matching(case_sensitive=request.case_sensitive):
            rows: RowSource = SparkRuntime(handle, request.sql, SailDialect, sail_error).rows(request.query)
            if request.action == "schema":
                return rows.schema, None
            if request.action == "count":
                return rows.count(), None
            if request.most is None:
                return None, rows.to_arrow()
            return None, rows.df.limit(request.most).toArrow()
    except errors.NotOnSailError as error:
        return f"Sail may not compute this as Spark does: {error.what}", None
    except Exception as error:
        return f"Sail fails: {error}".partition("\n")[0], None


def _handle(request: _Request) -> SparkHandle:
    settings = SessionSettings()
    settings.machine_zone = request.zone
    for key, value in request.settings.items():
        settings.set(key, value)
    return SparkHandle(None, settings, embedded=EmbeddedSail())


def main() -> None:
    """Answers the requests of the standard input until it ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What anything else prints must not get in between.
    os.dup2(2, 1)
    handles: dict[tuple[Any, ...], SparkHandle] = {}
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        key = (request.zone, *sorted(request.settings.items()))
        if key not in handles:
            handles.clear()
            handles[key] = _handle(request)
        answer, table = _answered(request, handles[key])
        _Pickler(answers).dump(answer)
        if table is not None:
            with pa.ipc.new_stream(answers, table.schema) as stream:
                stream.write_table(table)
        answers.flush()
