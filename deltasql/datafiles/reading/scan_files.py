"""The files of a scan: where they are, and their deletion vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from deltasql.datafiles.reading.missing_files import missing_vector
from deltasql.errors.log import DeletionVectorNotFoundError
from deltasql.lazy import np
from deltasql.log.actions.deletion_vectors import deleted_rows
from deltasql.log.storage.stores import Stores
from deltasql.plan.operators import Scan


def located(operator: Scan) -> Scan:
    """The scan with the `location` of each file: its absolute path or URL, decoded."""
    from deltasql.log.actions.file_tables import file_locations

    if "location" in operator.files.column_names:
        return operator
    locations = file_locations(operator.files.column("path"), operator.table.location)
    return replace(operator, files=operator.files.append_column("location", locations))


def deleted_by_file(operator: Scan, paths: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """The deletion vector of each file that has one, by location. Descriptors as in the log."""
    if "deletionVector" not in operator.files.column_names:
        return {}
    read_paths = set(paths)
    column = operator.files.column("deletionVector")
    if column.null_count == len(column):
        return {}
    pairs = zip(operator.files.column("location").to_pylist(), column.to_pylist(), strict=True)
    return {path: vector for path, vector in pairs if path in read_paths and vector and vector.get("storageType")}


def vector_positions(stores: Stores, operator: Scan, vector: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The rows that a deletion vector marks."""
    try:
        return deleted_rows(stores.open(operator.table.location), vector).astype(np.int64)
    except DeletionVectorNotFoundError as error:
        raise missing_vector(operator, vector) from error
