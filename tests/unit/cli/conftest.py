"""A session of canned answers, which the command takes for one of ours."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.errors import ConcurrentAppendError
from deltasql.base.session_settings import SessionSettings
from deltasql.files.result import Result
from tests.unit.canned import answer


class Canned:
    """A session that answers by the first word of a statement."""

    def __init__(self, warehouse: str, spark: Any) -> None:
        self.warehouse, self.spark = warehouse, spark
        self.seen: list[tuple[str, Any]] = []
        self.closed = False
        self.settings = SessionSettings()

    def sql(self, text: str, args: Any = None) -> Result:
        self.seen.append((text, args))
        if text.startswith("RACE"):
            raise ConcurrentAppendError(table="t", version=3, operation="WRITE")
        return answer(text)

    def close(self) -> None:
        self.closed = True

    @property
    def texts(self) -> list[str]:
        """The statements, without their parameters."""
        return [text for text, _ in self.seen]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[Canned]:
    """The sessions that the command opens."""
    made: list[Canned] = []

    def connect(
        warehouse: str, spark: Any, *, engine: str | None = None, catalogs: Any = None, directory: str = ""
    ) -> Canned:
        assert engine is None
        made.append(Canned(warehouse, spark))
        return made[-1]

    monkeypatch.setattr("deltasql.session.connect", connect)
    return made
