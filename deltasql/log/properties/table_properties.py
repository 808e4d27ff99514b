"""Typed access to the properties of one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from deltasql.log.properties.property import Property
from deltasql.log.properties.property_registry import COLUMN_MAPPING_MODE, CONSTRAINT_PREFIX

T = TypeVar("T")


class TableProperties:
    """Typed values of `configuration`, the texts of a metaData action: `properties[CHECKPOINT_INTERVAL]`."""

    __slots__ = ("configuration",)

    def __init__(self, configuration: Mapping[str, str]) -> None:
        self.configuration = configuration

    def __getitem__(self, entry: Property[T]) -> T:
        """The value of a property, or its default.

        Raises PropertyValueError, or IsolationLevelError, for an illegal text, which another engine has written.
        """
        return entry.value(self.configuration.get(entry.name))

    def __contains__(self, entry: Property[Any]) -> bool:
        """Whether the table sets the property itself."""
        return entry.name in self.configuration

    def switches_on(self, entry: Property[Any]) -> bool:
        """Whether the table enables a feature by this property.

        Never raises, because reading the log depends on it: an illegal text enables nothing.
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
        constraints = {key.lower(): sql for key, sql in self.configuration.items() if key.lower().startswith(prefix)}
        return {key[len(prefix) :]: constraints[key] for key in sorted(constraints)}
