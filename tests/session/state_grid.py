"""Statements that change the state of a session, and queries that show the change.

A change must be seen by later statements of its session, in whatever way these are computed, and by no other session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deltasql import DeltaSqlError, Session

Outcome = list[Any] | str
"""Rows, or the condition of an error."""


class Change(NamedTuple):
    """Statements that change the state of a session, with the outcomes of a probe: after them, and without them."""

    name: str
    statements: Sequence[str]
    probe: str
    changed: Outcome
    usual: Outcome
    needs: str = "any"
    """`spark`: statements that Sail refuses."""


_MOMENT = "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00Z' AS STRING) AS s, CAST(at AS STRING) AS a FROM t"
_USUAL_MOMENT = [("2024-01-01 00:00:00", "2024-06-01 12:00:00")]
_IN_TOKYO = [("2024-01-01 09:00:00", "2024-06-01 21:00:00")]
_TO_TOKYO = "SET TIME ZONE 'Asia/Tokyo'"
_NO_COLUMN = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
_NO_VIEW = "TABLE_OR_VIEW_NOT_FOUND"
_QUOTED = 'SELECT "k" FROM t'

CHANGES = (
    Change("zone", [_TO_TOKYO], _MOMENT, _IN_TOKYO, _USUAL_MOMENT),
    Change("zone, interval", ["set time zone INTERVAL '09:00' HOUR TO MINUTE"], _MOMENT, _IN_TOKYO, _USUAL_MOMENT),
    Change("zone, setting", ["SET spark.sql.session.timeZone = Asia/Tokyo"], _MOMENT, _IN_TOKYO, _USUAL_MOMENT),
    Change("zone, last of two", ["SET TIME ZONE 'Europe/Paris'", _TO_TOKYO], _MOMENT, _IN_TOKYO, _USUAL_MOMENT),
    Change("zone, by text", [f'EXECUTE IMMEDIATE "{_TO_TOKYO}"'], _MOMENT, _IN_TOKYO, _USUAL_MOMENT),
    Change("zone, in a script", [f"BEGIN {_TO_TOKYO}; SELECT 1; END"], _MOMENT, _IN_TOKYO, _USUAL_MOMENT),
    Change(
        "zone, by a handler",
        [
            f"BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN {_TO_TOKYO}; END; "
            "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x'; END"
        ],
        _MOMENT,
        _IN_TOKYO,
        _USUAL_MOMENT,
    ),
    Change("zone, reset", [_TO_TOKYO, "RESET spark.sql.session.timeZone"], _MOMENT, _USUAL_MOMENT, _USUAL_MOMENT),
    Change("all reset", [_TO_TOKYO, "SET deltasql.compute = ENGINE", "RESET"], _MOMENT, _USUAL_MOMENT, _USUAL_MOMENT),
    Change(
        "zone, refused",
        [_TO_TOKYO, "SET TIME ZONE 'nowhere'", "SET spark.sql.session.timeZone = nowhere"],
        _MOMENT,
        _IN_TOKYO,
        _USUAL_MOMENT,
    ),
    Change(
        "ansi", ["SET spark.sql.ansi.enabled = false"], "SELECT CAST('x' AS INT) AS n", [(None,)], "CAST_INVALID_INPUT"
    ),
    Change("case", ["SET spark.sql.caseSensitive = true"], "SELECT K FROM t", _NO_COLUMN, [(1,)]),
    Change("quotes", ["SET spark.sql.ansi.doubleQuotedIdentifiers = true"], _QUOTED, [(1,)], [("k",)], "spark"),
    Change("setting", ["SET deltasql.retry.maxAttempts = 3"], "SET deltasql.retry.maxAttempts", [("3",)], [("10",)]),
    Change("schema", ["CREATE SCHEMA s", "USE s"], "SELECT current_schema() AS s", [("s",)], [("default",)]),
    Change("variable", ["DECLARE x INT = 1", "SET VAR x = x + 1"], "SELECT x AS x FROM t", [(2,)], _NO_COLUMN),
    Change("view", ["CREATE TEMPORARY VIEW v AS SELECT 7 AS n"], "SELECT n FROM v", [(7,)], _NO_VIEW),
    Change(
        "view over files",
        ["CREATE TEMP VIEW `V w` USING parquet OPTIONS (path '{files}')"],
        "SELECT n FROM `v W`",
        [(1,)],
        _NO_VIEW,
        "spark",
    ),
    Change("view, refused", ["CREATE TEMPORARY VIEW v AS SELECT nothing"], "SELECT n FROM v", _NO_VIEW, _NO_VIEW),
    Change(
        "function",
        ["CREATE TEMPORARY FUNCTION f(i INT) RETURNS INT RETURN i + 1"],
        "SELECT f(k) AS n FROM t",
        [(2,)],
        "UNRESOLVED_ROUTINE",
        "spark",
    ),
)

ENGINE = "SET deltasql.compute = ENGINE"

Opened = Callable[[Path], Session]
"""Opens a session over a warehouse."""


def prepared(opened: Opened, warehouse: Path) -> Session:
    """A session whose warehouse has the table `t` with one row."""
    session = opened(warehouse)
    session.sql("CREATE TABLE IF NOT EXISTS t (k INT, at TIMESTAMP)")
    if not session.sql("SELECT k FROM t").collect():
        session.sql("INSERT INTO t VALUES (1, TIMESTAMP '2024-06-01 12:00:00Z')")
    return session


def files_of_one_row(folder: Path) -> Path:
    """A folder with a Parquet file, whose one row is 1."""
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), folder / "part.parquet")
    return folder


def outcome(session: Session, sql: str) -> Outcome:
    try:
        rows = session.sql(sql).collect()
    except DeltaSqlError as error:
        return error.condition
    return [tuple(row)[1:] if sql.startswith("SET ") else tuple(row) for row in rows]


def change(session: Session, item: Change, files: Path) -> None:
    """Runs the statements of a change, of which some fail on purpose."""
    for statement in item.statements:
        outcome(session, statement.replace("{files}", str(files)))


def check_seen(item: Change, session: Session) -> None:
    """Whatever computes the rows, the change is seen."""
    assert outcome(session, item.probe) == item.changed, item.name
    session.sql(ENGINE)
    assert outcome(session, item.probe) == item.changed, f"{item.name}, computed by the engine"
    session.sql("RESET deltasql.compute")


def check_unseen(item: Change, session: Session) -> None:
    """No other session sees the change, in whatever way its rows are computed."""
    for setting in (ENGINE, "RESET deltasql.compute"):
        session.sql(setting)
        assert outcome(session, item.probe) == item.usual, f"{item.name} reached another session: {setting}"


def check_one_after_another(changes: Sequence[Change], opened: Opened, place: Path, files: Path) -> None:
    for number, item in enumerate(changes):
        with prepared(opened, place / f"after{number}") as first:
            change(first, item, files)
            check_seen(item, first)
        with prepared(opened, place / f"after{number}") as second:
            check_unseen(item, second)


def check_side_by_side(changes: Sequence[Change], opened: Opened, place: Path, files: Path) -> None:
    for number, item in enumerate(changes):
        warehouse = place / f"beside{number}"
        with prepared(opened, warehouse) as first, prepared(opened, warehouse) as second:
            check_unseen(item, second)
            change(first, item, files)
            check_unseen(item, second)
            check_seen(item, first)


def check_in_threads(changes: Sequence[Change], opened: Opened, place: Path, files: Path) -> None:
    """Half of the threads change the state of their session while the others, with sessions of their own, look."""

    def changing(number: int, item: Change) -> None:
        with prepared(opened, place / f"thread{number}") as session:
            change(session, item, files)
            check_seen(item, session)

    def looking(number: int, item: Change) -> None:
        with prepared(opened, place / f"looking{number}") as session:
            check_unseen(item, session)

    with ThreadPoolExecutor(4) as threads:
        done = [threads.submit(run, *item) for item in enumerate(changes) for run in (changing, looking)]
        for each in done:
            each.result()
