"""Catalogs in objects: stores that tell their requests, that fail, and what is written there."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from obstore.store import MemoryStore

from deltasql.base.errors import AmbiguousWriteError, CatalogNameTakenError
from deltasql.catalog import Catalog
from deltasql.catalog.entries import Entry, FunctionDefinition, FunctionEntry, ViewDefinition
from deltasql.log.storage.log_store import LogStore, Tag
from deltasql.schema.types import StructType

URL = "memory:///wh"
T = TypeVar("T")
Operation: TypeAlias = Callable[[Catalog], object]
Model: TypeAlias = Callable[..., tuple[list[object], object]]


class GoneError(Exception):
    """The process has died."""


class Watched(LogStore):
    """Keeps its requests, and calls what `before` has for the number of one, from 0, when it comes."""

    def __init__(self, memory: Any) -> None:
        super().__init__(URL, memory, "wh")
        self.requests: list[str] = []
        self.before: dict[int, Callable[[], object]] = {}

    def _open(self, create: bool = False) -> Any:
        number = len(self.requests)
        self.requests.append("write" if create else "read")
        self.before.get(number, lambda: None)()
        return super()._open(create)


def opened(memory: MemoryStore) -> tuple[Catalog, Watched]:
    store = Watched(memory)
    return Catalog(URL, lambda _: store), store


def new_view(found: Entry | None) -> ViewDefinition:
    if found is not None:
        raise CatalogNameTakenError(view=found.name, kind="name")
    return ViewDefinition("SELECT 1 AS a", ("spark_catalog", "s"), {"k": "v"}, ("a",), StructType())


def new_function(found: FunctionEntry | None) -> FunctionDefinition:
    return FunctionDefinition(found.definition.text + "+" if found else "() RETURN 1", ("spark_catalog", "s"), {})


class Unsure(LogStore):
    """Loses the answers to a share of its writes, and of these a share is not stored either."""

    def __init__(self, memory: MemoryStore, lost: float, unsent: float = 0.5) -> None:
        super().__init__(URL, memory, "wh")
        self._lost, self._unsent = lost, unsent
        self._random = random.Random(secrets.randbits(32))

    def put_if_absent(self, path: str, data: bytes) -> bool:
        return self._answered(path, lambda: super(Unsure, self).put_if_absent(path, data))

    def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
        return self._answered(path, lambda: super(Unsure, self).put_if_same(path, data, tag))

    def _answered(self, path: str, put: Callable[[], T]) -> T:
        if path.endswith(".probe") or self._random.random() > self._lost:
            return put()
        if self._random.random() > self._unsent:
            put()
        raise AmbiguousWriteError(self.url(path), "timed out")
