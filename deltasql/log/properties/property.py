"""Definition of a `delta.*` table property: its values, its table feature, and when it is removed.

The properties are declared in `property_registry`.

Properties in which deltasql stores keys and tags, for which the protocol has no action.

They are part of the table's configuration, which every engine carries from one metaData action to the next, and need no
table feature. Users do not set them by hand, and no statement shows them among the table's properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from deltasql.base.errors.statements.properties import IsolationLevelError, PropertyValueError
from deltasql.base.registry.entries import RegistryEntry

T = TypeVar("T")


class OnReplace(Enum):
    """Whether a property is kept when its table is replaced by a statement that does not set it."""

    GOES = "goes"
    STAYS = "stays"
    """It is needed to read the log before the statement, which stays."""
    STAYS_WHILE_ON = "stays while on"
    """It is kept if its feature is enabled both before and after."""


class OnDrop(Enum):
    """When a property is removed as its table feature is dropped."""

    STAYS = "stays"
    BEFORE = "before"
    """In a separate commit: later writers do not use the feature any more."""
    WITH_FEATURE = "with feature"
    """In the commit that takes the feature out of the protocol."""
    WITH_REWRITE = "with rewrite"
    """In the commit that writes the files anew without the feature."""


@dataclass(frozen=True, slots=True)
class Property(RegistryEntry[T]):
    """One `delta.*` property.

    `internal`: only the log's writers set it. `feature` is the table feature that it belongs to, and `switch` holds the
    texts, in lower case, that enable the feature; with `any_text_switches` every text does that is not empty.
    `of_one_table`: it describes the history of one table, so users cannot set it and clones do not copy it.
    """

    internal: bool = False
    feature: str | None = None
    switch: frozenset[str] = frozenset()
    any_text_switches: bool = False
    of_one_table: bool = False
    on_replace: OnReplace = OnReplace.GOES
    on_drop: OnDrop = OnDrop.STAYS

    def refusal(self, text: str) -> Exception:
        """The error for an illegal value: PropertyValueError, and for the isolation level IsolationLevelError."""
        if self.name == "delta.isolationLevel":
            return IsolationLevelError(text)
        return PropertyValueError(self.name, text, self.legal)

    def switches(self, text: str | None) -> bool:
        """Whether the value `text` enables the property's feature; an illegal value does not."""
        value = (text or "").strip()
        return bool(value) and (self.any_text_switches or value.lower() in self.switch)


KEYS = "deltasql.keys"
"""PRIMARY KEY and FOREIGN KEY, as JSON."""
TAGS = "deltasql.tags"
"""Tags of the table, a JSON object."""
COLUMN_TAGS = "deltasql.columnTags"
"""Tags of its columns, as JSON."""
REFRESH = "deltasql.refresh"
"""The last refresh of a materialized view or streaming table, as JSON: its definition, and the versions it has read."""

UNITY_TABLE_ID = "io.unitycatalog.tableId"
"""The number of a table in its Unity Catalog, which no other table may have."""

DELTASQL_PROPERTIES = frozenset({KEYS, TAGS, COLUMN_TAGS, REFRESH})


def without_deltasql_properties(configuration: Mapping[str, str]) -> dict[str, str]:
    """The properties that users see."""
    return {key: value for key, value in configuration.items() if key not in DELTASQL_PROPERTIES}
