"""Names of relations: schema.table, with the catalog before it where that is not the catalog of the profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from dbt.adapters.base import BaseRelation
from dbt.adapters.contracts.relation import ComponentName, Policy
from dbt.adapters.spark.relation import SparkRelation
from dbt_common.dataclass_schema import StrEnum

from deltasql.schema import quote_name as quote

CATALOG = "spark_catalog"


class DeltaSqlRelationType(StrEnum):
    """dbt's types of relations, and streaming tables; an enumeration cannot be extended."""

    Table = "table"
    View = "view"
    CTE = "cte"
    MaterializedView = "materialized_view"
    Ephemeral = "ephemeral"
    External = "external"
    PointerTable = "pointer_table"
    Function = "function"
    StreamingTable = "streaming_table"


@dataclass(frozen=True, eq=False, repr=False)
class DeltaSqlRelation(SparkRelation):
    """A table or view. Its database is its catalog; a relation without one is in the catalog of the profile."""

    type: DeltaSqlRelationType | None = None
    include_policy: Policy = field(default_factory=Policy)

    profile_catalog: ClassVar[str] = CATALOG
    """The catalog of the profile, which is current in each session."""

    StreamingTable: ClassVar[str] = "streaming_table"

    def __post_init__(self) -> None:
        if self.path.schema is not None and not self.path.database:
            object.__setattr__(self, "path", replace(self.path, database=self.profile_catalog))

    @property
    def is_streaming_table(self) -> bool:
        return self.type == self.StreamingTable

    @property
    def is_refreshed(self) -> bool:
        """Whether it is a materialized view or a streaming table, which only REFRESH fills."""
        return self.is_materialized_view or self.is_streaming_table

    @property
    def kind(self) -> str:
        """The word of its statements, such as `materialized view`."""
        return str(self.type or "table").replace("_", " ")

    def render(self) -> str:
        text: str = BaseRelation.render(self)
        return text

    def matches(self, database: str | None = None, schema: str | None = None, identifier: str | None = None) -> bool:
        """Whether these are the parts of the name, in any case of their letters; None stands for any."""
        wanted = (database, schema, identifier)
        parts = (self.database, self.schema, self.identifier)
        return all(
            one is None or one.strip("`").lower() == (part or "").lower()
            for one, part in zip(wanted, parts, strict=True)
        )

    def _render_iterator(self) -> Iterator[tuple[ComponentName | None, str | None]]:
        """The parts of the name in SQL. A database stands alone, or before a schema of another catalog."""
        parts = dict(super()._render_iterator())
        catalog, has_schema = parts[ComponentName.Database], parts[ComponentName.Schema] is not None
        is_current = (self.database or "").lower() == self.profile_catalog.lower()
        if is_current if has_schema else parts[ComponentName.Identifier] is not None:
            catalog = None
        elif catalog is not None and not self.quote_policy.database:
            catalog = quote(catalog)
        yield from {**parts, ComponentName.Database: catalog}.items()
