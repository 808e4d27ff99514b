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


def test_names_have_the_catalog_if_it_is_not_that_of_the_profile() -> None:
    from dbt.adapters.deltasql.connections import DeltaSqlCredentials
    from dbt.adapters.deltasql.relation import DeltaSqlRelation

    def rendered(database: str | None, schema: str | None = "s", identifier: str | None = "t") -> str:
        text: str = DeltaSqlRelation.create(database=database, schema=schema, identifier=identifier).render()
        return text

    DeltaSqlCredentials(schema="models", database="main")
    assert [rendered(database) for database in (None, "", "main", "MAIN")] == ["s.t"] * 4
    assert rendered("other") == "other.s.t"
    assert rendered("my-data") == "`my-data`.s.t"
    # A database of the schema's name is a catalog, too.
    assert rendered("s") == "s.s.t"
    assert rendered("other", None) == rendered("main", None) == "t"
    relation = DeltaSqlRelation.create(database="main", schema="s", identifier="t")
    assert relation.without_identifier().render() == "s"
    assert relation.include(schema=False, identifier=False).render() == "main"
    assert relation.quote(database=True).include(schema=False, identifier=False).render() == "`main`"
    assert DeltaSqlRelation.create(schema="s", identifier="t").database == "main"
    DeltaSqlCredentials(schema="models")
    assert (rendered("main"), rendered("spark_catalog")) == ("main.s.t", "s.t")


def test_relations_match_in_any_case() -> None:
    from dbt.adapters.deltasql.connections import DeltaSqlCredentials
    from dbt.adapters.deltasql.relation import DeltaSqlRelation

    DeltaSqlCredentials(schema="models")
    relation = DeltaSqlRelation.create(database="main", schema="s", identifier="T")
    assert relation.matches(database="MAIN", schema="S", identifier="t")
    assert relation.matches(identifier="`t`")
    assert not relation.matches(database="other", identifier="t")


def test_a_template_has_the_catalog_of_the_target() -> None:
    from dbt.adapters.deltasql.connections import DeltaSqlCredentials

    for words in ({"catalog": "main"}, {"database": "main"}):
        info = dict(DeltaSqlCredentials.from_dict({"schema": "s", **words}).connection_info(with_aliases=True))
        assert (info["database"], info["catalog"], info["current_catalog"]) == ("main",) * 3
