"""Names of temporary views that statements create in Spark."""

from __future__ import annotations

import pytest

from deltasql.engines.spark.session.temporary_views import created_view


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("CREATE TEMPORARY VIEW v USING csv OPTIONS (path 'x')", "v"),
        ("-- ----\ncreate or replace temp view `a``b` (c INT) USING parquet", "a`b"),
        ("CREATE TEMP VIEW IF NOT EXISTS v USING json", "v"),
        ("CREATE GLOBAL TEMPORARY VIEW v USING json", None),
        ("CREATE VIEW v AS SELECT 1", None),
        ("CREATE TEMPORARY FUNCTION view AS 'x'", None),
        ("SELECT 1 AS view", None),
        ("CACHE TABLE v", None),
    ],
)
def test_the_view_of_a_statement(sql: str, name: str | None) -> None:
    assert created_view(sql) == name
