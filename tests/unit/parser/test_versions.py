"""VERSION AS OF variable: which names are numbers of versions."""

from __future__ import annotations

import pytest

from deltasql.parser.versions import bind_versions
from deltasql.plan.parameters import BoundStatement

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
        ("SELECT * FROM t VERSION AS OF nope", "SELECT * FROM t VERSION AS OF nope"),
        ("SELECT * FROM t VERSION AS OF text", "SELECT * FROM t VERSION AS OF text"),
        ("SELECT * FROM t VERSION AS OF flag", "SELECT * FROM t VERSION AS OF flag"),
        ("CREATE TEMPORARY VIEW w AS SELECT * FROM t VERSION AS OF v", None),
        ("CREATE OR REPLACE VIEW w AS TABLE t VERSION AS OF v", "CREATE OR REPLACE VIEW w AS TABLE t VERSION AS OF v"),
    ],
)
def test_variables_behind_version_as_of(sql: str, expected: str | None) -> None:
    bound = bind_versions(BoundStatement(sql), VALUES.get)
    assert bound.sql == (sql.replace("OF v", "OF 7") if expected is None else expected)
