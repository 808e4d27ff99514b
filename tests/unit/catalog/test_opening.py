"""Sessions that start in another catalog."""

from __future__ import annotations

import pytest

import deltasql
from deltasql.base.errors import CatalogNotFoundError


def test_a_session_starts_in_a_catalog(warehouse: str) -> None:
    with deltasql.connect(warehouse) as session:
        assert session.sql("SHOW CURRENT SCHEMA").collect() == [("spark_catalog", "default")]
        session.sql("CREATE CATALOG main")
        session.sql("CREATE TABLE main.default.t (a INT)")
        with deltasql.connect(warehouse, catalog="MAIN") as other:
            assert [row["tableName"] for row in other.sql("SHOW TABLES").collect()] == ["t"]
            assert other.catalog.full_name("t") == ("main", "default", "t")
        with deltasql.connect(warehouse, catalog="spark_catalog") as other:
            assert other.sql("SHOW TABLES").collect() == []
        with pytest.raises(CatalogNotFoundError, match="Known catalogs: hive_metastore, main, samples, spark"):
            deltasql.connect(warehouse, catalog="missing")
