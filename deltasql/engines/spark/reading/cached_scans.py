"""A cache of the DataFrames of scans for later statements: to make one costs Spark as much as a small query.

For each table of a statement Spark lists the files, and analyses the relation and the selected columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from deltasql.engines.choice import is_handed_out
from deltasql.engines.spark.reading.input_size import Workspace
from deltasql.engines.spark.reading.scans import read_in_process, scan
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files.reading.file_tables import deleted_by_file, located
from deltasql.log.storage.listing import file_state
from deltasql.log.storage.locations import is_local, local_path
from deltasql.plan.operators import Scan
from deltasql.schema.types import StructType, case_matters

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_FILES = 2048
"""Files of a cached scan: the next statement checks the state of each."""
_OF_FILE = 4096
"""Estimated bytes of memory for a file; rows that this process has read are added."""


class _Key(NamedTuple):
    """All that the rows of a scan depend on, and how they are read.

    `files` have place, state, and partition values where there are any. `use` numbers the uses within a statement.
    """

    location: str
    schema: StructType
    partition_columns: tuple[str, ...]
    files: tuple[Hashable, ...]
    settings: str
    case_sensitive: bool
    by_driver: bool
    use: int


class CachedScans:
    """The scans of one statement, from the cache where their tables and settings are unchanged.

    Only data files on a local disk are known to be there, and the same, at no cost. Each use within a statement has a
    DataFrame of its own, since Spark tells columns apart by where they come from. What the caller gets, who may join it
    to anything, is always new.
    """

    def __init__(self, spark: SparkHandle) -> None:
        self._spark = spark
        self._uses = Counter[_Key]()

    def frame(self, operator: Scan, work: Workspace) -> DataFrame:
        """The rows of a scan: see `scan`."""
        key = self._key(operator) if self._may_be_cached(operator) else None
        if key is None:
            return scan(self._spark, operator, work)
        self._uses[key] += 1
        numbered = key._replace(use=self._uses[key])
        cached = self._spark.cached_frames.find(numbered)
        if cached is not None:
            return cached
        sent = work.sent
        frame = scan(self._spark, operator, work)
        # Files, and settings by another thread, may have changed meanwhile.
        if self._key(operator) == key:
            self._spark.cached_frames.put(numbered, frame, work.sent - sent + operator.files.num_rows * _OF_FILE)
        return frame

    def _may_be_cached(self, operator: Scan) -> bool:
        return (
            not (operator.identity or operator.described or operator.marked_only or operator.row_ids is not None)
            and operator.in_process is None
            and not is_handed_out()
            and 0 < operator.files.num_rows <= MOST_FILES
            and is_local(operator.table.location)
            and not self._spark.remote
        )

    def _key(self, operator: Scan) -> _Key | None:
        """None if a file is missing, is not local, or has a deletion vector, or if the settings are unknown."""
        operator = located(operator)
        paths = operator.files.column("location").to_pylist()
        settings = self._spark.settings_now()
        if settings is None or not all(map(is_local, paths)) or deleted_by_file(operator, paths):
            return None
        files = zip(paths, _partition_values(operator), strict=True)
        try:
            states = tuple((path, file_state(local_path(path)), values) for path, values in files)
        except OSError:
            # Whoever reads it says what is wrong.
            return None
        table, driver = operator.table.location, read_in_process(self._spark, operator)
        columns = operator.schema, operator.partition_columns
        return _Key(table, *columns, states, settings, case_matters(), driver, use=0)


def _partition_values(operator: Scan) -> list[Hashable]:
    if not operator.partition_columns:
        return [None] * operator.files.num_rows
    return [tuple(row.items()) for row in operator.files.column("partitionValues").to_pylist()]
