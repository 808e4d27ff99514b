"""JSON in a log that is nested too deeply, or very long: a typed error, or passed over where it only helps."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import InvalidLogJsonError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.replay.checksum import read_checksum
from deltasql.log.replay.log_segment import read_last_checkpoint
from deltasql.log.storage.listing import checksum_path, commit_path
from deltasql.session.session import Session

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = deltasql.connect(str(tmp_path))
    session.sql("CREATE TABLE t (a INT)")
    return session


def log_file(session: Session, path: str) -> Path:
    return Path(session.log("t").location) / path


def test_an_action_is_damage(session: Session) -> None:
    log_file(session, commit_path(1)).write_text(f'{{"add": {DEEP}}}\n')
    fresh = deltasql.connect(session.catalog.warehouse)
    with pytest.raises(InvalidLogJsonError) as caught:
        fresh.sql("DESCRIBE DETAIL t")
    assert caught.value.line == 1


def test_what_only_helps_is_passed_over(session: Session) -> None:
    for path in (checksum_path(0), "_delta_log/_last_checkpoint", "_delta_log/_last_vacuum_info"):
        log_file(session, path).write_text(DEEP)
    fresh = deltasql.connect(session.catalog.warehouse)
    assert fresh.sql("DESCRIBE DETAIL t").collect()[0].numFiles == 0
    store = fresh.log("t").store
    assert read_checksum(store, 0) is None
    assert read_last_checkpoint(store) is None
    fresh.sql("VACUUM t LITE DRY RUN")


@pytest.mark.parametrize("depth", [400, 5000])
def test_a_schema_is_told(session: Session, depth: int) -> None:
    kind = '{"type":"struct","fields":[{"name":"a","nullable":true,"metadata":{},"type":' * depth + '"integer"'
    lines = [json.loads(line) for line in log_file(session, commit_path(0)).read_text().splitlines()]
    for line in lines:
        if "metaData" in line:
            line["metaData"]["schemaString"] = kind + "}]}" * depth
    log_file(session, commit_path(0)).write_text("".join(json.dumps(line) + "\n" for line in lines))
    log_file(session, checksum_path(0)).unlink()
    fresh = deltasql.connect(session.catalog.warehouse)
    for statement in ("DESCRIBE t", "DESCRIBE DETAIL t", "SHOW CREATE TABLE t", "ALTER TABLE t ADD COLUMNS (z INT)"):
        # An answer is as good.
        with suppress(DeltaSqlError):
            fresh.sql(statement).collect()


def test_a_type_of_the_limit_lives_through_a_table(session: Session) -> None:
    session.sql(f"CREATE TABLE deep (c {'STRUCT<a:' * 100}INT{'>' * 100})")
    fresh = deltasql.connect(session.catalog.warehouse)
    fresh.sql("DESCRIBE deep").collect()
    fresh.sql("SHOW CREATE TABLE deep").collect()
    fresh.sql("ALTER TABLE deep ADD COLUMNS (d INT)")


def test_a_line_of_a_hundred_megabytes(session: Session) -> None:
    text = json.dumps({"commitInfo": {"timestamp": 1, "operation": "WRITE", "userMetadata": "x" * (100 << 20)}})
    log_file(session, commit_path(1)).write_text(text + "\n")
    fresh = deltasql.connect(session.catalog.warehouse)
    assert fresh.sql("DESCRIBE DETAIL t").collect()[0].numFiles == 0


def test_five_thousand_columns(session: Session) -> None:
    session.sql(f"CREATE TABLE wide ({', '.join(f'c{i} INT' for i in range(5000))})")
    assert deltasql.connect(session.catalog.warehouse).sql("DESCRIBE wide").count() >= 5000
