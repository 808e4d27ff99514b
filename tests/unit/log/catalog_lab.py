"""Sessions of a warehouse that may be made to crash, and catalogs whose answers are lost."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql import Session, connect
from deltasql.log.committers import (
    TableCommits,
)
from deltasql.log.storage.listing import STAGED_COMMITS
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import open_store

MANAGED = "TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"


class CrashError(BaseException):
    """The process dies here."""


class Lab:
    """A warehouse, and sessions in it that may be made to crash."""

    def __init__(self, warehouse: str) -> None:
        self.warehouse = warehouse
        self.opened: list[Session] = []

    def session(self) -> Session:
        self.opened.append(connect(warehouse=self.warehouse))
        return self.opened[-1]

    @property
    def location(self) -> str:
        return f"{self.warehouse}/t"

    @property
    def store(self) -> LogStore:
        return open_store(self.location)

    @property
    def state(self) -> TableCommits | None:
        return self.session().catalog.commits.find(self.location)

    def rows(self) -> list[int]:
        return sorted(row[0] for row in self.session().sql("SELECT id FROM t").collect())

    def staged(self) -> list[str]:
        return [entry.name for entry in self.store.list_folder(STAGED_COMMITS)]


def crashing(session: Session, monkeypatch: pytest.MonkeyPatch, method: str, *, after: bool) -> None:
    """Makes the session die when it calls a method of the registry, before or after it took place."""
    registry = session.catalog.commits
    real = getattr(registry, method)

    def die(*args: Any) -> None:
        if after:
            real(*args)
        raise CrashError

    monkeypatch.setattr(registry, method, die)
