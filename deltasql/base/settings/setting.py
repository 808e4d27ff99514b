"""One session setting, the registry of them, and constructors for the usual kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from deltasql.base.errors.statements.settings import InvalidSettingError
from deltasql.base.registry.entries import Registry, RegistryEntry
from deltasql.base.registry.readers import boolean, count, one_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(RegistryEntry[T]):
    """One setting. `listed`: SET without a key shows its default too; others have Spark's default, or none."""

    listed: bool = True

    def refusal(self, text: str) -> Exception:
        """InvalidSettingError."""
        return InvalidSettingError(key=self.name, value=text, expected=self.legal)


REGISTRY: Registry[Setting[Any]] = Registry()


def switch(text: str) -> bool:
    return boolean((text or "false").strip())


def choice(*words: str) -> Callable[[str], str]:
    """A parser of one of these words, in any case and with blanks around it."""
    read = one_of(*words)
    return lambda text: read(text.strip())


def flag(name: str, default: str, applies: str, documentation: str, *, listed: bool = True) -> Setting[bool]:
    return REGISTRY.add(Setting(name, switch, "true or false", default, documentation, applies, listed))


def word(name: str, words: tuple[str, ...], default: str, applies: str, documentation: str) -> Setting[str]:
    return REGISTRY.add(Setting(name, choice(*words), " or ".join(words), default, documentation, applies))


def number(name: str, default: str, applies: str, documentation: str) -> Setting[int]:
    return REGISTRY.add(Setting(name, count(), "a whole number", default, documentation, applies))


def maybe(name: str, read: Callable[[str], T], legal: str, applies: str, documentation: str) -> Setting[T | None]:
    """Adds a setting without a default."""
    return REGISTRY.add(Setting(name, read, legal, None, documentation, applies, listed=False))
