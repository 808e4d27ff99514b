"""What is said of one `delta.*` table property: its values, its table feature, and when it goes.

Which properties there are is in `property_registry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from deltasql.errors.statements.properties import IsolationLevelError, PropertyValueError
from deltasql.registry.entries import RegistryEntry

T = TypeVar("T")


class OnReplace(Enum):
    """What becomes of a property where a table is replaced and the statement does not say."""

    GOES = "goes"
    STAYS = "stays"
    """It says how to read the log before the statement, which stays."""
    STAYS_WHILE_ON = "stays while on"
    """It stays where its feature is switched on before and after."""


class OnDrop(Enum):
    """When a property goes as its table feature is dropped."""

    STAYS = "stays"
    BEFORE = "before"
    """In a commit of its own: who writes after that does not use the feature any more."""
    WITH_FEATURE = "with feature"
    """In the commit that takes the feature out of the protocol."""
    WITH_REWRITE = "with rewrite"
    """In the commit that writes the files anew without the feature."""


@dataclass(frozen=True, slots=True)
class Property(RegistryEntry[T]):
    """One `delta.*` property.

    `internal`: only the log's writers set it. `feature` is the table feature that it belongs to, and `switch` holds the
    texts, in lower case, that switch the feature on; with `any_text_switches` every text does that is not empty.
    `of_one_table`: it is about the history of one table: nobody declares it, and a copy of the table has its own.
    """

    internal: bool = False
    feature: str | None = None
    switch: frozenset[str] = frozenset()
    any_text_switches: bool = False
    of_one_table: bool = False
    on_replace: OnReplace = OnReplace.GOES
    on_drop: OnDrop = OnDrop.STAYS

    def refusal(self, text: str) -> Exception:
        """PropertyValueError, and for the isolation level IsolationLevelError."""
        if self.name == "delta.isolationLevel":
            return IsolationLevelError(text)
        return PropertyValueError(self.name, text, self.legal)

    def switches(self, text: str | None) -> bool:
        """Whether the property switches its feature on with `text`; a text that it cannot have does not."""
        given = (text or "").strip()
        return bool(given) and (self.any_text_switches or given.lower() in self.switch)
