"""A session of Sail, within this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from deltasql.engines.sail.parquet_files import parquet_frame
from deltasql.engines.sail.server import sail_session, settings_at_start
from deltasql.engines.spark.session.spark import OF_FILES, SparkHandle
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ONLY_SPARKS = (
    *OF_FILES,
    "spark.sql.sources.",
    "spark.sql.adaptive.",
    "spark.sql.optimizer.",
    "spark.sql.variant.",
    "spark.sql.shuffle.",
)
"""Settings of Spark's readers, writers and planner, which Sail does not have."""


class SailHandle(SparkHandle):
    """A session of Sail that starts on first use."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._answers: dict[str, str | None] = {}

    @property
    def is_plain(self) -> bool:
        return True

    @property
    def is_in_process(self) -> bool:
        return True

    @property
    def _zone_at_start(self) -> str | None:
        return self.settings.machine_zone

    def _started(self) -> SparkSession:
        return sail_session(self._zone_at_start)

    def _began_with(self, key: str) -> str | None:
        return settings_at_start(self._zone_at_start).get(key)

    def set(self, key: str, value: str) -> None:
        self._answers.clear()
        super().set(key, value)

    def unset(self, key: str) -> None:
        self._answers.clear()
        super().unset(key)

    def current_value(self, key: str) -> str | None:
        """See `SparkHandle.now`. Read from Sail once, as its session is not shared."""
        if key not in self._answers:
            self._answers[key] = super().current_value(key)
        return self._answers[key]

    def needing(self, *changes: Mapping[str, str | None]) -> AbstractContextManager[None]:
        """See `SparkHandle.needing`. Each setting takes a request: those that are for Spark alone are left out."""
        needed = {key: value for change in changes for key, value in change.items() if not key.startswith(_ONLY_SPARKS)}
        return super().needing(needed) if needed else nullcontext()

    def parquet_frame(self, columns: StructType, paths: Sequence[str], size: int) -> DataFrame | None:
        return parquet_frame(self, columns, paths, size)

    @property
    def joins_few_rows(self) -> bool:
        return False
