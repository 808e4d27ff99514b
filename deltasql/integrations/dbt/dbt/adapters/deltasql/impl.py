"""The adapter: dbt-spark's, with Delta as the format of tables and the catalog's own types of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from dbt.adapters.base import BaseRelation, PythonJobHelper, available
from dbt.adapters.base.impl import ConstraintSupport, FreshnessResponse
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.deltasql.connections import DeltaSqlConnectionManager
from dbt.adapters.deltasql.literals import seed_literal
from dbt.adapters.deltasql.python_models import ELSEWHERE, IN_SESSION, SessionJob
from dbt.adapters.deltasql.relation import DeltaSqlRelation
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter, SparkConfig
from dbt_common.contracts.constraints import ConstraintType
from dbt_common.exceptions import DbtRuntimeError

if TYPE_CHECKING:
    import agate


@dataclass
class DeltaSqlConfig(SparkConfig):
    file_format: str = "delta"


class DeltaSqlAdapter(SparkAdapter):
    """dbt's adapter interface, implemented on sessions of deltasql."""

    ConnectionManager = DeltaSqlConnectionManager
    Relation = DeltaSqlRelation
    AdapterSpecificConfigs = DeltaSqlConfig

    CONSTRAINT_SUPPORT = {
        ConstraintType.check: ConstraintSupport.ENFORCED,
        ConstraintType.not_null: ConstraintSupport.ENFORCED,
        ConstraintType.primary_key: ConstraintSupport.NOT_ENFORCED,
        ConstraintType.foreign_key: ConstraintSupport.NOT_ENFORCED,
        ConstraintType.unique: ConstraintSupport.NOT_SUPPORTED,
    }

    _capabilities = CapabilityDict({Capability.TableLastModifiedMetadata: CapabilitySupport(support=Support.Full)})

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

    @property
    def default_python_submission_method(self) -> str:
        method: str = IN_SESSION
        return method

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        return dict.fromkeys((IN_SESSION, *ELSEWHERE), SessionJob)

    def pre_model_hook(self, config: Mapping[str, Any]) -> None:
        """Sets `file_format` of a node to delta if it is missing: dbt-spark's macros require it."""
        node = getattr(config, "model", None)
        if node is not None and not node.config.get("file_format"):
            node.config["file_format"] = "delta"

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
                "table_database": None,
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
