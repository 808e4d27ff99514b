"""Files on this machine's disk for as long as a statement needs them.

They are copies from an object store that Spark has no way to, or rows on their way to an engine within this process.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.lazy import pa
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files.memory import available_memory
from deltasql.files.thresholds import MEMORY_SHARE, SENT_BYTES
from deltasql.log.storage.locations import folder_and_name
from deltasql.log.storage.log_store import LogStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_THREADS = 8
_STEP = 32 << 20
_BATCH_ROWS = 1 << 16


class Scratch:
    """A temporary folder that is deleted with this object."""

    def __init__(self) -> None:
        self.root = tempfile.mkdtemp(prefix="deltasql-source-")
        """The folder."""
        weakref.finalize(self, shutil.rmtree, self.root, ignore_errors=True)

    def fetch(self, open_store: Callable[[str], LogStore], root: str, files: Sequence[str]) -> list[str]:
        """The places of the copies of `files`, which lie below `root`; they were written when the files were.

        Raises FileNotFoundError, StorageError.
        """

        def copy(path: str) -> str:
            target = Path(self.root) / path.removeprefix(f"{root}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            folder, name = folder_and_name(path)
            store = open_store(folder)
            entry = store.head(name)
            with target.open("wb") as file:
                for start in range(0, entry.size, _STEP):
                    file.write(store.read_range(name, start, min(_STEP, entry.size - start)))
            os.utime(target, (entry.modified / 1000, entry.modified / 1000))
            return str(target)

        with ThreadPoolExecutor(_THREADS) as threads:
            return list(threads.map(copy, files))


def goes_by_file(spark: SparkHandle, size: int) -> bool:
    """Whether rows of `size` bytes in memory are better not sent to the engine: see `frame_of_file`."""
    return size > SENT_BYTES and spark.is_in_process


def frame_of_file(
    spark: SparkHandle, tables: Iterable[pa.Table], schema: pa.Schema, retain: Callable[[object], None]
) -> DataFrame:
    """A DataFrame of Arrow tables, which the engine reads from this machine's disk. `retain` keeps the file there.

    One table at a time is in memory. Raises what producing the tables raises.
    """
    file = RowsFile(tables, schema)
    retain(file)
    return file.frame(spark)


class RowsFile:
    """Rows in a file of Arrow, which is deleted with this object. One table at a time is in memory."""

    def __init__(self, tables: Iterable[pa.Table], schema: pa.Schema) -> None:
        """Raises what producing the tables raises, and NotOnSailError for more rows than fit into memory.

        Sail reads the whole file at once.
        """
        self._scratch = Scratch()
        most = int(MEMORY_SHARE * available_memory())
        self._path = f"{self._scratch.root}/rows.arrow"
        with pa.OSFile(self._path, "wb") as file, pa.ipc.new_file(file, schema) as writer:
            for table in tables:
                writer.write_table(table, max_chunksize=_BATCH_ROWS)
                if file.tell() > most:
                    raise NotOnSailError(what=f"a statement for which Sail gets more than {most:,} bytes of rows")

    def frame(self, spark: SparkHandle) -> DataFrame:
        """A DataFrame of the rows, which the engine reads from the file."""
        frame = spark.session.read.format("arrow").load(self._path)
        retain_with(frame, self)
        return frame

    def table(self) -> pa.Table:
        """The rows, in pages of the file."""
        with pa.memory_map(self._path) as file:
            return pa.ipc.open_file(file).read_all()


def retain_with(rows: DataFrame, item: object) -> None:
    """Holds an item for as long as rows of Spark Connect may be asked for, or of what is made of them.

    The plan of a DataFrame refers to those that it is made of, though not to the views that a text names.
    """
    plan: Any = rows
    plan._plan._deltasql_retained = item
