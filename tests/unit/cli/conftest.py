"""A session of canned answers, which the command takes for one of ours."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from deltasql.errors.base import Caret
from deltasql.errors.catalog import TableNotFoundError
from deltasql.errors.concurrency import ConcurrentAppendError
from deltasql.errors.engine import SparkError
from deltasql.interrupts import StatementInterrupted
from deltasql.result import Result
from deltasql.schema import types as t

NUMBERS = t.StructType((t.StructField("n", t.LONG),))


class Canned:
    """A session that answers by the first word of a statement."""

    def __init__(self, warehouse: str, spark: Any) -> None:
        self.warehouse, self.spark = warehouse, spark
        self.seen: list[tuple[str, Any]] = []
        self.closed = False

    def sql(self, text: str, args: Any = None) -> Result:
        self.seen.append((text, args))
        match re.sub(r"--.*", "", text).split(maxsplit=1)[0].upper():
            case "SELECT":
                return Result.of(NUMBERS, [(1,), (2,)])
            case "MISS":
                raise TableNotFoundError(table="t", advice="Run SHOW TABLES.").at(
                    Caret(text, text.index(" t") + 1, text.index(" t") + 2)
                )
            case "RACE":
                raise ConcurrentAppendError(table="t", version=3, operation="WRITE")
            case "BREAK":
                raise SparkError("DIVIDE_BY_ZERO", "22012", "Division by zero.", stack="at Some.java:1")
            case "BUG":
                raise ValueError("unexpected")
            case "WAIT":
                raise KeyboardInterrupt
            case "LATE":
                raise StatementInterrupted((("t", 7),))
            case _:
                return Result.of(version=1)

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

    def connect(warehouse: str, spark: Any, *, engine: str | None = None) -> Canned:
        assert engine is None
        made.append(Canned(warehouse, spark))
        return made[-1]

    monkeypatch.setitem(sys.modules, "deltasql.session", SimpleNamespace(connect=connect))
    return made
