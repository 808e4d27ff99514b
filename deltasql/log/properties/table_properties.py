"""The properties of one table with their types: the one way from a configuration to what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from deltasql.log.properties.property import Property
from deltasql.log.properties.property_registry import COLUMN_MAPPING_MODE, CONSTRAINT_PREFIX

T = TypeVar("T")


class TableProperties:
    """What `configuration`, the texts of a metaData action, says of a table: `properties[CHECKPOINT_INTERVAL]`."""

    __slots__ = ("configuration",)

    def __init__(self, configuration: Mapping[str, str]) -> None:
        self.configuration = configuration

    def __getitem__(self, entry: Property[T]) -> T:
        """The value of a property, or of its default.

        Raises PropertyValueError, or IsolationLevelError, for a text that it cannot have: another engine wrote it.
        """
        return entry.value(self.configuration.get(entry.name))

    def __contains__(self, entry: Property[Any]) -> bool:
        """Whether the table sets the property itself."""
        return entry.name in self.configuration

    def switches_on(self, entry: Property[Any]) -> bool:
        """Whether the table switches a feature on by this property.

        Never raises, because the log can only be read once this is known: a wrong text switches nothing on.
        """
        return entry.switches(self.configuration.get(entry.name))

    @property
    def maps_columns(self) -> bool:
        """Whether columns have physical names of their own. Raises PropertyValueError for an unknown mode."""
        return self[COLUMN_MAPPING_MODE] != "none"

    @property
    def constraints(self) -> dict[str, str]:
        """CHECK expressions by the lower-case name of their constraint, in the order of the names."""
        prefix = CONSTRAINT_PREFIX
        found = {key.lower(): sql for key, sql in self.configuration.items() if key.lower().startswith(prefix)}
        return {key[len(prefix) :]: found[key] for key in sorted(found)}
