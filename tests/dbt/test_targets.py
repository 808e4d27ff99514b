"""A dbt target opens a session of its warehouse, with its engine, storage options and settings."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.dbt, pytest.mark.filterwarnings("default")]


def test_a_target_says_where_and_by_what_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from dbt.adapters.deltasql import connections

    opened: list[Any] = []

    class Opened:
        def sql(self, text: str) -> None:
            opened.append(text)

    def connect(*arguments: Any, **options: Any) -> Opened:
        opened.append((arguments, options))
        return Opened()

    monkeypatch.setattr(connections, "connect", connect)
    target = connections.DeltaSqlCredentials(
        schema="models", warehouse="w", engine="sail", storage_options={"k": "v"}, settings={"a.b": True}
    )
    target.connect()
    assert opened == [
        (("w", None), {"storage_options": {"k": "v"}, "engine": "sail", "catalogs": None}),
        "SET a.b = true",
    ]
    assert "engine" in target._connection_keys()
    del opened[:]
    connections.DeltaSqlCredentials.from_dict({"schema": "models", "database": "main"}).connect()
    assert opened[1:] == ["USE CATALOG main"]


def test_relations_are_in_the_catalog_of_the_profile() -> None:
    from dbt.adapters.deltasql.connections import DeltaSqlCredentials
    from dbt.adapters.deltasql.relation import DeltaSqlRelation
    from dbt_common.exceptions import DbtRuntimeError

    DeltaSqlCredentials(schema="models", database="main")
    assert DeltaSqlRelation.create(database="main", schema="s", identifier="t").render() == "s.t"
    with pytest.raises(DbtRuntimeError, match="the profile has main"):
        DeltaSqlRelation.create(database="other", schema="s", identifier="t")
    DeltaSqlCredentials(schema="models")
    with pytest.raises(DbtRuntimeError, match="the profile has spark_catalog"):
        DeltaSqlRelation.create(database="main", schema="s", identifier="t")
