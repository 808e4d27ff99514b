"""The statements whose result schema is known before they run."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from deltasql import connect
from deltasql.clients.server.statements import result_schema
from tests.test_structure import statements


def test_each_show_and_describe_is_one() -> None:
    shown = (item.node for item in statements() if item.node.__name__.startswith(("Show", "Describe")))
    missing = sorted(node.__name__ for node in shown if not node.reads_only)
    assert not missing, f"these need reads_only = True: {', '.join(missing)}"


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SHOW TABLES", ["namespace", "tableName", "isTemporary"]),
        ("SHOW VOLUMES", ["database", "volume_name"]),
        ("DESCRIBE CATALOG spark_catalog", ["info_name", "info_value"]),
        ("CREATE TABLE t (a INT)", []),
    ],
)
def test_schemas_before_the_run(sql: str, columns: list[str], tmp_path: Path) -> None:
    with connect(str(tmp_path / "w")) as session:
        schema = result_schema(session, sql)
        assert isinstance(schema, pa.Schema)
        assert schema.names == columns
        assert session.sql("SHOW TABLES").collect() == []
