"""Statements in two phases: begin pins and stages, commit checks and commits, abort leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session

pytestmark = pytest.mark.spark


def files(session: Session, table: str) -> set[Path]:
    root = Path(session.log(table).location)
    return {path for path in root.rglob("*") if path.is_file() and "_delta_log" not in path.parts}


def test_nothing_is_visible_before_the_commit(people: Session) -> None:
    pending = people.begin("INSERT INTO people (id) VALUES (:id)", {"id": 4})
    assert people.sql("SELECT count(*) FROM people").collect() == [(3,)]
    assert pending.commit().collect() == [(1, 1)]
    assert people.sql("SELECT count(*) FROM people").collect() == [(4,)]


@pytest.mark.parametrize("properties", ["", "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"])
@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO t VALUES (9)", "UPDATE t SET id = 5 WHERE id = 1", "DELETE FROM t WHERE id = 1", "OPTIMIZE t"],
)
def test_abort_leaves_nothing_behind(session: Session, properties: str, statement: str) -> None:
    session.sql(f"CREATE TABLE t (id INT) {properties}")
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT) FROM range(3)")
    session.sql("INSERT INTO t VALUES (7)")
    before = files(session, "t")
    session.begin(statement).abort()
    assert files(session, "t") == before
    assert session.sql("DESCRIBE HISTORY t").collect()[0].version == 2
    with session.begin(statement):
        pass
    assert files(session, "t") == before


def test_a_statement_reads_what_was_there_when_it_began(people: Session) -> None:
    pending = people.begin("CREATE TABLE copy AS SELECT * FROM people")
    counted = people.begin("SELECT count(*) FROM people")
    people.sql("DELETE FROM people")
    pending.commit()
    assert people.sql("SELECT count(*) FROM copy").collect() == [(3,)]
    assert counted.commit().collect() == [(3,)]


def test_the_second_of_two_that_conflict_fails_and_leaves_nothing(people: Session) -> None:
    first = people.begin("UPDATE people SET name = 'a' WHERE id = 1")
    second = people.begin("UPDATE people SET name = 'b' WHERE id = 2")
    first.commit()
    between = files(people, "people")
    with pytest.raises(DeltaSqlError, match="DELTA_CONCURRENT_APPEND"):
        second.commit()
    assert len(files(people, "people")) < len(between)
    assert people.sql("SELECT id, name FROM people WHERE id < 3 ORDER BY id").collect() == [(1, "a"), (2, "bob")]


def test_two_appends_both_commit_in_the_order_of_their_commits(people: Session) -> None:
    first = people.begin("INSERT INTO people (id) VALUES (10)")
    second = people.begin("INSERT INTO people (id) VALUES (11)")
    assert (second.commit().version, first.commit().version) == (2, 3)


def test_a_statement_ends_once(people: Session) -> None:
    pending = people.begin("INSERT INTO people (id) VALUES (4)")
    pending.commit()
    for end in (pending.commit, pending.abort):
        with pytest.raises(DeltaSqlError, match="STATEMENT_ALREADY_ENDED"):
            end()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("deltasql.retry.maxAttempts", "many"),
        ("deltasql.retry.statements", "sometimes"),
        ("deltasql.rowLevelConcurrency.maxFiles", "-1"),
        ("deltasql.rowLevelConcurrency.maxBytes", "much"),
        ("deltasql.strictWriteSerializable", "perhaps"),
    ],
)
def test_a_wrong_setting_is_told_before_anything_is_written(people: Session, key: str, value: str) -> None:
    people.sql("ALTER TABLE people SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    before = files(people, "people")
    with pytest.raises(DeltaSqlError, match=f"INVALID_CONF_VALUE.*{key}"):
        people.sql(f"SET {key} = {value}")
    # A Spark session that is handed in may have it all the same.
    people.settings.set(key, value)
    with pytest.raises(DeltaSqlError, match=f"INVALID_CONF_VALUE.*{key}"):
        people.sql("UPDATE people SET name = 'x' WHERE id = 1")
    assert files(people, "people") == before
    people.sql(f"RESET {key}")
    assert people.sql("UPDATE people SET name = 'x' WHERE id = 1").attempts == 1


def test_errors_of_both_phases_have_their_place(people: Session) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        people.begin("UPDATE people SET nope = :v", {"v": 1})
    assert caught.value.caret is not None
    assert caught.value.caret.sql == "UPDATE people SET nope = :v"


def test_metadata_and_queries_have_phases_too(people: Session) -> None:
    pending = people.begin("ALTER TABLE people ADD COLUMN extra INT")
    assert len(people.sql("SELECT * FROM people").columns) == 3
    pending.commit()
    assert len(people.sql("SELECT * FROM people").columns) == 4
    dropped = people.begin("DROP TABLE people")
    dropped.abort()
    assert people.sql("SELECT count(*) FROM people").collect() == [(3,)]
