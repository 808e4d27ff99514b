"""Names of relations: schema.table, in the catalog of the profile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from dbt.adapters.spark.relation import SparkRelation
from dbt_common.exceptions import DbtRuntimeError

CATALOG = "spark_catalog"


@dataclass(frozen=True, eq=False, repr=False)
class DeltaSqlRelation(SparkRelation):
    """A table or view; its database may be the catalog of the profile, and is left out in SQL."""

    catalog: ClassVar[str] = CATALOG
    """The catalog of the profile, which is current in each session."""

    @classmethod
    def require_catalog(cls, database: str | None, schema: str | None, of: str) -> None:
        """Raises DbtRuntimeError for a `database` other than the profile's catalog or, as in dbt-spark, the schema."""
        if database not in {None, "", cls.catalog, schema}:
            raise DbtRuntimeError(
                f"{of} has the database (catalog) {database}, but the profile has {cls.catalog}: all relations of a "
                "run are in one catalog. Leave it out, or make it depend on the target."
            )

    def __post_init__(self) -> None:
        if self.database:
            self.require_catalog(self.database, self.schema, f"{self.schema}.{self.identifier}")
            object.__setattr__(self, "path", replace(self.path, database=None))
