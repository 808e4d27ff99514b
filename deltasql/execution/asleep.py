"""An engine that has not been started: most statements on metadata never start it.

Questions whose answer is no without a session are answered without a start; any other starts the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from deltasql.engines.door import StatementEngine
from deltasql.log.storage.stores import Stores
from deltasql.result import Columnar

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def unstarted_engine(stores: Stores, start: Callable[[], StatementEngine]) -> StatementEngine:
    """The engine of a statement, which `start` makes at the first question that needs one."""
    return cast(StatementEngine, Asleep(stores, start))


class Asleep:
    """A placeholder for the engine of a statement until it is needed; `start` makes it. See `StatementEngine`."""

    def __init__(self, stores: Stores, start: Callable[[], StatementEngine]) -> None:
        self.stores = stores
        self._start = start
        self._engine: StatementEngine | None = None

    @property
    def _awake(self) -> StatementEngine:
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def __getattr__(self, name: str) -> Any:
        """Any question that is not answered below starts the engine."""
        return getattr(self._awake, name)

    def frame_of(self, rows: Columnar) -> DataFrame:
        """A result gets this method before anybody asks for its DataFrame."""
        return self._awake.frame_of(rows)

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
