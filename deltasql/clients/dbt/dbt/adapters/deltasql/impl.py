"""The adapter: dbt-spark's, with Delta as the format of tables and the catalog's own types of columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from dbt.adapters.base import BaseRelation, PythonJobHelper, available
from dbt.adapters.base.impl import ConstraintSupport, FreshnessResponse, catch_as_completed
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.deltasql.column import DeltaSqlColumn
from dbt.adapters.deltasql.connections import MISSING_CATALOG, DeltaSqlConnectionManager
from dbt.adapters.deltasql.literals import seed_literal
from dbt.adapters.deltasql.python_models import ELSEWHERE, IN_SESSION, SessionJob
from dbt.adapters.deltasql.refreshed import RefreshedChange, change, schedule_clause
from dbt.adapters.deltasql.relation import DeltaSqlRelation
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter, SparkConfig
from dbt_common.contracts.constraints import ConstraintType
from dbt_common.exceptions import CompilationError, DbtRuntimeError
from dbt_common.utils import executor

from deltasql.schema import quote_name as quote

if TYPE_CHECKING:
    import agate

# The first such line: the comment, which may have the same words, comes later.
_TYPE = re.compile(r"^Type: (\w+)$", re.MULTILINE | re.IGNORECASE)
_GRANTING = frozenset({"TABLE", "VIEW", "MATERIALIZED VIEW", "STREAMING TABLE"})
_REPLACING = frozenset({"table", "view", "incremental"})
_REFUSING = frozenset({"seed", "snapshot"})
_REFRESHED = frozenset({"MATERIALIZED_VIEW", "STREAMING_TABLE"})


@dataclass
class DeltaSqlConfig(SparkConfig):
    file_format: str = "delta"


class DeltaSqlAdapter(SparkAdapter):
    """dbt's adapter interface, implemented on sessions of deltasql."""

    ConnectionManager = DeltaSqlConnectionManager
    Relation = DeltaSqlRelation
    Column = DeltaSqlColumn
    AdapterSpecificConfigs = DeltaSqlConfig

    CONSTRAINT_SUPPORT = {
        ConstraintType.check: ConstraintSupport.ENFORCED,
        ConstraintType.not_null: ConstraintSupport.ENFORCED,
        ConstraintType.primary_key: ConstraintSupport.NOT_ENFORCED,
        ConstraintType.foreign_key: ConstraintSupport.NOT_ENFORCED,
        ConstraintType.unique: ConstraintSupport.NOT_SUPPORTED,
    }

    _capabilities = CapabilityDict({Capability.TableLastModifiedMetadata: CapabilitySupport(support=Support.Full)})

    def list_schemas(self, database: str | None) -> list[str]:
        """The schemas of a catalog. One that does not exist has none, and CREATE SCHEMA will say so or create it."""
        catalog = self._catalog(database)
        with _without_missing_catalogs():
            schemas: list[str] = super().list_schemas(quote(catalog))
            return schemas
        return []

    def check_schema_exists(self, database: str | None, schema: str) -> bool:
        return schema.lower() in map(str.lower, self.list_schemas(database))

    def list_relations(self, database: str | None, schema: str) -> list[BaseRelation]:
        relations: list[BaseRelation] = super().list_relations(self._catalog(database), schema)
        return relations

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """Those of a schema, with its catalog; none where the catalog or the schema does not exist."""
        with _without_missing_catalogs():
            relations = super().list_relations_without_caching(schema_relation)
            return [_typed(relation).replace_path(database=schema_relation.database) for relation in relations]
        return []

    def _catalog(self, database: str | None) -> str:
        """The name of a catalog, which may be quoted; that of the profile by default."""
        name = database or self.config.credentials.database
        return name[1:-1].replace("``", "`") if name.startswith("`") else name

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> tuple[agate.Table, list[Exception]]:
        """The columns of all relations in the schemas of these nodes, of one schema at a time."""
        with executor(self.config) as pool:
            parts = [
                pool.submit_connected(
                    self, f"{info.database}.{name}", self._get_one_catalog, info, {name}, used_schemas
                )
                for info, names in self._get_catalog_schemas(relation_configs).items()
                for name in names
            ]
            catalog: tuple[agate.Table, list[Exception]] = catch_as_completed(parts)
        return catalog

    def calculate_freshness_from_metadata_batch(
        self, sources: Sequence[BaseRelation], macro_resolver: Any = None
    ) -> tuple[list[AdapterResponse | None], dict[BaseRelation, FreshnessResponse]]:
        """The time of the last commit of each source, for sources without a `loaded_at_field`."""
        session = self.connections.get_thread_connection().handle.session
        freshness = {}
        for source in sources:
            with self.connections.exception_handler(""):
                last = session.sql(f"DESCRIBE HISTORY {source} LIMIT 1").collect()[0]["timestamp"]
            freshness[source] = self._create_freshness_response(last, datetime.now(timezone.utc))
        return [], freshness

    @classmethod
    def convert_time_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        """The column type for times of day: STRING, since Delta has none."""
        return "string"

    @available
    def seed_literal(self, value: Any, kind: str | None = None) -> str:
        """A value of a CSV file as SQL, for the macro that loads seeds."""
        text: str = seed_literal(value, kind)
        return text

    @available
    def refreshed_change(self, current: str, wanted: str) -> RefreshedChange | None:
        """The differences between a model and its materialized view or streaming table; see refreshed.change."""
        return change(current, wanted)

    @available
    def schedule_clause(self, schedule: Any) -> str:
        """The configuration `schedule` as a clause of SQL."""
        clause: str = schedule_clause(schedule)
        return clause

    @property
    def default_python_submission_method(self) -> str:
        method: str = IN_SESSION
        return method

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        return dict.fromkeys((IN_SESSION, *ELSEWHERE), SessionJob)

    def standardize_grants_dict(self, grants_table: agate.Table) -> dict[str, list[str]]:
        """The principals of each privilege that a table or view grants itself; those of its schema are inherited."""
        grants: dict[str, list[str]] = {}
        for principal, privilege, kind, _ in grants_table.rows:
            if kind in _GRANTING and not privilege.startswith("DENIED_"):
                grants.setdefault(privilege, []).append(principal)
        return grants

    def pre_model_hook(self, config: Mapping[str, Any]) -> None:
        """Sets `file_format` of a node to delta if it is missing: dbt-spark's macros require it.

        Drops a materialized view or streaming table whose place a model takes. A macro around a materialization of
        dbt-spark could not do so, since dbt runs models in Python for the materialization alone. Raises
        CompilationError if the place is that of a seed or a snapshot.
        """
        node = getattr(config, "model", None)
        if node is None:
            return
        if not node.config.get("file_format"):
            node.config["file_format"] = "delta"
        form = node.config.get("materialized")
        if form in _REPLACING or form in _REFUSING:
            relation = self.get_relation(node.database, node.schema, node.alias)
            if relation is not None and relation.is_refreshed:
                _refuse(relation, form)
                self.drop_relation(relation)

    def parse_describe_extended(self, relation: BaseRelation, raw_rows: Any) -> list[DeltaSqlColumn]:
        return [DeltaSqlColumn(**vars(column)) for column in super().parse_describe_extended(relation, raw_rows)]

    def _get_columns_for_catalog(self, relation: BaseRelation) -> Iterable[dict[str, Any]]:
        """The columns of a relation for `dbt docs`, as DESCRIBE has them: the tree of SHOW TABLE EXTENDED has no
        nested types in one line, and no comments.
        """
        try:
            rows = self.execute_macro("get_columns_in_relation_raw", kwargs={"relation": relation})
        except DbtRuntimeError:
            # Dropped meanwhile.
            return
        described = [(row["col_name"], row["data_type"], row["comment"]) for row in rows]
        end = self.find_table_information_separator([{"col_name": name} for name, _, _ in described])
        facts = {name: value for name, value, _ in described[end:]}
        statistics = self.INFORMATION_STATISTICS_REGEX.search(relation.information or "")
        for number, (name, kind, comment) in enumerate(described[:end]):
            yield {
                "table_database": relation.database,
                "table_schema": relation.schema,
                "table_name": relation.name,
                "table_type": relation.type,
                "table_comment": facts.get("Comment"),
                "table_owner": facts.get("Owner"),
                "column_name": name,
                "column_index": number,
                "column_type": kind,
                "column_comment": comment,
                **SparkColumn.convert_table_stats(statistics and statistics[1]),
            }


def _typed(relation: BaseRelation) -> BaseRelation:
    """A relation from SHOW TABLE EXTENDED. One that is refreshed is not for dbt-spark to replace as a Delta table."""
    found = _TYPE.search(relation.information or "")
    if found is None or found[1] not in _REFRESHED:
        return relation
    return relation.incorporate(type=found[1].lower(), is_delta=False)


def _refuse(relation: BaseRelation, form: str) -> None:
    """Raises CompilationError for a seed or a snapshot, which are not to drop a relation."""
    if form in _REFUSING:
        raise CompilationError(
            f"{relation} is a {relation.kind}, and a {form} does not take its place. Run DROP {relation.kind.upper()} "
            f"{relation}, or give the {form} another alias."
        )


@contextmanager
def _without_missing_catalogs() -> Iterator[None]:
    """Context: ends quietly where a catalog does not exist."""
    try:
        yield
    except DbtRuntimeError as error:
        if MISSING_CATALOG not in str(error.msg):
            raise
