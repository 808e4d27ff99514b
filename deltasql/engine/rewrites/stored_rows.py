"""The rows of a table's files as files hold them, on their way from one to another within this process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from deltasql.engine.reading.driver_rows import FileReader, arrow_schema
from deltasql.engine.reading.footers import readable
from deltasql.engine.reading.missing_files import missing_file, readable_files
from deltasql.engine.reading.scans import deleted_by_file, vector_positions
from deltasql.engine.reading.workspace import Workspace
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.transfer import copies_rows
from deltasql.engine.writing.driver_files import HeldFile, as_stored
from deltasql.engine.writing.stage import Stage
from deltasql.errors.log import LostDataFileError
from deltasql.log.protocol.features import has_variants
from deltasql.plan.operators import Scan
from deltasql.schema.column_mapping import physical_name, physical_schema
from deltasql.schema.lengths import with_lengths, without_lengths
from deltasql.schema.types import VOID, StructType
from deltasql.settings.session_settings import IGNORE_MISSING_FILES

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

MOST_FILE_BYTES = 256 << 20
"""Files that are larger do not fit into this process."""


def may_copy_rows(spark: SparkHandle, target: Scan, stage: Stage, sizes: pa.Array | pa.ChunkedArray) -> bool:
    """Whether this process may make files of such sizes, in bytes, of rows of the target's.

    Ids of rows depend on where they stand, and only Spark passes over files that may be missing. Raises what
    `copies_rows` raises.
    """
    import pyarrow.compute as pc

    if (spark.now(IGNORE_MISSING_FILES.name) or "").lower() == "true":
        return False
    parted = stage.stores_partitions and target.partition_columns
    if parted or target.row_ids is not None or has_variants(target.schema):
        return False
    largest, total = (how(sizes).as_py() or 0 for how in (pc.max, pc.sum))
    return largest <= MOST_FILE_BYTES and copies_rows(spark, target.table.location, total)


class StoredRows:
    """Reads the rows of some files of the target, with the columns that files of `schema` have."""

    def __init__(
        self, spark: SparkHandle, target: Scan, schema: StructType, paths: Sequence[str], work: Workspace
    ) -> None:
        """`paths` are the files: see `readable_files`, which looks whether they are there, and for what it raises."""
        readable_files(target, paths, may_be_missing=False)
        self._spark, self._target, self._schema, self._work = spark, target, schema, work
        partitions = {name.lower() for name in target.partition_columns}
        held = tuple(item for item in schema if item.name.lower() not in partitions and item.type != VOID)
        self._names = frozenset(item.name for item in held)
        self._held = without_lengths(physical_schema(with_lengths(StructType(held))))
        self._reader = FileReader(spark, target, self._held, work)
        self._vectors = deleted_by_file(target, paths)

    def live(self, path: str) -> tuple[pa.Table, np.ndarray[Any, Any]]:
        """The live rows of a file, and the positions of those that its deletion vector marks.

        Raises LeftToSparkError for dates of another calendar, DataFileNotFoundError, UnreadableDataFileError.
        """
        import numpy as np

        vector = self._vectors.get(path)
        marked = np.array([], np.int64) if vector is None else vector_positions(self._spark, self._target, vector)
        try:
            rows = self._reader.rows(path, None if vector is None else lambda: marked)
        except LostDataFileError:
            raise missing_file(self._target, path) from None
        return as_stored(rows, self._schema), marked

    def may_splice(self, path: str, changed: Collection[str]) -> bool:
        """Whether some of a file's columns stay as they are, where its rows stay but for values of those `changed`."""
        return path not in self._vectors and not self._names <= set(changed)

    def with_file(self, path: str, names: Collection[str], statistics: str | None) -> tuple[HeldFile, pa.Table]:
        """A file, whole, with its statistics in the log; and its columns of these physical names.

        Raises what `live` raises.
        """
        store, name = self._spark.stores.of_file(path)
        chosen = StructType(tuple(item for item in self._held if item.name in names))
        try:
            with readable(path):
                data = store.read(name)
        except LostDataFileError:
            raise missing_file(self._target, path) from None
        rows = FileReader(self._spark, self._target, chosen, self._work).held_rows(path, data)
        columns = as_stored(arrow_schema(self._held).empty_table(), self._schema).schema
        return HeldFile(data, statistics, columns), as_stored(rows, self._schema)


def partition_values(
    schema: StructType, partition_columns: Sequence[str], files: pa.Table
) -> list[dict[str, str | None]]:
    """The partition values of each file as in the log, by physical name."""
    fields = [field for name in partition_columns if (field := schema.find(name)) is not None]
    rows = files.column("partitionValues").to_pylist() if fields else [{}] * files.num_rows
    folded = ({name.lower(): value for name, value in row.items()} for row in rows)
    return [{physical_name(field): row.get(field.name.lower()) for field in fields} for row in folded]
