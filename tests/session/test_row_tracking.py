"""Row tracking of whole tables: what is numbered, in which commits. Nothing here starts Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.operations import WRITE
from deltasql.statements import properties

ENABLE = "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')"


def append(session: Session, *paths: str, rows: int | None = 3) -> None:
    """Commits files that nobody reads."""
    log = session.log("t")
    stats = None if rows is None else f'{{"numRecords":{rows}}}'
    adds = [AddFile(path, {}, 1, 1, stats=stats) for path in paths]
    Transaction(log, log.snapshot()).commit(WRITE, {"mode": "Append"}, adds)


def file_ids(session: Session) -> dict[str, tuple[int, int]]:
    files = session.log("t").snapshot().live_adds(("path", "baseRowId", "defaultRowCommitVersion"))
    return {row["path"]: (row["baseRowId"], row["defaultRowCommitVersion"]) for row in files.to_pylist()}


def operations(session: Session) -> list[tuple[str, Any]]:
    entries = reversed(session.log("t").history())
    return [(entry.info["operation"], entry.info["operationParameters"].get("batchId")) for entry in entries]


def test_existing_files_are_numbered_in_batches(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(properties, "BATCH_FILES", 2)
    session.sql("CREATE TABLE t (id INT)")
    append(session, "a", "b", "c")
    assert session.sql(ENABLE).version == 5
    assert file_ids(session) == {"a": (0, 3), "b": (3, 3), "c": (6, 4)}
    steps = [("UPGRADE PROTOCOL", None), ("ROW TRACKING BACKFILL", "0"), ("ROW TRACKING BACKFILL", "1")]
    assert operations(session)[2:] == [*steps, ("SET TBLPROPERTIES", None)]
    append(session, "d")
    assert file_ids(session)["d"] == (9, 6)


def test_files_that_came_while_ids_were_suspended(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    append(session, "a")
    session.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false', 'delta.rowTrackingSuspended' = 'true')"
    )
    append(session, "b")
    assert file_ids(session) == {"a": (0, 1), "b": (None, None)}
    session.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'delta.rowTrackingSuspended' = 'false')"
    )
    assert file_ids(session) == {"a": (0, 1), "b": (3, 5)}


def test_a_file_that_nobody_has_counted_stops_it_before_anything_is_changed(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    append(session, "a", rows=None)
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(ENABLE)
    assert caught.value.condition == "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS"
    assert session.log("t").snapshot().version == 1


def test_after_an_error_it_goes_on(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE t (id INT)")
    append(session, "a")

    def broken(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(properties, "unnumbered", broken)
        with pytest.raises(OSError, match="no space"):
            session.sql(ENABLE)
    assert operations(session)[-1] == ("UPGRADE PROTOCOL", None)
    session.sql(ENABLE)
    assert file_ids(session) == {"a": (0, 3)}
    assert [name for name, _ in operations(session)[2:]] == [
        "UPGRADE PROTOCOL",
        "ROW TRACKING BACKFILL",
        "SET TBLPROPERTIES",
    ]
