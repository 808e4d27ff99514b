"""VERSION AS OF variable: which names are numbers of versions."""

from __future__ import annotations

import pytest

from deltasql.base.errors import LastingVersionError, UnknownVersionError
from deltasql.sql.parser.parameters import bind_versions
from deltasql.sql.postfix import BoundStatement

VALUES = {"v": 7, "session.v": 7, "`odd v`": 8, "text": "7", "flag": True}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM t VERSION AS OF v", "SELECT * FROM t VERSION AS OF 7"),
        ("select * from t for system_version as of session.v, u", "select * from t for system_version as of 7, u"),
        ("RESTORE t TO VERSION AS OF `odd v`", "RESTORE t TO VERSION AS OF 8"),
        (
            "CREATE TABLE c CLONE t VERSION AS OF v LOCATION '/x'",
            "CREATE TABLE c CLONE t VERSION AS OF 7 LOCATION '/x'",
        ),
        ("SELECT a FROM t VERSION AS OF v JOIN u VERSION /* of u */ AS OF v", None),
        ("SELECT * FROM t VERSION AS OF 3", "SELECT * FROM t VERSION AS OF 3"),
        ("SELECT version AS of FROM t", "SELECT version AS of FROM t"),
        ("SELECT version AS of", "SELECT version AS of"),
        ("CREATE TEMPORARY VIEW w AS SELECT * FROM t VERSION AS OF v", None),
    ],
)
def test_variables_behind_version_as_of(sql: str, expected: str | None) -> None:
    bound = bind_versions(BoundStatement(sql), VALUES.get)
    assert bound.sql == (sql.replace("OF v", "OF 7") if expected is None else expected)


@pytest.mark.parametrize("name", ["nope", "text", "flag", "session.nope", "`odd`.x"])
@pytest.mark.parametrize(
    "statement", ["SELECT * FROM t VERSION AS OF {}", "RESTORE t TO version /* c */ AS OF {} -- end"]
)
def test_what_is_no_number_is_told_at_its_name(statement: str, name: str) -> None:
    sql = statement.format(name)
    with pytest.raises(UnknownVersionError) as caught:
        bind_versions(BoundStatement(sql), VALUES.get)
    caret = caught.value.caret
    assert caret is not None
    assert sql[caret.start : caret.end] == name


@pytest.mark.parametrize("name", ["v", "nope"])
def test_what_lasts_keeps_a_number(name: str) -> None:
    for head in ("CREATE OR REPLACE VIEW w AS", "ALTER VIEW w AS", "CREATE FUNCTION f() RETURNS TABLE RETURN"):
        with pytest.raises(LastingVersionError):
            bind_versions(BoundStatement(f"{head} SELECT * FROM t VERSION AS OF {name}"), VALUES.get)
