"""An engine that has not been started: most statements on metadata never start it.

Questions that an engine without a session answers by no are answered here; any other wakes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from deltasql.engines.door import Analyst, Runtime

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.result import CommandRows


class Engine(Analyst, Runtime, Protocol):
    """What the planner and execution ask of an engine, for one statement."""


class Asleep:
    """Stands for the Engine of a statement until it is needed. `wake` makes it."""

    def __init__(self, wake: Callable[[], Engine]) -> None:
        self._wake = wake
        self._engine: Engine | None = None

    @property
    def started(self) -> bool:
        return self._engine is not None and self._engine.started

    def setting(self, key: str) -> str | None:
        return None if self._engine is None else self._engine.setting(key)

    def knows(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows(parts)

    def knows_view(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_view(parts)

    def knows_function(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_function(parts)

    def temporary_views(self) -> list[str]:
        return [] if self._engine is None else self._engine.temporary_views()

    def forget_view(self, parts: Sequence[str]) -> None:
        if self._engine is not None:
            self._engine.forget_view(parts)

    def forget_function(self, name: str) -> None:
        if self._engine is not None:
            self._engine.forget_function(name)

    def release(self) -> None:
        if self._engine is not None:
            self._engine.release()

    def frame_of(self, rows: CommandRows) -> DataFrame:
        # A method of its own, for each Result keeps it: the attribute alone must not wake anything.
        return self._awake.frame_of(rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._awake, name)

    @property
    def _awake(self) -> Engine:
        if self._engine is None:
            self._engine = self._wake()
        return self._engine
