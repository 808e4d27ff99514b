"""Fixtures that classes of dbt's suite leave to adapters."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from dbt.tests.adapter.basic import expected_catalog as catalogs
from dbt.tests.adapter.constraints import fixtures as constraints
from dbt.tests.adapter.python_model import test_spark as frames
from dbt.tests.adapter.simple_seed import seeds as seed_files
from dbt.tests.util import check_relations_equal, run_dbt

from tests.suites.dbt.grants import RecordedGrants
from tests.suites.dbt.views import SparkRelationTypes, SparkViewChanges, SparkViews


class SparkTypes:
    """Types in contracts: in the model's SQL, in its properties, and in messages."""

    TYPES: ClassVar[tuple[tuple[str, str], ...]] = (
        ("1", "int"),
        ("'1'", "string"),
        ("true", "boolean"),
        ("cast('2019-01-01' as date)", "date"),
        ("timestamp'2013-11-03 00:00:00'", "timestamp"),
        ("array('a', 'b')", "array<string>"),
        ("cast(1 as decimal(10, 2))", "decimal(10,2)"),
    )

    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [[value, kind, kind] for value, kind in self.TYPES]


class SparkHooks:
    """A target of deltasql in place of one of Postgres."""

    def get_ctx_vars(self, *arguments: Any, **named: Any) -> Any:
        found = super().get_ctx_vars(*arguments, **named)  # type: ignore[misc]
        for row in found if isinstance(found, list) else [found]:
            assert (row["target_type"], row["target_dbname"]) == ("deltasql", "")
            row.update(target_type="postgres", target_dbname="dbt", target_user="root", target_host=None)
        return found


class SparkDdl:
    """A contract is of the query; constraints are added when the table is there."""

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return """
create or replace table <model_identifier> using delta as
select id, color, date_day from (
    -- depends_on: <foreign_key_model_identifier>
    select 'blue' as color, 1 as id, '2019-01-01' as date_day
) as model_subq
"""


class SparkQuotedDdl:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        columns = constraints.model_quoted_column_schema_yml.replace('"from" =', "`from` =")
        return {
            "my_model.sql": constraints.my_model_with_quoted_column_name_sql.replace('"', "`"),
            "constraints_schema.yml": columns.replace("text", "string"),
        }

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        return """
create or replace table <model_identifier> using delta as
select id, `from`, date_day from (
    select 'blue' as `from`, 1 as id, '2019-01-01' as date_day
) as model_subq
"""


class SparkRollback:
    """The table is replaced before its constraints are added."""

    @pytest.fixture(scope="class")
    def expected_color(self) -> str:
        return "red"

    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["NULL", "id"]


class SparkIncrementalRollback:
    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["DELTA_NOT_NULL_CONSTRAINT_VIOLATED", "id"]


class SparkVolatility:
    """SQL of Spark has [NOT] DETERMINISTIC."""

    WORDS: ClassVar[str] = ""

    def check_function_volatility(self, sql: str) -> None:
        found = re.search(r"(?:NOT )?DETERMINISTIC", sql)
        assert (found[0] if found else "") == self.WORDS


class Deterministic(SparkVolatility):
    WORDS = "DETERMINISTIC"


class NotDeterministic(SparkVolatility):
    WORDS = "NOT DETERMINISTIC"


class DefaultArguments:
    expect_default_arg_support = True


class Packages:
    def expected_packages_sql_fragment(self) -> str:
        return "ENVIRONMENT (dependencies = '[\"numpy\"]')"


class DoubleLimit:
    DATABASE_ERROR_MESSAGE = "PARSE_SYNTAX_ERROR"


class SeedTypes:
    @staticmethod
    def seed_enabled_types() -> dict[str, str]:
        return {"seed_id": "string", "birthday": "date"}

    @staticmethod
    def seed_tricky_types() -> dict[str, str]:
        return dict.fromkeys(("seed_id_str", "looks_like_a_bool", "looks_like_a_date"), "string")


class SparkUnitTypes:
    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [
            ["1", "1"],
            ["'1'", "1"],
            ["true", "true"],
            ["DATE '2020-01-02'", "2020-01-02"],
            ["TIMESTAMP '2013-11-03 00:00:00-0'", "2013-11-03 00:00:00-0"],
            ["TIMESTAMP_NTZ '2013-11-03 00:00:00'", "2013-11-03 00:00:00"],
            ["CAST('1' AS DECIMAL(5, 2))", "1"],
            ["array('a', 'b')", '\'array("a", "b")\''],
            ["array(1, 2)", "'array(1, 2)'"],
            ["map('a', 1)", "'map(\"a\", 1)'"],
        ]


