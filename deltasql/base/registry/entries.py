"""An entry of a registry: a name that people give a text to, and the typed value that it comes to.

Table properties, session settings and the options of DataFrames are such entries. Each is declared once, in the
registry of its kind; checks, typed reads and the page docs/settings.md follow from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
E = TypeVar("E", bound="RegistryEntry[Any]")
F = TypeVar("F", bound="RegistryEntry[Any]")


@dataclass(frozen=True, slots=True)
class RegistryEntry(Generic[T]):
    """One name that can be given a text.

    `read` gives the typed value of a text, or raises ValueError; `legal` says which texts it takes. `default` is the
    text that counts where none is given; None: the value is None then. `documentation` is one sentence, `applies` a few
    words on which statements, files or formats look at it.
    """

    name: str
    read: Callable[[str], T]
    legal: str
    default: str | None
    documentation: str
    applies: str

    def __str__(self) -> str:
        """The name, as messages have it."""
        return self.name

    def value(self, text: str | None) -> T:
        """The value of `text`, or of the default where `text` is None. Raises what `refusal` makes of a wrong text."""
        value = self.default if text is None else text
        if value is None:
            # An entry without a default is declared with a type that has None.
            return cast("T", None)
        try:
            return self.read(value)
        except ValueError as error:
            raise self.refusal(value) from error

    def refusal(self, text: str) -> Exception:
        """The error that says that this entry cannot be `text`."""
        return ValueError(f"{self.name} cannot be {text!r}: legal is {self.legal}")


class Registry(Mapping[str, E], Generic[E]):
    """The entries of one kind by name, in the order in which they are declared."""

    def __init__(self) -> None:
        self._entries: dict[str, E] = {}
        self._folded: dict[str, E] = {}

    def add(self, entry: F) -> F:
        """Takes `entry` in and gives it back, so that a declaration is one assignment."""
        assert entry.name.lower() not in self._folded, f"{entry.name} is declared twice"
        registered = cast("E", entry)
        self._entries[entry.name] = self._folded[entry.name.lower()] = registered
        return entry

    def find(self, name: str) -> E | None:
        """The entry called `name`, whatever its case; None if there is none."""
        return self._folded.get(name.lower())

    def __getitem__(self, name: str) -> E:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
