"""Golden files give the same with names of three parts in another catalog, and in a catalog that is current."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deltasql.clients.golden import run_file
from deltasql.clients.golden.record import expects_no_jvm
from deltasql.session.session import Session
from tests.samples import draws
from tests.three_part_names import comparable, current_catalog_session, three_part_session

GOLDENS = Path(__file__).parent / "golden"

WITHOUT_SPARK = (
    *("columns/add_columns", "columns/drop_columns", "columns/rename_column", "constraints/drop_primary_key"),
    *("features/drop_feature", "inspect/describe_history", "inspect/describe_detail"),
    *("properties/set_table_properties", "restore/restore", "insert/literals", "table/rename_table"),
)
WITH_SPARK = (
    *("delete/delete", "insert/forms", "merge/forms", "optimize/optimize", "query/table_changes", "update/update"),
)
WITH_CATALOG = ("clone/clone_table", "copy_into/by_position")
"""Files that name `spark_catalog`: in another current catalog these names would find nothing."""
OTHERWISE = frozenset(
    {
        # Catalogs and their names are the subject.
        *(
            "inspect/show_dropped_tables",
            "formats/create",
            "formats/in_volumes",
            "tags/volume_tags",
            "table/undrop_table",
            "table/create_temporary_table",
            "catalog/bakehouse_wanderbricks",
            "catalog/samples",
            "governance/add_masked_column",
            "table/temporary_tables",
            "catalog/first_catalogs",
            "settings/widgets",
            "refresh/flows",
            "catalog/foreign_catalogs",
        ),
        *(
            "table/default_collations",
            "governance/clauses_of_clouds",
            "refresh/later_columns",
            "columns/several_changes",
        ),
        *("catalog/auto_create", "catalog/comment_on_catalog", "catalog/create_catalog", "catalog/describe_catalog"),
        *("catalog/information_schema_expressions", "clone/table_types"),
        *("catalog/drop_catalog", "catalog/information_schema", "catalog/information_schema_constraints"),
        *("catalog/information_schema_read_only", "catalog/set_catalog_properties", "catalog/three_part_names"),
        *("inspect/describe_json", "inspect/describe_json_policies", "inspect/describe_schema"),
        *("inspect/show_catalogs", "inspect/show_current_schema"),
        *("inspect/show_table_extended", "constraints/add_key", "view/catalog", "view/meaning"),
        # Statements on schemas: the schema of another catalog is the one that they name.
        *("inspect/show_schemas", "inspect/show_tables", "inspect/show_views", "inspect/show", "inspect/show_columns"),
        *("table/create_schema", "table/drop_schema", "table/schemas", "table/set_schema_properties"),
        *("table/unset_schema_properties", "table/use_schema", "properties/comment_on", "inspect/explain_metadata"),
        # Names in scripts, functions, IDENTIFIER and variables are not rewritten.
        *("function/create_function", "query/identifier", "routine/values", "script/control_flow", "script/plain"),
        *("script/variables", "settings/variables", "transaction/begin_atomic", "transaction/change_data_feed"),
        "view/metric_windows",
        *("transaction/several_tables", "tags/set_tags", "tags/unset_tags", "view/temporary", "upkeep/upkeep"),
        *("refresh/schedules", "tags/view_column_tags"),
        *("governance/alter_securable", "governance/comment_on_securable", "governance/change_grants"),
        "governance/show_principals",
        *(
            "governance/create_securable",
            "governance/policies_that_apply",
            "governance/set_mask",
            "governance/set_owner",
            "function/python",
        ),
        *("function/show_functions_by_name", "query/databricks_functions", "procedure/create_procedure"),
        *("governance/volumes", "properties/adjacent_strings", "geospatial/h3_statements"),
        *(
            "refresh/as_views",
            "refresh/source_columns",
            "refresh/alter_refreshed",
            "refresh/column_lists",
            "refresh/row_filters",
        ),
        *(
            "refresh/create_refreshed",
            "refresh/refresh_data",
            "refresh/streaming_tables",
            "refresh/stream_options",
            "refresh/streamed_queries",
            "refresh/changed_sources",
            "formats/alter",
        ),
        *("volume/create_volume", "volume/files", "volume/queries"),
        # Messages that suggest a name, or that are about words in the place of a name.
        *("convert/convert", "merge/errors", "query/wrong_words", "table/create_table"),
        *(
            "view/sources",
            "refresh/refused",
            "refresh/other_formats",
        ),
    }
)
"""Files whose output differs with names of three parts."""
SHARES = 8


def _cases() -> Iterator[object]:
    for name in (*WITHOUT_SPARK, *WITH_SPARK, *WITH_CATALOG):
        marks = () if name in WITHOUT_SPARK else pytest.mark.spark
        yield pytest.param(name, three_part_session, id=f"{name}-three parts", marks=marks)
        if name not in WITH_CATALOG:
            yield pytest.param(name, current_catalog_session, id=f"{name}-current", marks=marks)


@pytest.mark.parametrize(("name", "opened"), list(_cases()))
def test_golden(name: str, opened: Callable[[str], Session]) -> None:
    outcome = run_file(GOLDENS / f"{name}.sql", opened)
    assert outcome.expected is not None
    assert comparable(outcome.actual) == comparable(outcome.expected)


def _drawn() -> Iterator[object]:
    """An eighth of the golden files; all with DELTASQL_TESTS_CATALOG=all."""
    everything = os.environ.get("DELTASQL_TESTS_CATALOG") == "all"
    for path in sorted(GOLDENS.rglob("*.sql")):
        name = path.relative_to(GOLDENS).with_suffix("").as_posix()
        if name not in OTHERWISE and (everything or draws(name, SHARES)):
            yield pytest.param(name, id=name, marks=() if expects_no_jvm(path) else pytest.mark.spark)


@pytest.mark.parametrize("name", list(_drawn()))
def test_golden_file_of_a_share(name: str) -> None:
    test_golden(name, three_part_session)