class SparkTimestamps:
    @pytest.fixture(scope="class")
    def expected_schema(self) -> dict[str, str]:
        names = ("current_timestamp", "current_timestamp_in_utc_backcompat", "current_timestamp_backcompat")
        return dict.fromkeys(names, "timestamp")

    @pytest.fixture(scope="class")
    def expected_sql(self) -> None:
        return None


class AnySize:
    """The statistics of a table, whatever its size is."""

    def __eq__(self, other: Any) -> bool:
        return bool(other["bytes"]["value"] > 0)

    __hash__ = None  # type: ignore[assignment]


def _catalog_in_spark(of: Callable[..., dict[str, Any]], project: Any, **more: Any) -> dict[str, Any]:
    """The catalog of a project: types of Spark, the size of tables, no owners, columns from 0."""
    words = {"id_type": "bigint", "text_type": "string", "time_type": "timestamp", "view_type": "view", **more}
    stats = {"model_stats": catalogs.no_stats(), "seed_stats": AnySize(), **more}
    found = of(project, role=None, table_type="table", **{**words, **stats})
    for node in (*found["nodes"].values(), *found["sources"].values()):
        for column in node["columns"].values():
            if isinstance(column["index"], int):
                node["columns"] = {**node["columns"], column["name"]: {**column, "index": column["index"] - 1}}
    return found


class SparkCatalog:
    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any) -> dict[str, Any]:
        return _catalog_in_spark(catalogs.base_expected_catalog, project)


class SparkReferencesCatalog:
    """The summary is a table, so that it has a size, too."""

    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any) -> dict[str, Any]:
        found = _catalog_in_spark(catalogs.expected_references_catalog, project, bigint_type="bigint")
        nodes = found["nodes"]
        nodes["model.test.ephemeral_summary"]["stats"] = nodes["seed.test.seed"]["stats"]
        return found


class MappedSeed:
    """Columns of a table with column mapping can be dropped."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"seeds": {"+tblproperties": {"delta.columnMapping.mode": "name"}}}


class MappedModels:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+tblproperties": {"delta.columnMapping.mode": "name"}}}


class MergePredicates:
    """There is no delete+insert."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        predicates = ["DBT_INTERNAL_DEST.id != 2"]
        return {"models": {"+incremental_predicates": predicates, "+incremental_strategy": "merge"}}


class Frames:
    """Arrow's data in place of Koalas, which went into Spark."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "pandas_df.py": frames.PANDAS_MODEL,
            "pyspark_df.py": frames.PYSPARK_MODEL,
            "pandas_on_spark_df.py": frames.PANDAS_ON_SPARK_MODEL,
            "arrow_df.py": "import pyarrow\n\n"
            "def model(dbt, session):\n"
            '    dbt.config(materialized="table")\n'
            '    return pyarrow.table({"city": ["Bogota"]})\n',
        }


class ThisTarget:
    """The target of the other classes."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, warehouse: str) -> dict[str, Any]:
        return {"type": "deltasql", "warehouse": warehouse, "threads": 4}


class SeedsStay:
    """No view is dropped with the table that it reads, and a seed is never dropped."""

    def _check_relation_end_state(self, run_result: Any, project: Any, exists: bool) -> None:
        super()._check_relation_end_state(run_result, project, exists=True)  # type: ignore[misc]


class ShortTypes:
    """dbt takes numbers of a seed for BIGINT and DOUBLE."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"seeds": {"+column_types": {"int_col": "int", "float_col": "float"}}}


class WrongDelimiter:
    def test_seed_with_wrong_delimiter(self, project: Any) -> None:
        found = run_dbt(["seed"], expect_pass=False)
        assert "PARSE_SYNTAX_ERROR" in found.results[0].message


class SeedWithBom:
    """The file is beside dbt's class, not beside this one."""

    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project: Any) -> None:
        project.run_sql(seed_files.seeds__expected_sql)
        source = Path(seed_files.__file__).parent / "seed_bom.csv"
        (Path(project.project_root) / "seeds" / "seed_bom.csv").write_bytes(source.read_bytes())


class SeedNames:
    """A name of a table has no dot."""

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        big = "seed_id\n" + "".join(f"{number}\n" for number in range(20000))
        return {
            "big_seed.csv": big,
            "seed_without_dots.csv": seed_files.seed__with_dots_csv,
            "seed_unicode.csv": seed_files.seed__unicode_csv,
        }


class SparkEphemeral:
    """The view in words of Spark."""

    NAME: ClassVar[str]
    SQL: ClassVar[str]

    def check_view(self, project: Any) -> None:
        path = Path(project.project_root) / "target" / "run" / "test" / "models" / f"{self.NAME}.sql"
        expected = self.SQL.replace("SCHEMA", project.test_schema)
        assert "".join(path.read_text(encoding="utf-8").split()) == "".join(expected.split())


