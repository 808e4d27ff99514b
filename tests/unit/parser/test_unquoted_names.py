"""A name with a hyphen is told to be quoted, wherever it stands; so is the value of a property."""

from __future__ import annotations

import pytest

from deltasql.base.errors import ParseSyntaxError
from deltasql.sql.parser import parse


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE table-name SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')",
        "ALTER TABLE s.table-name ADD COLUMN a INT",
        "CREATE TABLE table-name (a INT)",
        "CREATE TABLE t (column-name INT)",
        "DROP TABLE table-name",
        "DELETE FROM table-name WHERE a = 1",
        "UPDATE table-name SET a = 1",
        "INSERT INTO table-name VALUES (1)",
        "OPTIMIZE table-name",
        "DESCRIBE HISTORY table-name",
    ],
)
def test_hyphens(sql: str) -> None:
    with pytest.raises(ParseSyntaxError) as caught:
        parse(sql)
    assert "is quoted: `a-b`" in str(caught.value)
    caret = caught.value.caret
    assert caret is not None
    assert sql[caret.start : caret.end] == "-"


@pytest.mark.parametrize("key", ["'delta.isolationLevel'", "delta.isolationLevel"])
def test_levels(key: str) -> None:
    with pytest.raises(ParseSyntaxError, match="Write the value in quotes"):
        parse(f"ALTER TABLE t SET TBLPROPERTIES ({key} = Serializable)")
