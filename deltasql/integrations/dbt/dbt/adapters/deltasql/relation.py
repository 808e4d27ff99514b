"""Names of relations: schema.table, in the one catalog of a warehouse."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dbt.adapters.spark.relation import SparkRelation
from dbt_common.exceptions import DbtRuntimeError

CATALOG = "spark_catalog"


def without_catalog(database: str | None, schema: str | None, of: str) -> None:
    """Takes a `database` that says nothing: none, the catalog's, or the schema's name. Raises DbtRuntimeError."""
    if database not in {None, "", CATALOG, schema}:
        raise DbtRuntimeError(
            f"{of} has the database (catalog) {database}, but a warehouse of deltasql has one, {CATALOG}: tables go by "
            "schema.table. Leave it out, or make it depend on the target."
        )


@dataclass(frozen=True, eq=False, repr=False)
class DeltaSqlRelation(SparkRelation):
    """A table or view; it may have the name of the catalog, which is left out of SQL."""

    def __post_init__(self) -> None:
        if self.database:
            without_catalog(self.database, self.schema, f"{self.schema}.{self.identifier}")
            object.__setattr__(self, "path", replace(self.path, database=None))