class SparkEphemeralMulti(SparkEphemeral):
    NAME = "double_dependent"
    SQL = """
create or replace view SCHEMA.double_dependent as
with __dbt__cte__base as (select * from SCHEMA.seed),
__dbt__cte__base_copy as (select * from __dbt__cte__base)
-- base_copy just pulls from base. Make sure the listed
-- graph of CTEs all share the same dbt_cte__base cte
select * from __dbt__cte__base where gender = 'Male'
union all select * from __dbt__cte__base_copy where gender = 'Female'
"""

    def test_ephemeral_multi(self, project: Any) -> None:
        run_dbt(["seed"])
        assert len(run_dbt(["run"])) == 3
        for name in ("dependent", "double_dependent", "super_dependent"):
            check_relations_equal(project.adapter, ["seed", name])
        self.check_view(project)


class SparkEphemeralNested(SparkEphemeral):
    NAME = "root_view"
    SQL = """
create or replace view SCHEMA.root_view as
with __dbt__cte__ephemeral_level_two as (select * from SCHEMA.source_table),
__dbt__cte__ephemeral as (select * from __dbt__cte__ephemeral_level_two)
select * from __dbt__cte__ephemeral
"""

    def test_ephemeral_nested(self, project: Any) -> None:
        assert len(run_dbt(["run"])) == 2
        self.check_view(project)


_HOOKS = (
    "BasePrePostModelHooks",
    "BaseHookRefs",
    "BasePrePostModelHooksInConfig",
    "BasePrePostModelHooksInConfigWithCount",
    "BasePrePostModelHooksInConfigKwargs",
    "BasePrePostRunHooks",
)

_CHANGES = (
    "MaterializedViewChanges",
    "MaterializedViewChangesApplyMixin",
    "MaterializedViewChangesContinueMixin",
    "MaterializedViewChangesFailMixin",
)

_GRANTS = ("BaseIncrementalGrants", "BaseModelGrants", "BaseSeedGrants", "BaseSnapshotGrants")

OVERRIDES: dict[str, type] = {
    **dict.fromkeys(_HOOKS, SparkHooks),
    **dict.fromkeys(_CHANGES, SparkViewChanges),
    **dict.fromkeys(_GRANTS, RecordedGrants),
    "MaterializedViewBasic": SparkViews,
    "CatalogRelationTypes": SparkRelationTypes,
    "BaseTableConstraintsColumnsEqual": SparkTypes,
    "BaseViewConstraintsColumnsEqual": SparkTypes,
    "BaseIncrementalConstraintsColumnsEqual": SparkTypes,
    "BaseConstraintsRuntimeDdlEnforcement": SparkDdl,
    "BaseIncrementalConstraintsRuntimeDdlEnforcement": SparkDdl,
    "BaseModelConstraintsRuntimeEnforcement": SparkDdl,
    "BaseConstraintQuotedColumn": SparkQuotedDdl,
    "BaseConstraintsRollback": SparkRollback,
    "BaseIncrementalConstraintsRollback": SparkIncrementalRollback,
    "BaseCurrentTimestamps": SparkTimestamps,
    "BaseEphemeralMulti": SparkEphemeralMulti,
    "BaseEphemeralNested": SparkEphemeralNested,
    "BaseDocsGenerate": SparkCatalog,
    "BaseDocsGenReferences": SparkReferencesCatalog,
    "BaseIncrementalOnSchemaChange": MappedModels,
    "BaseIncrementalPredicates": MergePredicates,
    "BasePySparkTests": Frames,
    "BaseSimpleCopyUppercase": ThisTarget,
    "BaseBasicSeedTests": SeedsStay,
    "BaseSeedConfigFullRefreshOn": SeedsStay,
    "BaseSeedWithWrongDelimiter": WrongDelimiter,
    "BaseSimpleSeedWithBOM": SeedWithBom,
    "BaseSeedSpecificFormats": SeedNames,
    "BaseTypeInt": ShortTypes,
    "BaseTypeFloat": ShortTypes,
    "MetadataWithEmptyFlag": MappedSeed,
    "BaseShowDoesNotHandleDoubleLimit": DoubleLimit,
    "BaseSimpleSeedColumnOverride": SeedTypes,
    "BaseUnitTestingTypes": SparkUnitTypes,
    "UDFsBasic": SparkVolatility,
    "DeterministicUDF": Deterministic,
    "StableUDF": SparkVolatility,
    "NonDeterministicUDF": NotDeterministic,
    "PythonUDFSupported": SparkVolatility,
    "PythonUDFVolatilitySupport": NotDeterministic,
    "PythonUDFWithPackagesSupported": Packages,
    "SqlUDFDefaultArgSupport": DefaultArguments,
    "PythonUDFDefaultArgSupport": DefaultArguments,
}
"""Classes that come before the suite's; of one for models, its files are as they are, and else in Spark's words."""
