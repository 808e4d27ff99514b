"""A process that runs statements on tables others have damaged: a line of JSON in for each case, lines out."""

from __future__ import annotations

import json
import resource
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import deltasql
from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.session_settings import FSYNC
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.session.session import Session


class EngineNeededError(Exception):
    """A statement that this process does not compute."""


def _no_engine(*_: object, **__: object) -> None:
    raise EngineNeededError


def _outcome(session: Session, text: str) -> tuple[str, str]:
    """How a statement ends, and the condition of its error, or of a query its rows."""
    try:
        rows = session.sql(text).collect()
        # What follows the value of a column may fail as well.
        answer = repr([tuple(row) for row in rows])
    except DeltaSqlError as error:
        # The text of an error is part of the answer: it must be printable.
        str(error).encode("utf-8", "backslashreplace")
        return "error", error.condition
    except EngineNeededError:
        return "engine", ""
    except BaseException as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        own = [item for item in traceback.extract_tb(error.__traceback__) if "/deltasql/" in item.filename]
        place = own[-1] if own else frame
        return "raw", f"{type(error).__name__}: {str(error)[:200]} at {Path(place.filename).name}:{place.lineno}"
    return "answer", answer[:2000] if text.startswith("SELECT") else ""


def _run(case: Path, table: str, statements: Sequence[str]) -> list[list[object]]:
    found: list[list[object]] = []
    try:
        session = deltasql.connect(str(case / "warehouse"))
        session.settings.set(FSYNC.name, "false")
        session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    except DeltaSqlError as error:
        return [["connect", "error", error.condition, 0.0]]
    except Exception as error:
        return [["connect", "raw", f"{type(error).__name__}: {error}", 0.0]]
    for statement in statements:
        print(json.dumps({"begun": statement}), flush=True)
        start = time.process_time()
        kind, detail = _outcome(session, statement.format(t=table, c=case / "clone"))
        found.append([statement, kind, detail, time.process_time() - start])
    session.close()
    return found


def main() -> None:
    SparkHandle._started = _no_engine  # type: ignore[method-assign]
    for line in sys.stdin:
        case, table, statements = json.loads(line)
        found = _run(Path(case), table, statements)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(json.dumps({"found": found, "mebibytes": peak}), flush=True)


if __name__ == "__main__":
    main()
