"""Tables of Iceberg's, made by PyIceberg, for tests that read them: a catalog that is a folder, and nothing else."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.serializers import ToOutputFile
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.metadata import new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.table.update import update_table_metadata


class FolderCatalog(NoopCatalog):  # type: ignore[misc]
    """Writes a metadata file for each commit, as catalogs of PyIceberg do; nobody else writes."""

    def __init__(self) -> None:
        super().__init__("folder")
        self.commits = 0

    def commit_table(self, table: Table, requirements: Any, updates: Any) -> CommitTableResponse:
        metadata = update_table_metadata(table.metadata, updates)
        return CommitTableResponse(metadata=metadata, metadata_location=self.write(metadata))

    def write(self, metadata: Any) -> str:
        location = f"{metadata.location}/metadata/{self.commits:05}-{uuid4()}.metadata.json"
        self.commits += 1
        ToOutputFile.table_metadata(metadata, PyArrowFileIO().new_output(location))
        return location


def iceberg_table(
    folder: str, schema: Schema, spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC, **rest: Any
) -> Table:
    """An empty table in a folder; `rest` are properties."""
    catalog = FolderCatalog()
    metadata = new_table_metadata(schema, spec, UNSORTED_SORT_ORDER, folder, rest)
    return Table(("db", "t"), metadata, catalog.write(metadata), PyArrowFileIO(), catalog)


def append(table: Table, **columns: pa.Array) -> None:
    """Adds rows, whose columns are Arrow arrays."""
    table.append(pa.table(columns))
